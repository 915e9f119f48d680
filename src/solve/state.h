/* Where the nodes are and how they move, at the last accepted step and the one before: what a step
 * starts from, and all that it leaves. */
#ifndef SN_SOLVE_STATE_H
#define SN_SOLVE_STATE_H

#include "field/field.h"

typedef struct {
    double time;
    double last_step; /* the length of the step that led here; 0: there is no state before */
    double *x, *v;    /* fields: positions and velocities now */
    double *x_before, *v_before;
} sn_state;

/* At rest at time 0, with the owned nodes at x. */
sn_state sn_state_create(const sn_octree *tree, const double *x);
void sn_state_free(sn_state *state);

/* Collective; the masses are those of the owned nodes. */
double sn_state_kinetic_energy(const sn_state *state, const sn_octree *tree, const double *mass);

#endif
