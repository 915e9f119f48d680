/* The creature's skeleton: bones are closed meshes inside the flesh, and the walk moves them as
 * rigid bodies that stay joined, with feet that stand where they stepped. */
#include "helpers/check.h"
#include "helpers/mesh_checks.h"
#include "shapes/creature.h"
#include "shapes/creature_bones.h"
#include "shapes/shape.h"

#include <math.h>
#include <string.h>

enum { MOMENTS = 200 }; /* at which a cycle is looked at */

static sn_mesh make_bone(int bone, const char *settings)
{
    char spec[128];
    snprintf(spec, sizeof spec, "builtin:creature/%s%s", sn_creature_bone_name(bone), settings);
    sn_mesh mesh;
    CHECK(sn_builtin_make(spec, &mesh) == SN_OK, "%s", sn_failure_message());
    return mesh;
}

static void test_bone_meshes(void)
{
    for (int b = 0; b < sn_creature_bone_count(); b++) {
        sn_mesh mesh = make_bone(b, ""), larger = make_bone(b, ",size=2");
        const char *name = sn_creature_bone_name(b);
        CHECK(sn_creature_bone_find(name) == b, "%s", name);
        CHECK(sn_creature_bone_parent(b) < b, "%s", name);
        CHECK(count_bad_edges(&mesh) == 0, "%s", name);
        CHECK(euler_characteristic(&mesh) == 2 && count_components(&mesh) == 1, "%s", name);
        CHECK(mesh.n_triangles >= 200 && mesh.n_triangles <= 600, "%s", name);
        CHECK(sn_mesh_volume(&mesh) > 0, "%s", name);
        CHECK(fabs(sn_mesh_volume(&larger) / sn_mesh_volume(&mesh) - 8) < 1e-9, "%s", name);
        sn_mesh_free(&mesh);
        sn_mesh_free(&larger);
    }
}

static void test_bones_inside_flesh(void)
{
    const double skin = 0.005; /* at least so deep */
    sn_creature *creature = sn_creature_new();
    for (int b = 0; b < sn_creature_bone_count(); b++) {
        sn_mesh mesh = make_bone(b, "");
        double shallowest = -INFINITY;
        for (int64_t v = 0; v < mesh.n_vertices; v++) {
            sn_vec at = {mesh.vertex[v][0], mesh.vertex[v][1], mesh.vertex[v][2]};
            shallowest = fmax(shallowest, sn_creature_value(creature, at));
        }
        CHECK(shallowest < -skin, "%s comes out by %g", sn_creature_bone_name(b), shallowest);
        sn_mesh_free(&mesh);
    }
    sn_creature_free(creature);
}

/* The mesh lies on the surface that the value describes. */
static void test_skin_on_zero(void)
{
    sn_mesh mesh;
    CHECK(sn_builtin_make("builtin:creature,detail=80", &mesh) == SN_OK, "%s",
          sn_failure_message());
    sn_creature *creature = sn_creature_new();
    double worst = 0;
    for (int64_t v = 0; v < mesh.n_vertices; v++) {
        sn_vec at = {mesh.vertex[v][0], mesh.vertex[v][1], mesh.vertex[v][2]};
        worst = fmax(worst, fabs(sn_creature_value(creature, at)));
    }
    CHECK(worst < 0.004, "off by %g", worst);
    sn_creature_free(creature);
    sn_mesh_free(&mesh);
}

/* What the culling of empty space relies on, at random places. */
static void test_steepness(void)
{
    enum { PLACES = 300 };
    const double between_vertices = 0.03; /* the nearest vertex is not the nearest point */
    sn_mesh mesh;
    CHECK(sn_builtin_make("builtin:creature,detail=80", &mesh) == SN_OK, "%s",
          sn_failure_message());
    sn_creature *creature = sn_creature_new();
    sn_implicit flesh = sn_creature_implicit(creature);
    unsigned long long state = 1;
    for (int p = 0; p < PLACES; p++) {
        double at[3] = {-1.1 + 2.3 * test_random(&state), 1.1 * test_random(&state),
                        -0.6 + 1.2 * test_random(&state)};
        double distance = INFINITY;
        for (int64_t v = 0; v < mesh.n_vertices; v++) {
            const double *q = mesh.vertex[v];
            double off[3] = {at[0] - q[0], at[1] - q[1], at[2] - q[2]};
            distance = fmin(distance, dot3(off, off));
        }
        double value = sn_creature_value(creature, (sn_vec){at[0], at[1], at[2]});
        CHECK(fabs(value) < flesh.steepness * sqrt(distance) + between_vertices, "%g %g %g", at[0],
              at[1], at[2]);
    }
    sn_creature_free(creature);
    sn_mesh_free(&mesh);
}

static sn_vec moved(const double affine[12], sn_vec at)
{
    return (sn_vec){affine[0] * at.x + affine[1] * at.y + affine[2] * at.z + affine[3],
                    affine[4] * at.x + affine[5] * at.y + affine[6] * at.z + affine[7],
                    affine[8] * at.x + affine[9] * at.y + affine[10] * at.z + affine[11]};
}

