/* All cells of a small grid around a mesh, each with its triangles and its parts, and voxels that
 * are flooded to tell the same. Header only, for tests of one rank. */
#ifndef SN_TESTS_CELLS_H
#define SN_TESTS_CELLS_H

#include "curve/morton.h"
#include "helpers/check.h"
#include "mesh/overlap.h"
#include "mesh/parts/cell_parts.h"

#include <math.h>
#include <string.h>

enum { GRID = 4, GRID_CELLS = GRID * GRID * GRID, VOXELS = 64 };

typedef struct {
    int32_t at[3];
    SN_VECTOR(int32_t) triangle;
    sn_cell_parts parts;
    bool needed;
} test_cell;

typedef struct {
    sn_mesh mesh;
    void *winding;
    sn_parts_body body;
    test_cell cell[GRID_CELLS];
} test_grid;

static inline void list_triangle(test_grid *g, int64_t t)
{
    const int32_t cells[3] = {GRID, GRID, GRID};
    sn_grid_triangle snapped;
    sn_keys keys = {0};
    for (int c = 0; c < 3; c++)
        sn_grid_snap(g->mesh.vertex[g->mesh.triangle[t][c]], g->body.origin, g->body.cell,
                     snapped.p[c]);
    sn_triangle_rasterise(&snapped, cells, &keys);
    for (size_t i = 0; i < keys.count; i++) {
        uint32_t xyz[3];
        sn_morton_decode(keys.data[i], xyz);
        test_cell *cell = &g->cell[xyz[0] + GRID * (xyz[1] + GRID * xyz[2])];
        sn_push(&cell->triangle, (int32_t)t);
        cell->needed =
            cell->needed || sn_triangle_needs_cell(&snapped, cell->at, cells, g->body.sense);
    }
    sn_vector_free(&keys);
}

static inline void *copy_of(const void *array, size_t bytes)
{
    return bytes ? memcpy(SN_NEW(char, bytes), array, bytes) : NULL;
}

static inline int32_t joints_before(const sn_cell_parts *p, int face)
{
    int32_t n = 0;
    for (int f = 0; f < face; f++)
        n += p->n_joints[f];
    return n;
}

/* Which faces are open does not depend on which of them are asked for. */
static inline void check_faces(const test_grid *g, const test_cell *cell, sn_parts_work *work,
                               uint8_t open)
{
    for (int f = 0; f < SN_CELL_FACES; f++) {
        sn_cell_parts p = sn_cell_parts_find(work, &g->body, cell->at, cell->triangle.data,
                                             (int32_t)cell->triangle.count, (uint8_t)(1 << f));
        CHECK(p.plain && p.open == (open | (SN_ALL_FACES & ~(1 << f))), "a face is open if asked");
    }
}

/* The parts of a cell; arrays are copies. */
static inline void find_cell(test_grid *g, test_cell *cell, sn_parts_work *work)
{
    int32_t n = (int32_t)cell->triangle.count;
    sn_cell_parts p = sn_cell_parts_find(work, &g->body, cell->at, cell->triangle.data, n, 0);
    bool plain = p.plain;
    p = sn_cell_parts_find(work, &g->body, cell->at, cell->triangle.data, n, SN_ALL_FACES);
    CHECK(plain == p.plain, "a cell is plain or not by what is asked");
    if (p.plain) {
        check_faces(g, cell, work, p.open);
    } else {
        p.part = copy_of(p.part, (size_t)n * sizeof *p.part);
        p.measure = copy_of(p.measure, (size_t)p.n_parts * sizeof *p.measure);
        p.joint = copy_of(p.joint, (size_t)joints_before(&p, SN_CELL_FACES) * sizeof *p.joint);
    }
    cell->parts = p;
}

/* Takes the mesh over. The grid has GRID cells of edge 1 along each axis, from `origin` on. */
static inline test_grid *test_grid_of(sn_mesh mesh, const double origin[3])
{
    test_grid *g = SN_NEW_ZERO(test_grid, 1);
    g->mesh = mesh;
    g->winding = SN_NEW(char, sn_winding_tree_bytes(mesh.n_triangles));
    sn_winding_tree_build(&g->mesh, g->winding);
    g->body = (sn_parts_body){.mesh = &g->mesh, .winding = g->winding, .cell = 1};
    memcpy(g->body.origin, origin, sizeof g->body.origin);
    g->body.sense = sn_mesh_volume(&mesh) < 0 ? -1 : 1;
    for (int i = 0; i < GRID_CELLS; i++)
        memcpy(g->cell[i].at, (int32_t[3]){i % GRID, i / GRID % GRID, i / GRID / GRID},
               sizeof g->cell[i].at);
    for (int64_t t = 0; t < mesh.n_triangles; t++)
        list_triangle(g, t);
    sn_parts_work *work = sn_parts_work_create();
    for (int i = 0; i < GRID_CELLS; i++)
        find_cell(g, &g->cell[i], work);
    sn_parts_work_free(work);
    return g;
}

