#include "shapes/spike_ball.h"

#include "base/pi.h"
#include "shapes/modelling/even_out.h"
#include "shapes/modelling/refine.h"
#include "shapes/solids.h"

static const double TURN = 2 * SN_PI;

enum {
    FIRST_DETAIL = 8,      /* of the ball before refinement */
    EDGES_ON_HEAD = 10,    /* on the head's equator, for each edge around a spike */
    MOST_REFINEMENTS = 30, /* far more than halving can need */
    NO_SPIKE = -1
};
static const double STEEPEST_GROWTH = 0.45;
static const double TOLERATED = 1.3; /* times its wanted length an edge may have */
static const double HOLE = 0.85;     /* of a spike's reach: the ball's part that goes */

typedef struct {
    sn_surface surface;        /* of radius 1 */
    SN_VECTOR(double) targets; /* wanted edge length at each vertex */
    const sn_spike *spikes;
    int count, detail;
    int *spike_of; /* the spike in whose hole a vertex lies, or NO_SPIKE */
    int *rim_of;   /* the spike at the rim of whose hole a vertex lies, or NO_SPIKE */
} ball;

/* How edges grow with the distance from a spike's axis. */
static double edge_growth(const ball *b)
{
    return fmin(TURN / b->detail, STEEPEST_GROWTH);
}

/* Around a spike edges are in proportion to the distance from its axis. */
static double wanted_edge(const ball *b, sn_vec at)
{
    double edge = TURN / (EDGES_ON_HEAD * b->detail);
    for (int i = 0; i < b->count; i++) {
        double off = sn_vec_length(sn_vec_sub(at, b->spikes[i].frame.axis));
        edge = fmin(edge, edge_growth(b) * fmax(off, sn_spike_reach(&b->spikes[i])));
    }
    return edge;
}

static double edge_length(const void *state, int32_t v, int32_t w)
{
    const sn_vec *at = ((const ball *)state)->surface.vertices.data;
    return sn_vec_length(sn_vec_sub(at[v], at[w]));
}

static bool is_too_long(const void *state, int32_t v, int32_t w)
{
    const ball *b = state;
    return edge_length(b, v, w) > TOLERATED * fmin(b->targets.data[v], b->targets.data[w]);
}

static int32_t halve_arc(void *state, int32_t v, int32_t w)
{
    ball *b = state;
    const sn_vec *at = b->surface.vertices.data;
    sn_vec middle = sn_vec_unit(sn_vec_add(at[v], at[w]));
    sn_push(&b->targets, wanted_edge(b, middle));
    return sn_surface_vertex(&b->surface, middle);
}

static void refine_ball(ball *b)
{
    sn_make_sphere(1, FIRST_DETAIL, &b->surface);
    for (size_t v = 0; v < b->surface.vertices.count; v++)
        sn_push(&b->targets, wanted_edge(b, b->surface.vertices.data[v]));
    sn_refiner refiner = {b, is_too_long, edge_length, halve_arc};
    for (int i = 0; i < MOST_REFINEMENTS && sn_refine_once(&refiner, &b->surface); i++)
        ;
}

static void mark_holes(ball *b)
{
    size_t n = b->surface.vertices.count;
    b->spike_of = SN_NEW(int, n);
    for (size_t v = 0; v < n; v++) {
        b->spike_of[v] = NO_SPIKE;
        for (int s = 0; s < b->count; s++) {
            sn_vec axis = b->spikes[s].frame.axis;
            double off = sn_vec_length(sn_vec_sub(b->surface.vertices.data[v], axis));
            if (off < HOLE * sn_spike_reach(&b->spikes[s]))
                b->spike_of[v] = s;
        }
    }
}

/* Counts for each vertex outside the holes how often the rim of one passes through it, and notes
 * whose rim it is. */
static void find_rims(ball *b, int *passes)
{
    for (size_t v = 0; v < b->surface.vertices.count; v++) {
        passes[v] = 0;
        b->rim_of[v] = NO_SPIKE;
    }
    for (size_t t = 0; t < b->surface.triangles.count; t++) {
        const int32_t *c = b->surface.triangles.data[t].corner;
        for (int i = 0; i < 3; i++) {
            int s = b->spike_of[c[i]];
            int32_t rim = c[(i + 1) % 3], after = c[(i + 2) % 3];
            if (s != NO_SPIKE && b->spike_of[rim] == NO_SPIKE && b->spike_of[after] == NO_SPIKE) {
                passes[rim]++;
                b->rim_of[rim] = s;
            }
        }
    }
}

