#include "io/vtkhdf.h"

#include "base/array.h"
#include "partition/records.h"

#include <string.h>

static const char UNITS[] = "lengths in the scene's own unit, times in seconds";

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
    sn_h5_text(file, "/sinew/scene", about->scene);
}

/* A record is the row's number and its bytes. */
static sn_inbox send_rows(MPI_Comm comm, int64_t rows, size_t bytes, size_t n, const int64_t *row,
                          const char *values)
{
    size_t record = sizeof *row + bytes;
    char *mine = SN_NEW(char, n *record);
    int *destination = SN_NEW(int, n);
    for (size_t i = 0; i < n; i++) {
        memcpy(mine + i * record, &row[i], sizeof *row);
        memcpy(mine + i * record + sizeof *row, values + i * bytes, bytes);
        destination[i] = sn_h5_slab_rank(comm, rows, row[i]);
    }
    sn_inbox inbox = sn_records_send(comm, record, mine, destination, n);
    sn_free(mine);
    sn_free(destination);
    return inbox;
}

void sn_h5_scattered(sn_h5_file *file, const char *name, hid_t type, int64_t rows, int columns,
                     size_t n, const int64_t *row, const void *values)
{
    size_t bytes = H5Tget_size(type) * (columns > 0 ? (size_t)columns : 1);
    sn_slab slab = sn_h5_slab(file->comm, rows);
    sn_inbox inbox = send_rows(file->comm, rows, bytes, n, row, values);
    char *mine = SN_NEW(char, (size_t)slab.n *bytes);
    for (size_t i = 0; i < inbox.n; i++) {
        const char *record = (const char *)inbox.data + i * (sizeof *row + bytes);
        int64_t at;
        memcpy(&at, record, sizeof at);
        memcpy(mine + (size_t)(at - slab.first) * bytes, record + sizeof at, bytes);
    }
    sn_inbox_free(&inbox);
    sn_h5_array(file, name, type, rows, columns, slab, mine);
    sn_free(mine);
}
