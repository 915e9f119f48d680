/* The renderer against what is known of spheres, cubes and cells; and the same bytes however
 * the geometry is shared out. */
#include "base/array.h"
#include "helpers/check.h"
#include "render/legend.h"

#include "base/pi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RINGS = 90, SECTORS = 180, SIZE = 200 };
static const double up[3] = {0, 1, 0}, from_front[3] = {0, 0, 1};
static const sn_background white = {{255, 255, 255}, {255, 255, 255}};
static const sn_mesh_look clay = {.colour = {200, 150, 120}};

static int rank_of(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static sn_mesh sphere(const double centre[3], double radius)
{
    sn_mesh mesh = {.n_vertices = (RINGS + 1) * SECTORS, .n_triangles = 2 * RINGS * SECTORS};
    mesh.vertex = SN_NEW(double[3], mesh.n_vertices);
    mesh.triangle = SN_NEW(int32_t[3], mesh.n_triangles);
    for (int i = 0; i <= RINGS; i++)
        for (int j = 0; j < SECTORS; j++) {
            double a = SN_PI * i / RINGS, b = 2 * SN_PI * j / SECTORS;
            double *v = mesh.vertex[i * SECTORS + j];
            v[0] = centre[0] + radius * sin(a) * cos(b);
            v[1] = centre[1] + radius * cos(a);
            v[2] = centre[2] + radius * sin(a) * sin(b);
        }
    for (int i = 0; i < RINGS; i++)
        for (int j = 0; j < SECTORS; j++) {
            int a = i * SECTORS + j, b = i * SECTORS + (j + 1) % SECTORS;
            int32_t corner[2][3] = {{a, b, a + SECTORS}, {b, b + SECTORS, a + SECTORS}};
            memcpy(mesh.triangle[2 * a], corner, sizeof corner);
        }
    return mesh;
}

static sn_image draw(sn_picture *picture)
{
    sn_image image;
    sn_status status = sn_picture_draw(picture, MPI_COMM_WORLD, &image);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    CHECK((image.rgba != NULL) == (rank_of() == 0), "the image belongs to rank 0");
    sn_picture_free(picture);
    return image;
}

/* Triangles [first, first + count) for this rank, of `n` in all. */
static void my_part(int64_t n, int64_t *first, int64_t *count)
{
    int rank = rank_of(), size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *first = n * rank / size;
    *count = n * (rank + 1) / size - *first;
}

static const uint8_t *pixel(const sn_image *image, int x, int y)
{
    return image->rgba + 4 * (y * image->width + x);
}

/* Far from the origin, where single precision alone would see nothing of it. */
static void test_sphere_area_and_depth(double field_of_view)
{
    double centre[3] = {1e7, -2e7, 3e7}, radius = 0.5;
    sn_mesh mesh = sphere(centre, radius);
    sn_camera camera = sn_camera_frame(sn_mesh_bounds(&mesh), from_front, up, field_of_view, 1);
    sn_picture *picture = sn_picture_create(SIZE, SIZE, &camera, white);
    int64_t first, count;
    my_part(mesh.n_triangles, &first, &count);
    sn_picture_add_mesh(picture, &mesh, first, count, &clay);
    sn_image image = draw(picture);
    if (image.rgba) {
        double seen = 0, distance = camera.eye[2] - centre[2], expected;
        for (int i = 0; i < SIZE * SIZE; i++)
            seen += isfinite(image.depth[i]) ? 1 : 0;
        if (field_of_view > 0) {
            /* A cone from the eye that touches the sphere. */
            double sine = radius / distance, slope = sine / sqrt(1 - sine * sine);
            double half = tan(field_of_view * SN_PI / 360);
            expected = SN_PI * pow(slope / half * SIZE / 2, 2);
        } else
            expected = SN_PI * pow(radius / camera.height * SIZE, 2);
        CHECK(fabs(seen / expected - 1) < 0.01, "%g pixels, not %g", seen, expected);
        double depth = image.depth[SIZE / 2 * SIZE + SIZE / 2];
        CHECK(fabs(depth - (distance - radius)) < 1e-3 * radius, "depth %g, not %g", depth,
              distance - radius);
        CHECK(isinf(image.depth[0]), "the corner shows the sphere");
        CHECK(pixel(&image, 0, 0)[0] == 255, "the background is not white");
    }
    sn_image_free(&image);
    sn_mesh_free(&mesh);
}

typedef enum { ALL_ON_LAST, IN_ORDER, BACKWARDS_IN_CRUMBS } sharing;

static void share_out(sn_picture *picture, const sn_mesh *mesh, const sn_mesh_look *look,
                      sharing how)
{
    int rank = rank_of(), size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int64_t n = mesh->n_triangles, first, count, crumb = 997;
    my_part(n, &first, &count);
    if (how == ALL_ON_LAST && rank == size - 1)
        sn_picture_add_mesh(picture, mesh, 0, n, look);
    if (how == IN_ORDER)
        sn_picture_add_mesh(picture, mesh, first, count, look);
    for (int64_t at = n / crumb; at >= 0 && how == BACKWARDS_IN_CRUMBS; at--)
        if (at % size == rank)
            sn_picture_add_mesh(picture, mesh, at * crumb, at == n / crumb ? n % crumb : crumb,
                                look);
}

/* The first is looked at along its axis, where 180 triangles meet in one sample; the second is
 * there twice in different colours, so that every hit is a tie. */
static sn_image draw_shared(sharing how)
{
    double a[3] = {0, 0, 0}, b[3] = {0.6, 0.3, 0.2}, top[3] = {0, 1, 0};
    sn_mesh first = sphere(a, 0.5), second = sphere(b, 0.4);
    sn_mesh_look blue = {.colour = {60, 90, 200}, .cut = true}, red = blue;
    red.colour = (sn_colour){200, 50, 40};
    sn_box box = {{-0.5, -0.5, -0.5}, {1, 0.7, 0.6}};
    sn_camera camera = sn_camera_frame(box, top, from_front, 0, 1);
    sn_picture *picture = sn_picture_create(SIZE + 1, SIZE + 1, &camera, white);
    sn_picture_cut(picture, 1, 0.55);
    share_out(picture, &first, &clay, how);
    share_out(picture, &second, how == IN_ORDER ? &red : &blue, how);
    share_out(picture, &second, how == IN_ORDER ? &blue : &red, how);
    sn_mesh_free(&first);
    sn_mesh_free(&second);
    return draw(picture);
}

static void test_any_sharing_same_bytes(void)
{
    sn_image whole = draw_shared(ALL_ON_LAST);
    for (sharing how = IN_ORDER; how <= BACKWARDS_IN_CRUMBS; how++) {
        sn_image shared = draw_shared(how);
        if (whole.rgba) {
            size_t pixels = (size_t)whole.width * (size_t)whole.height;
            CHECK(memcmp(whole.rgba, shared.rgba, 4 * pixels) == 0, "sharing %d: colours", how);
            CHECK(memcmp(whole.depth, shared.depth, sizeof(float) * pixels) == 0,
                  "sharing %d: depths", how);
        }
        sn_image_free(&shared);
    }
    sn_image_free(&whole);
}

static void test_cut_shows_the_inside(void)
{
    double centre[3] = {2, 3, 4};
    sn_mesh mesh = sphere(centre, 0.5);
    for (int side = -1; side <= 1; side += 2) {
        double from[3] = {0, 0, side};
        sn_camera camera = sn_camera_frame(sn_mesh_bounds(&mesh), from, up, 30, 1);
        sn_picture *picture = sn_picture_create(SIZE, SIZE, &camera, white);
        sn_picture_cut(picture, 2, centre[2] + 0.1 * side);
        sn_mesh_look cut = clay;
        cut.cut = true;
        if (rank_of() == 0)
            sn_picture_add_mesh(picture, &mesh, 0, mesh.n_triangles, &cut);
        sn_image image = draw(picture);
        if (image.rgba) {
            double expected = fabs(camera.eye[2] - centre[2]) + 0.5;
            double depth = image.depth[SIZE / 2 * SIZE + SIZE / 2];
            CHECK(fabs(depth - expected) < 1e-3, "side %d: depth %g, not %g", side, depth,
                  expected);
        }
        sn_image_free(&image);
    }
    sn_mesh_free(&mesh);
}

/* Four unit cells around the middle of the picture, a large one beside them, and one that the
 * plane x = 0.5 does not cut. Heights are shown from the left upper pixel's view of the y-z
 * plane: the camera looks along -x, z goes to the left. */
static void test_cells(void)
{
    sn_cell cell[6] = {
        {{0, 0, 0}, 1, sn_level_colour(0)}, {{0, 1, 0}, 1, sn_level_colour(1)},
        {{0, 0, 1}, 1, sn_level_colour(2)}, {{0, 1, 1}, 1, sn_level_colour(3)},
        {{0, 0, 2}, 2, sn_level_colour(5)}, {{1, 2, 0}, 1, sn_level_colour(8)},
    };
    double from[3] = {1, 0, 0};
    sn_box box = {{0, 0, 0}, {2, 4, 4}};
    sn_camera camera = sn_camera_frame(box, from, up, 0, 1);
    sn_picture *picture = sn_picture_create(SIZE, SIZE, &camera, white);
    sn_picture_cut(picture, 0, 0.5);
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = rank_of(); i < 6; i += size)
        sn_picture_add_sections(picture, &cell[i], 1);
    sn_image image = draw(picture);
    double unit = SIZE / camera.height; /* pixels */
    for (int i = 0; i < 6 && image.rgba; i++) {
        double y = cell[i].min[1] + cell[i].edge / 2 - 2, z = cell[i].min[2] + cell[i].edge / 2 - 2;
        const uint8_t *here = pixel(&image, (int)(SIZE / 2 - z * unit), (int)(SIZE / 2 - y * unit));
        sn_colour want = i == 5 ? white.top : cell[i].colour;
        CHECK(here[0] == want.r && here[1] == want.g && here[2] == want.b,
              "cell %d: %d %d %d, not %d %d %d", i, here[0], here[1], here[2], want.r, want.g,
              want.b);
    }
    if (image.rgba) {
        const uint8_t *line = pixel(&image, (int)(SIZE / 2 + 1.5 * unit), (int)(SIZE / 2 + unit));
        CHECK(line[2] < cell[0].colour.b, "no border between two cells");
    }
    sn_image_free(&image);
}

