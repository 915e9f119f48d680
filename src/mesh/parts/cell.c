#define _GNU_SOURCE /* qsort_r */
#include "mesh/parts/cell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The snap moves a vertex by half a unit along each axis: sheets that touch may pass each other by
 * twice the diagonal of that. */
enum { TOUCH = 2 };

/* ---- Joining ---- */

void sn_elements_reset(sn_elements *root, int32_t n)
{
    sn_reserve(root, (size_t)n);
    root->count = (size_t)n;
    for (int32_t i = 0; i < n; i++)
        root->data[i] = i;
}

int32_t sn_elements_find(sn_elements *root, int32_t element)
{
    int32_t *r = root->data;
    while (r[element] != element)
        element = r[element] = r[r[element]];
    return element;
}

void sn_elements_join(sn_elements *root, int32_t a, int32_t b)
{
    a = sn_elements_find(root, a);
    b = sn_elements_find(root, b);
    root->data[a > b ? a : b] = a < b ? a : b;
}

/* ---- Edges of the mesh ---- */

static sn_lattice_square face_of(const sn_part_cell *cell, int face, int outward)
{
    int axis = face / 2, bit = (face & 1) << axis, all = SN_CELL_CORNERS - 1;
    sn_lattice_square s = {axis, cell->corner[bit], cell->corner[(all & ~(1 << axis)) | bit]};
    if (outward)
        s.low.tie[axis] = s.high.tie[axis] = -s.low.tie[axis];
    return s;
}

static void place(sn_part_cell *cell, const int32_t at[3])
{
    for (int c = 0; c < SN_CELL_CORNERS; c++)
        for (int d = 0; d < 3; d++) {
            int side = c >> d & 1;
            cell->corner[c].at[d] = (at[d] + side) * SN_LATTICE_CELL;
            cell->corner[c].tie[d] = side ? -1 : 1;
        }
    for (int f = 0; f < 2 * SN_CELL_FACES; f++)
        cell->face[f % 2][f / 2] = face_of(cell, f / 2, f % 2);
}

static void load_triangles(sn_part_cell *cell)
{
    const sn_parts_body *body = cell->body;
    sn_reserve(&cell->triangle, (size_t)cell->n);
    for (int32_t i = 0; i < cell->n; i++) {
        sn_grid_triangle snapped;
        for (int c = 0; c < 3; c++)
            sn_grid_snap(body->mesh->vertex[body->mesh->triangle[cell->number[i]][c]], body->origin,
                         body->cell, snapped.p[c]);
        cell->triangle.data[i] = sn_lattice_triangle_of(&snapped);
    }
}

static bool is_inside_cell(const sn_part_cell *cell, const int32_t p[3])
{
    bool inside = true;
    for (int d = 0; d < 3; d++)
        inside = inside && p[d] > cell->corner[0].at[d] && p[d] < cell->corner[7].at[d];
    return inside;
}

/* Is the edge beyond one of the cell's planes? */
static bool is_beyond(const sn_part_cell *cell, const int32_t from[3], const int32_t to[3])
{
    bool beyond = false;
    for (int d = 0; d < 3; d++) {
        int32_t low = cell->corner[0].at[d], high = cell->corner[7].at[d];
        beyond = beyond || (from[d] < low && to[d] < low) || (from[d] > high && to[d] > high);
    }
    return beyond;
}

static uint8_t faces_passed(const sn_lattice_square face[SN_CELL_FACES], const sn_edge_use *use)
{
    unsigned passed = 0;
    for (unsigned f = 0; f < SN_CELL_FACES; f++)
        if (sn_lattice_edge_passes(use->from, use->to, &face[f]))
            passed |= 1u << f;
    return (uint8_t)passed;
}

/* Does an edge meet the open cell? One that comes from outside passes through a face. */
static bool meets(const sn_part_cell *cell, const sn_edge_use *use)
{
    bool does = is_inside_cell(cell, use->from) || is_inside_cell(cell, use->to);
    for (int f = 0; f < SN_CELL_FACES && !does; f++)
        does = sn_lattice_edge_passes(use->from, use->to, &cell->face[0][f]);
    return does;
}

