#include "multigrid/smooth.h"

#include "base/threads.h"
#include "multigrid/eigenvalue.h"
#include "multigrid/level.h"

#include <math.h>

/* A semidefinite matrix with n rows is at most n times its diagonal, and so is any sum of such
 * (Wathen 1987): elements have 24 rows. */
static const double MOST_OF_ELEMENTS = 24;

/* For what Lanczos did not find, and for neighbours that are turned against each other. That this
 * is enough was measured, not proven: with every element of a cube turned at random eigenvalues
 * were 0.87 to 1.12 of those at rest, at Poisson's ratios from 0 to 0.49. Chebyshev's polynomials
 * allow for a twelfth more. */
static const double MARGIN = 1.05;

enum { FEWEST_STEPS = 16 }; /* of Lanczos: it is done once */

/* Aggregates are four cells wide, where a coarse element has two: above them, and between them,
 * polynomials of twice the degree smooth more of the spectrum. With plain V-cycles a comb of 64
 * teeth of four cells took 24 iterations after one geometric level, and 34 with the smoother of the
 * others; fractions from 0.95 to 0.99 made a difference of two, three times the degree one of two
 * or three. */
static const double RIGID_FRACTION = 0.98;
enum { RIGID_DEGREES = 2 };

static double fraction_of(const sn_multigrid *mg, const sn_multigrid_level *v)
{
    return v->rigid ? RIGID_FRACTION : mg->settings.fraction;
}

/* An assembled matrix is no sum of such. */
static double most_of_jacobi(const sn_multigrid_level *v)
{
    return v->system ? MOST_OF_ELEMENTS : INFINITY;
}

/* Damping times the largest eigenvalue: below 2 the smoother is definite. */
static const double MOST_JACOBI_STEP = 1.5;

/* Flesh that hardly changes its volume has a few large eigenvalues and leaves the others where they
 * were: as much of the spectrum below takes a polynomial of a degree that grows with the root. */
static int degree_of(const sn_multigrid *mg, const sn_multigrid_level *v)
{
    const double usual = 2; /* the largest eigenvalue at Poisson's ratio 0.3, about */
    enum { MOST_TIMES = 4 };
    int degree = mg->settings.degree * (v->rigid ? RIGID_DEGREES : 1);
    int wanted = (int)lrint(degree * sqrt(v->largest / usual));
    return wanted < degree ? degree : wanted > MOST_TIMES * degree ? MOST_TIMES * degree : wanted;
}

#define SN_PRECISION 32
#include "multigrid/smooth.inc"
#define SN_PRECISION 64
#include "multigrid/smooth.inc"
