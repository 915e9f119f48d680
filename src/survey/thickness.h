/* How thick flesh is, and how near surfaces are that face each other through air.
 *
 *        ______________       From many places of the surface a ray goes straight inwards, and one
 *       |   ^          |      outwards. What it meets counts where it faces the place: at an edge
 * or
 *       |___|__________|      in a crease the surface is near itself, but neither thin nor close.
 *          gap
 *       |--------------|      Single thin places are everywhere on real meshes, so that what is
 * told is the least that a hundredth of the surface has.
 *
 * Serial, with threads. */
#ifndef SN_SURVEY_THICKNESS_H
#define SN_SURVEY_THICKNESS_H

#include "base/status.h"
#include "mesh/mesh.h"

#include <stdbool.h>

typedef struct {
    double distance; /* INFINITY where there is no such thing */
    double place[3]; /* one that has it */
} sn_thin_part;

typedef struct {
    sn_thin_part thinnest; /* a hundredth of the surface is over flesh at most as thick */
    double usual;          /* half of it is; INFINITY if there is none */
    sn_thin_part closest;  /* a hundredth faces other surface at most so far away */
} sn_thickness;

SN_CHECKED sn_status sn_mesh_thickness(const sn_mesh *mesh, bool inside_out,
                                       sn_thickness *thickness);

#endif
