#include "base/log.h"
#include "base/memory.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "run/checkpoints.h"
#include "run/directory.h"
#include "run/frames.h"
#include "run/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *scene_path;
    bool dry_run, preview, overwrite, restart;
    double max_hours;
    sn_overrides overrides;
} run_arguments;

static void print_help(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank != 0)
        return;
    printf(
        "usage: sinew run SCENE.yaml [-P key=value ...] [--restart | --overwrite] [--preview]\n"
        "                 [--max-hours H] [--dry-run]\n\n"
        "Simulates a scene, frame by frame. The run directory (output.dir, relative to the\n"
        "scene) gets scene.yaml with every parameter as used and absolute paths, frames.csv\n"
        "with a row a frame, log.txt with what the terminal showed, and timing.csv at the end;\n"
        "and the deformed surface, every output.every frames: surface_0001.vtkhdf ... for\n"
        "ParaView, VTK and 'sinew export', surface.xmf, which names them all, and with\n"
        "output.octree the cells with their fields, octree_0001.vtkhdf ...\n"
        "A directory that has another run's files is refused.\n\n"
        "  -P key=value  override a key of the scene, e.g. -P frames.last=10\n"
        "  --restart     go on from the newest whole checkpoint, or start if there is none; only\n"
        "                name, frames.last, partition and output may have changed in the scene\n"
        "  --overwrite   write over another run's files; its frames and checkpoints are removed\n"
        "  --max-hours H stop in time before H hours are over\n"
        "  --dry-run     build everything, simulate and write nothing\n"
        "  --preview     a picture of the surface for each frame, preview_0001.png ...\n\n"
        "Checkpoints are written every output.checkpoint.every frames. A run stops after the\n"
        "substep under way, with a checkpoint and exit status 3, on TERM, INT or USR1 to any\n"
        "rank (a second signal ends it at once), when a file 'stop' appears in the run\n"
        "directory, and in time before --max-hours or SLURM_JOB_END_TIME. mpirun hands on USR1;\n"
        "on TERM and INT it kills its ranks about a second later.\n\n"
        "Exit status 4 means that a frame missed its tolerance or could not be solved; the\n"
        "message names the first one.\n");
}

static bool read_hours(const char *text, double *hours)
{
    char *end;
    *hours = strtod(text, &end);
    return end != text && !*end && *hours > 0 && isfinite(*hours);
}

static sn_status parse_arguments(int argc, char **argv, run_arguments *a)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--dry-run") == 0)
            a->dry_run = true;
        else if (strcmp(argv[i], "--preview") == 0)
            a->preview = true;
        else if (strcmp(argv[i], "--overwrite") == 0)
            a->overwrite = true;
        else if (strcmp(argv[i], "--restart") == 0)
            a->restart = true;
        else if (strcmp(argv[i], "--max-hours") == 0) {
            if (!argv[i + 1] || !read_hours(argv[++i], &a->max_hours))
                return SN_FAIL(SN_BAD_INPUT, "run: --max-hours needs a number greater than 0");
        } else if (strcmp(argv[i], "-P") == 0) /* argv ends with a NULL */
            SN_TRY(sn_overrides_take("run", argv[++i], &a->overrides));
        else if (argv[i][0] == '-')
            return SN_FAIL(SN_BAD_INPUT, "run: unknown option '%s'; see 'sinew run --help'",
                           argv[i]);
        else if (a->scene_path)
            return SN_FAIL(SN_BAD_INPUT, "run: one scene, not '%s' and '%s'", a->scene_path,
                           argv[i]);
        else
            a->scene_path = argv[i];
    }
    if (a->restart && a->overwrite)
        return SN_FAIL(SN_BAD_INPUT, "run: either --restart or --overwrite, not both");
    if (!a->scene_path)
        return SN_FAIL(SN_BAD_INPUT, "run: which scene? see 'sinew run --help'");
    return SN_OK;
}

/* Where a run starts. */
typedef struct {
    sn_run_mode mode;
    bool from_checkpoint;
    sn_checkpoint_name checkpoint;
} beginning;

