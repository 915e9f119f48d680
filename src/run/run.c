#include "run/run.h"

#include "base/log.h"
#include "base/memory.h"
#include "model/closeness.h"
#include "run/checkpoints.h"
#include "run/directory.h"
#include "run/frames.h"
#include "run/stop.h"

#include <unistd.h>

/* Where a run starts. */
typedef struct {
    sn_run_mode mode;
    bool from_checkpoint;
    sn_checkpoint_name checkpoint;
} beginning;

/* Without a checkpoint a run that goes on is one that starts again: the scene must be the same. One
 * that was killed before it wrote its scene has nothing to compare with. */
static sn_status check_earlier_scene(MPI_Comm comm, const sn_scene *scene)
{
    int rank, exists = 0;
    MPI_Comm_rank(comm, &rank);
    sn_run_path copy = sn_run_file(scene, "scene.yaml");
    if (rank == 0)
        exists = access(copy.path, F_OK) == 0;
    MPI_Bcast(&exists, 1, MPI_INT, 0, comm);
    if (!exists)
        return SN_OK;
    sn_scene before;
    SN_TRY(sn_scene_read(comm, copy.path, NULL, 0, &before));
    sn_status status = sn_scene_check_continues(&before, scene);
    sn_scene_free(&before);
    return status;
}

static sn_status find_beginning(const sn_run_options *o, const sn_scene *scene, sn_hold *hold,
                                beginning *b)
{
    *b = (beginning){.mode = o->restart     ? SN_RUN_GO_ON
                             : o->overwrite ? SN_RUN_OVERWRITE
                                            : SN_RUN_NEW};
    SN_TRY(sn_run_directory_enter(scene, &b->mode, o->take_over, hold));
    if (b->mode != SN_RUN_GO_ON)
        return SN_OK;
    SN_TRY(sn_checkpoints_find(hold->comm, scene, &b->from_checkpoint, &b->checkpoint));
    return b->from_checkpoint ? SN_OK : check_earlier_scene(hold->comm, scene);
}

/* Builds the shot from where it begins. */
static sn_status build(sn_shot *shot, const beginning *b, sn_frame_rows *rows)
{
    if (!b->from_checkpoint)
        return sn_shot_build(shot);
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

/* A run that came to its end, or to one that it can be gone on from. */
static bool ended_in_order(sn_status status)
{
    return status == SN_OK || status == SN_INACCURATE || status == SN_STOPPED;
}

static sn_status simulate(const sn_run_options *o, const beginning *b, sn_hold *hold, sn_shot *shot,
                          sn_frame_rows *rows)
{
    SN_TRY(build(shot, b, rows));
    sn_stop_defer();
    SN_TRY(sn_run_directory_open(shot->scene, b->mode, hold));
    sn_status status = sn_run_frames(hold, shot, rows, o);
    if (!ended_in_order(status))
        return status;
    tell_memory(hold->comm);
    sn_status timing = sn_run_directory_timing(hold->comm, shot->scene);
    return timing == SN_OK ? status : timing;
}

static sn_status run_in(sn_hold *hold, const sn_scene *scene, const sn_run_options *o)
{
    beginning b;
    if (!o->dry_run)
        SN_TRY(find_beginning(o, scene, hold, &b));
    sn_shot shot;
    SN_TRY(sn_shot_open(hold->comm, scene, &shot));
    sn_model_warn_of_close_parts(&shot.model);
    sn_frame_rows rows = {0};
    sn_status status = o->dry_run ? sn_shot_build(&shot) : simulate(o, &b, hold, &shot, &rows);
    sn_vector_free(&rows);
    sn_shot_free(&shot);
    return status;
}

sn_status sn_run_scene(MPI_Comm comm, sn_scene *scene, const sn_run_options *o)
{
    SN_TRY(sn_agree(comm, sn_scene_absolute_paths(scene)));
    sn_hold hold = sn_hold_nothing(comm, scene->output.dir);
    sn_status status = run_in(&hold, scene, o);
    sn_hold_release(&hold);
    return status;
}
