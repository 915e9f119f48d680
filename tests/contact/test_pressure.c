/* Contact pressure: integrated over the surface as it is now it is the force of the contacts, which
 * the bodies' momentum tells; that of flesh on flesh is as large on both; and the same bits come
 * out on any number of ranks. */
#include "helpers/check.h"
#include "helpers/scene_text.h"

#include "base/array.h"
#include "base/digest.h"
#include "base/exact_sum.h"
#include "contact/pressure.h"
#include "shot/shot.h"

#include <math.h>

static const double GRAVITY = 9.81, STEP = 1 / 24.0;

/* A block on a floor, and a ball on the block. */
static const char SCENE[] =
    "frames: {first: 0, last: 100}\n"
    "bodies:\n"
    "- {name: block, mesh: 'builtin:cube,x=0.4,y=0.2,z=0.4,detail=6', cell: 0.1,\n"
    "   place: {translate: [0, 0.1, 0]}, material: {young: 1e6, poisson: 0.3}}\n"
    "- {name: ball, mesh: 'builtin:sphere,radius=0.15,detail=6', cell: 0.1,\n"
    "   place: {translate: [0.01, 0.349, 0.02]}, material: {young: 1e5, poisson: 0.3}}\n"
    "colliders: [{name: floor, shape: {plane: {normal: [0, 1, 0]}}, stiffness: 1e4}]\n"
    "self_collision: {enabled: true, stiffness: 1e4}\n"
    "solver: {integrator: backward_euler, newton: {max: 20, tolerance: 1e-5},\n"
    "  linear: {max: 60, tolerance: 1e-3}}\n";
enum { BLOCK, BALL, BODIES, FRAMES = 6 };

static void must(sn_status status)
{
    if (status != SN_OK)
        sn_abort(status, __FILE__, __LINE__, "%s", sn_failure_message());
}

static void add_over_ranks(MPI_Comm comm, sn_sum sums[BODIES], double values[BODIES])
{
    sn_sum_allreduce(comm, sums, BODIES);
    for (int b = 0; b < BODIES; b++)
        values[b] = sn_sum_value(&sums[b]);
}

/* Of each body: the mass, or the momentum upwards. */
static void measure_bodies(const sn_shot *shot, const double *v, double values[BODIES])
{
    const sn_octree *tree = &shot->model.forest.level[0];
    sn_sum sums[BODIES];
    memset(sums, 0, sizeof sums);
    sn_key *keys = sn_octree_node_keys(tree);
    for (sn_local n = 0; n < tree->n_nodes; n++)
        sn_sum_add(&sums[sn_key_body(keys[n])],
                   shot->built.system.mass[n] * (v ? v[3 * n + 1] : 1));
    sn_free(keys);
    add_over_ranks(tree->comm, sums, values);
}

/* Of each body: the integral of the pressure; and its digest. */
static uint64_t integrate(const sn_shot *shot, double force[BODIES])
{
    const sn_embedding *e = &shot->built.embedding;
    sn_press *press = SN_NEW(sn_press, e->n);
    uint64_t digest = 0;
    sn_sum sums[BODIES];
    memset(sums, 0, sizeof sums);
    sn_contacts_press(&shot->built.contacts, shot->built.surface.body, press);
    for (size_t i = 0; i < e->n; i++) {
        CHECK(press[i].force >= 0 && (press[i].area > 0) == (press[i].force > 0), "nothing pulls");
        sn_sum_add(&sums[sn_embedding_body_of(e, e->vertex[i])],
                   sn_pressure_of(press[i]) * press[i].area);
        sn_digest_add(&digest, (uint64_t)e->vertex[i], &press[i], sizeof press[i]);
    }
    sn_free(press);
    add_over_ranks(e->tree->comm, sums, force);
    return sn_digest_allreduce(e->tree->comm, digest);
}

/* What presses on the ball and, from the ball and the floor, on the block, beside what carries
 * them. The floor is flat; the ball's normals lean a little. */
static void compare(int frame, const double force[BODIES], const double carried[BODIES])
{
    double of_floor = force[BLOCK] - force[BALL], both = carried[BLOCK] + carried[BALL];
    sn_info("frame %d: the floor presses by %.6g, expected %.6g; the ball by %.6g, carried by %.6g",
            frame, of_floor, both, force[BALL], carried[BALL]);
    CHECK(fabs(of_floor - both) < 1e-3 * both, "the floor presses by %g, not %g", of_floor, both);
    CHECK(force[BALL] > 0.999 * carried[BALL] && force[BALL] < 1.06 * carried[BALL],
          "on the ball %g, carried by %g", force[BALL], carried[BALL]);
}

/* Steps are of backward Euler: force is the change of momentum over the step. */
static uint64_t rest_on_each_other(MPI_Comm comm)
{
    sn_scene scene;
    sn_shot shot;
    must(read_scene_text(comm, SCENE, strlen(SCENE), NULL, 0, &scene));
    must(sn_shot_create(comm, &scene, &shot));
    double mass[BODIES], before[BODIES], now[BODIES], force[BODIES], touched = 0;
    uint64_t digest = 0;
    measure_bodies(&shot, NULL, mass);
    measure_bodies(&shot, shot.state.nodes.v, before);
    for (int frame = 0; frame <= FRAMES; frame++) {
        sn_frame_row row;
        must(sn_shot_advance(&shot, frame, &row));
        digest = digest * 3 + integrate(&shot, force);
        measure_bodies(&shot, shot.state.nodes.v, now);
        double carried[BODIES];
        for (int b = 0; b < BODIES; b++) {
            carried[b] = GRAVITY * mass[b] + (now[b] - before[b]) / STEP;
            before[b] = now[b];
        }
        if (frame == 0) /* where all starts nothing has been solved */
            continue;
        compare(frame, force, carried);
        touched = fmax(touched, force[BALL]);
    }
    CHECK(touched > 0.2 * GRAVITY * mass[BALL], "the ball touches the block: %g", touched);
    sn_shot_free(&shot);
    sn_scene_free(&scene);
    return digest;
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    uint64_t together = rest_on_each_other(MPI_COMM_WORLD);
    uint64_t alone = rank == 0 && size > 1 ? rest_on_each_other(MPI_COMM_SELF) : together;
    MPI_Bcast(&alone, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    CHECK(alone == together, "not what a rank alone has");
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
