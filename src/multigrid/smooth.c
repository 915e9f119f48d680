#include "multigrid/smooth.h"

#include "base/threads.h"
#include "multigrid/eigenvalue.h"
#include "multigrid/level.h"

#include <math.h>

/* A semidefinite matrix with n rows is at most n times its diagonal, and so is any sum of such: of
 * masses, of elements, which have 24 rows, and of springs between two points, which have 48. */
static const double MOST_OF_JACOBI = 48;

/* Where unknowns can turn, rows are longer and prolongation is smoothed: as in the sketch that this
 * comes from, a twentieth of the spectrum is left to coarser levels. */
static const double RIGID_FRACTION = 0.95;

static double fraction_of(const sn_multigrid *mg, const sn_multigrid_level *v)
{
    return v->system ? mg->settings.fraction : RIGID_FRACTION;
}

/* An assembled matrix is no sum of such. */
static double most_of_jacobi(const sn_multigrid_level *v)
{
    return v->system ? MOST_OF_JACOBI : INFINITY;
}

/* Damping times the largest eigenvalue: below 2 the smoother is definite. */
static const double MOST_JACOBI_STEP = 1.5;

/* Flesh that hardly changes its volume has a few large eigenvalues and leaves the others where they
 * were: as much of the spectrum below takes a polynomial of a degree that grows with the root. */
static int degree_of(const sn_multigrid *mg, const sn_multigrid_level *v)
{
    const double usual = 2; /* the largest eigenvalue at Poisson's ratio 0.3, about */
    enum { MOST_TIMES = 4 };
    int degree = mg->settings.degree, wanted = (int)lrint(degree * sqrt(v->largest / usual));
    return wanted < degree ? degree : wanted > MOST_TIMES * degree ? MOST_TIMES * degree : wanted;
}

#define SN_PRECISION 32
#include "multigrid/smooth.inc"
#define SN_PRECISION 64
#include "multigrid/smooth.inc"
