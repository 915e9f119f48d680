#include "run/checkpoints.h"

#include "base/log.h"
#include "run/missing.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_SHOWN = 300 };

sn_run_path sn_checkpoint_path(const sn_scene *scene, const sn_checkpoint_name *name)
{
    return sn_run_file(scene, sn_checkpoint_file_of(name).text);
}

sn_status sn_checkpoints_list(const sn_scene *scene, sn_checkpoint_list *list)
{
    *list = (sn_checkpoint_list){0};
    DIR *directory = opendir(scene->output.dir);
    if (!directory && errno == ENOENT)
        return SN_OK;
    if (!directory)
        return SN_FAIL(SN_MACHINE, "%.*s: cannot be read: %s", LONGEST_SHOWN, scene->output.dir,
                       strerror(errno));
    sn_checkpoint_name name;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        if (sn_checkpoint_name_read(entry->d_name, &name))
            sn_push(list, name);
    closedir(directory);
    if (list->count > 1)
        qsort(list->data, list->count, sizeof *list->data, sn_checkpoint_newest_first);
    return SN_OK;
}

/* Collective: rank 0's list on all ranks. */
static sn_status share_list(MPI_Comm comm, const sn_scene *scene, sn_checkpoint_list *list)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    *list = (sn_checkpoint_list){0};
    SN_TRY(sn_agree(comm, rank == 0 ? sn_checkpoints_list(scene, list) : SN_OK));
    int count = (int)list->count;
    MPI_Bcast(&count, 1, MPI_INT, 0, comm);
    sn_reserve(list, (size_t)count);
    list->count = (size_t)count;
    MPI_Bcast(list->data, count * (int)sizeof *list->data, MPI_BYTE, 0, comm);
    return SN_OK;
}

static void warn_of_damage(MPI_Comm comm, bool is_last)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        sn_warn("%s%s", sn_failure_message(), is_last ? "" : "; trying the one before");
}

/* The first one from `at` on that is whole; SN_MACHINE if there is none. */
static sn_status find_whole(MPI_Comm comm, const sn_scene *scene, const sn_checkpoint_list *list,
                            bool may_change, size_t *at)
{
    for (; *at < list->count; ++*at) {
        sn_run_path path = sn_checkpoint_path(scene, &list->data[*at]);
        sn_status status = sn_checkpoint_check(comm, path.path, scene, may_change);
        if (status != SN_MACHINE)
            return status;
        warn_of_damage(comm, *at + 1 == list->count);
    }
    return SN_FAIL(SN_MACHINE,
                   "%.*s: no checkpoint is whole; nothing was changed (--overwrite starts over)",
                   LONGEST_SHOWN, scene->output.dir);
}

/* ---- Frames that are gone ---- */

static int reached(const sn_checkpoint_name *name)
{
    return name->whole ? name->frame : name->frame - 1;
}

/* Which frames were written is what the scene said then; the run's copy has it. */
static void take_earlier_output(const sn_scene *scene, sn_scene *written)
{
    sn_scene before;
    sn_run_path copy = sn_run_file(scene, "scene.yaml");
    *written = *scene;
    if (sn_scene_read(MPI_COMM_SELF, copy.path, NULL, 0, &before) != SN_OK)
        return;
    written->output.every = before.output.every;
    written->output.octree = before.output.octree;
    written->output.preroll = before.output.preroll;
    sn_scene_free(&before);
}

/* On rank 0: is there a file missing between the two checkpoints? */
static bool lacks_frames(const sn_scene *written, const sn_checkpoint_name *older,
                         const sn_checkpoint_name *newer)
{
    sn_name_list gone = sn_missing_files(written, reached(older), reached(newer));
    if (gone.text[0])
        sn_warn("%s: gone since; these frames are computed again", gone.text);
    return gone.text[0];
}

static void warn_of_lost_frames(const sn_scene *written, const sn_checkpoint_name *name)
{
    sn_name_list gone =
        sn_missing_files(written, sn_frames_start(&written->frames) - 1, reached(name));
    if (gone.text[0])
        sn_warn("%s: gone, and no checkpoint is from before; only --overwrite computes them again",
                gone.text);
}

/* Goes back as long as files are missing that an older checkpoint would give again. */
static sn_status go_back(MPI_Comm comm, const sn_scene *scene, const sn_checkpoint_list *list,
                         bool may_change, size_t *chosen)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_scene written;
    if (rank == 0)
        take_earlier_output(scene, &written);
    for (size_t older = *chosen + 1; older < list->count; older++) {
        bool lacks = rank == 0 && lacks_frames(&written, &list->data[older], &list->data[*chosen]);
        MPI_Bcast(&lacks, sizeof lacks, MPI_BYTE, 0, comm);
        if (!lacks)
            continue;
        sn_status status = find_whole(comm, scene, list, may_change, &older);
        if (status != SN_OK)
            return status == SN_MACHINE ? SN_OK : status;
        *chosen = older;
    }
    if (rank == 0)
        warn_of_lost_frames(&written, &list->data[*chosen]);
    return SN_OK;
}

