/* What is in a shot beside the flesh, as meshes: its colliders and, if the scene wants to see them,
 * its bones.
 *
 * Knows how a collider's shape becomes triangles and where things are at a frame. Inverted shapes
 * are not drawn, for one would look at them from outside; nor are half spaces, but one of them can
 * be the ground. */
#ifndef SN_RENDER_PROPS_H
#define SN_RENDER_PROPS_H

#include "io/scene/scene.h"
#include "mesh/shared.h"
#include "model/bone_list.h"
#include "motion/motion.h"
#include "motion/moving_mesh.h"
#include "render/picture.h"

typedef struct {
    size_t number; /* of the collider or the bone in the scene */
    sn_mesh mesh;  /* at rest; its arrays are in `shared` if there is a file */
    sn_shared_mesh shared;
    bool from_file;
    sn_moving moving;
    sn_moving_mesh *sequence; /* instead of all this; each rank reads its own frames */
} sn_prop;

typedef SN_VECTOR(sn_prop) sn_prop_list;

typedef struct {
    const sn_scene *scene; /* the caller's */
    sn_prop_list colliders, bones;
    sn_bone_list bone_list; /* how bones move */
} sn_props;

/* Collective, as is freeing. After a failure there is nothing to free. */
SN_CHECKED sn_status sn_props_create(MPI_Comm comm, const sn_scene *scene, sn_props *props);
void sn_props_free(sn_props *props);

/* Not collective. Adds them as they stand at a frame; fails if a file of a sequence is gone. */
SN_CHECKED sn_status sn_props_add(const sn_props *props, double frame, sn_picture *picture);

/* Not collective. The same colliders, one mesh after another, to be looked at; each is gone after
 * the call. */
typedef void sn_prop_visit(void *context, const sn_mesh *mesh);
SN_CHECKED sn_status sn_props_visit(const sn_props *props, double frame, sn_prop_visit *visit,
                                    void *context);

/* The half space that faces up and is the lowest under (or above) `point` at a frame, as a point
 * straight under there and the normal. False if there is none. */
bool sn_props_find_ground(const sn_props *props, double frame, const double up[3],
                          const double point[3], sn_ground *ground);

#endif
