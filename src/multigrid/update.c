/* Once a Newton step: everything of the preconditioner that follows from the positions. */
#include "multigrid/multigrid.h"

#include "base/array.h"
#include "base/timer.h"
#include "multigrid/cycle.h"
#include "multigrid/smooth.h"

#include <math.h>
#include <string.h>

/* How much of a pinned node's stiffness holds the coarse nodes around it: pinned nodes have others
 * beside them, between which nothing is strained. On the cube and the creature a quarter took one
 * or two iterations less than the whole. */
static const double HELD = 0.25;

/* F of a level's owned elements, with room for what coarsening and ghosts need. */
static double (*gradient_room(const sn_multigrid *mg, int l))[9]
{
    const sn_octree *tree = mg->level[l].tree;
    sn_local n = tree->n_elements + tree->n_ghost_elements;
    if (l + 1 < mg->n_levels) {
        sn_local room = sn_transfer_room_fine_elements(&mg->level[l].transfer);
        n = room > n ? room : n;
    }
    return SN_NEW_ZERO(double[9], n);
}

/* Section 7.3: the mean over existing children, level by level. */
static void coarsen_gradients(sn_multigrid *mg, double (*gradient)[9])
{
    for (int l = 0; l + 1 < mg->n_levels; l++) {
        double(*next)[9] = gradient_room(mg, l + 1);
        sn_coarsen_gradient(&mg->level[l].transfer.children, 9, (double *)gradient, (double *)next);
        sn_operator_linearise(&mg->level[l + 1].op, next);
        sn_free(gradient);
        gradient = next;
    }
    sn_free(gradient);
}

/* What pinned nodes hold on the next coarser level. There they may be between nodes that are free,
 * and a body that nothing holds would be corrected without any bound. A coarse motion that is
 * stopped at a pinned node strains the elements around it, as a spring to the ground would of that
 * node's own stiffness; it is shared out to the coarse nodes by restriction. */
static void hold_coarser(sn_multigrid *mg, int level, const double *diagonal)
{
    sn_multigrid_level *v = &mg->level[level], *coarse = v + 1;
    double *held = SN_NEW_ZERO(double, sn_transfer_room_fine_nodes(&v->transfer));
    for (sn_local n = 0; n < v->tree->n_nodes; n++) {
        const double *d = diagonal + SN_NODE_REALS * (size_t)n;
        held[n] = v->added[n] - mg->mass * v->mass[n];
        if (v->pinned[n])
            held[n] = HELD * mg->stiffness * (d[0] + d[1] + d[2]) / SN_NODE_REALS;
    }
    sn_restrict_scalar_f64(&v->transfer, held, coarse->added);
    for (sn_local n = 0; n < coarse->tree->n_nodes; n++)
        coarse->added[n] += mg->mass * coarse->mass[n];
    sn_free(held);
}

/* A node that no element holds stiff and that has no mass stays where it is. */
static void make_diagonal(sn_multigrid *mg, int level)
{
    sn_multigrid_level *v = &mg->level[level];
    double *diagonal = sn_field_new_f64(v->tree);
    sn_operator_diagonal_f64(&v->op, diagonal);
    sn_spring_set_diagonal_add(&mg->ties.level[level], diagonal);
    sn_spring_set_diagonal_add(&mg->contacts.level[level], diagonal);
    if (level == 0)
        for (sn_local n = 0; n < v->tree->n_nodes; n++)
            v->added[n] = mg->mass * v->mass[n];
    for (sn_local n = 0; n < v->tree->n_nodes; n++)
        for (int d = 0; d < SN_NODE_REALS; d++) {
            sn_local i = SN_NODE_REALS * n + d;
            double a = mg->stiffness * diagonal[i] + v->added[n];
            v->inverse_diagonal[i] = v->pinned[n] || !(a > 0) ? 0 : (float)(1 / a);
        }
    if (level + 1 < mg->n_levels)
        hold_coarser(mg, level, diagonal);
    sn_free(diagonal);
}

static void bound_smoother(sn_multigrid *mg, int level)
{
    if (sn_multigrid_is_single(mg))
        sn_smooth_estimate_f32(mg, level);
    else
        sn_smooth_estimate_f64(mg, level);
}

static void bound_cycle(sn_multigrid *mg, int level)
{
    if (sn_multigrid_is_single(mg))
        sn_repeat_estimate_f32(mg, level);
    else
        sn_repeat_estimate_f64(mg, level);
}

static sn_status linearise_springs(sn_multigrid *mg, double *x)
{
    SN_TRY(sn_spring_family_linearise(mg->locator, &mg->ties, x));
    return sn_spring_family_linearise(mg->locator, &mg->contacts, x);
}

sn_status sn_multigrid_linearise(sn_multigrid *mg, double *x, double stiffness, double mass,
                                 sn_deformation_summary *summary)
{
    mg->stiffness = stiffness;
    mg->mass = mass;
    sn_phase_begin("multigrid/linearise");
    double(*gradient)[9] = gradient_room(mg, 0);
    *summary = sn_operator_update(&mg->level[0].op, x, gradient);
    coarsen_gradients(mg, gradient);
    sn_status status = linearise_springs(mg, x);
    for (int l = 0; l < mg->n_levels; l++)
        make_diagonal(mg, l);
    sn_phase_end("multigrid/linearise");
    return status;
}

sn_status sn_multigrid_prepare(sn_multigrid *mg)
{
    sn_phase_begin("multigrid/bounds");
    for (int l = 0; l + 1 < mg->n_levels; l++)
        bound_smoother(mg, l);
    sn_phase_pause("multigrid/bounds");
    sn_multigrid_level *last = &mg->level[mg->n_levels - 1];
    const sn_spring_set *springs[] = {&mg->ties.level[mg->n_levels - 1],
                                      &mg->contacts.level[mg->n_levels - 1]};
    SN_TRY(sn_coarsest_factorise(&mg->coarsest, &last->op, springs, 2, mg->stiffness, last->added,
                                 last->pinned));
    sn_phase_begin("multigrid/bounds");
    for (int l = mg->n_levels - 1; l >= 0; l--)
        if (sn_level_repeats(mg, l))
            bound_cycle(mg, l);
    sn_phase_end("multigrid/bounds");
    return SN_OK;
}

sn_status sn_multigrid_update(sn_multigrid *mg, double *x, double stiffness, double mass,
                              sn_deformation_summary *summary)
{
    SN_TRY(sn_multigrid_linearise(mg, x, stiffness, mass, summary));
    return sn_multigrid_prepare(mg);
}
