/* `sinew bench thin`: iterations of MGPCG to 1e-6 on bodies whose parts are thinner than coarse
 * cells, beside bulky ones, all held at their base and linearised at rest. How many does it take
 * with the coarse levels of geometric multigrid, and with unknowns that can turn, where parts that
 * share a cell are apart, on all levels, and where they are welded? What do coarse levels hold, and
 * how long does it take to make them? Limits are three times what a ball takes at the first of the
 * same sizes, with geometric levels. */
#include "base/array.h"
#include "bench/bench.h"
#include "bench/history.h"

#include <math.h>
#include <stdio.h>

enum { MOST_ITERATIONS = 300, BODIES = 6, SIZES = 2, RULES = 3, KINDS = 3 };
static const double POISSON = 0.3;

/* Cells along the longest side, at the coarser of the two sizes. A tooth is then two cells thick,
 * and so is the sheet. */
static const struct {
    const char *name, *mesh;
    int cells;
} bodies[BODIES] = {{"ball", "builtin:sphere", 32},       {"cube", "builtin:cube", 32},
                    {"creature", "builtin:creature", 80}, {"comb", "builtin:comb", 30},
                    {"spike", "builtin:spike", 64},       {"sheet", "builtin:cube,x=0.05", 40}};

static const struct {
    const char *name;
    double hourglass;
} rules[RULES] = {{"assumed", SN_HOURGLASS_ASSUMED},
                  {"scaled", SN_HOURGLASS_SCALED},
                  {"paper", SN_HOURGLASS_PAPER}};

static const struct {
    const char *name;
    sn_coarse coarse;
} kinds[KINDS] = {
    {"geometric", SN_COARSE_GEOMETRIC}, {"rigid", SN_COARSE_RIGID}, {"auto", SN_COARSE_AUTO}};

static const char *const joinings[] = {"apart", "weld"}; /* [welded] */

/* What is reported beside: three times what the first body takes with geometric multigrid. */
static const double TIMES_BULKY = 3;

typedef struct {
    const sn_bench *bench;
    double iterations[RULES];
    double seconds[RULES]; /* for an unknown */
} comparison;

static double everywhere(const sn_bench *bench, double bytes)
{
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, bench->comm);
    return bytes;
}

static void report(const sn_bench *bench, const char *what, const char *suffix, double value,
                   const char *unit, double limit)
{
    char name[128];
    snprintf(name, sizeof name, "%s%s", what, suffix);
    sn_bench_report(bench, name, value, unit, limit);
}

static void measure(comparison *c, const char *name, int rule, sn_bench_system *s)
{
    sn_history *h = SN_NEW(sn_history, 1);
    sn_history_watch(s, SN_LINEAR_MGPCG, MOST_ITERATIONS, h);
    double iterations = sn_history_iterations(h), seconds = sn_history_seconds(h);
    double each = seconds / (double)(SN_NODE_REALS * sn_octree_count(&s->forest.level[0]).nodes);
    if (c->iterations[rule] == 0) {
        c->iterations[rule] = TIMES_BULKY * iterations;
        c->seconds[rule] = TIMES_BULKY * each;
    }
    report(c->bench, name, "", iterations, "iterations", c->iterations[rule]);
    report(c->bench, name, "/time", seconds, "s", seconds);
    report(c->bench, name, "/time an unknown", 1e6 * each, "us", 1e6 * c->seconds[rule]);
    report(c->bench, name, "/set-up", s->prepare_seconds, "s", seconds);
    double finest = everywhere(c->bench, (double)sn_system_memory(&s->finest));
    double coarse =
        everywhere(c->bench, (double)(sn_levels_memory(&s->levels) + sn_multigrid_memory(&s->mg)));
    report(c->bench, name, "/memory", coarse / 1e6, "MB", finest / 1e6);
    sn_free(h);
}

static bool has_copies(const sn_hierarchy *forest)
{
    bool any = false;
    for (int l = 0; l < forest->n_levels; l++)
        any = any || forest->level[l].has_copies;
    return any;
}

static sn_status try_kind(comparison *c, const char *prefix, int rule, int kind,
                          sn_bench_solid *solid, bool *copies)
{
    char name[96];
    sn_bench_system s;
    sn_bench_material material = {.poisson = POISSON,
                                  .stiffness_jump = 1,
                                  .hourglass = rules[rule].hourglass,
                                  .multigrid = SN_MULTIGRID_DEFAULTS,
                                  .on_its_base = true};
    material.multigrid.coarse = kinds[kind].coarse;
    SN_TRY(sn_bench_system_create(c->bench->comm, solid, material, &s));
    snprintf(name, sizeof name, "%s/%s/%s", prefix, rules[rule].name, kinds[kind].name);
    measure(c, name, rule, &s);
    *copies = has_copies(&s.forest);
    sn_bench_system_free(&s);
    return SN_OK;
}

/* All rules and kinds. */
static sn_status try_joining(comparison *c, const char *prefix, sn_bench_solid *solid, bool *copies)
{
    sn_status status = SN_OK;
    for (int rule = 0; rule < RULES && status == SN_OK; rule++)
        for (int kind = 0; kind < KINDS && status == SN_OK; kind++)
            status = try_kind(c, prefix, rule, kind, solid, copies);
    return status;
}

/* Without copies on any level, there is nothing to weld. */
static sn_status try_body(comparison *c, int body, int cells)
{
    char prefix[64];
    sn_bench_solid solid;
    SN_TRY(sn_bench_solid_load(c->bench->comm, bodies[body].mesh, 0, cells, &solid));
    sn_status status = SN_OK;
    bool copies = true;
    for (int welded = 0; welded < 2 && copies && status == SN_OK; welded++) {
        solid.body.welded = welded;
        snprintf(prefix, sizeof prefix, "thin/%s/%d/%s", bodies[body].name, cells,
                 joinings[welded]);
        status = try_joining(c, prefix, &solid, &copies);
    }
    sn_bench_solid_free(&solid);
    return status;
}

sn_status sn_bench_thin(const sn_bench *bench)
{
    comparison c = {.bench = bench};
    for (int body = 0; body < BODIES; body++)
        for (int size = 1; size <= (bench->size ? 1 : SIZES); size++)
            SN_TRY(try_body(&c, body, bench->size ? (int)bench->size : size * bodies[body].cells));
    return SN_OK;
}
