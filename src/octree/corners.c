#include "octree/corners.h"

sn_key sn_corner_place(sn_key leaf, int height, int corner)
{
    uint32_t xyz[3], edge = sn_edge(height);
    sn_key_anchor(leaf, xyz);
    return sn_key_of(sn_key_body(leaf), xyz[0] + edge * (uint32_t)(corner & 1),
                     xyz[1] + edge * (uint32_t)(corner >> 1 & 1),
                     xyz[2] + edge * (uint32_t)(corner >> 2 & 1));
}

/* The leaves at the eight finest cells around a place. */
static void leaves_around(const sn_bonds *b, sn_key place, sn_local leaf[8])
{
    uint32_t xyz[3];
    sn_key_anchor(place, xyz);
    for (int o = 0; o < 8; o++) {
        uint32_t cell[3];
        bool inside = true;
        for (int d = 0; d < 3; d++) {
            cell[d] = xyz[d] - 1 + (uint32_t)(o >> d & 1);
            inside = inside && cell[d] < SN_MAX_COORDINATE; /* below zero wraps to huge */
        }
        leaf[o] = SN_NONE;
        if (inside)
            leaf[o] = sn_bonds_leaf_at(b, sn_key_of(sn_key_body(place), cell[0], cell[1], cell[2]));
    }
}

/* All copies of these leaves, each leaf once, along the curve. */
static void list_copies(const sn_bonds *b, const sn_local leaf[8], sn_corner *v)
{
    sn_local last = -1;
    for (;;) {
        sn_local next = SN_LOCAL_MAX;
        for (int o = 0; o < 8; o++)
            if (leaf[o] != SN_NONE && leaf[o] > last && leaf[o] < next)
                next = leaf[o];
        if (next == SN_LOCAL_MAX)
            return;
        for (int copy = 0; copy < b->copies[next]; copy++) {
            v->leaf[v->n] = next;
            v->copy[v->n] = (uint8_t)copy;
            v->group[v->n] = (int16_t)v->n;
            v->n++;
        }
        last = next;
    }
}

static int first_copy(const sn_corner *v, sn_local leaf)
{
    int i = 0;
    while (v->leaf[i] != leaf)
        i++;
    return i;
}

static int find(sn_corner *v, int i)
{
    while (v->group[i] != i)
        i = v->group[i];
    return i;
}

static void join(sn_corner *v, int i, int j)
{
    int a = find(v, i), b = find(v, j);
    v->group[a > b ? a : b] = (int16_t)(a < b ? a : b);
}

static void join_copies(const sn_bonds *b, sn_local one, sn_local other, sn_corner *v)
{
    int i = first_copy(v, one), j = first_copy(v, other);
    for (int of_one = 0; of_one < b->copies[one]; of_one++)
        for (int of_other = 0; of_other < b->copies[other]; of_other++)
            if (sn_bonds_joined(b, one, of_one, other, of_other))
                join(v, i + of_one, j + of_other);
}

static bool has_corner(const sn_bonds *b, sn_local leaf, sn_key place)
{
    uint32_t at[3], anchor[3], within = sn_edge(b->around.height[leaf]) - 1;
    sn_key_anchor(place, at);
    sn_key_anchor(b->around.key[leaf], anchor);
    bool has = true;
    for (int d = 0; d < 3; d++)
        has = has && ((at[d] - anchor[d]) & within) == 0;
    return has;
}

static void number_groups(const sn_bonds *b, sn_key place, sn_corner *v)
{
    for (int i = 0; i < v->n; i++) {
        v->group[i] = (int16_t)find(v, i);
        v->larger[i] = -1;
    }
    bool has_corners[SN_CORNER_SLOTS] = {false};
    for (int i = 0; i < v->n; i++) {
        int group = v->group[i];
        if (has_corner(b, v->leaf[i], place))
            has_corners[group] = true;
        else if (v->larger[group] < 0)
            v->larger[group] = (int16_t)i;
    }
    for (int i = 0; i < v->n; i++) {
        if (v->group[i] != i || !has_corners[i])
            continue;
        if (v->larger[i] < 0)
            v->node[i] = (uint8_t)(v->n_nodes < SN_MOST_COPIES ? v->n_nodes++ : v->n_nodes - 1);
        v->n_hanging += v->larger[i] >= 0;
    }
}

void sn_corner_look(const sn_bonds *b, sn_key place, sn_corner *v)
{
    sn_local leaf[8];
    v->n = v->n_nodes = v->n_hanging = 0;
    leaves_around(b, place, leaf);
    list_copies(b, leaf, v);
    for (int axis = 0; axis < 3; axis++)
        for (int o = 0; o < 8; o++) {
            sn_local one = leaf[o], other = leaf[o | 1 << axis];
            if (!(o >> axis & 1) && one != SN_NONE && other != SN_NONE && one != other)
                join_copies(b, one, other, v);
        }
    number_groups(b, place, v);
}

int sn_corner_class(const sn_corner *v, sn_local leaf, int copy)
{
    return v->group[first_copy(v, leaf) + copy];
}
