/* Flesh in any state finds its shape again, and what cannot be solved is said and stays finite.
 *
 * The cube with every node thrown at random inside its box must come back to rest, with its
 * corners held and with nothing held; so must single elements that are turned inside out. Then
 * states that no solver can like: huge, flat, all in one point, not a number. */
#include "helpers/check.h"
#include "helpers/scene_text.h"

#include "octree/positions.h"
#include "shot/shot.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* clang-format off */
static const char cube[] =
    "gravity: [0, 0, 0]\n"
    "bodies: [{name: cube, mesh: 'builtin:cube,size=1', cell: 0.125, material: {young: 1.0e4, poisson: 0.4}}]\n"
    "solver: {mode: quasistatic, integrator: backward_euler, newton: {max: 200, tolerance: 1.0e-5}, linear: {max: 50, tolerance: 1.0e-2}}\n";
static const char corners[] =
    "pins:\n"
    "  - {name: a, body: cube, region: {sphere: {center: [-0.5, -0.5, -0.5], radius: 0.2}}}\n"
    "  - {name: b, body: cube, region: {sphere: {center: [0.5, -0.5, -0.5], radius: 0.2}}}\n"
    "  - {name: c, body: cube, region: {sphere: {center: [-0.5, 0.5, -0.5], radius: 0.2}}}\n"
    "  - {name: d, body: cube, region: {sphere: {center: [0.5, 0.5, -0.5], radius: 0.2}}}\n"
    "  - {name: e, body: cube, region: {sphere: {center: [-0.5, -0.5, 0.5], radius: 0.2}}}\n"
    "  - {name: f, body: cube, region: {sphere: {center: [0.5, -0.5, 0.5], radius: 0.2}}}\n"
    "  - {name: g, body: cube, region: {sphere: {center: [-0.5, 0.5, 0.5], radius: 0.2}}}\n"
    "  - {name: h, body: cube, region: {sphere: {center: [0.5, 0.5, 0.5], radius: 0.2}}}\n";
/* clang-format on */

static const double YOUNG = 1e4;
static const char *smaller; /* an override for slow builds, or NULL */

typedef struct {
    sn_scene scene;
    sn_shot shot;
    sn_octree *tree;
    double (*rest)[3];
} subject;

