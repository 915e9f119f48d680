#include "shapes/spike.h"

#include "base/pi.h"
#include "shapes/spike_ball.h"
#include "shapes/spike_cone.h"

/* In radii of the head. */
static const sn_spike_size LARGE = {0.085, 0.95, 0.018};
static const sn_spike_size MEDIUM = {0.055, 0.70, 0.011};
static const sn_spike_size SMALL = {0.030, 0.45, 0.006};

/* The sizes take turns along the spiral on which the spikes stand. */
static const sn_spike_size *const TURNS[] = {&LARGE, &SMALL, &MEDIUM, &SMALL, &MEDIUM, &SMALL};
enum {
    N_TURNS = sizeof TURNS / sizeof TURNS[0],
    ROOMY_COUNT = 100 /* more spikes than this must be smaller to find room */
};

/* Evenly over the ball, on a spiral whose turns are the golden angle apart. */
static sn_vec spiral_direction(int i, int count)
{
    const double golden_angle = SN_PI * (3 - sqrt(5.0));
    double y = 1 - (2 * i + 1.0) / count, r = sqrt(1 - y * y);
    return (sn_vec){r * cos(golden_angle * i), y, r * sin(golden_angle * i)};
}

static sn_spike place_spike(int i, int count)
{
    double room = fmin(1, sqrt((double)ROOMY_COUNT / count));
    sn_spike_size size = *TURNS[i % N_TURNS];
    size = (sn_spike_size){size.base * room, size.height * room, size.tip * room};
    return sn_spike_place(spiral_direction(i, count), size);
}

void sn_make_spike(double radius, int count, int detail, sn_surface *surface)
{
    sn_spike *spikes = SN_NEW(sn_spike, count);
    sn_ring *feet = SN_NEW(sn_ring, count);
    for (int i = 0; i < count; i++)
        spikes[i] = place_spike(i, count);
    sn_make_spike_ball(spikes, count, detail, surface, feet);
    for (int i = 0; i < count; i++)
        sn_spike_grow(&spikes[i], &feet[i], detail, surface);
    for (size_t v = 0; v < surface->vertices.count; v++)
        surface->vertices.data[v] = sn_vec_scale(surface->vertices.data[v], radius);
    sn_free(spikes);
    sn_free(feet);
}
