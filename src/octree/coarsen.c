#include "octree/coarsen.h"

#include "base/timer.h"
#include "octree/balance.h"
#include "octree/coarse_joints.h"

/* An element's parent is wanted as a leaf: it becomes a family that is present but not
 * required, and the sweep requires the families above it. Where another element lies deeper
 * below the same parent, the sweep finds the parent required, and its children stay leaves. */
static void parents_of_elements(const sn_octree *fine, sn_families *families)
{
    sn_leaves elements = sn_octree_elements(fine);
    for (size_t e = 0; e < (size_t)fine->n_elements; e++) {
        sn_key key = elements.key[e];
        int height = elements.height[e];
        const sn_body *body = &fine->bodies->body[sn_key_body(key)];
        sn_family parent = {.key = sn_key_ancestor(key, height + 1),
                            .present = (uint8_t)(1 << sn_key_child(key, height)),
                            /* an element that can't grow stays a leaf */
                            .required = height >= body->max_height};
        sn_families_add(families, height + 1, parent);
    }
    sn_leaves_free(&elements);
}

static sn_leaves coarse_leaves(const sn_octree *fine, const sn_owners *owners)
{
    sn_families families = {0};
    parents_of_elements(fine, &families);
    sn_balance(fine->comm, owners, fine->bodies, &families);
    sn_leaves leaves = sn_families_leaves(&families, NULL);
    sn_families_free(&families);
    return sn_leaves_to_owners(fine->comm, owners, leaves);
}

static void forget_copies(sn_octree *fine)
{
    sn_free(fine->coarse_copy);
    fine->coarse_copy = NULL;
}

sn_status sn_octree_coarsen(sn_octree *fine, int parts, sn_partition_method method,
                            sn_octree *coarse)
{
    int size;
    MPI_Comm_size(fine->comm, &size);
    sn_phase_begin("octree/coarsen");
    sn_owners owners = sn_owners_along_curve(&fine->owners, size);
    sn_leaves leaves = coarse_leaves(fine, &owners);
    sn_phase_end("octree/coarsen");

    sn_joints joints = {0};
    sn_status status = SN_OK;
    if (!sn_bodies_are_welded(fine->bodies)) {
        sn_phase_begin("octree/copies");
        status = sn_coarse_joints_find(fine, &owners, &leaves, &joints);
        sn_phase_end("octree/copies");
    }
    if (status != SN_OK) {
        sn_owners_free(&owners);
        sn_leaves_free(&leaves);
        return status;
    }
    status =
        sn_octree_create(fine->comm, fine->bodies, owners, leaves, joints, parts, method, coarse);
    if (status == SN_OK && !coarse->has_copies)
        forget_copies(fine);
    return status;
}
