#include "io/export/export.h"

#include "base/log.h"
#include "cli/arguments.h"
#include "cli/command.h"

#include <stddef.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

typedef struct {
    const char *run_dir, *to, *body, *output;
} export_arguments;

#define TO(member) offsetof(export_arguments, member)

static const sn_option options[] = {
    {"--to", "FORMAT", "one of those below", sn_read_text, .to = TO(to)},
    {"--body", "NAME", "only this body; otherwise all bodies, as one mesh", sn_read_text,
     .to = TO(body)},
    {"--output", "PATH",
     "the file to write, in the run directory unless given; with a file a\n"
     "frame it has a # for each digit, such as flesh_####.obj",
     sn_read_text, .to = TO(output)},
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

static sn_status export_frames(const export_arguments *a)
{
    char path[PATH_BYTES];
    const sn_export_format *format = find_format(a->to);
    if (!format)
        return SN_FAIL(SN_BAD_INPUT, "export: unknown format '%s'; one of pc2, mdd, obj, ply, usda",
                       a->to);
    snprintf(path, sizeof path, "%s/%s%s.%s", a->run_dir, a->body ? a->body : "surface",
             format->file_a_frame ? "_####" : "", format->name);
    sn_export what = {a->run_dir, a->body, a->output ? a->output : path};
    SN_TRY(format->write(&what));
    sn_info("wrote %s", what.output);
    return SN_OK;
}

static sn_status run(MPI_Comm comm, void *arguments);

static const sn_command_line line = {
    .name = "export",
    .usage = "sinew export RUN_DIR --to FORMAT [--body NAME] [--output PATH]",
    .about = "Writes the surface frames of a run for other programs. Points are in the order of\n"
             "the input mesh, coordinates as they are in the scene.",
    .notes =
        "In Blender: import the first frame as PLY, add a Mesh Cache modifier with the PC2 or\n"
        "MDD file, and leave its axes as they are. Frame Scale is 1/N if every Nth frame was\n"
        "written, and Frame Start the first frame's number times that. An OBJ mesh serves as\n"
        "well, unless it has vertices that are in no face, which Blender leaves out.",
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