/* Without a checkpoint a run that goes on is one that starts again: the scene must be the same. */
static sn_status check_earlier_scene(MPI_Comm comm, const sn_scene *scene, sn_run_mode *mode)
{
    int rank, exists = 0;
    MPI_Comm_rank(comm, &rank);
    sn_run_path copy = sn_run_file(scene, "scene.yaml");
    if (rank == 0)
        exists = access(copy.path, F_OK) == 0;
    MPI_Bcast(&exists, 1, MPI_INT, 0, comm);
    *mode = exists ? SN_RUN_GO_ON : SN_RUN_NEW;
    if (!exists)
        return SN_OK;
    sn_scene before;
    SN_TRY(sn_scene_read(comm, copy.path, NULL, 0, &before));
    sn_status status = sn_scene_check_continues(&before, scene);
    sn_scene_free(&before);
    return status;
}

static sn_status find_beginning(MPI_Comm comm, const run_arguments *a, const sn_scene *scene,
                                beginning *b)
{
    *b = (beginning){.mode = a->overwrite ? SN_RUN_OVERWRITE : SN_RUN_NEW};
    if (a->restart) {
        SN_TRY(sn_checkpoints_find(comm, scene, &b->from_checkpoint, &b->checkpoint));
        b->mode = SN_RUN_GO_ON;
        if (!b->from_checkpoint)
            SN_TRY(check_earlier_scene(comm, scene, &b->mode));
    }
    return sn_run_directory_check(comm, scene, b->mode);
}

static sn_status read_checkpoint(sn_shot *shot, const beginning *b, sn_frame_rows *rows)
{
    if (!b->from_checkpoint)
        return SN_OK;
    sn_run_path file = sn_checkpoint_path(shot->scene, &b->checkpoint);
    SN_TRY(sn_checkpoint_read(shot, rows, file.path));
    sn_info("going on from %s", file.path);
    return SN_OK;
}

static void tell_memory(MPI_Comm comm)
{
    const double megabyte = 1e6;
    sn_process_peaks p = sn_process_peaks_of(comm);
    sn_info(
        "peak memory of a rank: %.1f MB at most, %.1f on average, %.1f at least; %.1f of rank 0 "
        "in arrays",
        p.most / megabyte, p.average / megabyte, p.least / megabyte,
        (double)sn_memory_peak() / megabyte);
}

static sn_status simulate(MPI_Comm comm, const run_arguments *a, const beginning *b, sn_shot *shot,
                          sn_frame_rows *rows)
{
    SN_TRY(read_checkpoint(shot, b, rows));
    SN_TRY(sn_run_directory_open(comm, shot->scene, b->mode));
    sn_status status = sn_run_frames(comm, shot, rows, (sn_run_options){a->preview, a->max_hours});
    if (status != SN_OK && status != SN_INACCURATE && status != SN_STOPPED)
        return status;
    tell_memory(comm);
    sn_status timing = sn_run_directory_timing(comm, shot->scene);
    return timing == SN_OK ? status : timing;
}

static sn_status run_scene(MPI_Comm comm, const run_arguments *a, sn_scene *scene)
{
    SN_TRY(sn_agree(comm, sn_scene_absolute_paths(scene)));
    beginning b;
    if (!a->dry_run)
        SN_TRY(find_beginning(comm, a, scene, &b));
    sn_shot shot;
    SN_TRY(sn_shot_create(comm, scene, &shot));
    sn_frame_rows rows = {0};
    sn_status status = a->dry_run ? SN_OK : simulate(comm, a, &b, &shot, &rows);
    sn_vector_free(&rows);
    sn_shot_free(&shot);
    return status;
}

static sn_status run(MPI_Comm comm, const run_arguments *a)
{
    sn_scene scene;
    SN_TRY(sn_overrides_read_scene(comm, a->scene_path, &a->overrides, &scene));
    sn_status status = run_scene(comm, a, &scene);
    sn_scene_free(&scene);
    return status;
}

sn_status sn_command_run(MPI_Comm comm, int argc, char **argv)
{
    if (sn_asks_for_help(argc, argv)) {
        print_help(comm);
        return SN_OK;
    }
    run_arguments arguments = {.max_hours = INFINITY};
    sn_status status = parse_arguments(argc, argv, &arguments);
    if (status == SN_OK) {
        sn_stop_listen();
        status = run(comm, &arguments);
    }
    sn_overrides_free(&arguments.overrides);
    return status;
}
