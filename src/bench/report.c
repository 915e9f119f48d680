#include "bench/bench.h"

#include <math.h>
#include <stdio.h>

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
    sn_bench_report_as(bench, NULL, name, value, unit, limit);
}

void sn_bench_report_as(const sn_bench *bench, const char *key, const char *name, double value,
                        const char *unit, double limit)
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
    if (key)
        print_json_number(key, value);
    printf("}\n");
    fflush(stdout);
}
