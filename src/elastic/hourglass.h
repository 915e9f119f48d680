/* Hourglass modes: what resists the motions of an element that its centre does not see, and what
 * was decided about it. The kernels are in hourglass.inc; a law says which stiffnesses.
 *
 * Turned back by the rotation R, six of the nine components of the modes 3, 5, 6 bend the element
 * (the component is along one of the mode's two axes) and three twist it (it is along the third
 * axis). Mode 7 is the rest. One family of energies has all the rules:
 *
 *     1/2 [bending (sum of squares of the six) + twisting (sum of squares of the three)
 *          + coupling (sum of the three)^2 + rest |mode 7|^2]
 *
 * The edge quadrature (4.1.2) has mu h/4 for bending and twisting, 3 mu h/8 for the rest and no
 * coupling: R drops out. In pure bending that is 6 / (1 + nu) times too stiff; times (1 + nu)/6
 * ("scaled") a single cell bends as a beam does, as bending is E h/48 then. Twisting by assumed
 * strain has the shear gamma_xy = (a + b) z of the components a, b in the modes yz and xz, and so
 * on, which makes twisting, coupling and rest mu h/48.
 *
 * That energy turns with R, and R with F = R S. With t the torque on R, in the element's frame,
 *
 *     dE = t.w,   w = (tr(S) I - S)^-1 axial(R^T dF - dF^T R),   so P = R [(tr(S) I - S)^-1 t]x
 *
 * belongs to the force: without it there would be a net torque. In the differential R is kept as
 * it is, as in Gauss and Newton's method: that is symmetric, positive semidefinite, and exact where
 * the modes vanish.
 *
 * Where two singular values are opposite, R is not unique, and an energy that turns with it would
 * jump. So what is beyond an isotropic rule has a share that fades to nothing there:
 *
 *     share = min(1, c / SN_CERTAIN_ROTATION),   c = det((tr(S) I - S) / max(1, tr(S))).
 *
 * c is 8/27 at rest, 1/4 for an element that is flat, and falls below the bound where one is turned
 * inside out by more than half, squeezed to a quarter from all sides, or five times as long as it
 * was. The share's own slope is part of the force, too. */
#ifndef SN_ELASTIC_HOURGLASS_H
#define SN_ELASTIC_HOURGLASS_H

/* Above this c, R is certain enough for an energy to turn with it. */
#define SN_CERTAIN_ROTATION 0.125

#endif
