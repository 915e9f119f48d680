#include "shot/cells.h"

#include "base/array.h"
#include "base/timer.h"
#include "curve/octant.h"
#include "elastic/reference.h"
#include "partition/records.h"
#include "partition/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VTK_HEXAHEDRON = 12, CORNERS = 8 };

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

void sn_cells_create(const sn_octree *tree, sn_cells *cells)
{
    *cells = (sn_cells){.n_everywhere = tree->n_elements,
                        .number = SN_NEW(int64_t, tree->n_elements),
                        .element = sn_octree_elements(tree)};
    MPI_Allreduce(MPI_IN_PLACE, &cells->n_everywhere, 1, MPI_INT64_T, MPI_SUM, tree->comm);
    number_elements(tree->comm, cells->element.key, (size_t)tree->n_elements, cells->number);
}

void sn_cells_free(sn_cells *cells)
{
    sn_free(cells->number);
    sn_leaves_free(&cells->element);
    *cells = (sn_cells){0};
}

/* ---- Fields ---- */

typedef struct {
    float (*point)[CORNERS][3], (*displacement)[CORNERS][3], (*velocity)[CORNERS][3];
    float *det_f, *von_mises, *pressure, *young, *poisson;
    int32_t *body, *owner;
} cell_fields;

static cell_fields new_fields(size_t n)
{
    return (cell_fields){.point = SN_NEW(float[CORNERS][3], n),
                         .displacement = SN_NEW(float[CORNERS][3], n),
                         .velocity = SN_NEW(float[CORNERS][3], n),
                         .det_f = SN_NEW(float, n),
                         .von_mises = SN_NEW(float, n),
                         .pressure = SN_NEW(float, n),
                         .young = SN_NEW(float, n),
                         .poisson = SN_NEW(float, n),
                         .body = SN_NEW(int32_t, n),
                         .owner = SN_NEW(int32_t, n)};
}

static void free_fields(cell_fields *f)
{
    sn_free(f->point);
    sn_free(f->displacement);
    sn_free(f->velocity);
    sn_free(f->det_f);
    sn_free(f->von_mises);
    sn_free(f->pressure);
    sn_free(f->young);
    sn_free(f->poisson);
    sn_free(f->body);
    sn_free(f->owner);
}

/* The values at an element's corners, of which some may hang. */
static void at_corners(const sn_octree *tree, sn_local e, int child, const double *field,
                       double corner[CORNERS][3])
{
    double w[8][8], conforming[8][3];
    for (int c = 0; c < CORNERS; c++)
        memcpy(conforming[c], field + 3 * (size_t)tree->conforming[e][c], sizeof conforming[c]);
    sn_reference_weights(child, tree->hanging[e], w);
    sn_reference_gather(w, conforming, corner);
}

static void rest_corners(const sn_body *body, sn_key key, int height, double corner[CORNERS][3])
{
    uint32_t anchor[3];
    sn_morton_decode(key, anchor);
    for (int c = 0; c < CORNERS; c++)
        for (int d = 0; d < 3; d++)
            corner[c][d] =
                body->origin[d] + body->cell * (anchor[d] + (c >> d & 1) * (double)sn_edge(height));
}

static double determinant(double f[3][3])
{
    return f[0][0] * (f[1][1] * f[2][2] - f[1][2] * f[2][1]) -
           f[0][1] * (f[1][0] * f[2][2] - f[1][2] * f[2][0]) +
           f[0][2] * (f[1][0] * f[2][1] - f[1][1] * f[2][0]);
}

