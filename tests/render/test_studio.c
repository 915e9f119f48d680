/* Traced light against what is known of a ball over a ground; the same bytes on any threads and
 * ranks; cameras that see all they must; colliders as meshes. */
#include "base/array.h"
#include "helpers/check.h"
#include "helpers/scene_text.h"
#include "render/look.h"
#include "render/props.h"
#include "render/shade.h"
#include "render/stage.h"
#include "shapes/shape.h"

#include "base/pi.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 240, HEIGHT = 160, SAMPLES = 12 };
static const sn_background grey = {{180, 180, 180}, {180, 180, 180}};
static const sn_mesh_look clay = {.colour = {200, 150, 120}};

/* ---- A ball over a ground ---- */

static const double radius = 0.5, height = 0.9; /* of the ball's middle, over the origin */

/* So many times its size, about its middle. */
static sn_mesh ball(double scale)
{
    sn_mesh mesh;
    sn_status status = sn_builtin_make("builtin:sphere,radius=0.5,detail=12", &mesh);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    for (int64_t v = 0; v < mesh.n_vertices; v++)
        for (int d = 0; d < 3; d++)
            mesh.vertex[v][d] = scale * mesh.vertex[v][d] + (d == 1 ? height : 0);
    return mesh;
}

static const sn_camera over_the_ground = {
    .eye = {0.5, 3.5, 6}, .target = {0, 0.5, 0}, .up = {0, 1, 0}, .field_of_view = 35};

/* Frees the picture. */
static sn_image on_the_ground(sn_picture *picture)
{
    sn_ground ground = {.normal = {0, 1, 0}, .reach = 5};
    sn_picture_set_ground(picture, &ground);
    sn_image image;
    sn_status status = sn_picture_render(picture, SAMPLES, &image);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    sn_picture_free(picture);
    return image;
}

static sn_image render_ball(bool twice)
{
    sn_mesh mesh = ball(1);
    sn_picture *picture = sn_picture_create(WIDTH, HEIGHT, &over_the_ground, grey);
    sn_picture_add_mesh(picture, &mesh, 0, mesh.n_triangles, &clay);
    if (twice) { /* every hit is a tie: what was added first is seen */
        sn_mesh_look blue = {.colour = {40, 60, 220}};
        sn_picture_add_mesh(picture, &mesh, 0, mesh.n_triangles, &blue);
    }
    sn_mesh_free(&mesh);
    return on_the_ground(picture);
}

/* Where a camera shows a point, from -1 to 1 to the right and up. */
static void project(const sn_camera *camera, double aspect, const double point[3], double *x,
                    double *y)
{
    sn_view view = sn_view_of(camera, (int)(1000 * aspect), 1000);
    sn_vector3 p = sn_view_point(&view, point);
    sn_vector3 from_eye = sn_add3(p, sn_scale3(-1, view.eye));
    double depth = view.perspective ? -sn_dot3(from_eye, view.back) : 1;
    *x = sn_dot3(from_eye, view.right) / depth / view.half_width;
    *y = sn_dot3(from_eye, view.up) / depth / view.half_height;
}

static sn_vector3 light_at(const sn_image *image, const double point[3])
{
    double x, y;
    project(&over_the_ground, (double)WIDTH / HEIGHT, point, &x, &y);
    int column = (int)((x + 1) / 2 * WIDTH), row = (int)((1 - y) / 2 * HEIGHT);
    CHECK(column >= 0 && column < WIDTH && row >= 0 && row < HEIGHT, "out of the picture");
    const uint8_t *p = image->rgba + 4 * (row * WIDTH + column);
    return sn_colour_to_light((sn_colour){p[0], p[1], p[2]});
}

