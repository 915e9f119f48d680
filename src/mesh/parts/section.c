#include "mesh/parts/section.h"

#include <math.h>
#include <string.h>

void sn_face_section_free(sn_face_section *s)
{
    sn_vector_free(&s->root);
    sn_vector_free(&s->has);
    sn_vector_free(&s->tied);
    sn_vector_free(&s->border);
    sn_vector_free(&s->line);
}

/* The axes within the face, a bit each. */
static unsigned axes_of(const sn_face_section *s)
{
    return 7u & ~(1u << s->face.axis);
}

/* The axis along which lines go through loops: the last one within the face. */
static int line_axis(const sn_face_section *s)
{
    return s->face.axis == 2 ? 1 : 2;
}

static int across_axis(const sn_face_section *s)
{
    return s->face.axis == 0 ? 1 : 0;
}

/* ---- Corners ---- */

static void set_corners(sn_face_section *s, sn_part_cell *cell, int face, int outward)
{
    int n = 0;
    for (int c = 0; c < SN_CELL_CORNERS; c++)
        if ((c >> s->face.axis & 1) == (face & 1)) {
            s->corner[n] = c;
            s->winding[n++] =
                outward ? sn_cell_wind_beyond(cell, c, s->face.axis) : cell->winding[c];
        }
}

/* ---- Segments ---- */

static void join_segments(sn_face_section *s, const sn_part_cell *cell, int face, int outward)
{
    for (size_t i = 0; i < cell->edge.count; i++) {
        const sn_edge_use *use = &cell->edge.data[i];
        if (!(use->faces[outward] >> face & 1))
            continue;
        s->has.data[use->triangle] = true;
        sn_elements_join(&s->root, use->triangle, use->leader);
    }
}

bool sn_face_section_segment(const sn_face_section *s, const sn_part_cell *cell, int32_t triangle,
                             double end[2][3])
{
    const sn_lattice_triangle *t = &cell->triangle.data[triangle];
    const sn_lattice_point *plane = &s->face.low;
    int axis = s->face.axis, n = 0;
    for (int c = 0; c < 3 && n < 2; c++) {
        const int32_t *p = t->corner[c], *q = t->corner[(c + 1) % 3];
        if (sn_lattice_above(p[axis], plane, axis) == sn_lattice_above(q[axis], plane, axis))
            continue;
        double way = (double)(plane->at[axis] - p[axis]) / (double)(q[axis] - p[axis]);
        for (int d = 0; d < 3; d++)
            end[n][d] = (p[d] - cell->corner[0].at[d] + way * (q[d] - p[d])) / SN_LATTICE_CELL;
        n++;
    }
    return n == 2;
}

/* ---- The border ---- */

/* The line from one corner of the face to the next. */
static void join_border(sn_face_section *s, sn_part_cell *cell, int from, int to, int axis)
{
    sn_lattice_point p = cell->corner[s->corner[from]], end = cell->corner[s->corner[to]];
    p.tie[s->face.axis] = end.tie[s->face.axis] = s->face.low.tie[s->face.axis];
    sn_cell_line(cell, &p, &end, axis, &s->border);
    for (size_t i = 0; i < s->border.count; i++) {
        s->has.data[s->border.data[i].triangle] = true;
        s->tied.data[s->border.data[i].triangle] = true;
    }
    int32_t element = cell->n + s->corner[to];
    int winding = s->winding[to];
    sn_line_join(cell, axis, &s->root, &s->border, &element, &winding);
    if (winding != 0)
        sn_elements_join(&s->root, element, cell->n + s->corner[from]);
}

static void join_borders(sn_face_section *s, sn_part_cell *cell)
{
    join_border(s, cell, 0, 1, across_axis(s));
    join_border(s, cell, 2, 3, across_axis(s));
    join_border(s, cell, 0, 2, line_axis(s));
    join_border(s, cell, 1, 3, line_axis(s));
}

/* ---- Loops ---- */

int32_t sn_face_section_locate(const sn_face_section *s, sn_part_cell *cell, sn_lattice_point p,
                               int *winding)
{
    int last = SN_FACE_CORNERS - 1;
    return sn_cell_locate(cell, p, &s->face.high, cell->n + s->corner[last], s->winding[last],
                          axes_of(s), winding);
}

