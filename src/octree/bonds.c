#include "octree/bonds.h"

#include "base/sort.h"
#include "octree/corners.h"
#include "partition/exchange.h"
#include "partition/ghost.h"
#include "partition/records.h"

#include <string.h>

typedef SN_VECTOR(sn_key) key_list;

enum { FACES = 6, APART = 0x80 }; /* a bit beside the number of copies, on the way to ghosts */

void sn_bonds_free(sn_bonds *b)
{
    sn_search_free(&b->search);
    sn_lookup_free(&b->lookup);
    sn_leaves_free(&b->around);
    sn_free(b->own);
    sn_free(b->copies);
    sn_free(b->apart);
    sn_vector_free(&b->bonds);
    *b = (sn_bonds){0};
}

void sn_joints_free(sn_joints *joints)
{
    if (joints->placed)
        sn_bonds_free(joints->placed);
    sn_free(joints->placed);
    sn_free(joints->copies);
    sn_free(joints->apart);
    sn_vector_free(&joints->bonds);
    *joints = (sn_joints){0};
}

/* ---- Lists of bonds ---- */

void sn_bonds_tidy(sn_bond_list *list)
{
    sn_bond *bond = list->data;
    sn_sort_records(bond, sizeof *bond, list->count);
    for (size_t i = 1; i < list->count; i++) { /* few have the same lower end */
        sn_bond moved = bond[i];
        size_t at = i;
        for (; at > 0 && bond[at - 1].low == moved.low && bond[at - 1].high > moved.high; at--)
            bond[at] = bond[at - 1];
        bond[at] = moved;
    }
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (i == 0 || bond[i].low != bond[i - 1].low || bond[i].high != bond[i - 1].high)
            bond[kept++] = bond[i];
    list->count = kept;
}

static bool is_before(const sn_bond *a, const sn_bond *b)
{
    return a->low != b->low ? a->low < b->low : a->high < b->high;
}

static size_t lower_bound(const sn_bond_list *list, sn_bond wanted)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_before(&list->data[middle], &wanted))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool contains(const sn_bond_list *list, sn_bond wanted)
{
    size_t at = lower_bound(list, wanted);
    return at < list->count && !is_before(&wanted, &list->data[at]);
}

/* Brings every bond to the owners of both its ends. */
static sn_bond_list to_owners(MPI_Comm comm, const sn_owners *owners, const sn_bond_list *list)
{
    sn_bond_list sent = {0};
    sn_rank_list to = {0};
    for (size_t i = 0; i < list->count; i++) {
        int low = sn_owner_of(owners, list->data[i].low);
        int high = sn_owner_of(owners, list->data[i].high);
        sn_push(&sent, list->data[i]);
        sn_push(&to, low);
        if (high != low) {
            sn_push(&sent, list->data[i]);
            sn_push(&to, high);
        }
    }
    sn_inbox in = sn_records_send(comm, sizeof(sn_bond), sent.data, to.data, sent.count);
    sn_vector_free(&sent);
    sn_vector_free(&to);
    sn_bond_list mine = {0};
    mine.data = sn_inbox_take(&in, &mine.count);
    mine.capacity = mine.count;
    sn_bonds_tidy(&mine);
    return mine;
}

/* ---- What is around ---- */

sn_local sn_bonds_leaf_at(const sn_bonds *b, sn_key cell)
{
    size_t at = sn_search_lower_bound(&b->search, cell + 1);
    if (at == 0)
        return SN_NONE;
    bool holds = sn_key_ancestor(cell, b->around.height[at - 1]) == b->around.key[at - 1];
    return holds ? (sn_local)at - 1 : SN_NONE;
}

/* The leaf of a height that is anchored at a place. */
static sn_local leaf_of(const sn_bonds *b, sn_lookup_memory *memory, sn_key place, int height)
{
    sn_local leaf = sn_lookup_find(&b->lookup, memory, place);
    return leaf != SN_NONE && b->around.height[leaf] == height ? leaf : SN_NONE;
}

