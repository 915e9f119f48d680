/* Motions by key frames: on the keys, between them, before and after them; turns about a point,
 * about changing axes, of more than a full turn; and that what should be rigid stays so. */
#include "helpers/check.h"
#include "helpers/scene_text.h"

#include "base/vec3.h"
#include "motion/keys.h"

#include <math.h>

static const double TOLERANCE = 1e-13;

/* The motion of the only pin of a scene, from the text of its section. */
static sn_scene scene_of(const char *motion)
{
    char text[1024];
    int length = snprintf(text, sizeof text,
                          "bodies: [{name: a, mesh: m, cell: 1}]\n"
                          "pins: [{name: p, body: a, region: {plane: {normal: [0, 1, 0]}}%s%s}]\n",
                          *motion ? ", motion: " : "", motion);
    sn_scene scene;
    sn_status status = read_scene_text(MPI_COMM_WORLD, text, (size_t)length, NULL, 0, &scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    return scene;
}

static sn_affine pose(const sn_scene *scene, double frame)
{
    return sn_motion_at(&scene->pins.data[0].motion, frame);
}

static double difference(const sn_affine *a, const sn_affine *b)
{
    double most = 0;
    for (int i = 0; i < 12; i++)
        most = fmax(most, fabs(a->row[i / 4][i % 4] - b->row[i / 4][i % 4]));
    return most;
}

static void check_moves(const sn_scene *scene, double frame, sn_vec from, sn_vec to)
{
    double p[3], expected[3];
    sn_affine m = pose(scene, frame);
    sn_vec_store(from, p);
    sn_vec_store(to, expected);
    sn_affine_apply(&m, p, p);
    for (int d = 0; d < 3; d++)
        CHECK(fabs(p[d] - expected[d]) < TOLERANCE, "frame %g, %c: %.17g, expected %.17g", frame,
              "xyz"[d], p[d], expected[d]);
}

/* How far the map is from a rotation and a shift. */
static double not_rigid(const sn_affine *m)
{
    double most = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double dot = 0;
            for (int k = 0; k < 3; k++)
                dot += m->row[i][k] * m->row[j][k];
            most = fmax(most, fabs(dot - (i == j)));
        }
    sn_vec cross = sn_vec_cross(sn_vec_load(m->row[0]), sn_vec_load(m->row[1]));
    return fmax(most, fabs(sn_vec_dot(cross, sn_vec_load(m->row[2])) - 1));
}

static const sn_affine identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

static void held_still(void)
{
    sn_scene scene = scene_of("");
    sn_affine m = pose(&scene, 17.5);
    CHECK(difference(&m, &identity) == 0, "no motion");
    sn_scene_free(&scene);
    scene = scene_of("{keys: [{frame: 1}]}");
    for (int frame = 0; frame < 3; frame++) {
        m = pose(&scene, frame);
        CHECK(difference(&m, &identity) == 0, "one key without a pose");
    }
    sn_scene_free(&scene);
}

static void shifted(void)
{
    sn_scene scene =
        scene_of("{keys: [{frame: 1}, {frame: 5, translate: [0, 0, 1]}, {frame: 7.5, translate: "
                 "[2, 0, 1]}]}");
    static const double expected[][3] = {/* frame, x, z */
                                         {-3, 0, 0}, {1, 0, 0},    {2, 0, 0.25}, {4.5, 0, 0.875},
                                         {5, 0, 1},  {6.25, 1, 1}, {7.5, 2, 1},  {100, 2, 1}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        sn_affine m = pose(&scene, expected[i][0]), wanted = identity;
        wanted.row[0][3] = expected[i][1];
        wanted.row[2][3] = expected[i][2];
        CHECK(difference(&m, &wanted) == 0, "frame %g", expected[i][0]);
    }
    sn_scene_free(&scene);
}

static void turned_about_a_point(void)
{
    sn_scene scene = scene_of("{keys: [{frame: 0}, {frame: 10, rotate: {axis: [0, 0, 3], degrees: "
                              "90, about: [1, 2, 5]}, translate: [0, 0, 4]}]}");
    sn_vec from = {3, 2, 0};
    for (int frame = 0; frame <= 12; frame++) {
        double t = fmin(frame, 10) / 10, angle = t * acos(0);
        check_moves(&scene, frame, from, (sn_vec){1 + 2 * cos(angle), 2 + 2 * sin(angle), 4 * t});
        check_moves(&scene, frame, (sn_vec){1, 2, 9}, (sn_vec){1, 2, 9 + 4 * t});
    }
    sn_scene_free(&scene);
}

