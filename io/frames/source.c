#include "io/frames/source.h"

#include "base/array.h"
#include "io/hdf5/read.h"
#include "io/text/utf8.h"
#include "io/text/whole_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_NAME = 1 << 16 };

sn_status sn_frame_broken(const sn_frame_source *f, const char *why)
{
    return SN_FAIL(SN_BAD_INPUT, "%s: not a whole %s: %s", f->path, f->what, why);
}

sn_status sn_frame_open(const char *path, const char *what, sn_frame_source *f)
{
    sn_h5_stay_inside();
    *f = (sn_frame_source){path, what, H5I_INVALID_HID};
    if (access(path, R_OK) != 0)
        return SN_FAIL(SN_BAD_INPUT, "%s: cannot open the %s: %s", path,
                       strrchr(what, ' ') ? strrchr(what, ' ') + 1 : what, strerror(errno));
    SN_TRY(sn_whole_file_check(path));
    f->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return f->file >= 0 ? SN_OK : sn_frame_broken(f, "HDF5 cannot open it");
}

void sn_frame_close(sn_frame_source *f)
{
    H5Fclose(f->file);
}

bool sn_frame_has(const sn_frame_source *f, const char *name)
{
    return H5Lexists(f->file, name, H5P_DEFAULT) > 0;
}

void *sn_frame_values(const sn_frame_source *f, const char *name, hid_t type, size_t bytes,
                      int columns, int64_t *rows)
{
    hid_t set = H5Dopen2(f->file, name, H5P_DEFAULT);
    if (set < 0)
        return NULL;
    *rows = sn_h5_rows_of(set, columns);
    char *values = NULL;
    if (*rows >= 0 && sn_h5_has_room(set, columns, *rows)) {
        values = SN_NEW(char, (size_t)*rows *(columns > 0 ? (size_t)columns : 1) * bytes + 1);
        if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
            sn_free(values);
            values = NULL;
        }
    }
    H5Dclose(set);
    return values;
}

int64_t *sn_frame_integers(const sn_frame_source *f, const char *name, int64_t *rows)
{
    return sn_frame_values(f, name, H5T_NATIVE_INT64, sizeof(int64_t), 0, rows);
}

bool sn_frame_attribute(const sn_frame_source *f, const char *name, hid_t type, void *value)
{
    hid_t attribute = H5Aopen_by_name(f->file, "/sinew", name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    hid_t space = H5Aget_space(attribute);
    bool read = H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, type, value) >= 0;
    H5Sclose(space);
    H5Aclose(attribute);
    return read;
}

/* As in scenes: such names get into other formats, where a new line would begin something else. */
static bool are_visible(const char *texts, int64_t n, size_t length)
{
    for (int64_t b = 0; b < n; b++) {
        size_t bytes = strnlen(texts + (size_t)b * length, length);
        if (sn_utf8_span(texts + (size_t)b * length, bytes, "") != bytes)
            return false;
    }
    return true;
}

static char **take_names(const char *texts, int n, size_t length)
{
    char **name = SN_NEW(char *, n);
    for (int b = 0; b < n; b++) {
        name[b] = SN_NEW_ZERO(char, length + 1);
        memcpy(name[b], texts + (size_t)b * length, length);
    }
    return name;
}

/* How long texts of the array are, all the same; 0 if it has no such texts. */
static size_t length_of_texts(hid_t set, hid_t *type)
{
    *type = H5Dget_type(set);
    size_t length = H5Tget_size(*type);
    bool texts = H5Tget_class(*type) == H5T_STRING && H5Tis_variable_str(*type) == 0;
    return texts && length < LONGEST_NAME ? length : 0;
}

char **sn_frame_names(const sn_frame_source *f, int n_bodies)
{
    hid_t set = H5Dopen2(f->file, "/sinew/name", H5P_DEFAULT), type;
    if (set < 0)
        return NULL;
    size_t length = length_of_texts(set, &type);
    H5Dclose(set);
    int64_t rows = 0;
    char *texts = length > 0 ? sn_frame_values(f, "/sinew/name", type, length, 0, &rows) : NULL;
    H5Tclose(type);
    bool good = texts && rows == n_bodies && are_visible(texts, rows, length);
    char **name = good ? take_names(texts, n_bodies, length) : NULL;
    sn_free(texts);
    return name;
}

bool sn_frame_are_ends(const int64_t *first, int64_t count, int64_t n, int64_t end)
{
    if (!first || count != n + 1 || first[0] != 0 || first[n] != end)
        return false;
    for (int64_t i = 0; i < n; i++)
        if (first[i] > first[i + 1])
            return false;
    return true;
}
