#include "shot/output/cells.h"

#include "base/array.h"
#include "base/narrow.h"
#include "base/timer.h"
#include "octree/positions.h"
#include "partition/numbers.h"

#include <string.h>

enum { VTK_HEXAHEDRON = 12, CORNERS = SN_CORNERS };

static const int VECTOR_FIELDS = 1 << SN_FIELD_DISPLACEMENT | 1 << SN_FIELD_VELOCITY;

void sn_cells_create(const sn_octree *tree, const sn_leaves *element, sn_cells *cells)
{
    *cells = (sn_cells){.number = SN_NEW(int64_t, tree->n_elements),
                        .element = element,
                        .points = sn_cell_points_create(tree, element)};
    cells->n_everywhere =
        sn_number_along_curve(tree->comm, element->key, (size_t)tree->n_elements, cells->number);
}

void sn_cells_free(sn_cells *cells)
{
    sn_free(cells->number);
    sn_cell_points_free(&cells->points);
    *cells = (sn_cells){0};
}

/* ---- Topology ---- */

/* VTK wants corners and offsets to be of one type; the narrow one makes files much smaller. */
static hid_t index_type(int64_t cells)
{
    return CORNERS * cells <= INT32_MAX ? H5T_NATIVE_INT32 : H5T_NATIVE_INT64;
}

static void put_index(size_t bytes, int64_t index, void *values, size_t at)
{
    if (bytes == sizeof(int32_t))
        ((int32_t *)values)[at] = (int32_t)index;
    else
        ((int64_t *)values)[at] = index;
}

static void fill_corners(const sn_cells *cells, const sn_octree *tree, size_t bytes, void *corners)
{
    enum { BLOCK = 1024 };
    size_t n = (size_t)tree->n_elements;
#pragma omp parallel for
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t count = n - first < BLOCK ? n - first : BLOCK;
        int64_t point[BLOCK][CORNERS];
        sn_cell_points_at_corners(&cells->points, tree, cells->element, first, count, point);
        for (size_t i = 0; i < count; i++)
            for (size_t c = 0; c < CORNERS; c++)
                put_index(bytes, point[i][SN_VTK_CORNER[c]], corners, (first + i) * CORNERS + c);
    }
}

static void write_corners(sn_h5_file *file, const sn_cells *cells, const sn_octree *tree)
{
    size_t n = (size_t)tree->n_elements;
    sn_scattered_rows rows = {cells->n_everywhere, CORNERS, n, cells->number};
    hid_t type = index_type(cells->n_everywhere);
    size_t bytes = H5Tget_size(type);
    char *corners = SN_NEW(char, CORNERS *n *bytes);
    fill_corners(cells, tree, bytes, corners);
    file->hurried = true;
    sn_h5_scattered(file, "/VTKHDF/Connectivity", type, 0, &rows, corners);
    file->hurried = false;
    sn_free(corners);
}

/* What follows from the number of cells alone. */
static void write_shapes(sn_h5_file *file, int64_t cells)
{
    sn_slab slab = sn_h5_slab(file->comm, cells + 1);
    hid_t index = index_type(cells);
    size_t bytes = H5Tget_size(index);
    char *offset = SN_NEW(char, (size_t)slab.n *bytes);
    for (int64_t i = 0; i < slab.n; i++)
        put_index(bytes, CORNERS * (slab.first + i), offset, (size_t)i);
    sn_h5_array(file, "/VTKHDF/Offsets", index, cells + 1, 0, slab, offset);
    sn_free(offset);

    slab = sn_h5_slab(file->comm, cells);
    uint8_t *type = SN_NEW(uint8_t, slab.n);
    for (int64_t i = 0; i < slab.n; i++)
        type[i] = VTK_HEXAHEDRON;
    sn_h5_array(file, "/VTKHDF/Types", H5T_NATIVE_UINT8, cells, 0, slab, type);
    sn_free(type);
}

/* ---- Points ---- */

static double *displacement_of_nodes(const sn_octree *tree, const double *x)
{
    size_t n = (size_t)tree->n_nodes + (size_t)tree->n_ghost_nodes;
    double *moved = SN_NEW(double, 3 * n);
    sn_octree_node_positions(tree, (double(*)[3])moved);
#pragma omp parallel for
    for (size_t i = 0; i < 3 * n; i++)
        moved[i] = x[i] - moved[i];
    return moved;
}

static void write_vectors(sn_h5_file *file, const sn_scattered_rows *rows, sn_field_kind kind,
                          float (*values)[3])
{
    sn_field_values field = {.kinds = 1 << kind, .displacement = values, .velocity = values};
    sn_frame_array array[SN_MOST_FIELD_ARRAYS];
    sn_field_arrays(&field, array);
    sn_vtkhdf_array(file, "PointData", array, rows);
}

