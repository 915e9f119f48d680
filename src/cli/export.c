#include "io/export/export.h"

#include "base/array.h"
#include "base/log.h"
#include "cli/arguments.h"
#include "cli/command.h"

#include <string.h>

enum { PATH_BYTES = 4096 };

typedef struct {
    const char *run_dir, *to, *body, *output;
} export_arguments;

static void print_help(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank != 0)
        return;
    printf("usage: sinew export RUN_DIR --to FORMAT [--body NAME] [--output PATH]\n\n"
           "Writes the surface frames of a run for other programs. Points are in the order of the\n"
           "input mesh, coordinates as they are in the scene.\n\n"
           "  --to FORMAT    one of\n");
    for (int i = 0; i < sn_export_format_count; i++)
        printf("                   %-5s %s\n", sn_export_formats[i].name,
               sn_export_formats[i].meaning);
    printf("  --body NAME    only this body; otherwise all bodies, as one mesh\n"
           "  --output PATH  the file to write, in the run directory unless given; with a file a\n"
           "                 frame it has a # for each digit, such as flesh_####.obj\n\n"
           "In Blender: import the first frame as PLY, add a Mesh Cache modifier with the PC2 or\n"
           "MDD file, and leave its axes as they are. Frame Scale is 1/N if every Nth frame was\n"
           "written, and Frame Start the first frame's number times that. An OBJ mesh serves as\n"
           "well, unless it has vertices that are in no face, which Blender leaves out.\n");
}

static sn_status parse_arguments(int argc, char **argv, export_arguments *a)
{
    for (int i = 1; i < argc; i++) {
        const char **value = strcmp(argv[i], "--to") == 0       ? &a->to
                             : strcmp(argv[i], "--body") == 0   ? &a->body
                             : strcmp(argv[i], "--output") == 0 ? &a->output
                                                                : NULL;
        if (value && !argv[i + 1])
            return SN_FAIL(SN_BAD_INPUT, "export: %s needs a value", argv[i]);
        if (value)
            *value = argv[++i];
        else if (argv[i][0] == '-')
            return SN_FAIL(SN_BAD_INPUT, "export: unknown option '%s'; see 'sinew export --help'",
                           argv[i]);
        else if (a->run_dir)
            return SN_FAIL(SN_BAD_INPUT, "export: one run directory, not '%s' and '%s'", a->run_dir,
                           argv[i]);
        else
            a->run_dir = argv[i];
    }
    if (!a->run_dir)
        return SN_FAIL(SN_BAD_INPUT, "export: which run directory? see 'sinew export --help'");
    if (!a->to)
        return SN_FAIL(SN_BAD_INPUT, "export: which format? --to one of pc2, mdd, obj, ply, usda");
    return SN_OK;
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

sn_status sn_command_export(MPI_Comm comm, int argc, char **argv)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (sn_asks_for_help(argc, argv)) {
        print_help(comm);
        return SN_OK;
    }
    export_arguments arguments = {0};
    SN_TRY(parse_arguments(argc, argv, &arguments));
    return sn_agree(comm, rank == 0 ? export_frames(&arguments) : SN_OK);
}
