/* Two crossing beams that are thrown at each other: contact stops them and drives them apart again,
 * momentum stays, and the end is the same, bit for bit, on any number of ranks. Steps in which they
 * would pass through each other are cut. */
#include "contact/self/contacts.h"
#include "helpers/check.h"
#include "helpers/embedded.h"
#include "helpers/solver.h"

#include "base/exact_sum.h"
#include "model/masses.h"
#include "octree/positions.h"

#include <math.h>
#include <string.h>

static const double CELL = 0.05, STEP = 0.02, SPEED = 2;
static const double YOUNG = 4e5, POISSON = 0.4, DENSITY = 1000;
static const sn_self_collision SETTINGS = {.enabled = true,
                                           .law = {.pressure = NAN,
                                                   .stiffness = 12500,
                                                   .tangential_pressure = NAN,
                                                   .tangential_stiffness = 1250,
                                                   .friction = 0.2}};
static const double NO_GRAVITY[3];
enum { STEPS = 9 };

/* What the tests stand on: without it they can't go on. */
static void must(sn_status status)
{
    if (status != SN_OK)
        sn_abort(status, __FILE__, __LINE__, "%s", sn_failure_message());
}

typedef struct {
    sn_hierarchy forest;
    sn_octree *tree;
    sn_embedding embedding;
    sn_self_record_list memory;
    sn_self_contacts contacts;
    test_solver solver;
    sn_key *node_key;
    double *rest; /* field */
    double (*position)[3];
} crash;

/* ---- The bodies ---- */

/* One along x, one along z above it. */
static void add_beams(test_bodies *f)
{
    sn_mesh along = test_builtin("builtin:beam,length=0.8,height=0.2,width=0.2,detail=16");
    sn_mesh across = test_builtin("builtin:beam,length=0.8,height=0.2,width=0.2,detail=16");
    sn_box box = sn_mesh_bounds(&along);
    for (int64_t v = 0; v < across.n_vertices; v++) {
        const double *from = along.vertex[v];
        double *to = across.vertex[v];
        double centred[3];
        for (int d = 0; d < 3; d++)
            centred[d] = from[d] - (box.min[d] + box.max[d]) / 2;
        /* A quarter turn about y, and up; a little aside, so that nothing is symmetric. */
        to[0] = box.max[0] / 2 + centred[2] + 0.013;
        to[1] = (box.max[1] - box.min[1]) + 0.02 + centred[1];
        to[2] = (box.min[2] + box.max[2]) / 2 - centred[0] + 0.021;
    }
    test_bodies_add(f, along, true, CELL);
    test_bodies_add(f, across, true, CELL);
}

static double *filled(sn_local n, double value)
{
    double *values = SN_NEW(double, n);
    for (sn_local i = 0; i < n; i++)
        values[i] = value;
    return values;
}

static void open_crash(crash *c, const test_bodies *f, MPI_Comm comm)
{
    sn_hierarchy_options options = {.method = SN_PARTITION_CURVE, .octants_per_rank = 100};
    must(sn_hierarchy_create(comm, &f->bodies, f->view, &options, &c->forest));
    c->tree = &c->forest.level[0];
    must(sn_embedding_create(c->tree, f->view, &c->forest.parts, &c->embedding));
    c->position = SN_NEW(double[3], c->embedding.n);
    c->node_key = sn_octree_node_keys(c->tree);
    c->rest = sn_field_new_f64(c->tree);
    sn_octree_node_positions(c->tree, (double(*)[3])c->rest);
    must(sn_self_contacts_create(&SETTINGS, (double[]){YOUNG, YOUNG}, &c->embedding, &c->memory,
                                 &c->contacts));
    sn_local all = c->tree->n_elements + c->tree->n_ghost_elements;
    sn_law_parameters *parameters = SN_NEW(sn_law_parameters, all);
    for (sn_local e = 0; e < all; e++)
        parameters[e] =
            sn_law_parameters_of(SN_LAW_COROTATED, YOUNG, POISSON, SN_HOURGLASS_ASSUMED);
    double *density = filled(all, DENSITY), *mass = SN_NEW(double, c->tree->n_nodes);
    uint8_t *pinned = SN_NEW_ZERO(uint8_t, c->tree->n_nodes);
    sn_nodal_masses(c->tree, density, NULL, NULL, mass);
    test_solver_create(&c->solver, &c->forest, parameters, mass, pinned, SN_MULTIGRID_DEFAULTS);
    sn_free(parameters), sn_free(density), sn_free(mass), sn_free(pinned);
}

