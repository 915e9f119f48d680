#include "shot/cells.h"

#include "base/array.h"
#include "base/timer.h"
#include "curve/octant.h"
#include "partition/records.h"
#include "partition/sort.h"

#include <stdlib.h>
#include <string.h>

enum { VTK_HEXAHEDRON = 12, CORNERS = SN_CORNERS };

static const int VECTOR_FIELDS = 1 << SN_FIELD_DISPLACEMENT | 1 << SN_FIELD_VELOCITY;

/* VTK goes around the faces; here a corner's bits are its coordinates. */
static const int VTK_CORNER[CORNERS] = {0, 1, 3, 2, 4, 5, 7, 6};

/* ---- Numbers along the whole curve ---- */

typedef struct {
    sn_key key;
    int64_t local;
} question;

typedef struct {
    int64_t local, number;
} answer;

static int compare_keys(const void *a, const void *b)
{
    sn_key x = *(const sn_key *)a, y = *(const sn_key *)b;
    return (x > y) - (x < y);
}

static int64_t count_before(MPI_Comm comm, size_t n)
{
    int64_t mine = (int64_t)n, before = 0;
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Exscan(&mine, &before, 1, MPI_INT64_T, MPI_SUM, comm);
    return rank == 0 ? 0 : before;
}

static sn_inbox ask(MPI_Comm comm, const sn_owners *owners, const sn_key *key, size_t n)
{
    question *mine = SN_NEW(question, n);
    int *destination = SN_NEW(int, n);
    for (size_t i = 0; i < n; i++) {
        mine[i] = (question){key[i], (int64_t)i};
        destination[i] = sn_owner_of(owners, key[i]);
    }
    sn_inbox inbox = sn_records_send(comm, sizeof *mine, mine, destination, n);
    sn_free(mine);
    sn_free(destination);
    return inbox;
}

/* `sorted` are the keys that this rank knows the numbers of. */
static sn_inbox reply(MPI_Comm comm, const sn_inbox *asked, const sn_key *sorted, size_t n,
                      int64_t first)
{
    const question *q = asked->data;
    answer *mine = SN_NEW(answer, asked->n);
    int *destination = SN_NEW(int, asked->n);
    for (int s = 0; s < asked->sources; s++)
        for (size_t i = asked->first[s]; i < asked->first[s + 1]; i++) {
            const sn_key *at = bsearch(&q[i].key, sorted, n, sizeof *sorted, compare_keys);
            mine[i] = (answer){q[i].local, first + (at - sorted)};
            destination[i] = asked->source[s];
        }
    sn_inbox inbox = sn_records_send(comm, sizeof *mine, mine, destination, asked->n);
    sn_free(mine);
    sn_free(destination);
    return inbox;
}

static void number_elements(MPI_Comm comm, const sn_key *key, size_t n, int64_t *number)
{
    sn_owners owners;
    size_t n_sorted = n;
    sn_key *sorted = SN_NEW(sn_key, n);
    if (n > 0)
        memcpy(sorted, key, n * sizeof *key);
    sorted = sn_sort_along_curve(comm, sorted, &n_sorted, &owners);
    sn_inbox asked = ask(comm, &owners, key, n);
    sn_inbox replied = reply(comm, &asked, sorted, n_sorted, count_before(comm, n_sorted));
    const answer *a = replied.data;
    for (size_t i = 0; i < replied.n; i++)
        number[a[i].local] = a[i].number;
    sn_inbox_free(&asked);
    sn_inbox_free(&replied);
    sn_owners_free(&owners);
    sn_free(sorted);
}

void sn_cells_create(const sn_octree *tree, const sn_leaves *element, sn_cells *cells)
{
    *cells = (sn_cells){.n_everywhere = tree->n_elements,
                        .number = SN_NEW(int64_t, tree->n_elements),
                        .element = element};
    MPI_Allreduce(MPI_IN_PLACE, &cells->n_everywhere, 1, MPI_INT64_T, MPI_SUM, tree->comm);
    number_elements(tree->comm, element->key, (size_t)tree->n_elements, cells->number);
}

void sn_cells_free(sn_cells *cells)
{
    sn_free(cells->number);
    *cells = (sn_cells){0};
}

/* ---- Topology ---- */

/* What follows from the number of cells alone. */
static void write_topology(sn_h5_file *file, int64_t cells)
{
    sn_slab slab = sn_h5_slab(file->comm, CORNERS * cells);
    int64_t *corner = SN_NEW(int64_t, slab.n);
    for (int64_t i = 0; i < slab.n; i++) {
        int64_t at = slab.first + i;
        corner[i] = at / CORNERS * CORNERS + VTK_CORNER[at % CORNERS];
    }
    sn_h5_array(file, "/VTKHDF/Connectivity", H5T_NATIVE_INT64, CORNERS * cells, 0, slab, corner);
    sn_free(corner);

    slab = sn_h5_slab(file->comm, cells + 1);
    int64_t *offset = SN_NEW(int64_t, slab.n);
    for (int64_t i = 0; i < slab.n; i++)
        offset[i] = CORNERS * (slab.first + i);
    sn_h5_array(file, "/VTKHDF/Offsets", H5T_NATIVE_INT64, cells + 1, 0, slab, offset);
    sn_free(offset);

    slab = sn_h5_slab(file->comm, cells);
    uint8_t *type = SN_NEW(uint8_t, slab.n);
    for (int64_t i = 0; i < slab.n; i++)
        type[i] = VTK_HEXAHEDRON;
    sn_h5_array(file, "/VTKHDF/Types", H5T_NATIVE_UINT8, cells, 0, slab, type);
    sn_free(type);
}