static void use_edge(sn_part_cell *cell, int32_t i, int c, bool with_faces)
{
    int next = (c + 1) % 3;
    const sn_lattice_triangle *t = &cell->triangle.data[i];
    const int32_t *vertex = cell->body->mesh->triangle[cell->number[i]];
    sn_edge_use use = {.triangle = i,
                       .leader = i,
                       .vertex = {vertex[c], vertex[next]},
                       .from = t->corner[c],
                       .to = t->corner[next]};
    if (is_beyond(cell, use.from, use.to))
        return;
    for (int outward = 0; outward < 2 && with_faces; outward++)
        use.faces[outward] = faces_passed(cell->face[outward], &use);
    use.meets = meets(cell, &use);
    if (use.meets || use.faces[1])
        sn_push(&cell->edge, use);
}

static int32_t lower_vertex(const sn_edge_use *e)
{
    return e->vertex[0] < e->vertex[1] ? e->vertex[0] : e->vertex[1];
}

static int32_t upper_vertex(const sn_edge_use *e)
{
    return e->vertex[0] < e->vertex[1] ? e->vertex[1] : e->vertex[0];
}

static int compare_edges(const void *a, const void *b)
{
    const sn_edge_use *e = a, *f = b;
    int32_t le = lower_vertex(e), lf = lower_vertex(f), ue = upper_vertex(e), uf = upper_vertex(f);
    if (le != lf)
        return le < lf ? -1 : 1;
    return ue != uf ? (ue < uf ? -1 : 1)
                    : (e->triangle > f->triangle) - (e->triangle < f->triangle);
}

/* Mostly they are few. */
static void sort_edges(sn_edge_use *use, size_t n)
{
    const size_t few = 64;
    if (n > few) {
        qsort(use, n, sizeof *use, compare_edges);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        sn_edge_use moved = use[i];
        size_t at = i;
        for (; at > 0 && compare_edges(&use[at - 1], &moved) > 0; at--)
            use[at] = use[at - 1];
        use[at] = moved;
    }
}

static bool is_same_edge(const sn_edge_use *e, const sn_edge_use *f)
{
    return lower_vertex(e) == lower_vertex(f) && upper_vertex(e) == upper_vertex(f);
}

static int compare_points(const double a[3], const double b[3])
{
    for (int d = 0; d < 3; d++)
        if (a[d] != b[d])
            return a[d] < b[d] ? -1 : 1;
    return 0;
}

/* 1 if the edge goes the way that the order of its ends goes, -1 if not, 0 if it has no length. */
static int direction(const sn_mesh *mesh, const sn_edge_use *e)
{
    return compare_points(mesh->vertex[e->vertex[1]], mesh->vertex[e->vertex[0]]);
}

/* The lower end of an edge, or the upper one, in the order of points. */
static const double *end_of(const sn_mesh *mesh, const sn_edge_use *e, int upper)
{
    return mesh->vertex[e->vertex[(direction(mesh, e) < 0) != upper]];
}

static int compare_places(const sn_mesh *mesh, const sn_edge_use *e, const sn_edge_use *f)
{
    int lower = compare_points(end_of(mesh, e, 0), end_of(mesh, f, 0));
    return lower ? lower : compare_points(end_of(mesh, e, 1), end_of(mesh, f, 1));
}

static int compare_for_sort(const void *a, const void *b, void *mesh)
{
    const sn_edge_use *e = *(sn_edge_use *const *)a, *f = *(sn_edge_use *const *)b;
    int places = compare_places(mesh, e, f);
    return places ? places : (e->triangle > f->triangle) - (e->triangle < f->triangle);
}

static void follow(sn_part_cell *cell, sn_edge_use *use, int32_t leader)
{
    use->leader = leader;
    if (use->meets)
        sn_elements_join(&cell->root, use->triangle, leader);
}

/* Uses of one raw edge, which cancel. */
static void join_uses(sn_part_cell *cell, sn_edge_use *use, size_t n)
{
    for (size_t i = 0; i < n; i++)
        follow(cell, &use[i], use[0].triangle);
}

/* Uses that no other of the same vertices cancels: files split vertices. */
static void join_by_place(sn_part_cell *cell, sn_edge_use **use, size_t n)
{
    const sn_mesh *mesh = cell->body->mesh;
    if (n > 0)
        qsort_r(use, n, sizeof *use, compare_for_sort, (void *)mesh);
    for (size_t i = 0, end; i < n; i = end) {
        int sum = 0;
        for (end = i; end < n && compare_places(mesh, use[i], use[end]) == 0; end++) {
            sum += direction(mesh, use[end]);
            follow(cell, use[end], use[i]->triangle);
        }
        cell->open = cell->open || (use[i]->meets && sum != 0);
    }
}

