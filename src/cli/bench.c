#include "bench/bench.h"

#include "cli/arguments.h"
#include "cli/command.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *summary;
    sn_status (*run)(const sn_bench *bench);
} benches[] = {
    {"sum", "exact sums and dot products beside plain ones; --size: values a rank", sn_bench_sum},
    {"octree", "a cube's octree, stage by stage, beside p4est; --size: cells along a side",
     sn_bench_octree},
    {"convergence", "CG, MG and MGPCG on a cube; --size: cells along a side", sn_bench_convergence},
    {"thin", "MGPCG on thin bodies, by kinds of coarse levels; --size: cells along them",
     sn_bench_thin},
    {"operator", "products with the stiffness matrix; --size: cells along a cube's side",
     sn_bench_operator},
    {"vcycle", "the multigrid cycle; --size: as for operator", sn_bench_vcycle},
    {"solve", "MGPCG to 1e-6; --size: as for operator", sn_bench_solve},
    {"output",
     "frames and checkpoints written here, beside a plain copy; --size: cells across a ball",
     sn_bench_output},
    {"frame", "the creature's walk: what a frame's time and memory go into; --size: elements",
     sn_bench_frame},
};
enum { BENCHES = sizeof benches / sizeof benches[0] };

typedef struct {
    const char *name;
    sn_bench bench;
} bench_arguments;

static sn_status read_size(const char *command, const sn_option *option, const char *text, void *to)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (number <= 0 || errno || *end)
        return SN_FAIL(SN_BAD_INPUT, "%s: %s needs a positive whole number, not '%s'", command,
                       option->name, text);
    *(size_t *)to = (size_t)number;
    return SN_OK;
}

#define TO(member) offsetof(bench_arguments, member)

static const sn_option options[] = {
    {"--json", NULL, "one JSON object a line: name, value, unit, limit, ratio", sn_read_flag,
     .to = TO(bench.json)},
    {"--size", "N", "the size of the problem, where the bench has one", read_size,
     .to = TO(bench.size)},
};

static void print_benches(void)
{
    printf("\nbenches:\n");
    for (int i = 0; i < BENCHES; i++)
        printf("  %-11s %s\n", benches[i].name, benches[i].summary);
}

static sn_status run(MPI_Comm comm, void *arguments)
{
    bench_arguments *a = arguments;
    a->bench.comm = comm;
    if (!a->name)
        return SN_FAIL(SN_BAD_INPUT, "bench: which one? 'sinew bench --help' lists them");
    for (int i = 0; i < BENCHES; i++)
        if (strcmp(a->name, benches[i].name) == 0)
            return benches[i].run(&a->bench);
    return SN_FAIL(SN_BAD_INPUT, "bench: no bench '%s'; 'sinew bench --help' lists them", a->name);
}

static const sn_command_line line = {
    .name = "bench",
    .usage = "sinew bench NAME [--json] [--size N]",
    .about = "Each figure stands beside the machine's limit, measured in the same run.",
    .plain = "name",
    .plain_to = TO(name),
    SN_OPTIONS(options),
    .print_more = print_benches,
    .act = run,
};

sn_status sn_command_bench(MPI_Comm comm, int argc, char **argv)
{
    return sn_command_line_run(&line, comm, argc, argv, &(bench_arguments){0});
}
