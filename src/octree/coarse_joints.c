#include "octree/coarse_joints.h"

#include "base/sort.h"
#include "partition/records.h"
#include "partition/sort.h"

enum { FACES = 6, CHILDREN = 8 };

typedef SN_VECTOR(sn_key) key_list;

/* ---- The finer level ---- */

/* Its elements as places, with their copies. */
static void places_of(const sn_octree *fine, sn_leaves *places, sn_joints *joints)
{
    sn_leaves elements = sn_octree_elements(fine);
    joints->copies = SN_NEW(uint8_t, fine->n_elements);
    joints->apart = SN_NEW(uint8_t, fine->n_elements);
    sn_local e = 0;
    for (sn_local i = 0; i < fine->n_octants; i++) {
        if (!fine->octant[i].is_element)
            continue;
        if (fine->octant[i].copy == 0) {
            joints->copies[places->n] = 0;
            joints->apart[places->n] = fine->octant[i].is_apart;
            sn_leaves_push(places, elements.key[e], elements.height[e]);
        }
        joints->copies[places->n - 1]++;
        e++;
    }
    sn_leaves_free(&elements);
}

typedef struct {
    sn_octree *fine;
    sn_leaves places;
    sn_bonds bonds;          /* of the finer level */
    sn_copy_numbers numbers; /* of its elements: this rank's own are numbered as in the tree */
    sn_leaves held;          /* coarse leaves that hold something of this rank */
    size_t *holder;          /* of each own place: which of them */
    sn_key *coarse;          /* of each copy: that of the coarse copy which it is part of */
} growing;

static sn_status look_at_fine(growing *g)
{
    sn_joints joints = {.known = true};
    places_of(g->fine, &g->places, &joints);
    joints.bonds = g->fine->bonds;
    g->fine->bonds = (sn_bond_list){0};
    SN_TRY(sn_bonds_create(g->fine->comm, &g->fine->owners, g->fine->bodies, &g->places, joints,
                           &g->bonds));
    g->numbers = sn_bonds_number(&g->bonds, &g->fine->owners);
    g->coarse = SN_NEW(sn_key, g->numbers.n_own + g->numbers.n_ghosts);
    return SN_OK;
}

/* ---- Who holds what ---- */

typedef struct {
    sn_key key;
    uint64_t height;
} travelling_leaf;

/* A coarse leaf goes to all ranks that own a part of it. */
static void bring_holders(const sn_leaves *coarse, growing *g)
{
    SN_VECTOR(travelling_leaf) sent = {0};
    sn_rank_list to = {0}, ranks = {0};
    for (size_t i = 0; i < coarse->n; i++) {
        ranks.count = 0;
        sn_owners_of_span(&g->fine->owners, coarse->key[i], coarse->height[i], &ranks);
        for (size_t r = 0; r < ranks.count; r++) {
            sn_push(&sent, ((travelling_leaf){coarse->key[i], coarse->height[i]}));
            sn_push(&to, ranks.data[r]);
        }
    }
    sn_inbox in =
        sn_records_send(g->fine->comm, sizeof(travelling_leaf), sent.data, to.data, sent.count);
    travelling_leaf *arrived = in.data;
    sn_sort_records(arrived, sizeof *arrived, in.n);
    for (size_t i = 0; i < in.n; i++)
        sn_leaves_push(&g->held, arrived[i].key, (int)arrived[i].height);
    sn_inbox_free(&in);
    sn_vector_free(&sent);
    sn_vector_free(&to);
    sn_vector_free(&ranks);
}

static sn_status find_holders(growing *g)
{
    size_t h = 0;
    g->holder = SN_NEW(size_t, g->places.n);
    for (size_t i = 0; i < g->places.n; i++) {
        sn_key key = g->places.key[i];
        while (h + 1 < g->held.n && g->held.key[h + 1] <= key)
            h++;
        g->holder[i] = h;
        if (h >= g->held.n || sn_key_ancestor(key, g->held.height[h]) != g->held.key[h])
            return SN_FAIL(SN_MACHINE, "internal error: no coarse leaf around key %llx",
                           (unsigned long long)key);
    }
    return SN_OK;
}

/* ---- Copies ---- */

/* The copies of the finer leaves in a coarse one, and which of them are joined. */
typedef struct {
    sn_local leaf[CHILDREN]; /* around; SN_NONE: there is none */
    int first[CHILDREN + 1]; /* where its copies start */
    int group[CHILDREN * SN_MOST_COPIES];
} family_parts;