/* The corner of a triangle that must go into the hole at which all three lie, because on the
 * hole's circle they would make a triangle inside it: the one nearest to its axis. */
static int32_t find_ear(const ball *b, const int32_t c[3])
{
    int s = b->rim_of[c[0]];
    if (s == NO_SPIKE || b->rim_of[c[1]] != s || b->rim_of[c[2]] != s)
        return -1;
    int32_t nearest = c[0];
    const sn_vec *at = b->surface.vertices.data;
    sn_vec axis = b->spikes[s].frame.axis;
    for (int i = 1; i < 3; i++)
        if (sn_vec_dot(at[c[i]], axis) > sn_vec_dot(at[nearest], axis))
            nearest = c[i];
    return nearest;
}

/* Widens the holes until each rim is a simple ring that can be rounded off. */
static void tidy_rims(ball *b)
{
    size_t n = b->surface.vertices.count;
    int *passes = SN_NEW(int, n);
    b->rim_of = SN_NEW(int, n);
    for (bool changed = true; changed;) {
        changed = false;
        find_rims(b, passes);
        for (size_t t = 0; t < b->surface.triangles.count; t++) {
            int32_t ear = find_ear(b, b->surface.triangles.data[t].corner);
            if (ear >= 0) {
                b->spike_of[ear] = b->rim_of[ear];
                changed = true;
            }
        }
        for (size_t v = 0; v < n; v++)
            if (passes[v] > 1) {
                b->spike_of[v] = b->rim_of[v];
                changed = true;
            }
    }
    sn_free(passes);
}

/* Takes out the triangles that have a corner in a hole. `next` becomes, for each vertex at the
 * rim of a hole, the following one around it, and -1 for all others. */
static void cut_holes(ball *b, int32_t *next)
{
    for (size_t v = 0; v < b->surface.vertices.count; v++)
        next[v] = -1;
    size_t n_left = 0;
    for (size_t t = 0; t < b->surface.triangles.count; t++) {
        sn_corners triangle = b->surface.triangles.data[t];
        int n_in_hole = 0, in_hole = 0;
        for (int i = 0; i < 3; i++)
            if (b->spike_of[triangle.corner[i]] != NO_SPIKE) {
                n_in_hole++;
                in_hole = i;
            }
        if (n_in_hole == 0)
            b->surface.triangles.data[n_left++] = triangle;
        if (n_in_hole == 1)
            next[triangle.corner[(in_hole + 1) % 3]] = triangle.corner[(in_hole + 2) % 3];
    }
    b->surface.triangles.count = n_left;
}

static double angle_around(const sn_spike *spike, sn_vec at)
{
    return atan2(sn_vec_dot(at, spike->frame.other_side), sn_vec_dot(at, spike->frame.side));
}

/* The ring around a hole, from one of its vertices on. */
static sn_ring follow_rim(const int32_t *next, int32_t first)
{
    sn_ring ring = {0};
    for (int32_t v = first; ring.count == 0 || v != first; v = next[v])
        ring.vertex[ring.count++] = v;
    return ring;
}

/* Where the vertices of a ring should go: to equal steps on the spike's circle, turned such that
 * they move as little as possible. */
static void find_goals(const ball *b, const sn_spike *spike, const sn_ring *ring, sn_vec *goal)
{
    const sn_vec *at = b->surface.vertices.data;
    double start = angle_around(spike, at[ring->vertex[0]]), turn = 0;
    for (int i = 0; i < ring->count; i++) {
        double off = angle_around(spike, at[ring->vertex[i]]) - (start + TURN * i / ring->count);
        turn += (off - TURN * round(off / TURN)) / ring->count;
    }
    double reach = sn_spike_reach(spike);
    for (int i = 0; i < ring->count; i++) {
        double angle = start + turn + TURN * i / ring->count;
        sn_vec out = sn_vec_add(sn_vec_scale(spike->frame.side, cos(angle)),
                                sn_vec_scale(spike->frame.other_side, sin(angle)));
        goal[ring->vertex[i]] =
            sn_vec_add(sn_vec_scale(spike->frame.axis, cos(reach)), sn_vec_scale(out, sin(reach)));
    }
}