/* It is of the same size or twice that, because leaves are balanced. */
sn_local sn_bonds_beyond(const sn_bonds *b, const sn_bodies *bodies, sn_lookup_memory *memory,
                         sn_key place, int height, int face)
{
    static const int NEIGHBOUR[FACES] = {12, 14, 10, 16, 4, 22}; /* of SN_NEIGHBOURS */
    uint32_t xyz[3];
    int body = sn_key_body(place);
    sn_key beyond;
    sn_key_anchor(place, xyz);
    if (!sn_neighbour_key(body, xyz, sn_edge(height), sn_edge(bodies->body[body].root_height),
                          NEIGHBOUR[face], &beyond))
        return SN_NONE;
    sn_local leaf = leaf_of(b, memory, beyond, height);
    return leaf != SN_NONE ? leaf
                           : leaf_of(b, memory, sn_key_ancestor(beyond, height + 1), height + 1);
}

bool sn_bonds_joined(const sn_bonds *b, sn_local i, int copy_of_i, sn_local j, int copy_of_j)
{
    if (!b->apart[i] && !b->apart[j])
        return true;
    sn_key first = b->around.key[i] | (sn_key)copy_of_i;
    return contains(&b->bonds, sn_bond_of(first, b->around.key[j] | (sn_key)copy_of_j));
}

static sn_leaves ghosts_of(MPI_Comm comm, const sn_owners *owners, const sn_bodies *bodies,
                           const sn_leaves *leaves)
{
    uint8_t *root_height = SN_NEW(uint8_t, bodies->n);
    for (int b = 0; b < bodies->n; b++)
        root_height[b] = bodies->body[b].root_height;
    size_t n;
    sn_ghost *ghosts = sn_ghosts_of_elements(comm, owners, root_height, leaves->key, leaves->height,
                                             leaves->n, &n);
    sn_leaves list = {0};
    for (size_t i = 0; i < n; i++)
        sn_leaves_push(&list, ghosts[i].key, ghosts[i].height);
    sn_free(ghosts);
    sn_free(root_height);
    return list;
}

sn_bonds sn_bonds_place(MPI_Comm comm, const sn_owners *owners, const sn_bodies *bodies,
                        const sn_leaves *leaves)
{
    sn_bonds b = {.n_own = leaves->n, .own = SN_NEW(sn_local, leaves->n)};
    sn_leaves own = {0};
    for (size_t i = 0; i < leaves->n; i++)
        sn_leaves_push(&own, leaves->key[i], leaves->height[i]);
    b.around = sn_leaves_merge(own, ghosts_of(comm, owners, bodies, leaves));
    b.search = sn_search_create(b.around.key, b.around.n);
    b.lookup = sn_lookup_create(b.around.key, b.around.n);
    b.copies = SN_NEW_ZERO(uint8_t, b.around.n);
    b.apart = SN_NEW_ZERO(uint8_t, b.around.n);
    for (size_t i = 0, at = 0; i < leaves->n; i++) {
        while (b.around.key[at] != leaves->key[i])
            at++;
        b.own[i] = (sn_local)at;
    }
    return b;
}

/* The face of a leaf beyond which another one is, which is as large or larger. */
static int face_towards(sn_key leaf, int height, sn_key other, int height_of_other)
{
    uint32_t at[3], there[3];
    sn_key_anchor(leaf, at);
    sn_key_anchor(other, there);
    for (int d = 0; d < 3; d++) {
        if (at[d] + sn_edge(height) == there[d])
            return 2 * d + 1;
        if (there[d] + sn_edge(height_of_other) == at[d])
            return 2 * d;
    }
    return 0; /* they have no common face: not a bond */
}

static void note_joined(const sn_bonds *b, sn_lookup_memory *memory, sn_key leaf, sn_key other,
                        uint8_t *joined)
{
    sn_local i = sn_lookup_find(&b->lookup, memory, sn_key_place(leaf));
    sn_local j = sn_lookup_find(&b->lookup, memory, sn_key_place(other));
    if (i == SN_NONE || j == SN_NONE || b->around.height[i] > b->around.height[j])
        return;
    joined[i] |=
        (uint8_t)(1 << face_towards(leaf, b->around.height[i], other, b->around.height[j]));
}

