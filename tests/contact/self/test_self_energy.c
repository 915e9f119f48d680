/* Flesh that hits flesh makes no energy and no sideways push: sharp boxes, wedges, edges and
 * corners are thrown at each other without damping. Energy, that of contacts included, is never
 * above what it was at the start, and with friction it only falls; momentum is kept; boxes that are
 * mirror images bounce off without going aside. */
#include "contact/self/contacts.h"
#include "contact/surface.h"
#include "helpers/check.h"
#include "helpers/embedded.h"
#include "helpers/solver.h"

#include "base/exact_sum.h"
#include "model/masses.h"
#include "octree/positions.h"

#include <math.h>
#include <string.h>

static const double CELL = 0.1, YOUNG = 1e5, POISSON = 0.4, DENSITY = 1000;
static const double HALF = 0.2, GAP = 0.02; /* of the boxes, and between them */
static const double NO_GRAVITY[3];
static const double MOST_ENERGY = 1.005, MOST_RISE = 1e-3, MOST_MOMENTUM = 1e-9;

/* What the tests stand on: without it they can't go on. */
static void must(sn_status status)
{
    if (status != SN_OK)
        sn_abort(status, __FILE__, __LINE__, "%s", sn_failure_message());
}

/* ---- Shapes ---- */

static sn_mesh moved(sn_mesh m, double x, double y, double z)
{
    for (int64_t v = 0; v < m.n_vertices; v++) {
        m.vertex[v][0] += x;
        m.vertex[v][1] += y;
        m.vertex[v][2] += z;
    }
    return m;
}

/* Around the origin. */
static sn_mesh centred(sn_mesh m)
{
    sn_box b = sn_mesh_bounds(&m);
    return moved(m, -(b.min[0] + b.max[0]) / 2, -(b.min[1] + b.max[1]) / 2,
                 -(b.min[2] + b.max[2]) / 2);
}

static sn_mesh box(void)
{
    return centred(test_builtin("builtin:cube,size=0.4,detail=6"));
}

/* Of twelve triangles, whose edges are four cells long and more. */
static sn_mesh coarse_box(void)
{
    return centred(test_builtin("builtin:cube,size=0.4,detail=1"));
}

/* In degrees, about a line through the origin. */
static sn_mesh turned(sn_mesh m, sn_vec axis, double degrees)
{
    sn_vec k = sn_vec_unit(axis);
    double a = degrees * acos(-1) / 180;
    for (int64_t v = 0; v < m.n_vertices; v++) {
        sn_vec p = sn_vec_load(m.vertex[v]);
        sn_vec q = sn_vec_add(sn_vec_scale(p, cos(a)), sn_vec_scale(sn_vec_cross(k, p), sin(a)));
        q = sn_vec_add(q, sn_vec_scale(k, sn_vec_dot(k, p) * (1 - cos(a))));
        sn_vec_store(q, m.vertex[v]);
    }
    return m;
}

/* Narrow towards x. */
static sn_mesh wedge(void)
{
    sn_mesh m = box();
    for (int64_t v = 0; v < m.n_vertices; v++)
        m.vertex[v][1] *= 0.55 - 2 * m.vertex[v][0];
    return m;
}

static sn_mesh mirrored(sn_mesh m)
{
    for (int64_t v = 0; v < m.n_vertices; v++)
        m.vertex[v][0] = -m.vertex[v][0];
    for (int64_t t = 0; t < m.n_triangles; t++) {
        int32_t corner = m.triangle[t][1];
        m.triangle[t][1] = m.triangle[t][2];
        m.triangle[t][2] = corner;
    }
    return m;
}

static const sn_vec ALONG_Y = {0, 1, 0}, ALONG_Z = {0, 0, 1};

static void add(test_bodies *f, sn_mesh left, sn_mesh right)
{
    test_bodies_add(f, left, true, CELL);
    test_bodies_add(f, right, true, CELL);
}

static void boxes_with_offset(test_bodies *f)
{
    add(f, moved(box(), -HALF - GAP, 0, 0), moved(box(), HALF + GAP, 0.173, 0.061));
}

static void mirrored_boxes(test_bodies *f)
{
    add(f, moved(box(), -HALF - GAP, 0, 0), mirrored(moved(box(), -HALF - GAP, 0, 0)));
}

static void wedges(test_bodies *f)
{
    add(f, moved(wedge(), -HALF - GAP, 0, 0), moved(mirrored(wedge()), HALF + GAP, 0.03, 0.02));
}

static void edge_on_edge(test_bodies *f)
{
    double reach = sqrt(2) * HALF + GAP;
    add(f, moved(turned(box(), ALONG_Z, 45), -reach, 0, 0),
        moved(turned(box(), ALONG_Y, 45), reach, 0.013, 0.021));
}

