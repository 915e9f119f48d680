#include "cli/plan.h"

#include "base/log.h"
#include "cli/arguments.h"
#include "cli/command.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RANKS = 1 << 20, MOST_TRIAL_FRAMES = 100 };

static const double USUAL_LATENCY = 2, USUAL_BANDWIDTH = 1; /* microseconds, GB/s */

typedef struct {
    const char *scene_path;
    bool json;
    SN_VECTOR(int) ranks;
    double node_memory, latency, bandwidth; /* GB, microseconds, GB/s */
    int ranks_per_node;
    sn_trial_settings trial;
    sn_overrides overrides;
} plan_arguments;

static void print_help(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank != 0)
        return;
    printf(
        "usage: sinew plan SCENE.yaml --ranks N[,N...] [-P key=value ...] [--json]\n"
        "                  [--node-memory GB] [--ranks-per-node N] [--latency US]\n"
        "                  [--bandwidth GB/S] [--trial-frames N] [--contacts PERCENT]\n\n"
        "Builds the octrees of a scene here and cuts them as runs on these numbers of ranks\n"
        "would. Says for each what a rank would hold, exchange and take for a frame, and how\n"
        "many nodes are needed. Ghosts, neighbours and imbalance are exact, those of the finest\n"
        "level. Memory and seconds come from a trial: a few frames of the scene on this machine,\n"
        "with larger cells if it has more than %d elements.\n\n"
        "  --ranks N,N,...     the numbers of ranks\n"
        "  --node-memory GB    of a node of the cluster; this machine's if not given\n"
        "  --ranks-per-node N  at most; if not given, this machine's processors divided by the\n"
        "                      threads of a rank (OMP_NUM_THREADS)\n"
        "  --latency US        microseconds that a message takes; %g if not given\n"
        "  --bandwidth GB/S    that each rank has to the others; %g if not given\n"
        "  --trial-frames N    frames of the trial after the first; %d if not given\n"
        "  --contacts PERCENT  of the surface's vertices that touch something at once, for the\n"
        "                      memory; %g if not given, and never less than in the trial\n"
        "  -P key=value        override a key of the scene, e.g. -P bodies.flesh.cell=0.005\n"
        "  --json              one JSON object for programs, in bytes and seconds\n\n"
        "Not in the seconds: writing frames and checkpoints. The partition is that along the\n"
        "curve, whatever the scene says.\n",
        SN_TRIAL_ELEMENTS, USUAL_LATENCY, USUAL_BANDWIDTH, SN_TRIAL_FRAMES,
        100 * SN_USUAL_CONTACT_SHARE);
}

static bool read_whole(const char *text, int most, int *value, const char **rest)
{
    char *end;
    long number = text && *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : 0;
    if (number < 1 || number > most)
        return false;
    *value = (int)number;
    *rest = end;
    return true;
}

static sn_status parse_ranks(const char *text, plan_arguments *a)
{
    const char *at = text;
    int value;
    a->ranks.count = 0;
    while (read_whole(at, MOST_RANKS, &value, &at)) {
        sn_push(&a->ranks, value);
        if (!*at)
            return SN_OK;
        if (*at++ != ',')
            break;
    }
    return SN_FAIL(SN_BAD_INPUT,
                   "plan: --ranks needs numbers from 1 to %d with commas between, such as 8,64, "
                   "not '%s'",
                   MOST_RANKS, text ? text : "");
}

static sn_status parse_whole(const char *option, const char *text, int most, int *value)
{
    const char *rest;
    if (!read_whole(text, most, value, &rest) || *rest)
        return SN_FAIL(SN_BAD_INPUT, "plan: %s needs a number from 1 to %d, not '%s'", option, most,
                       text ? text : "");
    return SN_OK;
}

static sn_status parse_real(const char *option, const char *text, bool may_be_zero, double *value)
{
    char *end = NULL;
    *value = text ? strtod(text, &end) : 0;
    bool whole = end && end != text && !*end && isfinite(*value);
    if (!whole || *value < 0 || (*value == 0 && !may_be_zero))
        return SN_FAIL(SN_BAD_INPUT, "plan: %s needs a number %s, not '%s'", option,
                       may_be_zero ? "from 0 on" : "greater than 0", text ? text : "");
    return SN_OK;
}

static sn_status parse_share(const char *option, const char *text, double *share)
{
    double percent;
    SN_TRY(parse_real(option, text, true, &percent));
    if (percent > 100)
        return SN_FAIL(SN_BAD_INPUT, "plan: %s needs a number up to 100, not '%s'", option, text);
    *share = percent / 100;
    return SN_OK;
}

static sn_status parse_option(char **argv, int *i, plan_arguments *a)
{
    const char *option = argv[*i];
    if (strcmp(option, "--json") == 0) {
        a->json = true;
        return SN_OK;
    }
    const char *value = argv[*i + 1]; /* argv ends with a NULL */
    *i += value != NULL;
    if (strcmp(option, "--ranks") == 0)
        return parse_ranks(value, a);
    if (strcmp(option, "--node-memory") == 0)
        return parse_real(option, value, false, &a->node_memory);
    if (strcmp(option, "--ranks-per-node") == 0)
        return parse_whole(option, value, MOST_RANKS, &a->ranks_per_node);
    if (strcmp(option, "--latency") == 0)
        return parse_real(option, value, true, &a->latency);
    if (strcmp(option, "--bandwidth") == 0)
        return parse_real(option, value, false, &a->bandwidth);
    if (strcmp(option, "--trial-frames") == 0)
        return parse_whole(option, value, MOST_TRIAL_FRAMES, &a->trial.frames);
    if (strcmp(option, "--contacts") == 0)
        return parse_share(option, value, &a->trial.contact_share);
    if (strcmp(option, "-P") != 0)
        return SN_FAIL(SN_BAD_INPUT, "plan: unknown option '%s'; see 'sinew plan --help'", option);
    return sn_overrides_take("plan", value, &a->overrides);
}

