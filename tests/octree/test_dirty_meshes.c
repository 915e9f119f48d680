/* Dirty meshes build the octree that the clean one builds, or one close to it: holes, duplicate
 * faces, faces that point inward, copies that overlap. */
#include "helpers/check.h"
#include "helpers/measure.h"
#include "mesh/tidy.h"
#include "shapes/shape.h"

#include "base/pi.h"

#include <math.h>
#include <string.h>

static const char CREATURE[] = "builtin:creature,detail=60";
static const double CREATURE_CELL = 0.04;

/* A changed mesh may differ from the clean one by this part of the volume. */
static const double FEW_CELLS = 0.01;
static const double ROUNDING = 1e-12;

static sn_mesh make(const char *spec)
{
    sn_mesh mesh;
    CHECK(sn_builtin_make(spec, &mesh) == SN_OK, "%s", sn_failure_message());
    return mesh;
}

static measured_octree measure(const char *name, sn_mesh *mesh, double cell)
{
    sn_mesh_report report = sn_mesh_tidy(mesh);
    sn_status status = sn_mesh_require_solid(name, mesh, &report);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    return measure_octree(name, mesh, &report, cell);
}

/* Makes the mesh dirty; what comes is the mesh with room for three times as much. */
typedef void soiling(sn_mesh *mesh);

static sn_mesh soiled(sn_mesh mesh, soiling *soil)
{
    SN_RESIZE(mesh.vertex, 3 * mesh.n_vertices);
    SN_RESIZE(mesh.triangle, 3 * mesh.n_triangles);
    SN_RESIZE(mesh.face, 3 * mesh.n_triangles);
    soil(&mesh);
    for (int64_t t = 0; t < mesh.n_triangles; t++)
        mesh.face[t] = (int32_t)t + 1;
    return mesh;
}

static double centroid(const sn_mesh *mesh, int64_t t, int axis)
{
    double sum = 0;
    for (int c = 0; c < 3; c++)
        sum += mesh->vertex[mesh->triangle[t][c]][axis];
    return sum / 3;
}

static void keep(sn_mesh *mesh, bool (*wanted)(const sn_mesh *mesh, int64_t t))
{
    int64_t n = 0;
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        if (wanted(mesh, t))
            memmove(mesh->triangle[n++], mesh->triangle[t], sizeof *mesh->triangle);
    mesh->n_triangles = n;
}

static void duplicate(sn_mesh *mesh, bool (*wanted)(const sn_mesh *mesh, int64_t t))
{
    int64_t n = mesh->n_triangles;
    for (int64_t t = 0; t < n; t++)
        if (wanted(mesh, t))
            memcpy(mesh->triangle[mesh->n_triangles++], mesh->triangle[t], sizeof *mesh->triangle);
}

static void flip(sn_mesh *mesh, int64_t from, int64_t to)
{
    for (int64_t t = from; t < to; t++) {
        int32_t swap = mesh->triangle[t][0];
        mesh->triangle[t][0] = mesh->triangle[t][1];
        mesh->triangle[t][1] = swap;
    }
}

static void add_copy(sn_mesh *mesh, double shift)
{
    int64_t nv = mesh->n_vertices, nt = mesh->n_triangles;
    for (int64_t v = 0; v < nv; v++)
        for (int d = 0; d < 3; d++)
            mesh->vertex[nv + v][d] = mesh->vertex[v][d] + (d == 0 ? shift : 0);
    for (int64_t t = 0; t < nt; t++)
        for (int c = 0; c < 3; c++)
            mesh->triangle[nt + t][c] = mesh->triangle[t][c] + (int32_t)nv;
    mesh->n_vertices *= 2;
    mesh->n_triangles *= 2;
}

static bool any(const sn_mesh *mesh, int64_t t)
{
    (void)mesh, (void)t;
    return true;
}

static bool not_every_fiftieth(const sn_mesh *mesh, int64_t t)
{
    (void)mesh;
    return t % 50 != 7;
}

