#include "base/threads.h"
#include "springs/set.h"

#include <math.h>

/* Rows that a thread takes at once: those at the end are the long ones. */
enum { SHARE = 128 };

static bool are_worth_threads(const sn_spring_rows *rows)
{
    return rows->n_rows > 0 &&
           sn_worth_threads(SN_ITEMS_OF_WEIGHT * (int64_t)rows->first[rows->n_rows]);
}

#define SN_PRECISION 32
#include "springs/apply.inc"
#define SN_PRECISION 64
#include "springs/apply.inc"

void sn_springs_pull(sn_spring_set *set, const double *field, double *stretch)
{
    const quad_f64 *value = gather_f64(set, field);
#pragma omp parallel for schedule(static) if (sn_springs_worth_threads(set))
    for (sn_local place = 0; place < set->n; place++) {
        quad_f64 sum = row_sum_f64(&set->home, place, value);
        for (int d = 0; d < 3; d++)
            stretch[3 * (size_t)set->home.row[place] + (size_t)d] = sum[d];
    }
}

void sn_springs_push_add(sn_spring_set *set, const double *force, double *field)
{
    quad_f64 *value = (quad_f64 *)(void *)set->spring_room;
#pragma omp parallel for schedule(static) if (sn_springs_worth_threads(set))
    for (sn_local s = 0; s < set->n; s++)
        value[s] = load_f64(force + 3 * (size_t)s);
    push_f64(set, field);
}

/* ---- The diagonal ---- */

/* Of a spring, for each component: its matrix's diagonal, and what no row of K exceeds beside the
 * size of the node's own weight. */
typedef struct {
    double own[3], row[3];
} resistance;

static double size_of_weights(const sn_spring_rows *rows, sn_local place)
{
    double size = 0;
    for (sn_local k = rows->first[place]; k < rows->first[place + 1]; k++)
        size += fabs((double)rows->entry[k].weight);
    return size;
}

static resistance resistance_at(const sn_spring_set *set, sn_local place)
{
    const sn_spring_matrix matrix = sn_spring_set_matrix(set, set->home.row[place]);
    const double *m = matrix.m, size = size_of_weights(&set->home, place);
    return (resistance){{m[0], m[3], m[5]},
                        {size * (m[0] + fabs(m[1]) + fabs(m[2])),
                         size * (fabs(m[1]) + m[3] + fabs(m[4])),
                         size * (fabs(m[2]) + fabs(m[4]) + m[5])}};
}

/* Of all springs that hang on nodes here; collective. The caller frees it. */
static resistance *resistances(sn_spring_set *set)
{
    resistance *of = SN_NEW(resistance, (size_t)set->n + (size_t)set->force_exchange.n_ghosts);
#pragma omp parallel for schedule(static) if (sn_springs_worth_threads(set))
    for (sn_local place = 0; place < set->n; place++)
        of[set->home.row[place]] = resistance_at(set, place);
    sn_exchange_begin(&set->force_exchange, of, sizeof *of);
    sn_exchange_end(&set->force_exchange);
    return of;
}

void sn_spring_set_diagonal_add(sn_spring_set *set, double share, double *diagonal)
{
    if (set->n_everywhere == 0)
        return;
    resistance *of = resistances(set);
    const sn_spring_rows *rows = &set->nodes;
#pragma omp parallel for schedule(static) if (are_worth_threads(rows))
    for (sn_local place = 0; place < rows->n_rows; place++) {
        double sum[3] = {0, 0, 0}, *to = diagonal + 3 * (size_t)set->touched[rows->row[place]];
        for (sn_local k = rows->first[place]; k < rows->first[place + 1]; k++) {
            const resistance *r = &of[rows->entry[k].index];
            double weight = fabs((double)rows->entry[k].weight);
            for (int d = 0; d < 3; d++)
                sum[d] += weight * fmax(weight * r->own[d], share * r->row[d]);
        }
        for (int d = 0; d < 3; d++)
            to[d] += sum[d];
    }
    sn_free(of);
}