/* A point of the border, below the middle of a segment; false if the segment is too short to be met
 * by a line of the lattice, or stands along it. */
static bool foot_of(const sn_face_section *s, const sn_part_cell *cell, int32_t triangle,
                    sn_lattice_point *foot)
{
    double end[2][3];
    int across = across_axis(s);
    if (!sn_face_section_segment(s, cell, triangle, end))
        return false;
    *foot = s->face.low;
    foot->at[across] += (int32_t)nearbyint((end[0][across] + end[1][across]) / 2 * SN_LATTICE_CELL);
    return foot->at[across] > s->face.low.at[across] && foot->at[across] < s->face.high.at[across];
}

static bool has_triangle(const sn_line_crossings *line, int32_t triangle)
{
    bool has = false;
    for (size_t i = 0; i < line->count; i++)
        has = has || line->data[i].triangle == triangle;
    return has;
}

/* Draws the line through the middle of a segment, from border to border; false if it misses. */
static bool draw_line(sn_face_section *s, sn_part_cell *cell, int32_t triangle)
{
    sn_lattice_point foot, top;
    int axis = line_axis(s), winding;
    if (!foot_of(s, cell, triangle, &foot))
        return false;
    sn_cell_line(cell, &foot, &s->face.high, axis, &s->line);
    if (!has_triangle(&s->line, triangle))
        return false;
    top = foot;
    top.at[axis] = s->face.high.at[axis];
    top.tie[axis] = s->face.high.tie[axis];
    int32_t element = sn_face_section_locate(s, cell, top, &winding);
    sn_line_join(cell, axis, &s->root, &s->line, &element, &winding);
    for (size_t i = 0; i < s->line.count; i++)
        s->tied.data[s->line.data[i].triangle] = true;
    return true;
}

/* A loop that no line meets is next to nothing: it belongs to what it lies in. */
static void join_speck(sn_face_section *s, sn_part_cell *cell, int32_t triangle)
{
    double end[2][3];
    int winding;
    if (!sn_face_section_segment(s, cell, triangle, end))
        return;
    sn_lattice_point p = s->face.low;
    for (int d = 0; d < 3; d++)
        if (d != s->face.axis)
            p.at[d] += (int32_t)(end[0][d] * SN_LATTICE_CELL);
    int32_t element = sn_face_section_locate(s, cell, p, &winding);
    if (winding != 0)
        sn_elements_join(&s->root, triangle, element);
}

static void tie_root(sn_face_section *s, int32_t triangle)
{
    s->tied.data[sn_elements_find(&s->root, triangle)] = true;
}

/* Roots are the lowest of those that hang together: what holds for one of them holds for its root.
 */
static void tie_roots(sn_face_section *s, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (s->tied.data[i])
            tie_root(s, i);
}

static bool is_loose(sn_face_section *s, int32_t triangle)
{
    return s->has.data[triangle] && !s->tied.data[sn_elements_find(&s->root, triangle)];
}

static void join_loops(sn_face_section *s, sn_part_cell *cell)
{
    tie_roots(s, cell->n);
    for (int32_t i = 0; i < cell->n; i++)
        if (is_loose(s, i) && draw_line(s, cell, i))
            tie_roots(s, cell->n);
    for (int32_t i = 0; i < cell->n; i++)
        if (is_loose(s, i)) {
            join_speck(s, cell, i);
            tie_root(s, i);
        }
}

void sn_face_section_make(sn_face_section *s, sn_part_cell *cell, int face, int outward)
{
    size_t n = (size_t)cell->n;
    s->face = cell->face[outward][face];
    sn_elements_reset(&s->root, cell->n + SN_CELL_CORNERS);
    sn_reserve(&s->has, n);
    sn_reserve(&s->tied, n + SN_CELL_CORNERS);
    memset(s->has.data, 0, n);
    memset(s->tied.data, 0, n + SN_CELL_CORNERS);
    set_corners(s, cell, face, outward);
    join_segments(s, cell, face, outward);
    join_borders(s, cell);
    join_loops(s, cell);
}
