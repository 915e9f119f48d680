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

/* Of a point: a bit for each of the cell's planes that it is beyond, and one for each that it is in
 * or beyond. */
typedef struct {
    unsigned beyond, not_inside;
} side_bits;

static side_bits sides_of(const sn_part_cell *cell, const int32_t p[3])
{
    side_bits sides = {0};
    for (int d = 0; d < 3; d++) {
        int32_t low = cell->corner[0].at[d], high = cell->corner[7].at[d];
        sides.beyond |= (unsigned)(p[d] < low) << 2 * d | (unsigned)(p[d] > high) << (2 * d + 1);
        sides.not_inside |= (unsigned)(p[d] <= low) << 2 * d | (unsigned)(p[d] >= high)
                                                                   << (2 * d + 1);
    }
    return sides;
}

static uint8_t faces_passed(const sn_lattice_square face[SN_CELL_FACES], const sn_edge_use *use)
{
    unsigned passed = 0;
    for (unsigned f = 0; f < SN_CELL_FACES; f++)
        if (sn_lattice_edge_passes(use->from, use->to, &face[f]))
            passed |= 1u << f;
    return (uint8_t)passed;
}

/* Does an edge with both ends outside meet the open cell? Then it passes through a face. */
static bool passes(const sn_part_cell *cell, const sn_edge_use *use)
{
    bool does = false;
    for (int f = 0; f < SN_CELL_FACES && !does; f++)
        does = sn_lattice_edge_passes(use->from, use->to, &cell->face[0][f]);
    return does;
}

static void use_edge(sn_part_cell *cell, int32_t i, int c, const side_bits sides[3],
                     bool with_faces)
{
    int next = (c + 1) % 3;
    if (sides[c].beyond & sides[next].beyond)
        return;
    const sn_lattice_triangle *t = &cell->triangle.data[i];
    const int32_t *vertex = cell->body->mesh->triangle[cell->number[i]];
    sn_edge_use use = {.triangle = i,
                       .leader = i,
                       .vertex = {vertex[c], vertex[next]},
                       .from = t->corner[c],
                       .to = t->corner[next]};
    for (int outward = 0; outward < 2 && with_faces; outward++)
        use.faces[outward] = faces_passed(cell->face[outward], &use);
    use.meets = !sides[c].not_inside || !sides[next].not_inside || passes(cell, &use);
    if (use.meets || use.faces[1])
        sn_push(&cell->edge, use);
}

static void use_edges_of(sn_part_cell *cell, int32_t i, bool with_faces)
{
    side_bits sides[3];
    for (int c = 0; c < 3; c++)
        sides[c] = sides_of(cell, cell->triangle.data[i].corner[c]);
    for (int c = 0; c < 3; c++)
        use_edge(cell, i, c, sides, with_faces);
}

static uint64_t edge_name(const sn_edge_use *e)
{
    uint32_t a = (uint32_t)e->vertex[0], b = (uint32_t)e->vertex[1];
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* At least twice as many slots as there are edges, all empty; returns how many bits of a hash name
 * one. */
static int clear_slots(sn_part_cell *cell)
{
    int bits = 1;
    while ((size_t)1 << bits < 2 * cell->edge.count)
        bits++;
    sn_reserve(&cell->slot, (size_t)1 << bits);
    memset(cell->slot.data, 0xff, ((size_t)1 << bits) * sizeof *cell->slot.data);
    return bits;
}

/* The slot of an edge: the first one from its hash on that has it, or is empty. */
static int32_t *slot_of(sn_part_cell *cell, uint64_t name, int bits)
{
    size_t last = ((size_t)1 << bits) - 1, at = name * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits);
    int32_t *slot = cell->slot.data;
    while (slot[at] != SN_NONE && edge_name(&cell->edge.data[slot[at]]) != name)
        at = (at + 1) & last;
    return &slot[at];
}

