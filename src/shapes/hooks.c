#include "shapes/hooks.h"

#include "base/pi.h"
#include "shapes/modelling/ring.h"

static const double RING_LENGTH = SN_PI * SN_HOOK_RING;
static const double LENGTH = SN_HOOK_SHANK + SN_PI * SN_HOOK_RING + SN_HOOK_LIP;

/* Where a hook lies: the plane of its axis, and the lowest point of its ring there. */
typedef struct {
    sn_vec across, up, lowest;
    int detail;
    double size;
} hook;

/* A point of the axis and the way it goes, in the hook's plane. */
typedef struct {
    double across, up, way_across, way_up;
} axis_point;

/* From the shank's end down, around and up again, in parts of the size. */
static axis_point point_at(double along)
{
    double around = along - SN_HOOK_SHANK;
    if (around <= 0)
        return (axis_point){-SN_HOOK_RING, SN_HOOK_RING - around, 0, -1};
    if (around >= RING_LENGTH)
        return (axis_point){SN_HOOK_RING, SN_HOOK_RING + around - RING_LENGTH, 0, 1};
    double angle = around / SN_HOOK_RING;
    return (axis_point){-SN_HOOK_RING * cos(angle), SN_HOOK_RING * (1 - sin(angle)), sin(angle),
                        -cos(angle)};
}

static sn_vec in_space(const hook *h, double across, double up)
{
    return sn_vec_add(sn_vec_scale(h->across, across), sn_vec_scale(h->up, up));
}

static sn_vec place_at(const hook *h, double along)
{
    axis_point p = point_at(along);
    return sn_vec_add(h->lowest, sn_vec_scale(in_space(h, p.across, p.up), h->size));
}

static sn_frame frame_at(const hook *h, double along)
{
    axis_point p = point_at(along);
    sn_frame frame = {.axis = in_space(h, p.way_across, p.way_up),
                      .side = sn_vec_cross(h->across, h->up)};
    frame.other_side = sn_vec_cross(frame.axis, frame.side);
    return frame;
}

/* A ring of the surface around the axis; `beyond` the axis' end along it on a rounded end. */
static sn_ring ring_at(const hook *h, double along, double beyond, sn_surface *surface)
{
    sn_frame frame = frame_at(h, along);
    double radius = sqrt(SN_HOOK_THICK * SN_HOOK_THICK - beyond * beyond);
    sn_vec centre = sn_vec_add(place_at(h, along), sn_vec_scale(frame.axis, beyond * h->size));
    return sn_ring_add(surface, &frame, centre, radius * h->size, 1, h->detail, 0);
}

static void add_ring(sn_surface *surface, sn_ring *last, sn_ring next)
{
    sn_ring_join(surface, last, &next);
    *last = next;
}

static sn_vec end_at(const hook *h, double along, double beyond)
{
    return sn_vec_add(place_at(h, along), sn_vec_scale(frame_at(h, along).axis, beyond * h->size));
}

static void add_hook(const hook *h, sn_surface *surface)
{
    int on_end = h->detail / 4, steps = (int)ceil(LENGTH * h->detail / (2 * SN_PI * SN_HOOK_THICK));
    double turn = SN_PI / 2 / on_end;
    sn_ring last = ring_at(h, 0, -SN_HOOK_THICK * cos(turn), surface);
    sn_ring_open(surface, &last, end_at(h, 0, -SN_HOOK_THICK));
    for (int i = 2; i < on_end; i++)
        add_ring(surface, &last, ring_at(h, 0, -SN_HOOK_THICK * cos(i * turn), surface));
    for (int i = 0; i <= steps; i++)
        add_ring(surface, &last, ring_at(h, LENGTH * i / steps, 0, surface));
    for (int i = 1; i < on_end; i++)
        add_ring(surface, &last, ring_at(h, LENGTH, SN_HOOK_THICK * sin(i * turn), surface));
    sn_ring_close(surface, &last, end_at(h, LENGTH, SN_HOOK_THICK));
}

void sn_make_hooks(double size, double gap, int detail, sn_surface *surface)
{
    double apart = SN_HOOK_THICK * size + gap / 2; /* of each axis from the origin */
    hook one = {{1, 0, 0}, {0, 1, 0}, {0, -apart, 0}, detail, size};
    hook two = {{0, 0, 1}, {0, -1, 0}, {0, apart, 0}, detail, size};
    add_hook(&one, surface);
    add_hook(&two, surface);
}