/* The middle of the shadow lies where the light's middle is behind the ball's. */
static void test_shadow_on_the_ground(void)
{
    sn_image image = render_ball(false);
    sn_view view = sn_view_of(&over_the_ground, WIDTH, HEIGHT);
    sn_vector3 key = sn_key_direction(&view), up = {0, 1, 0};
    double open = sn_colour_to_light(grey.top).x, far = height / key.y;
    double dark[3] = {-key.x * far, 0, -key.z * far}, lit[3] = {-dark[0], 0, dark[2]};
    double edge[3] = {dark[0] + 3 * radius, 0, dark[2]};
    double in_shadow = light_at(&image, dark).x / open, in_light = light_at(&image, lit).x / open;
    double least = sn_shade_ground(&view, up, (sn_visibility){0, 0.3f});
    double most = sn_shade_ground(&view, up, (sn_visibility){0, 1});
    CHECK(in_shadow > least && in_shadow < most, "%g is not from %g to %g", in_shadow, least, most);
    CHECK(in_light > 0.9 && in_light < 1.01, "lit ground is %g of the background", in_light);
    CHECK(light_at(&image, edge).x > 0.9 * open, "the shadow is too large");
    CHECK(in_shadow < 0.6 * in_light, "shadow %g, light %g", in_shadow, in_light);
    sn_image_free(&image);
}

/* What faces the light is shaded as a smooth ball in the open, although the mesh is coarse:
 * triangles do not show, nor shade each other. */
static void test_lit_side_is_smooth(void)
{
    sn_image image = render_ball(false);
    sn_view view = sn_view_of(&over_the_ground, WIDTH, HEIGHT);
    sn_vector3 key = sn_key_direction(&view), flesh = sn_colour_to_light(clay.colour);
    unsigned long long state = 5;
    int checked = 0;
    for (int i = 0; i < 2000; i++) {
        sn_vector3 n = {(float)(2 * test_random(&state) - 1), (float)(2 * test_random(&state) - 1),
                        (float)(2 * test_random(&state) - 1)};
        n = sn_unit3(n);
        double point[3] = {radius * n.x, height + radius * n.y, radius * n.z};
        sn_vector3 at = sn_view_point(&view, point);
        sn_vector3 to_eye = sn_unit3(sn_add3(view.eye, sn_scale3(-1, at)));
        if (sn_dot3(n, key) < 0.25f || sn_dot3(n, to_eye) < 0.5f || n.y < 0.1f)
            continue;
        sn_vector3 want = sn_shade(&view, flesh, n, to_eye, SN_OPEN), got = light_at(&image, point);
        CHECK(fabsf(got.x - want.x) < 0.05f && fabsf(got.z - want.z) < 0.05f,
              "normal %g %g %g: %g %g, not %g %g", n.x, n.y, n.z, got.x, got.z, want.x, want.z);
        checked++;
    }
    CHECK(checked > 100, "only %d points seen", checked);
    sn_image_free(&image);
}

static void test_same_bytes(void)
{
    int threads = omp_get_max_threads();
    sn_image one = render_ball(false), tied = render_ball(true);
    size_t bytes = 4 * WIDTH * HEIGHT;
    CHECK(memcmp(one.rgba, tied.rgba, bytes) == 0, "not what was added first");
    for (int t = 1; t <= 3; t += 2) {
        omp_set_num_threads(t);
        sn_image again = render_ball(true);
        CHECK(memcmp(one.rgba, again.rgba, bytes) == 0, "another picture with %d threads", t);
        sn_image_free(&again);
    }
    omp_set_num_threads(threads);
    uint64_t sum = 0, first;
    for (size_t i = 0; i < bytes; i++)
        sum = sum * 31 + one.rgba[i];
    first = sum;
    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    CHECK(sum == first, "another picture on this rank");
    sn_image_free(&one);
    sn_image_free(&tied);
}

/* ---- A bone in the ball ---- */

static const double bone_radius = 0.2;
static const double clearest = 0.8; /* the flesh over it */
static const sn_mesh_look sheer = {.colour = {200, 150, 120}, .substance = SN_SHEER};
static const sn_mesh_look ivory = {.colour = {230, 220, 190}, .substance = SN_INSIDE};

static void add_scaled(sn_picture *picture, double scale, const sn_mesh_look *look)
{
    sn_mesh mesh = ball(scale);
    sn_picture_add_mesh(picture, &mesh, 0, mesh.n_triangles, look);
    sn_mesh_free(&mesh);
}

