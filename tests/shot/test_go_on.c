/* A shot that is built anew from a state: on octrees that are cut in another way it goes on bit for
 * bit, contacts and friction included; on octrees with other cells it is where it was, and goes on.
 */
#include "helpers/check.h"
#include "helpers/scene_text.h"
#include "shot/shot.h"

#include "base/array.h"

#include <math.h>

/* A ball that rolls down onto a floor and into a block, under way in the middle of a frame. */
/* clang-format off */
static const char scene_text[] =
    "frames: {first: 1, last: 9, fps: 24, substeps: 2}\n"
    "gravity: [3, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: ball, mesh: 'builtin:sphere,radius=0.5,detail=8', cell: 0.11, material: {young: 1.0e5, damping: 0.01}}\n"
    "  - {name: block, mesh: 'builtin:cube', cell: 0.2, material: {young: 3.0e4}, place: {translate: [1.02, 0, 0]}}\n"
    "colliders:\n"
    "  - {name: floor, shape: {plane: {point: [0, -0.505, 0], normal: [0, 1, 0]}}, stiffness: 1.0e4, friction: 0.4}\n"
    "self_collision: {enabled: true, stiffness: 1.0e4, friction: 0.3}\n"
    "solver: {integrator: bdf2, newton: {max: 40, tolerance: 1.0e-4}, linear: {max: 20, tolerance: 1.0e-3}}\n";
/* clang-format on */

enum { HALF_WAY = 5, LAST = 8 };

static void read_scene(const char *override, sn_scene *scene)
{
    const char *overrides[] = {override};
    sn_status status = read_scene_text(MPI_COMM_WORLD, scene_text, strlen(scene_text), overrides,
                                       override ? 1 : 0, scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
}

static void advance(sn_shot *shot, int first, int last, sn_frame_row *row)
{
    for (int frame = first; frame <= last; frame++) {
        sn_status status = sn_shot_advance(shot, frame, row);
        CHECK(status == SN_OK, "frame %d: %s", frame, sn_failure_message());
    }
}

/* To half way, and one substep more. */
static void create_half_way(sn_scene *scene, sn_shot *shot, sn_frame_row *row)
{
    read_scene(NULL, scene);
    CHECK(sn_shot_create(MPI_COMM_WORLD, scene, shot) == SN_OK, "%s", sn_failure_message());
    advance(shot, 1, HALF_WAY, row);
    CHECK(sn_shot_step(shot, HALF_WAY + 1) == SN_OK, "%s", sn_failure_message());
    CHECK(!shot->state.progress.whole, "the frame is done");
}

static sn_frame_row uninterrupted(size_t *contacts)
{
    sn_scene scene;
    static sn_shot shot;
    sn_frame_row row;
    create_half_way(&scene, &shot, &row);
    uint64_t counts[2] = {shot.state.contacts.colliders.count, shot.state.contacts.flesh.count};
    MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    contacts[0] = counts[0];
    contacts[1] = counts[1];
    advance(&shot, HALF_WAY + 1, LAST, &row);
    sn_shot_free(&shot);
    sn_scene_free(&scene);
    return row;
}

/* From half way on, on the octrees of a scene that differs by the override. */
static sn_frame_row built_anew(const char *override, sn_frame_row *before, sn_frame_row *at_once)
{
    sn_scene scene, other;
    static sn_shot shot, next;
    sn_frame_row row;
    create_half_way(&scene, &shot, &row);
    sn_shot_certify(&shot, before);
    read_scene(override, &other);
    sn_status status = sn_shot_go_on(&shot, &other, &next);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    sn_shot_free(&shot);
    sn_scene_free(&scene);
    CHECK(next.state.progress.substeps == 1, "a substep was lost");
    sn_shot_certify(&next, at_once);
    advance(&next, HALF_WAY + 1, LAST, &row);
    sn_shot_free(&next);
    sn_scene_free(&other);
    return row;
}

static void another_partition(const sn_frame_row *wanted, const char *override)
{
    sn_frame_row before, at_once, row = built_anew(override, &before, &at_once);
    CHECK(at_once.digest == before.digest, "%s: the surface has moved", override);
    CHECK(row.digest == wanted->digest && row.newton == wanted->newton &&
              row.linear == wanted->linear && row.max_penetration == wanted->max_penetration,
          "%s: digest %016llx, not %016llx", override, (unsigned long long)row.digest,
          (unsigned long long)wanted->digest);
}

/* Volumes are those of the surface: what bends between the nodes is lost or found. */
static void other_cells(const sn_frame_row *wanted, const char *override)
{
    sn_frame_row before, at_once, row = built_anew(override, &before, &at_once);
    CHECK(at_once.digest != before.digest, "%s: the octrees are the same", override);
    CHECK(fabs(at_once.volume / before.volume - 1) < 5e-3, "%s: volume %.6g, not %.6g", override,
          at_once.volume, before.volume);
    CHECK(row.residual <= 1e-4 && row.inverted == 0, "%s: residual %g, %d inverted", override,
          row.residual, (int)row.inverted);
    CHECK(fabs(row.volume / wanted->volume - 1) < 0.01, "%s: volume %.6g, not %.6g", override,
          row.volume, wanted->volume);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    size_t contacts[2];
    sn_frame_row wanted = uninterrupted(contacts);
    CHECK(contacts[0] > 0 && contacts[1] > 0, "%zu contacts with the floor, %zu of flesh",
          contacts[0], contacts[1]);
    another_partition(&wanted, "partition.method=curve");
    another_partition(&wanted, "partition.method=parmetis");
    other_cells(&wanted, "bodies.ball.cell=0.06");
    other_cells(&wanted, "bodies.ball.cell=0.15");
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
