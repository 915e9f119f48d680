#include "multigrid/multigrid.h"

#include "base/array.h"
#include "multigrid/cycle.h"

#include <string.h>

static sn_local largest_of(sn_local a, sn_local b)
{
    return a > b ? a : b;
}

/* A work vector serves the operator's ghosts and both transfers' remote values. */
static size_t work_reals(const sn_multigrid *mg, int l)
{
    const sn_octree *tree = mg->level[l].tree;
    sn_local nodes = tree->n_nodes + tree->n_ghost_nodes;
    if (l + 1 < mg->n_levels)
        nodes = largest_of(nodes, sn_transfer_room_fine_nodes(&mg->level[l].transfer));
    if (l > 0)
        nodes = largest_of(nodes, sn_transfer_room_coarse_nodes(&mg->level[l - 1].transfer));
    return SN_NODE_REALS * (size_t)nodes + SN_FIELD_SLACK;
}

#define SN_PRECISION 32
#include "multigrid/work.inc"
#define SN_PRECISION 64
#include "multigrid/work.inc"

bool sn_multigrid_is_single(const sn_multigrid *mg)
{
    return mg->settings.precision != SN_PRECISION_DOUBLE;
}

static void make_work_vectors(sn_multigrid *mg)
{
    for (int l = 0; l < mg->n_levels; l++) {
        sn_multigrid_level *v = &mg->level[l];
        v->inverse_diagonal = SN_NEW(float, SN_NODE_REALS *(size_t)v->tree->n_nodes);
        v->added = SN_NEW_ZERO(double, v->tree->n_nodes);
        size_t reals = work_reals(mg, l);
        if (sn_multigrid_is_single(mg))
            v->work_f32 = new_work_f32(reals, sn_level_repeats(mg, l));
        else
            v->work_f64 = new_work_f64(reals, sn_level_repeats(mg, l));
    }
}

static void coarsen_nodes(sn_transfer *t, const sn_multigrid_level *fine,
                          sn_multigrid_level *coarse)
{
    sn_local n_fine = fine->tree->n_nodes, n_coarse = coarse->tree->n_nodes;
    double *room = SN_NEW_ZERO(double, sn_transfer_room_fine_nodes(t));
    if (n_fine)
        memcpy(room, fine->mass, (size_t)n_fine * sizeof *room);
    coarse->mass = SN_NEW(double, n_coarse);
    sn_restrict_scalar_f64(t, room, coarse->mass);
    sn_free(room);
    coarse->pinned = SN_NEW(uint8_t, n_coarse);
    sn_restrict_pins(t, fine->pinned, coarse->pinned);
}

static sn_law_parameters *copy_of_parameters(const sn_law_parameters *parameters, sn_local n)
{
    sn_law_parameters *copy = SN_NEW(sn_law_parameters, n);
    if (n)
        memcpy(copy, parameters, (size_t)n * sizeof *copy);
    return copy;
}

/* Those of the next coarser level of `fine`; `parameters` is replaced. */
static void coarsen_parameters(const sn_multigrid *mg, sn_multigrid_level *fine,
                               const sn_octree *coarse, sn_law_parameters **parameters)
{
    sn_local n = fine->tree->n_elements;
    sn_law_parameters *room =
        SN_NEW_ZERO(sn_law_parameters, sn_transfer_room_fine_elements(&fine->transfer));
    if (n)
        memcpy(room, *parameters, (size_t)n * sizeof *room);
    sn_free(*parameters);
    *parameters = SN_NEW(sn_law_parameters, coarse->n_elements);
    sn_coarsen_parameters(&fine->transfer.children, mg->law, room, *parameters);
    sn_free(room);
}

static sn_status add_coarser_level(sn_multigrid *mg, sn_octree *tree,
                                   sn_law_parameters **parameters)
{
    sn_multigrid_level *fine = &mg->level[mg->n_levels - 1], *coarse = fine + 1;
    SN_TRY(sn_transfer_create(fine->tree, tree, &fine->transfer));
    coarse->tree = tree;
    mg->n_levels++;
    coarsen_nodes(&fine->transfer, fine, coarse);
    coarsen_parameters(mg, fine, tree, parameters);
    return sn_operator_create(tree, mg->law, *parameters, sn_multigrid_is_single(mg), &coarse->op);
}

static double *copy_of(const double *values, sn_local n)
{
    double *copy = SN_NEW(double, n);
    if (n)
        memcpy(copy, values, (size_t)n * sizeof *copy);
    return copy;
}

static sn_status make_levels(sn_multigrid *mg, sn_hierarchy *forest, sn_law_parameters **parameters)
{
    sn_multigrid_level *finest = &mg->level[0];
    SN_TRY(sn_operator_create(finest->tree, mg->law, *parameters, sn_multigrid_is_single(mg),
                              &finest->op));
    for (int l = 1; l < forest->n_levels; l++)
        SN_TRY(add_coarser_level(mg, &forest->level[l], parameters));
    return SN_OK;
}

