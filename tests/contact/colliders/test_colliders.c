/* Contacts of an embedded surface: which vertices get which springs, against the definition; the
 * same bits on any number of ranks; a state that can be taken out and put back; and scenes that
 * cannot be. */
#include "helpers/check.h"
#include "helpers/colliding.h"
#include "helpers/scene_text.h"

#include "base/digest.h"
#include "base/vec3.h"
#include "field/field.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* ---- Which springs ---- */

static const char five_shapes[] =
    "colliders:\n"
    "- {name: a, shape: {plane: {point: [0, -0.4, 0], normal: [0.1, 1, 0]}}}\n"
    "- {name: b, shape: {box: {min: [-0.2, 0.3, -0.2], max: [0.3, 1, 0.3]}},\n"
    "   motion: {keys: [{frame: 0, rotate: {axis: [1, 2, 3], degrees: 40}, translate: [0, 0.1, "
    "0]}]}}\n"
    "- {name: c, shape: {sphere: {center: [0.6, 0, 0], radius: 0.2}}, stiffness: 3}\n"
    "- {name: d, shape: {capsule: {a: [-0.4, 0, -1], b: [-0.5, 0, 1], radius: 0.1}},\n"
    "   motion: {keys: [{frame: 0, rotate: {axis: [0, 0, 1], degrees: 20}}]}}\n"
    "- {name: e, shape: {cylinder: {a: [0, 0, 0.4], b: [0, 0.1, 1], radius: 0.3}}}\n"
    "- {name: f, shape: {sphere: {center: [0, 0, 0], radius: 0.48}, invert: true}}\n";

/* What of a vertex's share of the surface faces a direction, triangle by triangle; nothing has been
 * turned or stretched. */
static double area_of(const sn_mesh *mesh, int64_t vertex, sn_vec direction)
{
    double area = 0;
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        for (int k = 0; k < 3; k++)
            if (mesh->triangle[t][k] == vertex) {
                sn_vec a = sn_vec_load(mesh->vertex[mesh->triangle[t][0]]);
                sn_vec b = sn_vec_sub(sn_vec_load(mesh->vertex[mesh->triangle[t][1]]), a);
                sn_vec c = sn_vec_sub(sn_vec_load(mesh->vertex[mesh->triangle[t][2]]), a);
                area += fmax(0, sn_vec_dot(sn_vec_cross(b, c), direction)) / 6;
            }
    return area;
}

/* Pressure for a unit of depth: that of the third collider is given by its force on a face. */
static double hardness_of(const sn_collider *collider)
{
    return isnan(collider->law.stiffness)
               ? 10 * COLLIDING_YOUNG / COLLIDING_CELL
               : collider->law.stiffness / (COLLIDING_CELL * COLLIDING_CELL);
}

