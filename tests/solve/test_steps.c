/* Steps of other lengths than the last one: BDF2 stays of second order, on an oscillator whose
 * motion is known by the scheme's own recurrence; and steps of tiny swings, which rounding of the
 * energy must not cut.
 *
 * The oscillator is a block on springs at the centres of its cells: they have equal shares of the
 * mass, so the block moves as one, and nothing is strained. */
#include "helpers/check.h"
#include "helpers/elastic_body.h"

#include "base/array.h"
#include "base/pi.h"

#include <math.h>

static const double CELL = 0.25, NO_GRAVITY[3];
static const test_material BLOCK = {.young = 1e4, .poisson = 0.3, .density = 100};
static const double OMEGA = 2 * SN_PI;
enum { SIDE = 2 };

/* ---- A source that holds the block, and that finds some steps too long. ---- */

typedef struct {
    double (*most)(double time); /* how long a step from this time may be; NULL: any */
    double time, wanted;
    int committed, reset;
} holder;

static sn_status begin(void *context, double time, double *x)
{
    (void)x;
    ((holder *)context)->wanted = time;
    return SN_OK;
}

static sn_status find(void *context, double time, const double *x, sn_spring_list *springs)
{
    (void)context, (void)time, (void)x;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double stiffness = OMEGA * OMEGA * BLOCK.density * CELL * CELL * CELL;
    for (int i = 0; i < SIDE * SIDE * SIDE && rank == 0; i++) {
        double at[3] = {CELL * (i % SIDE + 0.5), CELL * (i / SIDE % SIDE + 0.5),
                        CELL * (i / SIDE / SIDE + 0.5)};
        sn_spring s = {.number = (uint64_t)i,
                       .point = {{.body = 0, .at = {at[0], at[1], at[2]}}, {.body = -1}},
                       .target = {at[0], at[1], at[2]},
                       .normal = {1, 0, 0},
                       .normal_stiffness = stiffness,
                       .tangential_stiffness = stiffness,
                       .friction = INFINITY};
        sn_push(springs, s);
    }
    return SN_OK;
}

static sn_status check_way(void *context, const double *from, const double *x, bool *passed)
{
    const holder *h = context;
    (void)from, (void)x;
    *passed = h->most && h->wanted - h->time > h->most(h->time) * (1 + 1e-9);
    return SN_OK;
}

static sn_status commit(void *context, double time, const double *x)
{
    holder *h = context;
    (void)x;
    h->time = time;
    h->committed++;
    return SN_OK;
}

static void reset(void *context, double time)
{
    (void)time;
    ((holder *)context)->reset++;
}

/* ---- The same oscillator by the scheme's recurrence. ---- */

typedef struct {
    double time, last, x, v, x_before, v_before;
} point;

/* One step of the published formulas of variable-step BDF2, or of backward Euler. */
static void step_point(point *p, double h)
{
    double r = h / p->last;
    bool first = p->last == 0;
    double c0 = first ? 1 : (1 + 2 * r) / (1 + r), c1 = first ? 1 : 1 + r;
    double c2 = first ? 0 : r * r / (1 + r);
    double from_x = c1 * p->x - c2 * p->x_before, from_v = c1 * p->v - c2 * p->v_before;
    /* c0 x = from_x + h v and c0 v = from_v - h omega^2 x */
    double x = (c0 * from_x + h * from_v) / (c0 * c0 + h * h * OMEGA * OMEGA);
    double v = (from_v - h * OMEGA * OMEGA * x) / c0;
    *p = (point){p->time + h, h, x, v, p->x, p->v};
}

/* To a time in parts that may each be at most twice as long as the last. */
static void move_point(point *p, double time, double (*most)(double time), int halvings)
{
    double h = time - p->time;
    bool starts = p->last == 0 && halvings < 2;
    if (starts || (p->last > 0 && h > 2 * p->last * (1 + 1e-9)) ||
        (most && h > most(p->time) * (1 + 1e-9))) {
        move_point(p, p->time + h / 2, most, halvings + 1);
        move_point(p, time, most, halvings + 1);
        return;
    }
    step_point(p, h);
}

/* ---- Both. ---- */

static void create_steps(test_steps *s, test_elastic *e, holder *h, double newton_tolerance)
{
    sn_solver_settings settings = test_tight_settings(SN_MODE_DYNAMIC, SN_INTEGRATOR_BDF2);
    settings.newton.tolerance = newton_tolerance;
    test_steps_create(s, &e->solver, &settings, false, NULL, NO_GRAVITY, e->rest);
    sn_sources_add(&s->sources, (sn_source){.context = h,
                                            .begin = begin,
                                            .find = h->most ? find : NULL,
                                            .check_way = check_way,
                                            .commit = commit,
                                            .reset = reset});
}

static const double STEP = 1.0 / 24;

