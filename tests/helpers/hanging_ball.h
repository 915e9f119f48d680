/* For tests of plans: a small scene that takes no time, a ball that hangs on pins. */
#ifndef SN_TESTS_HANGING_BALL_H
#define SN_TESTS_HANGING_BALL_H

#include "helpers/check.h"
#include "helpers/scene_text.h"

/* clang-format off */
static const char hanging_ball[] =
    "frames: {first: 3, last: 9}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: ball, mesh: 'builtin:sphere,radius=0.5,detail=8', cell: 0.06, coarsest: 0.24}\n"
    "pins:\n"
    "  - {name: top, body: ball, region: {box: {min: [-1, 0.3, -1], max: [1, 1, 1]}}}\n"
    "solver: {newton: {max: 20, tolerance: 1.0e-2}}\n";
/* clang-format on */

/* Collective: with more of the scene behind it. */
static inline sn_scene read_ball(const char *more)
{
    char text[1024];
    sn_scene scene;
    int length = snprintf(text, sizeof text, "%s%s", hanging_ball, more);
    CHECK(read_scene_text(MPI_COMM_WORLD, text, (size_t)length, NULL, 0, &scene) == SN_OK, "%s",
          sn_failure_message());
    return scene;
}

#endif
