#include "elastic/assembly.h"

#include "base/array.h"
#include "octree/family.h"

#include <string.h>

/* Where an element is worked on. */
enum { LATE_RUN = -1 };

typedef struct {
    sn_local n_elements; /* local ones, ghosts included */
    sn_local *along;     /* those that are worked on, along the curve */
    sn_local *early;     /* of those the early ones */
    sn_local *late;
    sn_local n_along, n_early, n_late;
    int *run_of; /* of each local element */
} plan;

static bool touches_ghost(const sn_octree *tree, sn_local e)
{
    for (int corner = 0; corner < 8; corner++)
        if (tree->conforming[e][corner] >= tree->n_nodes)
            return true;
    return false;
}

/* Own and ghost elements merged along the curve; each list is in that order already. */
static void merge_along_curve(const sn_octree *tree, const sn_leaves *elements, plan *p)
{
    sn_local own = 0, ghost = tree->n_elements;
    for (sn_local i = 0; i < p->n_elements; i++) {
        bool take_own = ghost == p->n_elements ||
                        (own < tree->n_elements && elements->key[own] < elements->key[ghost]);
        p->along[i] = take_own ? own++ : ghost++;
    }
}

static plan make_plan(const sn_octree *tree, const sn_leaves *elements, const uint8_t *left_out)
{
    plan p = {.n_elements = tree->n_elements + tree->n_ghost_elements};
    p.along = SN_NEW(sn_local, p.n_elements);
    p.early = SN_NEW(sn_local, p.n_elements);
    p.late = SN_NEW(sn_local, p.n_elements);
    p.run_of = SN_NEW(int, p.n_elements);
    merge_along_curve(tree, elements, &p);
    for (sn_local i = 0; i < p.n_elements; i++) {
        sn_local e = p.along[i];
        if (left_out && left_out[sn_key_body(elements->key[e])])
            continue;
        bool late = e >= tree->n_elements || touches_ghost(tree, e);
        p.along[p.n_along++] = e;
        p.run_of[e] = LATE_RUN;
        if (late)
            p.late[p.n_late++] = e;
        else
            p.early[p.n_early++] = e;
    }
    return p;
}

static void free_plan(plan *p)
{
    sn_free(p->along);
    sn_free(p->early);
    sn_free(p->late);
    sn_free(p->run_of);
}

static sn_local groups_for(sn_local elements)
{
    return (elements + SN_GROUP - 1) / SN_GROUP;
}

static void fill_order(sn_assembly *a, const plan *p)
{
    a->n_early_groups = groups_for(p->n_early);
    a->n_groups = a->n_early_groups + groups_for(p->n_late);
    size_t lanes = (size_t)a->n_groups * SN_GROUP;
    a->order = SN_NEW(sn_local, lanes);
    for (size_t lane = 0; lane < lanes; lane++)
        a->order[lane] = SN_EMPTY_LANE;
    if (p->n_early)
        memcpy(a->order, p->early, (size_t)p->n_early * sizeof *a->order);
    if (p->n_late)
        memcpy(a->order + (size_t)a->n_early_groups * SN_GROUP, p->late,
               (size_t)p->n_late * sizeof *a->order);
}

static void cut_into_runs(sn_assembly *a, plan *p, int runs)
{
    sn_local most = a->n_early_groups / SN_LEAST_GROUPS_A_RUN;
    a->n_runs = runs < most ? runs : most > 0 ? (int)most : 1;
    a->run = SN_NEW(sn_local, a->n_runs + 1);
    for (int r = 0; r <= a->n_runs; r++)
        a->run[r] = (sn_local)((int64_t)a->n_early_groups * r / a->n_runs);
    for (int r = 0; r < a->n_runs; r++)
        for (size_t lane = (size_t)a->run[r] * SN_GROUP; lane < (size_t)a->run[r + 1] * SN_GROUP;
             lane++)
            if (a->order[lane] != SN_EMPTY_LANE)
                p->run_of[a->order[lane]] = r;
}

/* A node is a seam if a late element touches it, or two runs do. */
static uint8_t *find_seams(const sn_assembly *a, const plan *p)
{
    const sn_octree *tree = a->tree;
    enum { UNTOUCHED = -2 };
    int *touched_by = SN_NEW(int, tree->n_nodes);
    uint8_t *seam = SN_NEW_ZERO(uint8_t, tree->n_nodes);
    for (sn_local n = 0; n < tree->n_nodes; n++)
        touched_by[n] = UNTOUCHED;
    for (sn_local i = 0; i < p->n_along; i++)
        for (int corner = 0; corner < 8; corner++) {
            sn_local e = p->along[i], n = tree->conforming[e][corner];
            if (n >= tree->n_nodes)
                continue;
            if (p->run_of[e] == LATE_RUN ||
                (touched_by[n] != UNTOUCHED && touched_by[n] != p->run_of[e]))
                seam[n] = 1;
            touched_by[n] = p->run_of[e];
        }
    sn_free(touched_by);
    return seam;
}

/* Slots in the order in which a node's elements come along the curve. An element that meets a
 * node with two of its corners (both hang on it) has two slots there, by corner. */
