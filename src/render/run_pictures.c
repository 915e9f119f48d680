#include "render/run_pictures.h"

#include "base/array.h"
#include "base/log.h"
#include "base/timer.h"
#include "io/picture/png.h"
#include "render/movie.h"
#include "render/sheet.h"
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

/* All that the pictures of a run have in common. */
typedef struct {
    MPI_Comm comm;
    const sn_render_wanted *wanted;
    const sn_scene *scene;
    const sn_frame_list *there, *chosen;
    const char *output;
    sn_stage stage;
    SN_VECTOR(sn_image) small; /* this rank's, for the sheet, in the order of the frames */
    int rank, size;
} shoot;

/* Collective: each rank looks at some of the frames. */
static sn_status measure(const shoot *s, sn_colouring *colouring, sn_extent *extent)
{
    *extent = sn_extent_begin(s->scene);
    sn_status status = SN_OK;
    for (int i = s->rank; i < s->there->n && status == SN_OK; i += s->size) {
        sn_frame_meshes meshes = {0};
        status =
            sn_coloured_meshes_read(colouring, s->wanted->run_dir, s->there->number[i], &meshes);
        for (int b = 0; b < meshes.n_bodies; b++)
            sn_extent_add(extent, &meshes.body[b]);
        sn_colouring_widen(colouring, &meshes);
        sn_frame_meshes_free(&meshes);
    }
    SN_TRY(sn_agree(s->comm, status));
    sn_extent_unite(s->comm, extent);
    sn_colouring_unite(s->comm, colouring);
    if (s->wanted->has_range) {
        colouring->low = s->wanted->range[0];
        colouring->high = s->wanted->range[1];
    }
    return SN_OK;
}

static sn_status draw_frame(shoot *s, int i)
{
    double began = sn_timer_elapsed();
    int frame = s->chosen->number[i];
    place file;
    sn_frame_meshes meshes;
    sn_image image = {0};
    SN_TRY(picture_place(s->output, frame, &file));
    SN_TRY(sn_coloured_meshes_read(&s->stage.colouring, s->wanted->run_dir, frame, &meshes));
    sn_status status = sn_stage_draw(&s->stage, frame, &meshes, &image);
    sn_frame_meshes_free(&meshes);
    if (status == SN_OK && s->wanted->sheet && sn_sheet_takes(i, s->chosen->n))
        sn_push(&s->small, sn_sheet_small(&image));
    if (status == SN_OK)
        status = sn_png_write(file.path, image.width, image.height, image.rgba);
    sn_image_free(&image);
    if (status == SN_OK)
        sn_info("wrote %s, %.1f s", file.path, sn_timer_elapsed() - began);
    return status;
}

/* Collective: ranks take frames in turn. One that fails stops; the others finish theirs. */
static sn_status draw_frames(shoot *s)
{
    sn_status status = SN_OK;
    for (int i = s->rank; i < s->chosen->n && status == SN_OK; i += s->size)
        status = draw_frame(s, i);
    return sn_agree(s->comm, status);
}

/* ---- The sheet ---- */

static size_t bytes_of(const sn_image *image)
{
    return 4 * (size_t)image->width * (size_t)image->height;
}

/* The next small picture: of rank 0 itself, or from the one that drew the frame. */
static sn_image receive(const shoot *s, int i, size_t *own)
{
    int from = i % s->size, size[2];
    if (from == 0) {
        sn_image mine = s->small.data[*own];
        s->small.data[(*own)++] = (sn_image){0};
        return mine;
    }
    MPI_Recv(size, 2, MPI_INT, from, i, s->comm, MPI_STATUS_IGNORE);
    sn_image image = {.width = size[0], .height = size[1]};
    image.rgba = SN_NEW(uint8_t, bytes_of(&image));
    MPI_Recv(image.rgba, (int)bytes_of(&image), MPI_BYTE, from, i, s->comm, MPI_STATUS_IGNORE);
    return image;
}

static void send_all(const shoot *s)
{
    size_t own = 0;
    for (int i = s->rank; i < s->chosen->n; i += s->size) {
        if (!sn_sheet_takes(i, s->chosen->n))
            continue;
        const sn_image *image = &s->small.data[own++];
        MPI_Send((int[]){image->width, image->height}, 2, MPI_INT, 0, i, s->comm);
        MPI_Send(image->rgba, (int)bytes_of(image), MPI_BYTE, 0, i, s->comm);
    }
}