static int find(const family_parts *f, int i)
{
    while (f->group[i] != i)
        i = f->group[i];
    return i;
}

static void join(family_parts *f, int i, int j)
{
    int a = find(f, i), b = find(f, j);
    f->group[a > b ? a : b] = a < b ? a : b;
}

static void list_children(const growing *g, sn_key holder, int height, family_parts *f)
{
    f->first[0] = 0;
    for (int child = 0; child < CHILDREN; child++) {
        sn_key key = holder + (sn_key)child * sn_key_span(height - 1);
        f->leaf[child] = sn_search_find(&g->bonds.search, key);
        int copies = f->leaf[child] == SN_NONE ? 0 : g->bonds.copies[f->leaf[child]];
        f->first[child + 1] = f->first[child] + copies;
    }
    for (int i = 0; i < f->first[CHILDREN]; i++)
        f->group[i] = i;
}

static void join_children(const growing *g, int one, int other, family_parts *f)
{
    if (f->leaf[one] == SN_NONE || f->leaf[other] == SN_NONE)
        return;
    for (int i = f->first[one]; i < f->first[one + 1]; i++)
        for (int j = f->first[other]; j < f->first[other + 1]; j++)
            if (sn_bonds_joined(&g->bonds, f->leaf[one], i - f->first[one], f->leaf[other],
                                j - f->first[other]))
                join(f, i, j);
}

/* Groups in the order of their first copies; the last ones share a number if there are too many. */
static void number_groups(family_parts *f)
{
    int n = 0;
    for (int i = 0; i < f->first[CHILDREN]; i++) {
        int first = find(f, i);
        f->group[i] = first;
    }
    for (int i = 0; i < f->first[CHILDREN]; i++) {
        int first = f->group[i];
        f->group[i] = first < i ? f->group[first] : n < SN_MOST_COPIES ? n++ : n - 1;
    }
}

static void group_children(const growing *g, sn_key holder, int height, family_parts *f)
{
    list_children(g, holder, height, f);
    for (int axis = 0; axis < 3; axis++)
        for (int child = 0; child < CHILDREN; child++)
            if (!(child >> axis & 1))
                join_children(g, child, child | 1 << axis, f);
    number_groups(f);
}

/* Of one own place: coarse copies of all its copies. */
static void grow(const growing *g, size_t place, const family_parts *f)
{
    sn_local leaf = g->bonds.own[place];
    size_t h = g->holder[place];
    bool stays = g->held.height[h] == g->places.height[place];
    int child = sn_key_child(g->places.key[place], g->places.height[place]);
    for (int copy = 0; copy < g->bonds.copies[leaf]; copy++) {
        bool welded = g->fine->bodies->body[sn_key_body(g->held.key[h])].welded;
        int grown = welded ? 0 : stays ? copy : f->group[f->first[child] + copy];
        g->coarse[g->numbers.first[leaf] + copy] = g->held.key[h] | (sn_key)grown;
    }
}

static void grow_all(const growing *g)
{
#pragma omp parallel
    {
        family_parts f;
        size_t known = SIZE_MAX; /* whose children are in f */
#pragma omp for schedule(static)
        for (size_t i = 0; i < g->places.n; i++) {
            size_t h = g->holder[i];
            if (h != known && g->held.height[h] > g->places.height[i]) {
                group_children(g, g->held.key[h], g->held.height[h], &f);
                known = h;
            }
            grow(g, i, &f);
        }
    }
}

/* ---- Joints ---- */

/* One thread's way along the own places. */
typedef struct {
    sn_bond_list found;
    size_t holder, first; /* the coarse leaf that it is in, and the first bond found there */
    sn_lookup_memory memory;
} bond_walk;

/* The children at a face find the same bonds. */
static void find_bond(bond_walk *w, sn_bond bond)
{
    const sn_bond *known = w->found.data;
    for (size_t i = w->first; i < w->found.count; i++)
        if (known[i].low == bond.low && known[i].high == bond.high)
            return;
    sn_push(&w->found, bond);
}

