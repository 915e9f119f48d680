#include "system/levels.h"

#include "base/array.h"
#include "base/threads.h"
#include "base/timer.h"
#include "base/work.h"
#include "transfer/points.h"

#include <string.h>

/* How much of a pinned node's stiffness holds the coarse nodes around it: pinned nodes have others
 * beside them, between which nothing is strained. On the cube and the creature a quarter took one
 * or two iterations less than the whole. */
static const double PIN_SHARE = 0.25;

/* ---- What stays: materials, masses, pins. ---- */

/* Coarse levels have no plain K to keep: what they are made of is weighted itself. */
static sn_law_parameters *weighted_parameters(const sn_system *s)
{
    sn_local n = s->tree->n_elements;
    sn_law_parameters *p = SN_NEW(sn_law_parameters, n);
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)n))
    for (sn_local e = 0; e < n; e++) {
        double weight = sn_system_element_weight(s, e);
        p[e] = sn_law_weighted(s->op.law, s->op.parameters[e], weight);
    }
    return p;
}

/* Those of the next coarser level; the given ones are freed. */
static sn_law_parameters *coarsen_parameters(sn_transfer *t, const sn_system *fine,
                                             const sn_octree *coarse, sn_law_parameters *p)
{
    SN_RESIZE(p, sn_transfer_room_fine_elements(t));
    sn_law_parameters *coarser = SN_NEW(sn_law_parameters, coarse->n_elements);
    sn_coarsen_parameters(&t->children, fine->op.law, p, coarser);
    sn_free(p);
    return coarser;
}

static sn_status coarsen_points(sn_transfer *t, const sn_system *fine, const sn_octree *coarse,
                                float (**point)[3])
{
    sn_local n = fine->tree->n_elements;
    double *stiffness = SN_NEW(double, n);
    for (sn_local e = 0; e < n; e++)
        stiffness[e] = sn_law_stiffness(fine->op.law, fine->op.parameters[e]);
    sn_status status = sn_coarsen_points(t, fine->tree, coarse, stiffness, fine->op.point, point);
    sn_free(stiffness);
    return status;
}

static double *coarsen_mass(sn_transfer *t, const sn_system *fine, const sn_octree *coarse)
{
    double *room = SN_NEW_ZERO(double, sn_transfer_room_fine_nodes(t));
    if (fine->tree->n_nodes)
        memcpy(room, fine->mass, (size_t)fine->tree->n_nodes * sizeof *room);
    double *mass = SN_NEW(double, coarse->n_nodes);
    sn_restrict_scalar_f64(t, room, mass);
    sn_free(room);
    return mass;
}

sn_level_groups sn_levels_of_all(int systems)
{
    return (sn_level_groups){.n = 1, .systems = {systems}};
}

/* Of each body: is it in another group? NULL if there is no other. */
static uint8_t *left_out_of(const sn_level_groups *groups, int group)
{
    if (groups->n == 1)
        return NULL;
    uint8_t *left_out = SN_NEW(uint8_t, SN_MOST_BODIES);
    for (int b = 0; b < SN_MOST_BODIES; b++)
        left_out[b] = groups->of_body[b] != group;
    return left_out;
}

/* A group's system of the level after l; its transfer and points are there already. */
static sn_status create_coarser(sn_levels *v, int group, int l, sn_octree *tree,
                                const sn_law_parameters *p)
{
    sn_system *fine = sn_levels_of_group(v, group, l), *coarse = &v->coarse[group][l];
    double *mass = coarsen_mass(&v->transfer[l], fine, tree);
    uint8_t *pinned = SN_NEW(uint8_t, tree->n_nodes), *left_out = left_out_of(&v->groups, group);
    sn_restrict_pins(&v->transfer[l], fine->pinned, pinned);
    sn_status status = sn_system_create(tree, v->finest->op.law, p, mass, pinned, left_out,
                                        v->finest->op.single, coarse);
    sn_free(mass);
    sn_free(pinned);
    sn_free(left_out);
    SN_TRY(status);
    sn_operator_set_points(&coarse->op, (const float(*)[3])v->point[l]);
    return SN_OK;
}

static void free_level(sn_levels *v, int l)
{
    for (int group = 0; group < v->groups.n; group++)
        sn_system_free(&v->coarse[group][l - 1]);
    sn_transfer_free(&v->transfer[l - 1]);
    sn_free(v->point[l - 1]);
    v->point[l - 1] = NULL;
}

/* The level after l. What is there after a failure is freed with the others. */
static sn_status add_level(sn_levels *v, int l, sn_octree *tree, sn_law_parameters **p)
{
    const sn_system *fine = sn_levels_at(v, l);
    SN_TRY(sn_transfer_create(fine->tree, tree, &v->transfer[l]));
    v->n++;
    *p = coarsen_parameters(&v->transfer[l], fine, tree, *p);
    SN_TRY(coarsen_points(&v->transfer[l], fine, tree, &v->point[l]));
    for (int group = 0; group < v->groups.n && l + 1 < v->groups.systems[group]; group++)
        SN_TRY(create_coarser(v, group, l, tree, *p));
    return SN_OK;
}