static sn_status write_sheet(const char *folder, const sn_image *small, const int *frame, int n)
{
    place file;
    SN_TRY(place_of(folder, "sheet.png", &file));
    sn_image sheet = sn_sheet_of(small, frame, n);
    sn_status status = sn_png_write(file.path, sheet.width, sheet.height, sheet.rgba);
    sn_image_free(&sheet);
    if (status == SN_OK)
        sn_info("wrote %s", file.path);
    return status;
}

static sn_status receive_and_write(const shoot *s)
{
    sn_image small[SN_SHEET_MOST];
    int frame[SN_SHEET_MOST], n = 0;
    size_t own = 0;
    for (int i = 0; i < s->chosen->n; i++)
        if (sn_sheet_takes(i, s->chosen->n)) {
            frame[n] = s->chosen->number[i];
            small[n++] = receive(s, i, &own);
        }
    sn_status status = write_sheet(s->output, small, frame, n);
    for (int i = 0; i < n; i++)
        sn_image_free(&small[i]);
    return status;
}

/* Collective, after all pictures are there. */
static sn_status make_sheet(const shoot *s)
{
    sn_status status = SN_OK;
    if (s->rank == 0)
        status = receive_and_write(s);
    else
        send_all(s);
    return sn_agree(s->comm, status);
}

/* ---- The movie ---- */

static double frames_a_second(const shoot *s)
{
    const int *number = s->chosen->number;
    int apart = s->chosen->n > 1 ? number[1] - number[0] : 1;
    return s->scene->frames.fps / apart;
}

static sn_status make_movie(const shoot *s)
{
    place file, *picture = SN_NEW(place, s->chosen->n);
    const char **path = SN_NEW(const char *, s->chosen->n);
    sn_status status = place_of(s->output, "movie.mp4", &file);
    for (int i = 0; i < s->chosen->n && status == SN_OK; i++) {
        status = picture_place(s->output, s->chosen->number[i], &picture[i]);
        path[i] = picture[i].path;
    }
    if (status == SN_OK)
        status = sn_movie_write(file.path, frames_a_second(s), path, s->chosen->n);
    if (status == SN_OK)
        sn_info("wrote %s", file.path);
    sn_free(path);
    sn_free(picture);
    return status;
}

/* ---- All ---- */

static sn_status take_pictures(shoot *s)
{
    SN_TRY(prepare_output(s->comm, s->output, s->chosen));
    SN_TRY(draw_frames(s));
    if (s->wanted->sheet)
        SN_TRY(make_sheet(s));
    return sn_agree(s->comm, s->wanted->movie && s->rank == 0 ? make_movie(s) : SN_OK);
}

static sn_status set_stage(shoot *s)
{
    const sn_render_wanted *w = s->wanted;
    sn_colouring colouring;
    sn_extent extent;
    SN_TRY(sn_colouring_find(s->comm, w->run_dir, s->chosen->number[0], w->field, &colouring));
    SN_TRY(measure(s, &colouring, &extent));
    SN_TRY(sn_stage_create(s->comm, s->scene, &extent, s->there, &s->stage));
    s->stage.colouring = colouring;
    return SN_OK;
}

static sn_status render_chosen(MPI_Comm comm, const sn_render_wanted *w, const sn_scene *scene,
                               const sn_frame_list *there, const sn_frame_list *chosen)
{
    place beside;
    SN_TRY(place_of(w->run_dir, "render", &beside));
    shoot s = {.comm = comm,
               .wanted = w,
               .scene = scene,
               .there = there,
               .chosen = chosen,
               .output = w->output ? w->output : beside.path};
    MPI_Comm_rank(comm, &s.rank);
    MPI_Comm_size(comm, &s.size);
    SN_TRY(sn_agree(comm, w->movie && s.rank == 0 ? sn_movie_check() : SN_OK));
    SN_TRY(set_stage(&s));
    sn_status status = take_pictures(&s);
    for (size_t i = 0; i < s.small.count; i++)
        sn_image_free(&s.small.data[i]);
    sn_vector_free(&s.small);
    sn_stage_free(&s.stage);
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
