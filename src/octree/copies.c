#include "octree/copies.h"

#include "base/sort.h"
#include "octree/corners.h"
#include "octree/family.h"

/* ---- Places ---- */

/* All places where a leaf has a corner, or a smaller leaf beside it can have one. */
static void add_lattice(const sn_bonds *b, size_t leaf, sn_place_list *list)
{
    sn_key key = b->around.key[leaf];
    int height = b->around.height[leaf];
    if (height == 0) {
        for (int corner = 0; corner < 8; corner++)
            sn_push(list, sn_corner_place(key, 0, corner));
        return;
    }
    sn_parent p = sn_parent_of(key, height - 1); /* it is the parent of those half its size */
    for (int point = 0; point < SN_LATTICE_POINTS; point++)
        sn_push(list, sn_lattice_key(&p, point));
}

sn_places_apart sn_places_apart_find(const sn_bonds *b, const sn_bodies *bodies)
{
    sn_place_list list = {0};
    for (size_t i = 0; i < b->around.n && b->any; i++)
        if (b->apart[i])
            add_lattice(b, i, &list);
    sn_pinches_find(b, bodies, &list);
    list.count = sn_sort_unique_keys(list.data, list.count);
    return (sn_places_apart){list.data, list.count, sn_lookup_create(list.data, list.count)};
}

void sn_places_apart_free(sn_places_apart *places)
{
    sn_lookup_free(&places->lookup);
    sn_free(places->place);
    *places = (sn_places_apart){0};
}

/* ---- Copies of leaves ---- */

typedef struct {
    const sn_bonds *bonds;
    const sn_places_apart *places;
    sn_copy_numbers numbers;
    sn_leaves own;         /* copies of this rank's leaves */
    uint8_t *hanging;      /* of each */
    sn_local (*larger)[8]; /* of each: the copy that a corner hangs on; SN_NONE: none */
    uint8_t (*node)[8];    /* of all: copies of the nodes at their corners, or of those that they
                            * stand for */
} copying;

static void copy_leaves(const sn_leaves *leaves, const uint8_t *hanging, copying *c)
{
    c->hanging = SN_NEW(uint8_t, c->numbers.n_own);
    for (size_t i = 0; i < leaves->n; i++)
        for (int copy = 0; copy < c->bonds->copies[c->bonds->own[i]]; copy++) {
            c->hanging[c->own.n] = hanging[i];
            sn_leaves_push(&c->own, leaves->key[i] | (sn_key)copy, leaves->height[i]);
        }
}

/* ---- Corners ---- */

/* The larger leaf that a corner of a whole leaf hangs on, at a place where nothing is apart. */
static sn_local find_larger(const sn_bonds *b, sn_key place, int height)
{
    sn_corner view;
    sn_corner_look(b, place, &view);
    for (int i = 0; i < view.n; i++)
        if (b->around.height[view.leaf[i]] > height)
            return view.leaf[i];
    return SN_NONE;
}

static bool is_apart(const copying *c, sn_key place, sn_lookup_memory *memory)
{
    return sn_lookup_find(&c->places->lookup, memory, place) != SN_NONE;
}

/* Where a corner that hangs is conforming. */
static sn_key place_of_node(sn_key leaf, int height, int corner)
{
    sn_parent p = sn_parent_of(leaf, height);
    return sn_corner_place(p.key, p.height, corner);
}

static void look_at_corner(copying *c, sn_local leaf, int corner, sn_lookup_memory *memory)
{
    const sn_bonds *b = c->bonds;
    int height = b->around.height[leaf];
    sn_key place = sn_corner_place(b->around.key[leaf], height, corner);
    sn_local first = c->numbers.first[leaf];
    if (!is_apart(c, place, memory)) {
        if (c->hanging[first] >> corner & 1 &&
            is_apart(c, place_of_node(b->around.key[leaf], height, corner), memory))
            c->larger[first][corner] = c->numbers.first[find_larger(b, place, height)];
        return;
    }
    sn_corner view;
    sn_corner_look(b, place, &view);
    for (int copy = 0; copy < b->copies[leaf]; copy++) {
        sn_local at = first + copy;
        int group = sn_corner_class(&view, leaf, copy), on = view.larger[group];
        c->hanging[at] &= (uint8_t) ~(1 << corner);
        c->hanging[at] |= (uint8_t)((on >= 0) << corner);
        c->node[at][corner] = on >= 0 ? 0 : view.node[group];
        if (on >= 0)
            c->larger[at][corner] = c->numbers.first[view.leaf[on]] + view.copy[on];
    }
}