/* The ball with a bone and something solid in it, unless their sizes are 0. */
static sn_image render_bone(double bone, double solid)
{
    sn_picture *picture = sn_picture_create(WIDTH, HEIGHT, &over_the_ground, grey);
    if (bone > 0)
        add_scaled(picture, bone / radius, &ivory);
    add_scaled(picture, 1, &sheer);
    if (solid > 0)
        add_scaled(picture, solid / radius, &clay);
    return on_the_ground(picture);
}

/* How near to the ball's middle the ray through a pixel's comes. */
static double distance_from_middle(int column, int row)
{
    sn_view view = sn_view_of(&over_the_ground, WIDTH, HEIGHT);
    sn_vector3 origin, direction;
    sn_view_ray(&view, 2 * ((float)column + 0.5f) / WIDTH - 1, 1 - 2 * ((float)row + 0.5f) / HEIGHT,
                &origin, &direction);
    sn_vector3 middle = sn_view_point(&view, (double[3]){0, height, 0});
    sn_vector3 to_middle = sn_add3(middle, sn_scale3(-1, origin));
    float along = sn_dot3(to_middle, direction);
    return sqrt(fmax(sn_dot3(to_middle, to_middle) - along * along, 0)) / view.scale;
}

/* Pixels change where the bone is behind them, and nowhere else: it throws no shadow. */
static void check_where_it_is(const sn_image *with, const sn_image *without)
{
    const double pixel = 0.03; /* more than one is wide, over there */
    int inside = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        double distance = distance_from_middle(i % WIDTH, i / WIDTH);
        bool same = memcmp(with->rgba + 4 * i, without->rgba + 4 * i, 4) == 0;
        inside += distance < bone_radius - pixel;
        CHECK(!same || distance > bone_radius - pixel, "nothing %g from the middle", distance);
        CHECK(same || distance < bone_radius + pixel, "something %g from the middle", distance);
    }
    CHECK(inside > 50, "only %d pixels", inside);
}

/* As much light as an ivory ball in the open sends, and the flesh's: mixed by how deep it is
 * under the flesh, or not at all if it is larger. */
static void check_light(const sn_image *with, const sn_image *without, double r)
{
    sn_view view = sn_view_of(&over_the_ground, WIDTH, HEIGHT);
    sn_vector3 middle = sn_view_point(&view, (double[3]){0, height, 0});
    sn_vector3 to_eye = sn_unit3(sn_add3(view.eye, sn_scale3(-1, middle)));
    sn_vector3 n = sn_unit3(sn_add3(to_eye, sn_scale3(0.5f, sn_key_direction(&view))));
    double point[3] = {r * n.x, height + r * n.y, r * n.z};
    sn_vector3 own = sn_shade(&view, sn_colour_to_light(ivory.colour), n, to_eye, SN_OPEN);
    sn_vector3 flesh = light_at(without, point), got = light_at(with, point);
    double up = r * sn_dot3(n, to_eye), deep = sqrt(radius * radius - r * r + up * up) - up;
    float share = 1; /* the flesh is at a distance of `deep` from there, along the ray */
    if (r < radius)
        share = (float)(clearest * exp(-deep * view.scale / view.half_height));
    sn_vector3 want = sn_add3(sn_scale3(share, own), sn_scale3(1 - share, flesh));
    CHECK(fabsf(got.x - want.x) < 0.03f && fabsf(got.z - want.z) < 0.03f, "%g %g, not %g %g", got.x,
          got.z, want.x, want.z);
}

static void test_bone_in_the_ball(void)
{
    double large = 1.1 * radius, core = 0.3;
    sn_image plain = render_ball(false), without = render_bone(0, 0),
             with = render_bone(bone_radius, 0), larger = render_bone(large, 0),
             hidden = render_bone(bone_radius, core), solid = render_bone(0, core);
    size_t bytes = 4 * WIDTH * HEIGHT;
    CHECK(memcmp(plain.rgba, without.rgba, bytes) == 0, "sheer flesh without bones is not solid");
    CHECK(memcmp(hidden.rgba, solid.rgba, bytes) == 0, "a bone is seen through something solid");
    check_where_it_is(&with, &without);
    check_light(&with, &without, bone_radius);
    check_light(&larger, &without, large);
    sn_image *all[] = {&plain, &without, &with, &larger, &hidden, &solid};
    for (int i = 0; i < 6; i++)
        sn_image_free(all[i]);
}

