/* The potential of a step: its force is minus its energy's slope, by finite differences, with every
 * term in it; a line through it has the same energy, and its slope; what is at rest has no force.
 * Linear solves for it have one cycle an iteration. */
#include "helpers/check.h"
#include "helpers/multigrid_problem.h"
#include "helpers/springs_list.h"

#include "base/array.h"
#include "octree/positions.h"

#include <math.h>

enum { SPRINGS = 40 };

static sn_status find(void *context, double time, const double *x, sn_spring_list *springs)
{
    (void)context, (void)time, (void)x;
    *springs = springs_list(MPI_COMM_WORLD, SPRINGS_MIXED, SPRINGS, 2);
    return SN_OK;
}

typedef struct {
    multigrid_problem problem;
    double *damping, *predicted, *still, *from, *before;
    sn_sources sources;
    sn_potential potential;
} subject;

static double *shifted(multigrid_problem *p, int which, double factor)
{
    double *u = multigrid_random(p, which);
    sn_field_add_f64(&p->tree.level[0], p->x, factor, u, u);
    return u;
}

static void open(subject *s)
{
    multigrid_case what = {
        .seed = 5, .pinned = true, .noise = 0.2, .cell = 0.09, .settings = SN_MULTIGRID_DEFAULTS};
    *s = (subject){0};
    multigrid_problem *p = &s->problem;
    multigrid_problem_open(p, MPI_COMM_WORLD, &what, test_ways[0].options);
    s->damping = SN_NEW(double, p->tree.level[0].n_elements);
    for (sn_local e = 0; e < p->tree.level[0].n_elements; e++)
        s->damping[e] = 0.1;
    s->predicted = shifted(p, 1, 0.01);
    s->still = multigrid_zeros(p);
    s->from = shifted(p, 2, 0.01);
    s->before = shifted(p, 4, 0.01);
    sn_sources_add(&s->sources, (sn_source){.context = s, .find = find});
    sn_potential_terms terms = {.inertia = 20,
                                .predicted = {.now = 3,
                                              .before = -2,
                                              .sum = 1,
                                              .step = 0.1,
                                              .x = s->predicted,
                                              .x_before = s->predicted,
                                              .v = s->still,
                                              .v_before = s->still},
                                .rate = 0.5,
                                .damping = {.number = s->damping},
                                .now = 1.5,
                                .before = -0.5,
                                .x_now = s->from,
                                .x_before = s->before,
                                .gravity = {3, -7, 5}};
    s->potential = sn_potential_create(&p->solver.finest, &s->sources, &terms);
}

static void close(subject *s)
{
    sn_potential_free(&s->potential);
    sn_free(s->damping), sn_free(s->predicted), sn_free(s->still), sn_free(s->from),
        sn_free(s->before);
    multigrid_problem_close(&s->problem);
}

static void force_is_the_slope(subject *s)
{
    const double step = 1e-5;
    multigrid_problem *p = &s->problem;
    const sn_octree *tree = &p->tree.level[0];
    double *force = multigrid_zeros(p), *trial = multigrid_zeros(p);
    double residual = sn_potential_force(&s->potential, p->x, force);
    CHECK(residual > 0.01 && residual < 10, "residual %g", residual);
    for (int which = 10; which < 14; which++) {
        double *u = multigrid_random(p, which);
        sn_field_add_f64(tree, p->x, step, u, trial);
        double up = sn_potential_energy(&s->potential, trial);
        sn_field_add_f64(tree, p->x, -step, u, trial);
        double slope = (up - sn_potential_energy(&s->potential, trial)) / (2 * step);
        double work = sn_field_dot_f64(tree, force, u);
        CHECK(fabs(slope + work) < 1e-6 * sn_field_norm(tree, force) * sn_field_norm(tree, u),
              "slope %.9g, force %.9g", slope, work);
        sn_free(u);
    }
    sn_free(force), sn_free(trial);
}

static void line_is_the_potential(subject *s)
{
    multigrid_problem *p = &s->problem;
    double *force = multigrid_zeros(p), *trial = multigrid_zeros(p), *u = multigrid_random(p, 20);
    sn_potential_force(&s->potential, p->x, force);
    double start = sn_potential_energy(&s->potential, p->x);
    sn_line line = sn_potential_line(&s->potential, p->x, force, u);
    for (double length = 0.001; length < 0.1; length *= 4) {
        double along = sn_line_at(&line, length, trial) - line.start;
        double rise = sn_potential_energy(&s->potential, trial) - start;
        CHECK(fabs(along - rise) < 1e-12 * line.size, "at %g: %.12g and %.12g", length, along,
              rise);
    }
    sn_free(force), sn_free(trial), sn_free(u);
}