static bool every_third(const sn_mesh *mesh, int64_t t)
{
    (void)mesh;
    return t % 3 == 0;
}

/* A hand's breadth of the back is missing. */
static bool off_the_patch(const sn_mesh *mesh, int64_t t)
{
    double x = centroid(mesh, t, 0), y = centroid(mesh, t, 1), z = centroid(mesh, t, 2);
    return y < 0.5 || hypot(x, z) > 0.1;
}

/* What the belly and the legs turn to each other: a hollow of faces. */
static bool below_the_belly(const sn_mesh *mesh, int64_t t)
{
    return centroid(mesh, t, 1) < 0.5;
}

static void nothing(sn_mesh *mesh)
{
    (void)mesh;
}

static void small_holes(sn_mesh *mesh)
{
    keep(mesh, not_every_fiftieth);
}

static void large_hole(sn_mesh *mesh)
{
    keep(mesh, off_the_patch);
}

static void all_twice(sn_mesh *mesh)
{
    duplicate(mesh, any);
}

static void some_twice(sn_mesh *mesh)
{
    duplicate(mesh, every_third);
}

static void hollow_twice(sn_mesh *mesh)
{
    duplicate(mesh, below_the_belly);
}

static void inside_out(sn_mesh *mesh)
{
    flip(mesh, 0, mesh->n_triangles);
}

static void same_copy(sn_mesh *mesh)
{
    add_copy(mesh, 0);
}

typedef struct {
    const char *name;
    soiling *soil;
    bool exactly; /* the clean mesh's octree, bit for bit */
} dirt;

static void creatures(void)
{
    static const dirt kinds[] = {
        {"small holes", small_holes, false},      {"a large hole", large_hole, false},
        {"every face twice", all_twice, true},    {"some faces twice", some_twice, true},
        {"a hollow twice", hollow_twice, true},   {"inside out", inside_out, true},
        {"the same body twice", same_copy, true},
    };
    sn_mesh clean = soiled(make(CREATURE), nothing);
    measured_octree wanted = measure("clean", &clean, CREATURE_CELL);
    CHECK(fabs(wanted.inside / sn_mesh_volume(&clean) - 1) < ROUNDING, "%g inside", wanted.inside);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        sn_mesh mesh = soiled(make(CREATURE), kinds[k].soil);
        CHECK(memcmp(mesh.triangle[0], clean.triangle[0], sizeof *clean.triangle) != 0 ||
                  mesh.n_triangles != clean.n_triangles,
              "%s: the mesh is still clean", kinds[k].name);
        measured_octree got = measure(kinds[k].name, &mesh, CREATURE_CELL);
        double difference = got.volume / wanted.volume - 1;
        CHECK(fabs(difference) < FEW_CELLS, "%s: %+.2f %% of volume", kinds[k].name,
              100 * difference);
        difference = got.inside / wanted.inside - 1;
        CHECK(fabs(difference) < (kinds[k].exactly ? ROUNDING : FEW_CELLS),
              "%s: %+.2f %% of what is inside", kinds[k].name, 100 * difference);
        CHECK(!kinds[k].exactly || got.digest == wanted.digest, "%s: another octree",
              kinds[k].name);
        sn_mesh_free(&mesh);
    }
    sn_mesh_free(&clean);
}

static const double RADIUS = 0.5, OVERLAP_SHIFT = 0.5, APART_SHIFT = 1.5;

static void copy_that_overlaps(sn_mesh *mesh)
{
    add_copy(mesh, OVERLAP_SHIFT);
}

static void copy_apart(sn_mesh *mesh)
{
    add_copy(mesh, APART_SHIFT);
}

static void inward_copy_apart(sn_mesh *mesh)
{
    add_copy(mesh, APART_SHIFT);
    flip(mesh, mesh->n_triangles / 2, mesh->n_triangles);
}

