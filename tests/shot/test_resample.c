/* A state on other octrees: a body that was turned is turned in all its nodes, whatever the cells
 * are; nodes that both octrees have keep every bit; the same bits on any ranks. Of two slabs that
 * share cells each is where it was. */
#include "helpers/check.h"
#include "helpers/scene_text.h"
#include "shot/resample.h"
#include "shot/shot.h"

#include "base/array.h"
#include "base/digest.h"
#include "octree/positions.h"

#include <math.h>
#include <unistd.h>

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

/* ---- Two slabs, a third of a cell apart ---- */

static const double SLAB_CELL = 0.05, MIDDLE = 0.11 + 0.05 / 6;

static void write_box(FILE *file, const double low[3], const double high[3], int first)
{
    static const int face[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int c = 0; c < 8; c++)
        fprintf(file, "v %.17g %.17g %.17g\n", c & 1 ? high[0] : low[0], c & 2 ? high[1] : low[1],
                c & 4 ? high[2] : low[2]);
    for (int f = 0; f < 6; f++)
        fprintf(file, "f %d %d %d %d\n", first + face[f][0], first + face[f][1], first + face[f][2],
                first + face[f][3]);
}

static void write_slabs(const char *name)
{
    FILE *file = fopen(name, "w");
    double gap = SLAB_CELL / 3;
    write_box(file, (double[]){0, 0, 0}, (double[]){0.6, 0.3, 0.11}, 1);
    write_box(file, (double[]){0, 0, 0.11 + gap}, (double[]){0.6, 0.3, 0.22 + gap}, 9);
    fclose(file);
}

static void open_slabs(MPI_Comm comm, const char *name, double cell, sn_scene *scene, sn_shot *shot)
{
    char text[512];
    snprintf(text, sizeof text, "bodies: [{name: slabs, mesh: '%s', cell: %g}]\n", name, cell);
    CHECK(read_scene_text(comm, text, strlen(text), NULL, 0, scene) == SN_OK, "%s",
          sn_failure_message());
    CHECK(sn_shot_open(comm, scene, shot) == SN_OK, "%s", sn_failure_message());
}

/* Which nodes belong to the upper slab, by where the material of their elements is. */
static bool *upper_nodes(const sn_model *model)
{
    const sn_octree *tree = &model->forest.level[0];
    sn_local n = tree->n_elements + tree->n_ghost_elements;
    double(*centre)[3] = SN_NEW(double[3], n);
    sn_leaves elements = sn_octree_elements(tree);
    bool *upper = SN_NEW_ZERO(bool, tree->n_nodes + tree->n_ghost_nodes);
    sn_octree_element_centres(tree, centre);
    for (sn_local e = 0; e < n; e++) {
        double half = 0.5 * model->bodies.body[0].cell * sn_edge(elements.height[e]);
        bool is_upper = centre[e][2] + half * (double)model->centroid[e][2] > MIDDLE;
        for (int c = 0; c < 8; c++)
            upper[tree->conforming[e][c]] = is_upper;
    }
    sn_leaves_free(&elements);
    sn_free(centre);
    return upper;
}

static const double WAY[3] = {0.3, 0, 1};

static void pull(sn_shot *shot)
{
    const sn_octree *tree = &shot->model.forest.level[0];
    bool *upper = upper_nodes(&shot->model);
    sn_state *s = &shot->state.nodes;
    for (sn_local n = 0; n < tree->n_nodes; n++)
        for (int d = 0; d < 3; d++) {
            s->x[3 * n + d] += upper[n] ? WAY[d] : 0;
            s->x_before[3 * n + d] += upper[n] ? WAY[d] : 0;
            s->v[3 * n + d] = upper[n] ? WAY[d] : 0;
        }
    sn_free(upper);
}

static void check_pulled(const sn_model *model, const sn_state *s)
{
    const sn_octree *tree = &model->forest.level[0];
    bool *upper = upper_nodes(model);
    double *rest = rest_of(tree), worst = 0;
    for (sn_local n = 0; n < tree->n_nodes; n++)
        for (int d = 0; d < 3; d++) {
            double way = upper[n] ? WAY[d] : 0;
            worst = fmax(worst, fabs(s->x[3 * n + d] - rest[3 * n + d] - way));
            worst = fmax(worst, fabs(s->v[3 * n + d] - way));
        }
    CHECK(worst < 1e-5, "off by %g", worst);
    sn_free(rest);
    sn_free(upper);
}

static void slabs_stay_two(const char *name)
{
    static const double cells[] = {0.05, 0.03, 0.045, 0.07};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        sn_scene scene, other;
        static sn_shot shot, next;
        open_slabs(MPI_COMM_WORLD, name, SLAB_CELL, &scene, &shot);
        open_slabs(MPI_COMM_WORLD, name, cells[i], &other, &next);
        CHECK(shot.model.forest.level[0].has_copies, "slabs have no copies");
        pull(&shot);
        sn_state state;
        CHECK(sn_resample(&shot.state.nodes, &shot.model, &next.model, &state) == SN_OK, "%s",
              sn_failure_message());
        check_pulled(&next.model, &state);
        sn_state_free(&state);
        release(&scene, &shot);
        release(&other, &next);
    }
}

static void test_slabs(void)
{
    int rank, number = (int)getpid();
    char name[64];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/tmp/sinew_test_slabs_%d.obj", number);
    if (rank == 0)
        write_slabs(name);
    MPI_Barrier(MPI_COMM_WORLD);
    slabs_stay_two(name);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        remove(name);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    test_slabs();
    uint64_t before;
    CHECK(resampled(MPI_COMM_WORLD, CELL, "parmetis", &before) == before, "bits are lost");
    const double cells[] = {0.06, 0.15, 0.0817};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        uint64_t alone =
            test_is_mine((int)i) ? resampled(MPI_COMM_SELF, cells[i], "curve", &before) : 0;
        test_share((int)i, &alone, sizeof alone);
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