/* Where it is linearised, Phi and the slope along a line are known without more ado. */
static void known_where_linearised(subject *s)
{
    const double step = 1e-5;
    multigrid_problem *p = &s->problem;
    double *force = multigrid_zeros(p), *trial = multigrid_zeros(p), *u = multigrid_random(p, 21);
    sn_potential_force(&s->potential, p->x, force);
    sn_line line = sn_potential_line(&s->potential, p->x, force, u);
    double ahead = sn_line_at(&line, 0.01 + step, trial), behind;
    behind = sn_line_at(&line, 0.01 - step, trial);
    sn_line_go(&line, 0.01, trial);
    sn_potential_linearise(&s->potential, trial, 0);
    double slope = sn_line_slope_at(&line, trial, force), steps = (ahead - behind) / (2 * step);
    CHECK(fabs(slope - steps) < 1e-6 * fabs(slope), "slope %.9g, by steps %.9g", slope, steps);
    double here = sn_potential_energy_here(&s->potential, trial);
    CHECK(here == sn_potential_energy(&s->potential, trial), "another energy");
    sn_potential_linearise(&s->potential, p->x, 0);
    sn_free(force), sn_free(trial), sn_free(u);
}

/* A shift that comes later gives the matrix that it would have given at once. */
static void shifts_come_later(subject *s)
{
    multigrid_problem *p = &s->problem;
    double *u = multigrid_random(p, 22), *at_once = multigrid_zeros(p), *later = multigrid_zeros(p);
    sn_field_mask_f64(&p->tree.level[0], p->solver.finest.pinned, u);
    sn_potential_linearise(&s->potential, p->x, 3);
    sn_system_apply_f64(&p->solver.finest, u, at_once);
    sn_potential_linearise(&s->potential, p->x, 0);
    sn_potential_relinearise(&s->potential, p->x, 3);
    sn_system_apply_f64(&p->solver.finest, u, later);
    for (sn_local i = 0; i < sn_field_reals(&p->tree.level[0]); i++)
        CHECK(at_once[i] == later[i], "real %d: %.17g and %.17g", i, at_once[i], later[i]);
    sn_potential_relinearise(&s->potential, p->x, 0);
    sn_free(u), sn_free(at_once), sn_free(later);
}

/* ---- Linear solves. ---- */

typedef struct {
    sn_preconditioner own;
    int applied;
} counted;

static void apply_and_count(void *context, const double *r, double *z)
{
    counted *c = context;
    c->applied++;
    c->own.apply(c->own.context, r, z);
}

/* There is no cycle after the last iteration. */
static void cycles_are_iterations(subject *s)
{
    multigrid_problem *p = &s->problem;
    counted c = {.own = p->solver.preconditioner};
    sn_preconditioner preconditioner = {.context = &c, .apply = apply_and_count};
    double *force = multigrid_zeros(p), *u = multigrid_zeros(p), *left = multigrid_zeros(p);
    CHECK(c.own.prepare(c.own.context, p->x) == SN_OK, "%s", sn_failure_message());
    sn_potential_force(&s->potential, p->x, force);
    sn_linear_settings settings = {.method = SN_LINEAR_MGPCG, .max = 50, .tolerance = 1e-6};
    sn_linear_result result =
        sn_linear_solve(&p->solver.finest, &preconditioner, settings, force, u, NULL, NULL);
    CHECK(c.applied == result.iterations, "%d cycles in %d iterations", c.applied,
          result.iterations);
    sn_system_residual_f64(&p->solver.finest, force, u, left);
    double ratio = sn_field_norm(&p->tree.level[0], left) / sn_field_norm(&p->tree.level[0], force);
    CHECK(ratio < 1.01e-6, "residual %g", ratio);
    sn_free(force), sn_free(u), sn_free(left);
}

/* Nothing but elasticity, at rest: all that is left is rounding. */
static void nothing_moves_at_rest(subject *s)
{
    multigrid_problem *p = &s->problem;
    double *rest = multigrid_zeros(p), *force = multigrid_zeros(p);
    sn_octree_node_positions(&p->tree.level[0], (double(*)[3])rest);
    sn_potential_terms terms = {0};
    sn_potential still = sn_potential_create(&p->solver.finest, NULL, &terms);
    CHECK(sn_system_set_springs(&p->solver.finest, 0, NULL, 0) == SN_OK, "%s",
          sn_failure_message());
    sn_potential_linearise(&still, rest, 0);
    CHECK(sn_potential_force(&still, rest, force) == 0, "unbalanced at rest");
    sn_potential_free(&still);
    sn_free(rest), sn_free(force);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    subject s;
    open(&s);
    CHECK(sn_potential_find_springs(&s.potential, s.problem.x) == SN_OK, "%s",
          sn_failure_message());
    sn_potential_linearise(&s.potential, s.problem.x, 0);
    CHECK(s.potential.deformation.inverted == 0, "%d inverted",
          (int)s.potential.deformation.inverted);
    force_is_the_slope(&s);
    line_is_the_potential(&s);
    known_where_linearised(&s);
    shifts_come_later(&s);
    cycles_are_iterations(&s);
    nothing_moves_at_rest(&s);
    close(&s);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
