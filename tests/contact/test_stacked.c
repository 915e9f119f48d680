/* Flesh on flesh: a block of flesh rests on another as deep as on a collider that is as hard,
 * presses alike in the middle, at the edges and at the corners, however both are cut, be it into
 * twelve triangles; and slides down an incline of flesh, or stays, by Coulomb's law. */
#include "helpers/check.h"
#include "helpers/scene_text.h"

#include "base/array.h"
#include "base/exact_sum.h"
#include "base/pi.h"
#include "contact/pressure.h"
#include "shot/shot.h"

#include <math.h>
#include <string.h>

static const double GRAVITY = 9.81, FPS = 24, DENSITY = 1000, PRESSURE = 1e6;
static const double SIDE = 0.4, HEIGHT = 0.2; /* of the upper block */
enum { LOWER, UPPER };

static void must(sn_status status)
{
    if (status != SN_OK)
        sn_abort(status, __FILE__, __LINE__, "%s", sn_failure_message());
}

static void open_shot(const char *text, sn_scene *scene, sn_shot *shot)
{
    must(read_scene_text(MPI_COMM_WORLD, text, strlen(text), NULL, 0, scene));
    must(sn_shot_create(MPI_COMM_WORLD, scene, shot));
}

static void close_shot(sn_scene *scene, sn_shot *shot)
{
    sn_shot_free(shot);
    sn_scene_free(scene);
}

/* ---- Rest ---- */

/* In place of the detail of the lower block: there is a floor where it was, and it is aside. */
enum { FLOOR = 0 };
static const char FLOOR_COLLIDER[] =
    "{name: floor, shape: {plane: {point: [0, -0.1, 0], normal: [0, 1, 0]}}, pressure: 1e6}";

/* The lower block is pinned as a whole; the upper one is stiff, and so stands evenly. */
static void write_stack(char *text, size_t bytes, int detail_above, int detail_below)
{
    bool on_floor = detail_below == FLOOR;
    snprintf(text, bytes,
             "frames: {first: 0, last: 100, fps: %g}\n"
             "gravity: [0, -%.17g, 0]\n"
             "colliders: [%s]\n"
             "bodies:\n"
             "- {name: lower, mesh: 'builtin:cube,x=%g,y=%g,z=%g,detail=%d', cell: 0.1,\n"
             "   place: {translate: [%g, %g, 0]}, material: {young: 1e8, poisson: 0}}\n"
             "- {name: upper, mesh: 'builtin:cube,x=%g,y=%g,z=%g,detail=%d', cell: 0.1,\n"
             "   place: {translate: [0, 1e-4, 0]},\n"
             "   material: {young: 1e8, poisson: 0, density: %g}}\n"
             "pins: [{name: p, body: lower, region: {sphere: {center: [0, 0, 0], radius: 10}}}]\n"
             "self_collision: {enabled: %s, pressure: %g}\n"
             "solver: {integrator: backward_euler, newton: {max: 30, tolerance: 1e-5},\n"
             "  linear: {max: 60, tolerance: 1e-3}}\n",
             FPS, GRAVITY, on_floor ? FLOOR_COLLIDER : "", SIDE, HEIGHT, SIDE,
             on_floor ? 1 : detail_below, on_floor ? 5.0 : 0.0, on_floor ? 1.0 : -HEIGHT, SIDE,
             HEIGHT, SIDE, detail_above, DENSITY, on_floor ? "false" : "true", PRESSURE);
}

/* Every vertex of the lower side of the upper block is pressed by its weight over the area. */
static void check_pressures(const sn_shot *shot, double expected, double tolerance)
{
    const sn_embedding *e = &shot->built.embedding;
    sn_press *press = SN_NEW(sn_press, e->n);
    sn_contacts_press(&shot->built.contacts, shot->built.surface.body, press);
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < e->n; i++) {
        double at[3];
        sn_embedding_rest(e, e->vertex[i], at);
        if (sn_embedding_body_of(e, e->vertex[i]) != UPPER || at[1] > -0.09)
            continue;
        least = fmin(least, sn_pressure_of(press[i]));
        most = fmax(most, sn_pressure_of(press[i]));
    }
    sn_free(press);
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    sn_info("pressed by %.6g to %.6g, expected %.6g", least, most, expected);
    CHECK(least > (1 - tolerance) * expected && most < (1 + tolerance) * expected,
          "pressed by %g to %g, not %g", least, most, expected);
}

/* As on a collider: weight over area is the pressure, and over that for a unit of depth the depth;
 * half of their product with the area is in the springs. */
