#include "plan/plan.h"

#include "base/array.h"
#include "base/log.h"

#include <omp.h>

/* Collective. Layouts for some numbers of ranks; on rank 0 only. */
static sn_status cut(MPI_Comm comm, sn_hierarchy *forest, sn_law_kind law,
                     const sn_multigrid_settings *multigrid, const int *ranks, int n,
                     sn_layout *layout)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_whole_level level[SN_MAX_LEVELS] = {0};
    sn_status status = SN_OK;
    sn_level_groups groups = sn_multigrid_groups(multigrid, forest);
    int gathered = 0, repeats_from = sn_multigrid_repeats_from(multigrid, &groups, forest);
    bool single = sn_multigrid_is_single(multigrid);
    while (gathered < forest->n_levels && status == SN_OK) {
        status = sn_whole_level_gather(&forest->level[gathered], &level[gathered]);
        gathered += status == SN_OK;
    }
    for (int i = 0; i < n && status == SN_OK && rank == 0; i++) {
        layout[i] =
            sn_layout_cut(level, forest->n_levels, ranks[i], law, single, omp_get_max_threads());
        layout[i].n_systems = groups.systems[0];
        layout[i].repeats_from = repeats_from;
        sn_note("cut for %d ranks", ranks[i]);
    }
    for (int l = 0; l < gathered; l++)
        sn_whole_level_free(&level[l]);
    return status;
}

/* What a trial tells about itself, while its octrees are there. */
typedef struct {
    MPI_Comm comm;
    sn_rates rates;
} trial_rates;

static sn_status find_rates(void *context, const sn_trial *trial, sn_hierarchy *forest)
{
    trial_rates *t = context;
    int rank;
    MPI_Comm_rank(t->comm, &rank);
    sn_layout layout = {0};
    SN_TRY(cut(t->comm, forest, trial->law, &trial->multigrid, &trial->ranks, 1, &layout));
    if (rank == 0)
        t->rates = sn_rates_of(trial, &layout);
    sn_layout_free(&layout);
    return SN_OK;
}

/* Builds the scene's octrees, and has them no longer when it returns. */
static sn_status cut_scene(MPI_Comm comm, const sn_scene *scene, const int *ranks, sn_plan *plan)
{
    sn_model model;
    SN_TRY(sn_model_create(comm, scene, &model));
    sn_octree_counts counts = sn_octree_count(&model.forest.level[0]);
    plan->elements = counts.elements;
    plan->nodes = counts.nodes;
    sn_status status = cut(comm, &model.forest, sn_materials_law(scene), &scene->multigrid, ranks,
                           plan->n, plan->layout);
    sn_model_free(&model);
    return status;
}

static sn_status fill(MPI_Comm comm, sn_scene *scene, const int *ranks,
                      const sn_trial_settings *settings, sn_plan *plan)
{
    SN_TRY(cut_scene(comm, scene, ranks, plan));
    trial_rates found = {.comm = comm};
    SN_TRY(sn_trial_run(comm, scene, plan->elements, settings, find_rates, &found, &plan->trial));
    plan->rates = found.rates;
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < plan->n && rank == 0; i++)
        plan->forecast[i] =
            sn_forecast_of(&plan->layout[i], &plan->trial, &plan->rates, &plan->machine);
    return SN_OK;
}

sn_status sn_plan_make(MPI_Comm comm, sn_scene *scene, const int *ranks, int n,
                       const sn_machine *machine, const sn_trial_settings *settings, sn_plan *plan)
{
    *plan = (sn_plan){.machine = *machine,
                      .n = n,
                      .layout = SN_NEW_ZERO(sn_layout, n),
                      .forecast = SN_NEW_ZERO(sn_forecast, n)};
    sn_status status = fill(comm, scene, ranks, settings, plan);
    if (status != SN_OK)
        sn_plan_free(plan);
    return status;
}

void sn_plan_free(sn_plan *plan)
{
    for (int i = 0; i < plan->n; i++)
        sn_layout_free(&plan->layout[i]);
    sn_free(plan->layout);
    sn_free(plan->forecast);
    *plan = (sn_plan){0};
}

double sn_forecast_seconds(const sn_forecast *forecast)
{
    return forecast->work_seconds + forecast->network_seconds;
}

static bool is_better(const sn_forecast *a, const sn_forecast *b)
{
    return a->nodes != b->nodes ? a->nodes < b->nodes
                                : sn_forecast_seconds(a) < sn_forecast_seconds(b);
}

int sn_plan_fewest_nodes(const sn_plan *plan)
{
    int best = -1;
    for (int i = 0; i < plan->n; i++)
        if (plan->forecast[i].nodes > 0 &&
            (best < 0 || is_better(&plan->forecast[i], &plan->forecast[best])))
            best = i;
    return best;
}