static sn_status choose(MPI_Comm comm, const sn_scene *scene, const sn_checkpoint_list *list,
                        bool may_change, sn_checkpoint_name *name)
{
    size_t chosen = 0;
    SN_TRY(find_whole(comm, scene, list, may_change, &chosen));
    SN_TRY(go_back(comm, scene, list, may_change, &chosen));
    *name = list->data[chosen];
    return SN_OK;
}

sn_status sn_checkpoints_find(MPI_Comm comm, const sn_scene *scene, bool *found,
                              sn_checkpoint_name *name)
{
    sn_checkpoint_list list;
    SN_TRY(share_list(comm, scene, &list));
    *found = list.count > 0;
    sn_status status = *found ? choose(comm, scene, &list, false, name) : SN_OK;
    sn_vector_free(&list);
    return status;
}

/* Leaves those of states before the frame; the list has the newest first. */
static void keep_before(sn_checkpoint_list *list, int from)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->data[i].frame < from)
            list->data[kept++] = list->data[i];
    list->count = kept;
}

static sn_status none_before(const sn_scene *scene, const sn_checkpoint_list *all, int from)
{
    if (all->count == 0)
        return SN_FAIL(SN_BAD_INPUT, "%.*s: has no checkpoint to go on from", LONGEST_SHOWN,
                       scene->output.dir);
    const sn_checkpoint_name *oldest = &all->data[all->count - 1];
    return SN_FAIL(SN_BAD_INPUT,
                   "%.*s: no checkpoint is from before frame %d: the first is %s, for --from %d or "
                   "later (output.checkpoint.keep says how many stay)",
                   LONGEST_SHOWN, scene->output.dir, from, sn_checkpoint_file_of(oldest).text,
                   oldest->frame + 1);
}

sn_status sn_checkpoints_find_before(MPI_Comm comm, const sn_scene *scene, int from,
                                     bool may_change, sn_checkpoint_name *name)
{
    sn_checkpoint_list list;
    SN_TRY(share_list(comm, scene, &list));
    sn_status status = SN_OK;
    if (list.count == 0 || list.data[list.count - 1].frame >= from)
        status = none_before(scene, &list, from);
    keep_before(&list, from);
    if (status == SN_OK)
        status = choose(comm, scene, &list, may_change, name);
    sn_vector_free(&list);
    return status;
}

static void remove_all(const sn_scene *scene, const sn_checkpoint_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        sn_run_path file = sn_checkpoint_path(scene, &list->data[i]);
        if (unlink(file.path) != 0)
            sn_warn("%s: cannot be removed: %s", file.path, strerror(errno));
    }
}

static sn_status remove_old(const sn_scene *scene, const sn_checkpoint_name *written)
{
    sn_checkpoint_list list;
    SN_TRY(sn_checkpoints_list(scene, &list));
    sn_checkpoints_to_remove(&list, written, scene->checkpoint.keep);
    remove_all(scene, &list);
    sn_vector_free(&list);
    return SN_OK;
}

static sn_status remove_from(const sn_scene *scene, int frame)
{
    sn_checkpoint_list list;
    SN_TRY(sn_checkpoints_list(scene, &list));
    while (list.count > 0 && list.data[list.count - 1].frame < frame)
        list.count--; /* the newest come first */
    remove_all(scene, &list);
    sn_vector_free(&list);
    return SN_OK;
}

sn_status sn_checkpoints_remove_from(MPI_Comm comm, const sn_scene *scene, int frame)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return sn_agree(comm, rank == 0 ? remove_from(scene, frame) : SN_OK);
}

sn_status sn_checkpoints_add(const sn_shot *shot, const sn_frame_rows *rows,
                             sn_checkpoint_name *name)
{
    const sn_frame_progress *p = &shot->state.progress;
    MPI_Comm comm = shot->model.forest.level[0].comm;
    int rank;
    MPI_Comm_rank(comm, &rank);
    *name = (sn_checkpoint_name){p->frame, p->whole ? 0 : p->substeps, p->whole};
    SN_TRY(sn_checkpoint_write(shot, rows, sn_checkpoint_path(shot->scene, name).path));
    return sn_agree(comm, rank == 0 ? remove_old(shot->scene, name) : SN_OK);
}
