/* A state on other octrees: a body that was turned is turned in all its nodes, whatever the cells
 * are; nodes that both octrees have keep every bit; the same bits on any ranks. */
#include "helpers/check.h"
#include "helpers/scene_text.h"
#include "shot/resample.h"
#include "shot/shot.h"

#include "base/array.h"
#include "base/digest.h"
#include "octree/positions.h"

#include <math.h>

static const double RADIUS = 0.5, CELL = 0.11;

static void open(MPI_Comm comm, double cell, const char *method, sn_scene *scene, sn_shot *shot)
{
    char text[512];
    snprintf(text, sizeof text,
             "bodies: [{name: ball, mesh: 'builtin:sphere,radius=%g,detail=8', cell: %g}]\n"
             "partition: {method: %s}\n",
             RADIUS, cell, method);
    sn_status status = read_scene_text(comm, text, strlen(text), NULL, 0, scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    CHECK(sn_shot_open(comm, scene, shot) == SN_OK, "%s", sn_failure_message());
}

static void release(sn_scene *scene, sn_shot *shot)
{
    sn_shot_free(shot);
    sn_scene_free(scene);
}

/* By a third of a right angle about z, and shifted. */
static void turned(const double rest[3], double x[3])
{
    const double cosine = sqrt(0.75), sine = 0.5;
    x[0] = cosine * rest[0] - sine * rest[1] + 0.3;
    x[1] = sine * rest[0] + cosine * rest[1];
    x[2] = rest[2] - 0.1;
}

static double *rest_of(const sn_octree *tree)
{
    double *rest = sn_field_new_f64(tree);
    sn_octree_node_positions(tree, (double(*)[3])rest);
    return rest;
}

static void turn(sn_shot *shot)
{
    const sn_octree *tree = &shot->model.forest.level[0];
    double *rest = rest_of(tree);
    sn_state *s = &shot->state.nodes;
    for (sn_local n = 0; n < tree->n_nodes; n++) {
        turned(rest + 3 * n, s->x + 3 * n);
        turned(rest + 3 * n, s->x_before + 3 * n);
        s->v[3 * n] = rest[3 * n + 1];
    }
    s->time = 2;
    s->last_step = 0.25;
    sn_free(rest);
}

static uint64_t digest_of(const sn_octree *tree, const sn_state *s)
{
    sn_key *keys = sn_octree_node_keys(tree);
    uint64_t digest = 0;
    for (sn_local n = 0; n < tree->n_nodes; n++) {
        sn_digest_add(&digest, keys[n], s->x + 3 * n, 3 * sizeof *s->x);
        sn_digest_add(&digest, ~keys[n], s->v + 3 * n, 3 * sizeof *s->v);
    }
    sn_free(keys);
    return sn_digest_allreduce(tree->comm, digest);
}

/* Nodes inside of the ball lie in elements of any octree. */
static void check_turned(const sn_octree *tree, const sn_state *s, double cell)
{
    double *rest = rest_of(tree), worst = 0, fastest = 0;
    for (sn_local n = 0; n < tree->n_nodes; n++) {
        const double *r = rest + 3 * n;
        double wanted[3], inside = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        if (inside > 0.9 * RADIUS * RADIUS)
            continue;
        turned(r, wanted);
        for (int d = 0; d < 3; d++)
            worst = fmax(worst, fabs(s->x[3 * n + d] - wanted[d]));
        fastest = fmax(fastest, fabs(s->v[3 * n] - r[1]));
    }
    CHECK(worst < 1e-5 * cell && fastest < 1e-5 * cell, "cells of %g: off by %g, velocities by %g",
          cell, worst, fastest);
    CHECK(s->time == 2 && s->last_step == 0.25, "the time is %g", s->time);
    sn_free(rest);
}

static uint64_t resampled(MPI_Comm comm, double cell, const char *method, uint64_t *before)
{
    sn_scene scene, other;
    static sn_shot shot, next;
    open(comm, CELL, "curve", &scene, &shot);
    open(comm, cell, method, &other, &next);
    turn(&shot);
    sn_octree *from = &shot.model.forest.level[0], *to = &next.model.forest.level[0];
    *before = digest_of(from, &shot.state.nodes);
    sn_state state;
    CHECK(sn_resample(&shot.state.nodes, &shot.model, &next.model, &state) == SN_OK, "%s",
          sn_failure_message());
    check_turned(to, &state, cell);
    uint64_t digest = digest_of(to, &state);
    sn_state_free(&state);
    release(&scene, &shot);
    release(&other, &next);
    return digest;
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    uint64_t before;
    CHECK(resampled(MPI_COMM_WORLD, CELL, "parmetis", &before) == before, "bits are lost");
    const double cells[] = {0.06, 0.15, 0.0817};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        uint64_t alone = resampled(MPI_COMM_SELF, cells[i], "curve", &before);
        CHECK(resampled(MPI_COMM_WORLD, cells[i], "curve", &before) == alone, "cells of %g",
              cells[i]);
        CHECK(resampled(MPI_COMM_WORLD, cells[i], "parmetis", &before) == alone, "cells of %g",
              cells[i]);
    }
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
