/* A region of space: which points lie in it.
 *
 * Knows the shapes of settings.h; hides that a mesh is asked through a winding tree, which is held
 * once a node and is all that stays of the mesh. A region can be asked for any point on any
 * rank, and the answer depends on the point alone.
 *
 * Box, sphere, capsule, cylinder and half space are closed sets: a point on the border is
 * inside. There is no tolerance: the defining inequality is evaluated in double precision, so
 * a border that is meant to take in a layer of nodes is better put between two layers.
 * In a mesh are the points that it winds around more than half a time, either way around; so
 * holes are closed sensibly. On its surface either answer is possible, but always the same.
 * An inverted region has exactly the points that the plain one has not: together they leave out
 * no point and share none. */
#ifndef SN_REGION_REGION_H
#define SN_REGION_REGION_H

#include "base/shared.h"
#include "io/schema/origin.h"
#include "mesh/winding/winding.h"
#include "region/settings.h"

#include <stdint.h>

typedef struct {
    sn_shape shape;                 /* its texts are the caller's */
    const sn_winding_tree *winding; /* of a mesh, or NULL */
    sn_shared_block block;          /* that holds it */
} sn_region;

/* Collective. `key_path` is where the origin has the shape, such as pins[0].region: failures to
 * load its mesh name file, line and key. After one there is nothing to free. */
SN_CHECKED sn_status sn_region_create(MPI_Comm comm, const sn_origin *origin, const char *key_path,
                                      const sn_shape *shape, sn_region *region);
/* Collective. */
void sn_region_free(sn_region *region);

bool sn_region_contains(const sn_region *region, const double point[3]);

/* The same for n points with all threads of the rank: inside[i] becomes 1 or 0. */
void sn_region_mark(const sn_region *region, const double (*point)[3], size_t n, uint8_t *inside);

#endif