static void block_on_block(int detail_above, int detail_below, double evenness)
{
    static sn_shot shot;
    sn_scene scene;
    sn_frame_row row;
    char text[2048];
    write_stack(text, sizeof text, detail_above, detail_below);
    open_shot(text, &scene, &shot);
    for (int frame = 0; frame <= 16; frame++)
        must(sn_shot_advance(&shot, frame, &row));
    double pressure = GRAVITY * DENSITY * HEIGHT, depth = pressure / PRESSURE;
    double energy = pressure * SIDE * SIDE * depth / 2;
    sn_info("cut %d and %d times: %.6g deep, expected %.6g; energy %.6g, expected %.6g",
            detail_above, detail_below, row.max_penetration, depth, row.contact_energy, energy);
    CHECK(fabs(row.max_penetration - depth) < 0.01 * depth, "%g deep, not %g", row.max_penetration,
          depth);
    CHECK(fabs(row.contact_energy - energy) < 0.02 * energy, "%g stored, not %g",
          row.contact_energy, energy);
    check_pressures(&shot, pressure, evenness);
    close_shot(&scene, &shot);
}

/* ---- The incline ---- */

typedef struct {
    double friction, degrees;
    int frames;
} incline;

/* Gravity is turned instead of the slope, which is pinned as a whole: down is -x. */
static void write_incline(char *text, size_t bytes, const incline *c)
{
    double angle = c->degrees * SN_PI / 180;
    snprintf(text, bytes,
             "frames: {first: 0, last: %d, fps: %g}\n"
             "gravity: [%.17g, %.17g, 0]\n"
             "bodies:\n"
             "- {name: slope, mesh: 'builtin:cube,x=1.6,y=0.2,z=0.8,detail=11', cell: 0.1,\n"
             "   place: {translate: [-0.5, -0.2, 0]}, material: {young: 1e6, poisson: 0.3}}\n"
             "- {name: block, mesh: 'builtin:cube,x=0.6,y=0.2,z=0.6,detail=7', cell: 0.1,\n"
             "   place: {translate: [0, 1e-4, 0]}, material: {young: 1e6, poisson: 0.3}}\n"
             "pins: [{name: p, body: slope, region: {sphere: {center: [0, 0, 0], radius: 10}}}]\n"
             "self_collision: {enabled: true, friction: %g}\n"
             "solver: {integrator: backward_euler, newton: {max: 60, tolerance: 1e-3},\n"
             "  linear: {max: 30, tolerance: 1e-2}}\n",
             c->frames, FPS, -GRAVITY * sin(angle), -GRAVITY * cos(angle), c->friction);
}

/* Of the upper body's centre of mass. */
static double velocity(const sn_shot *shot, int axis)
{
    const sn_system *system = &shot->built.system;
    sn_key *keys = sn_octree_node_keys(system->tree);
    sn_sum sums[2] = {0};
    for (sn_local n = 0; n < system->tree->n_nodes; n++) {
        if (sn_key_body(keys[n]) != UPPER)
            continue;
        sn_sum_add(&sums[0], system->mass[n]);
        sn_sum_add(&sums[1], system->mass[n] * shot->state.nodes.v[3 * n + axis]);
    }
    sn_free(keys);
    sn_sum_allreduce(system->tree->comm, sums, 2);
    return sn_sum_value(&sums[1]) / sn_sum_value(&sums[0]);
}

/* Impulses of the slope on a unit of mass, from the start: along over across is the friction. The
 * block falls a tenth of a millimetre first, and free: less than a step. */
static void check_incline(const incline *c, const sn_shot *shot)
{
    double angle = c->degrees * SN_PI / 180, time = shot->state.nodes.time;
    double along = velocity(shot, 0) + GRAVITY * sin(angle) * time;
    double up = velocity(shot, 1) + GRAVITY * cos(angle) * time;
    double expected = fmin(c->friction, tan(angle));
    double speed = GRAVITY * (sin(angle) - expected * cos(angle)) * time;
    sn_info("friction %g at %g degrees: %.4f m/s, expected %.4f; impulses %.5f, expected %.5f",
            c->friction, c->degrees, -velocity(shot, 0), speed, along / up, expected);
    CHECK(fabs(along / up - expected) < 0.01 * expected, "impulses are %g, not %g", along / up,
          expected);
    CHECK(fabs(velocity(shot, 0) + speed) < 0.01 * speed + 1e-3, "%g m/s, not %g",
          -velocity(shot, 0), speed);
}

static void slides_or_stays(const incline *c)
{
    static sn_shot shot;
    sn_scene scene;
    sn_frame_row row;
    char text[2048];
    int newton = 0;
    write_incline(text, sizeof text, c);
    open_shot(text, &scene, &shot);
    for (int frame = 0; frame <= c->frames; frame++) {
        must(sn_shot_advance(&shot, frame, &row));
        newton += row.newton;
        CHECK(row.residual <= 1e-3 && row.friction_excess <= SN_MOST_FRICTION_ERROR,
              "frame %d: residual %g, excess %g", row.frame, row.residual, row.friction_excess);
    }
    sn_info("%d iterations", newton);
    check_incline(c, &shot);
    close_shot(&scene, &shot);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    block_on_block(4, 4, 0.01);
    block_on_block(8, 5, 0.01);
    block_on_block(1, 16, 0.01);
    block_on_block(1, FLOOR, 0.01);
    block_on_block(16, FLOOR, 0.01);
    const incline cases[] = {{0.3, 45, 10}, {0.8, 60, 10}, {0.1, 20, 10}, {0.5, 25, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        slides_or_stays(&cases[i]);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
