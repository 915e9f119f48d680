#include "run/run.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "run/stop.h"

#include <math.h>
#include <stddef.h>

typedef struct {
    const char *scene_path;
    sn_run_options options;
    sn_overrides overrides;
} run_arguments;

enum { MOST_FRAMES = 999999 };

#define TO(member) offsetof(run_arguments, member)

static const sn_option options[] = {
    {"-P", "key=value", "override a key of the scene, e.g. -P frames.last=10", sn_read_override,
     .to = TO(overrides)},
    {"--restart", NULL,
     "go on from the newest whole checkpoint, or start if there is none; only\n"
     "name, frames.last, partition and output may have changed in the scene",
     sn_read_flag, .to = TO(options.restart)},
    {"--from", "N",
     "with --restart: compute frame N and all after it again, from the newest\n"
     "checkpoint that is before it",
     sn_read_whole, .to = TO(options.from), .most = MOST_FRAMES},
    {"--allow-changes", NULL,
     "with --from: motions, materials, gravity, friction and hardness of contacts and\n"
     "tolerances may differ from frame N on, and colliders may be added to their list",
     sn_read_flag, .to = TO(options.may_change)},
    {"--overwrite", NULL, "write over another run's files; its frames and checkpoints are removed",
     sn_read_flag, .to = TO(options.overwrite)},
    {"--take-over", NULL,
     "take the run directory from the run that is said to hold it, dead or not;\n"
     "that one stops before it writes again",
     sn_read_flag, .to = TO(options.take_over)},
    {"--max-hours", "H", "stop in time before H hours are over", sn_read_positive,
     .to = TO(options.max_hours)},
    {"--dry-run", NULL, "build everything, say so, and simulate and write nothing", sn_read_flag,
     .to = TO(options.dry_run)},
    {"--preview", NULL, "a picture of the surface for each frame, preview_0001.png ...",
     sn_read_flag, .to = TO(options.preview)},
};

static sn_status run(MPI_Comm comm, void *arguments);

static const sn_command_line line = {
    .name = "run",
    .usage =
        "sinew run SCENE.yaml [-P key=value ...] [--restart | --overwrite] [--take-over]\n"
        "          [--restart --from N [--allow-changes]] [--preview] [--max-hours H] [--dry-run]",
    .about =
        "Simulates a scene, frame by frame. The run directory (output.dir, relative to the\n"
        "scene) gets scene.yaml with every parameter as used and absolute paths, frames.csv\n"
        "with a row a frame, log.txt with what the terminal showed, and timing.csv at the\n"
        "end; and the deformed surface, every output.every frames: surface_0001.vtkhdf ...\n"
        "for ParaView, VTK and 'sinew export', surface.xmf, which names them all, and with\n"
        "output.octree the cells with their fields, octree_0001.vtkhdf ...\n"
        "A directory that has another run's files is refused, and so is one that another run\n"
        "holds: held_by.txt says which. manifest.txt names all that a run may write over; where\n"
        "other files are in the way it does not start.",
    .notes =
        "Checkpoints are written every output.checkpoint.every frames and at the end, from where\n"
        "a higher frames.last goes on. A run stops within\n"
        "seconds, with a checkpoint and exit status 3, on TERM, INT, HUP, USR1 or XCPU to any\n"
        "rank (a second signal ends it at once), when a file 'stop' appears in the run directory,\n"
        "and in time before --max-hours or SLURM_JOB_END_TIME. mpirun hands on USR1, and the\n"
        "status; on TERM, INT and HUP it kills its ranks about a second later, with status 1.\n\n"
        "Exit status 4 means that a frame missed its tolerance or could not be solved; the\n"
        "message names the first one.",
    .plain = "scene",
    .plain_to = TO(scene_path),
    SN_OPTIONS(options),
    .act = run,
};

static sn_status read_and_run(MPI_Comm comm, const run_arguments *a)
{
    sn_scene scene;
    SN_TRY(sn_overrides_read_scene(comm, a->scene_path, &a->overrides, &scene));
    sn_status status = sn_run_scene(comm, &scene, &a->options);
    sn_scene_free(&scene);
    return status;
}

static sn_status run(MPI_Comm comm, void *arguments)
{
    const run_arguments *a = arguments;
    if (a->options.restart && a->options.overwrite)
        return SN_FAIL(SN_BAD_INPUT, "run: either --restart or --overwrite, not both");
    if (a->options.from > 0 && !a->options.restart)
        return SN_FAIL(SN_BAD_INPUT, "run: --from goes with --restart");
    if (a->options.may_change && a->options.from == 0)
        return SN_FAIL(SN_BAD_INPUT, "run: --allow-changes goes with --from");
    SN_TRY(sn_require_plain(&line, a->scene_path));
    sn_stop_listen(comm);
    sn_status status = read_and_run(comm, a);
    sn_stop_defer(); /* a launcher ends the other ranks when one has failed: nothing more to say */
    return status;
}

sn_status sn_command_run(MPI_Comm comm, int argc, char **argv)
{
    run_arguments arguments = {.options.max_hours = INFINITY};
    sn_status status = sn_command_line_run(&line, comm, argc, argv, &arguments);
    sn_overrides_free(&arguments.overrides);
    return status;
}