/* ---- Cameras ---- */

static void random_vector(unsigned long long *state, double scale, double v[3])
{
    for (int d = 0; d < 3; d++)
        v[d] = scale * (2 * test_random(state) - 1);
}

/* All points are seen, and some lie on the border of the margin on both sides. */
static void test_framing(void)
{
    enum { POINTS = 40 };
    const double margin = 1.25;
    unsigned long long state = 11;
    for (int i = 0; i < 200; i++) {
        double from[3], up[3], point[POINTS][3], most_x = 0, most_y = 0;
        random_vector(&state, 1, from);
        random_vector(&state, 1, up);
        double fov = i % 4 == 0 ? 0 : 10 + 80 * test_random(&state);
        double aspect = 0.5 + 2 * test_random(&state);
        sn_framing framing = sn_framing_begin(from, up, fov, aspect, margin);
        for (int p = 0; p < POINTS; p++) {
            random_vector(&state, 3, point[p]);
            point[p][0] = 2 * point[p][0] + 100;
            sn_framing_add(&framing, point[p]);
        }
        sn_camera camera = sn_framing_camera(&framing);
        for (int p = 0; p < POINTS; p++) {
            double x, y;
            project(&camera, aspect, point[p], &x, &y);
            most_x = fmax(most_x, fabs(x));
            most_y = fmax(most_y, fabs(y));
        }
        double most = fmax(most_x, most_y);
        CHECK(fabs(most * margin - 1) < 0.01, "case %d: points reach %g of the picture", i, most);
    }
}