/* Made in place: a shot does not move. */
static void make(const char *more, subject *s)
{
    char all[4096];
    int length = snprintf(all, sizeof all, "%s%s", cube, more);
    sn_status status =
        read_scene_text(MPI_COMM_WORLD, all, (size_t)length, &smaller, smaller ? 1 : 0, &s->scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    status = sn_shot_create(MPI_COMM_WORLD, &s->scene, &s->shot);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    s->tree = &s->shot.model.forest.level[0];
    s->rest = SN_NEW(double[3], s->tree->n_nodes + s->tree->n_ghost_nodes);
    sn_octree_node_positions(s->tree, s->rest);
}

static void free_subject(subject *s)
{
    sn_free(s->rest);
    sn_shot_free(&s->shot);
    sn_scene_free(&s->scene);
}

/* A number of a node's own, the same on any ranks. */
static double random_of(sn_key key, int which)
{
    unsigned long long state = (key * 3 + (unsigned)which) * 0x9e3779b97f4a7c15ull;
    for (int i = 0; i < 4; i++)
        test_random(&state);
    return test_random(&state);
}

static void throw_nodes(subject *s, int seed, double *x)
{
    sn_key *key = sn_octree_node_keys(s->tree);
    for (sn_local i = 0; i < s->tree->n_nodes; i++)
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = random_of(key[i], 3 * seed + d) - 0.5;
    sn_free(key);
}

static sn_frame_row solve(subject *s)
{
    sn_frame_row row;
    sn_status status = sn_shot_advance(&s->shot, s->scene.frames.first, &row);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    return row;
}

static void check_at_rest(const char *what, const sn_frame_row *row)
{
    CHECK(row->residual <= 1e-5, "%s: residual %g", what, row->residual);
    CHECK(row->inverted == 0, "%s: %d inverted", what, (int)row->inverted);
    CHECK(fabs(row->min_det_f - 1) < 1e-3, "%s: least det F %g", what, row->min_det_f);
    CHECK(row->elastic_energy < 1e-8 * YOUNG, "%s: energy %g", what, row->elastic_energy);
    CHECK(fabs(row->volume - 1) < 1e-3, "%s: volume %.9g", what, row->volume);
}

static void thrown_nodes_return(const char *what, const char *pins)
{
    subject s;
    make(pins, &s);
    throw_nodes(&s, 0, s.shot.state.nodes.x);
    sn_frame_row row = solve(&s);
    check_at_rest(what, &row);
    double most = 0;
    for (sn_local i = 0; i < s.tree->n_nodes && pins[0]; i++)
        for (int d = 0; d < 3; d++)
            most = fmax(most, fabs(s.shot.state.nodes.x[3 * i + d] - s.rest[i][d]));
    CHECK(most < 1e-4, "%s: a node is %g away", what, most);
    free_subject(&s);
}

/* Balance without inertia or springs. */
static sn_step_result minimise(subject *s, double *x)
{
    sn_structure *built = &s->shot.built;
    sn_potential_terms terms = {0};
    memcpy(terms.gravity, built->stepper.parts.gravity, sizeof terms.gravity);
    sn_potential potential = sn_potential_create(&built->system, NULL, &terms);
    sn_step_result result = built->method.minimise(built->method.context, &potential, x);
    sn_potential_free(&potential);
    return result;
}

/* However often it is thrown, multigrid never has to be given up on the way back. */
static void cycles_never_break_down(const char *what, const char *pins)
{
    enum { THROWS = 3 };
    subject s;
    make(pins, &s);
    double *x = sn_field_new_f64(s.tree);
    for (int seed = 1; seed <= THROWS; seed++) {
        throw_nodes(&s, seed, x);
        CHECK(sn_sources_begin(&s.shot.built.sources, 0, x) == SN_OK, "%s", sn_failure_message());
        sn_step_result result = minimise(&s, x);
        CHECK(result.end == SN_STEP_CONVERGED, "%s, throw %d: residual %g", what, seed,
              result.residual);
        CHECK(result.breakdowns == 0, "%s, throw %d: %d cycles broke down", what, seed,
              result.breakdowns);
    }
    sn_free(x);
    free_subject(&s);
}

/* Turns the finest cells about a point inside out: their nodes through their common centre. */
static void invert_cells(subject *s, const double point[3], int cells)
{
    double(*at)[3] = (double(*)[3])s->shot.state.nodes.x;
    const sn_body *grid = &s->tree->bodies->body[0];
    double center[3];
    for (int d = 0; d < 3; d++)
        center[d] = grid->origin[d] +
                    grid->cell * (floor((point[d] - grid->origin[d]) / grid->cell) + 0.5 * cells);
    for (sn_local i = 0; i < s->tree->n_nodes; i++) {
        double away = 0;
        for (int d = 0; d < 3; d++)
            away = fmax(away, fabs(s->rest[i][d] - center[d]));
        for (int d = 0; d < 3 && away <= 0.51 * cells * grid->cell; d++)
            at[i][d] = 2 * center[d] - s->rest[i][d];
    }
}

/* How many elements are inverted where the nodes are now. */
static int64_t inverted_now(subject *s)
{
    return sn_operator_update(&s->shot.built.system.op, s->shot.state.nodes.x, NULL).inverted;
}

static void inverted_elements_recover(const char *what, const double point[3], int cells)
{
    subject s;
    make(corners, &s);
    invert_cells(&s, point, cells);
    CHECK(inverted_now(&s) > 0, "%s: nothing is inverted at first", what);
    sn_frame_row row = solve(&s);
    check_at_rest(what, &row);
    free_subject(&s);
}

typedef void placement(const double rest[3], double x[3]);

static void in_one_point(const double rest[3], double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = 0.1 + 0 * rest[d];
}

static void flat(const double rest[3], double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = d < 2 ? rest[d] : 0;
}

static void mirrored(const double rest[3], double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = d < 2 ? rest[d] : -rest[d];
}

static void large(const double rest[3], double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = 1e6 * rest[d];
}

static void huge(const double rest[3], double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = 1e100 * rest[2 - d];
}

static void beyond_all(const double rest[3], double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = copysign(DBL_MAX, rest[d]);
}

static bool all_finite(const subject *s)
{
    int finite = 1;
    for (sn_local i = 0; i < 3 * s->tree->n_nodes; i++)
        finite = finite && isfinite(s->shot.state.nodes.x[i]);
    MPI_Allreduce(MPI_IN_PLACE, &finite, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return finite;
}

/* Solved or not, what comes out is finite; what is said to be solved is at rest. */
static void nothing_gets_lost(const char *what, placement *place, bool must_recover)
{
    subject s;
    make(corners, &s);
    for (sn_local i = 0; i < s.tree->n_nodes; i++)
        place(s.rest[i], s.shot.state.nodes.x + 3 * i);
    sn_frame_row row;
    sn_status status = sn_shot_advance(&s.shot, s.scene.frames.first, &row);
    CHECK(all_finite(&s), "%s: positions are not finite", what);
    CHECK(status == SN_OK || status == SN_INACCURATE, "%s: status %d", what, (int)status);
    CHECK(status == SN_OK || !must_recover, "%s: %s", what, sn_failure_message());
    if (must_recover)
        check_at_rest(what, &row);
    free_subject(&s);
}

/* Newton's method itself, with positions that are not numbers to start from: it says so. */
static void not_a_number_is_a_failure(void)
{
    subject s;
    make(corners, &s);
    double *x = sn_field_new_f64(s.tree);
    for (sn_local i = 0; i < 3 * s.tree->n_nodes; i++)
        x[i] = NAN;
    sn_step_result result = minimise(&s, x);
    CHECK(result.end == SN_STEP_FAILED, "end %d", (int)result.end);
    sn_free(x);
    sn_frame_row row = solve(&s);
    check_at_rest("after a failure", &row);
    free_subject(&s);
}

/* A source of its own: moves pins as the shot's does, but no step may be longer than this. */
typedef struct {
    sn_shot *shot;
    sn_source pins;
    double longest;
    int calls;
} short_steps;

static sn_status move_or_fail(void *context, double time, double *x)
{
    short_steps *c = context;
    c->calls++;
    SN_TRY(c->pins.begin(c->pins.context, time, x));
    bool too_long = time - c->shot->state.nodes.time > c->longest;
    for (sn_local i = 0; i < c->shot->built.pins.n_pinned && too_long; i++)
        x[3 * c->shot->built.pins.node[i]] = NAN;
    return SN_OK;
}

static const char slow_frames[] = "frames: {first: 7, last: 9, fps: 1}\n";

static void make_short_steps(sn_solver_mode mode, double longest, subject *s, short_steps *steps)
{
    char more[2048];
    snprintf(more, sizeof more, "%s%s", slow_frames, corners);
    make(more, s);
    s->scene.solver.mode = s->shot.built.stepper.parts.mode = mode;
    (void)solve(s);
    sn_source *pins = &s->shot.built.sources.source[0];
    *steps = (short_steps){&s->shot, *pins, longest, 0};
    *pins = (sn_source){.context = steps, .begin = move_or_fail};
}

/* One second fails, and so does a half; two quarters and the same again succeed. */
static void failed_steps_are_cut(const char *what, sn_solver_mode mode)
{
    subject s;
    short_steps steps;
    make_short_steps(mode, 0.3, &s, &steps);
    sn_frame_row row;
    sn_status status = sn_shot_advance(&s.shot, 8, &row);
    CHECK(status == SN_OK, "%s: %s", what, sn_failure_message());
    CHECK(steps.calls == 7, "%s: %d steps were tried", what, steps.calls);
    CHECK(s.shot.state.nodes.time == 1, "%s: the time is %g", what, s.shot.state.nodes.time);
    CHECK(all_finite(&s), "%s: positions are not finite", what);
    check_at_rest(what, &row);
    free_subject(&s);
}

static void a_frame_that_cannot_be_saved_is_named(const char *what, sn_solver_mode mode)
{
    subject s;
    short_steps steps;
    make_short_steps(mode, 0.001, &s, &steps);
    sn_frame_row row;
    sn_status status = sn_shot_advance(&s.shot, 8, &row);
    CHECK(status == SN_INACCURATE, "%s: status %d", what, (int)status);
    CHECK(strstr(sn_failure_message(), "frame 8 "), "%s: %s", what, sn_failure_message());
    CHECK(steps.calls == 1 + SN_MOST_STEP_HALVINGS, "%s: %d steps", what, steps.calls);
    CHECK(s.shot.state.nodes.time == 0, "%s: the time is %g", what, s.shot.state.nodes.time);
    CHECK(all_finite(&s), "%s: positions are not finite", what);
    CHECK(row.inverted == 0 && row.elastic_energy < 1e-8 * YOUNG,
          "%s: the row has the last good state, not energy %g", what, row.elastic_energy);
    free_subject(&s);
}

static void run(int argc, char **argv)
{
    (void)argv;
    smaller = argc > 1 ? "bodies.cube.cell=0.2" : NULL;
    thrown_nodes_return("corners held", corners);
    thrown_nodes_return("nothing held", "");
    cycles_never_break_down("corners held", corners);
    cycles_never_break_down("nothing held", "");
    inverted_elements_recover("one element of a side", (double[3]){0, 0, -0.48}, 1);
    inverted_elements_recover("one element of an edge", (double[3]){0, -0.48, -0.48}, 1);
    inverted_elements_recover("many elements", (double[3]){-0.2, -0.2, -0.48}, 3);
    nothing_gets_lost("in one point", in_one_point, true);
    nothing_gets_lost("flat", flat, true);
    nothing_gets_lost("mirrored", mirrored, true);
    nothing_gets_lost("large", large, true);
    nothing_gets_lost("huge", huge, true);
    nothing_gets_lost("beyond all", beyond_all, false);
    not_a_number_is_a_failure();
    failed_steps_are_cut("dynamic", SN_MODE_DYNAMIC);
    failed_steps_are_cut("quasistatic", SN_MODE_QUASISTATIC);
    a_frame_that_cannot_be_saved_is_named("dynamic", SN_MODE_DYNAMIC);
    a_frame_that_cannot_be_saved_is_named("quasistatic", SN_MODE_QUASISTATIC);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