static void more_than_a_turn(void)
{
    sn_scene scene = scene_of("{keys: [{frame: 0, rotate: {axis: [0, 1, 0], degrees: 0}}, {frame: "
                              "8, rotate: {axis: [0, -2, 0], degrees: -720}}]}");
    static const double sine[] = {0, 1, 0, -1};
    for (int frame = 0; frame <= 8; frame++)
        check_moves(&scene, frame, (sn_vec){0, 7, 1},
                    (sn_vec){sine[frame % 4], 7, sine[(frame + 1) % 4]});
    sn_affine last = pose(&scene, 8);
    CHECK(difference(&last, &identity) == 0, "two whole turns");
    sn_scene_free(&scene);
}

/* A quarter turn about x becomes one about y. Half-way is the turn about x + y whose
 * quaternion is their mean; each part of the way is as long. */
static void between_axes(void)
{
    sn_scene scene =
        scene_of("{keys: [{frame: 0, rotate: {axis: [1, 0, 0], degrees: 90}}, {frame: 1, rotate: "
                 "{axis: [0, 1, 0], degrees: 90}}]}");
    sn_affine middle = pose(&scene, 0.5);
    double cosine = (middle.row[0][0] + middle.row[1][1] + middle.row[2][2] - 1) / 2;
    double w = 2 / sqrt(6), expected = 2 * w * w - 1;
    CHECK(fabs(cosine - expected) < TOLERANCE, "cosine %g, expected %g", cosine, expected);
    check_moves(&scene, 0.5, (sn_vec){1, 1, 0}, (sn_vec){1, 1, 0});
    double step[4];
    for (int i = 0; i < 4; i++) {
        sn_affine a = pose(&scene, i / 4.0), b = pose(&scene, (i + 1) / 4.0);
        step[i] = 0;
        for (int k = 0; k < 9; k++)
            step[i] += a.row[k / 3][k % 3] * b.row[k / 3][k % 3];
        CHECK(fabs(step[i] - step[0]) < 1e-12, "steps %g and %g", step[0], step[i]);
    }
    sn_scene_free(&scene);
}

static void rigid_stays_rigid_and_continuous(void)
{
    sn_scene scene = scene_of(
        "{keys: [{frame: 1, rotate: {axis: [1, 2, 3], degrees: 200, about: [1, 0, 0]}}, {frame: 3, "
        "rotate: {axis: [-1, 1, 0], degrees: -100, about: [0, 5, 1]}, translate: [3, 1, 0]}, "
        "{frame: 4}, {frame: 6, rotate: {axis: [0, 1, 1], degrees: 500}}, {frame: 7, rotate: "
        "{axis: [0, 1.00000000000001, 1], degrees: -30, about: [1, 1, 1]}}]}");
    double tiny = 1e-7;
    for (double frame = 0; frame < 8; frame += 0.125) {
        sn_affine m = pose(&scene, frame);
        CHECK(not_rigid(&m) < TOLERANCE, "frame %g: %g", frame, not_rigid(&m));
        sn_affine before = pose(&scene, frame - tiny), after = pose(&scene, frame + tiny);
        CHECK(difference(&before, &after) < 100 * tiny, "a jump of %g at frame %g",
              difference(&before, &after), frame);
    }
    sn_scene_free(&scene);
}

static void affine_is_linear_in_its_entries(void)
{
    sn_scene scene = scene_of(
        "{keys: [{frame: 0, affine: [2, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0]}, {frame: 4, affine: [4, "
        "1, 0, 2, 0, 1, 0, 0, 0, 0, 3, 8]}, {frame: 6, rotate: {axis: [0, 0, 1], degrees: 180}, "
        "translate: [1, 0, 0]}]}");
    sn_affine m = pose(&scene, 1);
    sn_affine expected = {{{2.5, 0.25, 0, 1.25}, {0, 1, 0, 0}, {0, 0, 1.5, 2}}};
    CHECK(difference(&m, &expected) == 0, "a quarter of the way");
    m = pose(&scene, 5); /* half-way to the matrix of the turn */
    expected = (sn_affine){{{1.5, 0.5, 0, 1.5}, {0, 0, 0, 0}, {0, 0, 2, 4}}};
    CHECK(difference(&m, &expected) < TOLERANCE, "half-way to a turn");
    m = pose(&scene, 9);
    CHECK(not_rigid(&m) < TOLERANCE, "held on the last key");
    sn_scene_free(&scene);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    held_still();
    shifted();
    turned_about_a_point();
    more_than_a_turn();
    between_axes();
    rigid_stays_rigid_and_continuous();
    affine_is_linear_in_its_entries();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