static void edge_on_edge_of_coarse(test_bodies *f)
{
    double reach = sqrt(2) * HALF + GAP;
    add(f, moved(turned(coarse_box(), ALONG_Z, 45), -reach, 0, 0),
        moved(turned(coarse_box(), ALONG_Y, 45), reach, 0.013, 0.021));
}

static void corner_on_face(test_bodies *f)
{
    sn_mesh on_corner = turned(turned(box(), ALONG_Z, 45), ALONG_Y, 35.264389682754654);
    add(f, moved(on_corner, -sqrt(3) * HALF - GAP, 0, 0), moved(box(), HALF + GAP, 0.013, 0.021));
}

/* ---- The bodies in motion ---- */

typedef struct {
    test_bodies bodies;
    sn_self_collision settings;
    sn_hierarchy forest;
    sn_octree *tree;
    sn_embedding embedding;
    sn_contact_surface surface;
    sn_self_record_list memory;
    sn_self_contacts contacts;
    test_solver solver;
    test_steps steps;
    sn_key *node_key;
    double *rest; /* field */
    double (*position)[3];
} crash;

static const double (*place_vertices(crash *c, const double *x))[3]
{
    sn_embedding_evaluate(c->surface.embedding, x, c->position);
    return (const double(*)[3])c->position;
}

static void reset(void *context, double time)
{
    (void)time;
    sn_self_contacts_reset(&((crash *)context)->contacts);
}

