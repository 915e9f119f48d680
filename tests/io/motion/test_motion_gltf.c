/* Motions from glTF files that are written here: nodes and the joints of a skin against matrices
 * from their quaternions by hand, choosing an animation, and files that are broken. */
#include "helpers/base64.h"
#include "helpers/motion_files.h"
#include "helpers/scene_text.h"

#include "base/pi.h"
#include "io/motion/read.h"
#include "motion/motion.h"

static const double TOLERANCE = 1e-6; /* the file has floats */

static const float hip_time[3] = {0, 0.5f, 1};
static const float hip_turn[3][4] = {{0, 0, 0, 1}, /* x y z w: none, a quarter about z, x */
                                     {0, 0, 0.70710678f, 0.70710678f},
                                     {0.70710678f, 0, 0, 0.70710678f}};
static const float knee_time[2] = {0.25f, 0.75f};
static const float knee_shift[2][3] = {{0, -2, 0}, {1, -2, 4}};

enum { BUFFER_BYTES = 324, TEXT_BYTES = 8192 };

static void put(char *buffer, size_t at, const void *data, size_t bytes)
{
    memcpy(buffer + at, data, bytes);
}

static void fill_buffer(char buffer[BUFFER_BYTES])
{
    static const float corner[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const unsigned char joint[3][4] = {{0}, {1}, {1}};
    static const float weight[3][4] = {{1}, {1}, {1}};
    static const float bind[2][16] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                                      {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 2, 0, 1}};
    static const unsigned short index[4] = {0, 1, 2, 0};
    put(buffer, 0, hip_time, sizeof hip_time);
    put(buffer, 12, hip_turn, sizeof hip_turn);
    put(buffer, 60, knee_time, sizeof knee_time);
    put(buffer, 68, knee_shift, sizeof knee_shift);
    put(buffer, 92, corner, sizeof corner);
    put(buffer, 128, joint, sizeof joint);
    put(buffer, 140, weight, sizeof weight);
    put(buffer, 188, bind, sizeof bind);
    put(buffer, 316, index, sizeof index);
}

#define VIEW(at, bytes) "{\"buffer\":0,\"byteOffset\":" #at ",\"byteLength\":" #bytes "}"
#define ACCESSOR(view, type, count, kind, more)                                                    \
    "{\"bufferView\":" #view ",\"componentType\":" #type ",\"count\":" #count ",\"type\":\"" kind  \
    "\"" more "}"
#define CHANNEL(sampler, node, path)                                                               \
    "{\"sampler\":" #sampler ",\"target\":{\"node\":" #node ",\"path\":\"" path "\"}}"
#define SAMPLER(input, output) "{\"input\":" #input ",\"output\":" #output "}"

/* Root (doubled and moved) > Hip > Knee > Foot, and a skinned triangle beside the Hip. */
static void make_text(char text[TEXT_BYTES])
{
    char buffer[BUFFER_BYTES];
    fill_buffer(buffer);
    /* clang-format off */
    strcpy(text,
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":["
        "{\"name\":\"Root\",\"translation\":[5,6,7],\"scale\":[2,2,2],\"children\":[1,4]},"
        "{\"name\":\"Hip\",\"translation\":[0,3,0],\"rotation\":[1,0,0,0],\"children\":[2]},"
        "{\"name\":\"Knee\",\"translation\":[0,-2,0],\"rotation\":[0,1,0,0],\"children\":[3]},"
        "{\"name\":\"Foot\",\"translation\":[0,-1,0]},"
        "{\"name\":\"Skin\",\"mesh\":0,\"skin\":0}],"
        "\"skins\":[{\"joints\":[1,2],\"inverseBindMatrices\":7}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":4,\"JOINTS_0\":5,"
        "\"WEIGHTS_0\":6},\"indices\":8}]}],"
        "\"animations\":["
        "{\"name\":\"walk\",\"channels\":["
            CHANNEL(0, 1, "rotation") "," CHANNEL(1, 2, "translation") "],"
            "\"samplers\":[" SAMPLER(0, 1) "," SAMPLER(2, 3) "]},"
        "{\"name\":\"slide\",\"channels\":[" CHANNEL(0, 2, "translation") "],"
            "\"samplers\":[" SAMPLER(2, 3) "]}],"
        "\"accessors\":["
            ACCESSOR(0, 5126, 3, "SCALAR", ",\"min\":[0],\"max\":[1]") ","
            ACCESSOR(1, 5126, 3, "VEC4", "") ","
            ACCESSOR(2, 5126, 2, "SCALAR", ",\"min\":[0.25],\"max\":[0.75]") ","
            ACCESSOR(3, 5126, 2, "VEC3", "") ","
            ACCESSOR(4, 5126, 3, "VEC3", ",\"min\":[0,0,0],\"max\":[1,1,0]") ","
            ACCESSOR(5, 5121, 3, "VEC4", "") ","
            ACCESSOR(6, 5126, 3, "VEC4", "") ","
            ACCESSOR(7, 5126, 2, "MAT4", "") ","
            ACCESSOR(8, 5123, 3, "SCALAR", "") "],"
        "\"bufferViews\":["
            VIEW(0, 12) "," VIEW(12, 48) "," VIEW(60, 8) "," VIEW(68, 24) "," VIEW(92, 36) ","
            VIEW(128, 12) "," VIEW(140, 48) "," VIEW(188, 128) "," VIEW(316, 8) "],"
        "\"buffers\":[{\"byteLength\":324,"
            "\"uri\":\"data:application/octet-stream;base64,");
    /* clang-format on */
    append_base64(text, buffer, sizeof buffer);
    strcat(text, "\"}]}");
}

