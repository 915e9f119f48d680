/* The head of the spiky ball: a unit sphere with a round hole under each spike.
 *
 * Hides the refinement towards the spikes, and the smoothing that keeps the triangles even when
 * the vertices around a hole are moved onto its circle. */
#ifndef SN_SHAPES_SPIKE_BALL_H
#define SN_SHAPES_SPIKE_BALL_H

#include "shapes/spike_cone.h"

/* feet[i] becomes the ring of vertices around the hole of spikes[i]. */
void sn_make_spike_ball(const sn_spike *spikes, int count, int detail, sn_surface *surface,
                        sn_ring *feet);

#endif
