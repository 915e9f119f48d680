/* Motions of a scene from files and built-in ones, on all ranks: the file's clock against the
 * scene's, holding, the rest pose, lengths and axes, sequences of meshes, and one message for
 * each thing that is wrong. */
#include "helpers/motion_files.h"
#include "helpers/scene_text.h"

#include "io/motion/read.h"
#include "motion/axes.h"
#include "motion/motion.h"
#include "motion/moving_mesh.h"
#include "shapes/creature_bones.h"

static const double TOLERANCE = 1e-12;

static const char arm[] = "HIERARCHY\nROOT base\n{\nOFFSET 0 0 0\n"
                          "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
                          "Yrotation\nJOINT tip\n{\nOFFSET 3 0 0\nCHANNELS 3 Xrotation Yrotation "
                          "Zrotation\nEnd Site\n{\nOFFSET 1 0 0\n}\n}\n}\n"
                          "MOTION\nFrames: 4\nFrame Time: 0.083333\n" /* 12 a second */
                          "0 0 0 0 0 0 0 0 0\n"
                          "2 0 0 90 0 0 0 0 40\n"
                          "2 4 0 90 60 0 20 0 0\n"
                          "2 4 6 0 0 30 0 0 0\n";

/* A scene of frames 11 to 23, 24 a second, whose only pin and collider have this motion. */
static sn_scene scene_of(const char *motion)
{
    char text[2048];
    int length =
        snprintf(text, sizeof text,
                 "frames: {first: 11, last: 23, fps: 24}\n"
                 "bodies: [{name: a, mesh: m, cell: 1}]\n"
                 "%s: [{name: tip, %s, motion: %s}]\n",
                 strstr(motion, "sequence") ? "colliders" : "pins",
                 strstr(motion, "sequence") ? "stiffness: 1"
                                            : "body: a, region: {plane: {normal: [0, 1, 0]}}",
                 motion);
    sn_scene scene;
    sn_status status = read_scene_text(MPI_COMM_WORLD, text, (size_t)length, NULL, 0, &scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    return scene;
}

/* The folder in front of the name of a file. */
typedef struct {
    char text[1024];
} motion_text;

static motion_text in_folder(const char *format, const char *more)
{
    motion_text motion;
    snprintf(motion.text, sizeof motion.text, format, folder, more);
    return motion;
}

/* From a source of its own. */
static sn_status load_motion(MPI_Comm comm, const sn_scene *scene, const char *key_path,
                             const sn_motion *motion, sn_moving *moving)
{
    sn_motion_source source = {.origin = &scene->origin, .frames = &scene->frames};
    sn_status status = sn_motion_load(comm, &source, key_path, motion, moving);
    sn_motion_source_free(&source);
    return status;
}

static sn_moving load(const sn_scene *scene)
{
    sn_moving moving, alone;
    const sn_motion *motion = &scene->pins.data[0].motion;
    sn_status status = load_motion(MPI_COMM_WORLD, scene, "pins[0].motion", motion, &moving);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    /* the same bits as on one rank alone */
    status = load_motion(MPI_COMM_SELF, scene, "pins[0].motion", motion, &alone);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    for (double frame = 9; frame < 26; frame += 0.25) {
        sn_affine a = sn_moving_at(&moving, frame), b = sn_moving_at(&alone, frame);
        CHECK(memcmp(&a, &b, sizeof a) == 0, "frame %g", frame);
    }
    sn_moving_free(&alone);
    return moving;
}

/* The file's poses, which test_motion_files holds to matrices made by hand. */
static sn_affine relative(const char *joint, double time, double rest)
{
    sn_skeleton s;
    sn_affine a = SN_IDENTITY, b, back = SN_IDENTITY;
    if (sn_motion_read_bvh(file_in_folder("arm.bvh").text, SN_BVH_ADDED, &s) == SN_OK) {
        int j = sn_skeleton_find(&s, joint);
        a = sn_skeleton_pose(&s, j, time);
        b = sn_skeleton_pose(&s, j, rest);
        sn_affine_invert(&b, &back);
        sn_skeleton_free(&s);
    }
    return sn_affine_after(&a, &back);
}

static void check_moving(const sn_moving *moving, double frame, const char *joint, double time,
                         double rest)
{
    sn_affine pose = sn_moving_at(moving, frame), expected = relative(joint, time, rest);
    CHECK(pose_difference(&pose, &expected) < TOLERANCE, "frame %g: %g off", frame,
          pose_difference(&pose, &expected));
    CHECK(sn_affine_not_rigid(&pose) < TOLERANCE, "frame %g is not rigid", frame);
}

/* 12 frames a second against 24: two frames of the scene are one of the file. */
static void clocks(void)
{
    sn_scene scene = scene_of(in_folder("{bvh: %s/arm.bvh}", "").text); /* joint: the pin's name */
    sn_moving moving = load(&scene);
    for (double frame = 9; frame < 25; frame += 0.25)
        check_moving(&moving, frame, "tip", fmin(fmax((frame - 11) / 2, 0), 3), 0);
    sn_affine first = sn_moving_at(&moving, 11), before = sn_moving_at(&moving, -5);
    CHECK(memcmp(&first, &SN_IDENTITY, sizeof first) == 0, "exactly at rest");
    CHECK(memcmp(&before, &SN_IDENTITY, sizeof first) == 0, "held before");
    sn_moving_free(&moving);
    sn_scene_free(&scene);
    scene = scene_of(in_folder("{bvh: %s/arm.bvh, joint: base, fps: 6}", "").text);
    moving = load(&scene);
    for (double frame = 11; frame < 25; frame += 0.25)
        check_moving(&moving, frame, "base", fmin((frame - 11) / 4, 3), 0);
    sn_moving_free(&moving);
    sn_scene_free(&scene);
}

static void rest_frames(void)
{
    sn_scene scene = scene_of(in_folder("{bvh: %s/arm.bvh, rest_frame: 3}", "").text);
    sn_moving moving = load(&scene);
    check_moving(&moving, 11, "tip", 0, 2);
    check_moving(&moving, 16.5, "tip", 2.75, 2);
    sn_affine at_rest = sn_moving_at(&moving, 15);
    CHECK(memcmp(&at_rest, &SN_IDENTITY, sizeof at_rest) == 0, "exactly at rest");
    sn_moving_free(&moving);
    sn_scene_free(&scene);
}

/* The hierarchy's own pose, nothing turned: the tip is shifted by the sum of the OFFSETs. Where
 * position channels stand instead of the OFFSET, no frame of the file has it. */
static void rest_in_the_hierarchy(void)
{
    static const char *const positions[] = {"added", "instead"};
    static const char offset[] = "OFFSET 0 0 0", lifted[] = "OFFSET 1 2 3";
    const double p[3] = {4.5, 1, 7}, from_tip[3] = {p[0] - 4, p[1] - 2, p[2] - 3};
    char text[sizeof arm];
    strcpy(text, arm);
    memcpy(strstr(text, offset), lifted, strlen(lifted));
    write_text("lifted.bvh", text);
    for (int i = 0; i < 2; i++) {
        sn_scene scene = scene_of(
            in_folder("{bvh: %s/lifted.bvh, rest_frame: 0, scale: 0.5, up: z, positions: %s}",
                      positions[i])
                .text);
        const sn_motion *motion = &scene.pins.data[0].motion;
        sn_moving moving = load(&scene);
        sn_skeleton s;
        sn_status status =
            sn_motion_read_bvh(file_in_folder("lifted.bvh").text, motion->positions, &s);
        CHECK(status == SN_OK, "%s", sn_failure_message());
        for (double frame = 11; status == SN_OK && frame < 18; frame += 0.25) {
            sn_affine in_file = sn_skeleton_pose(&s, sn_skeleton_find(&s, "tip"), (frame - 11) / 2);
            sn_affine in_scene = sn_moving_at(&moving, frame);
            double at[3], q[3], expected[3];
            sn_affine_apply(&in_file, from_tip, at);
            sn_vec_store(sn_motion_axes_point(motion, sn_vec_load(at)), expected);
            sn_vec_store(sn_motion_axes_point(motion, sn_vec_load(p)), q);
            sn_affine_apply(&in_scene, q, q);
            for (int d = 0; d < 3; d++)
                CHECK(fabs(q[d] - expected[d]) < TOLERANCE, "%s, frame %g: %g, expected %g",
                      positions[i], frame, q[d], expected[d]);
        }
        if (status == SN_OK)
            sn_skeleton_free(&s);
        sn_moving_free(&moving);
        sn_scene_free(&scene);
    }
    remove_file("lifted.bvh");
}

/* A point of the file, turned and scaled, moves as the point in the file does. */
static void lengths_and_axes(void)
{
    static const char *const up[] = {"x", "y", "z"};
    const double p[3] = {0.5, -2, 3};
    for (int axis = 0; axis < 3; axis++) {
        sn_scene scene =
            scene_of(in_folder("{bvh: %s/arm.bvh, scale: 0.5, up: %s}", up[axis]).text);
        sn_moving moving = load(&scene);
        sn_affine in_file = relative("tip", 1.5, 0), in_scene = sn_moving_at(&moving, 14);
        double file[3], q[3], expected[3];
        sn_affine_apply(&in_file, p, file);
        for (int i = 0; i < 2; i++) {
            const double *from = i ? file : p;
            double *to = i ? expected : q;
            to[0] = 0.5 * (axis == 0 ? -from[1] : from[0]);
            to[1] = 0.5 * from[axis]; /* up is y */
            to[2] = 0.5 * (axis == 2 ? -from[1] : from[2]);
        }
        sn_affine_apply(&in_scene, q, q);
        for (int d = 0; d < 3; d++)
            CHECK(fabs(q[d] - expected[d]) < TOLERANCE, "up %s: %g, expected %g", up[axis], q[d],
                  expected[d]);
        CHECK(sn_affine_not_rigid(&in_scene) < TOLERANCE, "up %s", up[axis]);
        sn_moving_free(&moving);
        sn_scene_free(&scene);
    }
}

static void csv_at_the_scenes_rate(void)
{
    write_text("m.csv", "1 0 0 5 0 1 0 0 0 0 1 0\n1 0 0 7 0 1 0 0 0 0 1 0\n");
    sn_scene scene = scene_of(in_folder("{csv: %s/m.csv, scale: 10}", "").text);
    sn_moving moving = load(&scene);
    static const double x[][2] = {{10, 0}, {11, 0}, {11.5, 10}, {12, 20}, {20, 20}};
    for (int i = 0; i < 5; i++) {
        sn_affine pose = sn_moving_at(&moving, x[i][0]);
        CHECK(fabs(pose.row[0][3] - x[i][1]) < TOLERANCE, "frame %g: %g", x[i][0], pose.row[0][3]);
    }
    sn_moving_free(&moving);
    sn_scene_free(&scene);
    remove_file("m.csv");
}

/* Keys at times of their own, names and all, arrive as they were. */
static void skeletons_are_shared(void)
{
    sn_skeleton s = {0}, whole = {.in_seconds = true, .fps = 17, .last = 4};
    for (int j = 0; j < 3; j++) {
        sn_joint joint = {.name = sn_copy_text(j ? "" : "a b"), .parent = j - 1, .is_end = j == 2};
        joint.rest =
            sn_affine_rigid(sn_quaternion_by((sn_vec){0, 1, 0}, 10 * j), (sn_vec){j, 0, 0});
        if (j == 1) {
            sn_track *track = &joint.track[SN_TRACK_STRETCH];
            track->n = 2;
            track->time = SN_NEW(double, 2);
            track->value = SN_NEW(double, 6);
            track->time[0] = 1, track->time[1] = 4;
            for (int i = 0; i < 6; i++)
                track->value[i] = 1 + i;
        }
        sn_push(&whole.joints, joint);
    }
    if (my_rank() == 0)
        s = sn_skeleton_chain(&whole, 2);
    sn_skeleton_share(MPI_COMM_WORLD, &s);
    CHECK(s.in_seconds && s.fps == 17 && s.last == 4 && s.joints.count == 3, "the clock");
    for (int j = 0; j < 3; j++) {
        const sn_joint *a = &s.joints.data[j], *b = &whole.joints.data[j];
        CHECK(strcmp(a->name, b->name) == 0 && a->is_end == b->is_end, "joint %d", j);
        for (double time = 0; time < 5; time += 0.5) {
            sn_affine p = sn_skeleton_pose(&s, j, time), q = sn_skeleton_pose(&whole, j, time);
            CHECK(memcmp(&p, &q, sizeof p) == 0, "joint %d at %g", j, time);
        }
    }
    sn_skeleton_free(&s);
    sn_skeleton_free(&whole);
}

/* Reading once is seen by taking the file away after the first. */
static void files_are_read_once(void)
{
    sn_scene scene = scene_of(in_folder("{bvh: %s/arm.bvh}", "").text);
    sn_motion_source source = {.origin = &scene.origin, .frames = &scene.frames};
    sn_moving first, second;
    sn_motion other = scene.pins.data[0].motion;
    other.joint = (char[]){"base"};
    CHECK(sn_motion_load(MPI_COMM_WORLD, &source, "pins[0].motion", &scene.pins.data[0].motion,
                         &first) == SN_OK,
          "%s", sn_failure_message());
    remove_file("arm.bvh");
    CHECK(sn_motion_load(MPI_COMM_WORLD, &source, "pins[0].motion", &other, &second) == SN_OK, "%s",
          sn_failure_message());
    write_text("arm.bvh", arm);
    check_moving(&second, 14, "base", 1.5, 0);
    sn_moving_free(&first);
    sn_moving_free(&second);
    sn_motion_source_free(&source);
    sn_scene_free(&scene);
}

/* Where bone meets parent, both say so, at every frame. */
static void creature_walks(void)
{
    for (int forward = 0; forward < 2; forward++)
        for (int bone = 1; bone < sn_creature_bone_count(); bone++) {
            char text[128];
            sn_moving moving[2];
            sn_scene scene[2];
            int parent = sn_creature_bone_parent(bone);
            for (int i = 0; i < 2; i++) {
                snprintf(text, sizeof text,
                         "{builtin: 'creature_walk%s,period=2,start=0.25', joint: %s, scale: 3}",
                         forward ? "_forward" : "", sn_creature_bone_name(i ? parent : bone));
                scene[i] = scene_of(text);
                moving[i] = load(&scene[i]);
            }
            double joint[3];
            sn_vec_store(sn_creature_bone_joint(bone, 3), joint);
            for (double frame = 11; frame < 40; frame += 1.5) {
                sn_affine a = sn_moving_at(&moving[0], frame), b = sn_moving_at(&moving[1], frame);
                double p[3], q[3];
                sn_affine_apply(&a, joint, p);
                sn_affine_apply(&b, joint, q);
                CHECK(sn_affine_not_rigid(&a) < TOLERANCE, "bone %d", bone);
                for (int d = 0; d < 3; d++)
                    CHECK(fabs(p[d] - q[d]) < 1e-9, "bone %d at %g is off its joint by %g", bone,
                          frame, fabs(p[d] - q[d]));
            }
            sn_affine at_first = sn_moving_at(&moving[0], 11);
            CHECK(pose_difference(&at_first, &SN_IDENTITY) < TOLERANCE, "begins at rest");
            for (int i = 0; i < 2; i++) {
                sn_moving_free(&moving[i]);
                sn_scene_free(&scene[i]);
            }
        }
}

/* After its start the walker is where the gait has it, moved on by its strides. */
static void creature_walks_as_its_gait(void)
{
    sn_scene scene = scene_of("{builtin: 'creature_walk_forward,start=0.5', joint: pelvis}");
    int bone = sn_creature_bone_find("pelvis");
    sn_moving moving = load(&scene);
    for (double frame = 24; frame < 60; frame += 2.5) {
        double seconds = (frame - 11) / 24, gait[12];
        sn_creature_walk(bone, seconds, 1, gait);
        gait[3] += sn_creature_stride(1) * (seconds - 0.25);
        sn_affine expected = sn_affine_of(gait), pose = sn_moving_at(&moving, frame);
        CHECK(pose_difference(&pose, &expected) < TOLERANCE, "frame %g: %g", frame,
              pose_difference(&pose, &expected));
        double tiny = 1e-6; /* it never jumps, either */
        sn_affine a = sn_moving_at(&moving, frame - 13),
                  b = sn_moving_at(&moving, frame - 13 + tiny);
        CHECK(pose_difference(&a, &b) < 10 * tiny, "frame %g", frame - 13);
    }
    sn_moving_free(&moving);
    sn_scene_free(&scene);
}

/* Sequences. */

static const char tetrahedron[] = "v %d 0 0\nv 1 0 0\nv 0 1 %d\nv 0 0 1\nf 1 3 2\nf 1 2 4\n"
                                  "f 2 3 4\nf 3 1 4\n";

static void write_frame(int number, int x, int z)
{
    char name[32], text[256];
    snprintf(name, sizeof name, "t_%03d.obj", number);
    snprintf(text, sizeof text, tetrahedron, x, z);
    write_text(name, text);
}

static void remove_frame(int number)
{
    char name[32];
    snprintf(name, sizeof name, "t_%03d.obj", number);
    remove_file(name);
}

static void meshes_in_sequence(void)
{
    for (int i = 0; i < 3; i++)
        write_frame(98 + i, -8 * i * i, 4 * i);
    sn_scene scene = scene_of(in_folder("{sequence: '%s/t_###.obj', fps: 12, up: z}", "").text);
    sn_moving_mesh mesh;
    sn_motion_source source = {.origin = &scene.origin, .frames = &scene.frames};
    sn_status status = sn_moving_mesh_load(MPI_COMM_WORLD, &source, "colliders[0].motion",
                                           &scene.colliders.data[0].motion, &mesh);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    if (status == SN_OK) {
        CHECK(mesh.view.n_vertices == 4 && mesh.view.n_triangles == 4, "a tetrahedron");
        static const double expected[][3] = {/* frame, x of vertex 1, z of vertex 3 */
                                             {11, 0, 0},     {12, -4, 2},  {13, -8, 4},
                                             {13.5, -14, 5}, {15, -32, 8}, {14, -20, 6},
                                             {20, -32, 8},   {10, 0, 0},   {13, -8, 4}};
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
            CHECK(sn_moving_mesh_pose(&mesh, expected[i][0]) == SN_OK, "%s", sn_failure_message());
            double x = mesh.view.vertex[0][0], up = mesh.view.vertex[2][1];
            CHECK(fabs(x - expected[i][1]) < TOLERANCE && fabs(up - expected[i][2]) < TOLERANCE,
                  "frame %g: %g %g", expected[i][0], x, up);
            CHECK(mesh.view.vertex[2][2] == -1 && mesh.view.triangle[0][1] == 2, "turned");
        }
        remove_frame(100);
        CHECK(sn_moving_mesh_pose(&mesh, 15) == SN_BAD_INPUT &&
                  strstr(sn_failure_message(), "t_100.obj"),
              "%s", sn_failure_message());
        write_frame(100, -32, 8);
        CHECK(sn_moving_mesh_pose(&mesh, 15) == SN_OK && mesh.view.vertex[0][0] == -32, "again");
        sn_moving_mesh_free(&mesh);
    }
    sn_scene_free(&scene);
    for (int i = 0; i < 3; i++)
        remove_frame(98 + i);
}

