#include "multigrid/eigenvalue.h"

#include "base/array.h"
#include "base/digest.h"
#include "base/threads.h"
#include "multigrid/level.h"

#include <math.h>

enum { MOST_STEPS = 24 };

/* Steps end when the bound is so little above what was found. */
static const double CLOSE = 0.05;

/* A symmetric tridiagonal matrix; beside[k] joins k and k + 1. */
typedef struct {
    int n;
    double diagonal[MOST_STEPS], beside[MOST_STEPS];
} tridiagonal;

/* Are all eigenvalues below `bound`? */
static bool all_below(const tridiagonal *t, double bound)
{
    double pivot = 1;
    for (int k = 0; k < t->n; k++) {
        double before = k > 0 ? t->beside[k - 1] : 0;
        pivot = bound - t->diagonal[k] - before * before / pivot;
        if (!(pivot > 0))
            return false;
    }
    return true;
}

static double largest_of(const tridiagonal *t)
{
    enum { HALVINGS = 60 };
    double low = 0, high = 0;
    for (int k = 0; k < t->n; k++) {
        double row = t->diagonal[k] + (k > 0 ? t->beside[k - 1] : 0);
        high = fmax(high, row + (k + 1 < t->n ? t->beside[k] : 0));
    }
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (all_below(t, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* The last component of the unit eigenvector, times what joins it to the next step. */
static double residual_of(const tridiagonal *t, double eigenvalue)
{
    double before = 0, here = 1, squares = 1;
    for (int k = 0; k + 1 < t->n; k++) {
        double joined = k > 0 ? t->beside[k - 1] * before : 0;
        double next = ((eigenvalue - t->diagonal[k]) * here - joined) / t->beside[k];
        before = here;
        here = next;
        squares += here * here;
    }
    return t->beside[t->n - 1] * fabs(here) / sqrt(squares);
}

#define SN_PRECISION 32
#include "multigrid/eigenvalue.inc"
#define SN_PRECISION 64
#include "multigrid/eigenvalue.inc"