static void springs_by_definition(void)
{
    test_colliding s;
    test_colliding_create(&s, MPI_COMM_WORLD, five_shapes);
    test_colliding_start(&s, 0, test_stay);
    sn_spring_list springs = test_colliding_find(&s, 0, test_stay);
    size_t expected = 0, inside = 0;
    for (size_t i = 0; i < s.e.embedding.n; i++)
        for (size_t k = 0; k < s.c.n; k++) {
            const sn_collider *collider = &s.scene.colliders.data[k];
            sn_affine pose = sn_motion_at(&collider->motion, 0);
            double y[3] = {0, 0, 0}, at[3];
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    y[a] += pose.row[b][a] * (s.e.position[i][b] - pose.row[b][3]);
            sn_surface_point near = sn_shape_nearest(&collider->shape, sn_vec_load(y));
            const sn_spring *spring = test_colliding_spring(&springs, k, s.e.embedding.vertex[i]);
            CHECK((spring != NULL) == (near.distance <= COLLIDING_CELL / 2), "distance %g",
                  near.distance);
            expected += spring != NULL;
            inside += near.distance < 0;
            if (!spring)
                continue;
            sn_vec_store(near.at, at);
            sn_affine_apply(&pose, at, at);
            double height = 0, off = 0;
            for (int d = 0; d < 3; d++) {
                height += (s.e.position[i][d] - spring->target[d]) * spring->normal[d];
                off = fmax(off, fabs(at[d] - spring->target[d]));
            }
            CHECK(fabs(height - near.distance) < 1e-13 && off < 1e-13, "target off by %g", off);
            double hardness = hardness_of(collider);
            double area = area_of(s.bodies.view[0].mesh, s.e.embedding.vertex[i],
                                  sn_vec_scale(sn_vec_load(spring->normal), -1));
            double least = 0.05 * s.c.area[i];
            CHECK(fabs(spring->normal_stiffness - fmax(area, least) * hardness) <
                      1e-12 * hardness * COLLIDING_CELL * COLLIDING_CELL,
                  "stiffness %g, not %g", spring->normal_stiffness, area * hardness);
            CHECK(spring->tangential_stiffness == 0 && spring->friction == 0, "no friction");
            CHECK(spring->one_sided && spring->point[1].body < 0, "one-sided, to a place");
        }
    CHECK(springs.count == expected, "%zu springs, expected %zu", springs.count, expected);
    unsigned long long total = inside;
    MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(total > 100, "%llu contacts", total);
    sn_vector_free(&springs);
    test_colliding_free(&s);
}

/* ---- Round things ---- */

static double shift;

static void test_shifted(const double rest[3], double moved[3])
{
    moved[0] = rest[0] + 0.3 * shift;
    moved[1] = rest[1] - 0.8 * shift;
    moved[2] = rest[2] + 0.5 * shift;
}

/* The same on all ranks. */
static double sum_of(double here)
{
    MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return here;
}

static double energy_by_distance(const test_colliding *s, const sn_spring_list *springs)
{
    double energy = 0;
    for (size_t i = 0; i < s->e.embedding.n; i++) {
        const sn_spring *k = test_colliding_spring(springs, 0, s->e.embedding.vertex[i]);
        sn_vec at = sn_vec_load(s->e.position[i]);
        double depth = fmin(0, sn_shape_nearest(&s->scene.colliders.data[0].shape, at).distance);
        energy += k ? 0.5 * k->normal_stiffness * depth * depth : 0;
    }
    return sum_of(energy);
}

/* Along the way of test_shifted. */
static double force_along_way(const test_colliding *s, sn_spring_set *set)
{
    const double way[3] = {0.3, -0.8, 0.5};
    double *f = sn_field_new_f64(s->e.tree), along = 0;
    sn_spring_set_force_add(set, s->e.x, f);
    for (sn_local n = 0; n < s->e.tree->n_nodes; n++)
        for (int d = 0; d < 3; d++)
            along += f[3 * n + d] * way[d];
    sn_free(f);
    return sum_of(along);
}

static double energy_at(test_colliding *s, sn_spring_set *set, double length)
{
    shift = length;
    test_embedded_move(&s->e, test_shifted);
    return sn_spring_set_energy(set, s->e.x);
}

/* Points of springs are where their weights in single precision have them. */
static const double NEAR = 1e-6;

/* Springs that were found in one place know in another how far the surface is there, and push along
 * the slope of that. */
