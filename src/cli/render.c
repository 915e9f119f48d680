#include "cli/arguments.h"
#include "cli/command.h"
#include "render/run_pictures.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, LONGEST_SHOWN = 300 };

typedef struct {
    sn_render_wanted wanted;
    sn_overrides overrides;
} render_arguments;

static sn_status read_size(const char *command, const sn_option *option, const char *text, void *to)
{
    int width, height;
    SN_TRY(sn_read_text(command, option, text, &text));
    if (!sn_parse_pixels(text, &width, &height))
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: %s needs a width and a height such as 1280x720, not '%.60s'", command,
                       option->name, text);
    sn_overrides_add(to, "render.width=%d", width);
    sn_overrides_add(to, "render.height=%d", height);
    return SN_OK;
}

static sn_status read_samples(const char *command, const sn_option *option, const char *text,
                              void *to)
{
    SN_TRY(sn_read_text(command, option, text, &text));
    sn_overrides_add(to, "render.samples=%s", text);
    return SN_OK;
}

static sn_status read_bones(const char *command, const sn_option *option, const char *text,
                            void *to)
{
    (void)command, (void)option, (void)text;
    sn_overrides_add(to, "render.bones=true");
    return SN_OK;
}

/* Three numbers may stand without brackets. */
static sn_status read_camera(const char *command, const sn_option *option, const char *text,
                             void *to)
{
    SN_TRY(sn_read_text(command, option, text, &text));
    const char *value = strchr(text, '=');
    if (!value)
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: %s needs a key and a value such as eye=3,1,2, not '%.60s'", command,
                       option->name, text);
    bool needs_brackets = strchr(value, ',') && value[1] != '[';
    sn_overrides_add(to, needs_brackets ? "camera.%.*s=[%s]" : "camera.%.*s=%s",
                     (int)(value - text), text, value + 1);
    return SN_OK;
}

#define TO(member) offsetof(render_arguments, member)

static sn_status read_range(const char *command, const sn_option *option, const char *text,
                            void *to)
{
    sn_render_wanted *w = to;
    int end = 0;
    w->has_range = sscanf(text, "%lf,%lf%n", &w->range[0], &w->range[1], &end) == 2 && !text[end] &&
                   isfinite(w->range[0]) && isfinite(w->range[1]) && w->range[0] < w->range[1];
    return w->has_range ? SN_OK
                        : SN_FAIL(SN_BAD_INPUT,
                                  "%s: %s needs a lower and an upper value such as 0,1e4, "
                                  "not '%.60s'",
                                  command, option->name, text);
}

static const sn_option options[] = {
    {"--field", "NAME",
     "colour by a field of the surface's frames, or else of the octree's,\n"
     "whose cells are drawn then: von_mises, displacement ...",
     sn_read_text, .to = TO(wanted.field)},
    {"--range", "LOW,HIGH", "what has the first and the last colour; all values if not given",
     read_range, .to = TO(wanted)},
    {"--sheet", NULL, "the frames side by side as well, as sheet.png; 64 at most", sn_read_flag,
     .to = TO(wanted.sheet)},
    {"--movie", NULL, "the frames as movie.mp4 as well, by ffmpeg, if that is there", sn_read_flag,
     .to = TO(wanted.movie)},
    {"--frames", "LIST", "which frames: 7, 1:48, 10: or 1:10,20; all if not given", sn_read_text,
     .to = TO(wanted.frames)},
    {"--size", "WxH", "pixels: short for -P render.width=W -P render.height=H", read_size,
     .to = TO(overrides)},
    {"--samples", "N", "a pixel: short for -P render.samples=N", read_samples, .to = TO(overrides)},
    {"--bones", NULL, "seen through the flesh: short for -P render.bones=true", read_bones,
     .to = TO(overrides)},
    {"--camera", "key=value",
     "eye=3,1,2, target=0,1,0, up=0,0,1 or fov=40: short for\n"
     "-P camera.eye=[3,1,2] and so on",
     read_camera, .to = TO(overrides)},
    {"--output", "DIR", "where the pictures go; made if it is not there", sn_read_text,
     .to = TO(wanted.output)},
    {"-P", "key=value", "override a key of the run's scene, e.g. -P render.ground=none",
     sn_read_override, .to = TO(overrides)},
};

static sn_status run(MPI_Comm comm, void *arguments);

static const sn_command_line line = {
    .name = "render",
    .usage = "sinew render RUN_DIR [--frames LIST] [--size WxH] [--samples N] [--bones]\n"
             "             [--field NAME] [--range LOW,HIGH] [--sheet] [--movie]\n"
             "             [--camera key=value ...] [--output DIR] [-P key=value ...]",
    .about =
        "Draws the frames of a run as RUN_DIR/render/render_0001.png ...: the deformed flesh\n"
        "and the colliders, in soft light, on a ground that takes their shadows. The camera\n"
        "frames all frames of the run, colliders included unless they are much larger than the\n"
        "flesh, or stands where the scene's keys `camera` say. Ranks share out the\n"
        "frames; a rank holds one frame at a time, about 300 bytes a triangle.",
    .notes = "Exit status 1: not a run directory, no such frame, bad arguments; 2: a file could\n"
             "not be read or written, or there is no ffmpeg.",
    .plain = "run directory",
    .plain_to = TO(wanted.run_dir),
    SN_OPTIONS(options),
    .act = run,
};

static sn_status check_run_directory(const char *run_dir, const char *scene_path)
{
    if (access(scene_path, F_OK) == 0)
        return SN_OK;
    return SN_FAIL(SN_BAD_INPUT, "%.*s: not a run directory: scene.yaml: %s", LONGEST_SHOWN,
                   run_dir, strerror(errno));
}

static sn_status run(MPI_Comm comm, void *arguments)
{
    const render_arguments *a = arguments;
    int rank;
    MPI_Comm_rank(comm, &rank);
    SN_TRY(sn_require_plain(&line, a->wanted.run_dir));
    char path[PATH_BYTES];
    if (snprintf(path, sizeof path, "%s/scene.yaml", a->wanted.run_dir) >= PATH_BYTES)
        return SN_FAIL(SN_BAD_INPUT, "%.60s...: the path is too long", a->wanted.run_dir);
    SN_TRY(sn_agree(comm, rank == 0 ? check_run_directory(a->wanted.run_dir, path) : SN_OK));
    sn_scene scene;
    SN_TRY(sn_overrides_read_scene(comm, path, &a->overrides, &scene));
    sn_status status = sn_render_run(comm, &scene, &a->wanted);
    sn_scene_free(&scene);
    return status;
}

sn_status sn_command_render(MPI_Comm comm, int argc, char **argv)
{
    render_arguments arguments = {0};
    sn_status status = sn_command_line_run(&line, comm, argc, argv, &arguments);
    sn_overrides_free(&arguments.overrides);
    return status;
}
