/* Regions against their definitions, written in another way, over random points; points exactly
 * on the border; and meshes, closed, open or inside out, against the plain winding number. */
#include "helpers/check.h"
#include "helpers/scene_text.h"

#include "base/vec3.h"
#include "mesh/mesh.h"
#include "region/region.h"
#include "shapes/shape.h"

#include <math.h>

enum { POINTS = 4000 };

static void random_point(unsigned long long *seed, double p[3])
{
    for (int d = 0; d < 3; d++)
        p[d] = 4 * test_random(seed) - 2;
}

static double distance(const double p[3], const double q[3])
{
    return hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
}

/* Distance from the axis, and how far along it in lengths of it. */
static double from_axis(const sn_shape_round *s, const double p[3], double *along)
{
    double length = distance(s->a, s->b), foot[3];
    *along = 0;
    for (int d = 0; d < 3; d++)
        *along += (p[d] - s->a[d]) * (s->b[d] - s->a[d]) / length / length;
    for (int d = 0; d < 3; d++)
        foot[d] = (1 - *along) * s->a[d] + *along * s->b[d];
    return distance(p, foot);
}

static bool by_definition(const sn_shape *s, const double p[3])
{
    double along, worst = 0, side = 0;
    switch (s->kind) {
    case SN_SHAPE_BOX:
        for (int d = 0; d < 3; d++)
            worst = fmax(worst, fmax(s->box.min[d] - p[d], p[d] - s->box.max[d]));
        return worst <= 0;
    case SN_SHAPE_SPHERE:
        return distance(p, s->sphere.center) <= s->sphere.radius;
    case SN_SHAPE_CYLINDER:
        return from_axis(&s->cylinder, p, &along) <= s->cylinder.radius && fabs(along - 0.5) <= 0.5;
    case SN_SHAPE_CAPSULE: /* a cylinder and two balls */
        return (from_axis(&s->capsule, p, &along) <= s->capsule.radius &&
                fabs(along - 0.5) <= 0.5) ||
               fmin(distance(p, s->capsule.a), distance(p, s->capsule.b)) <= s->capsule.radius;
    case SN_SHAPE_PLANE:
        for (int d = 0; d < 3; d++)
            side += p[d] * s->plane.normal[d] - s->plane.point[d] * s->plane.normal[d];
        return side <= 0;
    default:
        return false;
    }
}

static sn_region region_of(sn_shape shape)
{
    sn_region region;
    sn_status status = sn_region_create(MPI_COMM_WORLD, NULL, "region", &shape, &region);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    return region;
}

static bool holds(sn_shape shape, double x, double y, double z)
{
    sn_region region = region_of(shape);
    bool plain = sn_region_contains(&region, (const double[3]){x, y, z});
    region.shape.invert = !shape.invert;
    bool inverted = sn_region_contains(&region, (const double[3]){x, y, z});
    CHECK(plain != inverted, "(%g, %g, %g) on one side", x, y, z);
    sn_region_free(&region);
    return plain;
}

static void compare(sn_shape shape)
{
    unsigned long long seed = 5;
    sn_region region = region_of(shape);
    static double p[POINTS][3];
    static uint8_t marked[POINTS];
    int inside = 0;
    for (int i = 0; i < POINTS; i++)
        random_point(&seed, p[i]);
    sn_region_mark(&region, (const double(*)[3])p, POINTS, marked);
    for (int i = 0; i < POINTS; i++) {
        bool found = sn_region_contains(&region, p[i]);
        CHECK(found == (by_definition(&shape, p[i]) != shape.invert), "kind %d: (%g, %g, %g)",
              (int)shape.kind, p[i][0], p[i][1], p[i][2]);
        CHECK(marked[i] == found, "kind %d: point %d alone and among others", (int)shape.kind, i);
        inside += found;
    }
    CHECK(inside > POINTS / 50 && inside < POINTS - POINTS / 50, "%d points inside", inside);
    sn_region_free(&region);
}

