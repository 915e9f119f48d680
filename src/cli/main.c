#include "cli/command.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/status.h"
#include "io/mesh/import.h"
#include "mesh/embree.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const sn_command commands[] = {
    {"run", "simulate a scene", sn_command_run},
    {"render", "draw the frames of a run", sn_command_render},
    {"report", "write one page of HTML about a run", sn_command_report},
    {"diagnose", "say what is wrong with the frames of a run", sn_command_diagnose},
    {"info", "build a scene's octrees and say what they hold", sn_command_info},
    {"plan", "say what a scene needs on other numbers of ranks", sn_command_plan},
    {"export", "write a run's frames for other programs", sn_command_export},
    {"bench", "measure rates next to the machine's limit", sn_command_bench},
    {"init", "write a scene to begin with for a character", sn_command_init},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(void)
{
    printf("usage: sinew [--verbose] COMMAND [ARGUMENTS]\n"
           "       sinew --help | --version\n\n"
           "Sinew simulates flesh on many machines. Alone it runs on all cores of this one;\n"
           "under mpirun or srun it is distributed.\n\ncommands:\n");
    for (int i = 0; i < COMMANDS; i++)
        printf("  %-8s %s\n", commands[i].name, commands[i].summary);
    printf("\n'sinew COMMAND --help' or 'sinew help COMMAND' tells more.\n\nexit status:\n");
    for (int status = 0; status < SN_STATUSES; status++)
        printf("  %d  %s\n", status, sn_status_meaning((sn_status)status));
}

static sn_status run_command(MPI_Comm comm, int argc, char **argv)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(argv[0], commands[i].name) == 0)
            return commands[i].run(comm, argc, argv);
    return SN_FAIL(SN_BAD_INPUT, "unknown command '%s'; 'sinew --help' lists them", argv[0]);
}

/* help, or help COMMAND */
static sn_status help(MPI_Comm comm, int argc, char **argv)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (argc > 2)
        return SN_FAIL(SN_BAD_INPUT, "help: one command, not '%s' and '%s'", argv[1], argv[2]);
    if (argc == 2)
        return run_command(comm, 2, (char *[]){argv[1], "--help", NULL});
    if (rank == 0)
        print_help();
    return SN_OK;
}

/* What comes before the command's name. */
static sn_status run_program(MPI_Comm comm, int argc, char **argv)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            if (rank == 0)
                print_help();
            return SN_OK;
        }
        if (strcmp(argv[i], "--version") == 0) {
            if (rank == 0)
                printf("sinew %s\n", SINEW_VERSION);
            return SN_OK;
        }
        if (strcmp(argv[i], "--verbose") == 0 || strcmp(argv[i], "-v") == 0)
            sn_log_open(comm, true);
        else if (argv[i][0] == '-')
            return SN_FAIL(SN_BAD_INPUT, "unknown option '%s'; see 'sinew --help'", argv[i]);
        else
            return (strcmp(argv[i], "help") == 0 ? help : run_command)(comm, argc - i, argv + i);
    }
    return SN_FAIL(SN_BAD_INPUT, "no command given; 'sinew --help' lists them");
}

/* Output that could not be written is a failure like any other. */
static sn_status flush_results(sn_status status)
{
    bool lost = fflush(stdout) != 0 || ferror(stdout);
    return status == SN_OK && lost ? SN_FAIL(SN_MACHINE, "cannot write to standard output")
                                   : status;
}

/* Before MPI is up, only variables of the launcher tell ranks apart. */
static bool launched_as_first(const char *one_name, const char *other_name)
{
    const char *rank = getenv(one_name);
    rank = rank ? rank : getenv(other_name);
    return !rank || strcmp(rank, "0") == 0;
}

/* Limits are mostly the same everywhere, and one message is enough. The first rank of another node
 * waits for the very first one to speak, after which the launcher ends all: if it does not, that
 * node may be the only one with such limits. The others stay silent, and wait longer than anybody
 * needs to speak, because the launcher ends all after the first that ends. */
static int end_without_mpi(void)
{
    enum { FIRST_SPEAKS_WITHIN = 3, ALL_SPEAK_WITHIN = 30 /* seconds */ };
    bool first = launched_as_first("PMIX_RANK", "PMI_RANK");
    bool first_of_node = launched_as_first("OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID");
    if (!first)
        sleep(first_of_node ? FIRST_SPEAKS_WITHIN : ALL_SPEAK_WITHIN);
    if (first || first_of_node)
        sn_log_failure();
    return SN_MACHINE;
}

int main(int argc, char **argv)
{
    int provided;
    if (sn_import_asked(argc, argv))
        sn_import_serve(argv);
    if (sn_limits_check() != SN_OK)
        return end_without_mpi();
    sn_process_return_large_blocks();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is to be an error with a message */
    sn_log_open(MPI_COMM_WORLD, false);
    sn_status status = provided >= MPI_THREAD_FUNNELED
                           ? run_program(MPI_COMM_WORLD, argc, argv)
                           : SN_FAIL(SN_MACHINE, "this MPI library does not allow threads");
    status = sn_agree(MPI_COMM_WORLD, flush_results(status));
    if (status == SN_STOPPED)
        sn_info("%s", sn_failure_message());
    else if (status != SN_OK)
        sn_log_failure();
    sn_log_close();
    sn_embree_stop();
    MPI_Finalize();
    return (int)status;
}