/* Is there a leaf as large or larger beyond a face through which nothing is joined? */
static bool is_beside_another(const sn_bonds *b, const sn_bodies *bodies, sn_lookup_memory *memory,
                              sn_local leaf, unsigned joined)
{
    sn_key key = b->around.key[leaf];
    bool beside = false;
    for (int face = 0; face < FACES && !beside && !bodies->body[sn_key_body(key)].welded; face++)
        beside = !(joined >> face & 1) &&
                 sn_bonds_beyond(b, bodies, memory, key, b->around.height[leaf], face) != SN_NONE;
    return beside;
}

/* A leaf with one copy is apart if one beside it that is as large or larger has nothing to do with
 * it; smaller ones tell of themselves. */
static void find_apart(const sn_bonds *b, const sn_bodies *bodies, const sn_joints *joints,
                       uint8_t *apart)
{
    uint8_t *joined = SN_NEW_ZERO(uint8_t, b->around.n); /* a bit for each face */
    sn_lookup_memory walker = {0};
    for (size_t i = 0; i < joints->bonds.count; i++) {
        note_joined(b, &walker, joints->bonds.data[i].low, joints->bonds.data[i].high, joined);
        note_joined(b, &walker, joints->bonds.data[i].high, joints->bonds.data[i].low, joined);
    }
#pragma omp parallel
    {
        sn_lookup_memory memory = {0};
#pragma omp for schedule(static)
        for (size_t i = 0; i < b->n_own; i++)
            apart[i] = joints->copies[i] > 1 ||
                       is_beside_another(b, bodies, &memory, b->own[i], joined[b->own[i]]);
    }
    sn_free(joined);
}

/* Copies and whether they are apart, of own leaves and ghosts. */
static sn_status share_states(MPI_Comm comm, const sn_owners *owners, const sn_leaves *leaves,
                              const uint8_t *copies, const uint8_t *apart, sn_bonds *b)
{
    size_t n_ghosts = b->around.n - b->n_own, n = 0;
    sn_key *ghosts = SN_NEW(sn_key, n_ghosts);
    uint8_t *state = SN_NEW(uint8_t, b->around.n);
    for (size_t i = 0; i < b->n_own; i++)
        state[i] = (uint8_t)(copies[i] | (apart[i] ? APART : 0));
    for (size_t i = 0, own = 0; i < b->around.n; i++) {
        if (own < b->n_own && (size_t)b->own[own] == i)
            own++;
        else
            ghosts[n++] = b->around.key[i];
    }
    sn_exchange_order_ghosts(owners, ghosts, n);
    sn_exchange exchange;
    sn_status status =
        sn_exchange_create(comm, owners, leaves->key, leaves->n, ghosts, n, &exchange);
    if (status == SN_OK) {
        sn_exchange_begin(&exchange, state, sizeof *state);
        sn_exchange_end(&exchange);
        for (size_t i = 0; i < b->around.n; i++) {
            sn_local leaf =
                i < b->n_own ? b->own[i] : sn_search_find(&b->search, ghosts[i - b->n_own]);
            b->copies[leaf] = state[i] & (APART - 1);
            b->apart[leaf] = state[i] & APART ? 1 : 0;
        }
        sn_exchange_free(&exchange);
    }
    sn_free(state);
    sn_free(ghosts);
    return status;
}

/* ---- Numbers of copies ---- */

sn_copy_numbers sn_bonds_number(const sn_bonds *b, const sn_owners *owners)
{
    sn_copy_numbers numbers = {.first = SN_NEW(sn_local, b->around.n)};
    key_list keys = {0};
    for (size_t i = 0; i < b->n_own; i++) {
        sn_local leaf = b->own[i];
        numbers.first[leaf] = (sn_local)keys.count;
        for (int copy = 0; copy < b->copies[leaf]; copy++)
            sn_push(&keys, b->around.key[leaf] | (sn_key)copy);
    }
    numbers.n_own = keys.count;
    for (size_t i = 0, own = 0; i < b->around.n; i++) {
        bool is_own = own < b->n_own && (size_t)b->own[own] == i;
        own += is_own;
        for (int copy = 0; copy < b->copies[i] && !is_own; copy++)
            sn_push(&keys, b->around.key[i] | (sn_key)copy);
    }
    numbers.key = keys.data;
    numbers.n_ghosts = keys.count - numbers.n_own;
    sn_key *ghosts = keys.data + numbers.n_own;
    sn_exchange_order_ghosts(owners, ghosts, numbers.n_ghosts);
    for (size_t g = 0; g < numbers.n_ghosts; g++)
        if (sn_key_copy(ghosts[g]) == 0)
            numbers.first[sn_search_find(&b->search, ghosts[g])] = (sn_local)(numbers.n_own + g);
    return numbers;
}

