#include "multigrid/eigenvalue.h"

#include "base/array.h"
#include "base/digest.h"
#include "base/exact_sum.h"
#include "multigrid/smooth.h"

#include <math.h>

enum { FEWEST_STEPS = 4, MOST_STEPS = 16 };

/* Steps end when the bound is so little above what was found. */
static const double CLOSE = 0.05;

static sn_local reals_of(const sn_multigrid_level *v)
{
    return SN_NODE_REALS * v->tree->n_nodes;
}

static double dot(const sn_multigrid_level *v, const float *a, const float *b)
{
    sn_sum sum = {0};
    sn_sum_add_dot_f(&sum, a, b, (size_t)reals_of(v));
    sn_sum_allreduce(v->tree->comm, &sum, 1);
    return sn_sum_value(&sum);
}

/* Numbers that belong to the nodes' places, not to the partition. */
static void start_anywhere(const sn_multigrid_level *v, float *u)
{
    sn_key *keys = sn_octree_node_keys(v->tree);
    for (sn_local i = 0; i < reals_of(v); i++) {
        uint64_t words[2] = {keys[i / SN_NODE_REALS], (uint64_t)(i % SN_NODE_REALS)};
        double value = (double)sn_digest_bytes(words, sizeof words) * 0x1p-63 - 1;
        u[i] = v->inverse_diagonal[i] == 0 ? 0 : (float)value;
    }
    sn_free(keys);
}

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

double sn_largest_eigenvalue(sn_multigrid *mg, int level, sn_level_preconditioner *precondition,
                             sn_eigenvalue_room room)
{
    sn_multigrid_level *v = &mg->level[level];
    float *r = room.r, *p = room.p, *q = room.q;
    /* A times anything has nothing of motions that A does not resist. */
    start_anywhere(v, p);
    sn_level_apply(mg, level, p, r);
    const float *z = precondition(mg, level, r);
    for (sn_local i = 0; i < reals_of(v); i++)
        p[i] = z[i];
    double rz = dot(v, r, z), found = 0, bound = 0, turn = 0, length = 1;
    tridiagonal t = {0};
    while (t.n < MOST_STEPS && rz > 0 && (t.n < FEWEST_STEPS || bound > (1 + CLOSE) * found)) {
        sn_level_apply(mg, level, p, q);
        double pq = dot(v, p, q);
        if (!(pq > 0))
            break;
        double last_length = length, last_turn = turn, last_rz = rz;
        length = rz / pq;
        float step = (float)length;
        for (sn_local i = 0; i < reals_of(v); i++)
            r[i] -= step * q[i];
        z = precondition(mg, level, r);
        rz = dot(v, r, z);
        turn = fmax(rz, 0) / last_rz;
        t.diagonal[t.n] = 1 / length + last_turn / last_length;
        t.beside[t.n++] = sqrt(turn) / length;
        found = largest_of(&t);
        bound = found + residual_of(&t, found);
        float keep = (float)turn;
        for (sn_local i = 0; i < reals_of(v); i++)
            p[i] = z[i] + keep * p[i];
    }
    return bound;
}
