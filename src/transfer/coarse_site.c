#include "transfer/coarse_site.h"

#include "base/array.h"
#include "curve/search.h"
#include "octree/family.h"
#include "partition/records.h"

#include <string.h>

typedef SN_VECTOR(sn_coarse_site) site_list;
typedef SN_VECTOR(int) rank_list;

/* The trilinear function of a corner at a lattice point, in units of 1/8. */
static int trilinear(int corner, int point)
{
    int weight = 1;
    for (int axis = 0; axis < 3; axis++) {
        int at = point / sn_lattice_step(axis) % 3;
        weight *= corner >> axis & 1 ? at : 2 - at;
    }
    return weight;
}

/* A primary node's weight goes to its conforming nodes, as W transposed has it (section 3.2): a
 * hanging corner is the mean of the parent's corners at the ends of its edge, or around its
 * face. Those are the corners that differ from it only along the axes on which it is in the
 * parent's middle, and the child's conforming nodes of the same numbers lie there. */
static void scatter(int corner, int child, bool hangs, int weight, int conforming[8])
{
    int middle = hangs ? corner ^ child : 0;
    int share = weight >> __builtin_popcount((unsigned)middle);
    assert(share << __builtin_popcount((unsigned)middle) == weight);
    for (int b = 0; b < 8; b++)
        if (((b ^ corner) & ~middle) == 0)
            conforming[b] += share;
}

static int insert(sn_key key, int weight, int n, sn_key keys[SN_ROW_ENTRIES],
                  uint8_t weights[SN_ROW_ENTRIES])
{
    int at = n;
    for (; at > 0 && keys[at - 1] > key; at--) {
        keys[at] = keys[at - 1];
        weights[at] = weights[at - 1];
    }
    keys[at] = key;
    weights[at] = (uint8_t)weight;
    return n + 1;
}

int sn_coarse_site_row(const sn_coarse_site *p, sn_key keys[SN_ROW_ENTRIES],
                       uint8_t weights[SN_ROW_ENTRIES])
{
    enum { TRILINEAR_ONE = 8 };
    sn_parent parent = sn_parent_of(p->element, p->height);
    int child = sn_key_child(p->element, p->height);
    int conforming[8] = {0};
    for (int corner = 0; corner < 8; corner++)
        scatter(corner, child, p->hanging >> corner & 1,
                trilinear(corner, p->point) * (SN_WEIGHT_ONE / TRILINEAR_ONE), conforming);
    int n = 0;
    for (int b = 0; b < 8; b++)
        if (conforming[b])
            n = insert(sn_lattice_key(&parent, sn_lattice_conforming(child, b, p->hanging)) |
                           p->node_copy[b],
                       conforming[b], n, keys, weights);
    return n;
}

static sn_coarse_site place(sn_key node, const sn_container *c, sn_key fine_key, int fine_height,
                            int corner)
{
    int child = c->height == fine_height ? corner : sn_key_child(fine_key, fine_height);
    sn_coarse_site site = {.node = node,
                           .element = c->key,
                           .height = c->height,
                           .hanging = c->hanging,
                           .point = (uint8_t)sn_lattice_corner(child, corner),
                           .known = 1};
    memcpy(site.node_copy, c->node_copy, sizeof site.node_copy);
    return site;
}

/* Places the nodes at the corners of owned elements: own and ghost ones. */
static void place_local(const sn_octree *fine, const sn_containers *containers,
                        const sn_key *node_keys, sn_coarse_site *sites)
{
    sn_leaves elements = sn_octree_elements(fine);
    for (sn_local e = 0; e < fine->n_elements; e++) {
        const sn_container *c = &containers->container[containers->of_element[e]];
        for (int corner = 0; corner < 8; corner++) {
            sn_local node = fine->conforming[e][corner];
            bool hangs = fine->hanging[e] >> corner & 1; /* then the node is somewhere else */
            if (!hangs && !sites[node].known)
                sites[node] =
                    place(node_keys[node], c, elements.key[e], elements.height[e], corner);
        }
    }
    sn_leaves_free(&elements);
}

/* A node on the boundary need not touch any element of its owner: those who have one tell. */
static sn_inbox tell_owners(const sn_octree *fine, const sn_coarse_site *ghosts)
{
    site_list told = {0};
    rank_list destination = {0};
    for (sn_local g = 0; g < fine->n_ghost_nodes; g++)
        if (ghosts[g].known) {
            sn_push(&told, ghosts[g]);
            sn_push(&destination, sn_owner_of(&fine->owners, ghosts[g].node));
        }
    sn_inbox in = sn_records_send(fine->comm, sizeof(sn_coarse_site), told.data, destination.data,
                                  told.count);
    sn_vector_free(&told);
    sn_vector_free(&destination);
    return in;
}

static sn_status take_missing(const sn_octree *fine, const sn_inbox *in, const sn_key *node_keys,
                              sn_coarse_site *sites)
{
    const sn_coarse_site *arrived = in->data;
    sn_search search = sn_search_create(node_keys, (size_t)fine->n_nodes);
    for (size_t i = 0; i < in->n; i++) {
        sn_local node = sn_search_find(&search, arrived[i].node);
        if (node != SN_NONE && !sites[node].known)
            sites[node] = arrived[i];
    }
    sn_search_free(&search);
    for (sn_local node = 0; node < fine->n_nodes; node++)
        if (!sites[node].known)
            return SN_FAIL(SN_MACHINE, "internal error: no coarse element for the node at %llx",
                           (unsigned long long)node_keys[node]);
    return SN_OK;
}

sn_status sn_coarse_sites_find(const sn_octree *fine, const sn_containers *containers,
                               sn_coarse_site **sites)
{
    sn_key *node_keys = sn_octree_node_keys(fine);
    sn_coarse_site *all = SN_NEW_ZERO(sn_coarse_site, fine->n_nodes + fine->n_ghost_nodes);
    place_local(fine, containers, node_keys, all);
    sn_inbox in = tell_owners(fine, all + fine->n_nodes);
    sn_status status = sn_agree(fine->comm, take_missing(fine, &in, node_keys, all));
    sn_inbox_free(&in);
    sn_free(node_keys);
    if (status != SN_OK) {
        sn_free(all);
        return status;
    }
    SN_RESIZE(all, fine->n_nodes);
    *sites = all;
    return SN_OK;
}