/* What a point of the hip's own coordinates becomes, in degrees about z or about x. */
static void hip_by_hand(char axis, double degrees, const double p[3], double out[3])
{
    double c = cos(degrees * SN_PI / 180), s = sin(degrees * SN_PI / 180);
    double x = p[0], y = p[1], z = p[2];
    double turned[3] = {axis == 'z' ? c * x - s * y : x,
                        axis == 'z' ? s * x + c * y : c * y - s * z,
                        axis == 'z' ? z : s * y + c * z};
    out[0] = 5 + 2 * turned[0];
    out[1] = 6 + 2 * (turned[1] + 3);
    out[2] = 7 + 2 * turned[2];
}

static void check_point(const sn_skeleton *s, const char *name, double time, const double at[3],
                        const double expected[3])
{
    int joint = sn_skeleton_find(s, name);
    CHECK(joint >= 0, "no node %s", name);
    if (joint < 0)
        return;
    sn_affine pose = sn_skeleton_pose(s, joint, time);
    double got[3];
    sn_affine_apply(&pose, at, got);
    for (int d = 0; d < 3; d++)
        CHECK(fabs(got[d] - expected[d]) < 50 * TOLERANCE, "%s at %g, %c: %.9g, expected %.9g",
              name, time, "xyz"[d], got[d], expected[d]);
}

static void check_at(const sn_skeleton *s, double time, char axis, double degrees, double slid)
{
    const double p[3] = {0.5, -1, 2}, origin[3] = {0};
    double expected[3], in_hip[3] = {slid, -2, 4 * slid};
    hip_by_hand(axis, degrees, p, expected);
    check_point(s, "Hip", time, p, expected);
    hip_by_hand(axis, degrees, in_hip, expected);
    check_point(s, "Knee", time, origin, expected);
    in_hip[1] -= 1; /* the knee's own half turn about y leaves the foot below it */
    hip_by_hand(axis, degrees, in_hip, expected);
    check_point(s, "Foot", time, origin, expected);
}

static void nodes_and_joints(void)
{
    sn_skeleton s;
    sn_status status = sn_motion_read_gltf(file_in_folder("a.gltf").text, NULL, &s);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    if (status != SN_OK)
        return;
    CHECK(s.in_seconds && isnan(s.fps) && fabs(s.last - 1) < TOLERANCE, "clock: last %g", s.last);
    check_at(&s, -1, 'z', 0, 0);
    check_at(&s, 0, 'z', 0, 0);
    check_at(&s, 0.125, 'z', 22.5, 0);
    check_at(&s, 0.375, 'z', 67.5, 0.25);
    check_at(&s, 0.5, 'z', 90, 0.5);
    check_at(&s, 1, 'x', 90, 1);
    check_at(&s, 3, 'x', 90, 1);
    sn_affine half = sn_skeleton_pose(&s, sn_skeleton_find(&s, "Hip"), 0.75);
    for (int i = 0; i < 3; i++) /* turned somehow, and doubled by the root */
        for (int j = 0; j < 4; j++)
            half.row[i][j] /= 2;
    CHECK(sn_affine_not_rigid(&half) < 1e-5, "between turns: %g", sn_affine_not_rigid(&half));
    sn_skeleton_free(&s);
}

static void the_chosen_animation(void)
{
    sn_skeleton s;
    sn_status status = sn_motion_read_gltf(file_in_folder("a.gltf").text, "slide", &s);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    if (status == SN_OK)
        check_at(&s, 0.5, 'x', 180, 0.5); /* the hip as it stands in the file */
    sn_skeleton_free(&s);
    status = sn_motion_read_gltf(file_in_folder("a.gltf").text, "run", &s);
    CHECK(status == SN_BAD_INPUT && strstr(sn_failure_message(), "a.gltf: has no animation "
                                                                 "\"run\"; it has: walk, slide"),
          "%s", sn_failure_message());
}

/* In a scene of 8 frames a second from frame 3 on: what stands at a point of the hip in the rest
 * pose goes with the hip. */
