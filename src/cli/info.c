#include "cli/info.h"

#include "base/timer.h"
#include "cli/arguments.h"
#include "cli/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1600, HEIGHT = 1000, LEAST_PIXELS = 16, MOST_PIXELS = 16384 };

typedef struct {
    const char *scene_path;
    bool json, timing, keys;
    sn_info_pictures pictures;
    sn_overrides overrides;
} info_arguments;

static void print_help(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank != 0)
        return;
    printf("usage: sinew info SCENE.yaml [-P key=value ...] [--json] [--timing]\n"
           "                  [--picture FILE.png [--slice AXIS[=OFFSET]]] [--surface FILE.png]\n"
           "                  [--size WIDTHxHEIGHT]\n"
           "       sinew info --keys\n\n"
           "Builds the octrees of a scene and says what they hold: octants, nodes, levels,\n"
           "memory, and how they are spread over the ranks.\n\n"
           "  -P key=value      override a key of the scene, e.g. -P bodies.flesh.cell=0.01\n"
           "  --json            one JSON object for programs\n"
           "  --timing          a table of the time each phase took, on standard error\n"
           "  --picture FILE    a slice through the finest octree, coloured by the cells' height\n"
           "  --slice x|y|z     the slice's axis, through the middle; x=0.5: at this coordinate\n"
           "  --surface FILE    the surface of the bodies at rest\n"
           "  --size WxH        the pictures' pixels; 1600x1000 if not given\n"
           "  --keys            the reference of all keys that a scene can have\n");
}

static sn_status parse_slice(const char *text, sn_info_pictures *pictures)
{
    const char *axes = "xyz", *axis = text && *text ? strchr(axes, text[0]) : NULL;
    char *end = NULL;
    if (axis && text[1] == '=')
        pictures->offset = strtod(text + 2, &end);
    bool whole = axis && (text[1] == 0 || (end && end != text + 2 && *end == 0));
    if (!whole || isinf(pictures->offset))
        return SN_FAIL(SN_BAD_INPUT,
                       "info: --slice needs x, y or z, or an axis and a coordinate "
                       "such as x=0.5, not '%s'",
                       text ? text : "");
    pictures->axis = (int)(axis - axes);
    return SN_OK;
}

static sn_status parse_size(const char *text, sn_info_pictures *pictures)
{
    int width, height;
    char rest;
    if (!text || sscanf(text, "%5dx%5d%c", &width, &height, &rest) != 2 || width < LEAST_PIXELS ||
        height < LEAST_PIXELS || width > MOST_PIXELS || height > MOST_PIXELS)
        return SN_FAIL(SN_BAD_INPUT,
                       "info: --size needs a width and a height between %d and %d, such as "
                       "1600x1000, not '%s'",
                       LEAST_PIXELS, MOST_PIXELS, text ? text : "");
    pictures->width = width;
    pictures->height = height;
    return SN_OK;
}

static sn_status parse_path(const char *option, const char *text, const char **path)
{
    if (!text || !*text)
        return SN_FAIL(SN_BAD_INPUT, "info: %s needs the name of a file", option);
    *path = text;
    return SN_OK;
}

static sn_status parse_option(char **argv, int *i, info_arguments *a)
{
    const char *option = argv[*i];
    if (strcmp(option, "--json") == 0)
        a->json = true;
    else if (strcmp(option, "--timing") == 0)
        a->timing = true;
    else if (strcmp(option, "--keys") == 0)
        a->keys = true;
    else if (strcmp(option, "--picture") == 0) /* argv ends with a NULL */
        return parse_path(option, argv[++*i], &a->pictures.slice_path);
    else if (strcmp(option, "--surface") == 0)
        return parse_path(option, argv[++*i], &a->pictures.surface_path);
    else if (strcmp(option, "--slice") == 0)
        return parse_slice(argv[++*i], &a->pictures);
    else if (strcmp(option, "--size") == 0)
        return parse_size(argv[++*i], &a->pictures);
    else if (strcmp(option, "-P") == 0)
        return sn_overrides_take("info", argv[++*i], &a->overrides);
    else
        return SN_FAIL(SN_BAD_INPUT, "info: unknown option '%s'; see 'sinew info --help'", option);
    return SN_OK;
}

static sn_status parse_arguments(int argc, char **argv, info_arguments *a)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            SN_TRY(parse_option(argv, &i, a));
        else if (a->scene_path)
            return SN_FAIL(SN_BAD_INPUT, "info: one scene, not '%s' and '%s'", a->scene_path,
                           argv[i]);
        else
            a->scene_path = argv[i];
    }
    if (!a->scene_path && !a->keys)
        return SN_FAIL(SN_BAD_INPUT, "info: which scene? see 'sinew info --help'");
    return SN_OK;
}

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

static sn_status run(MPI_Comm comm, const info_arguments *a)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (a->keys) {
        if (rank == 0)
            sn_scene_describe(stdout);
        return SN_OK;
    }
    sn_scene scene;
    SN_TRY(sn_overrides_read_scene(comm, a->scene_path, &a->overrides, &scene));
    sn_status status = inform(comm, a, &scene);
    sn_scene_free(&scene);
    if (status == SN_OK && a->timing)
        sn_timer_report(comm, stderr);
    return status;
}

sn_status sn_command_info(MPI_Comm comm, int argc, char **argv)
{
    if (sn_asks_for_help(argc, argv)) {
        print_help(comm);
        return SN_OK;
    }
    info_arguments arguments = {
        .pictures = {.width = WIDTH, .height = HEIGHT, .axis = -1, .offset = NAN}};
    sn_status status = parse_arguments(argc, argv, &arguments);
    if (status == SN_OK)
        status = run(comm, &arguments);
    sn_overrides_free(&arguments.overrides);
    return status;
}
