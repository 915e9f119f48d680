#include "shapes/modelling/even_out.h"

#include <stdbool.h>

enum { SWEEPS = 30, TRIES = 4 }; /* a step that does harm is halved, so many times in all */

/* What a move must leave at least, see triangle_shape: about 15 degrees, and less for the sake of
 * a goal, since later sweeps make up for it. */
static const double GOOD_SHAPE = 0.10, FAIR_SHAPE = 0.08;

/* The triangles around each vertex: first[v] up to first[v + 1] in `triangle`. */
typedef struct {
    size_t *first;
    int32_t *triangle;
    size_t n_shaped;
} stars;

static stars find_stars(const sn_surface *sphere, size_t n_shaped)
{
    size_t n = sphere->vertices.count;
    stars s = {SN_NEW_ZERO(size_t, n + 2), SN_NEW(int32_t, 3 * sphere->triangles.count), n_shaped};
    for (size_t t = 0; t < sphere->triangles.count; t++)
        for (int i = 0; i < 3; i++)
            s.first[sphere->triangles.data[t].corner[i] + 2]++;
    for (size_t v = 2; v < n + 2; v++)
        s.first[v] += s.first[v - 1];
    for (size_t t = 0; t < sphere->triangles.count; t++)
        for (int i = 0; i < 3; i++)
            s.triangle[s.first[sphere->triangles.data[t].corner[i] + 1]++] = (int32_t)t;
    return s;
}

/* Twice the area, seen from the centre, over the squares of the sides: 0.29 for equal sides,
 * negative when turned over. */
static double triangle_shape(const sn_surface *sphere, int32_t t)
{
    const int32_t *c = sphere->triangles.data[t].corner;
    const sn_vec *at = sphere->vertices.data;
    sn_vec u = sn_vec_sub(at[c[1]], at[c[0]]), v = sn_vec_sub(at[c[2]], at[c[1]]);
    sn_vec w = sn_vec_sub(at[c[0]], at[c[2]]);
    double squares = sn_vec_dot(u, u) + sn_vec_dot(v, v) + sn_vec_dot(w, w);
    return sn_vec_dot(at[c[0]], sn_vec_cross(u, v)) / squares;
}

static double worst_shape(const sn_surface *sphere, const stars *s, size_t v)
{
    double worst = INFINITY;
    for (size_t i = s->first[v]; i < s->first[v + 1]; i++) {
        double shape = triangle_shape(sphere, s->triangle[i]);
        bool matters = (size_t)s->triangle[i] < s->n_shaped || shape <= 0;
        worst = fmin(worst, matters ? shape : GOOD_SHAPE);
    }
    return worst;
}

/* Inner neighbours count twice, which is as good; one at a border once. */
static sn_vec middle_of_neighbours(const sn_surface *sphere, const stars *s, size_t v)
{
    sn_vec sum = {0};
    for (size_t i = s->first[v]; i < s->first[v + 1]; i++)
        for (int c = 0; c < 3; c++) {
            int32_t corner = sphere->triangles.data[s->triangle[i]].corner[c];
            if ((size_t)corner != v)
                sum = sn_vec_add(sum, sphere->vertices.data[corner]);
        }
    return sn_vec_unit(sum);
}

static void move_vertex(sn_surface *sphere, const stars *s, size_t v, sn_vec goal, double bar)
{
    sn_vec *at = &sphere->vertices.data[v], before = *at;
    double enough = fmin(worst_shape(sphere, s, v), bar), step = 1;
    for (int try = 0; try < TRIES; try++, step /= 2) {
        *at = sn_vec_unit(sn_vec_between(before, goal, step));
        if (worst_shape(sphere, s, v) >= enough)
            return;
    }
    *at = before;
}

void sn_even_out(sn_surface *sphere, const sn_vec *goal, size_t n_shaped)
{
    stars s = find_stars(sphere, n_shaped);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t v = 0; v < sphere->vertices.count; v++) {
            if (s.first[v] == s.first[v + 1])
                continue;
            if (sn_vec_dot(goal[v], goal[v]) > 0)
                move_vertex(sphere, &s, v, goal[v], FAIR_SHAPE);
            else
                move_vertex(sphere, &s, v, middle_of_neighbours(sphere, &s, v), GOOD_SHAPE);
        }
    sn_free(s.first);
    sn_free(s.triangle);
}
