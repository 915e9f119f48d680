/* The scene reader on scenes that are wrong: each has one message, on all ranks the same,
 * that names line, column, key path and what was expected. */
#include "helpers/check.h"
#include "helpers/scene_text.h"

#include <stdlib.h>
#include <sys/stat.h>

typedef struct {
    const char *text, *override, *message;
} bad_scene;

#define BODY "bodies: [{name: a, mesh: m, cell: 1}]\n"
#define IN_BODY(rest) "bodies: [{name: a, mesh: m, " rest "}]\n"
#define MATERIAL(rest) IN_BODY("cell: 1, material: {" rest "}")
#define PIN(rest) BODY "pins: [{name: p, body: a, " rest "}]\n"
#define REGION(rest) PIN("region: {" rest "}")
#define MOTION(rest) BODY "colliders: [{name: c, shape: {mesh: m}, motion: {" rest "}}]\n"
#define COLLIDER(rest) BODY "colliders: [{name: c, " rest "}]\n"

/* clang-format off */
static const bad_scene bad_scenes[] = {
    /* Not a scene at all. */
    {"", NULL, ":1:1: the file is empty"},
    {"# nothing\n", NULL, ":1:1: the file is empty"},
    {"---\n", NULL, ":1:1: the file is empty"},
    {"just a text\n", NULL, ":1:1: expected a mapping with keys out of name, frames, gravity, bodies"},
    {"- a\n- b\n", NULL, ":1:1: expected a mapping with keys out of name, frames"},
    {BODY "bones: [\n", NULL, ":3:1: not valid YAML"},
    {BODY "gravity: [0, 0\nname: a\n", NULL, ":4:1: not valid YAML: flow sequence without a closing bracket"},
    {"bodies:\n\t- a\n", NULL, ":2:1: not valid YAML: tab"},
    {"name: \"a\n", NULL, ":1:8: not valid YAML"},
    {"name: \xff\n", NULL, ":1:7: not valid YAML: a byte that is not text in UTF-8"},
    {"name: \x01\n", NULL, ":1:7: not valid YAML"},
    {"name: \xC3\xA9\xC2\x85\n", NULL, ":1:8: not valid YAML"},
    {"name: \xC3", NULL, ":1:7: not valid YAML"},
    {"name: \xED\xA0\x80", NULL, ":1:7: not valid YAML"},
    {"name: \xC0\x80", NULL, ":1:7: not valid YAML"},
    {BODY "---\n" BODY, NULL, ":2:1: a second document"},
    {"bodies: *nowhere\n", NULL, ":1:9: no anchor \"&nowhere\""},
    {"bodies: &a [*a]\n", NULL, ":1:13: no anchor \"&a\""},
    {"name: !!str a\n" BODY, NULL, ":1:13: tags"},
    {"<<: 3\n" BODY, NULL, ":1:1: \"<<\" expects a mapping"},
    /* Keys. */
    {"name: a\n", NULL, ":1:1: bodies: missing, expected a list of at least 1 and at most 1024"},
    {BODY "framse: {last: 2}\n", NULL, ":2:1: framse: unknown key, did you mean \"frames\"?"},
    {BODY "lights: {}\n", NULL, ":2:1: lights: unknown key, expected one of name, frames"},
    {IN_BODY("cel: 1"), NULL, ":1:29: bodies[0].cel: unknown key, did you mean \"cell\"?"},
    {BODY "solver:\n  newton: {maxx: 3}\n", NULL, ":3:12: solver.newton.maxx: unknown key, did you mean \"max\"?"},
    {BODY "name: a\nname: b\n", NULL, ":3:1: name: given twice, first in line 2"},
    {IN_BODY("cell: 1, cell: 1"), NULL, ":1:38: bodies[0].cell: given twice"},
    {BODY "[a, b]: 3\n", NULL, ":2:1: expected the name of a key, got a list of 2"},
    {BODY "1: 3\n", NULL, ":2:1: 1: unknown key"},
    {"bodies: [{mesh: m, cell: 1}]\n", NULL, ":1:10: bodies[0].name: missing, expected a text"},
    {IN_BODY("coarsest: 1"), NULL, ":1:10: bodies[0].cell: missing, expected a number greater than 0"},
    /* Types. */
    {IN_BODY("cell: abc"), NULL, ":1:35: bodies[0].cell: expected a number greater than 0, got \"abc\""},
    {IN_BODY("cell: \"1.0\""), NULL, ":1:35: bodies[0].cell: expected a number greater than 0, got the text \"1.0\" (leave out the quotes)"},
    {IN_BODY("cell: 1.0x"), NULL, "bodies[0].cell: expected a number greater than 0, got \"1.0x\""},
    {IN_BODY("cell: .nan"), NULL, "got \".nan\""},
    {IN_BODY("cell: nan"), NULL, "got \"nan\""},
    {IN_BODY("cell: .inf"), NULL, "got \".inf\""},
    {IN_BODY("cell: 1e999"), NULL, "got \"1e999\""},
    {IN_BODY("cell: 0x10"), NULL, "got \"0x10\""},
    {IN_BODY("cell:"), NULL, "bodies[0].cell: expected a number greater than 0, got nothing"},
    {IN_BODY("cell: ~"), NULL, "got nothing"},
    {IN_BODY("cell: [1]"), NULL, ":1:35: bodies[0].cell: expected a number greater than 0, got a list of 1"},
    {IN_BODY("cell: {a: 1}"), NULL, "got a mapping"},
    {BODY "frames: {last: 1e3}\n", NULL, ":2:16: frames.last: expected an integer of at least 0 and at most 999999, got 1e3"},
    {BODY "frames: {last: 2.0}\n", NULL, "frames.last: expected an integer of at least 0 and at most 999999, got 2.0"},
    {BODY "frames: {last: 99999999999}\n", NULL, "frames.last: expected an integer"},
    {BODY "frames: 48\n", NULL, ":2:9: frames: expected a mapping with keys out of first, last, fps, substeps, preroll, got 48"},
    {BODY "self_collision: {enabled: yes}\n", NULL, ":2:27: self_collision.enabled: expected true or false, got \"yes\""},
    {BODY "output: {octree: 1}\n", NULL, "output.octree: expected true or false, got 1"},
    {BODY "output: {fields: stress}\n", NULL, ":2:18: output.fields: expected a list, each one of displacement, velocity, det_f, stress, contact_pressure, material, owner, fraction, got \"stress\""},
    {BODY "output:\n  fields:\n  - stress\n  - strain\n", NULL, ":5:5: output.fields[1]: expected one of displacement, velocity, det_f, stress, contact_pressure, material, owner, fraction, got \"strain\""},
    {MATERIAL("young: 1e300"), NULL, "bodies[0].material.young: expected a number greater than 0, got 1e300 (numbers go up to 1e30)"},
    {BODY "gravity: [0, -1e31, 0]\n", NULL, ":2:14: gravity[1]: expected a number, got -1e31 (numbers go up to 1e30)"},
    {BODY "output: {fields: [owner, stress, owner]}\n", NULL, ":2:34: output.fields[2]: \"owner\" is given twice"},
    {BODY "output: {fields: [[owner]]}\n", NULL, "output.fields[0]: expected one of displacement, velocity, det_f, stress, contact_pressure, material, owner, fraction, got a list of 1"},
    {BODY "output: {fields: }\n", NULL, "output.fields: expected a list, each one of displacement, velocity"},
    {BODY "name: [a]\n", NULL, ":2:7: name: expected a text, got a list of 1"},
    {BODY "name: ''\n", NULL, ":2:7: name: expected a text, got the text \"\""},
    {BODY "name: \"a\\0b\"\n", NULL, ":2:7: name: expected a text, got a text with control"},
    {BODY "gravity: [0, 1]\n", NULL, ":2:10: gravity: expected a list of 3 numbers, got a list of 2"},
    {BODY "gravity: 9.81\n", NULL, ":2:10: gravity: expected a list of 3 numbers, got 9.81"},
    {BODY "gravity: [0, x, 0]\n", NULL, ":2:14: gravity[1]: expected a number, got \"x\""},
    {"bodies: {name: a}\n", NULL, ":1:9: bodies: expected a list of at least 1 and at most 1024, got a mapping"},
    {"bodies: []\n", NULL, ":1:9: bodies: expected a list of at least 1 and at most 1024, got a list of 0"},
    {"bodies: [3]\n", NULL, ":1:10: bodies[0]: expected a mapping with keys out of name, mesh"},
    /* Values. */
    {IN_BODY("cell: 0"), NULL, ":1:35: bodies[0].cell: expected a number greater than 0, got 0"},
    {IN_BODY("cell: -1"), NULL, "expected a number greater than 0, got -1"},
    {IN_BODY("cell: 1, cut_cells: half"), NULL, ":1:49: bodies[0].cut_cells: expected one of fraction, whole, got \"half\""},
    {IN_BODY("cell: 1, close_parts: welded"), NULL, ":1:51: bodies[0].close_parts: expected one of apart, weld, got \"welded\""},
    {IN_BODY("cell: 1, coarsest: 0.5"), NULL, ":1:48: bodies[0].coarsest: expected at least the finest cell, 1, got 0.5"},
    {IN_BODY("cell: 1, hourglass: stiff"), NULL, ":1:49: bodies[0].hourglass: expected assumed, scaled, paper or a number greater than 0, got \"stiff\""},
    {IN_BODY("cell: 1, hourglass: 0"), NULL, "bodies[0].hourglass: expected assumed, scaled, paper or a number greater than 0, got 0"},
    {IN_BODY("cell: 1, hourglass: -1"), NULL, "bodies[0].hourglass: expected assumed, scaled, paper or a number greater than 0, got -1"},
    {IN_BODY("cell: 1, hourglass: [scaled]"), NULL, "bodies[0].hourglass: expected assumed, scaled, paper or a number greater than 0, got a list of 1"},
    {MATERIAL("poisson: 0.5"), NULL, ":1:58: bodies[0].material.poisson: expected a number greater than -1 and less than 0.5, got 0.5"},
    {MATERIAL("poisson: -1"), NULL, "bodies[0].material.poisson: expected a number greater than -1"},
    {MATERIAL("law: jelly"), NULL, ":1:54: bodies[0].material.law: expected one of corotated"},
    {MATERIAL("young: 0"), NULL, "bodies[0].material.young: expected a number greater than 0, got 0"},
    {MATERIAL("density: 0"), NULL, "bodies[0].material.density: expected a number greater than 0"},
    {IN_BODY("cell: 1, velocity: 3"), NULL, ":1:48: bodies[0].velocity: expected a mapping with keys out of linear, angular, got 3"},
    {IN_BODY("cell: 1, velocity: {lin: [1, 0, 0]}"), NULL, "bodies[0].velocity.lin: unknown key, expected one of linear, angular"},
    {IN_BODY("cell: 1, velocity: {linear: [1, 0]}"), NULL, "bodies[0].velocity.linear: expected a list of 3 numbers, got a list of 2"},
    {IN_BODY("cell: 1, velocity: {angular: 2}"), NULL, "bodies[0].velocity.angular: expected a list of 3 numbers, got 2"},
    {IN_BODY("cell: 1, velocity: {angular: [0, .inf, 0]}"), NULL, "bodies[0].velocity.angular[1]: expected a number, got \".inf\""},
    {MATERIAL("damping: -1"), NULL, "bodies[0].material.damping: expected a number of at least 0, got -1"},
    {MATERIAL("regions: [{young: 1}]"), NULL, "bodies[0].material.regions[0].region: missing"},
    {BODY "frames: {first: 3, last: 2}\n", NULL, ":2:26: frames.last: expected at least the first frame, 3, got 2"},
    {BODY "frames: {fps: 0}\n", NULL, "frames.fps: expected a number greater than 0, got 0"},
    {BODY "frames: {substeps: 0}\n", NULL, "frames.substeps: expected an integer of at least 1 and at most 10000, got 0"},
    {BODY "solver: {mode: static}\n", NULL, ":2:16: solver.mode: expected one of dynamic, quasistatic, got \"static\""},
    {BODY "solver: {linear: {degree: 0}}\n", NULL, "solver.linear.degree: expected an integer of at least 1, got 0"},
    {BODY "solver: {linear: {tolerance: 1}}\n", NULL, "solver.linear.tolerance: expected a number of at least 0 and less than 1, got 1"},
    {BODY "partition: {method: metis}\n", NULL, "partition.method: expected one of curve, parmetis, got \"metis\""},
    {BODY "output: {checkpoint: {keep: 0}}\n", NULL, ":2:29: output.checkpoint.keep: expected an integer of at least 1, got 0"},
    {COLLIDER("shape: {mesh: m}, stiffness: -1"), NULL, "colliders[0].stiffness: expected a number of at least 0, got -1"},
    {COLLIDER("shape: {mesh: m}, pressure: -1"), NULL, "colliders[0].pressure: expected auto or a number of at least 0, got -1"},
    {COLLIDER("shape: {mesh: m}, pressure: soft"), NULL, "colliders[0].pressure: expected auto or a number of at least 0, got \"soft\""},
    {COLLIDER("shape: {mesh: m}, pressure: auto, stiffness: 1"), NULL, "colliders[0].stiffness: cannot be given together with \"pressure\""},
    {COLLIDER("shape: {mesh: m}, tangential_pressure: 1, tangential_stiffness: 1"), NULL, "colliders[0].tangential_stiffness: cannot be given together with \"tangential_pressure\""},
    {BODY "self_collision: {pressure: 1, stiffness: 1}\n", NULL, "self_collision.stiffness: cannot be given together with \"pressure\""},
    {COLLIDER("shape: {plane: {normal: [0, 0, 0]}}"), NULL, ":2:47: colliders[0].shape.plane.normal: expected a list of 3 numbers, not all zero, got only zeros"},
    /* Regions and shapes. */
    {PIN("motion: {csv: a}"), NULL, ":2:8: pins[0].region: missing, expected a mapping with keys out of box"},
    {REGION("invert: true"), NULL, ":2:35: pins[0].region: expected one of the keys box, sphere, capsule, cylinder, plane, mesh"},
    {REGION("mesh: m, sphere: {center: [0,0,0], radius: 1}"), NULL, "pins[0].region.mesh: cannot be given together with \"sphere\""},
    {REGION("box: {min: [0,0,0], max: [1,0,1]}"), NULL, ":2:61: pins[0].region.box.max: expected more than min in y"},
    {REGION("box: {min: [0,0,0]}"), NULL, ":2:41: pins[0].region.box.max: missing"},
    {REGION("sphere: {center: [0,0,0], radius: 0}"), NULL, "pins[0].region.sphere.radius: expected a number greater than 0"},
    {REGION("cylinder: {a: [1,0,0], b: [1,0,0], radius: 1}"), NULL, "pins[0].region.cylinder.b: expected another point than a"},
    {COLLIDER("friction: 1"), NULL, ":2:13: colliders[0].shape: missing"},
    /* Motions. */
    {MOTION("joint: a"), NULL, "colliders[0].motion: expected one of the keys keys, bvh, gltf, csv, sequence, builtin"},
    {MOTION("csv: f, joint: a"), NULL, ":2:65: colliders[0].motion.joint: goes only with bvh, builtin"},
    {MOTION("keys: []"), NULL, "colliders[0].motion.keys: expected a list of at least 1"},
    {MOTION("keys: [{translate: [0,0,0]}]"), NULL, "colliders[0].motion.keys[0].frame: missing"},
    {MOTION("keys: [{frame: 2}, {frame: 2}]"), NULL, "colliders[0].motion.keys[1].frame: expected a frame after that of the key before it, 2, got 2"},
    {MOTION("keys: [{frame: 2, rotate: {degrees: 3}}]"), NULL, "motion.keys[0].rotate.axis: missing"},
    {MOTION("keys: [{frame: 2, rotate: {axis: [0,0,0], degrees: 3}}]"), NULL, "rotate.axis: expected a list of 3 numbers, not all zero"},
    {MOTION("keys: [{frame: 2, affine: [1, 2]}]"), NULL, "affine: expected a list of 12 numbers or of 3 rows of 4, got a list of 2"},
    {MOTION("keys: [{frame: 2, affine: [[1], [2], [3]]}]"), NULL, "affine[0]: expected a list of 12 numbers or of 3 rows of 4, got a list of 1"},
    {MOTION("keys: [{frame: 2, translate: [1,0,0], affine: [1,0,0,0,0,1,0,0,0,0,1,0]}]"), NULL, "affine: cannot be given together with"},
    {MOTION("bvh: a, up: w"), NULL, "colliders[0].motion.up: expected one of x, y, z, got \"w\""},
    {COLLIDER("shape: {sphere: {center: [0,0,0], radius: 1}}, motion: {sequence: s}"), NULL, "colliders[0].shape: expected a mesh or nothing"},
    {PIN("region: {mesh: m}, motion: {sequence: s}"), NULL, ":2:65: pins[0].motion.sequence: goes only with colliders"},
    /* Names. */
    {BODY "pins: [{name: p, body: b, region: {mesh: m}}]\n", NULL, ":2:24: pins[0].body: expected the name of a body, got \"b\""},
    {BODY "bones: [{name: p, body: b, mesh: m}]\n", NULL, ":2:25: bones[0].body: expected the name of a body, got \"b\""},
    {"bodies:\n- {name: a, mesh: m, cell: 1}\n- {name: a, mesh: m, cell: 1}\n", NULL, ":3:10: bodies[1].name: expected a name of its own, but \"a\" is also bodies[0]"},
    /* Overrides. */
    {BODY, "bodies.a.cell=abc", "-P bodies.a.cell=abc: expected a number greater than 0, got \"abc\""},
    {BODY, "bodies[0].cell=-1", "-P bodies[0].cell=-1: expected a number greater than 0, got -1"},
    {BODY, "bodies.b.cell=1", "-P bodies.b.cell=1: bodies has 1 entries, none is called b"},
    {BODY, "bodies[1].cell=1", "-P bodies[1].cell=1: bodies has 1 entries, none is number 1"},
    {BODY, "bodies.a.cel=1", "-P bodies.a.cel=1: unknown key, did you mean \"cell\"?"},
    {BODY, "solver.newtn.max=1", "-P solver.newtn.max=1: solver.newtn: unknown key, did you mean \"newton\"?"},
    {BODY, "bodies.a.cell.x=1", "-P bodies.a.cell.x=1: bodies[0].cell has no keys inside"},
    {BODY, "gravity=[0, 1", "-P gravity=[0, 1: not valid YAML"},
    {BODY, "gravity", "-P gravity: expected key=value"},
    {BODY, "=3", "-P =3: expected key=value"},
    {BODY, "", "-P : expected key=value"},
    {BODY, "bodies[0=3", "expected key=value"},
    {BODY, "bodies[0]x=3", "expected key=value"},
    {BODY, "pins=[{name: p}]", "-P pins=[{name: p}]: pins[0].body: missing"},
    {BODY, "frames.last=0", "-P frames.last=0: expected at least the first frame, 1, got 0"},
};
/* clang-format on */