void sn_copy_numbers_free(sn_copy_numbers *numbers)
{
    sn_free(numbers->key);
    sn_free(numbers->first);
    *numbers = (sn_copy_numbers){0};
}

sn_status sn_copy_numbers_bring(const sn_copy_numbers *numbers, MPI_Comm comm,
                                const sn_owners *owners, void *values, size_t bytes)
{
    sn_exchange exchange;
    SN_TRY(sn_exchange_create(comm, owners, numbers->key, numbers->n_own,
                              numbers->key + numbers->n_own, numbers->n_ghosts, &exchange));
    sn_exchange_begin(&exchange, values, bytes);
    sn_exchange_end(&exchange);
    sn_exchange_free(&exchange);
    return SN_OK;
}

/* ---- Bonds of ghosts ---- */

/* Both ends of bonds, for who asks for those of a leaf. */
typedef struct {
    sn_key place;
    size_t bond;
} end;

typedef SN_VECTOR(end) end_list;

static end_list ends_of(const sn_bond_list *bonds)
{
    end_list ends = {0};
    for (size_t i = 0; i < bonds->count; i++) {
        sn_push(&ends, ((end){sn_key_place(bonds->data[i].low), i}));
        sn_push(&ends, ((end){sn_key_place(bonds->data[i].high), i}));
    }
    sn_sort_records(ends.data, sizeof(end), ends.count);
    return ends;
}

