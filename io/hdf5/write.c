#define _GNU_SOURCE /* fallocate */
#include "io/hdf5/write.h"

#include "base/array.h"
#include "base/log.h"
#include "base/memory.h"
#include "io/hdf5/seal.h"
#include "io/text/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { DEFLATE_LEVEL = 1, REASON_BYTES = 160 };

/* Headers, indices and checksums of chunks, as far as they don't grow with the arrays. */
static const int64_t METADATA_BYTES = 1 << 16;
enum { CHUNKS_METADATA_SHARE = 64 }; /* and the part that does: at most this fraction */

/* ---- Slabs ---- */

static int64_t chunks_of(int64_t rows)
{
    return (rows + SN_H5_CHUNK_ROWS - 1) / SN_H5_CHUNK_ROWS;
}

/* The first row of a rank's share; chunks * size stays far from overflow. */
static int64_t slab_start(int64_t rows, int rank, int size)
{
    int64_t row = chunks_of(rows) * rank / size * SN_H5_CHUNK_ROWS;
    return row < rows ? row : rows;
}

sn_slab sn_h5_slab(MPI_Comm comm, int64_t rows)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int64_t first = slab_start(rows, rank, size);
    return (sn_slab){first, slab_start(rows, rank + 1, size) - first};
}

int sn_h5_slab_rank(MPI_Comm comm, int64_t rows, int64_t row)
{
    int size;
    MPI_Comm_size(comm, &size);
    /* The last rank whose share starts at or before the chunk. */
    int64_t chunk = row / SN_H5_CHUNK_ROWS;
    return (int)(((chunk + 1) * size - 1) / chunks_of(rows));
}

/* ---- Failing ---- */

static herr_t keep_reason(unsigned n, const H5E_error2_t *error, void *reason)
{
    (void)n;
    if (error->desc && error->desc[0])
        snprintf(reason, REASON_BYTES, "%s", error->desc);
    return 0;
}

static sn_status cannot_write(const sn_h5_file *f, const char *reason)
{
    return SN_FAIL(SN_MACHINE, "%s: cannot be written: %s", f->path, reason);
}

/* Where HDF5 fails on one rank the others may wait for it inside of HDF5, and even if they don't
 * it can't close the file any more: there is no going on. `result` is what HDF5 returned. */
static void expect(const sn_h5_file *f, int64_t result)
{
    if (result >= 0)
        return;
    char reason[REASON_BYTES] = "HDF5 gives no reason";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_reason, reason);
    unlink(f->part);
    sn_abort(SN_MACHINE, __FILE__, __LINE__, "%s: cannot be written: %s", f->path, reason);
}

/* ---- The file ---- */

static bool is_first(const sn_h5_file *f)
{
    int rank;
    MPI_Comm_rank(f->comm, &rank);
    return rank == 0;
}

/* By hand first: the system's reasons are better than HDF5's. */
static sn_status make_part(const sn_h5_file *f)
{
    int descriptor = sn_part_make(f->part);
    if (descriptor < 0)
        return cannot_write(f, strerror(errno));
    close(descriptor);
    return SN_OK;
}

static bool has_room(int descriptor, int64_t bytes)
{
    struct statvfs about;
    return fstatvfs(descriptor, &about) != 0 ||
           (int64_t)(about.f_bavail * about.f_frsize / 2) >= bytes / 2;
}

/* On file systems that can't reserve, what is free now must do. */
static sn_status reserve(const sn_h5_file *f, int64_t bytes)
{
    int descriptor = open(f->part, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
        return cannot_write(f, strerror(errno));
    int reason = fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, bytes) == 0 ? 0 : errno;
    bool full = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
    if (reason != 0 && !full && !has_room(descriptor, bytes)) {
        full = true;
        reason = ENOSPC;
    }
    close(descriptor);
    return full ? cannot_write(f, strerror(reason)) : SN_OK;
}

static sn_status check_limit(const sn_h5_file *f, int64_t bytes)
{
    struct rlimit limit;
    bool limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited && (rlim_t)bytes > limit.rlim_cur ? cannot_write(f, strerror(EFBIG)) : SN_OK;
}