static void goes_around(const char *collider)
{
    test_colliding s;
    test_colliding_create(&s, MPI_COMM_WORLD, collider);
    test_colliding_start(&s, 0, test_stay);
    sn_spring_list springs = test_colliding_find(&s, 0, test_stay);
    sn_locator locator = sn_locator_create(s.e.tree);
    sn_spring_set set;
    sn_status status = sn_spring_set_create(&locator, springs.data, springs.count, &set);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    sn_spring_set_linearise(&set, s.e.x, SN_SPRING_TANGENT);
    for (int i = 0; i < 4; i++) {
        double there = 0.02 * i, h = 1e-6, energy = energy_at(&s, &set, there);
        double expected = energy_by_distance(&s, &springs), force = force_along_way(&s, &set);
        double slope = (energy_at(&s, &set, there + h) - energy_at(&s, &set, there - h)) / (2 * h);
        CHECK(expected > 1e-3 && fabs(energy - expected) < NEAR * expected,
              "moved by %g: energy %.12g, by distances %.12g", there, energy, expected);
        CHECK(fabs(force + slope) < 1e-6 * (fabs(slope) + energy / COLLIDING_CELL),
              "force %.9g, slope %.9g", force, slope);
    }
    sn_spring_set_free(&set);
    sn_locator_free(&locator);
    sn_vector_free(&springs);
    test_colliding_free(&s);
}

static void round_things(void)
{
    goes_around("colliders: [{name: a, shape: {sphere: {center: [0.6, 0, 0], radius: 0.2}}}]\n");
    goes_around("colliders: [{name: a, shape: {cylinder: {a: [0.6, 0.1, -2], b: [0.5, 0, 2], "
                "radius: 0.2}}}]\n");
    goes_around("colliders: [{name: a, shape: {capsule: {a: [-0.6, -2, 0], b: [-0.6, 2, 0.5], "
                "radius: 0.2}}}]\n");
    goes_around("colliders: [{name: a, shape: {sphere: {center: [0, 0, 0], radius: 0.48}, "
                "invert: true}}]\n");
}

/* ---- The same bits ---- */

static uint64_t digest_of(test_colliding *s, const sn_spring_list *springs)
{
    uint64_t digest = 0;
    for (size_t i = 0; i < springs->count; i++) {
        const sn_spring *k = &springs->data[i];
        double values[] = {
            k->target[0],      k->target[1],      k->target[2],        k->normal[0],
            k->normal[1],      k->normal[2],      k->normal_stiffness, k->tangential_stiffness,
            k->point[0].at[0], k->point[0].at[1], k->point[0].at[2],   k->round.radius,
            k->round.axis[0],  k->round.axis[1],  k->round.axis[2]};
        sn_digest_add(&digest, k->number, values, sizeof values);
    }
    return sn_digest_allreduce(s->e.tree->comm, digest);
}

static const char storm[] =
    "colliders:\n"
    "- {name: a, friction: 0.3, shape: {box: {min: [-1, -0.2, -0.1], max: [1, 0, 0.1]}}, motion:\n"
    "   {keys: [{frame: 0, translate: [0, -0.5, 0]},\n"
    "     {frame: 4, translate: [0, 0.2, 0], rotate: {axis: [0, 1, 0], degrees: 200}}]}}\n"
    "- {name: b, friction: 0.5, shape: {mesh: 'builtin:sphere,radius=0.3,detail=6'}, motion:\n"
    "   {keys: [{frame: 0, translate: [0.9, 0.1, 0]}, {frame: 4, translate: [-0.3, 0, 0.1],\n"
    "     rotate: {axis: [0, 1, 1], degrees: 70}}]}}\n"
    "- {name: c, friction: 0.1, shape: {mesh: 'builtin:sphere,radius=0.3,detail=5'}, motion:\n"
    "   {keys: [{frame: 0, affine: [1, 0, 0, 0, 0, 1, 0, 0.9, 0, 0.3, 1, 0]},\n"
    "     {frame: 4, affine: [1, 0, 0.5, 0, 0, 1.5, 0, 0.3, 0, 0, 1, 0]}]}}\n"
    "- {name: d, shape: {sphere: {center: [0, 0, 0], radius: 0.55}, invert: true}}\n";

enum { STORM_FRAMES = 4 };

typedef struct {
    uint64_t springs[STORM_FRAMES], records[STORM_FRAMES];
    sn_penetration worst[STORM_FRAMES];
} weather;

