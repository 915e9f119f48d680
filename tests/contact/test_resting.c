/* Flesh on a floor: a ball that is dropped comes to rest with the penetration that its weight and
 * the collider's stiffness give; a block on an incline sticks below the angle of friction and
 * slides above it with the acceleration of Coulomb's law; a plate that hits a ball at speed takes
 * it along; and all of it has the same bits on any number of ranks and threads. */
#include "helpers/check.h"
#include "helpers/scene_text.h"
#include "helpers/solver.h"

#include "base/array.h"
#include "base/digest.h"
#include "base/exact_sum.h"
#include "contact/contacts.h"
#include "model/masses.h"
#include "model/materials.h"
#include "model/model.h"
#include "model/pins.h"
#include "octree/positions.h"

#include <math.h>
#include <omp.h>
#include <string.h>

static const double FPS = 24;

typedef struct {
    sn_scene scene;
    sn_model model;
    sn_materials materials;
    sn_pins pins;
    test_solver solver;
    test_steps steps;
    sn_embedding embedding;
    sn_contact_memory memory;
    sn_contacts contacts;
    double *rest, *damping;
    double mass;
} flesh;

static void must(sn_status status)
{
    if (status != SN_OK)
        sn_abort(status, __FILE__, __LINE__, "%s", sn_failure_message());
}

static double mass_sum(const flesh *f, const double *field, int axis)
{
    sn_sum sum = {0};
    for (sn_local n = 0; n < f->contacts.colliders.tree->n_nodes; n++)
        sn_sum_add(&sum, f->solver.finest.mass[n] * (field ? field[3 * n + axis] : 1));
    sn_sum_allreduce(f->contacts.colliders.tree->comm, &sum, 1);
    return sn_sum_value(&sum);
}

static void create(flesh *f, MPI_Comm comm, const char *text)
{
    memset(f, 0, sizeof *f);
    must(read_scene_text(comm, text, strlen(text), NULL, 0, &f->scene));
    must(sn_model_create(comm, &f->scene, &f->model));
    sn_octree *tree = &f->model.forest.level[0];
    must(sn_materials_create(&f->scene, &f->model, &f->materials));
    must(sn_pins_create(&f->scene, &f->model, &f->pins));
    double *mass = SN_NEW(double, tree->n_nodes);
    double *density = sn_materials_of_all(&f->materials, SN_MATERIAL_DENSITY);
    sn_nodal_masses(tree, density, f->materials.fraction, f->materials.centroid, mass);
    test_solver_create(&f->solver, &f->model.forest, f->materials.parameters, mass, f->pins.pinned,
                       SN_MULTIGRID_DEFAULTS);
    sn_free(mass), sn_free(density);
    f->damping = sn_materials_of_all(&f->materials, SN_MATERIAL_DAMPING);
    f->rest = sn_field_new_f64(tree);
    sn_octree_node_positions(tree, (double(*)[3])f->rest);
    test_steps_create(&f->steps, &f->solver, &f->scene.solver, true, f->damping, f->scene.gravity,
                      f->rest);
    must(sn_embedding_create(tree, f->model.solid, &f->model.forest.parts, &f->embedding));
    sn_contact_parts contact = {.colliders = f->scene.colliders.data,
                                .n_colliders = f->scene.colliders.count,
                                .flesh = &f->scene.self_collision,
                                .frames = &f->scene.frames,
                                .origin = &f->scene.origin,
                                .young = &f->scene.bodies.data[0].material.young};
    must(sn_contacts_create(&contact, tree, &f->embedding, &f->memory, &f->contacts));
    must(sn_contacts_start(&f->contacts, 0, f->steps.state.x));
    sn_sources_add(&f->steps.sources, sn_contacts_source(&f->contacts));
    f->mass = mass_sum(f, NULL, 0);
}

static void destroy(flesh *f)
{
    sn_contacts_free(&f->contacts);
    sn_contact_memory_free(&f->memory);
    sn_embedding_free(&f->embedding);
    test_steps_free(&f->steps);
    test_solver_free(&f->solver);
    sn_pins_free(&f->pins);
    sn_materials_free(&f->materials);
    sn_model_free(&f->model);
    sn_free(f->rest), sn_free(f->damping);
    sn_scene_free(&f->scene);
}