/* The volume of a union is known, and the two surfaces exceed it by less than both do alone. With
 * cells that are small or large against the lens the fractions add up to it. */
static void spheres_that_overlap(void)
{
    const double cell = 0.02, rounding = 0.002; /* the spheres are polyhedra */
    double sphere = 4 * SN_PI / 3 * RADIUS * RADIUS * RADIUS;
    double lens = SN_PI * (4 * RADIUS + OVERLAP_SHIFT) * pow(2 * RADIUS - OVERLAP_SHIFT, 2) / 12;
    double both = 2 * sphere - lens;
    sn_mesh mesh = soiled(make("builtin:sphere"), copy_that_overlaps);
    measured_octree fine = measure("two spheres", &mesh, cell);
    double volume = fine.volume, coarse = measure("two spheres", &mesh, 8 * cell).inside;
    CHECK(fabs(fine.inside / both - 1) < FEW_CELLS, "%g inside, not %g", fine.inside, both);
    CHECK(fabs(coarse / both - 1) < FEW_CELLS, "%g inside, not %g", coarse, both);
    double most = both + expected_excess(&mesh, cell);
    CHECK(volume > both * (1 - rounding) && volume < most, "%g, not in [%g, %g]", volume, both,
          most);
    sn_mesh_free(&mesh);
}

/* A part that was exported inside out is as solid as the others. */
static void one_of_two_inside_out(void)
{
    const double cell = 0.05;
    sn_mesh clean = soiled(make("builtin:sphere"), copy_apart);
    sn_mesh mesh = soiled(make("builtin:sphere"), inward_copy_apart);
    sn_mesh_report report = sn_mesh_check(&clean); /* of the other: volumes that cancel */
    measured_octree wanted = measure_octree("two outward", &clean, &report, cell);
    measured_octree got = measure_octree("one inward", &mesh, &report, cell);
    CHECK(got.digest == wanted.digest, "%ld elements, not %ld", (long)got.elements,
          (long)wanted.elements);
    CHECK(fabs(got.inside / wanted.inside - 1) < ROUNDING, "%g and %g", got.inside, wanted.inside);
    sn_mesh_free(&mesh);
    sn_mesh_free(&clean);
}

/* The second half of the mesh, half as large and facing inward. */
static void cavity(sn_mesh *mesh)
{
    int64_t first = mesh->n_vertices;
    add_copy(mesh, 0);
    for (int64_t v = first; v < mesh->n_vertices; v++)
        for (int d = 0; d < 3; d++)
            mesh->vertex[v][d] /= 2;
    flip(mesh, mesh->n_triangles / 2, mesh->n_triangles);
}

static bool in_the_cavity(const sn_mesh *mesh, int64_t t)
{
    return mesh->triangle[t][0] >= mesh->n_vertices / 2;
}

static void cavity_twice(sn_mesh *mesh)
{
    cavity(mesh);
    duplicate(mesh, in_the_cavity);
}

/* Doubled faces of a cavity do not fill it. */
static void cavities(void)
{
    const double cell = 0.04;
    sn_mesh solid = soiled(make("builtin:sphere"), nothing);
    sn_mesh clean = soiled(make("builtin:sphere"), cavity);
    sn_mesh mesh = soiled(make("builtin:sphere"), cavity_twice);
    measured_octree wanted = measure("a cavity", &clean, cell);
    CHECK(measure("a cavity twice", &mesh, cell).digest == wanted.digest, "another octree");
    CHECK(measure("a ball", &solid, cell).volume > wanted.volume, "the cavity is filled");
    double left = sn_mesh_volume(&solid) * (1 - 1.0 / 8);
    CHECK(fabs(wanted.inside / left - 1) < ROUNDING, "%g inside, not %g", wanted.inside, left);
    sn_mesh_free(&solid);
    sn_mesh_free(&clean);
    sn_mesh_free(&mesh);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    creatures();
    spheres_that_overlap();
    one_of_two_inside_out();
    cavities();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
