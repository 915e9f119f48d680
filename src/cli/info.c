#include "cli/info.h"

#include "base/timer.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/info_mesh.h"
#include "motion/builtin.h"
#include "shapes/shape.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1600, HEIGHT = 1000, LEAST_PIXELS = 16, MOST_PIXELS = 16384 };

typedef struct {
    const char *plain; /* a scene, a mesh, or with `keys` a key */
    bool json, timing, keys, builtins;
    sn_info_pictures pictures;
    sn_overrides overrides;
} info_arguments;

static sn_status read_slice(const char *command, const sn_option *option, const char *text,
                            void *to)
{
    sn_info_pictures *pictures = to;
    const char *axes = "xyz", *axis = *text ? strchr(axes, text[0]) : NULL;
    char *end = NULL;
    if (axis && text[1] == '=')
        pictures->offset = strtod(text + 2, &end);
    bool whole = axis && (text[1] == 0 || (end && end != text + 2 && *end == 0));
    if (!whole || isinf(pictures->offset))
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: %s needs x, y or z, or an axis and a coordinate such as x=0.5, not "
                       "'%s'",
                       command, option->name, text);
    pictures->axis = (int)(axis - axes);
    return SN_OK;
}

static bool is_size(int pixels)
{
    return pixels >= LEAST_PIXELS && pixels <= MOST_PIXELS;
}

static sn_status read_size(const char *command, const sn_option *option, const char *text, void *to)
{
    sn_info_pictures *pictures = to;
    int width, height;
    if (!sn_parse_pixels(text, &width, &height) || !is_size(width) || !is_size(height))
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: %s needs a width and a height between %d and %d, such as 1600x1000, "
                       "not '%s'",
                       command, option->name, LEAST_PIXELS, MOST_PIXELS, text);
    pictures->width = width;
    pictures->height = height;
    return SN_OK;
}

#define TO(member) offsetof(info_arguments, member)

static const sn_option options[] = {
    {"-P", "key=value", "override a key of the scene, e.g. -P bodies.flesh.cell=0.01",
     sn_read_override, .to = TO(overrides)},
    {"--json", NULL, "one JSON object for programs", sn_read_flag, .to = TO(json)},
    {"--timing", NULL, "a table of the time each phase took, on standard error", sn_read_flag,
     .to = TO(timing)},
    {"--picture", "FILE",
     "a slice through the finest octree, coloured by the cells' edges, which the legend\n"
     "has; where bodies differ, in finest cells",
     sn_read_text, .to = TO(pictures.slice_path)},
    {"--slice", "x|y|z", "the slice's axis, through the middle; x=0.5: at this coordinate",
     read_slice, .to = TO(pictures)},
    {"--surface", "FILE", "the surface of the bodies at rest", sn_read_text,
     .to = TO(pictures.surface_path)},
    {"--size", "WxH", "the pictures' pixels; 1600x1000 if not given", read_size,
     .to = TO(pictures)},
    {"--keys", NULL,
     "the reference of all keys that a scene can have; with a key, such as bones or\n"
     "bodies.material, of that part",
     sn_read_flag, .to = TO(keys)},
    {"--builtins", NULL, "the built-in shapes and motions, with their parameters", sn_read_flag,
     .to = TO(builtins)},
};

static sn_status inform(MPI_Comm comm, const info_arguments *a, const sn_scene *scene)
{
    sn_model model;
    SN_TRY(sn_info_check_pictures(comm, &a->pictures));
    SN_TRY(sn_model_create(comm, scene, &model));
    sn_info_print(comm, scene, &model, a->json);
    sn_status status = sn_info_draw(comm, scene, &model, &a->pictures);
    sn_model_free(&model);
    return status;
}

static sn_status inform_of_scene(MPI_Comm comm, const info_arguments *a)
{
    sn_scene scene;
    SN_TRY(sn_overrides_read_scene(comm, a->plain, &a->overrides, &scene));
    sn_status status = inform(comm, a, &scene);
    sn_scene_free(&scene);
    if (status == SN_OK && a->timing)
        sn_timer_report(comm, stderr);
    return status;
}

static sn_status inform_of_mesh(MPI_Comm comm, const info_arguments *a)
{
    const char *what = a->pictures.slice_path     ? "--picture"
                       : a->pictures.surface_path ? "--surface"
                       : a->overrides.list.count  ? "-P"
                                                  : NULL;
    if (what)
        return SN_FAIL(
            SN_BAD_INPUT,
            "info: %s needs a scene, and %s is a mesh ('sinew init' makes a scene of it)", what,
            a->plain);
    return sn_info_mesh(comm, a->plain, a->json);
}

static sn_status run(MPI_Comm comm, void *arguments);

static const sn_command_line line = {
    .name = "info",
    .usage = "sinew info SCENE.yaml [-P key=value ...] [--json] [--timing]\n"
             "           [--picture FILE.png [--slice AXIS[=OFFSET]]] [--surface FILE.png]\n"
             "           [--size WIDTHxHEIGHT]\n"
             "sinew info MESH [--json]\n"
             "sinew info --keys [KEY] | --builtins",
    .about =
        "Builds the octrees of a scene and says what they hold: octants, nodes, levels,\n"
        "memory, and how they are spread over the ranks. Of a bare mesh, by its ending: its\n"
        "box and unit, its thinnest and closest parts, where it passes through itself, and what\n"
        "cells cost.",
    .plain = "scene",
    .plain_to = TO(plain),
    SN_OPTIONS(options),
    .act = run,
};

static sn_status print_references(const info_arguments *a)
{
    if (a->keys && a->plain)
        SN_TRY(sn_scene_describe_part(a->plain, stdout));
    else if (a->keys)
        sn_scene_describe(stdout);
    if (a->builtins) {
        sn_builtin_describe(stdout);
        sn_builtin_motion_describe(stdout);
    }
    return SN_OK;
}

static sn_status run(MPI_Comm comm, void *arguments)
{
    const info_arguments *a = arguments;
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (a->keys || a->builtins)
        return sn_agree(comm, rank == 0 ? print_references(a) : SN_OK);
    SN_TRY(sn_require_plain(&line, a->plain));
    return sn_info_is_mesh(a->plain) ? inform_of_mesh(comm, a) : inform_of_scene(comm, a);
}

sn_status sn_command_info(MPI_Comm comm, int argc, char **argv)
{
    info_arguments arguments = {
        .pictures = {.width = WIDTH, .height = HEIGHT, .axis = -1, .offset = NAN}};
    sn_status status = sn_command_line_run(&line, comm, argc, argv, &arguments);
    sn_overrides_free(&arguments.overrides);
    return status;
}
