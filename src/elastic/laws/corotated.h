/* The corotational law: its formulas and what was decided about them.
 *
 * Energy (section 4.1), with F = R S, R the nearest rotation and S = V Sigma V^T:
 *
 *     Psi(F) = mu |F - R|^2 + lambda/2 tr^2(S - I)
 *     P(F)   = 2 mu (F - R) + lambda tr(S - I) R
 *     dP     = 2 mu dF + lambda tr(R^T dF) R + c dR,         c = lambda tr(S - I) - 2 mu
 *     dR     = R [(tr(S) I - S)^-1 w]x,                      [w]x = R^T dF - (R^T dF)^T
 *
 * The first term of dP is the Laplacian part, the others are the auxiliary one. On the skew part
 * of R^T dF the auxiliary part is [L w]x, L = c (tr(S) I - S)^-1, whose quadratic form is w.L w;
 * the Laplacian part has 2 mu |[w/2]x|^2 = mu w.w there. So with w as it stands above (not
 * halved) algorithm 1's bound is right: L >= -mu keeps the sum from being indefinite and acts
 * exactly where the exact differential is indefinite. Hourglass modes (elastic/hourglass.h), among
 * them what the edge quadrature (4.1.2) has beyond the centre, only add to this, and for affine
 * displacements add nothing, so the same bound is right for the whole element.
 *
 * L is a function of the pair sums sigma_j + sigma_k, which the SVD keeps from being negative.
 * Where one vanishes, R is not unique and L is unbounded. Below, that means -mu; above (c > 0:
 * stretched far in one direction, nearly inverted in the others) a floor keeps it finite. The
 * floor grows with tr(S), as c does: L never exceeds |lambda| / SN_LEAST_PAIR_SUM by much.
 *
 * In the frame of the deformed body L is U L_D U^T, and with M = dF R^T
 *
 *     dP_aux = (lambda tr(M) I + [L axial(M - M^T)]x) R.
 *
 * This form needs no V and gives the diagonal (7.4.1) by two entries of R g a component.
 *
 * At rest L is -mu, and only the symmetric part of M is resisted. Of a deformed element that part
 * is the same, turned, and w.(L + mu) w comes on top: a little where flesh is stretched, and up to
 * hundreds of times the rest where an element is nearly flat. Since |w|^2 <= 2 |M|^2 = 2 |dF|^2,
 *
 *     w.(L + mu) w  <=  t w.(L + mu) w + 2 (1 - t) tr(L + mu) |dF|^2,    t = min(1, mu / tr(L +
 * mu))
 *
 * of which the first is no more than what elements are used to, and the second the excess.
 * Smoothers are told of it (system/system.h).
 *
 * mu and lambda are Lame's parameters. The energy is linear in them and in the modulus of bending,
 * and so is the stiffness: a coarse element has the mean of its children's, of eight (section 7.3),
 * and a weighted one its own times the weight. Which share of hourglass modes follows the assumed
 * strain is the same for all elements of a body; as a parameter it is multiplied by mu, so that it
 * can be averaged and weighted as the others. */
#ifndef SN_ELASTIC_LAWS_COROTATED_H
#define SN_ELASTIC_LAWS_COROTATED_H

/* The law's parameters, by number: Lame's, the modulus that resists bending modes, and mu again
 * where hourglass modes follow the assumed strain, otherwise 0. */
enum { SN_COROTATED_MU, SN_COROTATED_LAMBDA, SN_COROTATED_BENDING, SN_COROTATED_ASSUMED };

/* Pair sums of singular values count as no less than this times max(1, tr S). */
#define SN_LEAST_PAIR_SUM 0x1p-10

#endif