static void look_at_corners(copying *c)
{
    c->node = SN_NEW_ZERO(uint8_t[8], c->numbers.n_own + c->numbers.n_ghosts);
    c->larger = SN_NEW(sn_local[8], c->own.n);
    for (size_t i = 0; i < c->own.n; i++)
        for (int corner = 0; corner < 8; corner++)
            c->larger[i][corner] = SN_NONE;
#pragma omp parallel
    {
        sn_lookup_memory memory = {0};
#pragma omp for schedule(dynamic, 1024)
        for (size_t i = 0; i < c->bonds->n_own; i++)
            for (int corner = 0; corner < 8; corner++)
                look_at_corner(c, c->bonds->own[i], corner, &memory);
    }
}

/* A hanging corner stands for the parent's corner of the same number, where the larger leaf has a
 * corner as well, and the same node. */
static void follow_larger(copying *c)
{
#pragma omp parallel for schedule(dynamic, 1024)
    for (size_t i = 0; i < c->own.n; i++)
        for (int corner = 0; corner < 8; corner++) {
            sn_local on = c->larger[i][corner];
            if (on == SN_NONE)
                continue;
            uint32_t at[3], anchor[3];
            int there = 0;
            sn_key_anchor(place_of_node(c->own.key[i], c->own.height[i], corner), at);
            sn_key_anchor(c->numbers.key[on], anchor);
            for (int d = 0; d < 3; d++)
                there |= (at[d] != anchor[d]) << d;
            c->node[i][corner] = c->node[on][there];
        }
}

/* ---- Nodes ---- */

/* How many copies a leaf has that is anchored at a place. */
static int copies_at(const sn_bonds *b, sn_key place)
{
    sn_local leaf = sn_search_find(&b->search, place);
    return leaf == SN_NONE ? 0 : b->copies[leaf];
}

/* The first leaf at a place speaks for it. */
static void add_nodes_apart(const copying *c, sn_nodes *nodes, sn_place_list *boundary)
{
    const sn_bonds *b = c->bonds;
    sn_search own = sn_search_create(c->own.key, c->own.n);
    for (size_t i = 0; i < c->places->n; i++) {
        sn_corner view;
        sn_key place = c->places->place[i];
        sn_corner_look(b, place, &view);
        bool mine = false;
        for (int k = 0; k < view.n; k++)
            mine = mine || (size_t)c->numbers.first[view.leaf[k]] < c->own.n;
        if (!mine)
            continue;
        for (int copy = copies_at(b, place); copy < view.n_nodes; copy++)
            sn_push(boundary, place | (sn_key)copy);
        if ((size_t)c->numbers.first[view.leaf[0]] < c->own.n)
            nodes->n_hanging += view.n_hanging;
        sn_local at = sn_search_find(&own, place);
        for (int copy = 0; at != SN_NONE && copy < copies_at(b, place); copy++)
            nodes->is_node[at + copy] = copy < view.n_nodes;
    }
    sn_search_free(&own);
}

/* Places that are apart only as far as a rank sees have none; nothing may depend on who sees what.
 */
static bool any_copies(MPI_Comm comm, const sn_leaves *leaves, const uint8_t (*node)[8])
{
    bool any = false;
    for (size_t i = 0; i < leaves->n && !any; i++) {
        any = sn_key_copy(leaves->key[i]) > 0;
        for (int corner = 0; corner < 8; corner++)
            any = any || node[i][corner] > 0;
    }
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_C_BOOL, MPI_LOR, comm);
    return any;
}

sn_status sn_copies_make(MPI_Comm comm, const sn_owners *owners, const sn_bonds *bonds,
                         const sn_places_apart *places, sn_leaves *leaves, sn_nodes *nodes,
                         sn_place_list *boundary)
{
    copying c = {.bonds = bonds, .places = places, .numbers = sn_bonds_number(bonds, owners)};
    copy_leaves(leaves, nodes->hanging, &c);
    look_at_corners(&c);
    sn_status status = sn_copy_numbers_bring(&c.numbers, comm, owners, c.node, sizeof *c.node);
    if (status == SN_OK)
        follow_larger(&c);
    sn_leaves_free(leaves);
    sn_free(nodes->hanging);
    *leaves = c.own;
    nodes->hanging = c.hanging;
    nodes->copy = c.node;
    SN_RESIZE(nodes->copy, c.own.n);
    nodes->has_copies = any_copies(comm, &c.own, (const uint8_t(*)[8])nodes->copy);
    if (!nodes->has_copies) {
        sn_free(nodes->copy);
        nodes->copy = NULL;
    }
    SN_RESIZE(nodes->is_node, c.own.n);
    for (size_t i = 0; i < c.own.n; i++)
        nodes->is_node[i] = !(nodes->hanging[i] & 1);
    add_nodes_apart(&c, nodes, boundary);
    sn_copy_numbers_free(&c.numbers);
    sn_free(c.larger);
    return status;
}