static void check_rigid(const double affine[12], const char *name)
{
    double row[3][3];
    for (int i = 0; i < 3; i++)
        memcpy(row[i], &affine[4 * i], sizeof row[i]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK(fabs(dot3(row[i], row[j]) - (i == j)) < 1e-12, "%s", name);
    CHECK(determinant3(row[0], row[1], row[2]) > 0, "%s is mirrored", name);
}

static void check_joined(int bone, double cycle, double size)
{
    int parent = sn_creature_bone_parent(bone);
    if (parent < 0)
        return;
    double own[12], carrying[12];
    sn_creature_walk(bone, cycle, size, own);
    sn_creature_walk(parent, cycle, size, carrying);
    sn_vec joint = sn_creature_bone_joint(bone, size);
    double gap = sn_vec_length(sn_vec_sub(moved(own, joint), moved(carrying, joint)));
    CHECK(gap < 1e-12 * size, "%s leaves its joint by %g", sn_creature_bone_name(bone), gap);
}

static void check_periodic(int bone, double cycle)
{
    double now[12], next_cycle[12], long_ago[12];
    sn_creature_walk(bone, cycle, 1, now);
    sn_creature_walk(bone, cycle + 1, 1, next_cycle);
    sn_creature_walk(bone, cycle - 3, 1, long_ago);
    for (int i = 0; i < 12; i++)
        CHECK(fabs(now[i] - next_cycle[i]) < 1e-12 && fabs(now[i] - long_ago[i]) < 1e-12, "%s",
              sn_creature_bone_name(bone));
}

/* No jump, in place or in speed: halving the time step halves the steps and quarters the
 * changes between steps. The bounds are for a cycle of about a second. */
static void check_smooth(int bone, double cycle)
{
    const double h = 1e-3, fastest = 4, quickest_change = 120;
    double a[12], b[12], c[12];
    sn_creature_walk(bone, cycle - h, 1, a);
    sn_creature_walk(bone, cycle, 1, b);
    sn_creature_walk(bone, cycle + h, 1, c);
    sn_vec joint = sn_creature_bone_joint(bone, 1);
    sn_vec p = moved(a, joint), q = moved(b, joint), r = moved(c, joint);
    double speed = sn_vec_length(sn_vec_sub(r, q)) / h;
    sn_vec bend = sn_vec_sub(sn_vec_add(p, r), sn_vec_scale(q, 2));
    CHECK(speed < fastest, "%s at %g: %g", sn_creature_bone_name(bone), cycle, speed);
    CHECK(sn_vec_length(bend) / (h * h) < quickest_change, "%s at %g: %g",
          sn_creature_bone_name(bone), cycle, sn_vec_length(bend) / (h * h));
}

static void test_walk(void)
{
    for (int b = 0; b < sn_creature_bone_count(); b++)
        for (int m = 0; m < MOMENTS; m++) {
            double cycle = (double)m / MOMENTS, affine[12];
            sn_creature_walk(b, cycle, 1, affine);
            check_rigid(affine, sn_creature_bone_name(b));
            check_joined(b, cycle, 1);
            check_joined(b, cycle, 2.5);
            check_periodic(b, cycle);
            check_smooth(b, cycle);
        }
}

/* With the stride added, a foot either stands exactly still or is in the air; at least two are on
 * the ground at any time. */
static void test_feet_plant(void)
{
    static const char *const FEET[] = {"hind_left_foot", "fore_left_foot", "hind_right_foot",
                                       "fore_right_foot"};
    const double size = 1.5, h = 1e-4;
    for (int m = 0; m < MOMENTS; m++) {
        double cycle = (m + 0.5) / MOMENTS;
        int standing = 0;
        for (int f = 0; f < 4; f++) {
            int bone = sn_creature_bone_find(FEET[f]);
            sn_vec ankle = sn_creature_bone_joint(bone, size);
            double now[12], next[12];
            sn_creature_walk(bone, cycle, size, now);
            sn_creature_walk(bone, cycle + h, size, next);
            sn_vec step = sn_vec_sub(moved(next, ankle), moved(now, ankle));
            step.x += sn_creature_stride(size) * h;
            double height = moved(now, ankle).y - ankle.y;
            CHECK(height > -1e-12, "%s sinks by %g", FEET[f], height);
            bool is_low = height < 1e-12;
            CHECK(!is_low || sn_vec_length(step) < 1e-9, "%s slides by %g at %g", FEET[f],
                  sn_vec_length(step), cycle);
            standing += is_low;
        }
        CHECK(standing >= 2, "%d feet on the ground at %g", standing, cycle);
    }
}

static void run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    test_bone_meshes();
    test_bones_inside_flesh();
    test_skin_on_zero();
    test_steepness();
    test_walk();
    test_feet_plant();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