static size_t first_end(const end_list *ends, sn_key place)
{
    size_t low = 0, high = ends->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ends->data[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static sn_inbox ask_for_ghosts(MPI_Comm comm, const sn_owners *owners, const sn_bonds *b)
{
    int me;
    MPI_Comm_rank(comm, &me);
    key_list asked = {0};
    sn_rank_list to = {0};
    for (size_t i = 0; i < b->around.n; i++) {
        int owner = sn_owner_of(owners, b->around.key[i]);
        if (b->apart[i] && owner != me) {
            sn_push(&asked, b->around.key[i]);
            sn_push(&to, owner);
        }
    }
    sn_inbox in = sn_records_send(comm, sizeof(sn_key), asked.data, to.data, asked.count);
    sn_vector_free(&asked);
    sn_vector_free(&to);
    return in;
}

/* Adds the bonds of ghosts that are apart; their owners have them. */
static void add_bonds_of_ghosts(MPI_Comm comm, const sn_owners *owners, sn_bonds *b)
{
    sn_inbox asked = ask_for_ghosts(comm, owners, b);
    const sn_key *place = asked.data;
    end_list ends = ends_of(&b->bonds);
    sn_bond_list answers = {0};
    sn_rank_list to = {0};
    for (int s = 0; s < asked.sources; s++)
        for (size_t i = asked.first[s]; i < asked.first[s + 1]; i++)
            for (size_t e = first_end(&ends, place[i]);
                 e < ends.count && ends.data[e].place == place[i]; e++) {
                sn_push(&answers, b->bonds.data[ends.data[e].bond]);
                sn_push(&to, asked.source[s]);
            }
    sn_inbox in = sn_records_send(comm, sizeof(sn_bond), answers.data, to.data, answers.count);
    const sn_bond *arrived = in.data;
    for (size_t i = 0; i < in.n; i++)
        sn_push(&b->bonds, arrived[i]);
    sn_bonds_tidy(&b->bonds);
    sn_inbox_free(&in);
    sn_inbox_free(&asked);
    sn_vector_free(&ends);
    sn_vector_free(&answers);
    sn_vector_free(&to);
}

/* ---- What hangs together at a corner ---- */

/* What is around the corners of a leaf in its common face with a larger one.
 *
 *      +-------+---e---+     The larger leaf has a corner where their parents have one, at p. At e
 *      |       p  leaf |     the other leaf's corners may hang on edges, at f on the face. A corner
 *      | larger e---f  |     in the middle of an edge stands between p and the edge's other
 *      +-------+-------+     end, one in the middle of the face between all of these. */
typedef struct {
    sn_corner at_parent, on_edge[2], on_face;
} face_views;

static void look_at_face(const sn_bonds *b, sn_local leaf, int face, face_views *views)
{
    sn_key key = b->around.key[leaf];
    int height = b->around.height[leaf], child = sn_key_child(key, height);
    int one = 1 << (face / 2 + 1) % 3, other = 1 << (face / 2 + 2) % 3;
    sn_corner_look(b, sn_corner_place(key, height, child), &views->at_parent);
    sn_corner_look(b, sn_corner_place(key, height, child ^ one), &views->on_edge[0]);
    sn_corner_look(b, sn_corner_place(key, height, child ^ other), &views->on_edge[1]);
    sn_corner_look(b, sn_corner_place(key, height, child ^ one ^ other), &views->on_face);
}

static bool share(const sn_corner *view, sn_local leaf, int copy, sn_local larger, int other)
{
    return sn_corner_class(view, leaf, copy) == sn_corner_class(view, larger, other);
}

/* Does a corner hang on the larger leaf without the others between which it stands? */
static bool hangs_askew(const face_views *v, sn_local leaf, int copy, sn_local larger, int other)
{
    if (share(&v->on_face, leaf, copy, larger, other))
        return true;
    bool on_edge = share(&v->on_edge[0], leaf, copy, larger, other) ||
                   share(&v->on_edge[1], leaf, copy, larger, other);
    return on_edge && !share(&v->at_parent, leaf, copy, larger, other);
}

/* New bonds of a leaf with the larger one beyond one of its faces. */
static void join_where_it_hangs(const sn_bonds *b, sn_local leaf, sn_local larger, int face,
                                sn_bond_list *found)
{
    face_views views;
    look_at_face(b, leaf, face, &views);
    for (int copy = 0; copy < b->copies[leaf]; copy++)
        for (int other = 0; other < b->copies[larger]; other++)
            if (!sn_bonds_joined(b, leaf, copy, larger, other) &&
                hangs_askew(&views, leaf, copy, larger, other))
                sn_push(found, sn_bond_of(b->around.key[leaf] | (sn_key)copy,
                                          b->around.key[larger] | (sn_key)other));
}

/* The copies of a leaf that is smaller than one beyond its faces. */
static void join_with_larger(const sn_bonds *b, const sn_bodies *bodies, sn_lookup_memory *memory,
                             sn_local leaf, sn_bond_list *found)
{
    int height = b->around.height[leaf];
    for (int face = 0; face < FACES; face++) {
        sn_local beyond = sn_bonds_beyond(b, bodies, memory, b->around.key[leaf], height, face);
        if (beyond == SN_NONE || b->around.height[beyond] == height ||
            (!b->apart[leaf] && !b->apart[beyond]))
            continue;
        join_where_it_hangs(b, leaf, beyond, face, found);
    }
}

/* The leaves of half its size that are beyond the faces of a leaf. */
static void add_smaller_beyond(const sn_bonds *b, const sn_bodies *bodies, sn_lookup_memory *memory,
                               size_t leaf, key_list *places)
{
    int half = b->around.height[leaf] - 1;
    for (int child = 0; child < 8 && half >= 0; child++)
        for (int axis = 0; axis < 3; axis++) {
            sn_key place = b->around.key[leaf] + (sn_key)child * sn_key_span(half);
            int face = 2 * axis + (child >> axis & 1);
            sn_local beyond = sn_bonds_beyond(b, bodies, memory, place, half, face);
            if (beyond != SN_NONE && b->around.height[beyond] == half)
                sn_push(places, b->around.key[beyond]);
        }
}

/* Who may miss a bond: leaves that are apart, and smaller ones beside them. */
static key_list candidates(const sn_bonds *b, const sn_bodies *bodies)
{
    key_list places = {0};
    sn_lookup_memory memory = {0};
    for (size_t i = 0; i < b->around.n; i++)
        if (b->apart[i]) {
            sn_push(&places, b->around.key[i]);
            add_smaller_beyond(b, bodies, &memory, i, &places);
        }
    places.count = sn_sort_unique_keys(places.data, places.count);
    return places;
}

static bool is_own(const sn_bonds *b, const sn_owners *owners, int me, sn_local leaf)
{
    return sn_owner_of(owners, b->around.key[leaf]) == me;
}

static sn_bond_list find_missing(const sn_bonds *b, const sn_owners *owners, int me,
                                 const sn_bodies *bodies, const key_list *places)
{
    sn_bond_list found = {0};
    sn_lookup_memory memory = {0};
    for (size_t i = 0; i < places->count; i++) {
        sn_local leaf = sn_search_find(&b->search, places->data[i]);
        if (is_own(b, owners, me, leaf))
            join_with_larger(b, bodies, &memory, leaf, &found);
    }
    return found;
}

static bool any_anywhere(MPI_Comm comm, bool mine)
{
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_C_BOOL, MPI_LOR, comm);
    return mine;
}

/* One bond may lead to another, so until there are no more. */
static void complete(MPI_Comm comm, const sn_owners *owners, const sn_bodies *bodies, sn_bonds *b)
{
    int me;
    MPI_Comm_rank(comm, &me);
    key_list places = candidates(b, bodies);
    bool more = true;
    while (more) {
        sn_bond_list missing = find_missing(b, owners, me, bodies, &places);
        more = any_anywhere(comm, missing.count > 0);
        sn_bond_list mine = {0};
        if (more)
            mine = to_owners(comm, owners, &missing);
        for (size_t i = 0; i < mine.count; i++)
            sn_push(&b->bonds, mine.data[i]);
        sn_vector_free(&mine);
        sn_vector_free(&missing);
        if (more) {
            sn_bonds_tidy(&b->bonds);
            add_bonds_of_ghosts(comm, owners, b);
        }
    }
    sn_vector_free(&places);
}

/* Bonds between two leaves that are whole say nothing new. */
static void keep_those_apart(sn_bonds *b)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->bonds.count; i++) {
        sn_local low = sn_search_find(&b->search, sn_key_place(b->bonds.data[i].low));
        sn_local high = sn_search_find(&b->search, sn_key_place(b->bonds.data[i].high));
        if ((low != SN_NONE && b->apart[low]) || (high != SN_NONE && b->apart[high]))
            b->bonds.data[kept++] = b->bonds.data[i];
    }
    b->bonds.count = kept;
}