/* Everything that is wrong has its message, the same on all ranks. */

static void refuse(motion_text motion, const char *key, const char *message)
{
    sn_scene scene = scene_of(motion.text);
    bool sequence = scene.colliders.count > 0;
    sn_moving moving;
    sn_moving_mesh mesh;
    sn_motion_source source = {.origin = &scene.origin, .frames = &scene.frames};
    sn_status status = sequence
                           ? sn_moving_mesh_load(MPI_COMM_WORLD, &source, "colliders[0].motion",
                                                 &scene.colliders.data[0].motion, &mesh)
                           : sn_motion_load(MPI_COMM_WORLD, &source, "pins[0].motion",
                                            &scene.pins.data[0].motion, &moving);
    sn_motion_source_free(&source);
    const char *said = sn_failure_message();
    CHECK(status == SN_BAD_INPUT && strstr(said, ".yaml:3:") && strstr(said, key) &&
              strstr(said, message),
          "status %d: %s\n  expected %s: %s", status, said, key, message);
    sn_scene_free(&scene);
}

static void bad_motions(void)
{
    refuse(in_folder("{bvh: %s/no.bvh}", ""), "pins[0].motion.bvh: ", "no.bvh: cannot open");
    refuse(in_folder("{bvh: %s/arm.bvh, joint: leg}", ""),
           "pins[0].motion.joint: ", "arm.bvh has no joint \"leg\"; it has: base, tip");
    refuse(in_folder("{bvh: %s/arm.bvh, rest_frame: 5}", ""), "pins[0].motion.rest_frame: ",
           "expected a frame of the file, 1 to 4, or 0 for its hierarchy, got 5");
    refuse(in_folder("{bvh: %s/arm.bvh, rest_frame: 0.5}", ""),
           "pins[0].motion.rest_frame: ", "1 to 4, or 0 for its hierarchy, got 0.5");
    refuse(in_folder("{gltf: %s/arm.bvh}", ""), "pins[0].motion.gltf: ", "arm.bvh: expected");
    refuse(in_folder("{csv: %s/arm.bvh}", ""), "pins[0].motion.csv: ", "arm.bvh:2: ");
    write_text("flat.csv", "1 0 0 0 0 1 0 0 0 0 0 0\n1 0 0 0 0 1 0 0 0 0 1 0\n");
    refuse(in_folder("{csv: %s/flat.csv}", ""), "pins[0].motion.csv: ", "flattens space");
    refuse(in_folder("{csv: %s/flat.csv, rest_frame: 0}", ""),
           "motion.rest_frame: ", "expected a frame of the file, 1 to 2, got 0");
    refuse(in_folder("{csv: %s/flat.csv, rest_frame: 1}", ""), "motion.rest_frame: ", "flattens");
    remove_file("flat.csv");
    write_text("huge.csv", "1 0 0 0 0 1 0 0 0 0 1 0\n1 0 0 1e308 0 1 0 0 0 0 1 0\n");
    refuse(in_folder("{csv: %s/huge.csv, scale: 100}", ""), "motion.csv: ", "too large");
    remove_file("huge.csv");
    refuse((motion_text){"{builtin: gallop}"},
           "motion.builtin: ", "there is no built-in motion \"gallop\"; there are: creature_walk");
    refuse((motion_text){"{builtin: 'creature_walk,speed=2', joint: pelvis}"},
           "motion.builtin: ", "no parameter \"speed=2\"");
    refuse((motion_text){"{builtin: 'creature_walk,period=0', joint: pelvis}"},
           "motion.builtin: ", "expected a number from 0.001");
    refuse((motion_text){"{builtin: creature_walk, joint: horn}"},
           "motion.joint: ", "the creature has no bone \"horn\"; it has: pelvis");
}

