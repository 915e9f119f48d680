#include "report/thin.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a cell's edge grows by until few enough triangles are left. */
static const double GROWTH = 1.2;

/* A point and the cell it is in. */
typedef struct {
    int64_t body, cell[3], point;
} located;

static int compare_cells(const located *a, const located *b)
{
    if (a->body != b->body)
        return a->body < b->body ? -1 : 1;
    for (int d = 0; d < 3; d++)
        if (a->cell[d] != b->cell[d])
            return a->cell[d] < b->cell[d] ? -1 : 1;
    return 0;
}

static int compare_located(const void *a, const void *b)
{
    const located *x = a, *y = b;
    int order = compare_cells(x, y);
    return order ? order : (x->point > y->point) - (x->point < y->point);
}

/* The longest side of the box around all points, of which `low` is the lowest corner. */
static double longest_side(const sn_surface_frame *frame, double low[3])
{
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int d = 0; d < 3; d++)
        low[d] = INFINITY;
    for (int64_t i = 0; i < frame->n_points; i++)
        for (int d = 0; d < 3; d++) {
            low[d] = fmin(low[d], frame->point[i][d]);
            high[d] = fmax(high[d], frame->point[i][d]);
        }
    return fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

/* Without an edge every point is alone. */
static located *locate(const sn_surface_frame *frame, double edge)
{
    double low[3];
    longest_side(frame, low);
    located *all = SN_NEW(located, frame->n_points);
    for (int b = 0; b < frame->n_bodies; b++)
        for (int64_t i = 0; i < frame->body[b].n_points; i++) {
            int64_t point = frame->body[b].first_point + i;
            all[point] = (located){b, {point, 0, 0}, point};
            for (int d = 0; d < 3 && edge > 0; d++)
                all[point].cell[d] = (int64_t)floor((frame->point[point][d] - low[d]) / edge);
        }
    if (frame->n_points > 0)
        qsort(all, (size_t)frame->n_points, sizeof *all, compare_located);
    return all;
}

/* Points that share a cell: the number that they all get, and which of them stays for all. */
static uint32_t *choose_points(const sn_surface_frame *frame, double edge, sn_thin_surface *s)
{
    located *all = locate(frame, edge);
    uint32_t *number = SN_NEW(uint32_t, frame->n_points + 1);
    s->point = SN_NEW(int64_t, frame->n_points + 1);
    s->n_points = 0;
    for (int64_t first = 0, end; first < frame->n_points; first = end) {
        for (end = first; end < frame->n_points && compare_cells(&all[first], &all[end]) == 0;)
            number[all[end++].point] = (uint32_t)s->n_points;
        s->point[s->n_points++] = all[first + (end - first) / 2].point;
    }
    sn_free(all);
    return number;
}

static void add_triangle(sn_thin_surface *s, uint32_t a, uint32_t b, uint32_t c)
{
    if (a == b || b == c || c == a)
        return;
    uint32_t corner[3] = {a, b, c};
    memcpy(s->triangle[s->n_triangles++], corner, sizeof corner);
}

static void join(const sn_surface_frame *frame, const uint32_t *number, sn_thin_surface *s)
{
    s->triangle = SN_NEW(uint32_t[3], frame->first_corner[frame->n_faces] + 1);
    s->first_triangle = SN_NEW(size_t, frame->n_bodies + 1);
    s->n_triangles = 0;
    for (int b = 0; b < frame->n_bodies; b++) {
        s->first_triangle[b] = s->n_triangles;
        for (int64_t f = 0; f < frame->body[b].n_faces; f++) {
            const int64_t *range = frame->first_corner + frame->body[b].first_face + f;
            for (int64_t c = range[0] + 1; c + 1 < range[1]; c++)
                add_triangle(s, number[frame->corner[range[0]]], number[frame->corner[c]],
                             number[frame->corner[c + 1]]);
        }
    }
    s->first_triangle[frame->n_bodies] = s->n_triangles;
}

static sn_thin_surface thin_by(const sn_surface_frame *frame, double edge)
{
    sn_thin_surface s = {.edge = edge};
    uint32_t *number = choose_points(frame, edge, &s);
    join(frame, number, &s);
    sn_free(number);
    return s;
}

sn_thin_surface sn_thin_surface_of(const sn_surface_frame *frame, size_t most)
{
    sn_thin_surface s = thin_by(frame, 0);
    /* So many squares of two triangles each cover about the area of a box's side. */
    double low[3], side = longest_side(frame, low), edge = side / sqrt((double)most + 1);
    while (s.n_triangles > most && edge < side) {
        sn_thin_surface_free(&s);
        s = thin_by(frame, edge);
        edge *= GROWTH;
    }
    return s;
}

void sn_thin_surface_free(sn_thin_surface *s)
{
    sn_free(s->point);
    sn_free(s->triangle);
    sn_free(s->first_triangle);
    *s = (sn_thin_surface){0};
}
