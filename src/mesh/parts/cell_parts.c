#include "mesh/parts/cell_parts.h"

#include "base/array.h"
#include "mesh/parts/joints.h"
#include "mesh/parts/measure.h"
#include "mesh/parts/through.h"
#include "mesh/pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HIGHEST = SN_CELL_CORNERS - 1, ALL_AXES = 7, SAMPLES = 3 };

struct sn_parts_work {
    sn_part_cell cell;
    sn_face_section inner, outer;
    SN_VECTOR(uint8_t) reached; /* by a face, or by a line */
    sn_elements part;           /* of each element, -1 for none */
    sn_part_joints joints;
    SN_VECTOR(sn_part_measure) measure;
};

sn_parts_work *sn_parts_work_create(void)
{
    return SN_NEW_ZERO(sn_parts_work, 1);
}

static void free_cell(sn_part_cell *cell)
{
    sn_vector_free(&cell->triangle);
    sn_vector_free(&cell->edge);
    sn_vector_free(&cell->slot);
    sn_vector_free(&cell->has_piece);
    sn_vector_free(&cell->root);
    sn_vector_free(&cell->line);
    for (int e = 0; e < SN_CELL_EDGES; e++)
        sn_vector_free(&cell->on_edge[e]);
}

void sn_parts_work_free(sn_parts_work *w)
{
    free_cell(&w->cell);
    sn_face_section_free(&w->inner);
    sn_face_section_free(&w->outer);
    sn_vector_free(&w->reached);
    sn_vector_free(&w->part);
    sn_vector_free(&w->joints);
    sn_vector_free(&w->measure);
    sn_free(w);
}

/* ---- Is there anything to look at? ---- */

/* Do all triangles hang together, or all that have a piece? */
static bool is_one_sheet(sn_part_cell *cell, const bool *has_piece)
{
    int32_t sheet = SN_NONE;
    for (int32_t i = 0; i < cell->n; i++) {
        if (has_piece && !has_piece[i])
            continue;
        int32_t root = sn_elements_find(&cell->root, i);
        if (sheet != SN_NONE && root != sheet)
            return false;
        sheet = root;
    }
    return true;
}

/* The face of the cell that a triangle lies in, or -1. */
static int face_around(const sn_part_cell *cell, const sn_lattice_triangle *t)
{
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2 && t->low[axis] == t->high[axis] && t->normal[axis]; side++)
            if (t->low[axis] == cell->face[0][2 * axis + side].low.at[axis])
                return 2 * axis + side;
    return -1;
}

/* Are there triangles in a face that look both ways? Then what is on its sides may be apart. */
static bool has_opposed_triangles(const sn_part_cell *cell)
{
    unsigned up = 0, down = 0;
    for (int32_t i = 0; i < cell->n; i++) {
        const sn_lattice_triangle *t = &cell->triangle.data[i];
        int face = face_around(cell, t);
        if (face >= 0)
            *(t->normal[face / 2] > 0 ? &up : &down) |= 1u << face;
    }
    return (up & down) != 0;
}

/* Faces that triangles pass through are solid on one side of them. */
static unsigned faces_passed_through(const sn_part_cell *cell, unsigned faces)
{
    unsigned passed = 0;
    for (int32_t i = 0; i < cell->n && passed != faces; i++)
        for (int f = 0; f < SN_CELL_FACES; f++)
            if ((faces & ~passed) >> f & 1 &&
                sn_lattice_cuts(&cell->triangle.data[i], &cell->face[0][f]))
                passed |= 1u << f;
    return passed;
}

static bool has_triangle_in_face(const sn_part_cell *cell)
{
    bool any = false;
    for (int32_t i = 0; i < cell->n && !any; i++)
        any = face_around(cell, &cell->triangle.data[i]) >= 0;
    return any;
}

/* Is it seen at once that some faces of a cell of one sheet are open? */
static bool are_clearly_open(const sn_part_cell *cell, unsigned faces)
{
    return faces == 0 ||
           (!has_triangle_in_face(cell) && faces_passed_through(cell, faces) == faces);
}

/* ---- Inside or outside ---- */

/* In units of the lattice: nothing that is built of simple fractions passes through them. */
static const int32_t SAMPLE[SAMPLES][3] = {
    {1741, 2203, 1931}, {2677, 1301, 2851}, {1123, 2917, 1063}};

