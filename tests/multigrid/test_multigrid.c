/* The cycle as an operator, the linear solvers against known solutions, and the same bits of
 * both however the forest is cut. */
#include "helpers/check.h"
#include "helpers/multigrid_problem.h"

#include "base/array.h"

#include <math.h>
#include <string.h>

/* What rounding inside the cycle may add up to. */
static const double SINGLE = 2e-5, DOUBLE = 1e-13;

static double cell = 0.06; /* of the octrees; larger for programs that run slowly */

static multigrid_case usual_case(void)
{
    return (multigrid_case){
        .seed = 5, .pinned = true, .noise = 0.6, .cell = cell, .settings = SN_MULTIGRID_DEFAULTS};
}

static void cycles_are_operators(sn_hierarchy_options options)
{
    for (int degree = 0; degree <= 3; degree++)
        for (int mass = 0; mass <= 1; mass++) {
            multigrid_case what = usual_case();
            what.mass = mass * 30;
            what.settings.amli_from = degree % 2 == mass; /* V-cycles, or twice below the top */
            what.noise = 0.8;
            if (degree)
                what.settings.degree = degree;
            else
                what.settings.smoother = SN_SMOOTH_JACOBI;
            multigrid_problem p;
            multigrid_problem_open(&p, MPI_COMM_WORLD, &what, options);
            CHECK(p.deformation.inverted > 0, "no element is inverted");
            CHECK(p.solver.mg.n_levels > 2, "only %d levels", p.solver.mg.n_levels);
            multigrid_cycle_is_definite(&p, degree ? "Chebyshev" : "Jacobi", SINGLE);
            multigrid_problem_close(&p);
        }
}

/* One cycle in double precision is that in single precision but for rounding, with elements that
 * have weights; it keeps no single-precision copies; and it is symmetric to its own precision. */
static void precisions_agree(sn_hierarchy_options options)
{
    double *z[2], *r = NULL;
    multigrid_problem p[2];
    for (int wide = 0; wide <= 1; wide++) {
        multigrid_case what = usual_case();
        what.mass = 3;
        what.damping = 0.2;
        what.settings.amli_from = 1;
        what.settings.precision = wide ? SN_PRECISION_DOUBLE : SN_PRECISION_SINGLE;
        multigrid_problem_open(&p[wide], MPI_COMM_WORLD, &what, options);
        sn_free(r);
        r = multigrid_random(&p[wide], 90);
        z[wide] = multigrid_zeros(&p[wide]);
        sn_multigrid_cycle(&p[wide].solver.mg, r, z[wide]);
        multigrid_cycle_is_definite(&p[wide], wide ? "double" : "single", wide ? DOUBLE : SINGLE);
    }
    CHECK(!p[1].solver.finest.op.narrow && !p[1].solver.mg.level[0].work_f32.x, "copies are kept");
    CHECK(!p[0].solver.mg.level[0].work_f64.x, "vectors are kept");
    double *zero = multigrid_zeros(&p[0]), away = multigrid_distance(&p[0], z[0], z[1]);
    double size = multigrid_distance(&p[0], z[1], zero);
    CHECK(away > 0 && away < 50 * SINGLE * size, "%g of %g", away, size);
    sn_free(r), sn_free(zero), sn_free(z[0]), sn_free(z[1]);
    multigrid_problem_close(&p[0]);
    multigrid_problem_close(&p[1]);
}

/* Nodes thrown at random, all over the body: half of the elements are inverted, and eigenvalues are
 * many times those at rest. With and without mass; with cycles done twice, and once. */
static void cycles_stay_definite(sn_hierarchy_options options)
{
    enum { SEEDS = 4 };
    for (int seed = 1; seed <= SEEDS; seed++) {
        multigrid_case what = usual_case();
        what.seed = seed % 2 ? 0 : 5;
        what.noise = 10;
        what.noise_seed = seed;
        what.mass = seed > 2 ? 1 : 0;
        what.settings.amli_from = seed == 3 ? 0 : 1;
        multigrid_problem p;
        multigrid_problem_open(&p, MPI_COMM_WORLD, &what, options);
        int64_t elements = sn_octree_count(&p.tree.level[0]).elements;
        CHECK(4 * p.deformation.inverted > elements, "only %d inverted of %d",
              (int)p.deformation.inverted, (int)elements);
        multigrid_cycle_is_definite(&p, "thrown", SINGLE);
        double *b = multigrid_random(&p, 80), *x = multigrid_zeros(&p);
        sn_linear_settings settings = {.method = SN_LINEAR_MGPCG, .max = 60, .tolerance = 1e-6};
        sn_linear_result result = test_solver_solve(&p.solver, settings, b, x, NULL, NULL);
        CHECK(!result.preconditioner_broke_down && !result.broke_down,
              "seed %d: the cycle broke down", seed);
        sn_free(b), sn_free(x);
        multigrid_problem_close(&p);
    }
}