static void number_slots(sn_assembly *a, const plan *p, const uint8_t *seam, sn_local *seam_number)
{
    const sn_octree *tree = a->tree;
    for (sn_local n = 0; n < tree->n_nodes; n++)
        a->n_seams += seam[n];
    a->seam_node = SN_NEW(sn_local, a->n_seams);
    a->seam_first = SN_NEW_ZERO(sn_local, a->n_seams + 1);
    sn_local s = 0;
    for (sn_local n = 0; n < tree->n_nodes; n++) {
        seam_number[n] = seam[n] ? s : SN_NONE;
        if (seam[n])
            a->seam_node[s++] = n;
    }
    for (sn_local i = 0; i < p->n_along; i++)
        for (int corner = 0; corner < 8; corner++) {
            sn_local n = tree->conforming[p->along[i]][corner];
            if (n < tree->n_nodes && seam[n])
                a->seam_first[seam_number[n] + 1]++;
        }
    for (s = 0; s < a->n_seams; s++)
        a->seam_first[s + 1] += a->seam_first[s];
    a->n_slots = a->seam_first[a->n_seams];
}

static bool needs_targets(const sn_octree *tree, const uint8_t *seam, sn_local e)
{
    for (int corner = 0; corner < 8; corner++) {
        sn_local n = tree->conforming[e][corner];
        if (n >= tree->n_nodes || seam[n])
            return true;
    }
    return false;
}

/* Which groups have an element at a seam. */
static sn_local mark_seam_groups(sn_assembly *a, const uint8_t *seam)
{
    a->seam_group = SN_NEW(sn_local, a->n_groups);
    sn_local rows = 0;
    for (sn_local g = 0; g < a->n_groups; g++) {
        bool any = false;
        for (int lane = 0; lane < SN_GROUP; lane++) {
            sn_local e = a->order[(size_t)g * SN_GROUP + (size_t)lane];
            any = any || (e != SN_EMPTY_LANE && needs_targets(a->tree, seam, e));
        }
        a->seam_group[g] = any ? rows++ : SN_NONE;
    }
    return rows;
}

static void fill_targets(sn_assembly *a, const plan *p, const uint8_t *seam,
                         const sn_local *seam_number)
{
    const sn_octree *tree = a->tree;
    a->target = SN_NEW(sn_local[SN_GROUP][8], mark_seam_groups(a, seam));
    sn_local *lane_of = SN_NEW(sn_local, p->n_elements);
    for (sn_local lane = 0; lane < a->n_groups * SN_GROUP; lane++)
        if (a->order[lane] != SN_EMPTY_LANE)
            lane_of[a->order[lane]] = lane;
    sn_local *next = SN_NEW(sn_local, a->n_seams + 1);
    memcpy(next, a->seam_first, (size_t)(a->n_seams + 1) * sizeof *next);
    for (sn_local i = 0; i < p->n_along; i++) {
        sn_local e = p->along[i], row = a->seam_group[lane_of[e] / SN_GROUP];
        for (int corner = 0; row != SN_NONE && corner < 8; corner++) {
            sn_local n = tree->conforming[e][corner];
            a->target[row][lane_of[e] % SN_GROUP][corner ^ a->child[e]] =
                n >= tree->n_nodes ? SN_NOWHERE
                : seam[n]          ? tree->n_nodes + next[seam_number[n]]++
                                   : n;
        }
    }
    sn_free(lane_of);
    sn_free(next);
}

static void take_corners(sn_assembly *a, const sn_leaves *elements)
{
    a->child = SN_NEW(uint8_t, elements->n);
    a->hanging = SN_NEW(uint8_t, elements->n);
    for (size_t e = 0; e < elements->n; e++) {
        /* a part that is cut out to be counted (src/plan) has no corners that hang */
        uint8_t hanging = a->tree->hanging ? a->tree->hanging[e] : 0;
        a->child[e] = hanging ? (uint8_t)sn_key_child(elements->key[e], elements->height[e]) : 0;
        a->hanging[e] = sn_turned_bits(hanging, a->child[e]);
    }
}

sn_assembly sn_assembly_create(const sn_octree *tree, const uint8_t *left_out, int runs)
{
    sn_assembly a = {.tree = tree};
    sn_leaves elements = sn_octree_elements(tree);
    take_corners(&a, &elements);
    plan p = make_plan(tree, &elements, left_out);
    sn_leaves_free(&elements);
    fill_order(&a, &p);
    cut_into_runs(&a, &p, runs);
    uint8_t *seam = find_seams(&a, &p);
    sn_local *seam_number = SN_NEW(sn_local, tree->n_nodes);
    number_slots(&a, &p, seam, seam_number);
    fill_targets(&a, &p, seam, seam_number);
    sn_free(seam);
    sn_free(seam_number);
    free_plan(&p);
    return a;
}

void sn_assembly_free(sn_assembly *a)
{
    sn_free(a->order);
    sn_free(a->run);
    sn_free(a->seam_group);
    sn_free(a->target);
    sn_free(a->seam_node);
    sn_free(a->seam_first);
    sn_free(a->child);
    sn_free(a->hanging);
    *a = (sn_assembly){0};
}

size_t sn_assembly_memory(const sn_assembly *a)
{
    size_t rows = 0, elements = (size_t)a->tree->n_elements + (size_t)a->tree->n_ghost_elements;
    for (sn_local g = 0; g < a->n_groups; g++)
        rows += a->seam_group[g] != SN_NONE;
    return (size_t)a->n_groups * (SN_GROUP + 1) * sizeof(sn_local) + rows * sizeof *a->target +
           (size_t)(2 * a->n_seams + 1) * sizeof(sn_local) + 2 * elements;
}
