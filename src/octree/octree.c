#include "octree/octree.h"

#include "base/array.h"
#include "base/digest.h"
#include "base/timer.h"
#include "octree/blocks.h"
#include "octree/connect.h"
#include "octree/nodes.h"
#include "octree/repartition.h"
#include "partition/split.h"

#include <string.h>

void sn_octree_free(sn_octree *tree)
{
    sn_octree_disconnect(tree);
    sn_free(tree->octant);
    sn_free(tree->body_first);
    sn_free(tree->hanging);
    sn_free(tree->coarse_copy);
    sn_free(tree->node_copy);
    sn_vector_free(&tree->bonds);
    sn_owners_free(&tree->owners);
    *tree = (sn_octree){0};
}

int sn_octree_body_of(const sn_octree *tree, sn_local octant)
{
    int low = 0, high = tree->bodies->n; /* body_first[low] <= octant < body_first[high] */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (tree->body_first[middle] <= octant)
            low = middle;
        else
            high = middle;
    }
    return low;
}

sn_key *sn_octree_octant_keys(const sn_octree *tree)
{
    sn_key *keys = SN_NEW(sn_key, tree->n_octants);
    for (int body = 0; body < tree->bodies->n; body++)
        for (sn_local i = tree->body_first[body]; i < tree->body_first[body + 1]; i++)
            keys[i] = sn_octant_key(body, tree->octant[i]);
    return keys;
}

sn_key *sn_octree_node_keys(const sn_octree *tree)
{
    sn_key *keys = SN_NEW(sn_key, tree->n_nodes + tree->n_ghost_nodes);
    sn_local n = 0;
    for (int body = 0; body < tree->bodies->n; body++)
        for (sn_local i = tree->body_first[body]; i < tree->body_first[body + 1]; i++)
            if (tree->octant[i].is_node)
                keys[n++] = sn_octant_key(body, tree->octant[i]);
    for (sn_local g = 0; g < tree->n_ghost_nodes; g++)
        keys[n++] = tree->ghost_node[g];
    return keys;
}

sn_leaves sn_octree_elements(const sn_octree *tree)
{
    size_t n = (size_t)tree->n_elements + (size_t)tree->n_ghost_elements, e = 0;
    sn_leaves elements = {
        .key = SN_NEW(sn_key, n), .height = SN_NEW(uint8_t, n), .n = n, .capacity = n};
    for (int body = 0; body < tree->bodies->n; body++)
        for (sn_local i = tree->body_first[body]; i < tree->body_first[body + 1]; i++)
            if (tree->octant[i].is_element) {
                elements.key[e] = sn_octant_key(body, tree->octant[i]);
                elements.height[e++] = tree->octant[i].height;
            }
    for (sn_local g = 0; g < tree->n_ghost_elements; g++) {
        elements.key[e] = tree->ghost_element[g].key;
        elements.height[e++] = tree->ghost_element[g].height;
    }
    return elements;
}

size_t sn_octree_memory(const sn_octree *tree)
{
    size_t elements = (size_t)tree->n_elements + (size_t)tree->n_ghost_elements;
    return (size_t)tree->n_octants * sizeof *tree->octant +
           (tree->coarse_copy ? (size_t)tree->n_elements * sizeof *tree->coarse_copy : 0) +
           elements * (sizeof *tree->conforming + sizeof *tree->hanging) +
           (size_t)tree->n_ghost_elements * sizeof *tree->ghost_element +
           (size_t)tree->n_ghost_nodes * sizeof *tree->ghost_node +
           (size_t)tree->owners.n * (sizeof *tree->owners.first + sizeof *tree->owners.rank) +
           sn_exchange_memory(&tree->exchange);
}

sn_octree_counts sn_octree_count(const sn_octree *tree)
{
    int64_t counts[5] = {tree->n_octants, tree->n_elements, tree->n_nodes, tree->n_hanging,
                         tree->n_boundary_nodes};
    MPI_Allreduce(MPI_IN_PLACE, counts, 5, MPI_INT64_T, MPI_SUM, tree->comm);
    return (sn_octree_counts){counts[0], counts[1], counts[2], counts[3], counts[4]};
}

/* What makes an octant what it is, wherever it lives. */
typedef struct {
    sn_key key, conforming[8];
    uint8_t height, is_element, is_node, hanging;
    uint16_t copy, padding;
} octant_record;