/* The angles at which the vertices of a ring are in the end. */
static void measure_angles(const ball *b, const sn_spike *spike, sn_ring *ring)
{
    for (int i = 0; i < ring->count; i++) {
        double angle = angle_around(spike, b->surface.vertices.data[ring->vertex[i]]);
        if (i > 0)
            angle += TURN * round((ring->angle[i - 1] - angle) / TURN);
        ring->angle[i] = angle;
    }
}

/* Fills a hole with a fan around the spike's axis. While no triangle of it is turned over, the
 * rim goes once around the axis. */
static void add_fan(ball *b, const sn_spike *spike, const sn_ring *rim)
{
    int32_t centre = sn_surface_vertex(&b->surface, spike->frame.axis);
    for (int i = 0; i < rim->count; i++)
        sn_surface_triangle(&b->surface, rim->vertex[i], rim->vertex[(i + 1) % rim->count], centre);
}

/* Any vertex at the rim of the spike's hole: the one nearest to its axis. */
static int32_t find_rim(const ball *b, const sn_spike *spike, const int32_t *next)
{
    int32_t nearest = -1;
    double best = -INFINITY;
    for (size_t v = 0; v < b->surface.vertices.count; v++) {
        double cosine = sn_vec_dot(b->surface.vertices.data[v], spike->frame.axis);
        if (next[v] >= 0 && cosine > best) {
            best = cosine;
            nearest = (int32_t)v;
        }
    }
    return nearest;
}

/* Moves the rims towards their circles, and everything else along. */
static void round_off(ball *b, const sn_ring *rims)
{
    size_t n_triangles = b->surface.triangles.count, n_vertices = b->surface.vertices.count;
    sn_vec *goal = SN_NEW_ZERO(sn_vec, n_vertices + (size_t)b->count);
    for (int s = 0; s < b->count; s++) {
        find_goals(b, &b->spikes[s], &rims[s], goal);
        add_fan(b, &b->spikes[s], &rims[s]);
        goal[n_vertices + (size_t)s] = b->spikes[s].frame.axis;
    }
    sn_even_out(&b->surface, goal, n_triangles);
    b->surface.triangles.count = n_triangles;
    b->surface.vertices.count = n_vertices;
    sn_free(goal);
}

/* Hands over the triangles that are left, and the vertices that they use. */
static void compact(const ball *b, sn_surface *surface, sn_ring *feet)
{
    int32_t *renamed = SN_NEW(int32_t, b->surface.vertices.count);
    for (size_t v = 0; v < b->surface.vertices.count; v++)
        renamed[v] = -1;
    for (size_t t = 0; t < b->surface.triangles.count; t++) {
        const int32_t *c = b->surface.triangles.data[t].corner;
        for (int i = 0; i < 3; i++)
            if (renamed[c[i]] < 0)
                renamed[c[i]] = sn_surface_vertex(surface, b->surface.vertices.data[c[i]]);
        sn_surface_triangle(surface, renamed[c[0]], renamed[c[1]], renamed[c[2]]);
    }
    for (int s = 0; s < b->count; s++)
        for (int i = 0; i < feet[s].count; i++)
            feet[s].vertex[i] = renamed[feet[s].vertex[i]];
    sn_free(renamed);
}

void sn_make_spike_ball(const sn_spike *spikes, int count, int detail, sn_surface *surface,
                        sn_ring *feet)
{
    ball b = {.spikes = spikes, .count = count, .detail = detail};
    refine_ball(&b);
    mark_holes(&b);
    tidy_rims(&b);
    int32_t *next = SN_NEW(int32_t, b.surface.vertices.count);
    cut_holes(&b, next);
    for (int s = 0; s < count; s++)
        feet[s] = follow_rim(next, find_rim(&b, &spikes[s], next));
    round_off(&b, feet);
    for (int s = 0; s < count; s++)
        measure_angles(&b, &spikes[s], &feet[s]);
    compact(&b, surface, feet);
    sn_free(next);
    sn_free(b.spike_of);
    sn_free(b.rim_of);
    sn_vector_free(&b.targets);
    sn_vector_free(&b.surface.vertices);
    sn_vector_free(&b.surface.triangles);
}
