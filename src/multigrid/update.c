/* Once a Newton step: everything of the preconditioner that follows from the positions. */
#include "multigrid/multigrid.h"

#include "base/array.h"
#include "elastic/element_exchange.h"
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
static sn_status coarsen_gradients(sn_multigrid *mg, double (*gradient)[9])
{
    sn_status status = SN_OK;
    for (int l = 0; l + 1 < mg->n_levels && status == SN_OK; l++) {
        sn_multigrid_level *coarse = &mg->level[l + 1];
        double(*next)[9] = gradient_room(mg, l + 1);
        sn_coarsen_gradient(&mg->level[l].transfer.children, 9, &gradient[0][0], &next[0][0]);
        status = sn_elements_to_ghosts(coarse->tree, &next[0][0], 9);
        if (status == SN_OK)
            sn_operator_linearise(&coarse->op, (const double(*)[9])next);
        sn_free(gradient);
        gradient = next;
    }
    sn_free(gradient);
    return status;
}

/* A node that no element holds stiff and that has no mass stays where it is. */
static void invert_diagonal(sn_multigrid *mg, sn_multigrid_level *v)
{
    double *diagonal = sn_field_new_f64(v->tree);
    sn_operator_diagonal_f64(&v->op, diagonal);
    for (sn_local n = 0; n < v->tree->n_nodes; n++)
        for (int d = 0; d < SN_NODE_REALS; d++) {
            sn_local i = SN_NODE_REALS * n + d;
            double a = mg->stiffness * diagonal[i] + mg->mass * v->mass[n];
            v->inverse_diagonal[i] = v->pinned[n] || !(a > 0) ? 0 : (float)(1 / a);
        }
    sn_free(diagonal);
}

sn_status sn_multigrid_update(sn_multigrid *mg, double *x, double stiffness, double mass,
                              sn_deformation_summary *summary)
{
    mg->stiffness = stiffness;
    mg->mass = mass;
    double(*gradient)[9] = gradient_room(mg, 0);
    *summary = sn_operator_update(&mg->level[0].op, x, gradient);
    SN_TRY(coarsen_gradients(mg, gradient));
    for (int l = 0; l < mg->n_levels; l++) {
        invert_diagonal(mg, &mg->level[l]);
        if (l + 1 < mg->n_levels)
            sn_smooth_estimate(mg, l);
    }
    sn_multigrid_level *last = &mg->level[mg->n_levels - 1];
    return sn_coarsest_factorise(&mg->coarsest, &last->op, stiffness, mass, last->mass,
                                 last->pinned);
}
