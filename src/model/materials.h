/* Materials: what each element of the finest level is made of.
 *
 * Knows how a scene's materials and their regions reach the elements: an element belongs to a
 * region if its centre lies inside, and takes from it the values that the region gives; of
 * several regions a later one counts, value by value. Regions are known to all ranks, so ghost
 * elements are decided here too, without a message.
 *
 * Cells that the surface cuts count as full, in stiffness and in mass, as in the paper: the
 * simulated body is the union of its elements, and its mass is theirs.
 *
 * Units are the scene's: young in force per area, density in mass per volume, damping in time
 * (elastic/damping.h). */
#ifndef SN_MODEL_MATERIALS_H
#define SN_MODEL_MATERIALS_H

#include "elastic/law.h"
#include "io/scene/scene.h"
#include "octree/octree.h"

typedef struct {
    size_t n_elements;                           /* local ones: owned, then ghosts */
    double *young, *poisson, *density, *damping; /* for each local element */
    sn_law_kind law;
    sn_law_parameters
        *parameters; /* of young, poisson and the body's hourglass rule, for the law */
} sn_materials;

/* The constitutive law of a scene: one for all bodies. */
sn_law_kind sn_materials_law(const sn_scene *scene);

/* Collective. The bodies of the tree are those of the scene, in the same order. Failures name
 * file, line and key; after one there is nothing to free. */
SN_CHECKED sn_status sn_materials_create(const sn_scene *scene, const sn_octree *tree,
                                         sn_materials *materials);
void sn_materials_free(sn_materials *materials);

#endif