/* If asked to, all of the state is taken out and put into another one half way through. */
static weather simulate(MPI_Comm comm, bool restart)
{
    test_colliding s;
    weather seen;
    test_colliding_create(&s, comm, storm);
    test_colliding_start(&s, 0, test_stay);
    for (int frame = 0; frame < STORM_FRAMES; frame++) {
        if (restart && frame == 2) {
            sn_contact_record_list memory = s.memory;
            s.memory = (sn_contact_record_list){0};
            test_colliding_free(&s);
            test_colliding_create(&s, comm, storm);
            test_colliding_start(&s, frame, test_wave);
            sn_colliders_set_records(&s.c, memory.data, memory.count);
            CHECK(sn_colliders_digest(&s.c) == seen.records[frame - 1], "records are put back");
            sn_vector_free(&memory);
        }
        sn_spring_list springs =
            test_colliding_find(&s, frame + 0.5, test_wave); /* a look ahead, void */
        sn_vector_free(&springs);
        springs = test_colliding_find(&s, frame + 1, test_wave);
        seen.springs[frame] = digest_of(&s, &springs);
        sn_vector_free(&springs);
        test_colliding_commit(&s, frame + 1, test_wave);
        seen.records[frame] = sn_colliders_digest(&s.c);
        seen.worst[frame] = sn_colliders_worst(&s.c);
    }
    test_colliding_free(&s);
    return seen;
}

static void same_bits(void)
{
    omp_set_num_threads(1);
    weather alone = simulate(MPI_COMM_SELF, false);
    omp_set_num_threads(2);
    weather together = simulate(MPI_COMM_WORLD, false);
    CHECK(memcmp(&alone, &together, sizeof alone) == 0, "not what a rank alone has");
    weather again = simulate(MPI_COMM_WORLD, true);
    omp_set_num_threads(1);
    CHECK(memcmp(&alone, &again, sizeof alone) == 0, "not the same after a restart");
    CHECK(alone.worst[3].depth > 0 && alone.records[2] != alone.records[3], "something happens");
}

/* ---- Scenes that cannot be ---- */

static void bad_input(void)
{
    test_colliding_refused("colliders: [{name: a, shape: {mesh: not_there.obj}}]\n",
                           "colliders[0].shape.mesh", "not_there.obj");
    test_colliding_refused(
        "colliders: [{name: a, shape: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, motion: {keys: "
        "[{frame: 0}, {frame: 2, affine: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0]}]}}]\n",
        "colliders[0].motion", "at frame 1");
    test_colliding_refused(
        "colliders: [{name: a, shape: {mesh: 'builtin:cube'}, motion: {keys: "
        "[{frame: 0}, {frame: 2, affine: [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]}]}}]\n",
        "colliders[0].motion", "inside out at frame 1");
    int rank;
    char name[SCENE_NAME_BYTES + 8], text[512];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    scene_file_name(MPI_COMM_WORLD, name);
    strcat(name, ".obj");
    if (rank == 0) { /* a tetrahedron without one of its faces */
        FILE *file = fopen(name, "w");
        fprintf(file, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n");
        fclose(file);
    }
    snprintf(text, sizeof text, "colliders: [{name: a, shape: {mesh: '%s'}}]\n", name);
    test_colliding_refused(text, "colliders[0].shape.mesh", "must be closed");
    if (rank == 0)
        remove(name);
    scene_file_name(MPI_COMM_WORLD, name);
    if (rank == 0)
        test_sequence_write(name, 5, 10);
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(text, sizeof text, "colliders: [{name: a, motion: {sequence: '%s_##.obj'}}]\n", name);
    test_colliding_refused(text, "colliders[0].motion.sequence", "must be closed");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        test_sequence_remove(name, 5);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    size_t held = sn_memory_held();
    springs_by_definition();
    round_things();
    same_bits();
    bad_input();
    CHECK(sn_memory_held() == held, "%zu bytes were not freed", sn_memory_held() - held);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
