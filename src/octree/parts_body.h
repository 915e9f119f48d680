/* How octrees speak to mesh/parts: inside knowledge of parts.c and its like. */
#ifndef SN_OCTREE_PARTS_BODY_H
#define SN_OCTREE_PARTS_BODY_H

#include "mesh/parts/cell_parts.h"
#include "octree/surface.h"

static inline sn_parts_body sn_parts_body_of(const sn_bodies *bodies, const sn_solid *solids, int b)
{
    const sn_body *body = &bodies->body[b];
    return (sn_parts_body){.mesh = solids[b].mesh,
                           .winding = solids[b].winding,
                           .origin = {body->origin[0], body->origin[1], body->origin[2]},
                           .cell = body->cell,
                           .sense = solids[b].inside_out ? -1 : 1};
}

static inline void sn_parts_cell_place(sn_key key, int32_t at[3])
{
    uint32_t xyz[3];
    sn_key_anchor(key, xyz);
    for (int d = 0; d < 3; d++)
        at[d] = (int32_t)xyz[d];
}

#endif
