/* Sources that a step asks: a block that comes to rest on springs, who is asked how often, and
 * a source that fails. */
#include "helpers/check.h"
#include "helpers/elastic_body.h"

#include "base/array.h"

#include <math.h>
#include <string.h>

static const double CELL = 0.1, GRAVITY[3] = {0, -10, 0};
enum { SIDE = 5, POINTS = 6 };

typedef struct {
    int begun, found, committed, reset;
    int fails_from; /* the call to find that fails; 0: none */
    double creep;   /* by so much the floor is higher each time */
    double committed_at;
} floor_contacts;

/* A floor a little above the block's lower side: one-sided springs, all given by one rank. */
static sn_status find(void *context, double time, const double *x, sn_spring_list *springs)
{
    floor_contacts *f = context;
    (void)time, (void)x;
    if (++f->found == f->fails_from)
        return SN_FAIL(SN_BAD_INPUT, "no floor");
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < POINTS * POINTS && rank == 0; i++) {
        double at[3] = {SIDE * CELL * (i % POINTS + 0.5) / POINTS, 0.01 * CELL,
                        SIDE * CELL * (i / POINTS + 0.5) / POINTS};
        sn_spring s = {.number = (uint64_t)i,
                       .point = {{.body = 0, .at = {at[0], at[1], at[2]}}, {.body = -1}},
                       .target = {at[0], at[1] + 1e-3 + f->creep * f->found, at[2]},
                       .normal = {0, 1, 0},
                       .normal_stiffness = 1000,
                       .tangential_stiffness = 500,
                       .friction = 0.5,
                       .one_sided = true};
        sn_push(springs, s);
    }
    return SN_OK;
}

static sn_status begin(void *context, double time, double *x)
{
    (void)time, (void)x;
    ((floor_contacts *)context)->begun++;
    return SN_OK;
}

static sn_status commit(void *context, double time, const double *x)
{
    floor_contacts *f = context;
    (void)x;
    f->committed++;
    f->committed_at = time;
    return SN_OK;
}

static void reset(void *context, double time)
{
    (void)time;
    ((floor_contacts *)context)->reset++;
}

static bool nowhere(const double rest[3])
{
    (void)rest;
    return false;
}

static sn_source source_of(floor_contacts *f)
{
    return (sn_source){
        .context = f, .begin = begin, .find = find, .commit = commit, .reset = reset};
}

/* The force of the floor at x along an axis. */
static double carried(test_elastic *e, const double *x, int axis)
{
    double *force = sn_field_new_f64(e->tree), sum = 0;
    sn_system_spring_force_add(&e->solver.finest, x, force);
    for (sn_local n = 0; n < e->tree->n_nodes; n++)
        sum += force[3 * n + axis];
    sn_free(force);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void comes_to_rest(test_elastic *e, sn_solver_mode mode)
{
    floor_contacts f = {0};
    sn_solver_settings settings = test_tight_settings(mode, SN_INTEGRATOR_BACKWARD_EULER);
    test_steps s;
    test_steps_create(&s, &e->solver, &settings, false, NULL, GRAVITY, e->rest);
    sn_sources_add(&s.sources, source_of(&f));
    int steps = mode == SN_MODE_QUASISTATIC ? 1 : 40;
    sn_step_result result = {0};
    for (int step = 1; step <= steps; step++)
        result = sn_stepper_advance(&s.stepper, step);
    CHECK(result.end == SN_STEP_CONVERGED && result.status == SN_OK, "end %d, residual %g",
          result.end, result.residual);
    CHECK(f.begun == steps && f.committed == steps && f.reset == 0 && f.committed_at == steps,
          "%d begun, %d committed, %d reset", f.begun, f.committed, f.reset);
    CHECK(f.found >= steps && f.found <= 2 * steps * SN_MOST_SEARCHES, "asked %d times", f.found);
    double up = carried(e, s.state.x, 1), aside = carried(e, s.state.x, 0);
    double weight = 10 * test_total_mass(e);
    CHECK(fabs(up - weight) < 1e-4 * weight && fabs(aside) < 1e-4 * weight,
          "the floor carries %g of %g, and %g aside", up, weight, aside);
    test_steps_free(&s);
}

/* A floor that is a little higher each time it is looked for: the cycle that there is brings the
 * block there, without a linear solve for each. */
static void follows_what_creeps(test_elastic *e)
{
    enum { FEW = 3 };
    floor_contacts f = {.creep = 2e-5};
    sn_solver_settings settings =
        test_tight_settings(SN_MODE_QUASISTATIC, SN_INTEGRATOR_BACKWARD_EULER);
    settings.newton.tolerance = 1e-3;
    test_steps s;
    test_steps_create(&s, &e->solver, &settings, false, NULL, GRAVITY, e->rest);
    sn_sources_add(&s.sources, source_of(&f));
    sn_step_result result = sn_stepper_advance(&s.stepper, 1);
    double up = carried(e, s.state.x, 1), weight = 10 * test_total_mass(e);
    CHECK(result.end == SN_STEP_CONVERGED && result.residual <= 1e-3, "end %d, residual %g",
          result.end, result.residual);
    CHECK(f.found > SN_MOST_SEARCHES && result.iterations <= FEW && result.inner > FEW,
          "asked %d times, %d iterations, %d inner ones", f.found, result.iterations, result.inner);
    CHECK(fabs(up - weight) < 1e-2 * weight, "the floor carries %g of %g", up, weight);
    test_steps_free(&s);
}

/* No shorter step helps, and nothing is committed. */
static void a_failure_surfaces(test_elastic *e, int which)
{
    floor_contacts f = {.fails_from = which};
    sn_solver_settings settings =
        test_tight_settings(SN_MODE_DYNAMIC, SN_INTEGRATOR_BACKWARD_EULER);
    test_steps s;
    test_steps_create(&s, &e->solver, &settings, false, NULL, GRAVITY, e->rest);
    sn_sources_add(&s.sources, source_of(&f));
    sn_step_result result = sn_stepper_advance(&s.stepper, 0.1);
    CHECK(result.end == SN_STEP_FAILED && result.status == SN_BAD_INPUT, "end %d, status %d",
          result.end, result.status);
    CHECK(strstr(sn_failure_message(), "no floor"), "%s", sn_failure_message());
    CHECK(f.found == which && f.committed == 0 && f.reset == 1 && s.state.time == 0,
          "asked %d times, at %g", f.found, s.state.time);
    test_steps_free(&s);
    CHECK(sn_system_set_springs(&e->solver.finest, 0, NULL, 0) == SN_OK, "%s",
          sn_failure_message());
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    size_t held = sn_memory_held();
    static test_elastic e;
    const int cells[3] = {SIDE, SIDE, SIDE};
    test_elastic_create(&e, test_box_of_cells(cells, CELL), CELL, 0,
                        (test_material){.young = 2e4, .poisson = 0.3, .density = 100}, nowhere);
    comes_to_rest(&e, SN_MODE_QUASISTATIC);
    comes_to_rest(&e, SN_MODE_DYNAMIC);
    follows_what_creeps(&e);
    a_failure_surfaces(&e, 1);
    a_failure_surfaces(&e, 2);
    test_elastic_free(&e);
    CHECK(sn_memory_held() == held, "%zu bytes were not freed", sn_memory_held() - held);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
