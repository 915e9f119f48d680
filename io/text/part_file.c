#include "io/text/part_file.h"

#include "base/array.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const char ENDING[] = ".part";
enum { WRITER_BYTES = 96 };

/* ---- Names ---- */

/* A host without its domain: nothing in it is a dot or a dash but that before the process. */
static void name_writer(char writer[WRITER_BYTES])
{
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    host[strcspn(host, ".")] = '\0';
    for (char *c = host; *c; c++)
        *c = isalnum((unsigned char)*c) ? *c : '_';
    snprintf(writer, WRITER_BYTES, "%s-%ld", host[0] ? host : "host", (long)getpid());
}

char *sn_part_path(const char *path)
{
    char writer[WRITER_BYTES];
    name_writer(writer);
    size_t bytes = strlen(path) + 1 + strlen(writer) + sizeof ENDING;
    char *part = SN_NEW(char, bytes);
    snprintf(part, bytes, "%s.%s%s", path, writer, ENDING);
    return part;
}

/* Where the characters of that kind begin which stand before the end. */
static size_t span_back(const char *name, size_t end, int (*is_of)(int))
{
    while (end > 0 && (is_of((unsigned char)name[end - 1]) || name[end - 1] == '_'))
        end--;
    return end;
}

size_t sn_part_stem(const char *name)
{
    size_t length = strlen(name), tail = sizeof ENDING - 1;
    if (length <= tail || strcmp(name + length - tail, ENDING) != 0)
        return 0;
    size_t number = span_back(name, length - tail, isdigit);
    if (number == length - tail || number == 0 || name[number - 1] != '-')
        return 0;
    size_t host = span_back(name, number - 1, isalnum);
    return host < number - 1 && host > 1 && name[host - 1] == '.' ? host - 1 : 0;
}

/* ---- Files ---- */

int sn_part_make(const char *part)
{
    unlink(part);
    return open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

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
    size_t bytes = strlen(path) + 1;
    *file = (sn_part_file){NULL, SN_NEW(char, bytes), sn_part_path(path)};
    memcpy(file->path, path, bytes);
    int descriptor = sn_part_make(file->part);
    file->stream = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (file->stream)
        return SN_OK;
    int reason = errno;
    if (descriptor >= 0)
        close(descriptor);
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
