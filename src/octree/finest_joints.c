#include "octree/finest_joints.h"

enum { FACES = 6 };

/* All leaves as wholes: for who is beside whom. */
static sn_joints whole(const sn_leaves *leaves)
{
    sn_joints joints = {.known = true,
                        .copies = SN_NEW(uint8_t, leaves->n),
                        .apart = SN_NEW_ZERO(uint8_t, leaves->n)};
    for (size_t i = 0; i < leaves->n; i++)
        joints.copies[i] = 1;
    return joints;
}

static sn_parts ask_for_parts(const sn_parts_search *search, const sn_bonds *around)
{
    SN_VECTOR(sn_key) cells = {0};
    for (size_t i = 0; i < around->around.n; i++)
        if (around->around.height[i] == 0)
            sn_push(&cells, around->around.key[i]);
    sn_parts parts = sn_parts_ask(search, cells.data, cells.count);
    sn_vector_free(&cells);
    return parts;
}

/* What is known of a leaf's parts; NULL: it has one. */
static const sn_parts_cell *parts_of(const sn_parts *parts, const sn_bodies *bodies, sn_key place,
                                     int height)
{
    if (height > 0 || bodies->body[sn_key_body(place)].welded)
        return NULL;
    const sn_parts_cell *cell = sn_parts_cell_at(parts, place);
    return cell && cell->n_parts > 0 ? cell : NULL;
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

static void add_bonds(const sn_parts *parts, const sn_bonds *around, const sn_bodies *bodies,
                      const sn_parts_cell *cell, sn_bond_list *bonds)
{
    for (int face = 0; face < FACES; face++) {
        sn_local beyond = sn_bonds_beyond(around, bodies, cell->key, 0, face);
        if (beyond == SN_NONE)
            continue;
        sn_key there = around->around.key[beyond];
        const sn_parts_cell *other = parts_of(parts, bodies, there, around->around.height[beyond]);
        int32_t n, n_other;
        const sn_part_joint *joint = sn_parts_joints(parts, cell, face, &n);
        if (other) {
            const sn_part_joint *theirs = sn_parts_joints(parts, other, face ^ 1, &n_other);
            add_common(cell->key, joint, n, there, theirs, n_other, bonds);
        }
        for (int32_t i = 0; i < n && !other; i++)
            if (joint[i].part >= 0)
                sn_push(bonds, sn_bond_of(cell->key | (sn_key)joint[i].part, there));
    }
}

sn_status sn_finest_joints_find(MPI_Comm comm, const sn_owners *owners, const sn_bodies *bodies,
                                const sn_parts_search *search, const sn_leaves *leaves,
                                sn_joints *joints)
{
    sn_bonds around;
    SN_TRY(sn_bonds_create(comm, owners, bodies, leaves, whole(leaves), &around));
    sn_parts parts = ask_for_parts(search, &around);
    *joints = whole(leaves);
    for (size_t i = 0; i < leaves->n; i++) {
        const sn_parts_cell *cell = parts_of(&parts, bodies, leaves->key[i], leaves->height[i]);
        if (!cell)
            continue;
        joints->copies[i] = (uint8_t)cell->n_parts;
        joints->apart[i] = 1;
        add_bonds(&parts, &around, bodies, cell, &joints->bonds);
    }
    sn_parts_free(&parts);
    sn_bonds_free(&around);
    return SN_OK;
}