/* ---- Points ---- */

typedef float corner_values[CORNERS][3];

static void rest_corners(const sn_body *body, sn_key key, int height, double corner[CORNERS][3])
{
    uint32_t anchor[3];
    sn_morton_decode(key, anchor);
    for (int c = 0; c < CORNERS; c++)
        for (int d = 0; d < 3; d++)
            corner[c][d] =
                body->origin[d] + body->cell * (anchor[d] + (c >> d & 1) * (double)sn_edge(height));
}

/* A field of the nodes at the cells' corners, or what it is there beyond the place at rest. */
static void fill_corners(const sn_cells *cells, const sn_octree *tree, const double *field,
                         bool from_rest, corner_values *values)
{
#pragma omp parallel for
    for (sn_local e = 0; e < tree->n_elements; e++) {
        sn_key key = cells->element->key[e];
        int height = cells->element->height[e];
        double at[CORNERS][3], rest[CORNERS][3] = {{0}};
        sn_element_corners(tree, e, sn_key_child(key, height), field, at);
        if (from_rest)
            rest_corners(&tree->bodies->body[sn_key_body(key)], key, height, rest);
        for (int c = 0; c < CORNERS; c++)
            for (int d = 0; d < 3; d++)
                values[e][c][d] = (float)(at[c][d] - rest[c][d]);
    }
}

static void write_vectors(sn_h5_file *file, const sn_scattered_rows *corners, sn_field_kind kind,
                          corner_values *values)
{
    sn_field_values field = {
        .kinds = 1 << kind, .displacement = (float(*)[3])values, .velocity = (float(*)[3])values};
    sn_frame_array array[SN_MOST_FIELD_ARRAYS];
    sn_field_arrays(&field, array);
    sn_vtkhdf_array(file, "PointData", array, corners);
}

/* One after another, because these are the largest arrays of all. */
static void write_points(sn_h5_file *file, const sn_cells *cells, const sn_shot *shot, int kinds)
{
    const sn_octree *tree = &shot->model.forest.level[0];
    size_t n = (size_t)tree->n_elements;
    sn_scattered_rows corners = {cells->n_everywhere, CORNERS, n, cells->number};
    corner_values *values = SN_NEW(corner_values, n);
    fill_corners(cells, tree, shot->stepper.x, false, values);
    sn_h5_scattered(file, "/VTKHDF/Points", H5T_NATIVE_FLOAT, 3, &corners, values);
    if (sn_has_field(kinds, SN_FIELD_DISPLACEMENT)) {
        fill_corners(cells, tree, shot->stepper.x, true, values);
        write_vectors(file, &corners, SN_FIELD_DISPLACEMENT, values);
    }
    if (sn_has_field(kinds, SN_FIELD_VELOCITY)) {
        fill_corners(cells, tree, shot->stepper.v, false, values);
        write_vectors(file, &corners, SN_FIELD_VELOCITY, values);
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
        *most = (float)press[i] > *most ? (float)press[i] : *most;
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
#pragma omp parallel for
    for (size_t e = 0; e < n; e++)
        sn_fields_of_element(shot, (sn_local)e, cells->element->key[e], cells->element->height[e],
                             &values, e);
    if (values.contact_pressure)
        fill_contact_pressure(&shot->embedding, press, n, values.contact_pressure);
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
    int64_t at_points = CORNERS * 3 * 3 * (int64_t)sizeof(float);
    int64_t in_cells = (SN_MOST_FIELD_ARRAYS + 1) * (int64_t)sizeof(float);
    int64_t topology = (CORNERS + 1) * (int64_t)sizeof(int64_t) + 1;
    return cells->n_everywhere * (at_points + in_cells + topology) + (int64_t)strlen(about->scene);
}

static sn_status write_file(const sn_cells *cells, const sn_shot *shot, const char *path,
                            const sn_frame_about *about, int kinds, const double *press)
{
    sn_h5_file file;
    int64_t corners = CORNERS * cells->n_everywhere;
    MPI_Comm comm = shot->model.forest.level[0].comm;
    SN_TRY(sn_h5_create(comm, path, raw_bytes(cells, about), &file));
    sn_vtkhdf_head(&file, corners, cells->n_everywhere, corners);
    sn_vtkhdf_about(&file, about);
    write_topology(&file, cells->n_everywhere);
    write_points(&file, cells, shot, kinds);
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