static void moves_a_scene(const char *rest_frame, char rest_axis, double rest_degrees)
{
    char text[1024];
    int length =
        snprintf(text, sizeof text,
                 "frames: {first: 3, last: 13, fps: 8}\n"
                 "bodies: [{name: a, mesh: m, cell: 1}]\n"
                 "pins: [{name: Hip, body: a, region: {plane: {normal: [0, 1, 0]}}, "
                 "motion: {gltf: %s/a.gltf, animation: walk, scale: 0.5, rest_frame: %s}}]\n",
                 folder, rest_frame);
    sn_scene scene;
    sn_status status = read_scene_text(MPI_COMM_WORLD, text, (size_t)length, NULL, 0, &scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    sn_moving moving;
    sn_motion_source source = {.origin = &scene.origin, .frames = &scene.frames};
    status = sn_motion_load(MPI_COMM_WORLD, &source, "pins[0].motion", &scene.pins.data[0].motion,
                            &moving);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    const double p[3] = {0.5, -1, 2};
    static const struct {
        double frame, degrees;
        char axis;
    } poses[] = {{1, 0, 'z'},  {3, 0, 'z'},   {5, 45, 'z'},
                 {7, 90, 'z'}, {11, 90, 'x'}, {20, 90, 'x'}};
    for (int i = 0; status == SN_OK && i < 6; i++) {
        double at[3], expected[3];
        hip_by_hand(rest_axis, rest_degrees, p, at);
        hip_by_hand(poses[i].axis, poses[i].degrees, p, expected);
        for (int d = 0; d < 3; d++)
            at[d] /= 2, expected[d] /= 2;
        sn_affine pose = sn_moving_at(&moving, poses[i].frame);
        sn_affine_apply(&pose, at, at);
        for (int d = 0; d < 3; d++)
            CHECK(fabs(at[d] - expected[d]) < 50 * TOLERANCE, "frame %g: %g, expected %g",
                  poses[i].frame, at[d], expected[d]);
    }
    if (status == SN_OK)
        sn_moving_free(&moving);
    scene.pins.data[0].motion.rest_frame = 9.5; /* the last is 9 */
    status = sn_motion_load(MPI_COMM_WORLD, &source, "pins[0].motion", &scene.pins.data[0].motion,
                            &moving);
    sn_motion_source_free(&source);
    CHECK(status == SN_BAD_INPUT &&
              strstr(sn_failure_message(), "1 to 9, or 0 for its hierarchy, got 9.5"),
          "%s", sn_failure_message());
    sn_scene_free(&scene);
}

static void refuse(const char *name, const char *text, const char *message)
{
    sn_skeleton s;
    if (text)
        write_text(name, text);
    sn_status status = sn_motion_read_gltf(file_in_folder(name).text, NULL, &s);
    CHECK(status == SN_BAD_INPUT && strstr(sn_failure_message(), name) &&
              strstr(sn_failure_message(), message),
          "%s: status %d: %s", name, status, sn_failure_message());
    if (status == SN_OK)
        sn_skeleton_free(&s);
    if (text)
        remove_file(name);
}

static void bad_files(const char *good)
{
    refuse("no.gltf", NULL, "cannot open the file");
    refuse("empty.glb", "", "the file is empty");
    refuse("other.bvh", "HIERARCHY", "expected a glTF file");
    refuse("text.gltf", "hello", "expected a JSON object");
    refuse("half.gltf", "{\"asset\": [", "the JSON is broken: flow sequence");
    refuse("still.gltf",
           "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
           "\"nodes\":[{\"name\":\"a\"}]}",
           "has no animation");
    static char twins[TEXT_BYTES];
    strcpy(twins, good);
    memcpy(strstr(twins, "\"Foot\""), "\"Knee\"", 6);
    refuse("twins.gltf", twins, "several nodes");
}

static void cut_anywhere(const char *text)
{
    size_t bytes = strlen(text);
    for (size_t cut = 1; cut < bytes; cut += 61) {
        sn_skeleton s;
        write_bytes("cut.gltf", text, cut);
        sn_status status = sn_motion_read_gltf(file_in_folder("cut.gltf").text, NULL, &s);
        CHECK(status == SN_BAD_INPUT, "cut after %zu bytes: status %d", cut, status);
        if (status == SN_OK)
            sn_skeleton_free(&s);
    }
    remove_file("cut.gltf");
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    static char text[TEXT_BYTES];
    make_folder();
    make_text(text);
    write_text("a.gltf", text);
    nodes_and_joints();
    the_chosen_animation();
    moves_a_scene("5", 'z', 90); /* half a second at 8 frames a second */
    moves_a_scene("0", 'x', 180);
    int n_ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (n_ranks == 1) { /* these change files under the reader */
        bad_files(text);
        cut_anywhere(text);
    }
    remove_file("a.gltf");
    remove_folder();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