sn_status sn_multigrid_create(sn_hierarchy *forest, sn_law_kind law,
                              const sn_law_parameters *parameters, const double *mass,
                              const uint8_t *pinned, sn_multigrid_settings settings,
                              sn_multigrid *mg)
{
    *mg = (sn_multigrid){.n_levels = 1, .settings = settings, .law = law};
    mg->coarsest.comm = MPI_COMM_NULL;
    sn_octree *tree = &forest->level[0];
    sn_law_parameters *level_parameters = copy_of_parameters(parameters, tree->n_elements);
    mg->parameters = copy_of_parameters(parameters, tree->n_elements);
    mg->level[0].tree = tree;
    mg->level[0].mass = copy_of(mass, tree->n_nodes);
    mg->level[0].pinned = SN_NEW(uint8_t, tree->n_nodes);
    if (tree->n_nodes)
        memcpy(mg->level[0].pinned, pinned, (size_t)tree->n_nodes);
    sn_status status = make_levels(mg, forest, &level_parameters);
    sn_free(level_parameters);
    if (status != SN_OK) {
        sn_multigrid_free(mg);
        return status;
    }
    make_work_vectors(mg);
    sn_coarsest_create(mg->level[mg->n_levels - 1].tree, &mg->coarsest);
    return SN_OK;
}

void sn_multigrid_set_damping(sn_multigrid *mg, const double *damping, double rate)
{
    sn_multigrid_level *finest = &mg->level[0];
    sn_local n = finest->tree->n_elements;
    if (!mg->damping) {
        mg->damping = copy_of(damping, n);
        mg->damping_weight = sn_operator_weights(&finest->op, damping);
    }
    if (finest->op.weight && mg->rate == rate)
        return;
    mg->rate = rate;
    double *weight = SN_NEW(double, n);
    sn_law_parameters *parameters = SN_NEW(sn_law_parameters, n);
    for (sn_local e = 0; e < n; e++) {
        weight[e] = 1 + rate * mg->damping[e];
        parameters[e] = sn_law_weighted(mg->law, mg->parameters[e], weight[e]);
    }
    sn_operator_set_weight(&finest->op, weight);
    sn_free(weight);
    /* Coarse levels have no plain K to keep: their parameters are weighted themselves. */
    for (int l = 0; l + 1 < mg->n_levels; l++) {
        coarsen_parameters(mg, &mg->level[l], mg->level[l + 1].tree, &parameters);
        sn_operator_set_parameters(&mg->level[l + 1].op, parameters);
    }
    sn_free(parameters);
}

void sn_multigrid_free(sn_multigrid *mg)
{
    sn_free(mg->parameters);
    sn_free(mg->damping);
    sn_free(mg->damping_weight);
    sn_spring_family_free(&mg->ties);
    sn_spring_family_free(&mg->contacts);
    for (int l = 0; l < mg->n_levels; l++) {
        sn_multigrid_level *v = &mg->level[l];
        sn_locator_free(&mg->locator[l]);
        sn_operator_free(&v->op);
        sn_transfer_free(&v->transfer);
        sn_free(v->mass);
        sn_free(v->pinned);
        sn_free(v->added);
        sn_free(v->inverse_diagonal);
        free_work_f32(&v->work_f32);
        free_work_f64(&v->work_f64);
    }
    sn_coarsest_free(&mg->coarsest);
    *mg = (sn_multigrid){0};
}

size_t sn_multigrid_nodal_memory(size_t nodes, size_t ghosts, bool single, bool repeats)
{
    enum { WORK_VECTORS = 5, REPEAT_VECTORS = 3 };
    const sn_multigrid_level *v = NULL; /* for sizes only */
    size_t real = single ? sizeof(float) : sizeof(double);
    size_t vectors = WORK_VECTORS + (repeats ? REPEAT_VECTORS : 0);
    return nodes * (sizeof *v->mass + sizeof *v->added + sizeof *v->pinned) +
           SN_NODE_REALS *
               (nodes * sizeof *v->inverse_diagonal + (nodes + ghosts) * vectors * real);
}

size_t sn_multigrid_memory(const sn_multigrid *mg)
{
    size_t bytes = sn_spring_family_memory(&mg->ties) + sn_spring_family_memory(&mg->contacts);
    for (int l = 0; l < mg->n_levels; l++) {
        const sn_multigrid_level *v = &mg->level[l];
        bytes += sn_locator_memory(&mg->locator[l]);
        size_t nodes = (size_t)v->tree->n_nodes, room = work_reals(mg, l) / SN_NODE_REALS;
        bytes += sn_operator_memory(&v->op) + sn_multigrid_nodal_memory(nodes, room - nodes,
                                                                        sn_multigrid_is_single(mg),
                                                                        sn_level_repeats(mg, l));
        if (l + 1 < mg->n_levels)
            bytes += sn_transfer_memory(&v->transfer);
    }
    return bytes;
}