/* Smooth normals must not round a cube's edges. */
static void test_flat_faces_stay_flat(void)
{
    double vertex[8][3];
    int32_t triangle[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                               {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (int i = 0; i < 8; i++)
        for (int d = 0; d < 3; d++)
            vertex[i][d] = i >> d & 1;
    sn_mesh cube = {.n_vertices = 8, .n_triangles = 12, .vertex = vertex, .triangle = triangle};
    sn_camera camera = sn_camera_frame(sn_mesh_bounds(&cube), from_front, up, 0, 1);
    sn_picture *picture = sn_picture_create(SIZE, SIZE, &camera, white);
    sn_picture_add_mesh(picture, &cube, 0, 12, &clay);
    sn_image image = draw(picture);
    for (int i = SIZE / 4; i < 3 * SIZE / 4 && image.rgba; i++)
        CHECK(memcmp(pixel(&image, i, SIZE / 3), pixel(&image, SIZE / 2, SIZE / 2), 4) == 0,
              "pixel %d of a flat face has another colour", i);
    sn_image_free(&image);
}

static void test_empty_picture(void)
{
    sn_box none = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    sn_background sky = {{10, 20, 30}, {10, 20, 30}};
    sn_camera camera = sn_camera_frame(none, up, up, 40, 2);
    sn_image image = draw(sn_picture_create(50, 25, &camera, sky));
    if (image.rgba) {
        const uint8_t *here = pixel(&image, 49, 24);
        CHECK(here[0] == 10 && here[1] == 20 && here[2] == 30 && here[3] == 255, "background");
    }
    sn_image_free(&image);
}

static void test_level_colours_differ(void)
{
    for (int i = 0; i < SN_LEVEL_COLOURS; i++)
        for (int j = 0; j < i; j++) {
            sn_colour a = sn_level_colour(i), b = sn_level_colour(j);
            CHECK(abs(a.r - b.r) + abs(a.g - b.g) + abs(a.b - b.b) > 30, "heights %d and %d", i, j);
        }
}

/* Where the picture is neither white nor of the entries' colour. */
static int dark_pixels(const sn_image *image, int from_column)
{
    int dark = 0;
    for (int y = 0; y < image->height; y++)
        for (int x = from_column; x < image->width; x++)
            dark += pixel(image, x, y)[0] < 128;
    return dark;
}

static int ink_of_label(const char *label)
{
    enum { ENTRY = 320 / 32 };
    sn_image image = {.width = 320, .height = 320, .rgba = SN_NEW(uint8_t, 4 * 320 * 320)};
    memset(image.rgba, 255, 4 * 320 * 320);
    sn_legend_entry entry = {.colour = {200, 0, 0}};
    snprintf(entry.label, sizeof entry.label, "%s", label);
    sn_image_add_legend(&image, &entry, 1);
    int ink = dark_pixels(&image, 2 * ENTRY);
    sn_image_free(&image);
    return ink;
}

/* Labels have the ink of their characters, wherever these stand: none is cut, none is another. */
static void test_legend(void)
{
    static const char characters[] = "0123456789+-.e";
    int alone[sizeof characters], sum = 0;
    for (int i = 0; characters[i]; i++) {
        alone[i] = ink_of_label((char[]){characters[i], 0});
        CHECK(alone[i] > 0, "nothing is drawn for %c", characters[i]);
        sum += alone[i];
    }
    CHECK(ink_of_label(characters) == sum, "%d dots, not %d", ink_of_label(characters), sum);
    CHECK(ink_of_label("") == 0 && ink_of_label("q") == 0, "a blank has ink");
    sn_image_add_legend(&(sn_image){0}, &(sn_legend_entry){{0, 0, 0}, "1"}, 1);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    test_sphere_area_and_depth(0);
    test_sphere_area_and_depth(35);
    test_any_sharing_same_bytes();
    test_cut_shows_the_inside();
    test_cells();
    test_flat_faces_stay_flat();
    test_empty_picture();
    test_level_colours_differ();
    test_legend();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
