#include "io/text/whole_file.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_SHOWN_PATH = 300 };

/* Which of the two it is: a name that is wrong, or a disk that fails. */
static sn_status cannot_open(const char *path)
{
    static const int named_wrong[] = {ENOENT, ENOTDIR, EACCES, EISDIR, ENAMETOOLONG, ELOOP, ENXIO};
    sn_status status = SN_MACHINE;
    for (size_t i = 0; i < sizeof named_wrong / sizeof *named_wrong; i++)
        if (errno == named_wrong[i])
            status = SN_BAD_INPUT;
    return SN_FAIL(status, "%.*s: cannot open the file: %s", LONGEST_SHOWN_PATH, path,
                   strerror(errno));
}

static sn_status refuse(const char *path, const char *why)
{
    return SN_FAIL(SN_BAD_INPUT, "%.*s: %s", LONGEST_SHOWN_PATH, path, why);
}

/* Not blocking, or a pipe without a writer would hold the run up for ever. */
static sn_status open_regular(const char *path, int *descriptor, size_t *bytes)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return cannot_open(path);
    if (fstat(fd, &about) != 0) {
        sn_status status = cannot_open(path);
        close(fd);
        return status;
    }
    if (!S_ISREG(about.st_mode)) {
        close(fd);
        return refuse(path, S_ISDIR(about.st_mode) ? "is a directory, not a file"
                                                   : "is not a regular file");
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

static sn_status check_bytes(const char *path, size_t bytes, size_t least, size_t most)
{
    if (bytes < least)
        return refuse(path, "the file is empty");
    if (bytes > most)
        return SN_FAIL(SN_BAD_INPUT, "%.*s: longer than %zu %s", LONGEST_SHOWN_PATH, path,
                       most >> 20 ? most >> 20 : most >> 10, most >> 20 ? "MB" : "kB");
    return SN_OK;
}

static sn_status read_file(const char *path, size_t least, size_t most, sn_whole_file *file)
{
    int descriptor = -1;
    SN_TRY(open_regular(path, &descriptor, &file->bytes));
    sn_status status = check_bytes(path, file->bytes, least, most);
    if (status == SN_OK) {
        file->data = SN_NEW(char, file->bytes + 1);
        status = read_all(path, descriptor, file);
    }
    close(descriptor);
    if (status != SN_OK)
        sn_whole_file_free(file);
    return status;
}

sn_status sn_whole_file_read(const char *path, sn_whole_file *file)
{
    *file = (sn_whole_file){0};
    return read_file(path, 1, SIZE_MAX, file);
}

sn_status sn_whole_file_read_up_to(const char *path, size_t most_bytes, sn_whole_file *file)
{
    *file = (sn_whole_file){0};
    return read_file(path, 0, most_bytes, file);
}

sn_status sn_whole_file_check(const char *path)
{
    int descriptor = -1;
    size_t bytes = 0;
    SN_TRY(open_regular(path, &descriptor, &bytes));
    close(descriptor);
    return check_bytes(path, bytes, 1, SIZE_MAX);
}

void sn_whole_file_free(sn_whole_file *file)
{
    sn_free(file->data);
    *file = (sn_whole_file){0};
}
