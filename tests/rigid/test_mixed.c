/* A comb, whose parts turn on coarse levels, and a ball, whose nodes do not, in one forest: each
 * has coarse levels of its own, and both are solved as soon as the one that takes longer alone. And
 * a comb whose coarse levels are solved exactly. */
#include "helpers/check.h"
#include "helpers/multigrid_problem.h"

#include "base/array.h"
#include "octree/positions.h"
#include "shapes/shape.h"

#include <math.h>

enum { COMB = 1, BALL = 2, BOTH = COMB | BALL, FINE_COMB = 4 };

static const double cell = 1.0 / 32;

static void must(sn_status status)
{
    CHECK(status == SN_OK, "%s", sn_failure_message());
}

static void add_shape(test_forest *f, const char *shape, double size)
{
    sn_mesh mesh;
    must(sn_builtin_make(shape, &mesh));
    test_forest_add(f, mesh, true, size);
}

static void make_solver(multigrid_problem *p, sn_multigrid_settings settings)
{
    sn_octree *tree = &p->tree.level[0];
    sn_law_parameters *parameters = SN_NEW(sn_law_parameters, tree->n_elements);
    double *mass = SN_NEW_ZERO(double, tree->n_nodes);
    uint8_t *pinned = SN_NEW(uint8_t, tree->n_nodes);
    sn_key *key = sn_octree_node_keys(tree);
    for (sn_local e = 0; e < tree->n_elements; e++)
        parameters[e] = sn_law_parameters_of(SN_LAW_COROTATED, 1, 0.3, SN_HOURGLASS_ASSUMED);
    for (sn_local n = 0; n < tree->n_nodes; n++) {
        const sn_body *body = &p->forest.body[sn_key_body(key[n])];
        pinned[n] = p->x[3 * n + 2] < body->origin[2] + 0.1;
    }
    test_solver_create(&p->solver, &p->tree, parameters, mass, pinned, settings);
    sn_free(parameters), sn_free(mass), sn_free(pinned), sn_free(key);
}

/* Ties between the plate of the comb and the ball, one a cell and as hard as cells are: as contact.
 */
static void tie(multigrid_problem *p, double hardness)
{
    enum { SIDE = 8, TIES = SIDE * SIDE };
    sn_spring ties[TIES] = {0};
    for (int i = 0; i < TIES; i++) {
        sn_spring *s = &ties[i];
        s->number = (uint64_t)i;
        s->friction = INFINITY;
        s->normal[2] = 1;
        s->normal_stiffness = s->tangential_stiffness = hardness * cell;
        for (int end = 0; end < 2; end++)
            s->point[end] = (sn_flesh_point){
                .body = end, .at = {0.01 + cell * (i % SIDE), 0.01 + cell * (i / SIDE), 0.05}};
    }
    int rank;
    MPI_Comm_rank(p->tree.level[0].comm, &rank);
    must(sn_system_set_springs(&p->solver.finest, 0, ties, rank == 0 ? TIES : 0));
}

/* Some of the bodies, at rest. */
static void open_bodies(multigrid_problem *p, MPI_Comm comm, int which, sn_coarse coarse,
                        double hardness, sn_hierarchy_options options)
{
    sn_multigrid_settings settings = SN_MULTIGRID_DEFAULTS;
    settings.coarse = coarse;
    if (!(which & FINE_COMB)) /* the comb is so small that it would be solved exactly */
        settings.most_exact = 0;
    *p = (multigrid_problem){0};
    if (which & COMB)
        add_shape(&p->forest, "builtin:comb,teeth=4", cell);
    if (which & BALL)
        add_shape(&p->forest, "builtin:sphere", cell);
    if (which & FINE_COMB)
        add_shape(&p->forest, "builtin:comb,teeth=8", 2 * cell);
    must(test_forest_build(&p->forest, comm, options, &p->tree));
    p->x = multigrid_zeros(p);
    sn_octree_node_positions(&p->tree.level[0], (double(*)[3])p->x);
    make_solver(p, settings);
    if (hardness > 0)
        tie(p, hardness);
    must(test_solver_update(&p->solver, p->x, 0, &p->deformation));
}

typedef struct {
    const multigrid_problem *problem;
    const double *known;
    double first;
    int reached; /* the first iteration after which the error stays small */
} watch;

static bool look(void *context, int iteration, const double *x)
{
    watch *w = context;
    double error = multigrid_distance(w->problem, w->known, x);
    if (iteration == 0)
        w->first = error;
    else if (error > 1e-6 * w->first)
        w->reached = iteration + 1;
    return error > 1e-7 * w->first;
}

