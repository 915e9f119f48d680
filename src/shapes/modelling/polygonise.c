#include "shapes/modelling/polygonise.h"

#include "shapes/modelling/relax.h"

#include <stdbool.h>

enum {
    MARGIN = 2, /* empty cells around the box, so that the surface closes inside the grid */
    BLOCK = 8,  /* samples along an edge of the blocks that are culled at once */
};

typedef struct {
    const sn_implicit *implicit;
    double cell;
    sn_vec origin;
    int n[3];        /* samples along each axis */
    float *sample;   /* value at each grid point */
    int32_t *vertex; /* of the cube whose lowest corner is the point; -1 without one */
} grid;

static size_t point_index(const grid *g, int i, int j, int k)
{
    return (size_t)i + (size_t)g->n[0] * ((size_t)j + (size_t)g->n[1] * (size_t)k);
}

static sn_vec point_position(const grid *g, double i, double j, double k)
{
    return sn_vec_add(g->origin, sn_vec_scale((sn_vec){i, j, k}, g->cell));
}

static double value_at(const grid *g, sn_vec at)
{
    return g->implicit->value(g->implicit->shape, at);
}

/* The grid is centred on the box: a shape that is symmetric in it stays so. */
static grid grid_around(const sn_implicit *implicit, double cell)
{
    grid g = {.implicit = implicit, .cell = cell};
    sn_vec size = sn_vec_sub(implicit->high, implicit->low);
    g.n[0] = (int)ceil(size.x / cell) + 2 * MARGIN + 1;
    g.n[1] = (int)ceil(size.y / cell) + 2 * MARGIN + 1;
    g.n[2] = (int)ceil(size.z / cell) + 2 * MARGIN + 1;
    sn_vec span = {(g.n[0] - 1) * cell, (g.n[1] - 1) * cell, (g.n[2] - 1) * cell};
    sn_vec centre = sn_vec_between(implicit->low, implicit->high, 0.5);
    g.origin = sn_vec_sub(centre, sn_vec_scale(span, 0.5));
    size_t points = (size_t)g.n[0] * (size_t)g.n[1] * (size_t)g.n[2];
    g.sample = SN_NEW(float, points);
    g.vertex = SN_NEW(int32_t, points);
    for (size_t p = 0; p < points; p++)
        g.vertex[p] = -1;
    return g;
}

/* The margin counts as outside whatever the shape says: the surface is closed in any case. */
static bool is_margin(const grid *g, int i, int j, int k)
{
    return i < MARGIN || j < MARGIN || k < MARGIN || i >= g->n[0] - MARGIN ||
           j >= g->n[1] - MARGIN || k >= g->n[2] - MARGIN;
}

/* One block of samples: a value at its centre that is far from zero stands for all of them. */
static void sample_block(grid *g, const int low[3])
{
    int high[3];
    for (int a = 0; a < 3; a++)
        high[a] = low[a] + BLOCK < g->n[a] ? low[a] + BLOCK : g->n[a];
    const double middle = (BLOCK - 1) / 2.0;
    double at_centre =
        value_at(g, point_position(g, low[0] + middle, low[1] + middle, low[2] + middle));
    double reach = sqrt(3.0) * (middle + 1) * g->cell;
    bool far = fabs(at_centre) > reach * g->implicit->steepness;
    for (int k = low[2]; k < high[2]; k++)
        for (int j = low[1]; j < high[1]; j++)
            for (int i = low[0]; i < high[0]; i++) {
                double value = far ? at_centre : value_at(g, point_position(g, i, j, k));
                g->sample[point_index(g, i, j, k)] =
                    (float)(is_margin(g, i, j, k) ? fabs(value) : value);
            }
}

static void sample_all(grid *g)
{
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < g->n[2]; k += BLOCK)
        for (int j = 0; j < g->n[1]; j += BLOCK)
            for (int i = 0; i < g->n[0]; i += BLOCK)
                sample_block(g, (int[3]){i, j, k});
}

/* The corners of a cube are numbered by bits: 1 for x, 2 for y, 4 for z. */
static size_t corner_index(const grid *g, const int cube[3], int corner)
{
    return point_index(g, cube[0] + (corner & 1), cube[1] + (corner >> 1 & 1),
                       cube[2] + (corner >> 2));
}

static bool is_inside(const grid *g, size_t point)
{
    return g->sample[point] < 0;
}

static unsigned inside_corners(const grid *g, const int cube[3])
{
    unsigned inside = 0;
    for (int c = 0; c < 8; c++)
        inside |= (unsigned)is_inside(g, corner_index(g, cube, c)) << c;
    return inside;
}

/* Whether one can walk between all corners of the set along edges of the cube. */
static bool is_connected(unsigned corners)
{
    unsigned reached = corners & (~corners + 1), before = 0;
    while (reached != before) {
        before = reached;
        unsigned along_x = (reached & 0x55) << 1 | (reached & 0xaa) >> 1;
        unsigned along_y = (reached & 0x33) << 2 | (reached & 0xcc) >> 2;
        unsigned along_z = (reached & 0x0f) << 4 | (reached & 0xf0) >> 4;
        reached |= (along_x | along_y | along_z) & corners;
    }
    return reached == corners;
}