static const sn_shape shapes[] = {
    {.kind = SN_SHAPE_BOX, .box = {{-1, -0.5, -1.5}, {0.5, 1.5, 1}}},
    {.kind = SN_SHAPE_SPHERE, .sphere = {{0.3, -0.2, 0.1}, 1.1}},
    {.kind = SN_SHAPE_CAPSULE, .capsule = {{-1, -0.5, 0.3}, {0.7, 1.1, -0.4}, 0.8}},
    {.kind = SN_SHAPE_CYLINDER, .cylinder = {{-1, -0.5, 0.3}, {0.7, 1.1, -0.4}, 0.8}},
    {.kind = SN_SHAPE_PLANE, .plane = {{0.1, 0.2, 0.3}, {1, -3, 2}}},
};

static void shapes_are_what_they_say(void)
{
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        sn_shape shape = shapes[s];
        compare(shape);
        shape.invert = true;
        compare(shape);
    }
}

/* With numbers that are exact in binary. */
static void borders_belong_to_them(void)
{
    sn_shape box = {.kind = SN_SHAPE_BOX, .box = {{0, 0, 0}, {1, 1, 0.125}}};
    CHECK(holds(box, 0, 0, 0) && holds(box, 1, 1, 0.125) && holds(box, 0.5, 1, 0.0625), "box");
    CHECK(!holds(box, 0.5, 0.5, nextafter(0.125, 1)), "above the box");
    sn_shape sphere = {.kind = SN_SHAPE_SPHERE, .sphere = {{1, 1, 1}, 5}};
    CHECK(holds(sphere, 4, 5, 1) && !holds(sphere, 4, 5 + 1e-9, 1), "sphere");
    sn_shape plane = {.kind = SN_SHAPE_PLANE, .plane = {{0, 0.25, 0}, {0, 7, 0}}};
    CHECK(holds(plane, 9, 0.25, -3) && holds(plane, 0, -1, 0) && !holds(plane, 0, 1, 0), "plane");
    sn_shape round = {.kind = SN_SHAPE_CYLINDER, .cylinder = {{0, 0, 0}, {0, 0, 2}, 5}};
    CHECK(holds(round, 3, 4, 0) && holds(round, 3, 4, 2) && holds(round, 0, 0, 2), "cylinder");
    CHECK(!holds(round, 0, 0, 2.001) && !holds(round, 0, 0, -0.001), "its ends are flat");
    round = (sn_shape){.kind = SN_SHAPE_CAPSULE, .capsule = {{0, 0, 0}, {0, 0, 2}, 5}};
    CHECK(holds(round, 3, 4, 1) && holds(round, 0, 0, 7) && holds(round, 3, 0, -4), "capsule");
    CHECK(!holds(round, 0, 0, 7.001) && !holds(round, 4, 4, 0), "outside the capsule");
    round.capsule.b[2] = 0; /* no axis: a ball */
    CHECK(holds(round, 3, 4, 0) && !holds(round, 0, 0, 5.001), "a capsule without an axis");
}

