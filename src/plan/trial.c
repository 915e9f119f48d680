#include "plan/trial.h"

#include "base/array.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/shared.h"
#include "base/timer.h"
#include "io/temporary_folder.h"
#include "multigrid/cycle.h"
#include "shot/frames.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

static double sum_over_ranks(MPI_Comm comm, double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm);
    return value;
}

static double most_of_ranks(MPI_Comm comm, double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm);
    return value;
}

static void scale_cells(sn_scene *scene, double factor)
{
    for (size_t b = 0; b < scene->bodies.count; b++) {
        scene->bodies.data[b].cell *= factor;
        scene->bodies.data[b].coarsest *= factor; /* NAN stays NAN */
    }
}

static double cycle_seconds(const sn_multigrid *mg)
{
    double seconds = 0;
    for (int l = 0; l < mg->n_levels; l++)
        seconds += sn_phase_seconds(sn_level_phase(l));
    return seconds;
}

static bool all_on_one_node(MPI_Comm comm)
{
    MPI_Comm node;
    int size, here;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(comm, &size);
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    return here == size; /* on all ranks or on none */
}

/* A frame is written as a run would do it, because the libraries for files keep memory for good. It
 * is not needed for anything else: where it can't be done the memory is a little more. */
static void write_frame(MPI_Comm comm, sn_shot *shot, int frame)
{
    sn_temporary_folder folder;
    const char *where = getenv("TMPDIR");
    if (!all_on_one_node(comm))
        return;
    sn_status status = sn_temporary_folder_make(comm, where && *where ? where : "/tmp", &folder);
    if (status == SN_OK) {
        sn_shot_frames frames;
        sn_shot_frames_create(shot, folder.path, &frames);
        status = sn_shot_frames_write(&frames, frame);
        sn_shot_frames_free(&frames);
        sn_temporary_folder_remove(&folder);
    }
    if (status != SN_OK)
        sn_info("no frame was written in the trial: %s", sn_failure_message());
}

/* Frames after the first, which in dynamic shots is only where they start. */
static sn_status advance(MPI_Comm comm, sn_shot *shot, int frames, sn_trial *trial)
{
    sn_frame_row row;
    int first = shot->scene->frames.first;
    sn_status status = sn_shot_advance(shot, first, &row);
    if (status == SN_OK)
        write_frame(comm, shot, first);
    double before = cycle_seconds(&shot->multigrid);
    for (int i = 1; i <= frames && status == SN_OK; i++) {
        status = sn_shot_advance(shot, first + i, &row);
        trial->frames++;
        trial->newton += row.newton;
        trial->linear += row.linear;
        trial->seconds += row.seconds;
    }
    if (status == SN_INACCURATE) { /* what was measured so far is still true */
        sn_info("the trial stopped early: %s", sn_failure_message());
        status = SN_OK;
    }
    double n = trial->frames > 0 ? trial->frames : 1;
    trial->newton /= n;
    trial->linear /= n;
    trial->seconds = most_of_ranks(comm, trial->seconds / n);
    trial->cycle_seconds = most_of_ranks(comm, (cycle_seconds(&shot->multigrid) - before) / n);
    return status;
}

static void weigh(MPI_Comm comm, const sn_shot *shot, sn_trial *trial)
{
    const sn_multigrid *mg = &shot->multigrid;
    double surface = (double)sn_embedding_memory(&shot->embedding) +
                     (double)(shot->embedding.n * sizeof *shot->vertex) +
                     (double)sn_spring_family_memory(&mg->ties) +
                     (double)sn_spring_family_memory(&mg->contacts);
    double transfer = 0, nodes = 0;
    for (int l = 0; l + 1 < mg->n_levels; l++) {
        transfer += (double)sn_transfer_memory(&mg->level[l].transfer);
        nodes += mg->level[l].tree->n_nodes;
    }
    nodes = sum_over_ranks(comm, nodes);
    trial->surface_bytes = sum_over_ranks(comm, surface);
    trial->transfer_bytes = nodes > 0 ? sum_over_ranks(comm, transfer) / nodes : 0;
    trial->multigrid = mg->settings;
    trial->single = sn_multigrid_is_single(mg);
    trial->damped = mg->damping != NULL;
}

static void weigh_peaks(MPI_Comm comm, sn_trial *trial)
{
    double arrays = (double)sn_memory_peak(), process = (double)sn_process_peak();
    trial->array_bytes = sum_over_ranks(comm, arrays);
    trial->other_bytes = most_of_ranks(comm, fmax(process - arrays, 0));
    trial->shared_bytes = most_of_ranks(comm, (double)sn_shared_held());
}

static sn_status run(MPI_Comm comm, const sn_scene *scene, int frames, sn_trial_inspector *inspect,
                     void *context, sn_trial *trial)
{
    sn_process_reset_peak();
    sn_memory_reset_peak();
    sn_shot shot;
    SN_TRY(sn_shot_create(comm, scene, &shot));
    trial->elements = sn_octree_count(&shot.model.forest.level[0]).elements;
    sn_status status = advance(comm, &shot, frames, trial);
    weigh(comm, &shot, trial);
    weigh_peaks(comm, trial);
    if (status == SN_OK)
        status = inspect(context, trial, &shot.model.forest);
    sn_shot_free(&shot);
    return status;
}

sn_status sn_trial_run(MPI_Comm comm, sn_scene *scene, int64_t elements, int frames,
                       sn_trial_inspector *inspect, void *context, sn_trial *trial)
{
    /* Most elements are at surfaces, so their number falls with the square. */
    double larger = fmax(1, sqrt((double)elements / SN_TRIAL_ELEMENTS));
    sn_status status;
    for (;; larger = fmax(1, larger / 2)) {
        *trial = (sn_trial){.larger = larger, .threads = omp_get_max_threads()};
        MPI_Comm_size(comm, &trial->ranks);
        scale_cells(scene, larger);
        status = run(comm, scene, frames, inspect, context, trial);
        scale_cells(scene, 1 / larger);
        /* A body may be smaller than such cells. */
        if (status != SN_BAD_INPUT || larger <= 1)
            return status;
    }
}
