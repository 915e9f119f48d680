#include "run/diagnose.h"

#include "cli/arguments.h"
#include "cli/command.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, LONGEST_SHOWN = 300 };

typedef struct {
    const char *run_dir;
} diagnose_arguments;

static sn_status run(MPI_Comm comm, void *arguments);

static const sn_command_line line = {
    .name = "diagnose",
    .usage = "sinew diagnose RUN_DIR",
    .about = "Says what is wrong with the frames of a run, frame by frame: which missed the\n"
             "tolerance, where contact is not resolved, where elements are inverted, what is\n"
             "nearest to there, and what to try. It reads frames.csv, diagnosis.csv and log.txt.",
    .notes = "Exit status 0: all frames that were reached can be trusted, though elements may be\n"
             "inverted; 4: some can't, as the run said at its end; 1: not a run directory, or its\n"
             "files are no run's.",
    .plain = "run directory",
    .plain_to = offsetof(diagnose_arguments, run_dir),
    .act = run,
};

static sn_status run(MPI_Comm comm, void *arguments)
{
    const diagnose_arguments *a = arguments;
    sn_overrides none = {0};
    sn_scene scene;
    int rank;
    char path[PATH_BYTES];
    MPI_Comm_rank(comm, &rank);
    SN_TRY(sn_require_plain(&line, a->run_dir));
    if (snprintf(path, sizeof path, "%s/scene.yaml", a->run_dir) >= PATH_BYTES)
        return SN_FAIL(SN_BAD_INPUT, "%.60s...: the path is too long", a->run_dir);
    sn_status there = SN_OK;
    if (rank == 0 && access(path, F_OK) != 0)
        there = SN_FAIL(SN_BAD_INPUT, "%.*s: not a run directory: scene.yaml: %s", LONGEST_SHOWN,
                        a->run_dir, strerror(errno));
    SN_TRY(sn_agree(comm, there));
    SN_TRY(sn_overrides_read_scene(comm, path, &none, &scene));
    sn_status status = sn_agree(comm, rank == 0 ? sn_diagnose(&scene, a->run_dir) : SN_OK);
    sn_scene_free(&scene);
    return status;
}

sn_status sn_command_diagnose(MPI_Comm comm, int argc, char **argv)
{
    return sn_command_line_run(&line, comm, argc, argv, &(diagnose_arguments){0});
}
