/* The system of one level: symmetric, masked, its residual and diagonal those of its product;
 * weights of damping are those of D; coarser levels are systems too. */
#include "helpers/check.h"
#include "helpers/multigrid_problem.h"

#include "base/array.h"

#include <math.h>

static const double ROUNDING = 1e-12;

static multigrid_case usual_case(void)
{
    return (multigrid_case){.seed = 5,
                            .pinned = true,
                            .mass = 3,
                            .damping = 0.2,
                            .noise = 0.4,
                            .cell = 0.09,
                            .settings = SN_MULTIGRID_DEFAULTS};
}

static double *random_of(const sn_system *s, int which)
{
    double *u = sn_field_new_f64(s->tree);
    sn_key *keys = sn_octree_node_keys(s->tree);
    for (sn_local i = 0; i < sn_field_reals(s->tree); i++) {
        unsigned long long seed = keys[i / SN_NODE_REALS] * 31 + (unsigned)(3 * which + i % 3);
        test_random(&seed);
        u[i] = 2 * test_random(&seed) - 1;
    }
    sn_field_mask_f64(s->tree, s->pinned, u);
    sn_free(keys);
    return u;
}

/* u.A v = v.A u and u.A u > 0; A u is zero where pinned. */
static void symmetric_and_masked(sn_system *s, int level)
{
    double *u = random_of(s, 1), *v = random_of(s, 2), *au = sn_field_new_f64(s->tree),
           *av = sn_field_new_f64(s->tree);
    sn_system_apply_f64(s, u, au);
    sn_system_apply_f64(s, v, av);
    double uav = sn_field_dot_f64(s->tree, u, av), vau = sn_field_dot_f64(s->tree, v, au);
    double uau = sn_field_dot_f64(s->tree, u, au);
    CHECK(uau > 0 && fabs(uav - vau) < ROUNDING * uau, "level %d: %.15g and %.15g", level, uav,
          vau);
    sn_field_copy_f64(s->tree, av, au);
    sn_field_mask_f64(s->tree, s->pinned, av);
    sn_field_add_f64(s->tree, au, -1, av, av);
    CHECK(sn_field_largest(s->tree, av) == 0, "level %d: A u where pinned", level);
    sn_free(u), sn_free(v), sn_free(au), sn_free(av);
}

static void residual_is_b_less_product(sn_system *s, int level)
{
    double *u = random_of(s, 3), *b = random_of(s, 4), *r = sn_field_new_f64(s->tree),
           *au = sn_field_new_f64(s->tree);
    sn_system_residual_f64(s, b, u, r);
    sn_system_apply_f64(s, u, au);
    sn_field_add_f64(s->tree, b, -1, au, au);
    sn_field_add_f64(s->tree, r, -1, au, au);
    CHECK(sn_field_largest(s->tree, au) == 0, "level %d", level);
    sn_free(u), sn_free(b), sn_free(r), sn_free(au);
}

/* Unit displacements of some free nodes, one rank's after another's. */
static void diagonal_is_that_of_the_product(sn_system *s, int level)
{
    enum { TRIED = 7 };
    double *unit = sn_field_new_f64(s->tree), *a = sn_field_new_f64(s->tree);
    int rank, size;
    MPI_Comm_rank(s->tree->comm, &rank);
    MPI_Comm_size(s->tree->comm, &size);
    for (int turn = 0; turn < TRIED * size; turn++) {
        sn_local at = sn_field_reals(s->tree) / TRIED * (turn / size) + turn / size % 3;
        bool mine =
            turn % size == rank && at < sn_field_reals(s->tree) && !s->pinned[at / SN_NODE_REALS];
        sn_field_clear_f64(s->tree, unit);
        if (mine)
            unit[at] = 1;
        sn_system_apply_f64(s, unit, a);
        if (mine)
            CHECK(fabs(a[at] * (double)s->inverse_diagonal[at] - 1) < 1e-6, "level %d, %d: %g",
                  level, (int)at, a[at] * (double)s->inverse_diagonal[at]);
    }
    sn_free(unit), sn_free(a);
}

/* A with weights is plain A and rate times D: (A - A at another rate) u = (rate - other) D u. */
static void weights_are_those_of_damping(multigrid_problem *p)
{
    const double other = 0.7;
    sn_system *s = &p->solver.finest;
    double rate = s->rate, *u = multigrid_random(p, 5), *du = multigrid_zeros(p);
    double *before = multigrid_zeros(p), *after = multigrid_zeros(p);
    sn_system_apply_f64(s, u, before);
    sn_system_set_damping(s, s->damping, other);
    sn_system_linearise(s, p->x, s->stiffness, s->inertia);
    sn_system_apply_f64(s, u, after);
    sn_system_apply_damping(s, u, du);
    sn_field_mask_f64(s->tree, s->pinned, du);
    double size = sn_field_largest(s->tree, after);
    sn_field_add_f64(s->tree, after, -1, before, after);
    CHECK(sn_field_largest(s->tree, after) > 0.01 * size, "damping makes no difference");
    sn_field_add_f64(s->tree, after, rate - other, du, after);
    CHECK(sn_field_largest(s->tree, after) < ROUNDING * size, "%g of %g",
          sn_field_largest(s->tree, after), size);
    sn_free(u), sn_free(du), sn_free(before), sn_free(after);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    size_t held = sn_memory_held();
    multigrid_case what = usual_case();
    multigrid_problem p;
    multigrid_problem_open(&p, MPI_COMM_WORLD, &what, test_ways[0].options);
    CHECK(p.solver.levels.n > 2, "only %d levels", p.solver.levels.n);
    for (int l = 0; l < p.solver.levels.n; l++) {
        sn_system *s = sn_levels_at(&p.solver.levels, l);
        symmetric_and_masked(s, l);
        residual_is_b_less_product(s, l);
        diagonal_is_that_of_the_product(s, l);
    }
    weights_are_those_of_damping(&p);
    multigrid_problem_close(&p);
    CHECK(sn_memory_held() == held, "%zu bytes were not freed", sn_memory_held() - held);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