static void advance(flesh *f, int steps, double frames)
{
    for (int i = 0; i < steps; i++) {
        sn_step_result r =
            sn_stepper_advance(&f->steps.stepper, f->steps.state.time + frames / FPS);
        CHECK(r.end != SN_STEP_FAILED && r.status == SN_OK, "step %d: %d", i, (int)r.end);
    }
}

static double velocity(const flesh *f, int axis)
{
    return mass_sum(f, f->steps.state.v, axis) / f->mass;
}

/* How hard the contacts of the state at rest push up from a floor, and the area of those that do,
 * in faces of finest cells. */
static double push_of_floor(const flesh *f, double floor, double *faces)
{
    const sn_colliders *c = &f->contacts.colliders;
    double cell = f->scene.bodies.data[0].cell;
    sn_sum sum[2];
    memset(sum, 0, sizeof sum);
    for (size_t i = 0; i < f->embedding.n; i++) {
        double depth = floor - c->before[i][1];
        if (!(depth > 0))
            continue;
        double here = f->memory.colliders.data[c->first[i]].area / (cell * cell);
        sn_sum_add(&sum[0], f->scene.colliders.data[0].law.stiffness * here * depth);
        sn_sum_add(&sum[1], here);
    }
    sn_sum_allreduce(c->tree->comm, sum, 2);
    *faces = sn_sum_value(&sum[1]);
    return sn_sum_value(&sum[0]);
}

#define SOLVER                                                                                     \
    "solver: {integrator: backward_euler, newton: {max: 12, tolerance: 1e-5},\n"                   \
    "  linear: {max: 60, tolerance: 1e-3}}\n"

/* ---- Rest ---- */

static void ball_is_dropped(void)
{
    flesh f;
    create(&f, MPI_COMM_WORLD,
           "frames: {first: 0, last: 100}\n"
           "bodies: [{name: a, mesh: 'builtin:sphere,radius=0.5,detail=8', cell: 0.12,\n"
           "  material: {young: 1e5, poisson: 0.3, damping: 0.04}}]\n"
           "colliders: [{name: floor, shape: {plane: {point: [0, -0.52, 0], normal: [0, 1, 0]}},\n"
           "  stiffness: 14400}]\n" SOLVER);
    advance(&f, 40, 1);
    double faces, push = push_of_floor(&f, -0.52, &faces), weight = 9.81 * f.mass;
    sn_penetration worst = sn_colliders_worst(&f.contacts.colliders);
    sn_info("ball: pushed by %.6g, weight %.6g, %.4g deep, speed %.2g", push, weight, worst.depth,
            velocity(&f, 1));
    CHECK(fabs(push - weight) < 0.01 * weight, "pushed by %g, weight %g", push, weight);
    CHECK(worst.depth > weight / (14400 * faces) && worst.depth < 5 * weight / (14400 * faces),
          "%g deep, mean %g", worst.depth, weight / (14400 * faces));
    CHECK(fabs(worst.position[1] + worst.depth + 0.52) < 1e-12, "the depth is that of its place");
    destroy(&f);
}

/* A stiff block stands evenly: everywhere as deep as its weight over the pressure for a unit of
 * depth and the area of its lower side, whether that is cut into few triangles or many. */
static void block_stands(int detail)
{
    char text[1024];
    snprintf(text, sizeof text,
             "frames: {first: 0, last: 100}\n"
             "bodies: [{name: a, mesh: 'builtin:cube,x=0.39,y=0.19,z=0.39,detail=%d', cell: 0.05,\n"
             "  material: {young: 1e9, poisson: 0}}]\n"
             "colliders: [{name: floor, shape: {plane: {point: [0, -0.1, 0], normal: [0, 1, 0]}},\n"
             "  pressure: 1e6}]\n" SOLVER,
             detail);
    flesh f;
    create(&f, MPI_COMM_WORLD, text);
    advance(&f, 16, 1);
    double expected = 9.81 * f.mass / (1e6 * 0.39 * 0.39);
    sn_penetration worst = sn_colliders_worst(&f.contacts.colliders);
    sn_info("block cut %d times: %.6g deep, expected %.6g", detail, worst.depth, expected);
    CHECK(fabs(worst.depth - expected) < 0.01 * expected, "%g deep, expected %g", worst.depth,
          expected);
    destroy(&f);
}

/* ---- The incline ---- */

/* Gravity is turned instead of the floor. */
static const double FRICTION = 0.5, GRAVITY = 9.81;