static void close_crash(crash *c)
{
    test_solver_free(&c->solver);
    sn_self_contacts_free(&c->contacts);
    sn_vector_free(&c->memory);
    sn_embedding_free(&c->embedding);
    sn_hierarchy_free(&c->forest);
    sn_free(c->node_key);
    sn_free(c->rest);
    sn_free(c->position);
}

/* ---- Contacts for the solver ---- */

static sn_status begin(void *context, double time, double *x)
{
    (void)time, (void)x;
    sn_self_contacts_reset(&((crash *)context)->contacts);
    return SN_OK;
}

static const double (*place_vertices(crash *c, const double *x))[3]
{
    sn_embedding_evaluate(&c->embedding, x, c->position);
    return (const double(*)[3])c->position;
}

static sn_status find(void *context, double time, const double *x, sn_spring_list *springs)
{
    (void)time;
    crash *c = context;
    return sn_self_contacts_find(&c->contacts, x, place_vertices(c, x), springs);
}

static sn_status check_way(void *context, const double *from, const double *x, bool *passed)
{
    (void)from;
    crash *c = context;
    return sn_self_contacts_check_way(&c->contacts, place_vertices(c, x), passed);
}

static sn_status commit(void *context, double time, const double *x)
{
    (void)time;
    crash *c = context;
    return sn_self_contacts_commit(&c->contacts, x, place_vertices(c, x));
}

static void reset(void *context, double time)
{
    (void)time;
    sn_self_contacts_reset(&((crash *)context)->contacts);
}

/* ---- The crash ---- */

static bool is_upper(const crash *c, sn_local node)
{
    return sn_key_body(c->node_key[node]) == 1;
}

/* Of all nodes, or of the upper beam's. */
static double momentum(const crash *c, const double *v, int axis, bool upper_only)
{
    sn_sum sum = {0};
    for (sn_local n = 0; n < c->tree->n_nodes; n++)
        if (!upper_only || is_upper(c, n))
            sn_sum_add(&sum, c->solver.finest.mass[n] * v[3 * n + axis]);
    sn_sum_allreduce(c->tree->comm, &sum, 1);
    return sn_sum_value(&sum);
}

static sn_source source_of(crash *c)
{
    return (sn_source){.context = c,
                       .begin = begin,
                       .find = find,
                       .check_way = check_way,
                       .commit = commit,
                       .reset = reset};
}

/* The beams on their way to each other. */
static void throw_beams(test_steps *s, crash *c, const sn_solver_settings *settings,
                        sn_source source)
{
    test_steps_create(s, &c->solver, settings, false, NULL, NO_GRAVITY, c->rest);
    sn_sources_add(&s->sources, source);
    for (sn_local n = 0; n < c->tree->n_nodes; n++)
        s->state.v[3 * n + 1] = is_upper(c, n) ? -SPEED : SPEED / 2;
}

typedef struct {
    uint64_t digest, state;
} outcome;

