#include "shapes/comb.h"

#include "base/array.h"

#include <stdbool.h>

/* The comb as columns of a lattice: all reach up to the plate, those of teeth to their ends. */
typedef struct {
    const sn_comb *comb;
    sn_surface *surface;
    int across;       /* columns along a side */
    int plate, whole; /* steps in height: of the plate, and of all */
    int32_t *vertex;  /* of each point of the lattice, or -1 */
} lattice;

static int steps_of(double length, double width)
{
    int steps = (int)lround(length / width);
    return steps > 1 ? steps : 1;
}

static lattice make_lattice(const sn_comb *comb, sn_surface *surface)
{
    lattice l = {.comb = comb, .surface = surface, .across = (2 * comb->teeth - 1) * comb->detail};
    double width = comb->size / l.across;
    l.plate = steps_of(comb->plate, width);
    l.whole = l.plate + steps_of(comb->length, width);
    size_t points = (size_t)(l.across + 1) * (size_t)(l.across + 1) * (size_t)(l.whole + 1);
    l.vertex = SN_NEW(int32_t, points);
    for (size_t p = 0; p < points; p++)
        l.vertex[p] = -1;
    return l;
}

/* How many steps a column is high; nothing outside. */
static int height_of(const lattice *l, int i, int j)
{
    if (i < 0 || j < 0 || i >= l->across || j >= l->across)
        return 0;
    bool is_tooth = i / l->comb->detail % 2 == 0 && j / l->comb->detail % 2 == 0;
    return is_tooth ? l->whole : l->plate;
}

static double z_of(const lattice *l, int k)
{
    if (k <= l->plate)
        return l->comb->plate * k / l->plate;
    return l->comb->plate + l->comb->length * (k - l->plate) / (l->whole - l->plate);
}

static int32_t vertex_at(lattice *l, int i, int j, int k)
{
    int32_t *vertex =
        &l->vertex[((size_t)k * (size_t)(l->across + 1) + (size_t)j) * (size_t)(l->across + 1) +
                   (size_t)i];
    double step = l->comb->size / l->across, half = l->comb->size / 2;
    if (*vertex < 0)
        *vertex =
            sn_surface_vertex(l->surface, (sn_vec){i * step - half, j * step - half, z_of(l, k)});
    return *vertex;
}

/* The square of column i, j at height k, seen from above or from below. */
static void add_flat(lattice *l, int i, int j, int k, bool from_above)
{
    int32_t a = vertex_at(l, i, j, k), b = vertex_at(l, i + 1, j, k);
    int32_t c = vertex_at(l, i + 1, j + 1, k), d = vertex_at(l, i, j + 1, k);
    if (from_above)
        sn_surface_quad(l->surface, a, b, c, d);
    else
        sn_surface_quad(l->surface, d, c, b, a);
}

/* A side from the edge a, b, which runs with the outside to its right, one step upward. */
static void add_wall(lattice *l, const int a[2], const int b[2], int k)
{
    sn_surface_quad(l->surface, vertex_at(l, a[0], a[1], k), vertex_at(l, b[0], b[1], k),
                    vertex_at(l, b[0], b[1], k + 1), vertex_at(l, a[0], a[1], k + 1));
}

/* Walls of a column where its neighbours are lower. */
static void add_walls(lattice *l, int i, int j)
{
    static const int away[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    static const int corner[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    for (int side = 0; side < 4; side++) {
        int from[2] = {i + corner[side][0], j + corner[side][1]};
        int to[2] = {i + corner[side + 1][0], j + corner[side + 1][1]};
        for (int k = height_of(l, i + away[side][0], j + away[side][1]); k < height_of(l, i, j);
             k++)
            add_wall(l, from, to, k);
    }
}

void sn_make_comb(const sn_comb *comb, sn_surface *surface)
{
    lattice l = make_lattice(comb, surface);
    for (int j = 0; j < l.across; j++)
        for (int i = 0; i < l.across; i++) {
            add_flat(&l, i, j, 0, false);
            add_flat(&l, i, j, height_of(&l, i, j), true);
            add_walls(&l, i, j);
        }
    sn_free(l.vertex);
}