/* A x = b for a known x. Returns how many iterations it took; the error is relative to x. */
static sn_linear_result solve_known(multigrid_problem *p, sn_linear_settings settings,
                                    double *error)
{
    double *known = multigrid_random(p, 50), *b = multigrid_zeros(p), *x = multigrid_zeros(p);
    sn_system_apply_f64(&p->solver.finest, known, b);
    sn_linear_result result = test_solver_solve(&p->solver, settings, b, x, NULL, NULL);
    *error = multigrid_distance(p, known, x);
    sn_free(known), sn_free(b), sn_free(x);
    return result;
}

static void solvers_find_the_solution(sn_hierarchy_options options, double mass, int amli_from)
{
    multigrid_case what = usual_case();
    what.settings.amli_from = amli_from;
    what.mass = mass;
    multigrid_problem p;
    multigrid_problem_open(&p, MPI_COMM_WORLD, &what, options);
    double error;
    sn_linear_result mgpcg = solve_known(
        &p, (sn_linear_settings){.method = SN_LINEAR_MGPCG, .max = 100, .tolerance = 1e-12},
        &error);
    CHECK(!mgpcg.broke_down && error < 1e-8, "MGPCG: error %g, residual %g after %d", error,
          mgpcg.residual, mgpcg.iterations);
    sn_linear_result cg = solve_known(
        &p, (sn_linear_settings){.method = SN_LINEAR_CG, .max = 5000, .tolerance = 1e-12}, &error);
    CHECK(!cg.broke_down && error < 1e-8, "CG: error %g, residual %g after %d", error, cg.residual,
          cg.iterations);
    CHECK(mgpcg.iterations < cg.iterations, "MGPCG took %d iterations, CG %d", mgpcg.iterations,
          cg.iterations);
    multigrid_problem_close(&p);
}

/* Is the error's energy lower after each iteration? */
typedef struct {
    multigrid_problem *p;
    const double *known;
    double energy;
    int rises;
} descent;

static bool watch_descent(void *context, int iteration, const double *x)
{
    descent *d = context;
    double *error = multigrid_zeros(d->p), *product = multigrid_zeros(d->p);
    for (sn_local i = 0; i < 3 * d->p->tree.level[0].n_nodes; i++)
        error[i] = x[i] - d->known[i];
    sn_system_apply_f64(&d->p->solver.finest, error, product);
    double energy = multigrid_dot(d->p, error, product);
    d->rises += iteration > 0 && !(energy < d->energy);
    d->energy = energy;
    sn_free(error), sn_free(product);
    return true;
}

/* Cycles alone. A coarse level is not the fine one's projection: around thin parts (tetrahedra have
 * many), and where elements are badly deformed, it is too soft and corrects too far. */
static void cycles_alone_converge(sn_hierarchy_options options, int seed, double noise, int most)
{
    multigrid_case what = usual_case();
    what.noise = noise;
    what.seed = (unsigned long long)seed;
    multigrid_problem p;
    multigrid_problem_open(&p, MPI_COMM_WORLD, &what, options);
    double *known = multigrid_random(&p, 50), *b = multigrid_zeros(&p), *x = multigrid_zeros(&p);
    sn_system_apply_f64(&p.solver.finest, known, b);
    descent d = {&p, known, 0, 0};
    sn_linear_settings settings = {.method = SN_LINEAR_MG, .max = most, .tolerance = 1e-12};
    sn_linear_result mg = test_solver_solve(&p.solver, settings, b, x, watch_descent, &d);
    double error = multigrid_distance(&p, known, x);
    CHECK(!mg.broke_down && error < 1e-3, "seed %d, MG: error %g, residual %g after %d", seed,
          error, mg.residual, mg.iterations);
    CHECK(d.rises == 0, "seed %d, MG: the error rose %d times", seed, d.rises);
    sn_free(known), sn_free(b), sn_free(x);
    multigrid_problem_close(&p);
}