/* Until the largest error is a millionth of what it was. */
static int iterations_of(multigrid_problem *p)
{
    enum { MOST = 60 };
    sn_linear_settings settings = {.method = SN_LINEAR_MGPCG, .max = MOST, .tolerance = 1e-13};
    double *known = multigrid_random(p, 1), *b = multigrid_zeros(p), *x = multigrid_zeros(p);
    sn_system_apply_f64(&p->solver.finest, known, b);
    watch w = {.problem = p, .known = known};
    test_solver_solve(&p->solver, settings, b, x, look, &w);
    sn_free(known), sn_free(b), sn_free(x);
    return w.reached;
}

static int iterations(int which, sn_coarse coarse, double hardness)
{
    multigrid_problem p;
    open_bodies(&p, MPI_COMM_WORLD, which, coarse, hardness, test_ways[0].options);
    int n = iterations_of(&p);
    multigrid_problem_close(&p);
    return n;
}

static void each_has_its_own(void)
{
    multigrid_problem p;
    open_bodies(&p, MPI_COMM_WORLD, BOTH, SN_COARSE_AUTO, 0, test_ways[0].options);
    const sn_multigrid *mg = &p.solver.mg;
    CHECK(mg->n_groups == 2 && mg->rigid.n > 1, "%d groups", mg->n_groups);
    CHECK(mg->group[0].systems == p.tree.n_levels, "the ball has %d systems", mg->group[0].systems);
    CHECK(mg->group[1].systems < p.tree.n_levels, "the comb has systems only");
    multigrid_problem_close(&p);
}

static void both_are_solved(void)
{
    int comb = iterations(COMB, SN_COARSE_AUTO, 0), ball = iterations(BALL, SN_COARSE_AUTO, 0);
    int both = iterations(BOTH, SN_COARSE_AUTO, 0), tied = iterations(BOTH, SN_COARSE_AUTO, 1);
    int most = comb > ball ? comb : ball;
    CHECK(both <= most + 1, "comb %d, ball %d, both %d", comb, ball, both);
    CHECK(tied <= most + 1, "comb %d, ball %d, tied %d", comb, ball, tied);
}

static void cycles_are_operators(void)
{
    for (int way = 0; way < 2; way++) {
        multigrid_problem p;
        open_bodies(&p, MPI_COMM_WORLD, BOTH, SN_COARSE_AUTO, way == 0 ? 0 : 100,
                    test_ways[0].options);
        multigrid_cycle_is_definite(&p, way == 0 ? "beside each other" : "tied", 2e-5);
        multigrid_problem_close(&p);
    }
}

/* Teeth so thin that level 1 is solved exactly; at the third linearisation of a step with the
 * factor of the second one, when half of the elements are inverted. */
static void fine_combs_are_solved_exactly(void)
{
    multigrid_problem p;
    open_bodies(&p, MPI_COMM_WORLD, FINE_COMB, SN_COARSE_AUTO, 0, test_ways[0].options);
    CHECK(p.solver.mg.n_levels == 2 && p.solver.levels.n == 2 && p.tree.n_levels > 2, "%d levels",
          p.solver.mg.n_levels);
    int n = iterations_of(&p);
    CHECK(n <= 35, "%d iterations", n);
    multigrid_cycle_is_definite(&p, "solved exactly", 2e-5);
    double *noise = multigrid_random(&p, 3);
    for (int time = 0; time < 2; time++) {
        sn_field_add_f64(&p.tree.level[0], p.x, cell, noise, p.x);
        must(test_solver_update(&p.solver, p.x, 0, &p.deformation));
    }
    multigrid_cycle_is_definite(&p, "solved as it was", 2e-5);
    sn_free(noise);
    multigrid_problem_close(&p);
}

static uint64_t bits_of(MPI_Comm comm, int which, sn_hierarchy_options options)
{
    multigrid_problem p;
    open_bodies(&p, comm, which, SN_COARSE_AUTO, which == BOTH, options);
    double *r = multigrid_random(&p, 70), *z = multigrid_zeros(&p);
    sn_multigrid_cycle(&p.solver.mg, r, z);
    uint64_t bits = multigrid_digest(&p, z);
    sn_free(r), sn_free(z);
    multigrid_problem_close(&p);
    return bits;
}

static void same_bits(int which)
{
    uint64_t alone = test_is_mine(0) ? bits_of(MPI_COMM_SELF, which, (sn_hierarchy_options){0}) : 0;
    test_share(0, &alone, sizeof alone);
    for (int way = 0; way < TEST_WAYS; way++)
        CHECK(bits_of(MPI_COMM_WORLD, which, test_ways[way].options) == alone,
              "%s: another cycle of %d", test_ways[way].name, which);
}

static void run(int argc, char **argv)
{
    (void)argv;
    each_has_its_own();
    same_bits(BOTH);
    same_bits(FINE_COMB);
    fine_combs_are_solved_exactly();
    cycles_are_operators();
    if (argc == 1) /* all */
        both_are_solved();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
