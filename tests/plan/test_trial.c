/* A trial runs the scene itself, with larger cells if there are too many, and leaves the scene as
 * it was. What it has counted is compared with a model of the same cells and with the scene. */
#include "helpers/hanging_ball.h"

#include "model/model.h"
#include "plan/trial.h"

#include <math.h>

static const char floor_below[] =
    "colliders:\n"
    "  - {name: floor, shape: {plane: {point: [0, -2, 0], normal: [0, 1, 0]}}}\n";

static const sn_trial_settings SETTINGS = {.frames = 2, .contact_share = 0.1};

/* What the inspector sees of the trial's octrees. */
typedef struct {
    int calls;
    int64_t elements;
} seen;

static sn_status inspect(void *context, const sn_trial *trial, sn_hierarchy *forest)
{
    seen *s = context;
    s->calls++;
    s->elements = sn_octree_count(&forest->level[0]).elements;
    CHECK(trial->elements == s->elements, "%ld elements", (long)trial->elements);
    return SN_OK;
}

static int64_t elements_with(sn_scene *scene, double larger)
{
    sn_model model;
    sn_scene with_cells = *scene;
    sn_body_settings body = scene->bodies.data[0];
    with_cells.bodies.data = &body;
    body.cell *= larger;
    body.coarsest *= larger;
    CHECK(sn_model_create(MPI_COMM_WORLD, &with_cells, &model) == SN_OK, "%s",
          sn_failure_message());
    int64_t elements = sn_octree_count(&model.forest.level[0]).elements;
    sn_model_free(&model);
    return elements;
}

/* The scene claims to have so many elements, for which cells have to be so much larger. */
static sn_trial try(sn_scene *scene, int64_t claimed, double larger)
{
    sn_trial trial;
    seen s = {0};
    double cell = scene->bodies.data[0].cell, coarsest = scene->bodies.data[0].coarsest;
    CHECK(sn_trial_run(MPI_COMM_WORLD, scene, claimed, &SETTINGS, inspect, &s, &trial) == SN_OK,
          "%s", sn_failure_message());
    CHECK(s.calls == 1, "%d calls", s.calls);
    CHECK(trial.larger == larger, "cells %g times as large", trial.larger);
    CHECK(trial.elements == elements_with(scene, larger), "%ld elements", (long)trial.elements);
    CHECK(fabs(scene->bodies.data[0].cell - cell) <= 1e-15, "the scene has other cells");
    CHECK(fabs(scene->bodies.data[0].coarsest - coarsest) <= 1e-15, "and other coarsest ones");
    return trial;
}

static void check_frames(const sn_trial *t)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(t->ranks == size, "%d ranks", t->ranks);
    CHECK(t->frames == SETTINGS.frames, "%d frames", t->frames);
    CHECK(t->newton >= 1 && t->linear >= t->newton, "%g and %g iterations", t->newton, t->linear);
    CHECK(t->seconds > 0 && t->cycle_seconds > 0 && t->cycle_seconds < t->seconds,
          "%g s, %g of them in cycles", t->seconds, t->cycle_seconds);
    CHECK(!t->damped, "nothing is damped");
}

/* The sphere's 6 n^2 + 2 vertices, 8 edges a side; nothing but the weight of what there is. */
static void check_weights(const sn_trial *t, int vertices)
{
    const sn_weights_of_shot *w = &t->weights;
    CHECK(w->vertices == vertices, "%g vertices", w->vertices);
    CHECK(w->ties == 0, "%g bytes of springs to bones", w->ties);
    CHECK(w->contacts == 0, "%g contacts", w->contacts);
    CHECK(w->surface >= vertices * (double)sizeof(double[3]), "%g bytes", w->surface);
    CHECK(w->transfer > 0, "%g bytes a node between levels", w->transfer);
    CHECK(t->array_bytes > w->surface, "%g bytes at the peak", t->array_bytes);
}

static void as_it_is(void)
{
    sn_scene scene = read_ball("");
    sn_trial t = try(&scene, 1000, 1);
    check_frames(&t);
    CHECK(t.weights.new_contact == 0 && t.weights.search == 0, "nothing can touch anything");
    sn_scene_free(&scene);
}

/* Contacts are weighed though there are none yet: a record, a spring and its rows for each. */
static void with_contacts(void)
{
    sn_scene scene = read_ball(floor_below);
    sn_trial t = try(&scene, 1000, 1);
    sn_model model;
    CHECK(sn_model_create(MPI_COMM_WORLD, &scene, &model) == SN_OK, "%s", sn_failure_message());
    check_weights(&t, (int)model.mesh[0].view.n_vertices);
    sn_model_free(&model);
    CHECK(t.weights.contact > sizeof(sn_contact_record), "%g bytes", t.weights.contact);
    CHECK(t.weights.new_contact > sizeof(sn_spring), "%g bytes", t.weights.new_contact);
    CHECK(t.weights.search > 0, "%g bytes", t.weights.search);
    sn_scene_free(&scene);
}

/* Elements fall with the square of the cell: four times too many are tried with cells of twice the
 * size. If a body is smaller than the cells, they are halved until it is not. */
static void with_larger_cells(void)
{
    sn_scene scene = read_ball("");
    try(&scene, 4 * (int64_t)SN_TRIAL_ELEMENTS, 2);
    try(&scene, 64 * 64 * (int64_t)SN_TRIAL_ELEMENTS, 16);
    sn_scene_free(&scene);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    as_it_is();
    with_contacts();
    with_larger_cells();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
