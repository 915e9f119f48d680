#include "octree/finest_joints.h"

enum { FACES = 6 };

/* What is known of the leaves around. */
typedef struct {
    const sn_bodies *bodies;
    sn_bonds around; /* who is beside whom, and no more */
    sn_parts parts;
    uint8_t *open; /* of each leaf around: a bit for each face that the solid goes through */
} surroundings;

/* Of larger leaves, and in welded bodies, all faces are open. */
static void ask_for_parts(const sn_parts_search *search, surroundings *s)
{
    const sn_leaves *leaves = &s->around.around;
    SN_VECTOR(sn_key) cells = {0};
    for (size_t i = 0; i < leaves->n; i++)
        if (leaves->height[i] == 0)
            sn_push(&cells, leaves->key[i]);
    uint8_t *open = SN_NEW(uint8_t, cells.count + 1); /* never NULL: all ranks ask for it */
    s->parts = sn_parts_ask(search, cells.data, cells.count, open);
    s->open = SN_NEW(uint8_t, leaves->n);
    for (size_t i = 0, asked = 0; i < leaves->n; i++) {
        bool welded = s->bodies->body[sn_key_body(leaves->key[i])].welded;
        s->open[i] = leaves->height[i] > 0 || welded ? SN_ALL_FACES : open[asked];
        asked += leaves->height[i] == 0;
    }
    sn_free(open);
    sn_vector_free(&cells);
}

/* What is known of the parts of a leaf around; NULL: it has one. */
static const sn_parts_cell *parts_of(const surroundings *s, sn_local leaf)
{
    sn_key place = s->around.around.key[leaf];
    if (s->around.around.height[leaf] > 0 || s->bodies->body[sn_key_body(place)].welded)
        return NULL;
    const sn_parts_cell *cell = sn_parts_cell_at(&s->parts, place);
    return cell && cell->n_parts > 0 ? cell : NULL;
}

/* Are two leaves with one part each joined? Their common face is open if one of them says so. */
static bool is_open(const surroundings *s, sn_local leaf, sn_local beyond, int face)
{
    return s->open[leaf] >> face & 1 || s->open[beyond] >> (face ^ 1) & 1;
}

/* Joints of both sides of a face have the same numbers, and ascend by them. */
static void add_common(sn_key here, const sn_part_joint *a, int32_t n_a, sn_key there,
                       const sn_part_joint *b, int32_t n_b, sn_bond_list *bonds)
{
    for (int32_t i = 0, j = 0; i < n_a && j < n_b;) {
        bool same = a[i].number == b[j].number;
        if (same && a[i].part >= 0 && b[j].part >= 0)
            sn_push(bonds, sn_bond_of(here | (sn_key)a[i].part, there | (sn_key)b[j].part));
        bool first_is_lower = a[i].number < b[j].number;
        i += same || first_is_lower;
        j += same || !first_is_lower;
    }
}

/* All joints of a face lead to the one part of the leaf beyond it. */
static void add_all(const sn_parts *parts, const sn_parts_cell *cell, int face, sn_key beyond,
                    sn_bond_list *bonds)
{
    int32_t n;
    const sn_part_joint *joint = sn_parts_joints(parts, cell, face, &n);
    for (int32_t i = 0; i < n; i++)
        if (joint[i].part >= 0)
            sn_push(bonds, sn_bond_of(cell->key | (sn_key)joint[i].part, beyond));
}

static void add_bonds(const surroundings *s, sn_lookup_memory *memory, sn_local leaf,
                      sn_bond_list *bonds)
{
    const sn_leaves *leaves = &s->around.around;
    const sn_parts_cell *cell = parts_of(s, leaf);
    for (int face = 0; face < FACES; face++) {
        sn_local beyond =
            sn_bonds_beyond(&s->around, s->bodies, memory, leaves->key[leaf], 0, face);
        if (beyond == SN_NONE)
            continue;
        const sn_parts_cell *other = parts_of(s, beyond);
        int32_t n, n_other;
        if (cell && other) {
            const sn_part_joint *joint = sn_parts_joints(&s->parts, cell, face, &n);
            const sn_part_joint *theirs = sn_parts_joints(&s->parts, other, face ^ 1, &n_other);
            add_common(cell->key, joint, n, other->key, theirs, n_other, bonds);
        } else if (cell) {
            add_all(&s->parts, cell, face, leaves->key[beyond], bonds);
        } else if (other) {
            add_all(&s->parts, other, face ^ 1, leaves->key[leaf], bonds);
        } else if (is_open(s, leaf, beyond, face)) {
            sn_push(bonds, sn_bond_of(leaves->key[leaf], leaves->key[beyond]));
        }
    }
}

/* Has a leaf with one part another one beside it that it is not joined to? */
static bool is_apart(const surroundings *s, sn_lookup_memory *memory, sn_local leaf)
{
    const sn_leaves *leaves = &s->around.around;
    bool apart = false;
    for (int face = 0; face < FACES && !apart && s->open[leaf] != SN_ALL_FACES; face++) {
        if (s->open[leaf] >> face & 1)
            continue;
        sn_local beyond =
            sn_bonds_beyond(&s->around, s->bodies, memory, leaves->key[leaf], 0, face);
        apart = beyond != SN_NONE && !parts_of(s, beyond) && !is_open(s, leaf, beyond, face);
    }
    return apart;
}

/* Of one leaf: its copies, whether it is apart, and its bonds if it is. */
static void look_at_leaf(const surroundings *s, sn_lookup_memory *memory, size_t i,
                         sn_joints *joints, sn_bond_list *bonds)
{
    sn_local leaf = s->around.own[i];
    const sn_parts_cell *cell = parts_of(s, leaf);
    joints->copies[i] = (uint8_t)(cell ? cell->n_parts : 1);
    joints->apart[i] = cell || (s->around.around.height[leaf] == 0 && is_apart(s, memory, leaf));
    if (joints->apart[i])
        add_bonds(s, memory, leaf, bonds);
}

/* Bonds are sorted later on: they may come in any order. */
static void look_at_leaves(const surroundings *s, sn_joints *joints)
{
#pragma omp parallel
    {
        sn_lookup_memory memory = {0};
        sn_bond_list mine = {0};
#pragma omp for schedule(static)
        for (size_t i = 0; i < s->around.n_own; i++)
            look_at_leaf(s, &memory, i, joints, &mine);
#pragma omp critical
        for (size_t i = 0; i < mine.count; i++)
            sn_push(&joints->bonds, mine.data[i]);
        sn_vector_free(&mine);
    }
}

void sn_finest_joints_find(MPI_Comm comm, const sn_owners *owners, const sn_bodies *bodies,
                           const sn_parts_search *search, const sn_leaves *leaves,
                           sn_joints *joints)
{
    surroundings s = {.bodies = bodies, .around = sn_bonds_place(comm, owners, bodies, leaves)};
    ask_for_parts(search, &s);
    *joints = (sn_joints){
        .known = true, .copies = SN_NEW(uint8_t, leaves->n), .apart = SN_NEW(uint8_t, leaves->n)};
    look_at_leaves(&s, joints);
    joints->placed = SN_NEW(sn_bonds, 1);
    *joints->placed = s.around;
    sn_parts_free(&s.parts);
    sn_free(s.open);
}