static void find_bonds_with(const growing *g, bond_walk *w, sn_local leaf, sn_local beyond)
{
    for (int i = 0; i < g->bonds.copies[leaf]; i++)
        for (int j = 0; j < g->bonds.copies[beyond]; j++)
            if (sn_bonds_joined(&g->bonds, leaf, i, beyond, j))
                find_bond(w, sn_bond_of(g->coarse[g->numbers.first[leaf] + i],
                                        g->coarse[g->numbers.first[beyond] + j]));
}

/* Bonds between coarse copies where an own leaf's face is in the border of its coarse leaf. Of two
 * leaves of one size the first one speaks. */
static void find_bonds(const growing *g, bond_walk *w, size_t place)
{
    sn_local leaf = g->bonds.own[place];
    int height = g->places.height[place], child = sn_key_child(g->places.key[place], height);
    bool stays = g->held.height[g->holder[place]] == height;
    for (int face = 0; face < FACES; face++) {
        if (!stays && (child >> face / 2 & 1) != (face & 1))
            continue;
        sn_local beyond = sn_bonds_beyond(&g->bonds, g->fine->bodies, &w->memory,
                                          g->places.key[place], height, face);
        if (beyond != SN_NONE && (face % 2 == 1 || g->bonds.around.height[beyond] > height))
            find_bonds_with(g, w, leaf, beyond);
    }
}

static void walk_place(const growing *g, bond_walk *w, size_t place)
{
    if (g->holder[place] != w->holder)
        w->first = w->found.count;
    w->holder = g->holder[place];
    find_bonds(g, w, place);
}

static sn_bond_list coarse_bonds(const growing *g)
{
    sn_bond_list all = {0};
#pragma omp parallel
    {
        bond_walk mine = {0};
#pragma omp for schedule(static)
        for (size_t i = 0; i < g->places.n; i++)
            walk_place(g, &mine, i);
#pragma omp critical
        {
            sn_reserve(&all, all.count + mine.found.count);
            for (size_t i = 0; i < mine.found.count; i++)
                all.data[all.count++] = mine.found.data[i];
        }
        sn_vector_free(&mine.found);
    }
    return all;
}

/* Copies of the coarse leaves, told to their owners. */
static uint8_t *count_copies(const growing *g, const sn_owners *owners, const sn_leaves *coarse)
{
    key_list keys = {0};
    for (size_t i = 0; i < g->numbers.n_own; i++)
        if (i == 0 || g->coarse[i] != g->coarse[i - 1])
            sn_push(&keys, g->coarse[i]);
    size_t n = keys.count;
    sn_key *all = sn_unique_on_owners(g->fine->comm, owners, keys.data, &n);
    uint8_t *copies = SN_NEW_ZERO(uint8_t, coarse->n);
    for (size_t i = 0, c = 0; i < n; i++) {
        while (coarse->key[c] != sn_key_place(all[i]))
            c++;
        copies[c]++;
    }
    sn_free(all);
    return copies;
}

static void remember_copies(const growing *g)
{
    g->fine->coarse_copy = SN_NEW(uint8_t, g->numbers.n_own);
    for (size_t i = 0; i < g->numbers.n_own; i++)
        g->fine->coarse_copy[i] = (uint8_t)sn_key_copy(g->coarse[i]);
}

static void free_growing(growing *g)
{
    sn_leaves_free(&g->places);
    sn_bonds_free(&g->bonds);
    sn_copy_numbers_free(&g->numbers);
    sn_leaves_free(&g->held);
    sn_free(g->holder);
    sn_free(g->coarse);
}

static sn_status find_joints(growing *g, const sn_owners *owners, const sn_leaves *coarse,
                             sn_joints *joints)
{
    MPI_Comm comm = g->fine->comm;
    SN_TRY(look_at_fine(g));
    bring_holders(coarse, g);
    SN_TRY(sn_agree(comm, find_holders(g)));
    grow_all(g);
    SN_TRY(sn_copy_numbers_bring(&g->numbers, comm, &g->fine->owners, g->coarse, sizeof(sn_key)));
    joints->bonds = coarse_bonds(g);
    joints->copies = count_copies(g, owners, coarse);
    remember_copies(g);
    return SN_OK;
}

sn_status sn_coarse_joints_find(sn_octree *fine, const sn_owners *owners, const sn_leaves *coarse,
                                sn_joints *joints)
{
    growing g = {.fine = fine};
    *joints = (sn_joints){.known = true, .all_bonds = true};
    sn_status status = find_joints(&g, owners, coarse, joints);
    free_growing(&g);
    return status;
}