static sn_status parse_arguments(int argc, char **argv, plan_arguments *a)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            SN_TRY(parse_option(argv, &i, a));
        else if (a->scene_path)
            return SN_FAIL(SN_BAD_INPUT, "plan: one scene, not '%s' and '%s'", a->scene_path,
                           argv[i]);
        else
            a->scene_path = argv[i];
    }
    if (!a->scene_path)
        return SN_FAIL(SN_BAD_INPUT, "plan: which scene? see 'sinew plan --help'");
    if (a->ranks.count == 0)
        return SN_FAIL(SN_BAD_INPUT, "plan: for how many ranks? as in --ranks 8,64,512");
    return SN_OK;
}

static sn_machine machine_of(const plan_arguments *a)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN) / omp_get_max_threads();
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return (sn_machine){.latency = a->latency * 1e-6,
                        .bandwidth = a->bandwidth * 1e9,
                        .node_memory = a->node_memory > 0 ? a->node_memory * 1e9 : memory,
                        .ranks_per_node = a->ranks_per_node ? a->ranks_per_node
                                          : processors > 1  ? (int)processors
                                                            : 1};
}

static bool is_single(const sn_scene *scene)
{
    return scene->multigrid.precision != SN_PRECISION_DOUBLE;
}

/* Collective. Layouts for some numbers of ranks; on rank 0 only. */
static sn_status cut(MPI_Comm comm, const sn_hierarchy *forest, sn_law_kind law, bool single,
                     const int *ranks, int n, sn_layout *layout)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_whole_level level[SN_MAX_LEVELS] = {0};
    sn_status status = SN_OK;
    int gathered = 0;
    while (gathered < forest->n_levels && status == SN_OK) {
        status = sn_whole_level_gather(&forest->level[gathered], &level[gathered]);
        gathered += status == SN_OK;
    }
    for (int i = 0; i < n && status == SN_OK && rank == 0; i++) {
        layout[i] =
            sn_layout_cut(level, forest->n_levels, ranks[i], law, single, omp_get_max_threads());
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

static sn_status find_rates(void *context, const sn_trial *trial, const sn_hierarchy *forest)
{
    trial_rates *t = context;
    int rank;
    MPI_Comm_rank(t->comm, &rank);
    sn_layout layout = {0};
    SN_TRY(cut(t->comm, forest, trial->law, trial->single, &trial->ranks, 1, &layout));
    if (rank == 0)
        t->rates = sn_rates_of(trial, &layout);
    sn_layout_free(&layout);
    return SN_OK;
}

/* Builds the scene's octrees, and has them no longer when it returns. */
static sn_status cut_scene(MPI_Comm comm, const plan_arguments *a, const sn_scene *scene,
                           sn_plan *plan, sn_layout *layout)
{
    sn_model model;
    SN_TRY(sn_model_create(comm, scene, &model));
    sn_octree_counts counts = sn_octree_count(&model.forest.level[0]);
    plan->elements = counts.elements;
    plan->nodes = counts.nodes;
    sn_status status = cut(comm, &model.forest, sn_materials_law(scene), is_single(scene),
                           a->ranks.data, (int)a->ranks.count, layout);
    sn_model_free(&model);
    return status;
}

static sn_status make_plan(MPI_Comm comm, const plan_arguments *a, sn_scene *scene,
                           sn_layout *layout, sn_forecast *forecast)
{
    sn_plan plan = {.scene = scene,
                    .n = (int)a->ranks.count,
                    .layout = layout,
                    .forecast = forecast,
                    .machine = machine_of(a)};
    SN_TRY(cut_scene(comm, a, scene, &plan, layout));
    trial_rates found = {.comm = comm};
    SN_TRY(sn_trial_run(comm, scene, plan.elements, &a->trial, find_rates, &found, &plan.trial));
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank != 0)
        return SN_OK;
    plan.rates = found.rates;
    for (int i = 0; i < plan.n; i++)
        forecast[i] = sn_forecast_of(&layout[i], &plan.trial, &plan.rates, &plan.machine);
    sn_plan_print(&plan, a->json);
    return SN_OK;
}

static sn_status run(MPI_Comm comm, const plan_arguments *a)
{
    sn_scene scene;
    SN_TRY(sn_overrides_read_scene(comm, a->scene_path, &a->overrides, &scene));
    scene.partition.method = SN_PARTITION_CURVE;
    sn_layout *layout = SN_NEW_ZERO(sn_layout, a->ranks.count);
    sn_forecast *forecast = SN_NEW_ZERO(sn_forecast, a->ranks.count);
    sn_status status = make_plan(comm, a, &scene, layout, forecast);
    for (size_t i = 0; i < a->ranks.count; i++)
        sn_layout_free(&layout[i]);
    sn_free(layout);
    sn_free(forecast);
    sn_scene_free(&scene);
    return status;
}

sn_status sn_command_plan(MPI_Comm comm, int argc, char **argv)
{
    if (sn_asks_for_help(argc, argv)) {
        print_help(comm);
        return SN_OK;
    }
    plan_arguments arguments = {.latency = USUAL_LATENCY,
                                .bandwidth = USUAL_BANDWIDTH,
                                .trial = {SN_TRIAL_FRAMES, SN_USUAL_CONTACT_SHARE}};
    sn_status status = parse_arguments(argc, argv, &arguments);
    if (status == SN_OK)
        status = run(comm, &arguments);
    sn_vector_free(&arguments.ranks);
    sn_overrides_free(&arguments.overrides);
    return status;
}