/* Bodies that nothing holds: rigid motions are in the kernel of A. b = A x is free of them but for
 * rounding, which the coarsest level must not blow up. */
static void nothing_held(sn_hierarchy_options options)
{
    multigrid_case what = usual_case();
    what.pinned = false;
    what.noise = 0.1;
    multigrid_problem p;
    multigrid_problem_open(&p, MPI_COMM_WORLD, &what, options);
    double error;
    sn_linear_result result = solve_known(
        &p, (sn_linear_settings){.method = SN_LINEAR_MGPCG, .max = 100, .tolerance = 1e-6}, &error);
    CHECK(!result.broke_down && result.residual <= 1e-6, "residual %g after %d%s", result.residual,
          result.iterations, result.broke_down ? ", broke down" : "");
    CHECK(isfinite(error), "not finite");
    multigrid_problem_close(&p);
}

/* With one level the cycle is the dense solve: one of them solves the system. */
static void coarsest_is_exact(sn_hierarchy_options options)
{
    multigrid_case what = usual_case();
    what.damping = 2;
    multigrid_problem p;
    multigrid_problem_open_on_one_level(&p, MPI_COMM_WORLD, what, options);
    double residual = multigrid_cycle_residual(&p, 60);
    CHECK(residual < SINGLE, "residual %g", residual);
    multigrid_problem_close(&p);
}

typedef struct {
    uint64_t cycle, iterate;
} bits;

static bits bits_of(MPI_Comm comm, const multigrid_case *what, sn_hierarchy_options options)
{
    multigrid_problem p;
    multigrid_problem_open(&p, comm, what, options);
    double *r = multigrid_random(&p, 70), *z = multigrid_zeros(&p);
    sn_multigrid_cycle(&p.solver.mg, r, z);
    bits found = {.cycle = multigrid_digest(&p, z)};
    memset(z, 0, 3 * (size_t)p.tree.level[0].n_nodes * sizeof *z);
    test_solver_solve(&p.solver,
                      (sn_linear_settings){.method = SN_LINEAR_MGPCG, .max = 3, .tolerance = 0}, r,
                      z, NULL, NULL);
    found.iterate = multigrid_digest(&p, z);
    sn_free(r), sn_free(z);
    multigrid_problem_close(&p);
    return found;
}

static void same_bits(sn_precision precision)
{
    multigrid_case what = usual_case();
    what.settings.precision = precision;
    what.mass = 3;
    what.settings.amli_from = 1;
    bits alone = {0};
    if (test_is_mine(0))
        alone = bits_of(MPI_COMM_SELF, &what, (sn_hierarchy_options){0});
    test_share(0, &alone, sizeof alone);
    for (int way = 0; way < TEST_WAYS; way++) {
        bits together = bits_of(MPI_COMM_WORLD, &what, test_ways[way].options);
        CHECK(together.cycle == alone.cycle, "%s: another cycle", test_ways[way].name);
        CHECK(together.iterate == alone.iterate, "%s: another iterate", test_ways[way].name);
    }
}

static void run(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) /* few */
        cell = 0.09;
    same_bits(SN_PRECISION_AUTO);
    same_bits(SN_PRECISION_DOUBLE);
    precisions_agree(test_ways[0].options);
    cycles_are_operators(test_ways[0].options);
    cycles_stay_definite(test_ways[0].options);
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* Many ranks wait for each other: they try one way only, and have the bits of all. */
    int step = size > 3 ? TEST_WAYS : 3;
    for (int way = 0; way < TEST_WAYS; way += step) {
        coarsest_is_exact(test_ways[way].options);
        nothing_held(test_ways[way].options);
        cycles_alone_converge(test_ways[way].options, 0, 0.1, 20);
        cycles_alone_converge(test_ways[way].options, 5, 0.1, 120);
        cycles_alone_converge(test_ways[way].options, 5, 0.6, 200);
        solvers_find_the_solution(test_ways[way].options, 0, 1);
        solvers_find_the_solution(test_ways[way].options, 30, 0);
    }
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
