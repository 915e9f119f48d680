#include "shapes/spike_cone.h"

#include "base/pi.h"

static const double TURN = 2 * SN_PI;

/* In radii of the foot: */
static const double REACH = 1.5; /* where the spike's triangles start, on the head */
static const double START = 1.2; /* where its profile starts to rise */
static const double FLARE = 3.0; /* the height over which the foot widens */
/* In radii of the tip: */
static const double LAST_RING = 0.4;
enum { N_PROFILE = 4000 }; /* steps in which the profile is measured */

sn_spike sn_spike_place(sn_vec axis, sn_spike_size size)
{
    sn_spike s = {
        .frame = sn_frame_around(axis), .size = size, .tip_centre = 1 + size.height - size.tip};
    s.lean = (size.base - size.tip) / (s.tip_centre - 1);
    s.straight = sqrt(1 - s.lean * s.lean);
    s.tip_angle = atan2(size.tip * s.straight, s.tip_centre + size.tip * s.lean);
    return s;
}

double sn_spike_reach(const sn_spike *spike)
{
    return REACH * spike->size.base;
}

/* The larger of a distance and the head's radius 1, with a rounded seam. */
static double with_head(double distance, double width)
{
    double overlap = fmax(0, width - fabs(distance - 1));
    return fmax(distance, 1) + overlap * overlap / (4 * width);
}

/* Distance from the centre at an angle from the axis. In the half plane through the axis, z along
 * and r away from it, the tip is a circle and the flank the line
 * lean (z - 1) + straight r = base. */
static double distance_at(const sn_spike *s, double angle)
{
    if (angle < s->tip_angle) {
        double off = s->tip_centre * sin(angle);
        return s->tip_centre * cos(angle) + sqrt(fmax(0, s->size.tip * s->size.tip - off * off));
    }
    double flank = (s->size.base + s->lean) / (s->lean * cos(angle) + s->straight * sin(angle));
    return with_head(flank, FLARE * s->size.base);
}

/* The angle of the last ring, before the tip is closed. */
static double last_angle(const sn_spike *s)
{
    return asin(LAST_RING * s->size.tip / (s->tip_centre + s->size.tip));
}

/* A point of the profile: how far along the axis and away from it. */
typedef struct {
    double along, away;
} profile_point;

static profile_point point_at(const sn_spike *s, double angle)
{
    double distance = distance_at(s, angle);
    return (profile_point){distance * cos(angle), distance * sin(angle)};
}

/* Evenly in the logarithm of the angle: the surface is steep where the angle is small. */
static double nth_angle(const sn_spike *s, int n)
{
    double first = START * s->size.base;
    return first * pow(last_angle(s) / first, (double)n / N_PROFILE);
}

/* The way up the profile, each piece measured in distances from the axis there: rows of equal
 * triangles are evenly spaced in it. way[0] is 0. */
static void measure_way(const sn_spike *s, double way[N_PROFILE + 1])
{
    way[0] = 0;
    profile_point below = point_at(s, nth_angle(s, 0));
    for (int n = 1; n <= N_PROFILE; n++) {
        profile_point here = point_at(s, nth_angle(s, n));
        double step = hypot(here.along - below.along, here.away - below.away);
        way[n] = way[n - 1] + 2 * step / (here.away + below.away);
        below = here;
    }
}

static sn_ring add_ring(const sn_spike *s, double angle, int count, double start,
                        sn_surface *surface)
{
    profile_point at = point_at(s, angle);
    return sn_ring_add(surface, &s->frame, sn_vec_scale(s->frame.axis, at.along), at.away, 1, count,
                       start);
}

void sn_spike_grow(const sn_spike *spike, const sn_ring *foot, int detail, sn_surface *surface)
{
    double *way = SN_NEW(double, N_PROFILE + 1);
    measure_way(spike, way);
    double edge = TURN / detail; /* in distances from the axis */
    int n_rows = (int)ceil(way[N_PROFILE] / edge);
    sn_ring below = *foot;
    for (int row = 0, n = 0; row <= n_rows; row++) {
        while (n < N_PROFILE && way[n] < row * way[N_PROFILE] / n_rows)
            n++;
        /* Rings stand vertex over vertex: shifted ones would lean out over the flat sides of the
         * ring below, as seen from the centre. */
        sn_ring ring = add_ring(spike, nth_angle(spike, n), detail, foot->angle[0], surface);
        sn_ring_join(surface, &below, &ring);
        below = ring;
    }
    double height = 1 + spike->size.height;
    sn_ring_close(surface, &below, sn_vec_scale(spike->frame.axis, height));
    sn_free(way);
}
