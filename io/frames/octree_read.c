#include "io/frames/octree_read.h"

#include "base/array.h"
#include "io/frames/files.h"
#include "io/hdf5/read.h"
#include "io/text/whole_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096, VTK_HEXAHEDRON = 12 };

static sn_status read_arrays(sn_h5_source *source, sn_octree_frame *out, uint8_t **type)
{
    int64_t corners = 0;
    SN_TRY(sn_h5_read_rows(source, "/VTKHDF/Types", 0, &out->n_cells));
    SN_TRY(sn_h5_read_rows(source, "/VTKHDF/Points", 3, &out->n_points));
    SN_TRY(sn_h5_read_rows(source, "/VTKHDF/Connectivity", 0, &corners));
    if (corners / SN_HEXAHEDRON_CORNERS != out->n_cells || corners % SN_HEXAHEDRON_CORNERS != 0)
        return SN_FAIL(SN_BAD_INPUT, "%s: its cells are no hexahedra", source->path);
    *type = SN_NEW(uint8_t, out->n_cells + 1);
    out->point = SN_NEW(float[3], out->n_points + 1);
    out->corner = SN_NEW(int64_t[SN_HEXAHEDRON_CORNERS], out->n_cells + 1);
    SN_TRY(sn_h5_read_array(source, "/VTKHDF/Types", H5T_NATIVE_UINT8, 0,
                            (sn_slab){0, out->n_cells}, *type));
    SN_TRY(sn_h5_read_array(source, "/VTKHDF/Points", H5T_NATIVE_FLOAT, 3,
                            (sn_slab){0, out->n_points}, out->point));
    return sn_h5_read_array(source, "/VTKHDF/Connectivity", H5T_NATIVE_INT64, 0,
                            (sn_slab){0, corners}, out->corner);
}

static bool is_sound(const sn_octree_frame *f, const uint8_t *type)
{
    for (int64_t i = 0; i < f->n_points; i++)
        for (int d = 0; d < 3; d++)
            if (!isfinite(f->point[i][d]))
                return false;
    for (int64_t i = 0; i < f->n_cells; i++)
        for (int c = 0; c < SN_HEXAHEDRON_CORNERS; c++)
            if (type[i] != VTK_HEXAHEDRON || f->corner[i][c] < 0 || f->corner[i][c] >= f->n_points)
                return false;
    return true;
}

static sn_status read_frame(sn_h5_source *source, sn_octree_frame *out)
{
    uint8_t *type = NULL;
    sn_status status = read_arrays(source, out, &type);
    if (status == SN_OK && !is_sound(out, type))
        status = SN_FAIL(SN_BAD_INPUT, "%s: not a whole frame: its cells or points are wrong",
                         source->path);
    sn_free(type);
    return status;
}

sn_status sn_octree_frame_read(const char *run_dir, int frame, sn_octree_frame *out)
{
    char path[PATH_BYTES];
    sn_h5_source source;
    *out = (sn_octree_frame){0};
    snprintf(path, sizeof path, "%s/%s", run_dir, sn_frame_file_of(SN_OCTREE_FRAMES, frame).text);
    SN_TRY(sn_whole_file_check(path));
    SN_TRY(sn_h5_open(MPI_COMM_SELF, path, &source));
    sn_status status = read_frame(&source, out);
    sn_h5_close(&source);
    if (status != SN_OK)
        sn_octree_frame_free(out);
    return status;
}

void sn_octree_frame_free(sn_octree_frame *frame)
{
    sn_free(frame->point);
    sn_free(frame->corner);
    *frame = (sn_octree_frame){0};
}