static void bad_sequences(void)
{
    write_frame(1, 0, 0), write_frame(2, 0, 0), write_frame(4, 0, 0);
    refuse(in_folder("{sequence: '%s/t_###.obj'}", ""), "colliders[0].motion.sequence: ",
           "t_003.obj: frame 3 is missing, the sequence goes from 1 to 4");
    write_text("t_003.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    refuse(in_folder("{sequence: '%s/t_###.obj'}", ""),
           "sequence: ", "t_003.obj: has 3 vertices, but the sequence's first frame has 4");
    write_text("t_003.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 1\nf 3 1 4\n");
    refuse(in_folder("{sequence: '%s/t_###.obj'}", ""),
           "sequence: ", "t_003.obj: face 3 has other vertices");
    write_text("t_003.obj", "v 0 0 nan\n");
    refuse(in_folder("{sequence: '%s/t_###.obj'}", ""), "sequence: ", "t_003.obj:1: ");
    refuse(in_folder("{sequence: '%s/t_##.obj'}", ""), "sequence: ", "there is no file like this");
    refuse(in_folder("{sequence: '%s/none/t_##.obj'}", ""), "sequence: ", "cannot open the folder");
    refuse(in_folder("{sequence: '%s/t_001.obj'}", ""), "sequence: ", "expected one row of");
    for (int i = 1; i <= 4; i++)
        remove_frame(i);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_folder();
    write_text("arm.bvh", arm);
    clocks();
    rest_frames();
    rest_in_the_hierarchy();
    lengths_and_axes();
    csv_at_the_scenes_rate();
    skeletons_are_shared();
    files_are_read_once();
    creature_walks();
    creature_walks_as_its_gait();
    meshes_in_sequence();
    bad_motions();
    bad_sequences();
    remove_file("arm.bvh");
    remove_folder();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
