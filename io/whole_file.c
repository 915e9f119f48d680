#include "io/whole_file.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static sn_status cannot_open(const char *path)
{
    return SN_FAIL(SN_BAD_INPUT, "%s: cannot open the file: %s", path, strerror(errno));
}

/* Not blocking, or a pipe without a writer would hold the run up for ever. */
static sn_status open_regular(const char *path, int *descriptor, size_t *bytes)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return cannot_open(path);
    if (fstat(fd, &about) != 0) {
        close(fd);
        return cannot_open(path);
    }
    if (!S_ISREG(about.st_mode) || about.st_size == 0) {
        close(fd);
        const char *what = S_ISDIR(about.st_mode)   ? "is a directory, not a file"
                           : S_ISREG(about.st_mode) ? "the file is empty"
                                                    : "is not a regular file";
        return SN_FAIL(SN_BAD_INPUT, "%s: %s", path, what);
    }
    *descriptor = fd;
    *bytes = (size_t)about.st_size;
    return SN_OK;
}

static sn_status read_all(const char *path, int descriptor, sn_whole_file *file)
{
    for (size_t done = 0; done < file->bytes;) {
        ssize_t got = read(descriptor, file->data + done, file->bytes - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return SN_FAIL(SN_MACHINE, "%s: reading failed: %s", path, strerror(errno));
        if (got == 0)
            file->bytes = done; /* it shrank meanwhile; the parser says what is missing */
        done += (size_t)got;
    }
    file->data[file->bytes] = '\0';
    return SN_OK;
}

sn_status sn_whole_file_read(const char *path, sn_whole_file *file)
{
    int descriptor = -1;
    SN_TRY(open_regular(path, &descriptor, &file->bytes));
    file->data = SN_NEW(char, file->bytes + 1);
    sn_status status = read_all(path, descriptor, file);
    close(descriptor);
    if (status != SN_OK)
        sn_whole_file_free(file);
    return status;
}

sn_status sn_whole_file_check(const char *path)
{
    int descriptor = -1;
    size_t bytes = 0;
    SN_TRY(open_regular(path, &descriptor, &bytes));
    close(descriptor);
    return SN_OK;
}

void sn_whole_file_free(sn_whole_file *file)
{
    sn_free(file->data);
    *file = (sn_whole_file){0};
}
