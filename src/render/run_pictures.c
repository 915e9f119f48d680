#include "render/run_pictures.h"

#include "base/log.h"
#include "base/timer.h"
#include "io/picture/png.h"
#include "render/run_frames.h"
#include "render/stage.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096, LONGEST_SHOWN = 300 };

/* ---- Places ---- */

typedef struct {
    char path[PATH_BYTES];
} place;

static sn_status place_of(const char *folder, const char *name, place *out)
{
    int length = snprintf(out->path, sizeof out->path, "%s/%s", folder, name);
    return length < PATH_BYTES ? SN_OK
                               : SN_FAIL(SN_BAD_INPUT, "%.60s...: the path is too long", folder);
}

static sn_status picture_place(const char *folder, int frame, place *out)
{
    char name[32];
    snprintf(name, sizeof name, "render_%04d.png", frame);
    return place_of(folder, name, out);
}

/* Where the pictures go: made if need be, before the work begins. */
static sn_status prepare_output(MPI_Comm comm, const char *folder, const sn_frame_list *chosen)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_status status = SN_OK;
    if (rank == 0) {
        place first;
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            status = SN_FAIL(SN_MACHINE, "%.*s: cannot be made: %s", LONGEST_SHOWN, folder,
                             strerror(errno));
        else if ((status = picture_place(folder, chosen->number[0], &first)) == SN_OK)
            status = sn_png_check_path(first.path);
    }
    return sn_agree(comm, status);
}

/* ---- Pictures ---- */

/* Collective: each rank looks at some of the frames. */
static sn_status measure(MPI_Comm comm, const sn_scene *scene, const char *run_dir,
                         const sn_frame_list *list, sn_extent *extent)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    *extent = sn_extent_begin(scene);
    sn_status status = SN_OK;
    for (int i = rank; i < list->n && status == SN_OK; i += size) {
        sn_frame_meshes meshes = {0};
        status = sn_frame_meshes_read(run_dir, list->number[i], &meshes);
        for (int b = 0; b < meshes.n_bodies; b++)
            sn_extent_add(extent, &meshes.body[b]);
        sn_frame_meshes_free(&meshes);
    }
    SN_TRY(sn_agree(comm, status));
    sn_extent_unite(comm, extent);
    return SN_OK;
}

static sn_status draw_frame(const sn_stage *stage, const char *run_dir, int frame,
                            const char *output)
{
    double began = sn_timer_elapsed();
    place file;
    sn_frame_meshes meshes;
    sn_image image = {0};
    SN_TRY(picture_place(output, frame, &file));
    SN_TRY(sn_frame_meshes_read(run_dir, frame, &meshes));
    sn_status status = sn_stage_draw(stage, frame, meshes.body, meshes.n_bodies, &image);
    sn_frame_meshes_free(&meshes);
    if (status == SN_OK)
        status = sn_png_write(file.path, image.width, image.height, image.rgba);
    sn_image_free(&image);
    if (status == SN_OK)
        sn_info("wrote %s, %.1f s", file.path, sn_timer_elapsed() - began);
    return status;
}

/* Collective: ranks take frames in turn. One that fails stops; the others finish theirs. */
static sn_status draw_frames(MPI_Comm comm, const sn_stage *stage, const char *run_dir,
                             const sn_frame_list *chosen, const char *output)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    sn_status status = SN_OK;
    for (int i = rank; i < chosen->n && status == SN_OK; i += size)
        status = draw_frame(stage, run_dir, chosen->number[i], output);
    return sn_agree(comm, status);
}

static sn_status render_chosen(MPI_Comm comm, const sn_render_wanted *w, const sn_scene *scene,
                               const sn_frame_list *there, const sn_frame_list *chosen)
{
    place beside;
    sn_extent extent;
    sn_stage stage;
    SN_TRY(place_of(w->run_dir, "render", &beside));
    const char *output = w->output ? w->output : beside.path;
    SN_TRY(measure(comm, scene, w->run_dir, there, &extent));
    SN_TRY(sn_stage_create(comm, scene, &extent, &stage));
    sn_status status = prepare_output(comm, output, chosen);
    if (status == SN_OK)
        status = draw_frames(comm, &stage, w->run_dir, chosen, output);
    sn_stage_free(&stage);
    return status;
}

sn_status sn_render_run(MPI_Comm comm, const sn_scene *scene, const sn_render_wanted *w)
{
    sn_frame_list there, chosen;
    SN_TRY(sn_frame_list_read(comm, w->run_dir, &there));
    sn_status status = sn_frame_list_choose(&there, scene, w->frames, &chosen);
    if (status == SN_OK) {
        status = render_chosen(comm, w, scene, &there, &chosen);
        sn_frame_list_free(&chosen);
    }
    sn_frame_list_free(&there);
    return status;
}
