/* The scene reader on scenes that are right: every value of the design's example, defaults,
 * what is written reads back as the same, overrides, aliases and merges, paths, places. */
#include "helpers/check.h"
#include "helpers/scene_text.h"
#include "io/scene/schema.h"

#include <math.h>
#include <stdlib.h>

#define CHECK_TEXT(text, expected) CHECK(strcmp((text), (expected)) == 0, "\"%s\"", (text))
#define CHECK_VECTOR(v, x, y, z)                                                                   \
    CHECK((v)[0] == (x) && (v)[1] == (y) && (v)[2] == (z), "[%g, %g, %g]", (v)[0], (v)[1], (v)[2])

static sn_scene read_good(const char *text, const char *const *overrides, int n_overrides)
{
    sn_scene scene;
    sn_status status =
        read_scene_text(MPI_COMM_WORLD, text, strlen(text), overrides, n_overrides, &scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    if (status != SN_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return scene;
}

static void check_body_and_bone(const sn_scene *scene)
{
    CHECK(scene->bodies.count == 1 && scene->bones.count == 1, "counts");
    const sn_body_settings *body = &scene->bodies.data[0];
    CHECK_TEXT(body->name, "flesh");
    CHECK_TEXT(body->mesh, "builtin:creature");
    CHECK(body->cell == 0.02 && body->coarsest == 0.32, "cells");
    CHECK(body->material.young == 2e4 && body->material.poisson == 0.45, "stiffness");
    CHECK(body->material.density == 1000 && body->material.damping == 0.02, "mass, damping");
    CHECK(body->material.regions.count == 0, "regions");
    const sn_bone *bone = &scene->bones.data[0];
    CHECK_TEXT(bone->name, "pelvis");
    CHECK_TEXT(bone->body, "flesh");
    CHECK_TEXT(bone->mesh, "pelvis.obj");
    CHECK(bone->motion.kind == SN_MOTION_BVH && bone->stiffness.count == 1 &&
              bone->stiffness.data[0].number == 1e6,
          "bone");
    CHECK_TEXT(bone->motion.bvh, "walk.bvh");
    CHECK_TEXT(bone->motion.joint, "Hips");
    CHECK(bone->motion.scale == 1 && bone->motion.up == SN_UP_Y, "scale, up");
    CHECK(isnan(bone->motion.fps) && isnan(bone->motion.rest_frame), "left out");
}

static void check_pin_and_collider(const sn_scene *scene)
{
    CHECK(scene->pins.count == 1 && scene->colliders.count == 1, "counts");
    const sn_pin *pin = &scene->pins.data[0];
    CHECK_TEXT(pin->name, "base");
    CHECK_TEXT(pin->body, "flesh");
    CHECK(pin->region.kind == SN_SHAPE_BOX && !pin->region.invert, "region");
    CHECK_VECTOR(pin->region.box.min, 0, 0, 0);
    CHECK_VECTOR(pin->region.box.max, 1, 1, 0.1);
    CHECK(pin->motion.kind == SN_MOTION_KEYS && pin->motion.keys.count == 2, "keys");
    const sn_motion_key *keys = pin->motion.keys.data;
    CHECK(keys[0].frame == 1 && keys[1].frame == 24, "frames");
    CHECK_VECTOR(keys[0].translate, 0, 0, 0);
    CHECK_VECTOR(keys[1].translate, 0, 0, 1);
    CHECK(!keys[1].rotate.given && isnan(keys[1].affine[0]), "left out");
    const sn_collider *floor = &scene->colliders.data[0];
    CHECK_TEXT(floor->name, "floor");
    CHECK(floor->shape.kind == SN_SHAPE_PLANE && floor->motion.kind == SN_MOTION_NONE, "kinds");
    CHECK_VECTOR(floor->shape.plane.point, 0, 0, 0);
    CHECK_VECTOR(floor->shape.plane.normal, 0, 1, 0);
    CHECK(floor->law.stiffness == 1e5 && isnan(floor->law.pressure) &&
              isnan(floor->law.tangential_stiffness),
          "stiffness");
    CHECK(floor->law.friction == 0.3, "friction");
}

static void test_example(void)
{
    sn_scene scene = read_good(example_scene, NULL, 0);
    CHECK_TEXT(scene.name, "creature-walk");
    CHECK(scene.frames.first == 1 && scene.frames.last == 48, "frames");
    CHECK(scene.frames.fps == 24 && scene.frames.substeps == 1, "fps, substeps");
    CHECK_VECTOR(scene.gravity, 0, -9.81, 0);
    check_body_and_bone(&scene);
    check_pin_and_collider(&scene);
    CHECK(scene.self_collision.enabled && scene.self_collision.law.stiffness == 1e5, "self");
    CHECK(scene.self_collision.law.friction == 0.2, "self");
    const sn_solver_settings *solver = &scene.solver;
    CHECK(solver->mode == SN_MODE_DYNAMIC, "mode");
    CHECK(solver->integrator == SN_INTEGRATOR_BACKWARD_EULER, "integrator");
    CHECK(solver->newton.max == 10 && solver->newton.tolerance == 1e-3, "newton");
    CHECK(solver->linear.method == SN_LINEAR_MGPCG, "method");
    CHECK(solver->linear.max == 3 && solver->linear.tolerance == 1e-2, "linear");
    const sn_multigrid_settings *multigrid = &scene.multigrid, usual = SN_MULTIGRID_DEFAULTS;
    CHECK(multigrid->smoother == SN_SMOOTH_CHEBYSHEV && multigrid->degree == 2, "smoother");
    CHECK(multigrid->precision == SN_PRECISION_AUTO, "precision");
    CHECK(multigrid->coarse == SN_COARSE_AUTO && multigrid->geometric_levels == 0, "coarse");
    CHECK(multigrid->fraction == usual.fraction && multigrid->damping == usual.damping &&
              multigrid->amli_from == usual.amli_from &&
              multigrid->amli_levels == usual.amli_levels,
          "what has no key");
    CHECK(scene.partition.method == SN_PARTITION_CURVE, "partition");
    CHECK_TEXT(scene.output.dir, "run");
    CHECK(scene.output.every == 1 && !scene.output.octree, "output");
    CHECK(scene.checkpoint.every == 10 && scene.checkpoint.keep == 2, "checkpoint");
    sn_scene_free(&scene);
}

static const char smallest[] = "bodies: [{name: a, mesh: a.obj, cell: 1}]\n";

static void test_defaults(void)
{
    sn_scene scene = read_good(smallest, NULL, 0);
    CHECK(strncmp(scene.name, "sinew_test_", 11) == 0 && !strchr(scene.name, '.'), "%s",
          scene.name);
    CHECK(scene.frames.first == 1 && scene.frames.last == 1 && scene.frames.fps == 24, "frames");
    CHECK_VECTOR(scene.gravity, 0, -9.81, 0);
    const sn_body_settings *body = &scene.bodies.data[0];
    CHECK(isnan(body->coarsest) && body->cut_cells == SN_CUT_FRACTION, "coarsest, cut cells");
    CHECK(body->close_parts == SN_CLOSE_APART, "close parts");
    CHECK(body->hourglass == SN_HOURGLASS_ASSUMED, "hourglass");
    CHECK(body->material.young == 2e4 && body->material.poisson == 0.45, "material");
    CHECK(body->material.density == 1000 && body->material.damping == 0, "material");
    CHECK(body->material.law == SN_LAW_COROTATED, "law");
    CHECK(scene.bones.count + scene.pins.count + scene.colliders.count == 0, "lists");
    CHECK(!scene.self_collision.enabled, "self-collision");
    CHECK(scene.solver.newton.max == 10 && scene.solver.linear.max == 3, "solver");
    CHECK(scene.solver.integrator == SN_INTEGRATOR_BDF2, "integrator");
    CHECK_TEXT(scene.output.dir, "run");
    CHECK(scene.output.fields < 0, "fields");
    sn_scene_free(&scene);
}

/* Every kind of region, shape and motion, and texts that need care when written. */
static const char everything[] =
    "name: \"a \\\"quoted\\\" back\\\\slash \xC3\xA9\"\n"
    "bodies:\n"
    "- {name: one, mesh: 'it''s.obj', cell: 0.1, material: {young: 1.0e-300, regions: [\n"
    "    {region: {sphere: {center: [1, 2, 3], radius: 0.1}}, young: 3},\n"
    "    {region: {mesh: m.obj, invert: true}, poisson: -0.9, density: 1, damping: 0}]}}\n"
    "- {name: two, mesh: builtin:cube, cell: 0.30000000000000004, coarsest: 0.30000000000000004,\n"
    "   velocity: {angular: [0, -0.5, 1]}, hourglass: scaled}\n"
    "- {name: three, mesh: builtin:cube, cell: 1, hourglass: 0.3}\n"
    "- {name: four, mesh: builtin:cube, cell: 1, hourglass: paper, close_parts: weld}\n"
    "bones:\n"
    "- {name: b1, body: one, mesh: m, motion: {gltf: f.gltf}}\n"
    "- {name: b2, body: two, mesh: m, motion: {csv: f.csv, scale: 0.01, up: z, fps: 120}}\n"
    "- {name: b3, body: two, mesh: m, motion: {builtin: creature_walk, rest_frame: 0}}\n"
    "- {name: b4, body: two, mesh: m}\n"
    "pins:\n"
    "- {name: p1, body: one, region: {capsule: {a: [0,0,0], b: [0,0,0], radius: 1}}}\n"
    "- name: p2\n"
    "  body: one\n"
    "  region: {cylinder: {a: [0,0,0], b: [1,0,0], radius: 1}}\n"
    "  motion:\n"
    "    keys:\n"
    "    - {frame: -0.5, rotate: {axis: [0,0,2], degrees: 90, about: [1,1,1]}}\n"
    "    - {frame: 1, affine: [1,0,0,0, 0,1,0,0, 0,0,1,7]}\n"
    "    - {frame: 2, affine: [[1,0,0,0], [0,1,0,0], [0,0,1,8]]}\n"
    "colliders:\n"
    "- {name: c1, motion: {sequence: 'm_####.obj', up: x}, tangential_stiffness: 0}\n"
    "- {name: c2, shape: {plane: {normal: [0,0,-1]}, invert: true}, stiffness: 0}\n"
    "solver: {mode: quasistatic, integrator: bdf2, linear: {method: cg, tolerance: 0}}\n"
    "partition: {method: parmetis}\n"
    "output: {fields: [owner, det_f]}\n";

static void test_everything(void)
{
    sn_scene scene = read_good(everything, NULL, 0);
    const sn_material_region *regions = scene.bodies.data[0].material.regions.data;
    CHECK(regions[0].region.kind == SN_SHAPE_SPHERE && regions[0].young == 3, "sphere");
    CHECK(isnan(regions[0].poisson) && regions[1].poisson == -0.9, "poisson");
    CHECK(regions[1].region.invert && regions[1].region.kind == SN_SHAPE_MESH, "mesh");
    CHECK_TEXT(scene.bodies.data[0].mesh, "it's.obj");
    CHECK_VECTOR(scene.bodies.data[0].velocity.linear, 0, 0, 0);
    CHECK_VECTOR(scene.bodies.data[1].velocity.linear, 0, 0, 0);
    CHECK_VECTOR(scene.bodies.data[1].velocity.angular, 0, -0.5, 1);
    CHECK(scene.bodies.data[1].hourglass == SN_HOURGLASS_SCALED, "a named rule");
    CHECK(scene.bodies.data[2].hourglass == 0.3, "a factor");
    CHECK(scene.bodies.data[3].hourglass == SN_HOURGLASS_PAPER, "the paper's");
    CHECK_TEXT(scene.bones.data[0].motion.node, "b1");
    CHECK_TEXT(scene.bones.data[2].motion.joint, "b3");
    CHECK(scene.bones.data[1].motion.up == SN_UP_Z, "up");
    CHECK(scene.bones.data[2].motion.rest_frame == 0, "rest frame");
    CHECK(scene.pins.data[0].motion.kind == SN_MOTION_NONE, "held still");
    const sn_motion_key *keys = scene.pins.data[1].motion.keys.data;
    CHECK(keys[0].rotate.given && keys[0].rotate.degrees == 90, "rotate");
    CHECK_VECTOR(keys[0].rotate.about, 1, 1, 1);
    CHECK(keys[1].affine[11] == 7 && keys[2].affine[11] == 8 && keys[2].affine[5] == 1, "affine");
    CHECK(scene.colliders.data[0].shape.kind == SN_SHAPE_NONE, "sequence");
    CHECK(scene.colliders.data[0].law.tangential_stiffness == 0 &&
              scene.colliders.data[0].law.pressure == SN_PRESSURE_AUTO,
          "tangential");
    CHECK(scene.solver.linear.method == SN_LINEAR_CG, "cg");
    CHECK(scene.partition.method == SN_PARTITION_PARMETIS, "parmetis");
    CHECK(scene.output.fields == (1 << SN_FIELD_OWNER | 1 << SN_FIELD_DET_F), "fields");
    sn_scene_free(&scene);
}

/* Written, read and written again: the same text, and for the example the same values. */
static void test_round_trip(const char *text)
{
    sn_scene first = read_good(text, NULL, 0);
    size_t length, again_length;
    char *written = scene_as_text(&first, &length);
    sn_scene second = read_good(written, NULL, 0);
    char *again = scene_as_text(&second, &again_length);
    CHECK(length > 0 && length == again_length && memcmp(written, again, length) == 0, "%s\n%s",
          written, again);
    CHECK(first.bodies.data[0].cell == second.bodies.data[0].cell, "cell");
    CHECK_TEXT(second.name, first.name);
    free(written);
    free(again);
    sn_scene_free(&first);
    sn_scene_free(&second);
}

static void test_overrides(void)
{
    const char *overrides[] = {" bodies[0].cell	=  0.5 ",
                               "bodies.0.coarsest=2",
                               "bodies.flesh.material.young=7",
                               "bodies[flesh].mesh='x=y.obj'",
                               "gravity=[1, 2, 3]",
                               "solver.linear.method=cg",
                               "solver.linear.smoother=jacobi",
                               "solver.linear.coarse=rigid",
                               "solver.linear.geometric_levels=3",
                               "solver.linear.degree=3",
                               "solver.linear.precision=double",
                               "pins.base.region={sphere: {center: [0, 0, 0], radius: 4}}",
                               "bones=",
                               "output.checkpoint.keep=5",
                               "output.checkpoint.keep=6"};
    sn_scene scene = read_good(example_scene, overrides, sizeof overrides / sizeof *overrides);
    const sn_body_settings *body = &scene.bodies.data[0];
    CHECK(body->cell == 0.5 && body->coarsest == 2 && body->material.young == 7, "body");
    CHECK(body->material.poisson == 0.45, "the rest stays");
    CHECK_TEXT(body->mesh, "x=y.obj");
    CHECK_VECTOR(scene.gravity, 1, 2, 3);
    CHECK(scene.solver.linear.method == SN_LINEAR_CG, "method");
    CHECK(scene.multigrid.smoother == SN_SMOOTH_JACOBI, "smoother");
    CHECK(scene.multigrid.coarse == SN_COARSE_RIGID, "coarse");
    CHECK(scene.multigrid.geometric_levels == 3, "geometric levels");
    CHECK(scene.multigrid.degree == 3, "degree");
    CHECK(scene.multigrid.precision == SN_PRECISION_DOUBLE, "precision");
    CHECK(scene.pins.data[0].region.sphere.radius == 4, "region");
    CHECK(scene.bones.count == 0, "bones");
    CHECK(scene.checkpoint.keep == 6, "the last one counts");
    sn_scene_free(&scene);
    const char *deep[] = {"solver.newton.max=4", "output.checkpoint.every=0"};
    scene = read_good(smallest, deep, 2);
    CHECK(scene.solver.newton.max == 4 && scene.checkpoint.every == 0, "made on the way");
    sn_scene_free(&scene);
}

static void test_aliases(void)
{
    const char *text = "bodies:\n"
                       "- &first {name: a, mesh: m.obj, cell: 1, material: &soft {young: 5}}\n"
                       "- {<<: *first, name: b, cell: 2}\n"
                       "- {name: c, mesh: m.obj, cell: 3, material: *soft}\n"
                       "- {<<: [{cell: 4}, *first], name: d}\n";
    const char *overrides[] = {"bodies.c.material.young=6"};
    sn_scene scene = read_good(text, overrides, 1);
    const sn_body_settings *bodies = scene.bodies.data;
    CHECK_TEXT(bodies[1].name, "b");
    CHECK_TEXT(bodies[1].mesh, "m.obj");
    CHECK(bodies[1].cell == 2 && bodies[1].material.young == 5, "merged");
    CHECK(bodies[2].material.young == 6, "overridden");
    CHECK(bodies[0].material.young == 5, "the anchor keeps its value");
    CHECK(bodies[3].cell == 4 && bodies[3].material.young == 5, "the first of the list counts");
    sn_scene_free(&scene);
}

/* Each law has the name that its files have. */
static void test_law_names(void)
{
#define OVERRIDE(NAME, name) "bodies.a.material.law=" #name,
    static const char *const overrides[SN_N_LAWS] = {SN_LAWS(OVERRIDE)};
    for (int law = 0; law < SN_N_LAWS; law++) {
        sn_scene scene = read_good(smallest, &overrides[law], 1);
        CHECK((int)scene.bodies.data[0].material.law == law, "%s", overrides[law]);
        sn_scene_free(&scene);
    }
}

/* The second of two bodies is given a law that no other has, whatever laws there are. */
static void test_one_law_for_all(void)
{
    sn_scene scene = read_good("bodies:\n"
                               "- {name: a, mesh: a.obj, cell: 1}\n"
                               "- {name: b, mesh: b.obj, cell: 1, material: {law: corotated}}\n",
                               NULL, 0);
    CHECK(sn_scene_complete(&scene) == SN_OK, "%s", sn_failure_message());
    scene.bodies.data[1].material.law = SN_N_LAWS;
    CHECK(sn_scene_complete(&scene) == SN_BAD_INPUT, "must not go");
    CHECK(strstr(sn_failure_message(), ".yaml:3:51: bodies[1].material.law: expected that of the "
                                       "first body, corotated"),
          "%s", sn_failure_message());
    sn_scene_free(&scene);
}

static void check_path(const sn_scene *scene, const char *relative, const char *expected)
{
    char out[64] = "";
    CHECK(sn_origin_path(&scene->origin, relative, out, sizeof out) == SN_OK, "%s",
          sn_failure_message());
    CHECK_TEXT(out, expected);
}

static void test_paths_and_places(void)
{
    sn_scene scene = read_good(example_scene, NULL, 0);
    check_path(&scene, "a/b.obj", "/tmp/a/b.obj");
    check_path(&scene, "/a/b.obj", "/a/b.obj");
    check_path(&scene, "builtin:cube", "builtin:cube");
    char small[8];
    CHECK(sn_origin_path(&scene.origin, "long.obj", small, sizeof small) == SN_BAD_INPUT,
          "must not fit");
    sn_text_place mesh = sn_origin_find(&scene.origin, "bodies[0].mesh");
    CHECK(mesh.line == 6 && mesh.column == 11, "%d:%d", mesh.line, mesh.column);
    sn_status status = sn_origin_fail(&scene.origin, "bodies[0].mesh", "has %d faces", 0);
    CHECK(status == SN_BAD_INPUT, "status");
    CHECK(strstr(sn_failure_message(), ".yaml:6:11: bodies[0].mesh: has 0 faces"), "%s",
          sn_failure_message());
    sn_text_place left_out = sn_origin_find(&scene.origin, "bodies[0].material.regions");
    CHECK(left_out.line == 9 && left_out.column == 15, "%d:%d", left_out.line, left_out.column);
    CHECK(sn_scene_find_body(&scene, "flesh") == 0, "found");
    CHECK(sn_scene_find_body(&scene, "bone") == -1, "not found");
    sn_scene_free(&scene);
}

static void test_describe(void)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    sn_scene_describe(out);
    fclose(out);
    CHECK(strstr(text, "cell: <a number greater than 0; required>"), "%s", text);
    CHECK(strstr(text, "gravity: <a list of 3 numbers; default [0, -9.81, 0]>"), "%s", text);
    CHECK(strstr(text, "# Young's modulus, in force per area"), "units");
    CHECK(strstr(text, "# exactly one of: box, sphere, capsule, cylinder, plane, mesh"), "shape");
    free(text);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    test_example();
    test_defaults();
    test_everything();
    test_round_trip(example_scene);
    test_round_trip(smallest);
    test_round_trip(everything);
    test_overrides();
    test_aliases();
    test_law_names();
    test_one_law_for_all();
    test_paths_and_places();
    test_describe();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