static sn_status add_levels(sn_levels *v, sn_hierarchy *forest)
{
    sn_law_parameters *p = weighted_parameters(v->finest);
    sn_status status = SN_OK;
    for (int l = 1; l < v->groups.systems[0] && status == SN_OK; l++)
        status = add_level(v, l - 1, &forest->level[l], &p);
    sn_free(p);
    return status;
}

/* F of a level's owned elements, with room for what coarsening and ghosts need. */
static sn_local gradient_room(const sn_levels *v, int l)
{
    const sn_octree *tree = sn_levels_at(v, l)->tree;
    sn_local n = tree->n_elements + tree->n_ghost_elements;
    if (l + 1 < v->n) {
        sn_local room = sn_transfer_room_fine_elements(&v->transfer[l]);
        n = room > n ? room : n;
    }
    return n;
}

sn_status sn_levels_create(sn_hierarchy *forest, const sn_level_groups *groups, sn_system *finest,
                           sn_levels *levels)
{
    *levels = (sn_levels){.n = 1, .groups = *groups, .finest = finest, .rate = finest->rate};
    sn_status status = add_levels(levels, forest);
    if (status != SN_OK)
        sn_levels_free(levels);
    return status;
}

void sn_levels_free(sn_levels *v)
{
    for (int l = 1; l < v->n; l++)
        free_level(v, l);
    *v = (sn_levels){0};
}

void sn_levels_cut(sn_levels *v, int group, int systems)
{
    for (int l = systems; l < v->groups.systems[group]; l++)
        sn_system_free(&v->coarse[group][l - 1]);
    v->groups.systems[group] = systems;
    for (; v->n > v->groups.systems[0]; v->n--)
        free_level(v, v->n - 1);
}

size_t sn_levels_memory(const sn_levels *v)
{
    size_t bytes = 0;
    for (int l = 1; l < v->n; l++) {
        const sn_octree *tree = sn_levels_at(v, l)->tree;
        size_t elements = (size_t)tree->n_elements + (size_t)tree->n_ghost_elements;
        bytes += sn_transfer_memory(&v->transfer[l - 1]) + elements * sizeof *v->point[l - 1];
        for (int group = 0; group < v->groups.n && l < v->groups.systems[group]; group++)
            bytes += sn_system_memory(sn_levels_of_group(v, group, l));
    }
    return bytes;
}

/* ---- What follows the finest level. ---- */

static void update_damping(sn_levels *v)
{
    if (v->rate == v->finest->rate)
        return;
    v->rate = v->finest->rate;
    sn_field_pool_empty(&v->finest->spare); /* parameters take more than any of these */
    sn_law_parameters *p = weighted_parameters(v->finest);
    for (int l = 1; l < v->n; l++) {
        const sn_octree *tree = sn_levels_at(v, l)->tree;
        p = coarsen_parameters(&v->transfer[l - 1], sn_levels_at(v, l - 1), tree, p);
        for (int group = 0; group < v->groups.n && l < v->groups.systems[group]; group++)
            sn_operator_set_parameters(&sn_levels_of_group(v, group, l)->op, p);
    }
    sn_free(p);
}

sn_status sn_levels_update_springs(sn_levels *v)
{
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++) {
        if (v->seen[slot] == v->finest->changes[slot])
            continue;
        for (int group = 0; group < v->groups.n; group++)
            for (int l = 1; l < v->groups.systems[group]; l++)
                SN_TRY(sn_system_coarsen_springs(sn_levels_of_group(v, group, l), slot,
                                                 sn_levels_of_group(v, group, l - 1)));
        v->seen[slot] = v->finest->changes[slot];
    }
    return SN_OK;
}

void sn_levels_settle_springs(sn_levels *v, int slot)
{
    for (int l = 0; l < v->n; l++)
        sn_spring_set_settle(sn_system_springs(sn_levels_at(v, l), slot));
}

/* What pinned nodes hold on the next coarser level. There they may be between nodes that are free,
 * and a body that nothing holds would be corrected without any bound. A coarse motion that is
 * stopped at a pinned node strains the elements around it, as a spring to the ground would of that
 * node's own stiffness; it is shared out to the coarse nodes by restriction. */
static double *held_by_pins(sn_transfer *t, const sn_system *fine, const sn_system *coarse)
{
    double *of_fine = SN_NEW_ZERO(double, sn_transfer_room_fine_nodes(t));
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)fine->tree->n_nodes))
    for (sn_local n = 0; n < fine->tree->n_nodes; n++)
        of_fine[n] = sn_system_added(fine, n) - fine->inertia * fine->mass[n];
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)fine->n_pinned))
    for (sn_local i = 0; i < fine->n_pinned; i++)
        of_fine[fine->pinned_node[i]] =
            PIN_SHARE * fine->stiffness * fine->pinned_diagonal[i] / SN_NODE_REALS;
    double *held = SN_NEW(double, coarse->tree->n_nodes);
    sn_restrict_scalar_f64(t, of_fine, held);
    sn_free(of_fine);
    return held;
}