static outcome run_crash(const test_bodies *f, MPI_Comm comm)
{
    crash c = {0};
    open_crash(&c, f, comm);
    sn_source source = source_of(&c);
    sn_solver_settings settings = {.mode = SN_MODE_DYNAMIC,
                                   .integrator = SN_INTEGRATOR_BACKWARD_EULER,
                                   .newton = {.max = 30, .tolerance = 1e-7},
                                   .linear = {SN_LINEAR_MGPCG, .max = 100, .tolerance = 1e-4}};
    test_steps s;
    throw_beams(&s, &c, &settings, source);
    double before[3], falling = momentum(&c, s.state.v, 1, true), most = 0;
    for (int d = 0; d < 3; d++)
        before[d] = momentum(&c, s.state.v, d, false);
    int touched = 0;
    outcome o = {0};
    for (int step = 1; step <= STEPS; step++) {
        sn_step_result r = sn_stepper_advance(&s.stepper, step * STEP);
        CHECK(r.end == SN_STEP_CONVERGED, "step %d: end %d, residual %g", step, (int)r.end,
              r.residual);
        touched += c.contacts.deepest > 0;
        most = fmax(most, c.contacts.deepest);
        sn_info("step %d: %d newton, %d linear, residual %.1e, %.4f deep, upper momentum %.3f",
                step, r.iterations, r.inner, r.residual, c.contacts.deepest,
                momentum(&c, s.state.v, 1, true));
        if (step == STEPS / 2)
            o.state = sn_self_contacts_digest(&c.contacts);
    }
    CHECK(touched > 1 && most > 0.001 && most < CELL, "touched in %d steps, %g deep", touched,
          most);
    for (int d = 0; d < 3; d++) {
        double off = momentum(&c, s.state.v, d, false) - before[d];
        CHECK(fabs(off) < 1e-5 * fabs(falling), "momentum along %d changed by %g of %g", d, off,
              falling);
    }
    CHECK(momentum(&c, s.state.v, 1, true) > before[1] / 2, "they do not part");
    CHECK(c.contacts.memory->count == 0 && c.contacts.inside == 0, "still in contact");
    sn_field_fill_ghosts(c.tree, s.state.x);
    sn_embedding_evaluate(&c.embedding, s.state.x, c.position);
    o.digest = sn_embedding_digest(&c.embedding, (const double(*)[3])c.position);
    test_steps_free(&s);
    close_crash(&c);
    return o;
}

/* ---- Too fast ---- */

static double mean_height(const crash *c, const double *x, bool upper)
{
    sn_sum sums[2] = {0};
    for (sn_local n = 0; n < c->tree->n_nodes; n++)
        if (is_upper(c, n) == upper) {
            sn_sum_add(&sums[0], x[3 * n + 1]);
            sn_sum_add(&sums[1], 1);
        }
    sn_sum_allreduce(c->tree->comm, sums, 2);
    return sn_sum_value(&sums[0]) / sn_sum_value(&sums[1]);
}

/* In one step the beams would be past each other, or halfway through: it is cut until they meet. */
static void too_fast(const test_bodies *f, double step)
{
    crash c = {0};
    open_crash(&c, f, MPI_COMM_WORLD);
    sn_source source = source_of(&c);
    sn_solver_settings settings = {.mode = SN_MODE_DYNAMIC,
                                   .integrator = SN_INTEGRATOR_BACKWARD_EULER,
                                   .newton = {.max = 20, .tolerance = 1e-3},
                                   .linear = {SN_LINEAR_MGPCG, .max = 50, .tolerance = 1e-2}};
    test_steps s;
    throw_beams(&s, &c, &settings, source);
    sn_step_result r = sn_stepper_advance(&s.stepper, step);
    CHECK(r.end != SN_STEP_FAILED, "step of %g: end %d", step, (int)r.end);
    double apart = mean_height(&c, s.state.x, true) - mean_height(&c, s.state.x, false);
    CHECK(apart > 0.15, "a step of %g leaves %g between the beams", step, apart);
    test_steps_free(&s);
    close_crash(&c);
}

static void run(int argc, char **argv)
{
    int rank, size;
    (void)argc, (void)argv;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    test_bodies f = {0};
    add_beams(&f);
    too_fast(&f, 0.08); /* 0.24 closer: past the middle of the other */
    too_fast(&f, 0.3);  /* 0.9 */
    outcome all = run_crash(&f, MPI_COMM_WORLD);
    if (size > 1 && rank == 0) {
        outcome alone = run_crash(&f, MPI_COMM_SELF);
        CHECK(all.digest == alone.digest, "not the end that one rank has");
        CHECK(all.state == alone.state, "not the contacts that one rank has on the way");
    }
    test_bodies_free(&f);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
