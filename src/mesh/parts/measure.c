#include "mesh/parts/measure.h"

#include "mesh/pieces.h"

#include <math.h>
#include <string.h>

enum { TOP_FACE = 5, LAST_EDGE = 3, LAST_CORNER = 7 };

/* Of a smaller part it is not told where it is. */
static const double LEAST_WITH_PLACE = 1e-6;

static void add(sn_part_measure *m, double volume, double x, double y, double z)
{
    m->volume += volume;
    m->centroid[0] += x;
    m->centroid[1] += y;
    m->centroid[2] += z;
}

/* ---- Pieces ---- */

static void add_piece(const sn_part_cell *cell, int32_t i, sn_part_measure *m)
{
    double corner[3][3], sum[SN_PIECE_SUMS] = {0}, sense = cell->body->sense;
    int32_t origin[3] = {0};
    for (int c = 0; c < 3; c++)
        for (int d = 0; d < 3; d++)
            corner[c][d] = (double)(cell->triangle.data[i].corner[c][d] - cell->corner[0].at[d]) /
                           SN_LATTICE_CELL;
    sn_clipped p = sn_triangle_clip((const double(*)[3])corner, origin);
    sn_clipped_measure(&p, origin, sum);
    add(m, sense * sum[SN_BENEATH], sense * sum[SN_BENEATH_X], sense * sum[SN_BENEATH_Y],
        sense * sum[SN_BENEATH_Z]);
}

/* ---- Segments in the top face ---- */

/* Cuts a segment down to where a coordinate is between 0 and 1. */
static bool clip(double end[2][3], int d)
{
    for (int side = 0; side < 2; side++)
        for (int e = 0; e < 2; e++) {
            double here = side ? 1 - end[e][d] : end[e][d];
            double there = side ? 1 - end[!e][d] : end[!e][d];
            if (here >= 0)
                continue;
            if (there <= 0)
                return false;
            double way = here / (here - there);
            for (int k = 0; k < 3; k++)
                end[e][k] += way * (end[!e][k] - end[e][k]);
            end[e][d] = side;
        }
    return true;
}

static void add_segment(const sn_face_section *top, const sn_part_cell *cell, int32_t i,
                        sn_part_measure *m)
{
    double end[2][3];
    if (!sn_face_section_segment(top, cell, i, end) || !clip(end, 0) || !clip(end, 1))
        return;
    bool leaves = (cell->triangle.data[i].normal[1] > 0) == (cell->body->sense > 0);
    double wide = fabs(end[1][0] - end[0][0]) * (leaves ? 1 : -1);
    double x0 = end[0][0], x1 = end[1][0], y0 = end[0][1], y1 = end[1][1];
    double area = wide * (y0 + y1) / 2;
    double x = wide * (2 * x0 * y0 + 2 * x1 * y1 + x0 * y1 + x1 * y0) / 6;
    double y = wide * (y0 * y0 + y0 * y1 + y1 * y1) / 6;
    add(m, area, x, y, area / 2);
}

/* ---- Stretches of the last edge ---- */

static void add_stretch(sn_part_measure *m, double from, double to)
{
    double length = to - from;
    add(m, length, length * (from + to) / 2, length / 2, length / 2);
}

static double place_of(const sn_part_cell *cell, const sn_line_crossing *c)
{
    double from_corner = c->whole - cell->corner[0].at[0];
    return (from_corner + (double)c->rest / (double)c->of) / SN_LATTICE_CELL;
}

static void add_last_edge(const sn_part_cell *cell, const int32_t *part, sn_part_measure *m)
{
    const sn_line_crossings *line = &cell->on_edge[LAST_EDGE];
    int winding = cell->winding[LAST_CORNER];
    int32_t element = cell->n + LAST_CORNER;
    double above = 1;
    for (size_t i = line->count; i-- > 0;) {
        const sn_line_crossing *c = &line->data[i];
        double here = place_of(cell, c);
        if (winding != 0)
            add_stretch(&m[part[c->triangle]], here, above);
        winding -= c->sign;
        element = c->triangle;
        above = here;
    }
    if (winding != 0)
        add_stretch(&m[part[element]], 0, above);
}

/* From moments about the lowest corner to a centroid about the centre. A part can't be farther from
 * the cell's centre than what it leaves free. */
static void finish(sn_part_measure *m)
{
    double volume = m->volume;
    m->volume = fmax(0, fmin(volume, 1));
    double most = 1 - m->volume;
    for (int d = 0; d < 3; d++) {
        double from_centre = volume > LEAST_WITH_PLACE ? 2 * m->centroid[d] / volume - 1 : 0;
        m->centroid[d] = fmax(-most, fmin(from_centre, most));
    }
}

void sn_parts_measure(sn_part_cell *cell, const int32_t *part, int32_t n_parts,
                      sn_face_section *top, sn_part_measure *m)
{
    memset(m, 0, (size_t)n_parts * sizeof *m);
    sn_face_section_make(top, cell, TOP_FACE, 0);
    for (int32_t i = 0; i < cell->n; i++) {
        if (cell->has_piece.data[i])
            add_piece(cell, i, &m[part[i]]);
        if (top->has.data[i])
            add_segment(top, cell, i, &m[part[i]]);
    }
    add_last_edge(cell, part, m);
    for (int32_t p = 0; p < n_parts; p++)
        finish(&m[p]);
}
