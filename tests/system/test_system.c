/* The system of one level: symmetric, masked, its residual and diagonal those of its product;
 * weights of damping are those of D; coarser levels are systems too. */
#include "helpers/check.h"
#include "helpers/multigrid_problem.h"

#include "base/array.h"
#include "octree/positions.h"

#include <math.h>
#include <string.h>

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

/* Unit displacements of some free nodes, one rank's after another's: D is no less than the
 * diagonal, and at rest no more. */
static void diagonal_is_that_of_the_product(sn_system *s, int level, bool at_rest)
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
        double part = mine ? a[at] * (double)s->inverse_diagonal[at] : 1;
        CHECK(part < 1 + 1e-6 && part > (at_rest ? 1 - 1e-6 : 0), "level %d, %d: %g", level,
              (int)at, part);
    }
    sn_free(unit), sn_free(a);
}

/* Nothing is strained, but all is turned. */
static double *turned_body(multigrid_problem *p)
{
    sn_octree *tree = &p->tree.level[0];
    double *x = multigrid_zeros(p);
    sn_octree_node_positions(tree, (double(*)[3])x);
    for (sn_local n = 0; n < tree->n_nodes; n++) {
        double *at = x + 3 * n, a = at[0], b = at[1];
        at[0] = cos(2.3) * a - sin(2.3) * b;
        at[1] = sin(2.3) * a + cos(2.3) * b;
    }
    return x;
}

static void damping_force_at(sn_system *s, double *x, double *f)
{
    double *plain = sn_field_new_f64(s->tree);
    sn_system_linearise(s, x, s->stiffness, s->inertia, NULL);
    sn_system_elastic_force(s, x, f);
    sn_strain_batch *strain = s->op.strain;
    s->op.strain = NULL;
    sn_system_elastic_force(s, x, plain);
    s->op.strain = strain;
    sn_field_add_f64(s->tree, f, -1, plain, f);
    sn_free(plain);
}

/* Where there is no strain, what damping changes in A is the differential of its force. */
static void product_has_the_damping(multigrid_problem *p)
{
    const double step = 1e-6;
    sn_system *s = &p->solver.finest;
    double rate = s->rate, *x = turned_body(p), *u = multigrid_random(p, 5);
    double *a = multigrid_zeros(p), *plain = multigrid_zeros(p), *at = multigrid_zeros(p);
    double *up = multigrid_zeros(p), *down = multigrid_zeros(p);
    sn_system_set_damping(s, s->damping, 0);
    sn_system_linearise(s, x, s->stiffness, s->inertia, NULL);
    sn_system_apply_f64(s, u, plain);
    sn_system_set_damping(s, s->damping, rate);
    sn_system_linearise(s, x, s->stiffness, s->inertia, NULL);
    sn_system_apply_f64(s, u, a);
    sn_field_add_f64(s->tree, a, -1, plain, a);
    sn_system_damp_from(s, 1, x, 0, x);
    sn_field_add_f64(s->tree, x, step, u, at);
    damping_force_at(s, at, up);
    sn_field_add_f64(s->tree, x, -step, u, at);
    damping_force_at(s, at, down);
    sn_system_drop_strain(s);
    sn_field_difference(s->tree, s->stiffness / (2 * step), down, up, down);
    sn_field_mask_f64(s->tree, s->pinned, down);
    double size = sn_field_largest(s->tree, a);
    sn_field_add_f64(s->tree, down, -1, a, down);
    CHECK(size > 0 && sn_field_largest(s->tree, down) < 1e-6 * size, "%g of %g",
          sn_field_largest(s->tree, down), size);
    sn_free(x), sn_free(u), sn_free(a), sn_free(plain), sn_free(at), sn_free(up), sn_free(down);
}

static float *copy_of_diagonal(const sn_system *s)
{
    float *copy = SN_NEW(float, sn_field_reals(s->tree));
    memcpy(copy, s->inverse_diagonal, sizeof *copy * (size_t)sn_field_reals(s->tree));
    return copy;
}

/* Collective. */
static bool has_diagonal(const sn_system *s, const float *of)
{
    size_t bytes = sizeof *of * (size_t)sn_field_reals(s->tree);
    int same = memcmp(s->inverse_diagonal, of, bytes) == 0;
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, s->tree->comm);
    return same;
}

/* The diagonal is that of the last linearisation once it was asked to follow; until the next step
 * begins any will do for who needs one. */
static void diagonal_waits_until_it_is_asked_for(multigrid_problem *p)
{
    sn_system *s = &p->solver.finest;
    double *turned = turned_body(p);
    sn_system_linearise(s, p->x, s->stiffness, s->inertia, NULL);
    sn_system_follow_diagonal(s);
    float *first = copy_of_diagonal(s);
    sn_system_linearise(s, turned, s->stiffness, s->inertia, NULL);
    sn_system_need_diagonal(s);
    CHECK(has_diagonal(s, first), "nobody asked for another one");
    sn_system_follow_diagonal(s);
    CHECK(!has_diagonal(s, first), "it did not follow");
    sn_system_linearise(s, p->x, s->stiffness, s->inertia, NULL);
    sn_system_forget_diagonal(s);
    sn_system_need_diagonal(s);
    CHECK(has_diagonal(s, first), "that of a step before was not forgotten");
    sn_free(first), sn_free(turned);
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
        diagonal_is_that_of_the_product(s, l, false);
    }
    product_has_the_damping(&p);
    diagonal_waits_until_it_is_asked_for(&p);
    for (int l = 0; l < p.solver.levels.n; l++) {
        sn_system *s = sn_levels_at(&p.solver.levels, l);
        sn_system_linearise_at_rest(s);
        diagonal_is_that_of_the_product(s, l, true);
    }
    multigrid_problem_close(&p);
    CHECK(sn_memory_held() == held, "%zu bytes were not freed", sn_memory_held() - held);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
