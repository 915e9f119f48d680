/* `sinew bench convergence`: the paper's section 10.4. A cube that is held at its corners and
 * linearised at rest; every component of every node starts off by a random number, and the
 * solvers bring it back to zero. How large is the largest component that is left? */
#include "base/array.h"
#include "bench/bench.h"
#include "bench/history.h"

#include <math.h>
#include <stdio.h>

enum { MOST_ITERATIONS = 60, MOST_CG_ITERATIONS = SN_HISTORY_MOST };
enum { ITERATIONS_ALLOWED = 20 }; /* of MGPCG, at any size */

/* Conjugate gradients alone need more iterations the larger the cube is, and each takes longer:
 * they end after so many products with an element's matrix, and it is said. */
static const double MOST_CG_PRODUCTS = 1e8;

enum { METHODS = 3 };
static const struct {
    sn_linear_method method;
    const char *name;
    int most;
} methods[METHODS] = {{SN_LINEAR_MGPCG, "mgpcg", MOST_ITERATIONS},
                      {SN_LINEAR_MG, "mg", MOST_ITERATIONS},
                      {SN_LINEAR_CG, "cg", MOST_CG_ITERATIONS}};

static const int sizes[] = {32, 64, 128, 256};
static const int hard_sizes[] = {32, 64};
static const struct {
    const char *name;
    double poisson, stiffness_jump;
} hard_materials[] = {
    {"poisson-0.45", 0.45, 1}, {"poisson-0.49", 0.49, 1}, {"jump-1000", 0.3, 1000}};
enum {
    SIZES = sizeof sizes / sizeof sizes[0],
    HARD_SIZES = sizeof hard_sizes / sizeof hard_sizes[0],
    HARD_MATERIALS = sizeof hard_materials / sizeof hard_materials[0]
};
static const double POISSON = 0.3;

static int most_iterations(const sn_octree *tree, int which)
{
    int most = methods[which].most;
    double capped = MOST_CG_PRODUCTS / (double)sn_octree_count(tree).elements;
    return methods[which].method == SN_LINEAR_CG && capped < most ? (int)fmax(capped, 1) : most;
}

static void watch(sn_bench_system *s, int which, sn_history *h)
{
    int most = most_iterations(&s->forest.level[0], which);
    sn_history_watch(s, methods[which].method, most, h);
}

static void print_error(const sn_history *h, int i)
{
    if (i < h->count)
        printf("  %10.3e %8.3f s", h->error[i] / h->error[0], h->seconds[i]);
    else
        printf("  %21s", "");
}

/* Was its work cut short? */
static bool was_capped(const sn_history *h, int which)
{
    return h->most < methods[which].most && h->count == h->most + 1;
}

/* Every iteration as long as a multigrid method works, and then rows for CG ever further apart. */
static void print_table(const sn_bench *bench, int cells, const sn_history h[METHODS])
{
    int rank;
    MPI_Comm_rank(bench->comm, &rank);
    if (rank != 0 || bench->json)
        return;
    printf("\n%d cells a side: largest error after each iteration\n%9s", cells, "iteration");
    for (int m = 0; m < METHODS; m++)
        printf("  %21s", methods[m].name);
    int most = 0;
    for (int m = 0; m < METHODS; m++)
        most = h[m].count > most ? h[m].count : most;
    for (int i = 0; i < most; i += i < 2 * ITERATIONS_ALLOWED ? 1 : i / 4) {
        printf("\n%9d", i);
        for (int m = 0; m < METHODS; m++)
            print_error(&h[m], i);
    }
    for (int m = 0; m < METHODS; m++)
        if (was_capped(&h[m], m))
            printf("\n%s ends after %d iterations, at %.0e products of an element", methods[m].name,
                   h[m].most, MOST_CG_PRODUCTS);
    printf("\n\n");
}

/* Counts beside what is allowed; seconds beside the fastest method's. */
static void report(const sn_bench *bench, int cells, const sn_history h[METHODS])
{
    char name[64];
    double fastest = INFINITY;
    for (int m = 0; m < METHODS; m++)
        fastest = fmin(fastest, sn_history_seconds(&h[m]));
    for (int m = 0; m < METHODS; m++) {
        snprintf(name, sizeof name, "convergence/%s/%d", methods[m].name, cells);
        sn_bench_report(bench, name, sn_history_iterations(&h[m]), "iterations",
                        ITERATIONS_ALLOWED);
        snprintf(name, sizeof name, "convergence/%s/%d/time", methods[m].name, cells);
        sn_bench_report(bench, name, sn_history_seconds(&h[m]), "s", fastest);
        snprintf(name, sizeof name, "convergence/%s/%d/capped", methods[m].name, cells);
        if (was_capped(&h[m], m))
            sn_bench_report(bench, name, h[m].most, "iterations", methods[m].most);
    }
}

static sn_status compare_methods(const sn_bench *bench, int cells, sn_bench_solid *cube)
{
    sn_bench_system s;
    SN_TRY(sn_bench_system_create(
        bench->comm, cube,
        (sn_bench_material){POISSON, 1, SN_HOURGLASS_ASSUMED, SN_MULTIGRID_DEFAULTS, false}, &s));
    sn_history *h = SN_NEW(sn_history, METHODS);
    for (int m = 0; m < METHODS; m++)
        watch(&s, m, &h[m]);
    print_table(bench, cells, h);
    report(bench, cells, h);
    sn_free(h);
    sn_bench_system_free(&s);
    return SN_OK;
}

/* MGPCG where flesh hardly changes its volume, and where half of the cube is much stiffer. */
static sn_status try_hard_materials(const sn_bench *bench, int cells, sn_bench_solid *cube)
{
    char name[64];
    for (int m = 0; m < HARD_MATERIALS; m++) {
        sn_bench_system s;
        sn_bench_material material = {hard_materials[m].poisson, hard_materials[m].stiffness_jump,
                                      SN_HOURGLASS_ASSUMED, SN_MULTIGRID_DEFAULTS, false};
        SN_TRY(sn_bench_system_create(bench->comm, cube, material, &s));
        sn_history *h = SN_NEW(sn_history, 1);
        watch(&s, 0, h);
        snprintf(name, sizeof name, "convergence/mgpcg/%d/%s", cells, hard_materials[m].name);
        sn_bench_report(bench, name, sn_history_iterations(h), "iterations", ITERATIONS_ALLOWED);
        sn_free(h);
        sn_bench_system_free(&s);
    }
    return SN_OK;
}

static sn_status run_on_cube(const sn_bench *bench, int cells,
                             sn_status (*run)(const sn_bench *, int, sn_bench_solid *))
{
    sn_bench_solid cube;
    SN_TRY(sn_bench_cube(bench->comm, cells, &cube));
    sn_status status = run(bench, cells, &cube);
    sn_bench_solid_free(&cube);
    return status;
}

sn_status sn_bench_convergence(const sn_bench *bench)
{
    if (bench->size) {
        int cells;
        SN_TRY(sn_bench_cube_cells(bench, "convergence", 0, &cells));
        SN_TRY(run_on_cube(bench, cells, compare_methods));
        return run_on_cube(bench, cells, try_hard_materials);
    }
    for (int i = 0; i < SIZES; i++)
        SN_TRY(run_on_cube(bench, sizes[i], compare_methods));
    for (int i = 0; i < HARD_SIZES; i++)
        SN_TRY(run_on_cube(bench, hard_sizes[i], try_hard_materials));
    return sn_bench_thin(bench);
}
