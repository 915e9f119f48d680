#include "octree/positions.h"

#include "base/array.h"

static void place(const sn_bodies *bodies, sn_key key, double half_edge, double position[3])
{
    const sn_body *body = &bodies->body[sn_key_body(key)];
    uint32_t anchor[3];
    sn_key_anchor(key, anchor);
    for (int d = 0; d < 3; d++)
        position[d] = body->origin[d] + body->cell * (anchor[d] + half_edge);
}

void sn_octree_node_positions(const sn_octree *tree, double (*position)[3])
{
    sn_local n = tree->n_nodes + tree->n_ghost_nodes;
    sn_key *keys = sn_octree_node_keys(tree);
#pragma omp parallel for
    for (sn_local i = 0; i < n; i++)
        place(tree->bodies, keys[i], 0, position[i]);
    sn_free(keys);
}

void sn_octree_element_centres(const sn_octree *tree, double (*centre)[3])
{
    sn_leaves elements = sn_octree_elements(tree);
#pragma omp parallel for
    for (size_t e = 0; e < elements.n; e++)
        place(tree->bodies, elements.key[e], 0.5 * sn_edge(elements.height[e]), centre[e]);
    sn_leaves_free(&elements);
}