/* By how much the winding numbers of the corners are too low, as a point in the cell tells. */
static int offset_at(sn_part_cell *cell, const int32_t sample[3])
{
    const sn_parts_body *body = cell->body;
    sn_lattice_point p = cell->corner[0];
    double at[3];
    for (int d = 0; d < 3; d++) {
        p.at[d] += sample[d];
        at[d] = body->origin[d] + body->cell * p.at[d] / SN_LATTICE_CELL;
    }
    int counted, true_one = (int)lround(body->sense * sn_winding(body->winding, at));
    sn_cell_locate(cell, p, &cell->corner[HIGHEST], 0, cell->winding[HIGHEST], ALL_AXES, &counted);
    return true_one - counted;
}

static int middle_of(int a, int b, int c)
{
    return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

/* Points next to the surface may be wrong: two of three are not. */
static void set_offset(sn_part_cell *cell)
{
    int a = offset_at(cell, SAMPLE[0]), b = offset_at(cell, SAMPLE[1]);
    int offset = a == b ? a : middle_of(a, b, offset_at(cell, SAMPLE[2]));
    for (int c = 0; c < SN_CELL_CORNERS; c++)
        cell->winding[c] += offset;
}

/* ---- Cells of one sheet ---- */

static bool has_any_piece(const sn_part_cell *cell)
{
    bool any = false;
    for (int32_t i = 0; i < cell->n; i++)
        any = any || cell->has_piece.data[i];
    return any;
}

/* The lowest winding number on an edge of the cell becomes 0: a sheet has an outside. False if no
 * edge is crossed. */
static bool set_offset_by_signs(sn_part_cell *cell)
{
    bool crossed = false;
    int lowest = cell->winding[0];
    for (int e = 0; e < SN_CELL_EDGES; e++) {
        int winding = cell->winding[sn_cell_edge_corner(e)];
        for (size_t i = 0; i < cell->on_edge[e].count; i++) {
            winding += cell->on_edge[e].data[i].sign;
            lowest = winding < lowest ? winding : lowest;
            crossed = true;
        }
        lowest = winding < lowest ? winding : lowest;
    }
    for (int c = 0; c < SN_CELL_CORNERS; c++)
        cell->winding[c] -= lowest;
    return crossed;
}

/* Is the border of a face crossed, just beyond its plane? */
static bool is_crossed_beyond(sn_part_cell *cell, int face)
{
    bool crossed = false;
    for (int e = 0; e < SN_CELL_EDGES; e++) {
        int axis = e / 4, c = sn_cell_edge_corner(e), d = face / 2;
        if (axis == d || (c >> d & 1) != (face & 1))
            continue;
        sn_lattice_point from = cell->corner[c], to = cell->corner[c | 1 << axis];
        from.tie[d] = to.tie[d] = -from.tie[d];
        sn_cell_line(cell, &from, &to, axis, &cell->line);
        crossed = crossed || cell->line.count > 0;
    }
    return crossed;
}

/* Without a segment a face is inside as a whole, or outside, and so is what is beyond it. */
static bool is_solid_beyond(sn_part_cell *cell, int face)
{
    return sn_cell_wind_beyond(cell, (face & 1) << face / 2, face / 2) != 0 ||
           is_crossed_beyond(cell, face) || sn_part_cell_is_passed(cell, face, 1);
}

/* Faces with a crossing on their border. */
static unsigned faces_crossed(const sn_part_cell *cell)
{
    unsigned faces = 0;
    for (int e = 0; e < SN_CELL_EDGES; e++) {
        int c = sn_cell_edge_corner(e);
        for (int d = 0; d < 3 && cell->on_edge[e].count > 0; d++)
            if (d != e / 4)
                faces |= 1u << (2 * d + (c >> d & 1));
    }
    return faces;
}

static unsigned solid_faces(const sn_part_cell *cell)
{
    unsigned solid = faces_crossed(cell);
    for (int f = 0; f < SN_CELL_FACES; f++)
        if (cell->winding[(f & 1) << f / 2] != 0 ||
            (!(solid >> f & 1) && sn_part_cell_is_passed(cell, f, 0)))
            solid |= 1u << f;
    return solid;
}

/* Where nothing of the surface is in the cell but in its faces, the cell is there for what is
 * behind them. */
static void set_offset_of_sheet(sn_part_cell *cell)
{
    if (!has_any_piece(cell))
        for (int c = 0; c < SN_CELL_CORNERS; c++)
            cell->winding[c] = 1;
    else if (!set_offset_by_signs(cell))
        set_offset(cell);
}

static uint8_t open_faces(sn_part_cell *cell)
{
    set_offset_of_sheet(cell);
    unsigned open = solid_faces(cell);
    for (int32_t i = 0; i < cell->n; i++) {
        int f = face_around(cell, &cell->triangle.data[i]);
        if (f >= 0 && open >> f & 1 && !is_solid_beyond(cell, f))
            open &= ~(1u << f);
    }
    return (uint8_t)open;
}

/* ---- Faces ---- */

static void join_face(sn_parts_work *w, int face)
{
    sn_part_cell *cell = &w->cell;
    sn_face_section *s = &w->inner;
    sn_face_section_make(s, cell, face, 0);
    for (int32_t i = 0; i < cell->n; i++)
        if (s->has.data[i]) {
            w->reached.data[i] = true;
            sn_elements_join(&cell->root, i, sn_elements_find(&s->root, i));
        }
    for (int c = 0; c < SN_FACE_CORNERS; c++)
        if (s->winding[c] != 0) {
            int32_t corner = cell->n + s->corner[c];
            sn_elements_join(&cell->root, corner, sn_elements_find(&s->root, corner));
        }
}

static void join_faces(sn_parts_work *w)
{
    size_t n = (size_t)w->cell.n + SN_CELL_CORNERS;
    sn_reserve(&w->reached, n);
    memset(w->reached.data, 0, n);
    for (int f = 0; f < SN_CELL_FACES; f++)
        join_face(w, f);
}

/* ---- Bubbles and islands ---- */

/* A point of the lattice near the middle of a triangle that lies in the cell as a whole. */
static sn_lattice_point middle_point(const sn_part_cell *cell, const sn_lattice_triangle *t)
{
    sn_lattice_point p = cell->corner[0];
    for (int d = 0; d < 3; d++)
        p.at[d] = (int32_t)(((int64_t)t->corner[0][d] + t->corner[1][d] + t->corner[2][d]) / 3);
    return p;
}

static int steepest_axis(const sn_lattice_triangle *t)
{
    int axis = 0;
    for (int d = 1; d < 3; d++)
        if (llabs(t->normal[d]) > llabs(t->normal[axis]))
            axis = d;
    return axis;
}

static int32_t locate(sn_part_cell *cell, sn_lattice_point p, int *winding)
{
    return sn_cell_locate(cell, p, &cell->corner[HIGHEST], cell->n + HIGHEST,
                          cell->winding[HIGHEST], ALL_AXES, winding);
}

/* From one face to the other; false if the line misses the triangle. */
static bool draw_line(sn_parts_work *w, int32_t triangle)
{
    sn_part_cell *cell = &w->cell;
    int axis = steepest_axis(&cell->triangle.data[triangle]), winding;
    sn_lattice_point p = middle_point(cell, &cell->triangle.data[triangle]);
    sn_lattice_point foot = p, top = p;
    foot.at[axis] = cell->corner[0].at[axis];
    top.at[axis] = cell->corner[HIGHEST].at[axis];
    top.tie[axis] = cell->corner[HIGHEST].tie[axis];
    int32_t element = locate(cell, top, &winding);
    sn_line_crossings *line = &w->inner.line;
    sn_cell_line(cell, &foot, &cell->corner[HIGHEST], axis, line);
    bool met = false;
    for (size_t i = 0; i < line->count; i++)
        met = met || line->data[i].triangle == triangle;
    if (!met)
        return false;
    sn_line_join(cell, axis, &cell->root, line, &element, &winding);
    for (size_t i = 0; i < line->count; i++)
        w->reached.data[line->data[i].triangle] = true;
    return true;
}

static void mark_roots(sn_parts_work *w)
{
    for (int32_t i = 0; i < w->cell.n; i++)
        if (w->reached.data[i])
            w->reached.data[sn_elements_find(&w->cell.root, i)] = true;
}

static bool is_unreached(sn_parts_work *w, int32_t i)
{
    return w->cell.has_piece.data[i] && !w->reached.data[sn_elements_find(&w->cell.root, i)];
}

/* What no line meets is next to nothing: it belongs to what it lies in. */
static void join_speck(sn_parts_work *w, int32_t i)
{
    int winding;
    int32_t element = locate(&w->cell, middle_point(&w->cell, &w->cell.triangle.data[i]), &winding);
    if (winding != 0)
        sn_elements_join(&w->cell.root, i, element);
    w->reached.data[sn_elements_find(&w->cell.root, i)] = true;
}

static void join_bubbles(sn_parts_work *w)
{
    mark_roots(w);
    for (int32_t i = 0; i < w->cell.n; i++)
        if (is_unreached(w, i) && draw_line(w, i))
            mark_roots(w);
    for (int32_t i = 0; i < w->cell.n; i++)
        if (is_unreached(w, i))
            join_speck(w, i);
}

/* ---- Overlaps ---- */

static void join_overlaps(sn_part_cell *cell)
{
    const bool *has_piece = cell->has_piece.data;
    for (int32_t i = 0; i < cell->n; i++)
        for (int32_t j = 0; j < i && has_piece[i]; j++)
            if (has_piece[j] &&
                sn_elements_find(&cell->root, i) != sn_elements_find(&cell->root, j) &&
                sn_triangles_pass_through(cell, i, j))
                sn_elements_join(&cell->root, i, j);
}

/* ---- Numbers ---- */

static bool is_solid(const sn_part_cell *cell, int32_t element)
{
    return element < cell->n ? cell->has_piece.data[element]
                             : cell->winding[element - cell->n] != 0;
}

/* Roots are the lowest of their part, so that parts are numbered by their lowest triangles. */
static int32_t number_parts(sn_parts_work *w)
{
    sn_part_cell *cell = &w->cell;
    int32_t n = cell->n + SN_CELL_CORNERS, n_parts = 0;
    sn_reserve(&w->part, (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        int32_t root = sn_elements_find(&cell->root, i);
        w->part.data[i] = !is_solid(cell, i) ? -1 : root == i ? n_parts++ : w->part.data[root];
    }
    return n_parts;
}

/* The point of the lattice in the open cell that is nearest to a place, in units of the lattice. */
static sn_lattice_point point_near(const sn_part_cell *cell, const double place[3])
{
    sn_lattice_point p = cell->corner[0];
    for (int d = 0; d < 3; d++) {
        int32_t low = cell->corner[0].at[d], high = cell->corner[HIGHEST].at[d];
        p.at[d] = (int32_t)nearbyint(fmax(fmin(place[d], high), low));
        p.tie[d] = p.at[d] == high ? -1 : 1;
    }
    return p;
}

/* The middle of what of a triangle touches the cell. */
static void middle_of_touch(const sn_part_cell *cell, int32_t i, double place[3])
{
    double corner[3][3];
    int32_t origin[3] = {0};
    for (int c = 0; c < 3; c++)
        for (int d = 0; d < 3; d++)
            corner[c][d] = (double)(cell->triangle.data[i].corner[c][d] - cell->corner[0].at[d]) /
                           SN_LATTICE_CELL;
    sn_clipped touch = sn_triangle_clip((const double(*)[3])corner, origin);
    for (int d = 0; d < 3; d++) {
        double sum = 0;
        for (int k = 0; k < touch.n; k++)
            sum += touch.at[k][d];
        place[d] = cell->corner[0].at[d] + (touch.n ? sum / touch.n : 0.5) * SN_LATTICE_CELL;
    }
}

static int common_vertices(const sn_part_cell *cell, int32_t i, int32_t j)
{
    const sn_mesh *mesh = cell->body->mesh;
    int common = 0;
    for (int c = 0; c < 9; c++)
        common += mesh->triangle[cell->number[i]][c / 3] == mesh->triangle[cell->number[j]][c % 3];
    return common;
}

/* A triangle with a piece that has an edge in common with one that has none, or -1. */
static int32_t neighbour_with_piece(const sn_part_cell *cell, int32_t i)
{
    for (int32_t j = 0; j < cell->n; j++)
        if (cell->has_piece.data[j] && common_vertices(cell, i, j) >= 2)
            return j;
    return -1;
}

/* What lies behind the place where a triangle touches the cell. */
static int32_t part_behind(sn_parts_work *w, int32_t i)
{
    double place[3];
    int winding;
    middle_of_touch(&w->cell, i, place);
    int32_t element = locate(&w->cell, point_near(&w->cell, place), &winding);
    return winding != 0 ? w->part.data[element] : -1;
}

/* A triangle in a face of the cell, or one that ends there, has no piece: it belongs to the part of
 * its neighbour, or to what is behind it. */
static void number_touching(sn_parts_work *w)
{
    for (int32_t i = 0; i < w->cell.n; i++) {
        if (w->cell.has_piece.data[i])
            continue;
        int32_t neighbour = neighbour_with_piece(&w->cell, i);
        w->part.data[i] = neighbour >= 0 ? w->part.data[neighbour] : part_behind(w, i);
    }
}

/* Joints of all faces; true if one of them is closed somewhere. */
static bool find_joints(sn_parts_work *w, sn_cell_parts *parts)
{
    bool closed = false;
    w->joints.count = 0;
    for (int f = 0; f < SN_CELL_FACES; f++) {
        size_t first = w->joints.count;
        if (sn_joints_find(&w->cell, f, &w->inner, &w->outer, &w->joints))
            closed = true;
        parts->n_joints[f] = (int32_t)(w->joints.count - first);
    }
    for (size_t i = 0; i < w->joints.count; i++)
        w->joints.data[i].part = w->part.data[w->joints.data[i].part];
    return closed;
}

static sn_cell_parts describe(sn_parts_work *w, int32_t n_parts)
{
    sn_part_cell *cell = &w->cell;
    sn_cell_parts parts = {.n_parts = n_parts, .corner_winding = cell->winding[HIGHEST]};
    bool closed = find_joints(w, &parts);
    for (int f = 0; f < SN_CELL_FACES; f++)
        parts.open |= (uint8_t)((parts.n_joints[f] > 0) << f);
    parts.plain = n_parts == 1 && !closed;
    if (parts.plain)
        return parts;
    sn_reserve(&w->measure, (size_t)n_parts);
    sn_parts_measure(cell, w->part.data, n_parts, &w->inner, w->measure.data);
    number_touching(w);
    for (int c = 0; c < SN_CELL_CORNERS; c++)
        parts.corner[c] = w->part.data[cell->n + c];
    parts.part = w->part.data;
    parts.joint = w->joints.data;
    parts.measure = w->measure.data;
    return parts;
}

/* What is not looked at in full. */
static sn_cell_parts plain(uint8_t open)
{
    return (sn_cell_parts){.plain = true, .n_parts = 1, .open = open};
}

/* A cell of several sheets, or with something between it and a neighbour. */
static sn_cell_parts find_in_full(sn_parts_work *w)
{
    sn_part_cell_find_edges(&w->cell);
    set_offset(&w->cell);
    join_faces(w);
    join_bubbles(w);
    join_overlaps(&w->cell);
    int32_t n_parts = number_parts(w);
    if (n_parts > 0 && n_parts <= SN_MOST_PARTS)
        return describe(w, n_parts);
    sn_cell_parts one = plain(SN_ALL_FACES);
    one.crowded = n_parts > SN_MOST_PARTS;
    return one;
}

/* Faces that are not among `faces` may come out wrong if the cell is plain. */
static sn_cell_parts find_with_faces(sn_parts_work *w, unsigned faces)
{
    sn_part_cell *cell = &w->cell;
    bool opposed = has_opposed_triangles(cell);
    if (cell->open || (!opposed && is_one_sheet(cell, NULL) && are_clearly_open(cell, faces)))
        return plain(SN_ALL_FACES);
    sn_part_cell_cut(cell);
    if (!sn_part_cell_wind(cell))
        return plain(SN_ALL_FACES);
    if (!opposed && is_one_sheet(cell, cell->has_piece.data))
        return plain(faces ? open_faces(cell) : SN_ALL_FACES);
    return find_in_full(w);
}

sn_cell_parts sn_cell_parts_find(sn_parts_work *w, const sn_parts_body *body, const int32_t at[3],
                                 const int32_t *triangle, int32_t n, uint8_t faces)
{
    if (n == 0 || (n == 1 && faces == 0))
        return plain(SN_ALL_FACES);
    sn_part_cell_load(&w->cell, body, at, triangle, n);
    sn_cell_parts parts = find_with_faces(w, faces);
    if (parts.plain)
        parts.open |= (uint8_t)(SN_ALL_FACES & ~faces);
    return parts;
}

/* ---- Points ---- */

static int32_t part_of_element(const sn_cell_parts *parts, int32_t element, int32_t n)
{
    return element < n ? parts->part[element] : parts->corner[element - n];
}

int32_t sn_cell_part_at(sn_parts_work *w, const sn_parts_body *body, const int32_t at[3],
                        const int32_t *triangle, int32_t n, const sn_cell_parts *parts,
                        const double point[3])
{
    sn_part_cell *cell = &w->cell;
    double place[3];
    int winding;
    sn_part_cell_load(cell, body, at, triangle, n);
    cell->winding[HIGHEST] = parts->corner_winding;
    for (int d = 0; d < 3; d++)
        place[d] = (point[d] - body->origin[d]) / body->cell * SN_LATTICE_CELL;
    int32_t element = locate(cell, point_near(cell, place), &winding);
    return winding != 0 ? part_of_element(parts, element, n) : -1;
}