/* Two diagonal corners of a side inside, the two others outside. */
static bool has_crossed_side(unsigned inside)
{
    for (int axis = 0; axis < 3; axis++)
        for (int far_side = 0; far_side < 2; far_side++) {
            int base = far_side << axis, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3;
            unsigned b00 = inside >> base & 1, b10 = inside >> (base + u) & 1;
            unsigned b01 = inside >> (base + v) & 1, b11 = inside >> (base + u + v) & 1;
            if (b00 == b11 && b10 == b01 && b00 != b10)
                return true;
        }
    return false;
}

static bool is_one_sheet(unsigned inside)
{
    return is_connected(inside) && is_connected(~inside & 0xff) && !has_crossed_side(inside);
}

/* Moves the corner that is least inside out of the shape. */
static void drop_shallowest_corner(grid *g, const int cube[3])
{
    size_t shallowest = 0;
    float best = -INFINITY;
    for (int c = 0; c < 8; c++) {
        size_t point = corner_index(g, cube, c);
        if (is_inside(g, point) && g->sample[point] > best) {
            best = g->sample[point];
            shallowest = point;
        }
    }
    g->sample[shallowest] = -best;
}

/* Ends because the inside only shrinks. */
static void leave_one_sheet_a_cube(grid *g)
{
    for (bool changed = true; changed;) {
        changed = false;
        int cube[3];
        for (cube[2] = 0; cube[2] < g->n[2] - 1; cube[2]++)
            for (cube[1] = 0; cube[1] < g->n[1] - 1; cube[1]++)
                for (cube[0] = 0; cube[0] < g->n[0] - 1; cube[0]++)
                    while (!is_one_sheet(inside_corners(g, cube))) {
                        drop_shallowest_corner(g, cube);
                        changed = true;
                    }
    }
}

/* The mean of the points where the surface crosses the cube's edges. */
static sn_vec mean_crossing(const grid *g, const int cube[3])
{
    sn_vec sum = {0};
    int crossings = 0;
    for (int c = 0; c < 8; c++)
        for (int bit = 1; bit < 8; bit <<= 1) {
            size_t a = corner_index(g, cube, c), b = corner_index(g, cube, c | bit);
            if ((c & bit) || is_inside(g, a) == is_inside(g, b))
                continue;
            double t = g->sample[a] / ((double)g->sample[a] - g->sample[b]);
            sn_vec at = {c & 1, c >> 1 & 1, c >> 2};
            sn_vec step = {bit == 1, bit == 2, bit == 4};
            sum = sn_vec_add(sum, sn_vec_add(at, sn_vec_scale(step, t)));
            crossings++;
        }
    sn_vec mean = sn_vec_scale(sum, 1.0 / crossings);
    return point_position(g, cube[0] + mean.x, cube[1] + mean.y, cube[2] + mean.z);
}

static void add_vertices(grid *g, sn_surface *surface)
{
    int cube[3];
    for (cube[2] = 0; cube[2] < g->n[2] - 1; cube[2]++)
        for (cube[1] = 0; cube[1] < g->n[1] - 1; cube[1]++)
            for (cube[0] = 0; cube[0] < g->n[0] - 1; cube[0]++) {
                unsigned inside = inside_corners(g, cube);
                if (inside != 0 && inside != 0xff)
                    g->vertex[corner_index(g, cube, 0)] =
                        sn_surface_vertex(surface, mean_crossing(g, cube));
            }
}

/* The quadrilateral of the cubes around the grid edge that leaves `at` along `axis`. */
static void add_quad(const grid *g, const int at[3], int axis, sn_quads *quads)
{
    int next[3] = {at[0] + (axis == 0), at[1] + (axis == 1), at[2] + (axis == 2)};
    bool starts_inside = is_inside(g, point_index(g, at[0], at[1], at[2]));
    if (starts_inside == is_inside(g, point_index(g, next[0], next[1], next[2])))
        return;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    sn_quad quad;
    for (int c = 0; c < 4; c++) {
        int cube[3] = {at[0], at[1], at[2]};
        cube[u] -= c == 0 || c == 3;
        cube[v] -= c == 0 || c == 1;
        quad.corner[starts_inside ? c : 3 - c] =
            g->vertex[point_index(g, cube[0], cube[1], cube[2])];
    }
    sn_push(quads, quad);
}

static void add_quads(const grid *g, sn_quads *quads)
{
    int at[3];
    for (at[2] = 1; at[2] < g->n[2] - 1; at[2]++)
        for (at[1] = 1; at[1] < g->n[1] - 1; at[1]++)
            for (at[0] = 1; at[0] < g->n[0] - 1; at[0]++)
                for (int axis = 0; axis < 3; axis++)
                    add_quad(g, at, axis, quads);
}

void sn_polygonise(const sn_implicit *implicit, double cell, sn_surface *surface)
{
    grid g = grid_around(implicit, cell);
    sn_quads quads = {0};
    sample_all(&g);
    leave_one_sheet_a_cube(&g);
    add_vertices(&g, surface);
    add_quads(&g, &quads);
    sn_free(g.sample);
    sn_free(g.vertex);
    sn_relax(implicit, cell, &quads, surface->vertices.data, surface->vertices.count);
    for (size_t q = 0; q < quads.count; q++) {
        const int32_t *c = quads.data[q].corner;
        sn_surface_quad(surface, c[0], c[1], c[2], c[3]);
    }
    sn_vector_free(&quads);
}