/* Gives back what was reserved and not used, and puts the file on the disk. */
static sn_status trim_and_sync(const sn_h5_file *f)
{
    struct stat about;
    int descriptor = open(f->part, O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        return cannot_write(f, strerror(errno));
    bool done = fstat(descriptor, &about) == 0 && ftruncate(descriptor, about.st_size) == 0 &&
                fsync(descriptor) == 0;
    int reason = errno;
    close(descriptor);
    return done ? SN_OK : cannot_write(f, strerror(reason));
}

/* HDF5 cuts the file to nothing when it creates it, so what was reserved must be reserved again. */
static void create(sn_h5_file *f, int64_t bytes)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, f->comm, MPI_INFO_NULL);
    H5Pset_all_coll_metadata_ops(access, true);
    H5Pset_coll_metadata_write(access, true);
    f->file = H5Fcreate(f->part, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    expect(f, f->file);
    H5Pclose(access);
    if (is_first(f) && reserve(f, bytes) != SN_OK) {
        unlink(f->part);
        sn_abort(SN_MACHINE, __FILE__, __LINE__, "%s", sn_failure_message());
    }
}

static void forget(sn_h5_file *f)
{
    sn_free(f->path);
    sn_free(f->part);
    *f = (sn_h5_file){.file = H5I_INVALID_HID};
}

static char *copy_of(const char *path)
{
    size_t bytes = strlen(path) + 1;
    return memcpy(SN_NEW(char, bytes), path, bytes);
}

/* Rank 0's name on all ranks, which may be on other hosts. */
static char *common_part_path(MPI_Comm comm, const char *path)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    char *part = rank == 0 ? sn_part_path(path) : NULL;
    int bytes = part ? (int)strlen(part) + 1 : 0;
    MPI_Bcast(&bytes, 1, MPI_INT, 0, comm);
    if (!part)
        part = SN_NEW(char, bytes);
    MPI_Bcast(part, bytes, MPI_CHAR, 0, comm);
    return part;
}

static sn_status prepare(const sn_h5_file *f, int64_t bytes)
{
    SN_TRY(check_limit(f, bytes));
    if (!is_first(f))
        return SN_OK;
    SN_TRY(make_part(f));
    sn_status status = reserve(f, bytes);
    if (status != SN_OK)
        unlink(f->part);
    return status;
}

sn_status sn_h5_create(MPI_Comm comm, const char *path, int64_t bytes, sn_h5_file *f)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* its complaints become our messages */
    *f = (sn_h5_file){comm,  copy_of(path), common_part_path(comm, path), H5I_INVALID_HID,
                      false, false};
    bytes += METADATA_BYTES + bytes / CHUNKS_METADATA_SHARE;
    sn_status status = sn_agree(comm, prepare(f, bytes));
    if (status == SN_OK)
        create(f, bytes);
    else {
        if (is_first(f))
            unlink(f->part);
        forget(f);
    }
    return status;
}

/* The new name is to survive a crash, too; file systems that can't sync folders take the risk. */
static void sync_folder_of(const char *path)
{
    char *folder = copy_of(path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[1] = '\0';
    int descriptor = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        (void)!fsync(descriptor);
        close(descriptor);
    }
    sn_free(folder);
}

static sn_status name_whole_file(const sn_h5_file *f)
{
    if (rename(f->part, f->path) != 0)
        return cannot_write(f, strerror(errno));
    sync_folder_of(f->path);
    return SN_OK;
}

static sn_status complete_and_name(const sn_h5_file *f)
{
    SN_TRY(sn_agree(f->comm, is_first(f) ? trim_and_sync(f) : SN_OK));
    if (f->sealed)
        SN_TRY(sn_seal(f->comm, f->part));
    return sn_agree(f->comm, is_first(f) ? name_whole_file(f) : SN_OK);
}

sn_status sn_h5_finish(sn_h5_file *f)
{
    expect(f, H5Fclose(f->file));
    sn_status status = complete_and_name(f);
    if (status != SN_OK && is_first(f))
        unlink(f->part);
    forget(f);
    sn_process_return_holes(); /* HDF5 had all chunks of an array at once, in small blocks */
    return status;
}

void sn_h5_group(sn_h5_file *f, const char *name)
{
    hid_t group = H5Gcreate2(f->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    expect(f, group);
    H5Gclose(group);
}

/* ---- Attributes ---- */

/* A text's type: as long as the text, without a zero at the end; at least one character. */
static hid_t text_type(size_t length, H5T_cset_t characters)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length > 0 ? length : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, characters);
    return type;
}

static void attribute_in_space(sn_h5_file *f, const char *object, const char *name, hid_t type,
                               hid_t space, const void *values)
{
    hid_t at = H5Oopen(f->file, object, H5P_DEFAULT);
    expect(f, at);
    hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    expect(f, attribute);
    expect(f, H5Awrite(attribute, type, values));
    H5Aclose(attribute);
    H5Oclose(at);
    H5Sclose(space);
}

void sn_h5_attribute(sn_h5_file *f, const char *object, const char *name, hid_t type, int count,
                     const void *values)
{
    hsize_t size = (hsize_t)count;
    hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
    attribute_in_space(f, object, name, type, space, values);
}

