/* What a command of the program is.
 *
 * main.c knows the table of commands, starts MPI and turns the status that a command
 * returns into one message and the exit status. A command gets its own arguments (argv[0]
 * is its name), is called on all ranks, reads its options by a table that also answers
 * --help (arguments.h), and writes results to standard output on rank 0 only. It may fail on
 * one rank alone only if no rank is then left in a collective call: main agrees on the status
 * when all have returned.
 *
 * A new command is one file, one declaration here and one line in main.c's table. */
#ifndef SN_CLI_COMMAND_H
#define SN_CLI_COMMAND_H

#include "base/status.h"

#include <mpi.h>

typedef struct {
    const char *name;
    const char *summary; /* one line for `sinew --help` */
    sn_status (*run)(MPI_Comm comm, int argc, char **argv);
} sn_command;

sn_status sn_command_run(MPI_Comm comm, int argc, char **argv);
sn_status sn_command_render(MPI_Comm comm, int argc, char **argv);
sn_status sn_command_report(MPI_Comm comm, int argc, char **argv);
sn_status sn_command_diagnose(MPI_Comm comm, int argc, char **argv);
sn_status sn_command_info(MPI_Comm comm, int argc, char **argv);
sn_status sn_command_plan(MPI_Comm comm, int argc, char **argv);
sn_status sn_command_export(MPI_Comm comm, int argc, char **argv);
sn_status sn_command_bench(MPI_Comm comm, int argc, char **argv);
sn_status sn_command_init(MPI_Comm comm, int argc, char **argv);

#endif
