#include "bench/history.h"

#include "base/array.h"
#include "base/timer.h"

#include <math.h>

static const double REACHED = 1e-6; /* of the error at the start */

static bool observe(void *context, int iteration, const double *x)
{
    sn_history *h = context;
    double now = sn_timer_elapsed(), error = 0;
    h->seconds[iteration] = now - h->begun - h->observing;
#pragma omp parallel for schedule(static) reduction(max : error)
    for (sn_local i = 0; i < h->n; i++)
        error = fmax(error, fabs(x[i] - h->exact[i]));
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, h->comm);
    h->error[iteration] = error;
    h->count = iteration + 1;
    h->observing += sn_timer_elapsed() - now;
    return true;
}

void sn_history_watch(sn_bench_system *s, sn_linear_method method, int most, sn_history *h)
{
    const sn_octree *tree = &s->forest.level[0];
    double *exact = sn_bench_system_random(s), *b = sn_field_new_f64(tree);
    double *x = sn_field_new_f64(tree);
    sn_system_apply_f64(&s->finest, exact, b);
    *h = (sn_history){
        .exact = exact, .n = SN_NODE_REALS * tree->n_nodes, .comm = tree->comm, .most = most};
    h->begun = sn_timer_elapsed();
    /* The residual falls before the error does, all the more so on soft or large bodies. */
    const double tolerance = 1e-6 * REACHED;
    sn_linear_settings settings = {.method = method, .max = h->most, .tolerance = tolerance};
    sn_linear_solve(&s->finest, &s->preconditioner, settings, b, x, observe, h);
    h->exact = NULL;
    sn_free(exact);
    sn_free(b);
    sn_free(x);
}

/* The first iteration after which the error stays below the bound; -1 if there is none. */
static int reached_at(const sn_history *h)
{
    int i = h->count;
    while (i > 0 && h->error[i - 1] <= REACHED * h->error[0])
        i--;
    return i == h->count ? -1 : i;
}

double sn_history_iterations(const sn_history *h)
{
    int at = reached_at(h);
    return at < 0 ? INFINITY : (double)at;
}

double sn_history_seconds(const sn_history *h)
{
    int at = reached_at(h);
    return at < 0 ? INFINITY : h->seconds[at];
}
