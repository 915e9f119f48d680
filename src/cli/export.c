#include "io/export/export.h"
#include "io/frames/frame_set.h"

#include "base/log.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/export_props.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

typedef struct {
    const char *run_dir, *to, *body, *output, *up;
    const char *frames; /* NULL: all */
    double metres;      /* 0: not given */
    bool bones, colliders;
} export_arguments;

#define TO(member) offsetof(export_arguments, member)

static sn_status read_frames(const char *command, const sn_option *option, const char *text,
                             void *to)
{
    (void)option;
    *(const char **)to = text;
    return sn_frame_set_check(command, text);
}

static sn_status read_up(const char *command, const sn_option *option, const char *text, void *to)
{
    if (strcmp(text, "y") != 0 && strcmp(text, "z") != 0)
        return SN_FAIL(SN_BAD_INPUT, "%s: %s needs y or z, not '%s'", command, option->name, text);
    *(const char **)to = text;
    return SN_OK;
}

static const sn_option options[] = {
    {"--to", "FORMAT", "one of those below", sn_read_text, .to = TO(to)},
    {"--body", "NAME", "only this body; otherwise all bodies, as one mesh", sn_read_text,
     .to = TO(body)},
    {"--output", "PATH",
     "the file to write, in the run directory unless given; with a file a\n"
     "frame it has a # for each digit, such as flesh_####.obj",
     sn_read_text, .to = TO(output)},
    {"--frames", "LIST", "which frames: 7, 1:48, 10: or 1:10,20; all if not given", read_frames,
     .to = TO(frames)},
    {"--up", "AXIS",
     "for USD, y or z: the axis that goes up; otherwise the one along which\n"
     "gravity pulls, z without any",
     read_up, .to = TO(up)},
    {"--meters-per-unit", "N",
     "for USD; otherwise what gravity says, if it is that of the earth to a\n"
     "tenth, in metres times a power of ten, or 1",
     sn_read_positive, .to = TO(metres)},
    {"--bones", NULL, "in USD the bones as well", sn_read_flag, .to = TO(bones)},
    {"--colliders", NULL, "in USD the colliders as well", sn_read_flag, .to = TO(colliders)},
};

static void print_formats(void)
{
    printf("\nformats:\n");
    for (int i = 0; i < sn_export_format_count; i++)
        printf("  %-5s %s\n", sn_export_formats[i].name, sn_export_formats[i].meaning);
}

static const sn_export_format *find_format(const char *name)
{
    for (int i = 0; i < sn_export_format_count; i++)
        if (strcmp(sn_export_formats[i].name, name) == 0)
            return &sn_export_formats[i];
    return NULL;
}

/* ---- What USD wants to know of a length and of the axes ---- */

static void read_gravity(const export_arguments *a, double gravity[3])
{
    char path[PATH_BYTES];
    sn_scene scene;
    for (int d = 0; d < 3; d++)
        gravity[d] = 0;
    snprintf(path, sizeof path, "%s/scene.yaml", a->run_dir);
    if (sn_scene_read(MPI_COMM_SELF, path, NULL, 0, &scene) != SN_OK)
        return;
    for (int d = 0; d < 3; d++)
        gravity[d] = scene.gravity[d];
    sn_scene_free(&scene);
}

static char up_of(const double gravity[3])
{
    double y = fabs(gravity[1]);
    return y > fabs(gravity[0]) && y > fabs(gravity[2]) ? 'Y' : 'Z';
}

static double metres_of(const double gravity[3])
{
    const double earth = 9.81, tenth = 0.1;
    double metres =
        earth / sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]);
    double round = pow(10, nearbyint(log10(metres)));
    return fabs(metres / round - 1) < tenth ? round : 1;
}

static void complete(const export_arguments *a, sn_export *what)
{
    double gravity[3];
    read_gravity(a, gravity);
    what->up = a->up ? (*a->up == 'y' ? 'Y' : 'Z') : up_of(gravity);
    what->metres = a->metres > 0 ? a->metres : metres_of(gravity);
}

static sn_status write_with_props(const export_arguments *a, const sn_export_format *format,
                                  sn_export *what)
{
    sn_export_props props;
    if (!a->bones && !a->colliders)
        return format->write(what);
    if (strcmp(format->name, "usda") != 0)
        return SN_FAIL(SN_BAD_INPUT, "export: --bones and --colliders go with --to usda");
    SN_TRY(sn_export_props_open(a->run_dir, a->bones, a->colliders, &props));
    what->prop = props.list.data;
    what->n_props = props.list.count;
    sn_status status = format->write(what);
    sn_export_props_free(&props);
    return status;
}

static sn_status export_frames(const export_arguments *a)
{
    char path[PATH_BYTES];
    const sn_export_format *format = find_format(a->to);
    if (!format)
        return SN_FAIL(SN_BAD_INPUT, "export: unknown format '%s'; one of pc2, mdd, obj, ply, usda",
                       a->to);
    snprintf(path, sizeof path, "%s/%s%s.%s", a->run_dir, a->body ? a->body : "surface",
             format->file_a_frame ? "_####" : "", format->name);
    sn_export what = {.run_dir = a->run_dir,
                      .body = a->body,
                      .output = a->output ? a->output : path,
                      .frames = a->frames};
    complete(a, &what);
    SN_TRY(write_with_props(a, format, &what));
    sn_info("wrote %s", what.output);
    return SN_OK;
}

static sn_status run(MPI_Comm comm, void *arguments);

static const sn_command_line line = {
    .name = "export",
    .usage = "sinew export RUN_DIR --to FORMAT [--body NAME] [--frames LIST] [--output PATH]\n"
             "          [--up AXIS] [--meters-per-unit N] [--bones] [--colliders]",
    .about =
        "Writes the surface frames of a run for other programs. Vertices, polygons and places\n"
        "in the texture are those of the input's files, coordinates as they are in the scene.",
    .notes =
        "In Blender: import the mesh that the shot began with, or the first frame as PLY, and\n"
        "add a Mesh Cache modifier with the PC2 or MDD file. Its axes stay as they are if the\n"
        "import left coordinates alone (OBJ with Y forward and Z up, PLY, STL); a glTF mesh,\n"
        "which the import turns, wants Forward Axis Z and Up Axis -Y. Clear the object's\n"
        "transform: frames have it in them. Frame Scale is 1/N if every Nth frame was written,\n"
        "and Frame Start the first frame's number times that. Blender leaves out vertices of\n"
        "OBJ and glTF that are in no face: then PLY serves. STL has no vertices: they are its\n"
        "points in the order of their first appearance, and so they are of FBX and Collada.",
    .plain = "run directory",
    .plain_to = TO(run_dir),
    SN_OPTIONS(options),
    .print_more = print_formats,
    .act = run,
};

static sn_status run(MPI_Comm comm, void *arguments)
{
    const export_arguments *a = arguments;
    int rank;
    MPI_Comm_rank(comm, &rank);
    SN_TRY(sn_require_plain(&line, a->run_dir));
    if (!a->to)
        return SN_FAIL(SN_BAD_INPUT, "export: which format? --to one of pc2, mdd, obj, ply, usda");
    return sn_agree(comm, rank == 0 ? export_frames(a) : SN_OK);
}

sn_status sn_command_export(MPI_Comm comm, int argc, char **argv)
{
    return sn_command_line_run(&line, comm, argc, argv, &(export_arguments){0});
}
