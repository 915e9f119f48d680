/* `sinew bench operator`, `vcycle` and `solve`: the elastic solver from the product with the
 * stiffness matrix up, on a cube and on a creature.
 *
 * A product's limit is the memory it has to move, counted from the data structures, at the speed
 * of the triad. A cycle's limit are the single-precision products that it does on the finest
 * level, and a solve's are its products and cycles, all as measured here. */
#include "base/array.h"
#include "base/timer.h"
#include "bench/bench.h"
#include "bench/product.h"
#include "bench/system.h"

#include <stdio.h>
#include <string.h>

enum {
    DEFAULT_CELLS = 128,
    CREATURE_CELLS = 560, /* for each DEFAULT_CELLS of the cube: about a million elements */
    TRIAD_COUNT = 1 << 23
};
static const double POISSON = 0.3, TOLERANCE = 1e-6, GIGA = 1e9;
enum { MOST_ITERATIONS = 200 };

typedef struct {
    const sn_bench *bench;
    const char *body;
    sn_bench_system system;
    double *u, *out;
    float *u_f32, *out_f32;
    double elements, triad; /* over all ranks; bytes a second */
} solver_work;

/* ---- What is timed ---- */

static void product_f64(void *context)
{
    solver_work *w = context;
    sn_operator_apply_f64(&w->system.finest.op, w->u, w->out);
}

static void product_f32(void *context)
{
    solver_work *w = context;
    sn_operator_apply_f32(&w->system.finest.op, w->u_f32, w->out_f32);
}

static void one_cycle(void *context)
{
    solver_work *w = context;
    sn_multigrid_cycle(&w->system.mg, w->u, w->out);
}

/* ---- What it is worth ---- */

static void report(const solver_work *w, const char *what, double value, const char *unit,
                   double limit)
{
    char name[96];
    snprintf(name, sizeof name, "%s/%s", what, w->body);
    sn_bench_report(w->bench, name, value, unit, limit);
}

static double rate(solver_work *w, void (*timed)(void *context))
{
    return w->elements / sn_bench_best_seconds(w->bench->comm, timed, w);
}

static void report_product(solver_work *w, const char *what, size_t real,
                           void (*timed)(void *context))
{
    double alone, bytes = sn_bench_product_bytes(&w->system.finest.op, real, &alone),
                  found = rate(w, timed);
    char name[64];
    snprintf(name, sizeof name, "operator/%s", what);
    report(w, name, found, "elements/s", w->triad / bytes);
    snprintf(name, sizeof name, "operator/%s/bandwidth", what);
    report(w, name, found * bytes / GIGA, "GB/s", w->triad / GIGA);
    snprintf(name, sizeof name, "operator/%s/bytes", what);
    report(w, name, bytes, "B/element", alone);
}

static void measure_operator(solver_work *w)
{
    report_product(w, "f64", sizeof(double), product_f64);
    report_product(w, "f32", sizeof(float), product_f32);
}

static void measure_cycle(solver_work *w)
{
    /* Smoothing twice, less one product where it begins from nothing, and the residual. */
    int products = 2 * w->system.mg.settings.degree;
    report(w, "vcycle", rate(w, one_cycle), "elements/s", rate(w, product_f32) / products);
    double bytes =
        (double)(sn_system_memory(&w->system.finest) + sn_levels_memory(&w->system.levels) +
                 sn_multigrid_memory(&w->system.mg));
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, w->bench->comm);
    double alone;
    report(w, "vcycle/memory", bytes / w->elements, "B/element",
           sn_bench_product_bytes(&w->system.finest.op, sizeof(double), &alone) +
               sn_bench_product_bytes(&w->system.finest.op, sizeof(float), &alone));
}

static void measure_solve(solver_work *w)
{
    double product = sn_bench_best_seconds(w->bench->comm, product_f64, w);
    double cycle = sn_bench_best_seconds(w->bench->comm, one_cycle, w);
    const sn_octree *tree = &w->system.forest.level[0];
    double *b = sn_field_new_f64(tree), *x = sn_field_new_f64(tree);
    sn_system_apply_f64(&w->system.finest, w->u, b);
    sn_linear_settings settings = {
        .method = SN_LINEAR_MGPCG, .max = MOST_ITERATIONS, .tolerance = TOLERANCE};
    MPI_Barrier(w->bench->comm);
    double seconds = sn_timer_elapsed();
    sn_linear_result result =
        sn_linear_solve(&w->system.finest, &w->system.preconditioner, settings, b, x, NULL, NULL);
    seconds = sn_timer_elapsed() - seconds;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, w->bench->comm);
    double limit = result.iterations * (product + cycle);
    report(w, "solve/time", seconds, "s", limit);
    report(w, "solve", w->elements / seconds, "elements/s", w->elements / limit);
    report(w, "solve/set-up", w->system.prepare_seconds, "s", seconds);
    report(w, "solve/iterations", result.iterations, "iterations", MOST_ITERATIONS);
    sn_free(b);
    sn_free(x);
}

/* ---- On what ---- */

static sn_status measure_body(const sn_bench *bench, const char *body, sn_bench_solid *solid,
                              void (*measure)(solver_work *w))
{
    solver_work w = {.bench = bench, .body = body};
    sn_bench_material material = {POISSON, 1, SN_HOURGLASS_ASSUMED, SN_MULTIGRID_DEFAULTS, false};
    SN_TRY(sn_bench_system_create(bench->comm, solid, material, &w.system));
    const sn_octree *tree = &w.system.forest.level[0];
    w.elements = (double)sn_octree_count(tree).elements;
    w.u = sn_bench_system_random(&w.system);
    w.out = sn_field_new_f64(tree);
    w.u_f32 = sn_field_new_f32(tree);
    w.out_f32 = sn_field_new_f32(tree);
    for (sn_local i = 0; i < SN_NODE_REALS * tree->n_nodes; i++)
        w.u_f32[i] = (float)w.u[i];
    w.triad = sn_bench_triad(bench->comm, TRIAD_COUNT);
    report(&w, "elements", w.elements, "elements", w.elements);
    measure(&w);
    sn_free(w.u);
    sn_free(w.out);
    sn_free(w.u_f32);
    sn_free(w.out_f32);
    sn_bench_system_free(&w.system);
    return SN_OK;
}

static sn_status run(const sn_bench *bench, const char *name, void (*measure)(solver_work *w))
{
    int cells;
    SN_TRY(sn_bench_cube_cells(bench, name, DEFAULT_CELLS, &cells));
    sn_bench_solid solid;
    SN_TRY(sn_bench_cube(bench->comm, cells, &solid));
    sn_status status = measure_body(bench, "cube", &solid, measure);
    sn_bench_solid_free(&solid);
    SN_TRY(status);
    int creature_cells = (int)((long long)cells * CREATURE_CELLS / DEFAULT_CELLS);
    SN_TRY(sn_bench_solid_load(bench->comm, "builtin:creature", 0, creature_cells, &solid));
    status = measure_body(bench, "creature", &solid, measure);
    sn_bench_solid_free(&solid);
    return status;
}

sn_status sn_bench_operator(const sn_bench *bench)
{
    return run(bench, "operator", measure_operator);
}

sn_status sn_bench_vcycle(const sn_bench *bench)
{
    return run(bench, "vcycle", measure_cycle);
}

sn_status sn_bench_solve(const sn_bench *bench)
{
    return run(bench, "solve", measure_solve);
}
