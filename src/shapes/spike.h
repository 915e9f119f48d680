/* The spiky head: a ball covered with spikes of three sizes, for tests of scale.
 *
 * Knows where the spikes stand and how large they are. Seen from its centre the surface lies at
 * one distance in each direction, so that it can't cross itself however thin the spikes are. */
#ifndef SN_SHAPES_SPIKE_H
#define SN_SHAPES_SPIKE_H

#include "shapes/modelling/surface.h"

/* `detail` is the number of edges around a spike, at any height. */
void sn_make_spike(double radius, int count, int detail, sn_surface *surface);

#endif
