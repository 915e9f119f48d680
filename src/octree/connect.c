#include "octree/connect.h"

#include "base/array.h"
#include "base/sort.h"
#include "octree/family.h"
#include "partition/finder.h"
#include "partition/records.h"

#include <string.h>

typedef struct {
    sn_key key;
    uint8_t height, hanging;
    uint8_t padding[6];
    uint8_t node_copy[8];
} travelling_element;

typedef SN_VECTOR(travelling_element) element_list;
typedef SN_VECTOR(sn_key) key_list;
typedef SN_VECTOR(int) rank_list;

/* Does this rank own every point of the parent's closed cube? Cheap, and may say no too often:
 * looks at the smallest aligned cube around it. */
static bool surely_all_mine(const sn_owners *owners, const sn_parent *p, int me)
{
    uint32_t far_corner[3];
    for (int d = 0; d < 3; d++)
        far_corner[d] = p->xyz[d] + sn_edge(p->height);
    return sn_owners_cube_around_by(owners, p->body, p->xyz, far_corner, me);
}

/* Keys of the nodes of a local element. */
static void conforming_keys(const sn_octree *tree, size_t element, const sn_parent *p, int child,
                            sn_key keys[8])
{
    for (int corner = 0; corner < 8; corner++) {
        int point = sn_lattice_conforming(child, corner, tree->hanging[element]);
        keys[corner] = sn_lattice_key(p, point);
        if (tree->has_copies)
            keys[corner] |= tree->node_copy[element][corner];
    }
}

static bool contains(const int *ranks, int n, int rank)
{
    for (int i = 0; i < n; i++)
        if (ranks[i] == rank)
            return true;
    return false;
}

/* An element goes to every other rank that owns one of its nodes; those nodes are ghosts
 * here. */
static void share_out(const sn_octree *tree, const sn_leaves *own, int me, element_list *shared,
                      rank_list *destination, key_list *ghost_nodes)
{
    for (size_t i = 0; i < own->n; i++) {
        sn_parent p = sn_parent_of(own->key[i], own->height[i]);
        if (surely_all_mine(&tree->owners, &p, me))
            continue;
        sn_key keys[8];
        int told[8], n_told = 0;
        conforming_keys(tree, i, &p, sn_key_child(own->key[i], own->height[i]), keys);
        for (int corner = 0; corner < 8; corner++) {
            int owner = sn_owner_of(&tree->owners, keys[corner]);
            if (owner == me)
                continue;
            sn_push(ghost_nodes, keys[corner]);
            if (contains(told, n_told, owner))
                continue;
            told[n_told++] = owner;
            travelling_element e = {own->key[i], own->height[i], tree->hanging[i], {0}, {0}};
            if (tree->has_copies)
                memcpy(e.node_copy, tree->node_copy[i], sizeof e.node_copy);
            sn_push(shared, e);
            sn_push(destination, owner);
        }
    }
}

/* Ghost elements along the curve, their hanging bytes and copies of nodes behind the owned ones'.
 */
static void take_ghost_elements(sn_octree *tree, travelling_element *arrived, size_t n)
{
    tree->n_ghost_elements = (sn_local)n;
    tree->ghost_element = SN_NEW(sn_ghost, n);
    SN_RESIZE(tree->hanging, (size_t)tree->n_elements + n);
    if (tree->has_copies)
        SN_RESIZE(tree->node_copy, (size_t)tree->n_elements + n);
    sn_sort_records(arrived, sizeof *arrived, n);
    for (size_t i = 0; i < n; i++) {
        const travelling_element *e = &arrived[i];
        tree->ghost_element[i] = (sn_ghost){.key = e->key, .height = e->height};
        tree->hanging[(size_t)tree->n_elements + i] = e->hanging;
        if (tree->has_copies)
            memcpy(tree->node_copy[(size_t)tree->n_elements + i], e->node_copy, 8);
    }
}

static void add_nodes_of_ghosts(const sn_octree *tree, int me, key_list *ghost_nodes)
{
    for (sn_local g = 0; g < tree->n_ghost_elements; g++) {
        const sn_ghost *e = &tree->ghost_element[g];
        sn_parent p = sn_parent_of(e->key, e->height);
        sn_key keys[8];
        conforming_keys(tree, (size_t)(tree->n_elements + g), &p, sn_key_child(e->key, e->height),
                        keys);
        for (int corner = 0; corner < 8; corner++)
            if (sn_owner_of(&tree->owners, keys[corner]) != me)
                sn_push(ghost_nodes, keys[corner]);
    }
}

