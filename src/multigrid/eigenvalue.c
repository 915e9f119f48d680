#include "multigrid/eigenvalue.h"

#include "base/array.h"
#include "base/digest.h"
#include "base/exact_sum.h"

#include <math.h>

enum { FIRST_POWER_STEPS = 12, LATER_POWER_STEPS = 3 };

static sn_local reals_of(const sn_multigrid_level *v)
{
    return SN_NODE_REALS * v->tree->n_nodes;
}

static double norm(const sn_multigrid_level *v, const float *u)
{
    sn_sum sum = {0};
    sn_sum_add_dot_f(&sum, u, u, (size_t)reals_of(v));
    sn_sum_allreduce(v->tree->comm, &sum, 1);
    return sqrt(sn_sum_value(&sum));
}

/* Numbers that belong to the nodes' places, not to the partition. */
static void start_anywhere(const sn_multigrid_level *v, float *leading)
{
    sn_key *keys = sn_octree_node_keys(v->tree);
    for (sn_local i = 0; i < reals_of(v); i++) {
        uint64_t words[2] = {keys[i / SN_NODE_REALS], (uint64_t)(i % SN_NODE_REALS)};
        leading[i] = (float)((double)sn_digest_bytes(words, sizeof words) * 0x1p-63 - 1);
    }
    sn_free(keys);
}

double sn_largest_eigenvalue(sn_multigrid *mg, int level, sn_level_operator *apply, bool first,
                             float *leading)
{
    sn_multigrid_level *v = &mg->level[level];
    if (first)
        start_anywhere(v, leading);
    double found = 0;
    for (int step = 0; step < (first ? FIRST_POWER_STEPS : LATER_POWER_STEPS); step++) {
        for (sn_local i = 0; i < reals_of(v); i++)
            leading[i] = v->inverse_diagonal[i] == 0 ? 0 : leading[i];
        double before = norm(v, leading);
        apply(mg, level, leading, v->t);
        double after = norm(v, v->t);
        found = before > 0 ? after / before : 0;
        float scale = after > 0 ? (float)(1 / after) : 0;
        for (sn_local i = 0; i < reals_of(v); i++)
            leading[i] = scale * v->t[i];
    }
    return found;
}