static sn_scene scene_from(const char *text)
{
    sn_scene scene;
    sn_status status = read_scene_text(MPI_COMM_WORLD, text, strlen(text), NULL, 0, &scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    return scene;
}

static void test_scene_cameras(void)
{
    static const char *const text = "bodies: [{name: a, mesh: 'builtin:cube', cell: 0.5}]\n";
    sn_box box = {{-1, 0, 2}, {3, 1, 5}};
    sn_scene scene = scene_from(text);
    sn_camera found = sn_scene_camera_for_box(&scene, box, 1.5);
    CHECK(found.up[1] == 1 && found.eye[1] > 1 && found.eye[2] > 5, "not from above and in front");
    scene.gravity[1] = 0;
    scene.gravity[2] = -3;
    sn_camera z_up = sn_scene_camera_for_box(&scene, box, 1.5);
    CHECK(z_up.up[2] == 1 && z_up.eye[2] > 5 && z_up.eye[1] < 0, "not from above where z is up");
    for (int d = 0; d < 3; d++) {
        scene.camera.eye[d] = d + 7;
        scene.camera.target[d] = d;
    }
    sn_camera given = sn_scene_camera_for_box(&scene, box, 1.5);
    CHECK(given.eye[1] == 8 && given.target[2] == 2 && given.field_of_view == 28, "not as given");
    sn_scene_free(&scene);
}

/* ---- Colliders ---- */

static const char *const props_text =
    "bodies: [{name: a, mesh: 'builtin:cube', cell: 0.5}]\n"
    "colliders:\n"
    "  - {name: ball, shape: {sphere: {center: [1, 2, 3], radius: 2}}}\n"
    "  - {name: pill, shape: {capsule: {a: [0, 0, 0], b: [1, 2, 2], radius: 0.5}}}\n"
    "  - {name: can, shape: {cylinder: {a: [0, 0, 0], b: [0, 4, 3], radius: 0.5}}}\n"
    "  - {name: box, shape: {box: {min: [0, 0, 0], max: [1, 2, 3]}}}\n"
    "  - {name: file, shape: {mesh: 'builtin:cube'}}\n"
    "  - {name: wall, shape: {plane: {point: [9, -50, 9], normal: [1, 0.2, 0]}}}\n"
    "  - {name: high, shape: {plane: {point: [5, 1, 5], normal: [0, 2, 0]}}}\n"
    "  - {name: floor, shape: {plane: {normal: [0, -3, 0]}, invert: true},\n"
    "     motion: {keys: [{frame: 1}, {frame: 3, translate: [0, -2, 0]}]}}\n";

static void test_props(void)
{
    sn_scene scene = scene_from(props_text);
    sn_props props;
    sn_status status = sn_props_create(MPI_COMM_WORLD, &scene, &props);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    double ball = 4.0 / 3 * SN_PI;
    double volume[] = {8 * ball, ball / 8 + SN_PI * 0.25 * 3, SN_PI * 0.25 * 5, 6, 1, 0, 0, 0};
    for (size_t i = 0; i < props.colliders.count; i++) {
        double found = sn_mesh_volume(&props.colliders.data[i].mesh);
        CHECK(fabs(found - volume[i]) <= 0.01 * volume[i],
              "collider %zu has a volume of %g, not %g", i, found, volume[i]);
    }
    double up[3] = {0, 1, 0}, above[3] = {3, 4, 5};
    for (int frame = 1; frame <= 3; frame++) {
        sn_ground ground = {.reach = 1};
        CHECK(sn_props_find_ground(&props, frame, up, above, &ground), "no ground");
        CHECK(fabs(ground.middle[1] - (1 - frame)) < 1e-12 && ground.middle[0] == 3 &&
                  ground.normal[1] == 1,
              "frame %d: ground at %g", frame, ground.middle[1]);
    }
    CHECK(props.bones.count == 0, "bones that nobody wanted");
    sn_props_free(&props);
    sn_scene_free(&scene);
}

/* Bones go where the scene moves them: to the right, out of the picture's middle. */
static void test_bones_move(void)
{
    sn_scene scene =
        scene_from("bodies: [{name: a, mesh: 'builtin:cube', cell: 0.5}]\n"
                   "bones:\n"
                   "  - {name: b, body: a, mesh: 'builtin:sphere,radius=0.2', place: {translate: "
                   "[0, 0.5, 0]},\n"
                   "     motion: {keys: [{frame: 1}, {frame: 3, translate: [2, 0, 0]}]}}\n"
                   "camera: {eye: [0, 0.5, 9], target: [0, 0.5, 0]}\n"
                   "render: {width: 90, height: 60, samples: 2, bones: true, ground: none}\n");
    sn_extent extent = sn_extent_begin(&scene);
    sn_stage stage;
    const sn_frame_list no_frames = {0};
    const sn_frame_meshes no_meshes = {0};
    sn_status status = sn_stage_create(MPI_COMM_WORLD, &scene, &extent, &no_frames, &stage);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    for (int frame = 1; status == SN_OK && frame <= 3; frame++) {
        sn_image image;
        status = sn_stage_draw(&stage, frame, &no_meshes, &image);
        CHECK(status == SN_OK, "%s", sn_failure_message());
        double x, y, at[3] = {frame - 1, 0.5, 0};
        project(&stage.camera, 1.5, at, &x, &y);
        double sum = 0, n = 0;
        for (int i = 0; i < 90 * 60; i++) /* where it is warmer than the paper */
            if (image.rgba[4 * i] > image.rgba[4 * i + 2])
                sum += i % 90 + 0.5, n++;
        CHECK(n > 20 && fabs(sum / n - (x + 1) / 2 * 90) < 0.5, "frame %d: %g pixels at %g, not %g",
              frame, n, sum / n, (x + 1) / 2 * 90);
        sn_image_free(&image);
    }
    sn_stage_free(&stage);
    sn_scene_free(&scene);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    test_shadow_on_the_ground();
    test_lit_side_is_smooth();
    test_same_bytes();
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) /* it would be the same on all */
        test_bone_in_the_ball();
    test_framing();
    test_scene_cameras();
    test_props();
    test_bones_move();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
