/* Triangles made ready to be found: this rank's candidates for targets (regions.h), in an Embree
 * scene, with the boxes of all ranks' candidates. */
#ifndef SN_CONTACT_SELF_TARGET_SET_H
#define SN_CONTACT_SELF_TARGET_SET_H

#include "contact/self/blocks.h"
#include "contact/self/regions.h"

typedef struct {
    sn_self_triangle t;
    int64_t label; /* of the region whose points it may be a target of */
    sn_vec corner[3];
    sn_vec normal; /* out of its flesh; zero if it has no area */
    sn_box box;
} sn_self_target_triangle;

typedef struct {
    sn_self_target_triangle *triangle; /* the scene's user data */
    size_t n;
    double slack; /* boxes are larger than their triangles by this */
    sn_self_blocks blocks;
    RTCScene scene; /* NULL without candidates */
} sn_self_target_set;

/* Collective. */
void sn_self_target_set_create(const sn_self_surface *surface, const sn_mesh *shape,
                               const sn_box *bounds, RTCDevice device,
                               const sn_self_regions *regions, sn_self_target_set *set);
void sn_self_target_set_free(sn_self_target_set *set);

#endif
