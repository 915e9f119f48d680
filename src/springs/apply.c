#include "base/threads.h"
#include "springs/set.h"

#define SN_PRECISION 32
#include "springs/apply.inc"
#define SN_PRECISION 64
#include "springs/apply.inc"

void sn_springs_pull(sn_spring_set *set, const double *field, double *stretch)
{
    pull_f64(set, field, stretch);
}

void sn_springs_push_add(sn_spring_set *set, double *field)
{
    push_f64(set, false, field);
}

void sn_spring_set_diagonal_add(sn_spring_set *set, double *diagonal)
{
    if (set->n_everywhere == 0)
        return;
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)set->n))
    for (sn_local s = 0; s < set->n; s++) {
        const double *m = set->matrix[s].m;
        double *value = set->spring_room + 3 * (size_t)s;
        value[0] = m[0];
        value[1] = m[3];
        value[2] = m[5];
    }
    push_f64(set, true, diagonal);
}
