#include "io/mesh/regular_files.h"

#include "base/array.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *stream_of(struct aiFile *file)
{
    return (FILE *)(void *)file->UserData;
}

static size_t read_file(struct aiFile *file, char *to, size_t bytes, size_t count)
{
    return fread(to, bytes, count, stream_of(file));
}

static size_t write_nothing(struct aiFile *file, const char *from, size_t bytes, size_t count)
{
    (void)file, (void)from, (void)bytes, (void)count;
    return 0;
}

static size_t tell(struct aiFile *file)
{
    return (size_t)ftell(stream_of(file));
}

static size_t size_of(struct aiFile *file)
{
    struct stat about;
    return fstat(fileno(stream_of(file)), &about) == 0 ? (size_t)about.st_size : 0;
}

static enum aiReturn seek(struct aiFile *file, size_t offset, enum aiOrigin from)
{
    int whence = from == aiOrigin_SET ? SEEK_SET : from == aiOrigin_CUR ? SEEK_CUR : SEEK_END;
    return fseek(stream_of(file), (long)offset, whence) == 0 ? aiReturn_SUCCESS : aiReturn_FAILURE;
}

static void flush_nothing(struct aiFile *file)
{
    (void)file;
}

/* Not blocking, as a pipe without a writer would. */
static FILE *open_regular(const char *path)
{
    struct stat about;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool regular = descriptor >= 0 && fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
    FILE *stream = regular ? fdopen(descriptor, "rb") : NULL;
    if (!stream && descriptor >= 0)
        close(descriptor);
    return stream;
}

static struct aiFile *open_file(struct aiFileIO *files, const char *path, const char *mode)
{
    (void)files;
    FILE *stream = mode[0] == 'r' ? open_regular(path) : NULL;
    if (!stream)
        return NULL;
    struct aiFile *file = SN_NEW(struct aiFile, 1);
    *file = (struct aiFile){.ReadProc = read_file,
                            .WriteProc = write_nothing,
                            .TellProc = tell,
                            .FileSizeProc = size_of,
                            .SeekProc = seek,
                            .FlushProc = flush_nothing,
                            .UserData = (aiUserData)(void *)stream};
    return file;
}

static void close_file(struct aiFileIO *files, struct aiFile *file)
{
    (void)files;
    fclose(stream_of(file));
    sn_free(file);
}

struct aiFileIO sn_regular_files(void)
{
    return (struct aiFileIO){.OpenProc = open_file, .CloseProc = close_file};
}
