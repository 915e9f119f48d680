#include "springs/host_element.h"

#include "octree/family.h"

#include <math.h>
#include <string.h>

/* Places of carried points are whole numbers of these parts of a finest cell. */
static const double GRAINS = 0x1p16;

sn_host_element sn_host_element_of(const sn_locator *locator, uint64_t element)
{
    const sn_octree *tree = locator->tree;
    sn_host_element host = {.key = locator->elements.key[element],
                            .height = locator->elements.height[element],
                            .hanging = tree->hanging[element],
                            .coarse_copy = tree->coarse_copy ? tree->coarse_copy[element] : 0};
    sn_locator_node_copies(locator, element, host.node_copy);
    return host;
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

sn_key sn_host_cell(const sn_bodies *bodies, const sn_flesh_point *p)
{
    return p->carrier ? p->carrier - 1 : sn_locate_cell(bodies, p->body, p->at) | (sn_key)p->copy;
}

/* Coordinates of a carried point, which may be below 0 and above 1. Of corners they are whole
 * numbers, which rounding must not spoil: weights would not vanish. */
static void carry(const sn_body *body, const sn_host_element *host, const double at[3],
                  double local[3])
{
    uint32_t anchor[3];
    sn_key_anchor(host->key, anchor);
    for (int d = 0; d < 3; d++) {
        double cells = rint((at[d] - body->origin[d]) / body->cell * GRAINS) / GRAINS;
        local[d] = (cells - anchor[d]) / sn_edge(host->height);
    }
}

/* The same of any point, and what it is outside by. */
static void place_within(const sn_host_element *host, const sn_bodies *bodies,
                         const sn_flesh_point *p, double local[3], double offset[3])
{
    const sn_body *body = body_of(host, bodies);
    bool inside = sn_locate_within(body, host->key, host->height, p->at, local, offset);
    for (int d = 0; d < 3 && (inside || p->carrier); d++)
        offset[d] = 0;
    if (p->carrier)
        carry(body, host, p->at, local);
}

void sn_host_element_row(const sn_host_element *host, const sn_bodies *bodies,
                         const sn_flesh_point *point, sn_key node[SN_HOST_NODES],
                         double weight[SN_HOST_NODES], double offset[3])
{
    double local[3];
    place_within(host, bodies, point, local, offset);
    int child = sn_key_child(host->key, host->height);
    sn_parent parent = sn_parent_of(host->key, host->height);
    for (int c = 0; c < SN_HOST_NODES; c++) {
        node[c] = sn_lattice_key(&parent, sn_lattice_conforming(child, c, host->hanging)) |
                  host->node_copy[c];
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
