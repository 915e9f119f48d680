/* Rings of vertices around an axis, and the strips of triangles between them.
 *
 * Knows how to join two rings with any number of vertices each, by always taking the next vertex
 * in order of angle; hides nothing else. Rings run counter-clockwise as seen from outside. */
#ifndef SN_SHAPES_MODELLING_RING_H
#define SN_SHAPES_MODELLING_RING_H

#include "shapes/modelling/surface.h"

enum { SN_RING_MOST = 256 };

typedef struct {
    int count;
    int32_t vertex[SN_RING_MOST];
    double angle[SN_RING_MOST]; /* around the axis, rising by one full turn in all */
} sn_ring;

/* A right-handed frame of unit vectors around `axis`. */
typedef struct {
    sn_vec axis, side, other_side;
} sn_frame;

sn_frame sn_frame_around(sn_vec axis);

/* `count` new vertices evenly around the point `centre`, at distance `radius` from the axis; the
 * first at angle `start`. `squash` scales along the frame's other_side. */
sn_ring sn_ring_add(sn_surface *surface, const sn_frame *frame, sn_vec centre, double radius,
                    double squash, int count, double start);

/* Opens a surface: a fan from a new vertex to the first ring, which lies further along the axis. */
void sn_ring_open(sn_surface *surface, const sn_ring *ring, sn_vec apex);

/* The strip between two rings, of which `inner` lies further along the axis. */
void sn_ring_join(sn_surface *surface, const sn_ring *outer, const sn_ring *inner);

/* Closes the last ring with a fan around a new vertex. */
void sn_ring_close(sn_surface *surface, const sn_ring *ring, sn_vec apex);

#endif
