#include "bench/bench.h"

#include "base/log.h"
#include "base/timer.h"
#include "bench/p4est.h"
#include "bench/solid.h"
#include "octree/hierarchy.h"

#include <math.h>
#include <stdio.h>

enum { DEFAULT_CELLS = 512, TRIAD_COUNT = 1 << 23 };

static const char *const STAGES[] = {
    "octree/rasterise", "octree/sort",   "octree/balance", "octree/classify",  "octree/leaves",
    "octree/parts",     "octree/copies", "octree/nodes",   "octree/partition", "octree/connect"};
enum { N_STAGES = sizeof STAGES / sizeof STAGES[0] };

static double slowest(MPI_Comm comm, double seconds)
{
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    return seconds;
}

/* The rate of each stage in finest octants a second; the limit is how fast the finished
 * topology could be written to memory. */
static void report_stages(const sn_bench *bench, const sn_octree *tree, const double before[],
                          double total)
{
    double octants = (double)sn_octree_count(tree).octants;
    double bytes = (double)sn_octree_memory(tree);
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, bench->comm);
    double limit = sn_bench_triad(bench->comm, TRIAD_COUNT) / (bytes / octants);
    for (int s = 0; s < N_STAGES; s++) {
        double seconds = slowest(bench->comm, sn_phase_seconds(STAGES[s]) - before[s]);
        sn_bench_report(bench, STAGES[s], octants / seconds, "octants/s", limit);
    }
    sn_bench_report(bench, "octree/total", octants / total, "octants/s", limit);
    sn_bench_report(bench, "octree/memory", bytes / octants, "B/octant", 60);
}

static sn_status build_and_report(const sn_bench *bench, const sn_bench_solid *c)
{
    double before[N_STAGES];
    for (int s = 0; s < N_STAGES; s++)
        before[s] = sn_phase_seconds(STAGES[s]);
    sn_bodies bodies = {1, (sn_body *)&c->body};
    sn_hierarchy_options options = {.max_levels = 1};
    sn_hierarchy h;
    MPI_Barrier(bench->comm);
    double start = sn_timer_elapsed();
    SN_TRY(sn_hierarchy_create(bench->comm, &bodies, &c->solid, &options, &h));
    double total = slowest(bench->comm, sn_timer_elapsed() - start);
    report_stages(bench, &h.level[0], before, total);
    sn_octree_counts counts = sn_octree_count(&h.level[0]);
    sn_hierarchy_free(&h);

    int64_t leaves;
    double seconds = sn_bench_p4est(bench->comm, c->body.root_height, &leaves);
    if (isnan(seconds)) {
        sn_info("p4est is not built in: no comparison");
        return SN_OK;
    }
    if (leaves != counts.elements)
        return SN_FAIL(SN_MACHINE, "p4est has %lld leaves, Sinew %lld elements", (long long)leaves,
                       (long long)counts.elements);
    /* From triangles to conforming nodes, against p4est's balance, ghosts and nodes alone. */
    sn_bench_report(bench, "octree/beside-p4est", (double)counts.elements / total, "leaves/s",
                    (double)leaves / seconds);
    return SN_OK;
}

sn_status sn_bench_octree(const sn_bench *bench)
{
    int cells;
    SN_TRY(sn_bench_cube_cells(bench, "octree", DEFAULT_CELLS, &cells));
    sn_bench_solid c;
    SN_TRY(sn_bench_cube(bench->comm, cells, &c));
    sn_status status = build_and_report(bench, &c);
    sn_bench_solid_free(&c);
    return status;
}