uint64_t sn_octree_digest(const sn_octree *tree)
{
    sn_key *keys = sn_octree_octant_keys(tree), *node_keys = sn_octree_node_keys(tree);
    uint64_t sum = 0;
    sn_local e = 0;
    for (sn_local i = 0; i < tree->n_octants; i++) {
        sn_octant o = tree->octant[i];
        octant_record r;
        memset(&r, 0, sizeof r);
        r.key = keys[i];
        r.height = o.height;
        r.is_element = o.is_element;
        r.is_node = o.is_node;
        r.copy = o.copy;
        if (o.is_element) {
            r.hanging = tree->hanging[e];
            for (int corner = 0; corner < 8; corner++)
                r.conforming[corner] = node_keys[tree->conforming[e][corner]];
            e++;
        }
        sum += sn_digest_bytes(&r, sizeof r);
    }
    sn_free(keys);
    sn_free(node_keys);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, tree->comm);
    return sum;
}

/* Elements and boundary nodes into one array along the curve. */
static void assemble(sn_octree *tree, const sn_leaves *leaves, const sn_nodes *nodes,
                     sn_key **all_keys)
{
    size_t n = leaves->n + nodes->n_boundary, e = 0, b = 0;
    tree->octant = SN_NEW(sn_octant, n);
    tree->n_octants = (sn_local)n;
    sn_key *keys = SN_NEW(sn_key, n);
    for (size_t i = 0; i < n; i++) {
        bool element =
            b == nodes->n_boundary || (e < leaves->n && leaves->key[e] < nodes->boundary[b]);
        if (element) {
            keys[i] = leaves->key[e];
            tree->octant[i] = sn_octant_at(keys[i], leaves->height[e]);
            tree->octant[i].is_element = 1;
            tree->octant[i].is_node = nodes->is_node[e] != 0;
            e++;
        } else {
            keys[i] = nodes->boundary[b++];
            tree->octant[i] = sn_octant_at(keys[i], 0);
            tree->octant[i].is_node = 1;
        }
    }
    *all_keys = keys;
}

/* Elements that are apart, and their bonds. */
static void keep_bonds(sn_octree *tree, const sn_key *keys, const sn_bonds *bonds)
{
    for (sn_local i = 0; i < tree->n_octants && bonds->any; i++)
        if (tree->octant[i].is_element) {
            sn_local leaf = sn_search_find(&bonds->search, sn_key_place(keys[i]));
            tree->octant[i].is_apart = bonds->apart[leaf] != 0;
        }
    for (size_t i = 0; i < bonds->bonds.count; i++)
        sn_push(&tree->bonds, bonds->bonds.data[i]);
}

/* Octants on the owners of the leaves. */
static sn_status make_octants(sn_octree *tree, sn_leaves leaves, sn_joints joints,
                              sn_key **all_keys)
{
    sn_bonds bonds = {0};
    sn_nodes nodes = {0};
    sn_status status = SN_OK;
    if (joints.known)
        status = sn_bonds_create(tree->comm, &tree->owners, tree->bodies, &leaves, joints, &bonds);
    if (status == SN_OK)
        status = sn_nodes_find(tree->comm, &tree->owners, tree->bodies,
                               joints.known ? &bonds : NULL, &leaves, &nodes);
    if (status == SN_OK) {
        assemble(tree, &leaves, &nodes, all_keys);
        keep_bonds(tree, *all_keys, &bonds);
        tree->n_elements = (sn_local)leaves.n;
        tree->hanging = nodes.hanging;
        tree->node_copy = nodes.copy;
        tree->has_copies = nodes.has_copies;
        tree->n_hanging = nodes.n_hanging;
        nodes.hanging = NULL;
        nodes.copy = NULL;
    }
    sn_leaves_free(&leaves);
    sn_nodes_free(&nodes);
    sn_bonds_free(&bonds);
    return status;
}

sn_status sn_octree_create(MPI_Comm comm, const sn_bodies *bodies, sn_owners owners,
                           sn_leaves leaves, sn_joints joints, int parts,
                           sn_partition_method method, sn_octree *tree)
{
    *tree = (sn_octree){.comm = comm, .bodies = bodies, .owners = owners};
    sn_phase_begin("octree/nodes");
    sn_key *keys;
    sn_status status = make_octants(tree, leaves, joints, &keys);
    sn_phase_end("octree/nodes");
    if (status != SN_OK) {
        sn_octree_free(tree);
        return status;
    }

    sn_phase_begin("octree/partition");
    sn_owners cut = sn_octree_split_curve(tree, keys, parts);
    sn_octree_repartition(tree, keys, cut);
    sn_phase_end("octree/partition");

    sn_phase_begin("octree/connect");
    status = sn_octree_connect(tree);
    sn_phase_end("octree/connect");
    if (status == SN_OK && method == SN_PARTITION_PARMETIS)
        status = sn_octree_partition_blocks(tree, parts);
    sn_free(tree->node_copy); /* nodes are known by number now */
    tree->node_copy = NULL;
#ifndef NDEBUG
    if (status == SN_OK)
        status = sn_octree_check(tree);
#endif
    if (status != SN_OK)
        sn_octree_free(tree);
    return status;
}
