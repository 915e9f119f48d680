#include "plan/trial.h"

#include "base/array.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/shared.h"
#include "base/timer.h"
#include "multigrid/cycle.h"

#include <math.h>
#include <omp.h>

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
    for (int depth = 0; depth < sn_multigrid_depth(mg); depth++)
        seconds += sn_phase_seconds(sn_level_phase(depth));
    return seconds;
}

/* Frames after the first, which in dynamic shots is only where they start. */
static sn_status advance(MPI_Comm comm, sn_shot *shot, int frames, sn_trial *trial)
{
    sn_frame_row row;
    int first = sn_frames_start(&shot->scene->frames);
    sn_status status = sn_shot_advance(shot, first, &row);
    trial->build_bytes = (double)sn_memory_peak();
    if (status == SN_OK)
        trial->weights.writing = sn_weigh_writing(shot, first);
    sn_process_reset_peak();
    sn_memory_reset_peak();
    double before = cycle_seconds(&shot->built.multigrid);
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
    trial->cycle_seconds =
        most_of_ranks(comm, (cycle_seconds(&shot->built.multigrid) - before) / n);
    return status;
}

/* The process's peak counts from when the shot was built: what was in memory for a moment only,
 * with nothing else, is not what a rank needs. */
static void weigh_peaks(MPI_Comm comm, sn_trial *trial)
{
    double arrays = (double)sn_memory_peak(), process = (double)sn_process_peak();
    trial->build_bytes = sum_over_ranks(comm, trial->build_bytes);
    trial->array_bytes = sum_over_ranks(comm, arrays);
    trial->other_bytes = most_of_ranks(comm, fmax(process - arrays, 0));
    trial->shared_bytes = most_of_ranks(comm, (double)sn_shared_held());
}

static sn_status measure(MPI_Comm comm, sn_shot *shot, const sn_trial_settings *settings,
                         sn_trial *trial)
{
    const sn_multigrid *mg = &shot->built.multigrid;
    trial->elements = sn_octree_count(&shot->model.forest.level[0]).elements;
    trial->multigrid = mg->settings;
    trial->law = shot->built.materials.law;
    trial->single = sn_multigrid_is_single(&mg->settings);
    SN_TRY(advance(comm, shot, settings->frames, trial));
    trial->damped = shot->built.system.damped;
    weigh_peaks(comm, trial);
    /* Some must be there to tell what one takes. */
    double share = fmax(settings->contact_share, SN_USUAL_CONTACT_SHARE);
    return sn_weigh_shot(shot, share, &trial->weights);
}

static sn_status run(MPI_Comm comm, const sn_scene *scene, const sn_trial_settings *settings,
                     sn_trial_inspector *inspect, void *context, sn_trial *trial)
{
    sn_process_reset_peak();
    sn_memory_reset_peak();
    sn_shot shot;
    SN_TRY(sn_shot_create(comm, scene, &shot));
    sn_status status = measure(comm, &shot, settings, trial);
    if (status == SN_OK)
        status = inspect(context, trial, &shot.model.forest);
    sn_shot_free(&shot);
    return status;
}

sn_status sn_trial_run(MPI_Comm comm, sn_scene *scene, int64_t elements,
                       const sn_trial_settings *settings, sn_trial_inspector *inspect,
                       void *context, sn_trial *trial)
{
    /* Most elements are at surfaces, so their number falls with the square. */
    double larger = fmax(1, sqrt((double)elements / SN_TRIAL_ELEMENTS));
    sn_status status;
    for (;; larger = fmax(1, larger / 2)) {
        *trial = (sn_trial){.larger = larger,
                            .threads = omp_get_max_threads(),
                            .contact_share = settings->contact_share};
        MPI_Comm_size(comm, &trial->ranks);
        scale_cells(scene, larger);
        status = run(comm, scene, settings, inspect, context, trial);
        scale_cells(scene, 1 / larger);
        /* A body may be smaller than such cells. */
        if (status != SN_BAD_INPUT || larger <= 1)
            return status;
    }
}
