/* Damping: what resists the rate of an element's strain, and what was decided about it.
 *
 * Rayleigh damping proportional to stiffness brakes whatever the stiffness matrix sees, and in a
 * stressed body that is turning, too. So here the rate is that of strain in the element's own
 * frame: of S - I, where F = R S at the centre, and of hourglass modes turned back by R. A rigid
 * motion, however large, changes neither. With e the list of these, and D(e) the energy of an
 * element at small strain e, which is quadratic, the dissipation is alpha D(rate of e) for a unit
 * of alpha, the damping in seconds: small vibrations of frequency omega die by alpha omega^2 / 2 a
 * second.
 *
 * An implicit step has v = rate (x - from), where from combines earlier positions (solve/step.h).
 * The rate of strain is taken by the same rule, so the step's potential has
 *
 *     share rate alpha D(e(x) - e_from),      e_from = the same combination of earlier strains.
 *
 * Its gradient, with T = dD/dS (symmetric), q = dD/dH for each turned mode H, A = R^T dF and
 * [w]x = A - A^T: R turns by (tr(S) I - S)^-1 w, in the element's frame, so that
 *
 *     dD = T:A + q.(R^T dh) + t.(tr(S) I - S)^-1 w,     [m]x = S T - T S,   t = m - sum H x q
 *      P = R (T + [(tr(S) I - S)^-1 t]x).
 *
 * P F^T with the modes' forces has no torque, whatever the strains were. In the differential R is
 * kept as it is and S changes by the symmetric part of A: positive semidefinite, and exact where
 * there is no strain, however the body is turned.
 *
 * Where R is not unique, strains jump with it. `share` is that of elastic/hourglass.h, which fades
 * to nothing as an element gets flat; but it is that of the state at which the step begins, and
 * stays as it is in the step. So flesh that is inverted is not damped until it has come back. (If
 * the share followed x, D would bend the potential by the share's own slopes, far more than the
 * matrix knows: slivers that are crushed within a step cost dozens of short steps.)
 *
 * The strains that rates are measured from are kept in two bytes each, in parts of the element's
 * largest. What rounding does is as a stress that stays as it is for a step: where nothing moves,
 * of some 2^-16 of what damping would do if all the strain came within the step. */
#ifndef SN_ELASTIC_DAMPING_H
#define SN_ELASTIC_DAMPING_H

/* Numbers in the strain of an element: six of S - I, twelve of hourglass modes. */
enum { SN_STRAIN_REALS = 18 };

/* What SN_LEAST_PAIR_PRODUCT is for hourglass modes. An element that is sound where a step begins
 * may be inverted in it: R turns fast there, but is not to be infinitely fast. */
#define SN_DAMPED_PAIR_PRODUCT 0x1p-14

#endif