static int count_lines(const char *text)
{
    int lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void check_same_everywhere(sn_status status)
{
    char first[1024] = "";
    int rank, first_status = status;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(first, sizeof first, "%s", sn_failure_message());
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Bcast(&first_status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK((int)status == first_status, "status %d here, %d on rank 0", status, first_status);
    CHECK(strcmp(first, sn_failure_message()) == 0, "%s", sn_failure_message());
}

static void test_bad_scene(const bad_scene *bad)
{
    sn_scene scene;
    sn_status status = read_scene_text(MPI_COMM_WORLD, bad->text, strlen(bad->text), &bad->override,
                                       bad->override ? 1 : 0, &scene);
    CHECK(status == SN_BAD_INPUT, "status %d for %s", status, bad->text);
    if (status == SN_OK) {
        sn_scene_free(&scene);
        return;
    }
    const char *message = sn_failure_message();
    CHECK(strstr(message, bad->message), "\n%s\nexpected: %s\ngot:      %s", bad->text,
          bad->message, message);
    CHECK(count_lines(message) == 1, "%s", message);
    CHECK(!strstr(message, "..."), "cut: %s", message);
    check_same_everywhere(status);
}

static void test_bad_file(const char *path, const char *expected)
{
    sn_scene scene;
    sn_status status = sn_scene_read(MPI_COMM_WORLD, path, NULL, 0, &scene);
    CHECK(status == SN_BAD_INPUT, "status %d", status);
    CHECK(strstr(sn_failure_message(), expected), "%s", sn_failure_message());
    check_same_everywhere(status);
}

/* Texts that a table of strings cannot hold. */
static void test_hostile_texts(void)
{
    static const char zero[] = "bodies:\n  - \0";
    sn_scene scene;
    sn_status status = read_scene_text(MPI_COMM_WORLD, zero, sizeof zero - 1, NULL, 0, &scene);
    CHECK(status == SN_BAD_INPUT && strstr(sn_failure_message(), ":2:5: "), "%s",
          sn_failure_message());
    enum { DEEP = 100000 };
    char *deep = malloc(DEEP);
    memset(deep, '[', DEEP);
    status = read_scene_text(MPI_COMM_WORLD, deep, DEEP, NULL, 0, &scene);
    CHECK(status == SN_BAD_INPUT, "%s", sn_failure_message());
    memset(deep, 'x', DEEP);
    status = read_scene_text(MPI_COMM_WORLD, deep, DEEP, NULL, 0, &scene);
    CHECK(status == SN_BAD_INPUT && strlen(sn_failure_message()) < 500, "%s", sn_failure_message());
    free(deep);
}

/* A key has room for so many bodies, and not for one more. */
static void test_number_of_bodies(void)
{
    enum { LINE = 40, MOST = 1024 };
    char *text = malloc((MOST + 2) * LINE);
    for (int n = MOST; n <= MOST + 1; n++) {
        size_t used = (size_t)sprintf(text, "name: many\nbodies:\n");
        for (int b = 0; b < n; b++)
            used += (size_t)sprintf(text + used, "  - {name: b%d, mesh: m, cell: 1}\n", b);
        sn_scene scene;
        sn_status status = read_scene_text(MPI_COMM_WORLD, text, used, NULL, 0, &scene);
        CHECK((status == SN_OK) == (n == MOST), "%d bodies: status %d", n, status);
        if (status == SN_OK)
            sn_scene_free(&scene);
    }
    free(text);
    CHECK(strstr(sn_failure_message(), ":3:3: bodies: expected a list of at least 1 and at most "
                                       "1024, got a list of 1025"),
          "%s", sn_failure_message());
}

/* A pipe that nobody writes to must not hold the reader up. */
static void test_pipe(void)
{
    int rank;
    char name[SCENE_NAME_BYTES];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    scene_file_name(MPI_COMM_WORLD, name);
    if (rank == 0)
        CHECK(mkfifo(name, 0600) == 0, "mkfifo %s", name);
    test_bad_file(name, "is not a regular file");
    if (rank == 0)
        remove(name);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (size_t i = 0; i < sizeof bad_scenes / sizeof *bad_scenes; i++)
        test_bad_scene(&bad_scenes[i]);
    test_bad_file("/tmp", "/tmp: is a directory");
    test_bad_file("/tmp/no/such/scene.yaml", "/tmp/no/such/scene.yaml: cannot open the file: No");
    test_pipe();
    test_hostile_texts();
    test_number_of_bodies();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
