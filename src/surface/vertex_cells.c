#include "surface/vertex_cells.h"

#include "mesh/overlap.h"
#include "octree/locate.h"

enum { PLANE_BITS = (1 << SN_GRID_FRACTION_BITS) - 1 };

/* A part of a body's vertices. */
typedef struct {
    const sn_bodies *bodies;
    const sn_solid *solid;
    int body;
    int64_t first;
    size_t n;
    bool *waits; /* for each: its triangle decides, and has not yet been met */
    sn_key *cell;
} vertex_range;

static void snap(const vertex_range *r, int64_t vertex, int32_t out[3])
{
    const sn_body *body = &r->bodies->body[r->body];
    sn_grid_snap(r->solid->mesh->vertex[vertex], body->origin, body->cell, out);
}

static bool is_in_grid(const sn_body *body, const double v[3])
{
    bool in = true;
    for (int d = 0; d < 3; d++) {
        double at = (v[d] - body->origin[d]) / body->cell;
        in = in && at > -1 && at < body->cells[d] + 1;
    }
    return in;
}

/* Is it in a plane of the grid? Vertices far outside are used by no triangle. */
static bool is_on_plane(const vertex_range *r, int64_t vertex)
{
    int32_t p[3];
    if (!is_in_grid(&r->bodies->body[r->body], r->solid->mesh->vertex[vertex]))
        return false;
    snap(r, vertex, p);
    return !(p[0] & PLANE_BITS) || !(p[1] & PLANE_BITS) || !(p[2] & PLANE_BITS);
}

static int sign(int64_t a)
{
    return (a > 0) - (a < 0);
}

static int64_t normal(const sn_grid_triangle *t, int d)
{
    int u = (d + 1) % 3, v = (d + 2) % 3;
    int64_t a[2] = {t->p[1][u] - t->p[0][u], t->p[1][v] - t->p[0][v]};
    int64_t b[2] = {t->p[2][u] - t->p[0][u], t->p[2][v] - t->p[0][v]};
    return a[0] * b[1] - a[1] * b[0];
}

/* To which side of a plane across axis `d` one goes from a corner: to the triangle's centre; where
 * that is in the plane, along an edge; where all of the triangle is, behind it. */
static int side_of(const sn_grid_triangle *t, int corner, int d, int sense)
{
    int64_t at = t->p[corner][d], sum = (int64_t)t->p[0][d] + t->p[1][d] + t->p[2][d];
    if (sum != 3 * at)
        return sign(sum - 3 * at);
    int along = sign(t->p[(corner + 1) % 3][d] - at);
    return along ? along : -sense * sign(normal(t, d));
}

static sn_key cell_at(const vertex_range *r, const sn_grid_triangle *t, int corner)
{
    const sn_body *body = &r->bodies->body[r->body];
    uint32_t cell[3];
    for (int d = 0; d < 3; d++) {
        int32_t at = t->p[corner][d], c = at >> SN_GRID_FRACTION_BITS;
        if (!(at & PLANE_BITS) && side_of(t, corner, d, r->solid->inside_out ? -1 : 1) < 0)
            c--;
        cell[d] = (uint32_t)(c < 0 ? 0 : c < body->cells[d] ? c : body->cells[d] - 1);
    }
    return sn_key_of(r->body, cell[0], cell[1], cell[2]);
}

static bool has_area(const sn_grid_triangle *t)
{
    return normal(t, 0) || normal(t, 1) || normal(t, 2);
}

static void ask_triangle(const vertex_range *r, const int32_t corner[3])
{
    sn_grid_triangle t;
    for (int c = 0; c < 3; c++)
        snap(r, corner[c], t.p[c]);
    for (int c = 0; c < 3 && has_area(&t); c++) {
        int64_t at = corner[c] - r->first;
        if (at < 0 || at >= (int64_t)r->n || !r->waits[at])
            continue;
        r->cell[at] = cell_at(r, &t, c);
        r->waits[at] = false;
    }
}

static bool any_waits(const vertex_range *r, const int32_t corner[3])
{
    bool any = false;
    for (int c = 0; c < 3; c++) {
        int64_t at = corner[c] - r->first;
        any = any || (at >= 0 && at < (int64_t)r->n && r->waits[at]);
    }
    return any;
}

void sn_vertex_cells(const sn_bodies *bodies, int body, const sn_solid *solid, int64_t first,
                     size_t n, sn_key *cell)
{
    vertex_range r = {bodies, solid, body, first, n, SN_NEW(bool, n), cell};
    int64_t waiting = 0;
#pragma omp parallel for reduction(+ : waiting)
    for (size_t i = 0; i < n; i++) {
        cell[i] = sn_locate_cell(bodies, body, solid->mesh->vertex[first + (int64_t)i]);
        waiting += r.waits[i] = is_on_plane(&r, first + (int64_t)i);
    }
    const sn_mesh *mesh = solid->mesh;
    for (int64_t t = 0; t < mesh->n_triangles && waiting > 0; t++)
        if (any_waits(&r, mesh->triangle[t]))
            ask_triangle(&r, mesh->triangle[t]);
    sn_free(r.waits);
}