/* Finds the first use of each edge, and whether all uses of it cancel. */
static void match_edges(sn_part_cell *cell)
{
    int bits = clear_slots(cell);
    for (size_t i = 0; i < cell->edge.count; i++) {
        sn_edge_use *use = &cell->edge.data[i];
        int32_t *slot = slot_of(cell, edge_name(use), bits);
        if (*slot == SN_NONE)
            *slot = (int32_t)i;
        use->first = *slot;
        cell->edge.data[*slot].sum += use->vertex[0] < use->vertex[1] ? 1 : -1;
    }
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
    sn_edge_use *edge = cell->edge.data;
    SN_VECTOR(sn_edge_use *) left = {0};
    match_edges(cell);
    for (size_t i = 0; i < cell->edge.count; i++) {
        const sn_edge_use *first = &edge[edge[i].first];
        if (first->sum == 0)
            follow(cell, &edge[i], first->triangle);
        else
            sn_push(&left, &edge[i]);
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
        use_edges_of(cell, i, with_faces);
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

/* ---- Crossings ---- */

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

/* Adds the crossing of a line, from p up to the height of `end`, with a triangle; false if there is
 * none. */
static bool meet_line(const sn_part_cell *cell, const sn_lattice_point *p,
                      const sn_lattice_point *end, int axis, int32_t triangle,
                      sn_line_crossings *line)
{
    sn_line_crossing c;
    const sn_lattice_triangle *t = &cell->triangle.data[triangle];
    if (!sn_lattice_is_near(t, p, axis) || !sn_lattice_cross(t, p, axis, &c) ||
        !sn_crossing_is_above(&c, t, p, axis))
        return false;
    sn_lattice_point top = *p;
    top.at[axis] = end->at[axis];
    top.tie[axis] = end->tie[axis];
    if (sn_crossing_is_above(&c, t, &top, axis))
        return false;
    c.triangle = triangle;
    c.sign *= cell->body->sense;
    insert(cell, p, axis, line, c);
    return true;
}

/* ---- Edges of the cell ---- */

void sn_part_cell_find_edges(sn_part_cell *cell)
{
    use_edges(cell, true);
}

bool sn_part_cell_is_passed(const sn_part_cell *cell, int face, int outward)
{
    bool passed = false;
    int axis = face / 2;
    const sn_lattice_square *square = &cell->face[outward][face];
    for (int32_t i = 0; i < cell->n && !passed; i++) {
        const sn_lattice_triangle *t = &cell->triangle.data[i];
        bool near = t->low[axis] <= square->low.at[axis] && t->high[axis] >= square->low.at[axis];
        for (int c = 0; c < 3 && near && !passed; c++)
            passed = sn_lattice_edge_passes(t->corner[c], t->corner[(c + 1) % 3], square);
    }
    return passed;
}

/* Which of the cell's planes a triangle reaches, a bit for each face. */
static unsigned planes_reached(const sn_part_cell *cell, const sn_lattice_triangle *t)
{
    unsigned planes = 0;
    for (int d = 0; d < 3; d++) {
        int32_t low = cell->corner[0].at[d], high = cell->corner[7].at[d];
        planes |= (unsigned)(t->low[d] <= low && t->high[d] >= low) << 2 * d;
        planes |= (unsigned)(t->low[d] <= high && t->high[d] >= high) << (2 * d + 1);
    }
    return planes;
}

static void cut_edge(sn_part_cell *cell, int edge, int32_t triangle)
{
    int axis = edge / 4, c = sn_cell_edge_corner(edge);
    if (meet_line(cell, &cell->corner[c], &cell->corner[c | 1 << axis], axis, triangle,
                  &cell->on_edge[edge]))
        cell->has_piece.data[triangle] = true;
}

/* Most triangles reach none of the edges: one that does reaches both planes of it. */
static void cut_edges(sn_part_cell *cell)
{
    static const uint8_t planes_of_edge[SN_CELL_EDGES] = {0x14, 0x18, 0x24, 0x28, 0x11, 0x12,
                                                          0x21, 0x22, 0x05, 0x06, 0x09, 0x0a};
    for (int e = 0; e < SN_CELL_EDGES; e++)
        cell->on_edge[e].count = 0;
    for (int32_t i = 0; i < cell->n; i++) {
        unsigned reached = planes_reached(cell, &cell->triangle.data[i]);
        bool near = (reached & (reached - 1)) != 0;
        for (int e = 0; e < SN_CELL_EDGES && near; e++)
            if ((planes_of_edge[e] & ~reached) == 0)
                cut_edge(cell, e, i);
    }
}

void sn_part_cell_cut(sn_part_cell *cell)
{
    sn_reserve(&cell->has_piece, (size_t)cell->n);
    memset(cell->has_piece.data, 0, (size_t)cell->n * sizeof *cell->has_piece.data);
    for (size_t i = 0; i < cell->edge.count; i++)
        if (cell->edge.data[i].meets)
            cell->has_piece.data[cell->edge.data[i].triangle] = true;
    cut_edges(cell);
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

void sn_cell_line(const sn_part_cell *cell, const sn_lattice_point *p, const sn_lattice_point *end,
                  int axis, sn_line_crossings *line)
{
    line->count = 0;
    for (int32_t i = 0; i < cell->n; i++)
        meet_line(cell, p, end, axis, i, line);
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