static void incline(double of_the_angle)
{
    char text[2048];
    double angle = of_the_angle * atan(FRICTION);
    snprintf(
        text, sizeof text,
        "frames: {first: 0, last: 100}\n"
        "gravity: [%.17g, %.17g, 0]\n"
        "bodies: [{name: a, mesh: 'builtin:cube,x=0.39,y=0.13,z=0.26,detail=6', cell: 0.066,\n"
        "  material: {young: 3e5, poisson: 0.3}}]\n"
        "colliders: [{name: floor, shape: {plane: {point: [0, -0.0651, 0], normal: [0, 1, 0]}},\n"
        "  stiffness: 4356, tangential_stiffness: 4356, friction: %.17g}]\n" SOLVER,
        GRAVITY * sin(angle), -GRAVITY * cos(angle), FRICTION);
    flesh f;
    create(&f, MPI_COMM_WORLD, text);
    advance(&f, 12, 0.5);
    double from = mass_sum(&f, f.steps.state.x, 0) / f.mass, speed = velocity(&f, 0);
    enum { STEPS = 10 };
    advance(&f, STEPS, 0.5);
    double way = mass_sum(&f, f.steps.state.x, 0) / f.mass - from, now = velocity(&f, 0);
    double acceleration = (now - speed) / (STEPS * 0.5 / FPS);
    double expected = GRAVITY * (sin(angle) - FRICTION * cos(angle));
    sn_info("incline at %.4g of the angle: way %.4g, speed %.4g, acceleration %.4g", of_the_angle,
            way, now, acceleration);
    if (of_the_angle < 1)
        CHECK(fabs(way) < 1e-4 && fabs(now) < 1e-3, "goes on by %g, at %g", way, now);
    else
        CHECK(fabs(acceleration - expected) < 0.05 * expected, "acceleration %g, expected %g",
              acceleration, expected);
    destroy(&f);
}

/* ---- The same bits ---- */

static uint64_t hit(MPI_Comm comm, int threads)
{
    flesh f;
    omp_set_num_threads(threads);
    create(
        &f, comm,
        "frames: {first: 0, last: 8}\n"
        "bodies: [{name: a, mesh: 'builtin:sphere,radius=0.3,detail=8', cell: 0.1, material: "
        "{young: 1e5}}]\n"
        "colliders:\n"
        "- {name: floor, shape: {plane: {point: [0, -0.31, 0], normal: [0, 1, 0]}},\n"
        "   friction: 0.4}\n"
        "- {name: plate, shape: {mesh: 'builtin:cube,x=0.02,y=2,z=2,detail=5'}, friction: 0.3,\n"
        "   motion: {keys: [{frame: 0, translate: [-0.4, 0, 0]}, {frame: 8, translate: [1, 0, 0],\n"
        "     rotate: {axis: [0, 0, 1], degrees: 10}}]}}\n"
        "solver: {newton: {max: 10}, linear: {max: 10}}\n");
    advance(&f, 4, 1);
    double middle = mass_sum(&f, f.steps.state.x, 0) / f.mass;
    CHECK(middle > 0.33, "the plate went through: the ball is at %g", middle);
    uint64_t digest =
        sn_embedding_digest(&f.embedding, (const double(*)[3])f.contacts.colliders.before);
    digest ^= sn_colliders_digest(&f.contacts.colliders);
    sn_penetration worst = sn_colliders_worst(&f.contacts.colliders);
    sn_info("hit: the ball is at %.4g, %.4g deep", middle, worst.depth);
    digest ^= sn_digest_bytes(&worst, sizeof worst);
    destroy(&f);
    return digest;
}

static void same_bits(void)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    uint64_t alone = rank == 0 ? hit(MPI_COMM_SELF, 1) : 0;
    MPI_Bcast(&alone, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    uint64_t together = hit(MPI_COMM_WORLD, size < 4 ? 2 : 1);
    CHECK(alone == together, "not what a rank alone has");
    omp_set_num_threads(1);
}

static void run(int argc, char **argv)
{
    (void)argv;
    int size;
    bool few = argc > 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 1) { /* more ranks have the same bits, as the last case shows */
        block_stands(1);
        block_stands(8);
        incline(0.9);
        if (!few) {
            ball_is_dropped();
            incline(1.1);
        }
    }
    same_bits();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
