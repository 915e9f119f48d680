/* Embree, which finds the triangles and boxes that rays, points and other boxes meet.
 *
 * Knows that a rank has one device, whoever searches: it is started by the first that needs it,
 * with as many threads as OpenMP has, and serves until the program ends. Scenes are their makers'.
 * Hides how it is set up, and counts its memory with the rank's.
 *
 * Not collective, and not for several threads at once. */
#ifndef SN_MESH_EMBREE_H
#define SN_MESH_EMBREE_H

#include "base/status.h"
#include "mesh/mesh.h"

#include <embree3/rtcore.h>

/* This rank's device; nobody releases it but sn_embree_stop. */
SN_CHECKED sn_status sn_embree_start(RTCDevice *device);

/* At the end of the program, when no scene is left. Does nothing if it was never started. */
void sn_embree_stop(void);

/* Has Embree failed since this was last asked? Then the message says that it cannot do `what`. */
SN_CHECKED sn_status sn_embree_status(const char *what);

/* Bytes that all scenes of this rank hold now. */
size_t sn_embree_bytes(void);

/* The nearest single precision numbers that are not above, and not below. */
float sn_embree_not_above(double a);
float sn_embree_not_below(double a);

/* A box rounded outward to single precision. */
struct RTCBounds sn_embree_bounds(const sn_box *box);

/* n things that have boxes, as a geometry to be committed and attached. `data` is what both
 * functions get; without rays `intersect` is NULL. */
RTCGeometry sn_embree_boxed_things(RTCDevice device, void *data, size_t n, RTCBoundsFunction bounds,
                                   RTCIntersectFunctionN intersect);

#endif
