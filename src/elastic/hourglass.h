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
 * jump; near there R turns so fast that Newton's method cannot follow. So what is beyond an
 * isotropic rule has a share that is full in sound elements and fades to nothing as one gets flat:
 *
 *     share    = s^2 (3 - 2 s),   s = min(1, fullness / SN_SOUND_FULLNESS)
 *     fullness = max(0, 27 det(F) / max(1, tr(S))^3)
 *
 * Fullness is 1 for a cube of any size above a third, and 0 for elements that are flat or inverted.
 * The share begins to fade where an element that keeps its volume is squeezed to a fifth or is four
 * times as long as it was. Its own slope is part of the force, too, and has no jumps: elements
 * would get caught at one. */
#ifndef SN_ELASTIC_HOURGLASS_H
#define SN_ELASTIC_HOURGLASS_H

/* Elements that are as full as this are sound. */
#define SN_SOUND_FULLNESS 0.25

/* R turns as fast as if the product of the pair sums of singular values, over max(1, tr S)^3, were
 * no less than this: the share of elements so flat is less than any rounding. */
#define SN_LEAST_PAIR_PRODUCT 0x1p-60

#endif