/* A scene with one pin whose region is this mesh. */
static sn_scene scene_with_mesh(const char *mesh)
{
    char text[512];
    int length = snprintf(text, sizeof text,
                          "bodies: [{name: a, mesh: 'builtin:cube', cell: 0.5}]\n"
                          "pins: [{name: p, body: a, region: {mesh: '%s'}}]\n",
                          mesh);
    sn_scene scene;
    sn_status status = read_scene_text(MPI_COMM_WORLD, text, (size_t)length, NULL, 0, &scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    return scene;
}

static void compare_with_winding(const char *name, const sn_mesh *mesh)
{
    sn_scene scene = scene_with_mesh(name);
    sn_region region, inverted;
    sn_shape *shape = &scene.pins.data[0].region;
    sn_status status =
        sn_region_create(MPI_COMM_WORLD, &scene.origin, "pins[0].region", shape, &region);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    shape->invert = true;
    status = sn_region_create(MPI_COMM_WORLD, &scene.origin, "pins[0].region", shape, &inverted);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    unsigned long long seed = 9;
    static double p[POINTS][3];
    static uint8_t marked[POINTS];
    for (int i = 0; i < POINTS; i++)
        for (int d = 0; d < 3; d++)
            p[i][d] = 1.4 * (test_random(&seed) - 0.5);
    sn_region_mark(&region, (const double(*)[3])p, POINTS, marked);
    int inside = 0;
    for (int i = 0; i < POINTS; i++) {
        double w = fabs(sn_winding_reference(mesh, p[i]));
        bool found = sn_region_contains(&region, p[i]);
        CHECK(fabs(w - 0.5) < 2 * SN_WINDING_ERROR || found == (w > 0.5), "%s: winding %g", name,
              w);
        CHECK(found != sn_region_contains(&inverted, p[i]) && found == marked[i],
              "%s: point %d inverted, or among others", name, i);
        inside += found;
    }
    CHECK(inside > POINTS / 20 && inside < POINTS - POINTS / 20, "%s: %d inside", name, inside);
    sn_region_free(&region);
    sn_region_free(&inverted);
    sn_scene_free(&scene);
}

static void closed_mesh(void)
{
    const char *name = "builtin:sphere,radius=0.5,detail=12";
    sn_mesh mesh;
    CHECK(sn_builtin_make(name, &mesh) == SN_OK, "%s", sn_failure_message());
    compare_with_winding(name, &mesh);
    sn_mesh_free(&mesh);
}

static void write_obj(const char *path, const sn_mesh *mesh)
{
    FILE *file = fopen(path, "w");
    for (int64_t v = 0; v < mesh->n_vertices; v++)
        fprintf(file, "v %.17g %.17g %.17g\n", mesh->vertex[v][0], mesh->vertex[v][1],
                mesh->vertex[v][2]);
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        fprintf(file, "f %d %d %d\n", mesh->triangle[t][0] + 1, mesh->triangle[t][1] + 1,
                mesh->triangle[t][2] + 1);
    fclose(file);
}

/* A sphere with a sixth of its faces gone, turned inside out. */
static void open_mesh_inside_out(void)
{
    sn_mesh mesh;
    CHECK(sn_builtin_make("builtin:sphere,radius=0.5,detail=12", &mesh) == SN_OK, "%s",
          sn_failure_message());
    mesh.n_triangles -= mesh.n_triangles / 6;
    for (int64_t t = 0; t < mesh.n_triangles; t++) {
        int32_t swap = mesh.triangle[t][1];
        mesh.triangle[t][1] = mesh.triangle[t][2];
        mesh.triangle[t][2] = swap;
    }
    int rank;
    char name[SCENE_NAME_BYTES + 4];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    scene_file_name(MPI_COMM_WORLD, name);
    strcat(name, ".obj");
    if (rank == 0)
        write_obj(name, &mesh);
    compare_with_winding(name, &mesh);
    if (rank == 0)
        remove(name);
    sn_mesh_free(&mesh);
}

static void missing_mesh_names_the_line(void)
{
    sn_scene scene = scene_with_mesh("not_there.obj");
    sn_region region;
    const sn_shape *shape = &scene.pins.data[0].region;
    sn_status status =
        sn_region_create(MPI_COMM_WORLD, &scene.origin, "pins[0].region", shape, &region);
    CHECK(status != SN_OK, "a mesh that is not there");
    CHECK(strstr(sn_failure_message(), ":2:") &&
              strstr(sn_failure_message(), "pins[0].region.mesh"),
          "%s", sn_failure_message());
    sn_scene_free(&scene);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    shapes_are_what_they_say();
    borders_belong_to_them();
    closed_mesh();
    open_mesh_inside_out();
    missing_mesh_names_the_line();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
