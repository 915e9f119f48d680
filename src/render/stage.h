/* A shot, ready for its pictures: camera, ground, colliders, and bones if the scene wants them.
 *
 * The camera is one for the whole shot: what moves in the pictures moves in the scene. So it is
 * made from the extent of all frames, whichever of them are drawn. Colliders are seen whole, and
 * stand on the ground or above it; but one that is much larger than the room of the bodies, a
 * floor or a wall, is let out of the picture. */
#ifndef SN_RENDER_STAGE_H
#define SN_RENDER_STAGE_H

#include "render/colouring.h"
#include "render/props.h"

/* Where the bodies have been, and then colliders. */
typedef struct {
    sn_box box;
    double lowest;         /* along the scene's up; of colliders, too */
    double collider_reach; /* a collider that is longer does not count for the camera */
    sn_framing framing;
} sn_extent;

/* Of nothing yet; for pictures as the scene wants them. */
sn_extent sn_extent_begin(const sn_scene *scene);
void sn_extent_add(sn_extent *extent, const sn_mesh *mesh);
/* Collective: becomes that of all ranks together. */
void sn_extent_unite(MPI_Comm comm, sn_extent *extent);

typedef struct {
    const sn_scene *scene; /* the caller's */
    sn_extent extent;
    sn_camera camera;
    sn_props props;
    sn_colouring colouring;
} sn_stage;

/* Collective, as is freeing. The extent is that of the bodies in these frames, which colliders are
 * added to. After a failure there is nothing to free. */
SN_CHECKED sn_status sn_stage_create(MPI_Comm comm, const sn_scene *scene, const sn_extent *extent,
                                     const sn_frame_list *frames, sn_stage *stage);
void sn_stage_free(sn_stage *stage);

/* Not collective. The bodies at a frame, in the order of the scene, or what else has values of the
 * stage's field; a mesh without triangles is not seen. */
SN_CHECKED sn_status sn_stage_draw(const sn_stage *stage, int frame, const sn_frame_meshes *meshes,
                                   sn_image *image);

#endif