/* Kirchhoff's stress P F^T, with P of law.h. */
static void stress_of(const sn_reference_cell *cell, double f[3][3], double stress[3][3])
{
    sn_reference_state state;
    double p[3][3], stretch = -3;
    sn_reference_linearise(cell, f, true, &state);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            stretch += state.rotation[i][j] * f[i][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            p[i][j] = 2 * cell->mu * (f[i][j] - state.rotation[i][j]) +
                      cell->lambda * stretch * state.rotation[i][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            stress[i][j] = p[i][0] * f[j][0] + p[i][1] * f[j][1] + p[i][2] * f[j][2];
}

static double von_mises_of(double stress[3][3])
{
    double mean = (stress[0][0] + stress[1][1] + stress[2][2]) / 3, sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double deviator = stress[i][j] - (i == j ? mean : 0);
            sum += deviator * deviator;
        }
    return sqrt(1.5 * sum);
}

static void fill_stress(const sn_shot *shot, sn_local e, double edge, double x[CORNERS][3],
                        cell_fields *f)
{
    sn_reference_cell cell = {edge, shot->materials.mu[e], shot->materials.lambda[e]};
    double gradient[3][3], stress[3][3];
    sn_reference_gradient(edge, x, gradient);
    stress_of(&cell, gradient, stress);
    f->det_f[e] = (float)determinant(gradient);
    f->von_mises[e] = (float)von_mises_of(stress);
    f->pressure[e] = (float)(-(stress[0][0] + stress[1][1] + stress[2][2]) / 3);
}

static void fill_cell(const sn_cells *cells, const sn_shot *shot, sn_local e, cell_fields *f)
{
    const sn_octree *tree = &shot->model.forest.level[0];
    sn_key key = cells->element.key[e];
    int height = cells->element.height[e], child = sn_key_child(key, height);
    const sn_body *body = &tree->bodies->body[sn_key_body(key)];
    double x[CORNERS][3], v[CORNERS][3], rest[CORNERS][3];
    at_corners(tree, e, child, shot->stepper.x, x);
    at_corners(tree, e, child, shot->stepper.v, v);
    rest_corners(body, key, height, rest);
    for (int c = 0; c < CORNERS; c++)
        for (int d = 0; d < 3; d++) {
            f->point[e][c][d] = (float)x[c][d];
            f->displacement[e][c][d] = (float)(x[c][d] - rest[c][d]);
            f->velocity[e][c][d] = (float)v[c][d];
        }
    fill_stress(shot, e, body->cell * sn_edge(height), x, f);
    f->young[e] = (float)shot->materials.young[e];
    f->poisson[e] = (float)shot->materials.poisson[e];
    f->body[e] = sn_key_body(key);
}

static void fill_fields(const sn_cells *cells, sn_shot *shot, cell_fields *f)
{
    sn_octree *tree = &shot->model.forest.level[0];
    int rank;
    MPI_Comm_rank(tree->comm, &rank);
    double *fields[] = {shot->stepper.x, shot->stepper.v};
    for (int i = 0; i < 2; i++) {
        sn_exchange_begin(&tree->exchange, fields[i], 3 * sizeof(double));
        sn_exchange_end(&tree->exchange);
    }
#pragma omp parallel for
    for (sn_local e = 0; e < tree->n_elements; e++) {
        fill_cell(cells, shot, e, f);
        f->owner[e] = rank;
    }
}

/* ---- Writing ---- */

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

static void write_points(sn_h5_file *file, const sn_cells *cells, size_t n, const cell_fields *f)
{
    int64_t rows = CORNERS * cells->n_everywhere, *row = SN_NEW(int64_t, CORNERS * n);
    for (size_t i = 0; i < CORNERS * n; i++)
        row[i] = CORNERS * cells->number[i / CORNERS] + (int64_t)(i % CORNERS);
    const struct {
        const char *name;
        const void *values;
    } field[] = {{"/VTKHDF/Points", f->point},
                 {"/VTKHDF/PointData/displacement", f->displacement},
                 {"/VTKHDF/PointData/velocity", f->velocity}};
    for (size_t i = 0; i < sizeof field / sizeof *field; i++)
        sn_h5_scattered(file, field[i].name, H5T_NATIVE_FLOAT, rows, 3, CORNERS * n, row,
                        field[i].values);
    sn_free(row);
}

static void write_cells(sn_h5_file *file, const sn_cells *cells, size_t n, const cell_fields *f)
{
    const struct {
        const char *name;
        hid_t type;
        const void *values;
    } field[] = {{"/VTKHDF/CellData/det_f", H5T_NATIVE_FLOAT, f->det_f},
                 {"/VTKHDF/CellData/von_mises", H5T_NATIVE_FLOAT, f->von_mises},
                 {"/VTKHDF/CellData/pressure", H5T_NATIVE_FLOAT, f->pressure},
                 {"/VTKHDF/CellData/young", H5T_NATIVE_FLOAT, f->young},
                 {"/VTKHDF/CellData/poisson", H5T_NATIVE_FLOAT, f->poisson},
                 {"/VTKHDF/CellData/body", H5T_NATIVE_INT32, f->body},
                 {"/VTKHDF/CellData/owner", H5T_NATIVE_INT32, f->owner}};
    for (size_t i = 0; i < sizeof field / sizeof *field; i++)
        sn_h5_scattered(file, field[i].name, field[i].type, cells->n_everywhere, 0, n,
                        cells->number, field[i].values);
}

/* All arrays of a cell, uncompressed. */
static int64_t raw_bytes(const sn_cells *cells, const sn_frame_about *about)
{
    int64_t at_points = CORNERS * 3 * 3 * (int64_t)sizeof(float), in_cells = 7 * sizeof(float);
    int64_t topology = (CORNERS + 1) * (int64_t)sizeof(int64_t) + 1;
    return cells->n_everywhere * (at_points + in_cells + topology) + (int64_t)strlen(about->scene);
}

static sn_status write_file(const sn_cells *cells, const cell_fields *fields, MPI_Comm comm,
                            size_t n, const char *path, const sn_frame_about *about)
{
    sn_h5_file file;
    int64_t corners = CORNERS * cells->n_everywhere;
    SN_TRY(sn_h5_create(comm, path, raw_bytes(cells, about), &file));
    sn_vtkhdf_head(&file, corners, cells->n_everywhere, corners);
    sn_vtkhdf_about(&file, about);
    write_topology(&file, cells->n_everywhere);
    write_points(&file, cells, n, fields);
    write_cells(&file, cells, n, fields);
    return sn_h5_finish(&file);
}

sn_status sn_cells_write(const sn_cells *cells, sn_shot *shot, const char *path,
                         const sn_frame_about *about)
{
    const sn_octree *tree = &shot->model.forest.level[0];
    sn_phase_begin("io/octree");
    cell_fields fields = new_fields((size_t)tree->n_elements);
    fill_fields(cells, shot, &fields);
    sn_status status =
        write_file(cells, &fields, tree->comm, (size_t)tree->n_elements, path, about);
    free_fields(&fields);
    sn_phase_end("io/octree");
    return status;
}
