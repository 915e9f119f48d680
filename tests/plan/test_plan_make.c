/* Plans as a whole: for the number of ranks that the test runs on the layout is that of the model
 * itself, and the forecast that of the trial; and the row with the fewest nodes is found. */
#include "helpers/hanging_ball.h"

#include "plan/plan.h"

#include <math.h>

static int rank, size;

static const sn_trial_settings SETTINGS = {.frames = 1, .contact_share = 0};
static const sn_machine MACHINE = {
    .latency = 1e-6, .bandwidth = 1e9, .node_memory = 1e12, .ranks_per_node = 8};

/* Collective: what all ranks have of one level, in the words of a layout. */
static sn_layout_level sums_of(const sn_octree *tree)
{
    int64_t sum[4] = {tree->n_octants > 0, tree->n_elements, tree->n_ghost_elements,
                      tree->n_ghost_nodes};
    int64_t most[4] = {tree->n_elements, tree->n_ghost_elements, tree->n_ghost_nodes,
                       sn_exchange_neighbours(&tree->exchange)};
    MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_INT64_T, MPI_SUM, tree->comm);
    MPI_Allreduce(MPI_IN_PLACE, most, 4, MPI_INT64_T, MPI_MAX, tree->comm);
    return (sn_layout_level){.ranks = (int)sum[0],
                             .elements = sum[1],
                             .elements_most = most[0],
                             .ghost_elements = sum[2],
                             .ghost_elements_most = most[1],
                             .ghost_nodes = sum[3],
                             .ghost_nodes_most = most[2],
                             .neighbours_most = most[3],
                             .imbalance = (double)most[0] * (double)sum[0] / (double)sum[1]};
}

static void check_level(const sn_layout_level *a, const sn_layout_level *b, int level)
{
    CHECK(a->ranks == b->ranks && a->elements == b->elements &&
              a->elements_most == b->elements_most && a->neighbours_most == b->neighbours_most,
          "level %d", level);
    CHECK(a->ghost_elements == b->ghost_elements &&
              a->ghost_elements_most == b->ghost_elements_most &&
              a->ghost_nodes == b->ghost_nodes && a->ghost_nodes_most == b->ghost_nodes_most,
          "ghosts of level %d", level);
    CHECK(fabs(a->imbalance - b->imbalance) < 1e-14, "%g and %g", a->imbalance, b->imbalance);
}

static void check_layout(const sn_scene *scene, const sn_plan *plan)
{
    sn_model model;
    CHECK(sn_model_create(MPI_COMM_WORLD, scene, &model) == SN_OK, "%s", sn_failure_message());
    sn_octree_counts counts = sn_octree_count(&model.forest.level[0]);
    CHECK(plan->elements == counts.elements && plan->nodes == counts.nodes, "%ld elements",
          (long)plan->elements);
    CHECK(rank != 0 || plan->layout[0].n_levels == model.forest.n_levels, "levels");
    for (int l = 0; l < model.forest.n_levels; l++) {
        sn_layout_level there = sums_of(&model.forest.level[l]);
        if (rank == 0) {
            sn_layout_level planned = sn_layout_level_of(&plan->layout[0], l);
            check_level(&planned, &there, l);
        }
    }
    sn_model_free(&model);
}

/* The scene is small, so the trial is the shot itself: what was measured is foretold. */
static void check_forecast(const sn_plan *plan)
{
    const sn_trial *t = &plan->trial;
    const sn_forecast *f = &plan->forecast[0];
    CHECK(t->larger == 1 && t->elements == plan->elements, "cells %g times as large", t->larger);
    CHECK(fabs(f->work_seconds / t->seconds - 1) < 1e-12, "%g of %g s", f->work_seconds,
          t->seconds);
    CHECK(f->memory_average >= (t->array_bytes / size + t->other_bytes) * (1 - 1e-12), "%g bytes",
          f->memory_average);
    CHECK(sn_forecast_seconds(f) == f->work_seconds + f->network_seconds, "seconds");
    CHECK(plan->layout[1].size == 5 && plan->layout[2].size == 1, "other numbers of ranks");
    CHECK(plan->forecast[2].network_seconds == 0, "one rank waits for nobody");
}

static void a_plan(void)
{
    sn_scene scene = read_ball("");
    const int ranks[] = {size, 5, 1};
    sn_plan plan;
    sn_status status = sn_plan_make(MPI_COMM_WORLD, &scene, ranks, 3, &MACHINE, &SETTINGS, &plan);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    check_layout(&scene, &plan);
    if (rank == 0)
        check_forecast(&plan);
    sn_plan_free(&plan);
    sn_scene_free(&scene);
}

/* A body of no cells at all is refused as a run would refuse it, and nothing is left to free. */
static void a_scene_that_cannot_be(void)
{
    sn_scene scene = read_ball("");
    scene.bodies.data[0].cell = 9;
    sn_plan plan;
    sn_status status = sn_plan_make(MPI_COMM_WORLD, &scene, &size, 1, &MACHINE, &SETTINGS, &plan);
    CHECK(status == SN_BAD_INPUT, "status %d", status);
    sn_scene_free(&scene);
}

static void fewest_nodes(void)
{
    sn_forecast f[] = {{.nodes = 0, .work_seconds = 1},
                       {.nodes = 3, .work_seconds = 2},
                       {.nodes = 2, .work_seconds = 9},
                       {.nodes = 2, .work_seconds = 5, .network_seconds = 3},
                       {.nodes = 2, .work_seconds = 7, .network_seconds = 2}};
    sn_plan plan = {.n = 5, .forecast = f};
    CHECK(sn_plan_fewest_nodes(&plan) == 3, "row %d", sn_plan_fewest_nodes(&plan));
    plan.n = 2;
    CHECK(sn_plan_fewest_nodes(&plan) == 1, "row %d", sn_plan_fewest_nodes(&plan));
    plan.n = 1;
    CHECK(sn_plan_fewest_nodes(&plan) == -1, "no node is large enough");
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    a_plan();
    a_scene_that_cannot_be();
    fewest_nodes();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