void sn_h5_attribute_rows(sn_h5_file *f, const char *object, const char *name, hid_t type, int rows,
                          int columns, const void *values)
{
    hsize_t size[2] = {(hsize_t)rows, (hsize_t)columns};
    hid_t space = H5Screate_simple(columns > 0 ? 2 : 1, size, NULL);
    attribute_in_space(f, object, name, type, space, values);
}

void sn_h5_attribute_text(sn_h5_file *f, const char *object, const char *name, const char *text)
{
    hid_t type = text_type(strlen(text), H5T_CSET_ASCII);
    attribute_in_space(f, object, name, type, H5Screate(H5S_SCALAR), text);
    H5Tclose(type);
}

void sn_h5_attribute_long_text(sn_h5_file *f, const char *object, const char *name,
                               const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    attribute_in_space(f, object, name, type, H5Screate(H5S_SCALAR), &text);
    H5Tclose(type);
}

/* ---- Arrays ---- */

static void write_set(sn_h5_file *f, const char *name, hid_t type, hid_t space, hid_t memory_space,
                      hid_t layout, const void *values)
{
    static const char nothing[1]; /* HDF5 wants an address even for no rows */
    hid_t set = H5Dcreate2(f->file, name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    expect(f, set);
    hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    if (H5Sget_simple_extent_npoints(space) > 0) /* on all ranks alike; empty sets are refused */
        expect(f, H5Dwrite(set, type, memory_space, space, transfer, values ? values : nothing));
    H5Pclose(transfer);
    expect(f, H5Dclose(set));
}

static hid_t layout_of(const sn_h5_file *f, int dimensions, const hsize_t size[2])
{
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER);
    H5Pset_obj_track_times(layout, false);
    if (size[0] == 0 || f->hurried)
        return layout;
    hsize_t chunk[2] = {size[0] < SN_H5_CHUNK_ROWS ? size[0] : SN_H5_CHUNK_ROWS, size[1]};
    H5Pset_chunk(layout, dimensions, chunk);
    H5Pset_shuffle(layout);
    H5Pset_deflate(layout, DEFLATE_LEVEL);
    H5Pset_fletcher32(layout);
    return layout;
}

void sn_h5_array(sn_h5_file *f, const char *name, hid_t type, int64_t rows, int columns,
                 sn_slab slab, const void *values)
{
    int dimensions = columns > 0 ? 2 : 1;
    hsize_t size[2] = {(hsize_t)rows, (hsize_t)columns};
    hsize_t start[2] = {(hsize_t)slab.first, 0}, count[2] = {(hsize_t)slab.n, (hsize_t)columns};
    hid_t space = H5Screate_simple(dimensions, size, NULL);
    hid_t memory_space = H5Screate_simple(dimensions, count, NULL);
    if (slab.n > 0)
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    else
        H5Sselect_none(space);
    hid_t layout = layout_of(f, dimensions, size);
    write_set(f, name, type, space, memory_space, layout, values);
    H5Pclose(layout);
    H5Sclose(memory_space);
    H5Sclose(space);
}

/* Rank 0 has the values' rows; a space without dimensions is one value. */
static void write_small(sn_h5_file *f, const char *name, hid_t type, hid_t space,
                        const void *values)
{
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(layout, false);
    hid_t memory_space = H5Scopy(space);
    if (!is_first(f)) {
        H5Sselect_none(space);
        H5Sselect_none(memory_space);
    }
    write_set(f, name, type, space, memory_space, layout, values);
    H5Sclose(memory_space);
    H5Sclose(space);
    H5Pclose(layout);
}

void sn_h5_table(sn_h5_file *f, const char *name, hid_t type, int64_t rows, const void *values)
{
    hsize_t size = (hsize_t)rows;
    write_small(f, name, type, H5Screate_simple(1, &size, NULL), values);
}

void sn_h5_text(sn_h5_file *f, const char *name, const char *text)
{
    hid_t type = text_type(strlen(text), H5T_CSET_UTF8);
    write_small(f, name, type, H5Screate(H5S_SCALAR), text);
    H5Tclose(type);
}

void sn_h5_texts(sn_h5_file *f, const char *name, const char *const *texts, int count)
{
    size_t longest = 1;
    for (int i = 0; i < count; i++)
        longest = strlen(texts[i]) > longest ? strlen(texts[i]) : longest;
    char *padded = SN_NEW_ZERO(char, (size_t)count *longest);
    for (int i = 0; i < count; i++)
        memcpy(padded + (size_t)i * longest, texts[i], strlen(texts[i]));
    hid_t type = text_type(longest, H5T_CSET_UTF8);
    sn_h5_table(f, name, type, count, padded);
    H5Tclose(type);
    sn_free(padded);
}
