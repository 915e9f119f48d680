#include "io/hdf5/read.h"

#include "base/array.h"

#include <string.h>
#include <sys/stat.h>

enum { LONGEST_TEXT = 1 << 28 };

/* Deflate makes 1032 bytes at most of one (its longest match takes two bits); the shuffle before it
 * changes nothing. */
static const double MOST_PACKED = 1032;

void sn_h5_stay_inside(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (H5Lis_registered(H5L_TYPE_EXTERNAL) > 0)
        H5Lunregister(H5L_TYPE_EXTERNAL);
}

/* Arrays may name other files as the place of their numbers, any of this machine. */
static bool is_inside(hid_t set)
{
    hid_t made = H5Dget_create_plist(set);
    bool inside = H5Pget_layout(made) != H5D_VIRTUAL && H5Pget_external_count(made) == 0;
    H5Pclose(made);
    return inside;
}

static sn_status agree(const sn_h5_source *s, const char *what, bool done)
{
    return sn_agree(s->comm,
                    done ? SN_OK : SN_FAIL(SN_MACHINE, "%s: %s cannot be read", s->path, what));
}

static bool is_regular(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* Nobody writes to a file that has its name, so no lock is asked for: not all file systems have
 * them. A pipe would hold HDF5 up for ever. */
static hid_t open_without_lock(const char *path)
{
    if (!is_regular(path))
        return H5I_INVALID_HID;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, false, true);
#endif
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

sn_status sn_h5_open(MPI_Comm comm, const char *path, sn_h5_source *s)
{
    sn_h5_stay_inside();
    size_t bytes = strlen(path) + 1;
    *s = (sn_h5_source){.comm = comm, .path = SN_NEW(char, bytes)};
    memcpy(s->path, path, bytes);
    s->file = open_without_lock(path);
    sn_status status = agree(s, "the file", s->file >= 0);
    if (status != SN_OK)
        sn_h5_close(s);
    return status;
}

void sn_h5_close(sn_h5_source *s)
{
    if (s->path && s->file >= 0)
        H5Fclose(s->file);
    sn_free(s->path);
    *s = (sn_h5_source){.file = H5I_INVALID_HID};
}

static bool read_attribute(hid_t attribute, hid_t type, int count, void *values)
{
    hid_t space = H5Aget_space(attribute);
    bool fits = H5Sget_simple_extent_npoints(space) == count;
    H5Sclose(space);
    return fits && H5Aread(attribute, type, values) >= 0;
}

bool sn_h5_has_attribute(const sn_h5_source *s, const char *object, const char *name)
{
    return H5Aexists_by_name(s->file, object, name, H5P_DEFAULT) > 0;
}

sn_status sn_h5_read_attribute(sn_h5_source *s, const char *object, const char *name, hid_t type,
                               int count, void *values)
{
    hid_t attribute = H5Aopen_by_name(s->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    bool read = attribute >= 0 && read_attribute(attribute, type, count, values);
    if (attribute >= 0)
        H5Aclose(attribute);
    return agree(s, name, read);
}

/* Room for a text of this type and a zero, or NULL if it is none of ours. */
static char *room_for_text(hid_t type)
{
    size_t length = H5Tget_size(type);
    bool is_text = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                   length > 0 && length < LONGEST_TEXT;
    return is_text ? SN_NEW_ZERO(char, length + 1) : NULL;
}

static sn_status finish_text(sn_h5_source *s, const char *name, bool read, char **text)
{
    sn_status status = agree(s, name, read);
    if (status != SN_OK) {
        sn_free(*text);
        *text = NULL;
    }
    return status;
}

sn_status sn_h5_read_attribute_text(sn_h5_source *s, const char *object, const char *name,
                                    char **text)
{
    hid_t attribute = H5Aopen_by_name(s->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    bool read = false;
    *text = NULL;
    if (attribute >= 0) {
        hid_t type = H5Aget_type(attribute);
        *text = room_for_text(type);
        read = *text && read_attribute(attribute, type, 1, *text);
        H5Tclose(type);
        H5Aclose(attribute);
    }
    return finish_text(s, name, read, text);
}

sn_status sn_h5_read_text(sn_h5_source *s, const char *name, char **text)
{
    hid_t set = H5Dopen2(s->file, name, H5P_DEFAULT);
    bool read = false;
    *text = NULL;
    if (set >= 0) {
        hid_t type = H5Dget_type(set), space = H5Dget_space(set);
        *text =
            H5Sget_simple_extent_npoints(space) == 1 && is_inside(set) ? room_for_text(type) : NULL;
        read = *text && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) >= 0;
        H5Sclose(space);
        H5Tclose(type);
        H5Dclose(set);
    }
    return finish_text(s, name, read, text);
}

int64_t sn_h5_rows_of(hid_t set, int columns)
{
    hsize_t size[H5S_MAX_RANK] = {0};
    hid_t space = H5Dget_space(set);
    int dimensions = H5Sget_simple_extent_ndims(space);
    bool fits = dimensions == (columns > 0 ? 2 : 1) &&
                H5Sget_simple_extent_dims(space, size, NULL) == dimensions &&
                (columns == 0 || size[1] == (hsize_t)columns) && size[0] <= INT64_MAX;
    H5Sclose(space);
    return fits && is_inside(set) ? (int64_t)size[0] : -1;
}

bool sn_h5_has_room(hid_t set, int columns, int64_t rows)
{
    hid_t type = H5Dget_type(set);
    double row = (double)H5Tget_size(type) * (columns > 0 ? columns : 1);
    H5Tclose(type);
    return (double)rows * row <= MOST_PACKED * (double)H5Dget_storage_size(set);
}

sn_status sn_h5_read_rows(sn_h5_source *s, const char *name, int columns, int64_t *rows)
{
    hid_t set = H5Dopen2(s->file, name, H5P_DEFAULT);
    *rows = set >= 0 ? sn_h5_rows_of(set, columns) : -1;
    if (*rows > 0 && !sn_h5_has_room(set, columns, *rows))
        *rows = -1;
    if (set >= 0)
        H5Dclose(set);
    return agree(s, name, *rows >= 0);
}

static bool read_slab(hid_t set, hid_t type, int columns, sn_slab slab, void *values)
{
    if (slab.first + slab.n > sn_h5_rows_of(set, columns))
        return false;
    if (slab.n == 0)
        return true;
    int dimensions = columns > 0 ? 2 : 1;
    hsize_t start[2] = {(hsize_t)slab.first, 0}, count[2] = {(hsize_t)slab.n, (hsize_t)columns};
    hid_t space = H5Dget_space(set), memory_space = H5Screate_simple(dimensions, count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    bool read = H5Dread(set, type, memory_space, space, H5P_DEFAULT, values) >= 0;
    H5Sclose(memory_space);
    H5Sclose(space);
    return read;
}

sn_status sn_h5_read_array(sn_h5_source *s, const char *name, hid_t type, int columns, sn_slab slab,
                           void *values)
{
    hid_t set = H5Dopen2(s->file, name, H5P_DEFAULT);
    bool read = set >= 0 && read_slab(set, type, columns, slab, values);
    if (set >= 0)
        H5Dclose(set);
    return agree(s, name, read);
}