static void find_ghosts(sn_octree *tree, const sn_leaves *own)
{
    int me, size;
    MPI_Comm_rank(tree->comm, &me);
    MPI_Comm_size(tree->comm, &size);
    if (size == 1 || tree->owners.n == 1)
        return; /* nobody has anything that another needs */
    element_list shared = {0};
    rank_list destination = {0};
    key_list ghost_nodes = {0};
    share_out(tree, own, me, &shared, &destination, &ghost_nodes);
    sn_inbox in = sn_records_send(tree->comm, sizeof(travelling_element), shared.data,
                                  destination.data, shared.count);
    take_ghost_elements(tree, in.data, in.n);
    sn_inbox_free(&in);
    sn_vector_free(&shared);
    sn_vector_free(&destination);
    add_nodes_of_ghosts(tree, me, &ghost_nodes);
    size_t n = sn_exchange_order_ghosts(&tree->owners, ghost_nodes.data, ghost_nodes.count);
    tree->n_ghost_nodes = (sn_local)n;
    tree->ghost_node = ghost_nodes.data;
    SN_RESIZE(tree->ghost_node, n);
}

/* Fills the table for elements from .. to-1, sharing the searches of each family. */
static bool fill_conforming(sn_octree *tree, const sn_finder *f, const sn_leaves *elements,
                            size_t from, size_t to)
{
    enum { NOT_LOOKED_UP = SN_NONE - 1 };
    sn_parent p = {0};
    sn_local at[SN_LATTICE_POINTS];
    sn_finder_memory memory = {0};
    bool complete = true;
    for (size_t i = from; i < to; i++) {
        if (i == from || !sn_is_child_of(&p, elements->key[i], elements->height[i])) {
            p = sn_parent_of(elements->key[i], elements->height[i]);
            for (int point = 0; point < SN_LATTICE_POINTS; point++)
                at[point] = NOT_LOOKED_UP;
        }
        int child = sn_key_child(elements->key[i], elements->height[i]);
        for (int corner = 0; corner < 8; corner++) {
            int point = sn_lattice_conforming(child, corner, tree->hanging[i]);
            if (at[point] == NOT_LOOKED_UP)
                at[point] = sn_finder_find(f, &memory, sn_lattice_key(&p, point));
            tree->conforming[i][corner] = at[point];
            complete &= at[point] != SN_NONE;
        }
    }
    return complete;
}

/* The same where nodes have copies: each is searched for. */
static bool fill_conforming_copies(sn_octree *tree, const sn_finder *f, const sn_leaves *elements,
                                   size_t from, size_t to)
{
    sn_finder_memory memory = {0};
    bool complete = true;
    for (size_t i = from; i < to; i++) {
        sn_parent p = sn_parent_of(elements->key[i], elements->height[i]);
        sn_key keys[8];
        conforming_keys(tree, i, &p, sn_key_child(elements->key[i], elements->height[i]), keys);
        for (int corner = 0; corner < 8; corner++) {
            tree->conforming[i][corner] = sn_finder_find(f, &memory, keys[corner]);
            complete &= tree->conforming[i][corner] != SN_NONE;
        }
    }
    return complete;
}

static sn_status find_conforming(sn_octree *tree, const sn_leaves *elements,
                                 const sn_key *own_node_keys)
{
    enum { CHUNK = 1 << 14 };
    tree->conforming = SN_NEW(sn_local[8], elements->n);
    sn_finder f = sn_finder_create(own_node_keys, (size_t)tree->n_nodes, tree->ghost_node,
                                   (size_t)tree->n_ghost_nodes);
    size_t chunks = (elements->n + CHUNK - 1) / CHUNK;
    bool (*fill)(sn_octree *, const sn_finder *, const sn_leaves *, size_t, size_t) =
        tree->has_copies ? fill_conforming_copies : fill_conforming;
    bool complete = true;
#pragma omp parallel for schedule(dynamic) reduction(&& : complete)
    for (size_t c = 0; c < chunks; c++) {
        size_t to = (c + 1) * CHUNK < elements->n ? (c + 1) * CHUNK : elements->n;
        complete = fill(tree, &f, elements, c * CHUNK, to) && complete;
    }
    sn_finder_free(&f);
    return complete
               ? SN_OK
               : SN_FAIL(SN_MACHINE, "internal error: an element's conforming node is missing");
}

sn_status sn_octree_connect(sn_octree *tree)
{
    sn_leaves own = sn_octree_elements(tree);
    find_ghosts(tree, &own);
    sn_leaves_free(&own);
    sn_leaves elements = sn_octree_elements(tree);
    sn_key *node_keys = sn_octree_node_keys(tree);
    sn_status status =
        sn_exchange_create(tree->comm, &tree->owners, node_keys, (size_t)tree->n_nodes,
                           tree->ghost_node, (size_t)tree->n_ghost_nodes, &tree->exchange);
    if (status == SN_OK)
        status = sn_agree(tree->comm, find_conforming(tree, &elements, node_keys));
    sn_free(node_keys);
    sn_leaves_free(&elements);
    return status;
}

void sn_octree_disconnect(sn_octree *tree)
{
    sn_free(tree->ghost_element);
    sn_free(tree->ghost_node);
    sn_free(tree->conforming);
    sn_exchange_free(&tree->exchange);
    tree->ghost_element = NULL;
    tree->ghost_node = NULL;
    tree->conforming = NULL;
    tree->n_ghost_elements = tree->n_ghost_nodes = 0;
}