static void join_at_edges(sn_part_cell *cell)
{
    sn_edge_use *use = cell->edge.data;
    SN_VECTOR(sn_edge_use *) left = {0};
    sort_edges(use, cell->edge.count);
    for (size_t i = 0, end; i < cell->edge.count; i = end) {
        int sum = 0;
        for (end = i; end < cell->edge.count && is_same_edge(&use[i], &use[end]); end++)
            sum += use[end].vertex[0] < use[end].vertex[1] ? 1 : -1;
        if (sum == 0)
            join_uses(cell, &use[i], end - i);
        else
            for (size_t k = i; k < end; k++)
                sn_push(&left, &use[k]);
    }
    join_by_place(cell, left.data, left.count);
    sn_vector_free(&left);
}

static void use_edges(sn_part_cell *cell, bool with_faces)
{
    cell->open = false;
    cell->edge.count = 0;
    sn_elements_reset(&cell->root, cell->n + SN_CELL_CORNERS);
    for (int32_t i = 0; i < cell->n; i++)
        for (int c = 0; c < 3; c++)
            use_edge(cell, i, c, with_faces);
    join_at_edges(cell);
}

void sn_part_cell_load(sn_part_cell *cell, const sn_parts_body *body, const int32_t at[3],
                       const int32_t *number, int32_t n)
{
    cell->body = body;
    cell->n = n;
    cell->number = number;
    place(cell, at);
    load_triangles(cell);
    use_edges(cell, false);
}

/* ---- Edges of the cell ---- */

static void cut_edge(sn_part_cell *cell, int edge)
{
    int axis = edge / 4, c = sn_cell_edge_corner(edge);
    sn_line_crossings *line = &cell->on_edge[edge];
    sn_cell_line(cell, &cell->corner[c], &cell->corner[c | 1 << axis], axis, line);
    for (size_t i = 0; i < line->count; i++)
        cell->has_piece.data[line->data[i].triangle] = true;
}

void sn_part_cell_find_edges(sn_part_cell *cell)
{
    use_edges(cell, true);
}

bool sn_part_cell_is_passed(const sn_part_cell *cell, int face, int outward)
{
    bool passed = false;
    for (int32_t i = 0; i < 3 * cell->n && !passed; i++) {
        const sn_lattice_triangle *t = &cell->triangle.data[i / 3];
        passed = sn_lattice_edge_passes(t->corner[i % 3], t->corner[(i % 3 + 1) % 3],
                                        &cell->face[outward][face]);
    }
    return passed;
}

void sn_part_cell_cut(sn_part_cell *cell)
{
    sn_reserve(&cell->has_piece, (size_t)cell->n);
    memset(cell->has_piece.data, 0, (size_t)cell->n * sizeof *cell->has_piece.data);
    for (size_t i = 0; i < cell->edge.count; i++)
        if (cell->edge.data[i].meets)
            cell->has_piece.data[cell->edge.data[i].triangle] = true;
    for (int e = 0; e < SN_CELL_EDGES; e++)
        cut_edge(cell, e);
}

static int sum_of_signs(const sn_line_crossings *line)
{
    int sum = 0;
    for (size_t i = 0; i < line->count; i++)
        sum += line->data[i].sign;
    return sum;
}

/* The winding number where an edge of the cell ends, by that where it begins. */
static int winding_along(const sn_part_cell *cell, int edge)
{
    return cell->winding[sn_cell_edge_corner(edge)] + sum_of_signs(&cell->on_edge[edge]);
}

/* Every corner is reached from corner 0 along x, then y, then z; the other edges must agree. */
bool sn_part_cell_wind(sn_part_cell *cell)
{
    bool agree = true;
    cell->winding[0] = 0;
    for (int e = 0; e < SN_CELL_EDGES; e++) {
        int bit = 1 << e / 4, corner = sn_cell_edge_corner(e);
        if (corner < bit)
            cell->winding[corner | bit] = winding_along(cell, e);
    }
    for (int e = 0; e < SN_CELL_EDGES; e++)
        agree =
            agree && cell->winding[sn_cell_edge_corner(e) | 1 << e / 4] == winding_along(cell, e);
    return agree;
}

/* ---- Lines ---- */

