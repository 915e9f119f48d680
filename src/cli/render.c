#include "base/log.h"
#include "base/timer.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/render_frames.h"
#include "io/picture/png.h"
#include "render/stage.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, LONGEST_SHOWN = 300 };

typedef struct {
    const char *run_dir, *frames, *output;
    sn_overrides overrides;
} render_arguments;

static void print_help(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank != 0)
        return;
    printf(
        "usage: sinew render RUN_DIR [--frames LIST] [--size WxH] [--samples N] [--bones]\n"
        "                    [--camera key=value ...] [--output DIR] [-P key=value ...]\n\n"
        "Draws the frames of a run as RUN_DIR/render/render_0001.png ...: the deformed flesh and\n"
        "the colliders, in soft light, on a ground that takes their shadows. The camera frames\n"
        "all frames of the run, unless the scene's keys `camera` say otherwise. Ranks share out\n"
        "the frames; a rank holds one frame at a time, about 300 bytes a triangle.\n\n"
        "  --frames LIST       which frames: 7, 1-48 or 1-10,20; all if not given\n"
        "  --size WxH          pixels: short for -P render.width=W -P render.height=H\n"
        "  --samples N         a pixel: short for -P render.samples=N\n"
        "  --bones             seen through the flesh: short for -P render.bones=true\n"
        "  --camera key=value  eye=3,1,2, target=0,1,0, up=0,0,1 or fov=40: short for\n"
        "                      -P camera.eye=[3,1,2] and so on\n"
        "  --output DIR        where the pictures go; made if it is not there\n"
        "  -P key=value        override a key of the run's scene, e.g. -P render.ground=none\n\n"
        "Exit status 1: not a run directory, no such frame, bad arguments; 2: a file could not\n"
        "be read or written.\n");
}

/* ---- Arguments ---- */

static sn_status parse_size(const char *text, render_arguments *a)
{
    int width, height;
    char rest;
    if (sscanf(text, "%6dx%6d%c", &width, &height, &rest) != 2)
        return SN_FAIL(SN_BAD_INPUT,
                       "render: --size needs a width and a height such as 1280x720, "
                       "not '%.60s'",
                       text);
    sn_overrides_add(&a->overrides, "render.width=%d", width);
    sn_overrides_add(&a->overrides, "render.height=%d", height);
    return SN_OK;
}

/* Three numbers may stand without brackets. */
static sn_status parse_camera(const char *text, render_arguments *a)
{
    const char *value = strchr(text, '=');
    if (!value)
        return SN_FAIL(SN_BAD_INPUT,
                       "render: --camera needs a key and a value such as eye=3,1,2, "
                       "not '%.60s'",
                       text);
    bool needs_brackets = strchr(value, ',') && value[1] != '[';
    sn_overrides_add(&a->overrides, needs_brackets ? "camera.%.*s=[%s]" : "camera.%.*s=%s",
                     (int)(value - text), text, value + 1);
    return SN_OK;
}

static sn_status parse_option(const char *option, const char *value, render_arguments *a)
{
    static const char *const known[] = {"--frames", "--size",   "--samples",
                                        "--camera", "--output", "-P"};
    int which = 0;
    while (which < 6 && strcmp(option, known[which]) != 0)
        which++;
    if (which == 6)
        return SN_FAIL(SN_BAD_INPUT, "render: unknown option '%.60s'; see 'sinew render --help'",
                       option);
    if (!value || !*value)
        return SN_FAIL(SN_BAD_INPUT, "render: %s needs a value; see 'sinew render --help'", option);
    switch (which) {
    case 0:
        a->frames = value;
        return SN_OK;
    case 1:
        return parse_size(value, a);
    case 2:
        sn_overrides_add(&a->overrides, "render.samples=%s", value);
        return SN_OK;
    case 3:
        return parse_camera(value, a);
    case 4:
        a->output = value;
        return SN_OK;
    default:
        return sn_overrides_take("render", value, &a->overrides);
    }
}

static sn_status parse_arguments(int argc, char **argv, render_arguments *a)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--bones") == 0)
            sn_overrides_add(&a->overrides, "render.bones=true");
        else if (argv[i][0] == '-') { /* argv ends with a NULL */
            SN_TRY(parse_option(argv[i], argv[i + 1], a));
            i++;
        } else if (a->run_dir)
            return SN_FAIL(SN_BAD_INPUT, "render: one run directory, not '%.200s' and '%.200s'",
                           a->run_dir, argv[i]);
        else
            a->run_dir = argv[i];
    }
    if (!a->run_dir)
        return SN_FAIL(SN_BAD_INPUT, "render: which run directory? see 'sinew render --help'");
    return SN_OK;
}

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

static sn_status render_chosen(MPI_Comm comm, const render_arguments *a, const sn_scene *scene,
                               const sn_frame_list *there, const sn_frame_list *chosen)
{
    place beside;
    sn_extent extent;
    sn_stage stage;
    SN_TRY(place_of(a->run_dir, "render", &beside));
    const char *output = a->output ? a->output : beside.path;
    SN_TRY(measure(comm, scene, a->run_dir, there, &extent));
    SN_TRY(sn_stage_create(comm, scene, &extent, &stage));
    sn_status status = prepare_output(comm, output, chosen);
    if (status == SN_OK)
        status = draw_frames(comm, &stage, a->run_dir, chosen, output);
    sn_stage_free(&stage);
    return status;
}

static sn_status render_run(MPI_Comm comm, const render_arguments *a, const sn_scene *scene)
{
    sn_frame_list there, chosen;
    SN_TRY(sn_frame_list_read(comm, a->run_dir, &there));
    sn_status status = sn_frame_list_choose(&there, scene, a->frames, &chosen);
    if (status == SN_OK) {
        status = render_chosen(comm, a, scene, &there, &chosen);
        sn_frame_list_free(&chosen);
    }
    sn_frame_list_free(&there);
    return status;
}

static sn_status check_run_directory(MPI_Comm comm, const char *run_dir, const char *scene_path)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_status status = SN_OK;
    if (rank == 0 && access(scene_path, F_OK) != 0)
        status = SN_FAIL(SN_BAD_INPUT, "%.*s: not a run directory: scene.yaml: %s", LONGEST_SHOWN,
                         run_dir, strerror(errno));
    return sn_agree(comm, status);
}

static sn_status render(MPI_Comm comm, const render_arguments *a)
{
    place scene_file;
    sn_scene scene;
    SN_TRY(place_of(a->run_dir, "scene.yaml", &scene_file));
    SN_TRY(check_run_directory(comm, a->run_dir, scene_file.path));
    SN_TRY(sn_overrides_read_scene(comm, scene_file.path, &a->overrides, &scene));
    sn_status status = render_run(comm, a, &scene);
    sn_scene_free(&scene);
    return status;
}

sn_status sn_command_render(MPI_Comm comm, int argc, char **argv)
{
    if (sn_asks_for_help(argc, argv)) {
        print_help(comm);
        return SN_OK;
    }
    render_arguments arguments = {0};
    sn_status status = parse_arguments(argc, argv, &arguments);
    if (status == SN_OK)
        status = render(comm, &arguments);
    sn_overrides_free(&arguments.overrides);
    return status;
}