sn_status sn_bonds_create(MPI_Comm comm, const sn_owners *owners, const sn_bodies *bodies,
                          const sn_leaves *leaves, sn_joints joints, sn_bonds *b)
{
    *b = joints.placed ? *joints.placed : sn_bonds_place(comm, owners, bodies, leaves);
    sn_free(joints.placed);
    joints.placed = NULL;
    sn_bond_list given = joints.bonds;
    joints.bonds = to_owners(comm, owners, &given);
    sn_vector_free(&given);
    if (joints.all_bonds) {
        joints.apart = SN_NEW(uint8_t, leaves->n);
        find_apart(b, bodies, &joints, joints.apart);
    }
    bool mine = false;
    for (size_t i = 0; i < leaves->n; i++)
        mine = mine || joints.apart[i];
    b->any = any_anywhere(comm, mine);
    sn_status status = share_states(comm, owners, leaves, joints.copies, joints.apart, b);
    if (status == SN_OK && b->any) {
        b->bonds = joints.bonds;
        joints.bonds = (sn_bond_list){0};
        keep_those_apart(b);
        add_bonds_of_ghosts(comm, owners, b);
        complete(comm, owners, bodies, b);
    }
    sn_joints_free(&joints);
    if (status != SN_OK)
        sn_bonds_free(b);
    return status;
}