/* One after another, because these are the largest arrays of all. */
static void write_points(sn_h5_file *file, const sn_cell_points *points, const sn_shot *shot,
                         int kinds)
{
    const sn_octree *tree = &shot->model.forest.level[0];
    size_t n = points->n_nodes + points->n_hanging;
    sn_scattered_rows rows = {points->n_everywhere, 1, n, points->number};
    float(*values)[3] = SN_NEW(float[3], n);
    sn_cell_points_evaluate(points, shot->state.nodes.x, values);
    file->hurried = true;
    sn_h5_scattered(file, "/VTKHDF/Points", H5T_NATIVE_FLOAT, 3, &rows, values);
    file->hurried = false;
    if (sn_has_field(kinds, SN_FIELD_DISPLACEMENT)) {
        double *moved = displacement_of_nodes(tree, shot->state.nodes.x);
        sn_cell_points_evaluate(points, moved, values);
        sn_free(moved);
        write_vectors(file, &rows, SN_FIELD_DISPLACEMENT, values);
    }
    if (sn_has_field(kinds, SN_FIELD_VELOCITY)) {
        sn_cell_points_evaluate(points, shot->state.nodes.v, values);
        write_vectors(file, &rows, SN_FIELD_VELOCITY, values);
    }
    sn_free(values);
}

/* ---- Cells ---- */

/* Every cell has what presses hardest on a vertex in it. */
static void fill_contact_pressure(const sn_embedding *embedding, const double *press,
                                  size_t n_cells, float *pressure)
{
    for (size_t e = 0; e < n_cells; e++)
        pressure[e] = 0;
    for (size_t i = 0; i < embedding->n; i++) {
        float *most = &pressure[embedding->element[i]];
        *most = sn_narrow(press[i]) > *most ? sn_narrow(press[i]) : *most;
    }
}

static void write_bodies(sn_h5_file *file, const sn_cells *cells, const sn_scattered_rows *rows)
{
    int32_t *body = SN_NEW(int32_t, rows->n);
    for (size_t e = 0; e < rows->n; e++)
        body[e] = sn_key_body(cells->element->key[e]);
    sn_h5_scattered(file, "/VTKHDF/CellData/body", H5T_NATIVE_INT32, 0, rows, body);
    sn_free(body);
}

static void write_cells(sn_h5_file *file, const sn_cells *cells, const sn_shot *shot, int kinds,
                        const double *press)
{
    size_t n = (size_t)shot->model.forest.level[0].n_elements;
    sn_scattered_rows rows = {cells->n_everywhere, 1, n, cells->number};
    sn_field_values values = sn_field_values_new(kinds & ~VECTOR_FIELDS, n);
    sn_local *all = SN_NEW(sn_local, n);
    for (size_t e = 0; e < n; e++)
        all[e] = (sn_local)e;
    sn_fields_of_elements(shot, all, n, &values);
    sn_free(all);
    if (values.contact_pressure)
        fill_contact_pressure(&shot->built.embedding, press, n, values.contact_pressure);
    sn_frame_array array[SN_MOST_FIELD_ARRAYS];
    int n_arrays = sn_field_arrays(&values, array);
    for (int i = 0; i < n_arrays; i++)
        sn_vtkhdf_array(file, "CellData", &array[i], &rows);
    sn_field_values_free(&values);
    write_bodies(file, cells, &rows);
}

/* ---- The file ---- */

/* All arrays, uncompressed: not more than with all fields. */
static int64_t raw_bytes(const sn_cells *cells, const sn_frame_about *about)
{
    int64_t at_point = 3 * 3 * (int64_t)sizeof(float);
    int64_t in_cell = (SN_MOST_FIELD_ARRAYS + 1) * (int64_t)sizeof(float);
    int64_t topology = (CORNERS + 1) * (int64_t)sizeof(int64_t) + 1;
    return cells->points.n_everywhere * at_point + cells->n_everywhere * (in_cell + topology) +
           (int64_t)strlen(about->scene);
}

static sn_status write_file(const sn_cells *cells, const sn_shot *shot, const char *path,
                            const sn_frame_about *about, int kinds, const double *press)
{
    sn_h5_file file;
    int64_t n = cells->n_everywhere;
    const sn_octree *tree = &shot->model.forest.level[0];
    SN_TRY(sn_h5_create(tree->comm, path, raw_bytes(cells, about), &file));
    sn_vtkhdf_head(&file, cells->points.n_everywhere, n, CORNERS * n);
    sn_vtkhdf_about(&file, about);
    write_corners(&file, cells, tree);
    write_shapes(&file, n);
    write_points(&file, &cells->points, shot, kinds);
    write_cells(&file, cells, shot, kinds, press);
    return sn_h5_finish(&file);
}

sn_status sn_cells_write(const sn_cells *cells, const sn_shot *shot, const char *path,
                         const sn_frame_about *about, int kinds, const double *press)
{
    sn_phase_begin("io/octree");
    sn_status status = write_file(cells, shot, path, about, kinds, press);
    sn_phase_end("io/octree");
    return status;
}
