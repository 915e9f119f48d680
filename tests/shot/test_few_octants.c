/* More ranks than there are elements: a damped body of some cells, with ranks that have only nodes,
 * only ghosts, or nothing, gives the bits that it gives on one rank. */
#include "helpers/check.h"
#include "helpers/scene_text.h"
#include "shot/shot.h"

/* clang-format off */
static const char scene_text[] =
    "frames: {first: 1, last: 4, fps: 24}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: cube, mesh: 'builtin:cube', cell: 0.6, material: {young: 2.0e4, damping: 0.05}}\n"
    "pins:\n"
    "  - {name: low, body: cube, region: {box: {min: [-2, -2, -2], max: [2, -0.4, 2]}}}\n";
/* clang-format on */

static sn_frame_row last_row(MPI_Comm comm, const char *override)
{
    const char *overrides[] = {override};
    sn_scene scene;
    static sn_shot shot;
    sn_frame_row row = {0};
    sn_status status = read_scene_text(comm, scene_text, strlen(scene_text), overrides, 1, &scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    CHECK(sn_shot_create(comm, &scene, &shot) == SN_OK, "%s", sn_failure_message());
    for (int frame = scene.frames.first; frame <= scene.frames.last; frame++)
        CHECK(sn_shot_advance(&shot, frame, &row) == SN_OK, "%s", sn_failure_message());
    sn_shot_free(&shot);
    sn_scene_free(&scene);
    return row;
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    static const char *const ways[] = {"solver.linear.method=mgpcg", "solver.linear.method=cg",
                                       "solver.linear.precision=double"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        sn_frame_row alone = {0};
        if (test_is_mine((int)i))
            alone = last_row(MPI_COMM_SELF, ways[i]);
        test_share((int)i, &alone, sizeof alone);
        sn_frame_row together = last_row(MPI_COMM_WORLD, ways[i]);
        CHECK(alone.digest == together.digest && alone.linear == together.linear,
              "%s: digest %016llx, not %016llx", ways[i], (unsigned long long)together.digest,
              (unsigned long long)alone.digest);
        CHECK(alone.kinetic_energy > 0, "%s: nothing moves", ways[i]);
    }
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
