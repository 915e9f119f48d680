#include "cli/plan.h"

#include "cli/arguments.h"
#include "cli/command.h"

#include <omp.h>
#include <stddef.h>
#include <unistd.h>

enum { MOST_RANKS = 1 << 20, MOST_TRIAL_FRAMES = 100 };

enum { USUAL_LATENCY = 2, USUAL_BANDWIDTH = 1 }; /* microseconds, GB/s */

typedef SN_VECTOR(int) rank_counts;

typedef struct {
    const char *scene_path;
    bool json;
    rank_counts ranks;
    double node_memory, latency, bandwidth; /* GB, microseconds, GB/s */
    int ranks_per_node;
    sn_trial_settings trial;
    sn_overrides overrides;
} plan_arguments;

static sn_status read_ranks(const char *command, const sn_option *option, const char *text,
                            void *to)
{
    rank_counts *ranks = to;
    const char *at = text;
    int value;
    ranks->count = 0;
    while (sn_parse_whole(at, MOST_RANKS, &value, &at)) {
        sn_push(ranks, value);
        if (!*at)
            return SN_OK;
        if (*at++ != ',')
            break;
    }
    return SN_FAIL(SN_BAD_INPUT,
                   "%s: %s needs numbers from 1 to %d with commas between, such as 8,64, not '%s'",
                   command, option->name, MOST_RANKS, text);
}

static sn_status read_share(const char *command, const sn_option *option, const char *text,
                            void *to)
{
    double percent;
    SN_TRY(sn_read_from_zero(command, option, text, &percent));
    if (percent > 100)
        return SN_FAIL(SN_BAD_INPUT, "%s: %s needs a number up to 100, not '%s'", command,
                       option->name, text);
    *(double *)to = percent / 100;
    return SN_OK;
}

#define TO(member) offsetof(plan_arguments, member)

static const sn_option options[] = {
    {"--ranks", "N,N,...", "the numbers of ranks", read_ranks, .to = TO(ranks)},
    {"--node-memory", "GB", "of a node of the cluster; this machine's if not given",
     sn_read_positive, .to = TO(node_memory)},
    {"--ranks-per-node", "N",
     "at most; if not given, this machine's processors divided by the\n"
     "threads of a rank (OMP_NUM_THREADS)",
     sn_read_whole, .to = TO(ranks_per_node), .most = MOST_RANKS},
    {"--latency", "US", "microseconds that a message takes", sn_read_from_zero, .to = TO(latency),
     .unless = USUAL_LATENCY},
    {"--bandwidth", "GB/S", "that each rank has to the others", sn_read_positive,
     .to = TO(bandwidth), .unless = USUAL_BANDWIDTH},
    {"--trial-frames", "N", "frames of the trial after the first", sn_read_whole,
     .to = TO(trial.frames), .most = MOST_TRIAL_FRAMES, .unless = SN_TRIAL_FRAMES},
    {"--contacts", "PERCENT",
     "of the surface's vertices that touch something at once, for the\n"
     "memory, and never less than in the trial",
     read_share, .to = TO(trial.contact_share), .unless = 100 * SN_USUAL_CONTACT_SHARE},
    {"-P", "key=value", "override a key of the scene, e.g. -P bodies.flesh.cell=0.005",
     sn_read_override, .to = TO(overrides)},
    {"--json", NULL, "one JSON object for programs, in bytes and seconds", sn_read_flag,
     .to = TO(json)},
};

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

static sn_status plan_scene(MPI_Comm comm, const plan_arguments *a, sn_scene *scene)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_plan plan;
    sn_machine machine = machine_of(a);
    SN_TRY(
        sn_plan_make(comm, scene, a->ranks.data, (int)a->ranks.count, &machine, &a->trial, &plan));
    if (rank == 0)
        sn_plan_print(scene, &plan, a->json);
    sn_plan_free(&plan);
    return SN_OK;
}

#define TEXT(number) #number
#define TEXT_OF(number) TEXT(number)

static sn_status run(MPI_Comm comm, void *arguments);

static const sn_command_line line = {
    .name = "plan",
    .usage = "sinew plan SCENE.yaml --ranks N[,N...] [-P key=value ...] [--json]\n"
             "           [--node-memory GB] [--ranks-per-node N] [--latency US]\n"
             "           [--bandwidth GB/S] [--trial-frames N] [--contacts PERCENT]",
    .about = "Builds the octrees of a scene here and cuts them as runs on these numbers of ranks\n"
             "would. Says for each what a rank would hold, exchange and take for a frame, and how\n"
             "many nodes are needed. Ghosts, neighbours and imbalance are exact, those of the\n"
             "finest level. Memory and seconds come from a trial: a few frames of the scene on\n"
             "this machine, with larger cells if it has more than " TEXT_OF(
                 SN_TRIAL_ELEMENTS) " elements.",
    .notes = "Not in the seconds: writing frames and checkpoints. The partition is that along the\n"
             "curve, whatever the scene says.",
    .plain = "scene",
    .plain_to = TO(scene_path),
    SN_OPTIONS(options),
    .act = run,
};

static sn_status run(MPI_Comm comm, void *arguments)
{
    const plan_arguments *a = arguments;
    SN_TRY(sn_require_plain(&line, a->scene_path));
    if (a->ranks.count == 0)
        return SN_FAIL(SN_BAD_INPUT, "plan: for how many ranks? as in --ranks 8,64,512");
    sn_scene scene;
    SN_TRY(sn_overrides_read_scene(comm, a->scene_path, &a->overrides, &scene));
    scene.partition.method = SN_PARTITION_CURVE;
    sn_status status = plan_scene(comm, a, &scene);
    sn_scene_free(&scene);
    return status;
}

sn_status sn_command_plan(MPI_Comm comm, int argc, char **argv)
{
    plan_arguments arguments = {.latency = USUAL_LATENCY,
                                .bandwidth = USUAL_BANDWIDTH,
                                .trial = {SN_TRIAL_FRAMES, SN_USUAL_CONTACT_SHARE}};
    sn_status status = sn_command_line_run(&line, comm, argc, argv, &arguments);
    sn_vector_free(&arguments.ranks);
    sn_overrides_free(&arguments.overrides);
    return status;
}
