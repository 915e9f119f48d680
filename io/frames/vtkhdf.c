#include "io/frames/vtkhdf.h"

#include "base/array.h"
#include "partition/records.h"

#include <stdio.h>
#include <string.h>

static const char UNITS[] =
    "lengths and masses in the scene's own units, times in seconds (s); all else follows";

void sn_vtkhdf_head(sn_h5_file *file, int64_t n_points, int64_t n_cells, int64_t n_corners)
{
    int64_t version[2] = {1, 0};
    sn_h5_group(file, "/VTKHDF");
    sn_h5_attribute(file, "/VTKHDF", "Version", H5T_NATIVE_INT64, 2, version);
    sn_h5_attribute_text(file, "/VTKHDF", "Type", "UnstructuredGrid");
    sn_h5_group(file, "/VTKHDF/PointData");
    sn_h5_group(file, "/VTKHDF/CellData");
    sn_h5_group(file, "/VTKHDF/FieldData");
    sn_h5_table(file, "/VTKHDF/NumberOfPoints", H5T_NATIVE_INT64, 1, &n_points);
    sn_h5_table(file, "/VTKHDF/NumberOfCells", H5T_NATIVE_INT64, 1, &n_cells);
    sn_h5_table(file, "/VTKHDF/NumberOfConnectivityIds", H5T_NATIVE_INT64, 1, &n_corners);
}

void sn_vtkhdf_about(sn_h5_file *file, const sn_frame_about *about)
{
    int64_t frame = about->frame;
    sn_h5_group(file, "/sinew");
    sn_h5_attribute(file, "/sinew", "frame", H5T_NATIVE_INT64, 1, &frame);
    sn_h5_attribute(file, "/sinew", "time", H5T_NATIVE_DOUBLE, 1, &about->time);
    sn_h5_attribute(file, "/sinew", "fps", H5T_NATIVE_DOUBLE, 1, &about->fps);
    sn_h5_attribute_text(file, "/sinew", "version", SINEW_VERSION);
    sn_h5_attribute_text(file, "/sinew", "units", UNITS);
    sn_h5_attribute_long_text(file, "/sinew", "scene", about->scene);
}

/* A record is the block's number and its bytes. */
static sn_inbox send_blocks(MPI_Comm comm, const sn_scattered_rows *rows, size_t bytes,
                            const char *values)
{
    size_t record = sizeof *rows->number + bytes;
    char *mine = SN_NEW(char, rows->n *record);
    int *destination = SN_NEW(int, rows->n);
#pragma omp parallel for
    for (size_t i = 0; i < rows->n; i++) {
        memcpy(mine + i * record, &rows->number[i], sizeof *rows->number);
        memcpy(mine + i * record + sizeof *rows->number, values + i * bytes, bytes);
        destination[i] = sn_h5_slab_rank(comm, rows->blocks, rows->number[i]);
    }
    sn_inbox inbox = sn_records_send(comm, record, mine, destination, rows->n);
    sn_free(mine);
    sn_free(destination);
    return inbox;
}

/* The blocks of this rank's slab, in order. */
static char *gather_slab(MPI_Comm comm, const sn_scattered_rows *rows, sn_slab slab, size_t bytes,
                         const char *values)
{
    sn_inbox inbox = send_blocks(comm, rows, bytes, values);
    char *mine = SN_NEW(char, (size_t)slab.n *bytes);
    for (size_t i = 0; i < inbox.n; i++) {
        const char *record = (const char *)inbox.data + i * (sizeof *rows->number + bytes);
        int64_t at;
        memcpy(&at, record, sizeof at);
        memcpy(mine + (size_t)(at - slab.first) * bytes, record + sizeof at, bytes);
    }
    sn_inbox_free(&inbox);
    return mine;
}

/* Whether every rank has the blocks of its slab in order, so that nothing need be sent. */
static bool are_in_place(MPI_Comm comm, const sn_scattered_rows *rows, sn_slab slab)
{
    int in_place = (int64_t)rows->n == slab.n;
    for (size_t i = 0; i < rows->n && in_place; i++)
        in_place = rows->number[i] == slab.first + (int64_t)i;
    MPI_Allreduce(MPI_IN_PLACE, &in_place, 1, MPI_INT, MPI_MIN, comm);
    return in_place;
}

void sn_h5_scattered(sn_h5_file *file, const char *name, hid_t type, int columns,
                     const sn_scattered_rows *rows, const void *values)
{
    size_t bytes = H5Tget_size(type) * (columns > 0 ? (size_t)columns : 1) * (size_t)rows->rows;
    sn_slab slab = sn_h5_slab(file->comm, rows->blocks);
    bool in_place = are_in_place(file->comm, rows, slab);
    char *mine = in_place ? NULL : gather_slab(file->comm, rows, slab, bytes, values);
    sn_slab of_rows = {slab.first * rows->rows, slab.n * rows->rows};
    sn_h5_array(file, name, type, rows->blocks * rows->rows, columns, of_rows,
                in_place ? values : mine);
    sn_free(mine);
}

void sn_vtkhdf_array(sn_h5_file *file, const char *group, const sn_frame_array *array,
                     const sn_scattered_rows *rows)
{
    char name[64];
    snprintf(name, sizeof name, "/VTKHDF/%s/%s", group, array->name);
    file->hurried = array->hurried;
    sn_h5_scattered(file, name, array->type, array->columns, rows, array->values);
    file->hurried = false;
    sn_h5_attribute_text(file, name, "units", array->units);
}

int64_t sn_frame_arrays_bytes(const sn_frame_array *arrays, int n, int64_t rows)
{
    int64_t bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += rows * (arrays[i].columns > 0 ? arrays[i].columns : 1) *
                 (int64_t)H5Tget_size(arrays[i].type);
    return bytes;
}
