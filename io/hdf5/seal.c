#include "io/hdf5/seal.h"

#include "base/array.h"
#include "base/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 22 };

static const char MAGIC[8] = "SINEWSUM";

typedef struct {
    char magic[8];
    uint64_t bytes; /* before the seal */
    uint64_t digest;
    uint64_t of_seal; /* digest of what stands before it in the seal */
} seal;

enum { SEALED_BYTES = offsetof(seal, of_seal) };

static sn_status fail(const char *path, const char *what)
{
    return SN_FAIL(SN_MACHINE, "%s: %s", path, what);
}

static bool read_all(int descriptor, void *to, size_t bytes, int64_t at)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(descriptor, (char *)to + done, bytes - done, at + (int64_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static bool write_all(int descriptor, const void *from, size_t bytes, int64_t at)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t put =
            pwrite(descriptor, (const char *)from + done, bytes - done, at + (int64_t)done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

/* This rank's blocks of a file's first bytes. */
static bool digest_blocks(MPI_Comm comm, int descriptor, uint64_t bytes, uint64_t *digest)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    char *block = SN_NEW(char, BLOCK_BYTES);
    bool read = true;
    for (uint64_t b = (uint64_t)rank; read && b * BLOCK_BYTES < bytes; b += (uint64_t)size) {
        uint64_t from = b * BLOCK_BYTES;
        size_t n = bytes - from < BLOCK_BYTES ? (size_t)(bytes - from) : BLOCK_BYTES;
        read = read_all(descriptor, block, n, (int64_t)from);
        if (read)
            sn_digest_add(digest, b, block, n);
    }
    sn_free(block);
    return read;
}

/* Collective: the digest of a file's first bytes. */
static sn_status digest_of(MPI_Comm comm, const char *path, uint64_t bytes, uint64_t *digest)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t mine = 0;
    bool read = descriptor >= 0 && digest_blocks(comm, descriptor, bytes, &mine);
    if (descriptor >= 0)
        close(descriptor);
    SN_TRY(sn_agree(comm, read ? SN_OK : fail(path, "cannot be read")));
    *digest = sn_digest_allreduce(comm, mine);
    return SN_OK;
}

static sn_status size_of(const char *path, uint64_t *bytes)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return fail(path, strerror(errno));
    *bytes = (uint64_t)about.st_size;
    return SN_OK;
}

static sn_status append(const char *path, const seal *s)
{
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    bool done = descriptor >= 0 && write_all(descriptor, s, sizeof *s, (int64_t)s->bytes) &&
                fsync(descriptor) == 0;
    int reason = errno;
    if (descriptor >= 0)
        close(descriptor);
    return done ? SN_OK : SN_FAIL(SN_MACHINE, "%s: cannot be written: %s", path, strerror(reason));
}

sn_status sn_seal(MPI_Comm comm, const char *path)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    seal s = {{0}, 0, 0, 0};
    memcpy(s.magic, MAGIC, sizeof MAGIC);
    SN_TRY(sn_agree(comm, rank == 0 ? size_of(path, &s.bytes) : SN_OK));
    MPI_Bcast(&s.bytes, 1, MPI_UINT64_T, 0, comm);
    SN_TRY(digest_of(comm, path, s.bytes, &s.digest));
    s.of_seal = sn_digest_bytes(&s, SEALED_BYTES);
    return sn_agree(comm, rank == 0 ? append(path, &s) : SN_OK);
}

static sn_status read_seal(const char *path, seal *s)
{
    uint64_t bytes = 0;
    SN_TRY(size_of(path, &bytes));
    if (bytes == 0)
        return fail(path, "is empty");
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail(path, strerror(errno));
    bool whole = bytes > sizeof *s &&
                 read_all(descriptor, s, sizeof *s, (int64_t)(bytes - sizeof *s)) &&
                 memcmp(s->magic, MAGIC, sizeof MAGIC) == 0 &&
                 s->of_seal == sn_digest_bytes(s, SEALED_BYTES) && s->bytes == bytes - sizeof *s;
    close(descriptor);
    return whole ? SN_OK : fail(path, "is not whole");
}

sn_status sn_seal_check(MPI_Comm comm, const char *path)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    seal s = {{0}, 0, 0, 0};
    uint64_t digest;
    SN_TRY(sn_agree(comm, rank == 0 ? read_seal(path, &s) : SN_OK));
    MPI_Bcast(&s, sizeof s, MPI_BYTE, 0, comm);
    SN_TRY(digest_of(comm, path, s.bytes, &digest));
    return digest == s.digest ? SN_OK : fail(path, "is damaged: its digest differs");
}