static inline void test_grid_free(test_grid *g)
{
    for (int i = 0; i < GRID_CELLS; i++) {
        sn_vector_free(&g->cell[i].triangle);
        if (!g->cell[i].parts.plain) {
            sn_free((void *)g->cell[i].parts.part);
            sn_free((void *)g->cell[i].parts.measure);
            sn_free((void *)g->cell[i].parts.joint);
        }
    }
    sn_mesh_free(&g->mesh);
    sn_free(g->winding);
    sn_free(g);
}

/* ---- Voxels ---- */

/* Of one cell: a winding number for each, or after flooding its part from 1 on and 0 outside. */
typedef struct {
    int8_t at[VOXELS][VOXELS][VOXELS]; /* z, y, x */
    int parts;
    double volume[SN_MOST_PARTS], moment[SN_MOST_PARTS][3];
} voxels;

/* Columns a little beside the middle, so that none passes through an edge of a simple shape. */
static const double BESIDE_X = 0.50371, BESIDE_Y = 0.49687;

static inline double turn_at(const double *a, const double *b, double x, double y)
{
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

/* Everything below a triangle is wound around once more. */
static inline void wind_column(const test_grid *g, const test_cell *cell, voxels *v, int ix, int iy)
{
    double x = g->body.origin[0] + cell->at[0] + (ix + BESIDE_X) / VOXELS;
    double y = g->body.origin[1] + cell->at[1] + (iy + BESIDE_Y) / VOXELS;
    for (int64_t t = 0; t < g->mesh.n_triangles; t++) {
        const double *p[3];
        double turn[3], sum = 0, z = 0;
        for (int c = 0; c < 3; c++)
            p[c] = g->mesh.vertex[g->mesh.triangle[t][c]];
        for (int c = 0; c < 3; c++)
            sum += turn[c] = turn_at(p[(c + 1) % 3], p[(c + 2) % 3], x, y);
        if (!((turn[0] > 0 && turn[1] > 0 && turn[2] > 0) ||
              (turn[0] < 0 && turn[1] < 0 && turn[2] < 0)))
            continue;
        for (int c = 0; c < 3; c++)
            z += turn[c] / sum * p[c][2];
        double top = (z - g->body.origin[2] - cell->at[2]) * VOXELS - 0.5;
        for (int iz = 0; iz < VOXELS && iz < top; iz++)
            v->at[iz][iy][ix] = (int8_t)(v->at[iz][iy][ix] + (sum > 0 ? 1 : -1));
    }
}

typedef struct {
    int x, y, z;
} voxel;

static inline void flood(voxels *v, voxel from, int8_t part)
{
    SN_VECTOR(voxel) todo = {0};
    sn_push(&todo, from);
    v->at[from.z][from.y][from.x] = part;
    while (todo.count > 0) {
        voxel a = todo.data[--todo.count];
        v->volume[part]++;
        v->moment[part][0] += a.x + 0.5;
        v->moment[part][1] += a.y + 0.5;
        v->moment[part][2] += a.z + 0.5;
        for (int way = 0; way < 6; way++) {
            int step = way & 1 ? 1 : -1;
            voxel b = {a.x + (way / 2 == 0) * step, a.y + (way / 2 == 1) * step,
                       a.z + (way / 2 == 2) * step};
            if (b.x < 0 || b.y < 0 || b.z < 0 || b.x >= VOXELS || b.y >= VOXELS || b.z >= VOXELS ||
                v->at[b.z][b.y][b.x] != -1)
                continue;
            v->at[b.z][b.y][b.x] = part;
            sn_push(&todo, b);
        }
    }
    sn_vector_free(&todo);
}

static inline voxels *voxels_of(const test_grid *g, const test_cell *cell)
{
    voxels *v = SN_NEW_ZERO(voxels, 1);
    for (int i = 0; i < VOXELS * VOXELS; i++)
        wind_column(g, cell, v, i % VOXELS, i / VOXELS);
    int8_t *at = &v->at[0][0][0];
    for (int i = 0; i < VOXELS * VOXELS * VOXELS; i++)
        at[i] = at[i] ? -1 : 0;
    for (int i = 0; i < VOXELS * VOXELS * VOXELS; i++)
        if (at[i] == -1 && v->parts < 100)
            flood(v, (voxel){i % VOXELS, i / VOXELS % VOXELS, i / VOXELS / VOXELS},
                  (int8_t)++v->parts);
    return v;
}

#endif
