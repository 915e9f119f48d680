#include "bench/bench.h"

#include "cli/arguments.h"
#include "cli/command.h"

#include <errno.h>
#include <math.h>
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
    {"operator", "products with the stiffness matrix; --size: cells along a cube's side",
     sn_bench_operator},
    {"vcycle", "the multigrid cycle; --size: as for operator", sn_bench_vcycle},
    {"solve", "MGPCG to 1e-6; --size: as for operator", sn_bench_solve},
    {"output",
     "frames and checkpoints written here, beside a plain copy; --size: cells across a ball",
     sn_bench_output},
};
enum { BENCHES = sizeof benches / sizeof benches[0] };

static void print_help(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank != 0)
        return;
    printf("usage: sinew bench NAME [--json] [--size N]\n\n"
           "Each figure stands beside the machine's limit, measured in the same run.\n\n"
           "  --json    one JSON object a line: name, value, unit, limit, ratio\n"
           "  --size N  the size of the problem, where the bench has one\n\nbenches:\n");
    for (int i = 0; i < BENCHES; i++)
        printf("  %-11s %s\n", benches[i].name, benches[i].summary);
}

static sn_status parse_size(const char *text, size_t *size)
{
    char *end;
    errno = 0;
    long long number = text ? strtoll(text, &end, 10) : 0;
    if (number <= 0 || errno || *end)
        return SN_FAIL(SN_BAD_INPUT, "bench: --size needs a positive whole number, not '%s'",
                       text ? text : "");
    *size = (size_t)number;
    return SN_OK;
}

static sn_status parse_arguments(int argc, char **argv, sn_bench *bench, const char **name)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            bench->json = true;
        else if (strcmp(argv[i], "--size") == 0)
            SN_TRY(parse_size(argv[++i], &bench->size)); /* argv ends with a NULL */
        else if (argv[i][0] == '-')
            return SN_FAIL(SN_BAD_INPUT, "bench: unknown option '%s'", argv[i]);
        else if (*name)
            return SN_FAIL(SN_BAD_INPUT, "bench: one name, not '%s' and '%s'", *name, argv[i]);
        else
            *name = argv[i];
    }
    if (!*name)
        return SN_FAIL(SN_BAD_INPUT, "bench: which one? 'sinew bench --help' lists them");
    return SN_OK;
}

sn_status sn_command_bench(MPI_Comm comm, int argc, char **argv)
{
    if (sn_asks_for_help(argc, argv)) {
        print_help(comm);
        return SN_OK;
    }
    sn_bench bench = {comm, false, 0};
    const char *name = NULL;
    SN_TRY(parse_arguments(argc, argv, &bench, &name));
    for (int i = 0; i < BENCHES; i++)
        if (strcmp(name, benches[i].name) == 0)
            return benches[i].run(&bench);
    return SN_FAIL(SN_BAD_INPUT, "bench: no bench '%s'; 'sinew bench --help' lists them", name);
}

/* JSON has no word for infinity or not-a-number. */
static void print_json_number(const char *key, double value)
{
    if (isfinite(value))
        printf(", \"%s\": %.9g", key, value);
    else
        printf(", \"%s\": null", key);
}

void sn_bench_report(const sn_bench *bench, const char *name, double value, const char *unit,
                     double limit)
{
    int rank;
    MPI_Comm_rank(bench->comm, &rank);
    if (rank != 0)
        return;
    if (!bench->json) {
        printf("%-32s %10.4g %-10s limit %10.4g  ratio %7.3f\n", name, value, unit, limit,
               value / limit);
        return;
    }
    printf("{\"name\": \"%s\"", name);
    print_json_number("value", value);
    printf(", \"unit\": \"%s\"", unit);
    print_json_number("limit", limit);
    print_json_number("ratio", value / limit);
    printf("}\n");
    fflush(stdout);
}
