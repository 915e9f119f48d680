#include "springs/host_element.h"

#include "octree/family.h"

sn_host_element sn_host_element_of(const sn_locator *locator, uint64_t element)
{
    return (sn_host_element){.key = locator->elements.key[element],
                             .height = locator->elements.height[element],
                             .hanging = locator->tree->hanging[element]};
}

static const sn_body *body_of(const sn_host_element *host, const sn_bodies *bodies)
{
    return &bodies->body[sn_key_body(host->key)];
}

/* Hands the weight of a corner on. A hanging corner lies in the middle of an edge or a face of
 * the parent, between the parent's corners: its own number with bits of `child` in all ways put
 * in the place of those that differ. */
static void hand_on(int corner, int child, bool hanging, double share, double weight[SN_HOST_NODES])
{
    if (!hanging) {
        weight[corner] += share;
        return;
    }
    int between = corner ^ child;
    double part = share / (1 << __builtin_popcount((unsigned)between)); /* exact */
    for (int ways = between;; ways = (ways - 1) & between) {
        weight[child ^ ways] += part;
        if (ways == 0)
            break;
    }
}

void sn_host_element_row(const sn_host_element *host, const sn_bodies *bodies, const double at[3],
                         sn_key node[SN_HOST_NODES], double weight[SN_HOST_NODES], double offset[3])
{
    double local[3], outside[3];
    bool inside =
        sn_locate_within(body_of(host, bodies), host->key, host->height, at, local, outside);
    for (int d = 0; d < 3; d++)
        offset[d] = inside ? 0 : outside[d];
    int child = sn_key_child(host->key, host->height);
    sn_parent parent = sn_parent_of(host->key, host->height);
    for (int c = 0; c < SN_HOST_NODES; c++) {
        node[c] = sn_lattice_key(&parent, sn_lattice_conforming(child, c, host->hanging));
        weight[c] = 0;
    }
    for (int c = 0; c < SN_HOST_NODES; c++) {
        double share = 1;
        for (int d = 0; d < 3; d++)
            share *= c >> d & 1 ? local[d] : 1 - local[d];
        hand_on(c, child, host->hanging >> c & 1, share, weight);
    }
}

int sn_host_element_eighth(const sn_host_element *host, const sn_bodies *bodies, const double at[3])
{
    double local[3], offset[3];
    sn_locate_within(body_of(host, bodies), host->key, host->height, at, local, offset);
    return (local[0] >= 0.5) | (local[1] >= 0.5) << 1 | (local[2] >= 0.5) << 2;
}
