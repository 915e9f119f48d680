#include "report/report.h"

#include "base/log.h"
#include "cli/arguments.h"
#include "cli/command.h"

#include <stddef.h>

enum { TRIANGLES = 60000, FRAMES = 240, MOST = 100000000 };

#define TO(member) offsetof(sn_report, member)

static const sn_option options[] = {
    {"--output", "FILE", "the page; report.html in the run directory unless given", sn_read_text,
     .to = TO(output)},
    {"-o", "FILE", "the same", sn_read_text, .to = TO(output)},
    {"--triangles", "N", "a surface with more of them is thinned", sn_read_whole,
     .to = TO(most_triangles), .most = MOST, .unless = TRIANGLES},
    {"--frames", "LIST", "which frames: 7, 1:48, 10: or 1:10,20; all if not given", sn_read_text,
     .to = TO(frames)},
    {"--most-frames", "N", "of more every so many are taken, and the last", sn_read_whole,
     .to = TO(most_frames), .most = MOST, .unless = FRAMES},
};

static sn_status run(MPI_Comm comm, void *arguments);

static const sn_command_line line = {
    .name = "report",
    .usage = "sinew report RUN_DIR [--output FILE] [--triangles N] [--frames LIST]\n"
             "          [--most-frames N]",
    .about =
        "Writes one page of HTML that opens in any browser, without a network: the surface in\n"
        "motion, coloured by any field; slices through the octree, where its frames are there;\n"
        "plots of frames.csv; timing, memory, log and scene. The run may still go on. A page\n"
        "takes 8 bytes for each point and frame, and 2.7 for each field.",
    .notes =
        "The page holds the log and the scene, and with them names of hosts and files.\n"
        "Exit status 1: not a run directory, a file in it is not a run's, bad arguments; 2: a\n"
        "file could not be read or written.",
    .plain = "run directory",
    .plain_to = TO(run_dir),
    SN_OPTIONS(options),
    .act = run,
};

static sn_status write_page(const sn_report *report)
{
    char written[SN_REPORT_PATH_BYTES];
    SN_TRY(sn_report_write(report, written));
    sn_info("wrote %s", written);
    return SN_OK;
}

static sn_status run(MPI_Comm comm, void *arguments)
{
    const sn_report *report = arguments;
    int rank;
    MPI_Comm_rank(comm, &rank);
    SN_TRY(sn_require_plain(&line, report->run_dir));
    return sn_agree(comm, rank == 0 ? write_page(report) : SN_OK);
}

sn_status sn_command_report(MPI_Comm comm, int argc, char **argv)
{
    return sn_command_line_run(&line, comm, argc, argv,
                               &(sn_report){.most_triangles = TRIANGLES, .most_frames = FRAMES});
}
