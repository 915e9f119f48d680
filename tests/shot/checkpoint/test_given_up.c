/* A substep that is given up anywhere between two iterations is gone on with from a checkpoint, and
 * its frame comes out bit for bit, with the same counts. The first steps of BDF2 are parts of a
 * substep, so some are done when it is given up. */
#include "helpers/check.h"
#include "helpers/scene_text.h"
#include "shot/checkpoint/checkpoint.h"

#include <stdio.h>

/* clang-format off */
static const char scene_text[] =
    "frames: {first: 1, last: 3, fps: 24}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: block, mesh: 'builtin:cube', cell: 0.2, material: {young: 3.0e4}}\n"
    "pins:\n"
    "  - {name: base, body: block, region: {box: {min: [-2, -2, -2], max: [2, -0.2, 2]}}, motion: {keys: [{frame: 1}, {frame: 3, translate: [0.3, 0, 0]}]}}\n"
    "solver: {newton: {max: 20, tolerance: 1.0e-6}, linear: {method: cg, max: 60, tolerance: 1.0e-4}}\n";

/* Flesh that is fast, and flies by: steps are given up between two looks on its way, too. */
static const char fast_text[] =
    "frames: {first: 1, last: 3, fps: 24}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  - {name: fast, mesh: 'builtin:cube', cell: 0.5, velocity: {linear: [480, 0, 0]}}\n"
    "  - {name: slow, mesh: 'builtin:cube', cell: 0.5, place: {translate: [12, 1.3, 0]}}\n"
    "self_collision: {enabled: true}\n"
    "solver: {newton: {max: 10, tolerance: 1.0e-2}, linear: {max: 10, tolerance: 1.0e-2}}\n";
/* clang-format on */

static int rank;

/* Asks for the end when it was asked so often. */
typedef struct {
    int asked, at;
} patience;

static bool runs_out(void *context)
{
    patience *p = context;
    return ++p->asked == p->at;
}

/* Made in place: a shot does not move. */
static void make(sn_scene *scene, patience *p, sn_shot *shot)
{
    CHECK(sn_shot_create(MPI_COMM_WORLD, scene, shot) == SN_OK, "%s", sn_failure_message());
    shot->built.interrupt = (sn_interrupt){runs_out, p};
}

static void finish(sn_shot *shot, int from, sn_frame_row row[4])
{
    for (int frame = from; frame <= 3; frame++)
        CHECK(sn_shot_advance(shot, frame, &row[frame]) == SN_OK, "%s", sn_failure_message());
}

static bool are_equal(const sn_frame_row *a, const sn_frame_row *b)
{
    return a->digest == b->digest && a->newton == b->newton && a->linear == b->linear &&
           a->residual == b->residual && a->kinetic_energy == b->kinetic_energy;
}

/* Returns how many parts of the substep were done. */
static int give_up_and_go_on(sn_scene *scene, int at, const sn_frame_row expected[4])
{
    char path[64];
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(path, sizeof path, "test_given_up.%d.h5", size);
    patience p = {.at = at};
    sn_shot shot, again;
    sn_frame_rows rows = {0}, none = {0};
    sn_frame_row row[4];
    make(scene, &p, &shot);
    CHECK(sn_shot_advance(&shot, 1, &row[1]) == SN_OK, "%s", sn_failure_message());
    CHECK(sn_shot_step(&shot, 2) == SN_STOPPED, "not given up at %d", at);
    int steps = shot.state.progress.way.steps;
    sn_push(&rows, row[1]);
    CHECK(sn_checkpoint_write(&shot, &rows, path) == SN_OK, "%s", sn_failure_message());
    sn_shot_free(&shot);
    make(scene, &p, &again);
    CHECK(sn_checkpoint_read(&again, &none, path) == SN_OK, "%s", sn_failure_message());
    finish(&again, 2, row);
    for (int frame = 2; frame <= 3; frame++)
        CHECK(are_equal(&row[frame], &expected[frame]), "given up at %d: frame %d differs", at,
              frame);
    sn_shot_free(&again);
    sn_vector_free(&rows);
    sn_vector_free(&none);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        remove(path);
    return steps;
}

static void give_up_often(const char *text, int times)
{
    sn_scene scene;
    sn_shot shot;
    patience never = {0};
    sn_frame_row expected[4];
    sn_status status = read_scene_text(MPI_COMM_WORLD, text, strlen(text), NULL, 0, &scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    make(&scene, &never, &shot);
    finish(&shot, 1, expected);
    sn_shot_free(&shot);
    int between = 0;
    for (int at = 1; at < never.asked / 2; at += 1 + never.asked / (2 * times))
        between += give_up_and_go_on(&scene, at, expected) > 0;
    CHECK(between > 0, "never given up between two parts of a substep, of %d times", never.asked);
    sn_scene_free(&scene);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    give_up_often(scene_text, 8);
    give_up_often(fast_text, 4);
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
