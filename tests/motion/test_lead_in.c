/* The way from rest into a motion: it begins at rest without speed and meets the motion with the
 * motion's own; hinges stay where they are and joints together; and the clock of any motion. */
#include "helpers/motion_files.h"
#include "helpers/scene_text.h"

#include "base/screw.h"
#include "motion/motion.h"

#include <math.h>

enum { FIRST = 5, PREROLL = 8 };

static const double CLOSE = 1e-12;

static const char arm[] = "HIERARCHY\nROOT base\n{\nOFFSET 1 2 0\n"
                          "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
                          "Yrotation\nJOINT tip\n{\nOFFSET 3 0 0\nCHANNELS 3 Xrotation Yrotation "
                          "Zrotation\nEnd Site\n{\nOFFSET 1 0 0\n}\n}\n}\n"
                          "MOTION\nFrames: 3\nFrame Time: 0.041666667\n"
                          "2 0 0 90 10 0 0 0 40\n"
                          "2 4 0 95 60 0 20 0 50\n"
                          "2 4 6 120 0 30 0 0 80\n";

static sn_moving load(const char *name, const char *motion, sn_scene *scene)
{
    char text[1024];
    int length = snprintf(text, sizeof text,
                          "frames: {first: %d, last: 20, fps: 24, preroll: %d}\n"
                          "bodies: [{name: a, mesh: m, cell: 1}]\n"
                          "pins: [{name: %s, body: a, region: {plane: {normal: [0, 1, 0]}}, "
                          "motion: %s}]\n",
                          FIRST, PREROLL, name, motion);
    sn_moving moving = {0};
    sn_status status = read_scene_text(MPI_COMM_WORLD, text, (size_t)length, NULL, 0, scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    sn_motion_source source = {.origin = &scene->origin, .frames = &scene->frames};
    status = sn_motion_load(MPI_COMM_WORLD, &source, "pins[0].motion", &scene->pins.data[0].motion,
                            &moving);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    sn_motion_source_free(&source);
    return moving;
}

static sn_affine slope(const sn_moving *moving, double from, double to)
{
    sn_affine a = sn_moving_at(moving, from), b = sn_moving_at(moving, to);
    for (int i = 0; i < 12; i++)
        b.row[i / 4][i % 4] = (b.row[i / 4][i % 4] - a.row[i / 4][i % 4]) / (to - from);
    return b;
}

static void check_ends(const sn_moving *moving, const char *what)
{
    const double h = 1e-5, start = FIRST - PREROLL;
    const sn_affine still = {0};
    sn_affine rest = sn_moving_at(moving, start), before = sn_moving_at(moving, start - 3);
    CHECK(pose_difference(&rest, &SN_IDENTITY) < CLOSE, "%s does not begin at rest", what);
    CHECK(pose_difference(&before, &SN_IDENTITY) < CLOSE, "%s has moved before", what);
    sn_affine leaving = slope(moving, start, start + h);
    CHECK(pose_difference(&leaving, &still) < 1e-3, "%s begins with a jerk", what);
    sn_affine there = sn_moving_at(moving, FIRST), nearly = sn_moving_at(moving, FIRST - 1e-9);
    CHECK(pose_difference(&there, &nearly) < 1e-7, "%s does not arrive", what);
    sn_affine coming = slope(moving, FIRST - h, FIRST), going = slope(moving, FIRST, FIRST + h);
    CHECK(pose_difference(&coming, &going) < 1e-3, "%s meets the motion with another speed, by %g",
          what, pose_difference(&coming, &going));
}

/* The point of a hinge does not move, whatever else does. */
static void hinges_hold(void)
{
    sn_scene scene;
    sn_moving moving = load("p",
                            "{keys: [{frame: 5, rotate: {axis: [0, 0, 1], degrees: 80, about: "
                            "[7, 3, 0]}}, {frame: 9, rotate: {axis: [0, 0, 1], degrees: 120, "
                            "about: [7, 3, 0]}}]}",
                            &scene);
    check_ends(&moving, "a hinge");
    for (double frame = FIRST - PREROLL; frame < 9; frame += 0.5) {
        double hinge[3] = {7, 3, 1};
        sn_affine pose = sn_moving_at(&moving, frame);
        sn_affine_apply(&pose, hinge, hinge);
        CHECK(fabs(hinge[0] - 7) < 1e-9 && fabs(hinge[1] - 3) < 1e-9 && hinge[2] == 1,
              "frame %g: the hinge is at %g, %g", frame, hinge[0], hinge[1]);
        CHECK(sn_affine_not_rigid(&pose) < 1e-9, "frame %g is not rigid", frame);
    }
    sn_moving_free(&moving);
    sn_scene_free(&scene);
}

static void joints_hold(void)
{
    sn_scene scene, other;
    char motion[1200];
    snprintf(motion, sizeof motion, "{bvh: '%s', rest_frame: 0, offset: -0.5}",
             file_in_folder("lead_in.bvh").text);
    sn_moving base = load("base", motion, &scene), tip = load("tip", motion, &other);
    check_ends(&base, "the base");
    check_ends(&tip, "the tip");
    for (double frame = FIRST - PREROLL; frame < FIRST; frame += 0.25) {
        double here[3] = {4, 2, 0}, there[3] = {4, 2, 0}; /* the joint, at rest */
        sn_affine a = sn_moving_at(&base, frame), b = sn_moving_at(&tip, frame);
        sn_affine_apply(&a, here, here);
        sn_affine_apply(&b, there, there);
        for (int d = 0; d < 3; d++)
            CHECK(fabs(here[d] - there[d]) < 1e-9, "frame %g: the joint is torn", frame);
    }
    sn_moving_free(&base);
    sn_moving_free(&tip);
    sn_scene_free(&scene);
    sn_scene_free(&other);
}

static void clocks(void)
{
    sn_scene one, other;
    const char *keys = "{keys: [{frame: 5}, {frame: 9, translate: [8, 0, 0]}]%s}";
    char plain[200], changed[200];
    snprintf(plain, sizeof plain, keys, "");
    snprintf(changed, sizeof changed, keys, ", offset: 2, speed: 0.5, ease: smooth");
    sn_moving a = load("p", plain, &one), b = load("p", changed, &other);
    for (double frame = FIRST; frame < 19; frame += 0.25) {
        double t = fmin(fmax((frame - FIRST - 2) * 0.5 / 4, 0), 1);
        double x = sn_moving_at(&b, frame).row[0][3];
        CHECK(fabs(x - 8 * t * t * (3 - 2 * t)) < CLOSE, "frame %g: %g", frame, x);
        x = sn_moving_at(&a, frame).row[0][3];
        CHECK(fabs(x - fmin(2 * (frame - FIRST), 8)) < CLOSE, "frame %g: %g", frame, x);
    }
    sn_scene_free(&one);
    sn_scene_free(&other);
}

/* Halves of a screw make the whole, and between two places nothing leaps. */
static void screws(void)
{
    sn_affine map =
        sn_affine_rigid(sn_quaternion_by((sn_vec){0.6, 0, 0.8}, 140), (sn_vec){3, -4, 5});
    sn_affine half = sn_affine_screw(&map, 0.5), twice = sn_affine_after(&half, &half);
    CHECK(pose_difference(&twice, &map) < CLOSE, "half a screw twice is off by %g",
          pose_difference(&twice, &map));
    sn_affine large = map;
    for (int i = 0; i < 9; i++)
        large.row[i / 3][i % 3] *= 2;
    sn_affine end = sn_affine_between(&map, &large, 1 - 1e-9);
    CHECK(pose_difference(&end, &large) < 1e-7, "a way leaps at its end");
    end = sn_affine_between(&map, &large, 0.5);
    CHECK(fabs(cbrt(sn_affine_determinant(&end)) - 1.5) < CLOSE, "stretch");
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_folder();
    write_text("lead_in.bvh", arm);
    hinges_hold();
    joints_hold();
    clocks();
    screws();
    remove_file("lead_in.bvh");
    remove_folder();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
