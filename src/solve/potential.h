/* The potential of an implicit step, whose lowest point is where the step ends:
 *
 *     Phi(x) = E(x) + S(x) + c/2 |x - predicted|^2_M + r D(x) - M gravity . x
 *
 * The first term is elastic; the second is that of the springs that sources give (source.h); the
 * third is inertia, whose c and predicted positions an integrator chooses (step.h); the fourth is
 * damping of the change of strains since earlier positions (elastic/damping.h); without c and r it
 * is a quasistatic step. Pinned nodes stay where x has them.
 *
 * Knows energy, force and linearisation of these, and how much of a force is rounding. Knows
 * nothing of how it is minimised (method.h). All calls but `free` are collective. */
#ifndef SN_SOLVE_POTENTIAL_H
#define SN_SOLVE_POTENTIAL_H

#include "solve/source.h"

typedef struct {
    double inertia;                 /* c */
    sn_prediction predicted;        /* of fields of the finest level; unused if c is 0 */
    double rate;                    /* r: of velocity for a change of position; 0: no damping */
    sn_numbers_of_elements damping; /* unused if r is 0, as the next ones */
    double now, before;             /* how strains of earlier positions count */
    double *x_now, *x_before;       /* fields */
    double gravity[3];              /* what pulls at masses */
    double time;                    /* that sources are asked for */
} sn_potential_terms;

typedef struct {
    sn_system *system;         /* the caller's, as the sources and what the terms point to */
    const sn_sources *sources; /* NULL: none */
    sn_potential_terms terms;
    sn_deformation_summary deformation; /* at the last linearisation */
    double *elastic; /* the elements' force there; borrowed, NULL before it and once forgotten */
} sn_potential;

sn_potential sn_potential_create(sn_system *system, const sn_sources *sources,
                                 const sn_potential_terms *terms);
void sn_potential_free(sn_potential *potential);

/* Asks the sources for springs at x: Phi is another one then. */
SN_CHECKED sn_status sn_potential_find_springs(sn_potential *potential, double *x);

/* Could they be others than those of the last time? Without sources that find any, never. */
bool sn_potential_springs_change(const sn_potential *potential);

/* Limits of friction follow the forces at x, and all else of the springs stays: Phi is another one
 * then, too. */
void sn_potential_relimit_friction(sn_potential *potential, const double *x);

/* How far friction at x is from Coulomb's law (sn_spring_set_friction_error). */
sn_friction_error sn_potential_friction_error(sn_potential *potential, const double *x);

/* Linearises the system about x. `shift` is added to c in the matrix, not in Phi. The second is for
 * when springs or shift are others since then, but not x. */
void sn_potential_linearise(sn_potential *potential, double *x, double shift);
void sn_potential_relinearise(sn_potential *potential, const double *x, double shift);

/* The elements' force at the last linearisation is not asked for again: what prepares a linear
 * solve, and the solve, may have its memory. */
void sn_potential_forget_force(sn_potential *potential);

/* The unbalanced force -dPhi/dx at the positions of the last linearisation, zero where pinned.
 * Returns its norm relative to the largest of the forces that should balance there; 0 if it is no
 * more than what rounded positions cause. */
double sn_potential_force(sn_potential *potential, double *x, double *force);

/* Phi at x; and at the x of the last linearisation, with nothing that is evaluated again. */
double sn_potential_energy(sn_potential *potential, double *x);
double sn_potential_energy_here(sn_potential *potential, const double *x);

/* Phi along x + length * direction, from where it was linearised. */
typedef struct {
    sn_potential *potential;
    const double *x, *direction;
    double start, slope; /* of Phi at x */
    double size;         /* of its terms there */
} sn_line;

/* `force` is that of sn_potential_force at x. */
sn_line sn_potential_line(sn_potential *potential, double *x, const double *force,
                          double *direction);

/* The positions at a length along the line, and Phi there. */
void sn_line_go(const sn_line *line, double length, double *trial);
double sn_line_at(const sn_line *line, double length, double *trial);

/* The slope there, with nothing that cancels, if the potential is linearised about `trial`. Leaves
 * the force there. */
double sn_line_slope_at(const sn_line *line, double *trial, double *force);

#endif