static sn_status begin(void *context, double time, double *x)
{
    (void)x;
    reset(context, time);
    return SN_OK;
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

static void create_solver(crash *c)
{
    sn_local all = c->tree->n_elements + c->tree->n_ghost_elements;
    sn_law_parameters *parameters = SN_NEW(sn_law_parameters, all);
    double *density = SN_NEW(double, all), *mass = SN_NEW(double, c->tree->n_nodes);
    uint8_t *pinned = SN_NEW_ZERO(uint8_t, c->tree->n_nodes);
    for (sn_local e = 0; e < all; e++) {
        parameters[e] =
            sn_law_parameters_of(SN_LAW_COROTATED, YOUNG, POISSON, SN_HOURGLASS_ASSUMED);
        density[e] = DENSITY;
    }
    sn_nodal_masses(c->tree, density, NULL, NULL, mass);
    test_solver_create(&c->solver, &c->forest, parameters, mass, pinned, SN_MULTIGRID_DEFAULTS);
    sn_free(parameters), sn_free(density), sn_free(mass), sn_free(pinned);
}

static void create_steps(crash *c, sn_integrator integrator)
{
    sn_solver_settings settings = {.mode = SN_MODE_DYNAMIC,
                                   .integrator = integrator,
                                   .newton = {.max = 60, .tolerance = 1e-8},
                                   .linear = {SN_LINEAR_MGPCG, .max = 100, .tolerance = 1e-4}};
    test_steps_create(&c->steps, &c->solver, &settings, false, NULL, NO_GRAVITY, c->rest);
    sn_sources_add(&c->steps.sources, (sn_source){.context = c,
                                                  .begin = begin,
                                                  .find = find,
                                                  .check_way = check_way,
                                                  .commit = commit,
                                                  .reset = reset});
    for (sn_local n = 0; n < c->tree->n_nodes; n++)
        c->steps.state.v[3 * n] = sn_key_body(c->node_key[n]) == 0 ? 1 : -1;
}

static void open_crash(crash *c, void (*add_bodies)(test_bodies *), sn_integrator integrator,
                       double friction)
{
    sn_hierarchy_options options = {.method = SN_PARTITION_CURVE, .octants_per_rank = 100};
    *c = (crash){.settings = {.enabled = true,
                              .law = {.pressure = SN_PRESSURE_AUTO,
                                      .stiffness = NAN,
                                      .tangential_pressure = NAN,
                                      .tangential_stiffness = NAN,
                                      .friction = friction}}};
    add_bodies(&c->bodies);
    must(sn_hierarchy_create(MPI_COMM_WORLD, &c->bodies.bodies, c->bodies.view, &options,
                             &c->forest));
    c->tree = &c->forest.level[0];
    must(sn_embedding_create(c->tree, c->bodies.view, &c->forest.parts, &c->embedding));
    must(sn_contact_surface_create(&c->embedding, &c->surface));
    c->position = SN_NEW(double[3], c->surface.embedding->n);
    c->node_key = sn_octree_node_keys(c->tree);
    c->rest = sn_field_new_f64(c->tree);
    sn_octree_node_positions(c->tree, (double(*)[3])c->rest);
    must(sn_self_contacts_create(&c->settings, (double[]){YOUNG, YOUNG}, c->surface.embedding,
                                 &c->memory, &c->contacts));
    create_solver(c);
    create_steps(c, integrator);
}

static void close_crash(crash *c)
{
    test_steps_free(&c->steps);
    test_solver_free(&c->solver);
    sn_self_contacts_free(&c->contacts);
    sn_vector_free(&c->memory);
    sn_contact_surface_free(&c->surface);
    sn_embedding_free(&c->embedding);
    sn_hierarchy_free(&c->forest);
    sn_free(c->node_key);
    sn_free(c->rest);
    sn_free(c->position);
    test_bodies_free(&c->bodies);
}

/* ---- What is kept ---- */

/* Of the left body, or of both. */
static double momentum(const crash *c, int axis, bool both)
{
    sn_sum sum = {0};
    for (sn_local n = 0; n < c->tree->n_nodes; n++)
        if (both || sn_key_body(c->node_key[n]) == 0)
            sn_sum_add(&sum, c->solver.finest.mass[n] * c->steps.state.v[3 * n + axis]);
    sn_sum_allreduce(c->tree->comm, &sum, 1);
    return sn_sum_value(&sum);
}

static double energy(crash *c)
{
    double *x = c->steps.state.x;
    return sn_state_kinetic_energy(&c->steps.state, c->tree, c->solver.finest.mass) +
           sn_system_inspect(&c->solver.finest, x).energy +
           sn_system_spring_energy(&c->solver.finest, x);
}

typedef struct {
    const char *name;
    void (*add_bodies)(test_bodies *);
    double friction;
    double aside; /* at most, of the momentum along x that the left body begins with */
} trial;

static const double SECONDS = 0.1; /* they touch, and most begin to part */

static void throw_them(const trial *t, double rate, sn_integrator integrator)
{
    crash c;
    open_crash(&c, t->add_bodies, integrator, t->friction);
    double start = energy(&c), last = start, most = 0, rise = 0, deepest = 0,
           along = momentum(&c, 0, false), lost = 0;
    double before[3] = {momentum(&c, 0, true)};
    for (int step = 1; step <= SECONDS * rate; step++) {
        sn_step_result r = sn_stepper_advance(&c.steps.stepper, step / rate);
        CHECK(r.end == SN_STEP_CONVERGED, "%s: step %d, residual %g", t->name, step, r.residual);
        CHECK(r.breakdowns == 0, "%s: step %d, %d cycles broke down", t->name, step, r.breakdowns);
        double now = energy(&c);
        most = fmax(most, now / start);
        rise = fmax(rise, (now - last) / start);
        last = now;
        deepest = fmax(deepest, c.contacts.deepest);
    }
    CHECK(deepest > 0 && deepest < CELL, "%s at %g: %g deep", t->name, rate, deepest);
    CHECK(most <= MOST_ENERGY, "%s at %g: energy rises to %g", t->name, rate, most);
    CHECK(t->friction == 0 || rise <= MOST_RISE, "%s at %g: it rises by %g", t->name, rate, rise);
    for (int axis = 0; axis < 3; axis++)
        lost = fmax(lost, fabs(momentum(&c, axis, true) - before[axis]) / along);
    CHECK(lost <= MOST_MOMENTUM, "%s at %g: momentum changes by %g", t->name, rate, lost);
    double aside = fmax(fabs(momentum(&c, 1, false)), fabs(momentum(&c, 2, false))) / along;
    CHECK(aside <= t->aside, "%s at %g: %g goes aside", t->name, rate, aside);
    sn_info("%s at %g: energy %g, rises by %g, aside %g, momentum %g", t->name, rate, most, rise,
            aside, lost);
    close_crash(&c);
}

static void run(int argc, char **argv)
{
    static const trial TRIALS[] = {
        {"boxes with an offset", boxes_with_offset, 0, 1},
        {"mirrored boxes", mirrored_boxes, 0, 1e-4}, /* weights are rounded to 1e-7 */
        {"wedges", wedges, 0, 1},
        {"edge on edge", edge_on_edge, 0, 1},
        {"edge on edge, of few triangles", edge_on_edge_of_coarse, 0, 1},
        {"corner on face", corner_on_face, 0, 1},
        {"boxes that rub", boxes_with_offset, 0.3, 1},
        {"edges that rub", edge_on_edge, 0.5, 1},
        {"a corner that rubs", corner_on_face, 0.5, 1},
    };
    (void)argv;
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bool few = argc > 1 || size > 1; /* more ranks have the same bits, as other tests show */
    for (size_t i = 0; i < sizeof TRIALS / sizeof *TRIALS; i++) {
        throw_them(&TRIALS[i], 24, SN_INTEGRATOR_BACKWARD_EULER);
        for (double rate = 96; rate < 400 && !few; rate *= 4)
            throw_them(&TRIALS[i], rate, SN_INTEGRATOR_BDF2);
    }
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
