/* Is an octree what octree.h promises? Every rule here is slow and obvious. */
#include "octree/octree.h"

#include "base/array.h"
#include "curve/search.h"
#include "octree/family.h"

static sn_status check_order(const sn_octree *tree)
{
    for (int body = 0; body < tree->bodies->n; body++)
        for (sn_local i = tree->body_first[body] + 1; i < tree->body_first[body + 1]; i++)
            if (!sn_octant_before(tree->octant[i - 1], tree->octant[i]))
                return SN_FAIL(SN_MACHINE, "octants %d and %d of body %d are out of order", i - 1,
                               i, body);
    return SN_OK;
}

static sn_status check_octants(const sn_octree *tree)
{
    int me;
    MPI_Comm_rank(tree->comm, &me);
    sn_key *keys = sn_octree_octant_keys(tree);
    sn_status status = SN_OK;
    sn_key covered = 0; /* keys below this belong to an element already seen */
    for (sn_local i = 0; i < tree->n_octants && status == SN_OK; i++) {
        sn_octant o = tree->octant[i];
        const sn_body *body = &tree->bodies->body[sn_key_body(keys[i])];
        if (!o.is_element && !o.is_node)
            status = SN_FAIL(SN_MACHINE, "octant %d is neither element nor node", i);
        else if (sn_owner_of(&tree->owners, keys[i]) != me)
            status = SN_FAIL(SN_MACHINE, "octant %d is owned by another rank", i);
        else if (o.is_element && sn_key_ancestor(keys[i], o.height) != sn_key_place(keys[i]))
            status = SN_FAIL(SN_MACHINE, "octant %d is not aligned to its size", i);
        else if (o.height > body->max_height)
            status = SN_FAIL(SN_MACHINE, "octant %d is too large", i);
        else if (o.is_element && o.copy == 0 && keys[i] < covered)
            status = SN_FAIL(SN_MACHINE, "octant %d lies inside the one before it", i);
        if (o.is_element)
            covered = sn_key_place(keys[i]) + sn_key_span(o.height);
    }
    sn_free(keys);
    return status;
}

static sn_status check_pair(const sn_leaves *around, const sn_search *search, sn_key key,
                            int height, sn_key neighbour)
{
    /* The element that contains the neighbour's anchor is the last one not after it. */
    size_t at = sn_search_lower_bound(search, neighbour + 1);
    if (at == 0)
        return SN_OK;
    sn_key other = around->key[at - 1];
    int other_height = around->height[at - 1];
    if (sn_key_ancestor(neighbour, other_height) == sn_key_place(other) &&
        other_height > height + 1)
        return SN_FAIL(SN_MACHINE, "2:1 is broken: height %d at %llx beside height %d at %llx",
                       height, (unsigned long long)key, other_height, (unsigned long long)other);
    return SN_OK;
}

static sn_status check_neighbours(const sn_octree *tree, const sn_leaves *around,
                                  const sn_search *search, sn_key key, int height)
{
    uint32_t xyz[3], edge = sn_edge(height);
    sn_key_anchor(key, xyz);
    int body = sn_key_body(key);
    uint32_t root_edge = sn_edge(tree->bodies->body[body].root_height);
    sn_key neighbour;
    for (int n = 0; n < SN_NEIGHBOURS; n++)
        if (sn_neighbour_key(body, xyz, edge, root_edge, n, &neighbour))
            SN_TRY(check_pair(around, search, key, height, neighbour));
    return SN_OK;
}

static sn_leaves own_and_touching(const sn_octree *tree, size_t *n_own)
{
    uint8_t *root_height = SN_NEW(uint8_t, tree->bodies->n);
    for (int b = 0; b < tree->bodies->n; b++)
        root_height[b] = tree->bodies->body[b].root_height;
    sn_leaves own = sn_octree_elements(tree), others = {0};
    own.n = *n_own = (size_t)tree->n_elements;
    size_t n_ghosts;
    sn_ghost *ghosts = sn_ghosts_of_elements(tree->comm, &tree->owners, root_height, own.key,
                                             own.height, own.n, &n_ghosts);
    for (size_t i = 0; i < n_ghosts; i++)
        sn_leaves_push(&others, ghosts[i].key, ghosts[i].height);
    sn_free(ghosts);
    sn_free(root_height);
    return sn_leaves_merge(own, others);
}

static sn_status check_balance(const sn_octree *tree)
{
    size_t n_own;
    sn_leaves around = own_and_touching(tree, &n_own);
    sn_search search = sn_search_create(around.key, around.n);
    sn_status status = SN_OK;
    for (size_t i = 0; i < around.n && status == SN_OK; i++)
        status = check_neighbours(tree, &around, &search, around.key[i], around.height[i]);
    sn_search_free(&search);
    sn_leaves_free(&around);
    return status;
}

/* Each conforming node lies where the hanging byte says. */
static sn_status check_conforming(const sn_octree *tree)
{
    sn_leaves elements = sn_octree_elements(tree);
    sn_key *node_keys = sn_octree_node_keys(tree);
    sn_local n_nodes = tree->n_nodes + tree->n_ghost_nodes;
    sn_status status = SN_OK;
    for (size_t e = 0; e < elements.n && status == SN_OK; e++) {
        sn_parent p = sn_parent_of(elements.key[e], elements.height[e]);
        int child = sn_key_child(elements.key[e], elements.height[e]);
        for (int corner = 0; corner < 8 && status == SN_OK; corner++) {
            sn_local node = tree->conforming[e][corner];
            sn_key expected =
                sn_lattice_key(&p, sn_lattice_conforming(child, corner, tree->hanging[e]));
            if (node < 0 || node >= n_nodes || sn_key_place(node_keys[node]) != expected)
                status =
                    SN_FAIL(SN_MACHINE, "corner %d of element %zu has the wrong node", corner, e);
        }
    }
    sn_leaves_free(&elements);
    sn_free(node_keys);
    return status;
}

/* Every node of this rank must be touched by a local element, or nobody would move it. */
static sn_status check_nodes_used(const sn_octree *tree)
{
    uint8_t *used = SN_NEW_ZERO(uint8_t, tree->n_nodes + tree->n_ghost_nodes);
    for (sn_local e = 0; e < tree->n_elements + tree->n_ghost_elements; e++)
        for (int corner = 0; corner < 8; corner++)
            used[tree->conforming[e][corner]] = 1;
    sn_status status = SN_OK;
    for (sn_local i = 0; i < tree->n_nodes && status == SN_OK; i++)
        if (!used[i])
            status = SN_FAIL(SN_MACHINE, "node %d belongs to no element", i);
    sn_free(used);
    return status;
}

sn_status sn_octree_check(const sn_octree *tree)
{
    SN_TRY(sn_agree(tree->comm, check_order(tree)));
    SN_TRY(sn_agree(tree->comm, check_octants(tree)));
    SN_TRY(sn_agree(tree->comm, check_balance(tree)));
    SN_TRY(sn_agree(tree->comm, check_conforming(tree)));
    return sn_agree(tree->comm, check_nodes_used(tree));
}
