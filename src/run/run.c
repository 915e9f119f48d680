#include "run/run.h"

#include "base/log.h"
#include "base/memory.h"
#include "io/frames/frames_csv_digests.h"
#include "model/closeness.h"
#include "run/checkpoints.h"
#include "run/directory.h"
#include "run/frames.h"
#include "run/stop.h"

#include <inttypes.h>
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
    if (o->from > 0) {
        b->from_checkpoint = true;
        return sn_checkpoints_find_before(hold->comm, scene, o->from, o->may_change,
                                          &b->checkpoint);
    }
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

/* One that takes the directory over must be seen to have done so. */
static bool is_at_end(const sn_run_options *o, const sn_scene *scene, const beginning *b)
{
    const sn_checkpoint_name *name = &b->checkpoint;
    return o->from == 0 && !o->take_over && b->from_checkpoint && name->whole &&
           name->frame >= scene->frames.last;
}

/* On rank 0: does frames.csv end with these rows? Those of a preroll it need not have. */
static sn_status has_all_rows(const sn_scene *scene, const sn_frame_rows *rows, bool *all)
{
    sn_frame_digests written;
    SN_TRY(sn_frames_csv_digests(sn_run_file(scene, "frames.csv").path, &written));
    size_t w = written.count, r = rows->count;
    *all = true;
    for (; r > 0 && rows->data[r - 1].frame >= scene->frames.first && *all; r--, w--)
        *all = w > 0 && written.data[w - 1].frame == rows->data[r - 1].frame &&
               written.data[w - 1].digest == rows->data[r - 1].digest;
    sn_vector_free(&written);
    return SN_OK;
}

/* A run that has nothing left to do but to say so; with the rows of its frames. */
static sn_status check_finished(sn_hold *hold, const sn_run_options *o, const sn_scene *scene,
                                const beginning *b, bool *finished, sn_frame_rows *rows)
{
    int rank;
    MPI_Comm_rank(hold->comm, &rank);
    *finished = is_at_end(o, scene, b);
    if (!*finished)
        return SN_OK;
    sn_run_path file = sn_checkpoint_path(scene, &b->checkpoint);
    SN_TRY(sn_checkpoint_read_rows(hold->comm, file.path, scene, rows));
    SN_TRY(sn_agree(hold->comm, rank == 0 ? has_all_rows(scene, rows, finished) : SN_OK));
    MPI_Bcast(finished, sizeof *finished, MPI_BYTE, 0, hold->comm);
    return SN_OK;
}

/* Judges the frames again: the status is that of the run. */
static sn_status tell_finished(const sn_scene *scene, const beginning *b, const sn_frame_rows *rows)
{
    sn_info("%s: the shot is finished: frame %d was the last; nothing is left to compute "
            "(a higher frames.last goes on, --overwrite starts over)",
            scene->output.dir, b->checkpoint.frame);
    return sn_run_judge(scene, rows, SN_OK);
}

/* Collective: what a dry run has to say. */
static void tell_built(const sn_shot *shot)
{
    const sn_frames *frames = &shot->scene->frames;
    sn_octree_counts finest = sn_octree_count(&shot->model.forest.level[0]);
    sn_info("scene %s can run: frames %d to %d of %d %s, %" PRId64 " elements and %" PRId64
            " nodes on %d levels; nothing was written",
            shot->scene->name, frames->first, frames->last, shot->model.bodies.n,
            shot->model.bodies.n == 1 ? "body" : "bodies", finest.elements, finest.nodes,
            shot->model.forest.n_levels);
}

static sn_status build_only(sn_shot *shot)
{
    SN_TRY(sn_shot_build(shot));
    tell_built(shot);
    return SN_OK;
}

static sn_status run_from(sn_hold *hold, const sn_scene *scene, const sn_run_options *o,
                          const beginning *b)
{
    sn_shot shot;
    SN_TRY(sn_shot_open(hold->comm, scene, &shot));
    sn_model_warn_of_close_parts(&shot.model);
    sn_frame_rows rows = {0};
    sn_status status = o->dry_run ? build_only(&shot) : simulate(o, b, hold, &shot, &rows);
    sn_vector_free(&rows);
    sn_shot_free(&shot);
    return status;
}

static sn_status run_in(sn_hold *hold, const sn_scene *scene, const sn_run_options *o)
{
    beginning b = {0};
    bool finished;
    sn_frame_rows rows = {0};
    if (!o->dry_run)
        SN_TRY(find_beginning(o, scene, hold, &b));
    sn_status status = check_finished(hold, o, scene, &b, &finished, &rows);
    if (status == SN_OK && finished)
        status = tell_finished(scene, &b, &rows);
    sn_vector_free(&rows);
    return status == SN_OK && !finished ? run_from(hold, scene, o, &b) : status;
}

sn_status sn_run_scene(MPI_Comm comm, sn_scene *scene, const sn_run_options *o)
{
    SN_TRY(sn_agree(comm, sn_scene_absolute_paths(scene)));
    sn_hold hold = sn_hold_nothing(comm, scene->output.dir);
    sn_status status = run_in(&hold, scene, o);
    sn_hold_release(&hold);
    return status;
}
