#include "io/text/part_file.h"

#include "base/array.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static sn_status cannot_write(const char *path, int reason)
{
    return SN_FAIL(SN_MACHINE, "%s: cannot be written: %s", path, strerror(reason));
}

sn_status sn_part_file_failed(const char *path)
{
    return cannot_write(path, errno ? errno : EIO);
}

static void forget(sn_part_file *file)
{
    sn_free(file->path);
    sn_free(file->part);
    *file = (sn_part_file){0};
}

sn_status sn_part_file_open(const char *path, sn_part_file *file)
{
    size_t bytes = strlen(path) + sizeof SN_PART_ENDING;
    *file = (sn_part_file){NULL, SN_NEW(char, bytes), SN_NEW(char, bytes)};
    snprintf(file->path, bytes, "%s", path);
    snprintf(file->part, bytes, "%s" SN_PART_ENDING, path);
    file->stream = fopen(file->part, "wb");
    if (file->stream)
        return SN_OK;
    int reason = errno;
    forget(file);
    return cannot_write(path, reason);
}

/* What a stream could not write is lost; the reason of the last attempt is the best there is. */
static bool close_stream(FILE *stream, int *reason)
{
    errno = 0;
    bool whole = fflush(stream) == 0 && !ferror(stream);
    *reason = errno ? errno : EIO;
    if (whole && fsync(fileno(stream)) != 0 && errno != EINVAL && errno != ENOTSUP) {
        whole = false;
        *reason = errno;
    }
    if (fclose(stream) != 0 && whole) {
        whole = false;
        *reason = errno;
    }
    return whole;
}

sn_status sn_part_file_finish(sn_part_file *file, sn_status status)
{
    int reason;
    bool whole = close_stream(file->stream, &reason);
    if (status == SN_OK && whole && rename(file->part, file->path) != 0) {
        whole = false;
        reason = errno;
    }
    if (status == SN_OK && !whole)
        status = cannot_write(file->path, reason);
    if (status != SN_OK)
        unlink(file->part);
    forget(file);
    return status;
}
