/* One spike of the spiky head: its profile, and its triangles.
 *
 * All lengths in radii of the head, whose centre is the origin. A spike is a cone with a rounded
 * tip and a flared foot. Its surface lies at one distance from the centre in each direction. */
#ifndef SN_SHAPES_SPIKE_CONE_H
#define SN_SHAPES_SPIKE_CONE_H

#include "shapes/modelling/ring.h"

typedef struct {
    double base, height, tip; /* radius at the foot, height, radius of the rounded tip */
} sn_spike_size;

typedef struct {
    sn_frame frame;
    sn_spike_size size;
    double lean, straight; /* sine and cosine of the slope of the flank */
    double tip_centre;     /* distance of the tip's ball from the centre of the head */
    double tip_angle;      /* angle from the axis where the tip meets the flank */
} sn_spike;

sn_spike sn_spike_place(sn_vec axis, sn_spike_size size);

/* The angle from the axis within which the spike needs the head for itself. */
double sn_spike_reach(const sn_spike *spike);

/* Grows the spike from a ring of vertices on the head at angle sn_spike_reach. `detail` is the
 * number of edges around it, at any height. */
void sn_spike_grow(const sn_spike *spike, const sn_ring *foot, int detail, sn_surface *surface);

#endif
