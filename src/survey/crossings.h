/* Where the surface of a mesh passes through itself, told exactly (contact/self/exact.h).
 *
 * Triangles with a common corner are compared, too, but never an edge with a triangle at one of its
 * ends; vertices at the same place are one. What lies on each other without passing through may be
 * told either way. Serial, with threads; n log n for surfaces: a triangle whose box meets a great
 * many others is given up on, and then there is `more`. */
#ifndef SN_SURVEY_CROSSINGS_H
#define SN_SURVEY_CROSSINGS_H

#include "mesh/mesh.h"

#include <stdbool.h>

typedef struct {
    int64_t pairs; /* of triangles */
    bool more;     /* than these: not all were looked at */
    /* Of the first pair, the one with the lowest numbers; 0 if there is none. */
    int32_t face[2];
    double place[3]; /* the middle of its first triangle */
} sn_mesh_crossings;

sn_mesh_crossings sn_mesh_find_crossings(const sn_mesh *mesh);

#endif