static void linearise_group(sn_levels *v, int group, int l, float (*gradient)[9])
{
    sn_system *fine = sn_levels_of_group(v, group, l);
    sn_system *coarse = sn_levels_of_group(v, group, l + 1);
    double *held = held_by_pins(&v->transfer[l], fine, coarse);
    sn_system_linearise_about(coarse, gradient, held, fine->stiffness, fine->inertia);
}

/* Section 7.3: gradients are the mean over existing children. Those of the finer level are freed,
 * those of the coarser one returned. */
static float (*linearise_coarser(sn_levels *v, int l, float (*finer)[9]))[9]
{
    float(*gradient)[9] = SN_NEW_ZERO(float[9], gradient_room(v, l + 1));
    sn_coarsen_gradient(&v->transfer[l].children, 9, (float *)finer, (float *)gradient);
    sn_free(finer);
    for (int group = 0; group < v->groups.n && l + 1 < v->groups.systems[group]; group++)
        linearise_group(v, group, l, gradient);
    return gradient;
}

sn_status sn_levels_linearise(sn_levels *v, double *x)
{
    sn_system_follow_diagonal(v->finest);
    if (v->n == 1 || !v->finest->is_new)
        return SN_OK;
    sn_phase_begin("system/coarser levels");
    sn_work_begin(SN_WORK_FOLLOWING);
    update_damping(v);
    sn_status status = sn_levels_update_springs(v);
    float(*gradient)[9] = sn_system_gradients(v->finest, x, gradient_room(v, 0));
    v->finest->is_new = false;
    for (int l = 0; l + 1 < v->n; l++)
        gradient = linearise_coarser(v, l, gradient);
    sn_free(gradient);
    sn_work_end();
    sn_phase_end("system/coarser levels");
    return status;
}

/* ---- Positions. ---- */

/* A restricted field over restricted ones, added. */
static void add_mean(sn_transfer *t, double *fine, const double *weight, const sn_octree *coarse,
                     double *x)
{
    double *sum = sn_field_new_f64(coarse);
    sn_restrict_f64(t, fine, sum);
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)sn_field_reals(coarse)))
    for (sn_local i = 0; i < sn_field_reals(coarse); i++)
        x[i] += weight[i / SN_NODE_REALS] > 0 ? sum[i] / weight[i / SN_NODE_REALS] : 0;
    sn_free(sum);
}

/* How much of the finer nodes each coarse one has. */
static double *weights_of(sn_transfer *t, sn_local n_fine, sn_local n_coarse)
{
    double *ones = SN_NEW(double, sn_transfer_room_fine_nodes(t)),
           *weight = SN_NEW(double, n_coarse);
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)n_fine))
    for (sn_local n = 0; n < n_fine; n++)
        ones[n] = 1;
    sn_restrict_scalar_f64(t, ones, weight);
    sn_free(ones);
    return weight;
}

static sn_local larger(sn_local a, sn_local b)
{
    return a > b ? a : b;
}

/* A field with room for transfers from and to the level. */
static double *roomy_field(const sn_levels *v, int l)
{
    const sn_octree *tree = sn_levels_at(v, l)->tree;
    sn_local nodes = tree->n_nodes + tree->n_ghost_nodes;
    if (l + 1 < v->n)
        nodes = larger(nodes, sn_transfer_room_fine_nodes(&v->transfer[l]));
    if (l > 0)
        nodes = larger(nodes, sn_transfer_room_coarse_nodes(&v->transfer[l - 1]));
    return SN_NEW_ZERO(double, SN_NODE_REALS *(size_t)nodes + SN_FIELD_SLACK);
}

/* Starts at the mean of the finer nodes, and adds means of what is left: where all moved alike, to
 * positions that finer ones lie exactly between. After a quarter of a turn nodes are a tenth of a
 * cell away from there in the mean, those outside of the body most. */
static double *coarser_positions(sn_levels *v, int l, double *fine)
{
    enum { STEPS = 12 };
    sn_transfer *t = &v->transfer[l];
    const sn_octree *tree = sn_levels_at(v, l)->tree, *coarse = sn_levels_at(v, l + 1)->tree;
    double *x = roomy_field(v, l + 1), *left = roomy_field(v, l), *weight;
    weight = weights_of(t, tree->n_nodes, coarse->n_nodes);
    for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)sn_field_reals(tree)))
        for (sn_local i = 0; i < sn_field_reals(tree); i++)
            left[i] = -fine[i];
        sn_prolong_add_f64(t, x, left);
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)sn_field_reals(tree)))
        for (sn_local i = 0; i < sn_field_reals(tree); i++)
            left[i] = -left[i];
        add_mean(t, left, weight, coarse, x);
    }
    sn_free(left);
    sn_free(weight);
    sn_free(fine);
    return x;
}

double *sn_levels_positions(sn_levels *v, const double *finest, int level)
{
    double *x = roomy_field(v, 0);
    sn_field_copy_f64(v->finest->tree, x, finest);
    for (int l = 0; l < level; l++)
        x = coarser_positions(v, l, x);
    return x;
}
