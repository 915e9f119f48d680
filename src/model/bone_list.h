/* All bones of a scene, one by one: those that it names, and those of characters' skeletons.
 *
 * A skeleton (io/motion/rig.h) gives a bone for each joint: a capsule from the joint towards each
 * that hangs on it or, where nothing does, into the flesh that it moves. Of such a line only the
 * part counts that is inside the body, and there a capsule is a part as thick as the flesh: as far
 * as the surface is where that is nearest (Embree), and no farther than the nearer of the vertices
 * that the joint moves most, where the file tells. What has no flesh around it is no bone, nor is
 * what lies between joints that the animation moves apart.
 *
 * A single bone that is called as a joint stands in the joint's place, and goes as the joint goes
 * if it has no motion of its own.
 *
 * Hides files, and who reads them: rank 0. */
#ifndef SN_MODEL_BONE_LIST_H
#define SN_MODEL_BONE_LIST_H

#include "io/scene/scene.h"
#include "mesh/shared.h"
#include "motion/motion.h"
#include "motion/moving_mesh.h"

typedef struct {
    double a[3], b[3], radius;
} sn_bone_capsule;

typedef struct {
    char *name;
    size_t entry; /* of the scene's bones */
    double stiffness;
    SN_VECTOR(sn_bone_capsule) capsules; /* none: the entry's mesh */
    sn_moving moving;
    sn_moving_mesh *shape; /* of one that changes its shape, which then does not move */
} sn_listed_bone;

typedef struct {
    SN_VECTOR(sn_listed_bone) bones;
    SN_VECTOR(sn_motion *) clocks; /* settings of motions that no entry has */
} sn_bone_list;

/* The surfaces of the scene's bodies, at rest where the scene puts them. */
typedef const sn_mesh *sn_body_surface(void *context, int body);

/* Collective. Failures name file, line and key. After one there is nothing to free. The scene must
 * live as long as the list. */
SN_CHECKED sn_status sn_bone_list_create(MPI_Comm comm, const sn_scene *scene,
                                         sn_body_surface *surface, void *context,
                                         sn_bone_list *list);
void sn_bone_list_free(sn_bone_list *list);

/* Collective: the surface of a bone, at rest. */
SN_CHECKED sn_status sn_bone_list_mesh(MPI_Comm comm, const sn_scene *scene,
                                       const sn_bone_list *list, size_t bone, sn_shared_mesh *mesh);

#endif
