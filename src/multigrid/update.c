/* Once a Newton step: everything of the preconditioner that follows from the positions. */
#include "multigrid/multigrid.h"

#include "base/array.h"
#include "multigrid/cycle.h"
#include "multigrid/smooth.h"

#include <math.h>
#include <string.h>

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

/* A node that no element holds stiff and that has no mass stays where it is. */
static void invert_diagonal(sn_multigrid *mg, int level)
{
    sn_multigrid_level *v = &mg->level[level];
    double *diagonal = sn_field_new_f64(v->tree);
    sn_operator_diagonal_f64(&v->op, diagonal);
    sn_spring_set_diagonal_add(&mg->ties.level[level], diagonal);
    sn_spring_set_diagonal_add(&mg->contacts.level[level], diagonal);
    for (sn_local n = 0; n < v->tree->n_nodes; n++)
        for (int d = 0; d < SN_NODE_REALS; d++) {
            sn_local i = SN_NODE_REALS * n + d;
            double a = mg->stiffness * diagonal[i] + mg->mass * v->mass[n];
            v->inverse_diagonal[i] = v->pinned[n] || !(a > 0) ? 0 : (float)(1 / a);
        }
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

sn_status sn_multigrid_update(sn_multigrid *mg, double *x, double stiffness, double mass,
                              sn_deformation_summary *summary)
{
    mg->stiffness = stiffness;
    mg->mass = mass;
    double(*gradient)[9] = gradient_room(mg, 0);
    *summary = sn_operator_update(&mg->level[0].op, x, gradient);
    coarsen_gradients(mg, gradient);
    SN_TRY(sn_spring_family_linearise(mg->locator, &mg->ties, x));
    SN_TRY(sn_spring_family_linearise(mg->locator, &mg->contacts, x));
    for (int l = 0; l < mg->n_levels; l++) {
        invert_diagonal(mg, l);
        if (l + 1 < mg->n_levels)
            bound_smoother(mg, l);
    }
    sn_multigrid_level *last = &mg->level[mg->n_levels - 1];
    const sn_spring_set *springs[] = {&mg->ties.level[mg->n_levels - 1],
                                      &mg->contacts.level[mg->n_levels - 1]};
    SN_TRY(sn_coarsest_factorise(&mg->coarsest, &last->op, springs, 2, stiffness, mass, last->mass,
                                 last->pinned));
    for (int l = mg->n_levels - 1; sn_level_repeats(mg, l - 1); l--)
        bound_cycle(mg, l - 1);
    return SN_OK;
}
