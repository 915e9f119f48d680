#include "contact/colliders/clear.h"

#include "contact/colliders/frame.h"

/* Of a distance: more than rounding takes from it. */
static const double rounding = 1e-9;

static void ball_around(const double (*at)[3], size_t n, sn_vec *center, double *radius)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++) {
            low[d] = at[i][d] < low[d] ? at[i][d] : low[d];
            high[d] = at[i][d] > high[d] ? at[i][d] : high[d];
        }
    *center = sn_vec_between(sn_vec_load(low), sn_vec_load(high), 0.5);
    *radius = sn_vec_length(sn_vec_sub(sn_vec_load(high), *center));
}

sn_clear_run sn_clear_run_of(const sn_colliders *c, const double (*position)[3], size_t from,
                             size_t to, bool at_start)
{
    sn_clear_run run = {.at_start = at_start, .touched = c->first[to] > c->first[from]};
    ball_around(position + from, to - from, &run.center[1], &run.radius[1]);
    if (!at_start)
        ball_around((const double(*)[3])c->before + from, to - from, &run.center[0],
                    &run.radius[0]);
    return run;
}

/* Around both balls, in the collider's frame, where straight ways from one to the other stay. */
static double ball_of_way(const sn_moving_collider *c, const sn_clear_run *run, sn_vec *center)
{
    sn_vec now = sn_collider_into_frame(&c->now, run->center[1]);
    *center = now;
    if (run->at_start)
        return run->radius[1];
    sn_vec before = sn_collider_into_frame(&c->before, run->center[0]);
    *center = sn_vec_between(before, now, 0.5);
    return sn_vec_length(sn_vec_sub(now, before)) / 2 + fmax(run->radius[0], run->radius[1]);
}

static bool is_outside_box(const sn_box *box, sn_vec center, double reach)
{
    double at[3];
    sn_vec_store(center, at);
    for (int d = 0; d < 3; d++)
        if (at[d] - reach > box->max[d] || at[d] + reach < box->min[d])
            return true;
    return false;
}

bool sn_collider_is_clear(const sn_moving_collider *c, const sn_clear_run *run, double margin)
{
    sn_vec center;
    double reach = ball_of_way(c, run, &center) + margin;
    reach += rounding * (reach + sn_vec_length(center));
    if (run->touched && !run->at_start)
        return false;
    if (!c->surface)
        return sn_shape_nearest(&c->settings->shape, center).distance > reach;
    sn_box box = sn_collider_mesh_bounds(c->surface);
    return !(run->at_start && c->settings->shape.invert) && is_outside_box(&box, center, reach);
}