/* The lines are short: what is new goes to its place among those that are there. */
static void insert(const sn_part_cell *cell, const sn_lattice_point *p, int axis,
                   sn_line_crossings *line, sn_line_crossing c)
{
    sn_push(line, c);
    const sn_lattice_triangle *t = cell->triangle.data;
    sn_line_crossing *at = line->data;
    size_t i = line->count - 1;
    for (; i > 0 &&
           sn_crossing_before(&c, &t[c.triangle], &at[i - 1], &t[at[i - 1].triangle], p, axis);
         i--)
        at[i] = at[i - 1];
    at[i] = c;
}

void sn_cell_line(const sn_part_cell *cell, const sn_lattice_point *p, const sn_lattice_point *end,
                  int axis, sn_line_crossings *line)
{
    line->count = 0;
    sn_lattice_point top = *p;
    top.at[axis] = end->at[axis];
    top.tie[axis] = end->tie[axis];
    for (int32_t i = 0; i < cell->n; i++) {
        sn_line_crossing c;
        const sn_lattice_triangle *t = &cell->triangle.data[i];
        if (!sn_lattice_is_near(t, p, axis) || !sn_lattice_cross(t, p, axis, &c) ||
            !sn_crossing_is_above(&c, t, p, axis) || sn_crossing_is_above(&c, t, &top, axis))
            continue;
        c.triangle = i;
        c.sign *= cell->body->sense;
        insert(cell, p, axis, line, c);
    }
}

int sn_cell_wind_beyond(sn_part_cell *cell, int corner, int axis)
{
    sn_lattice_point inner = cell->corner[corner], outer = inner;
    outer.tie[axis] = -inner.tie[axis];
    bool up = inner.tie[axis] < outer.tie[axis];
    sn_cell_line(cell, up ? &inner : &outer, up ? &outer : &inner, axis, &cell->line);
    int sum = sum_of_signs(&cell->line);
    return cell->winding[corner] + (up ? sum : -sum);
}

/* How much of a way along an axis goes across the triangle. */
static double steepness(const sn_lattice_triangle *t, int axis)
{
    double n[3] = {(double)t->normal[0], (double)t->normal[1], (double)t->normal[2]};
    return fabs(n[axis]) / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

static bool is_near(const sn_part_cell *cell, const sn_line_crossing *a, const sn_line_crossing *b,
                    int axis)
{
    const sn_lattice_triangle *t = cell->triangle.data;
    double gap = (double)(b->whole - a->whole) + (double)b->rest / (double)b->of -
                 (double)a->rest / (double)a->of;
    return gap * fmin(steepness(&t[a->triangle], axis), steepness(&t[b->triangle], axis)) <= TOUCH;
}

/* One enters just before the other one leaves: they touch, and leave before they enter. */
static void take_apart(const sn_part_cell *cell, sn_line_crossings *line, int axis, int winding)
{
    sn_line_crossing *c = line->data;
    for (size_t i = line->count; i-- > 1; winding -= c[i].sign)
        if (winding > 0 && c[i].sign < 0 && c[i - 1].sign > 0 &&
            is_near(cell, &c[i - 1], &c[i], axis)) {
            sn_line_crossing swap = c[i];
            c[i] = c[i - 1];
            c[i - 1] = swap;
        }
}

void sn_line_join(const sn_part_cell *cell, int axis, sn_elements *root, sn_line_crossings *line,
                  int32_t *element, int *winding)
{
    take_apart(cell, line, axis, *winding);
    for (size_t i = line->count; i-- > 0;) {
        const sn_line_crossing *c = &line->data[i];
        if (*winding != 0)
            sn_elements_join(root, *element, c->triangle);
        *winding -= c->sign;
        *element = c->triangle;
    }
}

/* The lines from p up along the last axis, then along the one before, and so on; from the end back.
 */
int32_t sn_cell_locate(sn_part_cell *cell, sn_lattice_point p, const sn_lattice_point *end,
                       int32_t end_element, int end_winding, unsigned axes, int *winding)
{
    if (axes == 0) {
        *winding = end_winding;
        return end_element;
    }
    int axis = 31 - __builtin_clz(axes);
    sn_lattice_point next = p;
    next.at[axis] = end->at[axis];
    next.tie[axis] = end->tie[axis];
    int32_t element =
        sn_cell_locate(cell, next, end, end_element, end_winding, axes & ~(1u << axis), winding);
    sn_cell_line(cell, &p, end, axis, &cell->line);
    take_apart(cell, &cell->line, axis, *winding);
    *winding -= sum_of_signs(&cell->line);
    return cell->line.count > 0 ? cell->line.data[0].triangle : element;
}