/* Every fourth step is cut in two, and one in eight. */
static double some_shorter(double time)
{
    int step = (int)(time / STEP + 1e-6);
    if (step == 10)
        return STEP / 8 * 1.5;
    return step % 4 == 3 ? STEP / 2 : STEP;
}

static void follows_its_recurrence(test_elastic *e)
{
    enum { STEPS = 48 };
    holder h = {.most = some_shorter};
    test_steps s;
    create_steps(&s, e, &h, 1e-12);
    point p = {.v = 1}, even = {.v = 1};
    for (sn_local n = 0; n < e->tree->n_nodes; n++)
        s.state.v[3 * n] = 1;
    double off = 0, mass = test_total_mass(e), rest = test_mass_sum(e, e->rest, 0) / mass;
    for (int i = 1; i <= STEPS; i++) {
        sn_step_result r = sn_stepper_advance(&s.stepper, STEP * i);
        CHECK(r.end == SN_STEP_CONVERGED, "end %d, residual %g", (int)r.end, r.residual);
        move_point(&p, STEP * i, some_shorter, 0);
        move_point(&even, STEP * i, NULL, 0);
        off = fmax(off, fabs(test_mass_sum(e, s.state.x, 0) / mass - rest - p.x));
        off = fmax(off, fabs(test_mass_sum(e, s.state.v, 0) / mass - p.v) / OMEGA);
    }
    double left = hypot(p.v, OMEGA * p.x), even_left = hypot(even.v, OMEGA * even.x);
    sn_info(
        "oscillator: %d steps of %d lengths, off its recurrence by %.2g; %.4f of the swing left "
        "after two periods, %.4f with equal steps",
        h.committed, 4, off, left, even_left);
    CHECK(off < 1e-10, "off by %g", off);
    CHECK(h.reset > 10 && h.committed > STEPS + 10, "%d cut", h.reset);
    CHECK(left > even_left - 1e-3, "%g left, with equal steps %g", left, even_left);
    test_steps_free(&s);
}

/* Steps of 2 to 1 in turns, and of 4 now and then, of a finer and finer unit. */
static double unit_of_steps;
static double in_turns(double time)
{
    int quarter = (int)(time / (4 * unit_of_steps) + 1e-6) % 3;
    return quarter == 0 ? 4 * unit_of_steps : quarter * unit_of_steps;
}

static double error_after_a_period(int units)
{
    unit_of_steps = 2 * SN_PI / OMEGA / units;
    point p = {.v = 1};
    for (int i = 1; i <= units / 4; i++)
        move_point(&p, 4 * unit_of_steps * i, in_turns, 0);
    return hypot(OMEGA * p.x, p.v - 1);
}

/* What the steps follow exactly converges as their lengths squared. */
static void recurrence_has_second_order(void)
{
    double coarse = error_after_a_period(192), fine = error_after_a_period(384);
    sn_info("uneven steps: error %.3g after a period, %.3g with half the lengths", coarse, fine);
    CHECK(coarse < 0.05 && fabs(log2(coarse / fine) - 2) < 0.1, "order %g", log2(coarse / fine));
}

/* ---- Tiny swings. ---- */

static bool at_the_root(const double x[3])
{
    return x[0] < 1e-6;
}

static void tiny_swings_are_solved(void)
{
    enum { LONG = 16, STEPS = 40 };
    static test_elastic e;
    const int cells[3] = {LONG, 2, 2};
    const double cell = 1.0 / LONG, period = 0.8;
    test_elastic_create(&e, test_box_of_cells(cells, cell), cell, cell,
                        (test_material){.young = 1e6, .poisson = 0.3, .density = 1000},
                        at_the_root);
    for (double amplitude = 1e-3; amplitude > 1e-8; amplitude /= 10) {
        holder h = {0};
        test_steps s;
        create_steps(&s, &e, &h, 1e-7);
        for (sn_local n = 0; n < e.tree->n_nodes; n++)
            if (!at_the_root(e.rest + 3 * n))
                s.state.v[3 * n + 1] = amplitude * 2 * SN_PI / period * pow(e.rest[3 * n], 2);
        for (int i = 1; i <= STEPS; i++)
            sn_stepper_advance(&s.stepper, period / 20 * i);
        CHECK(h.reset == 0, "%d steps of swings of %g failed", h.reset, amplitude);
        CHECK(h.committed == STEPS + 2, "%d steps", h.committed);
        test_steps_free(&s);
    }
    test_elastic_free(&e);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    static test_elastic e;
    const int cells[3] = {SIDE, SIDE, SIDE};
    test_elastic_create(&e, test_box_of_cells(cells, CELL), CELL, CELL, BLOCK, NULL);
    follows_its_recurrence(&e);
    test_elastic_free(&e);
    recurrence_has_second_order();
    tiny_swings_are_solved();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
