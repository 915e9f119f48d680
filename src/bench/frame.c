/* `sinew bench frame`: what a frame takes, and what its time and memory go into.
 *
 * The creature walks as in the scene `walk`: bones, a floor, contact within the flesh. After a
 * frame to warm up, frames are solved in two ways: ten Newton steps with three linear iterations
 * each, and as many as it takes to a residual of 1e-3. Then comes a table of microseconds an
 * element and frame, in which everything has a name (base/work.h), beside its limit; what has none
 * is a row of its own. */
#include "base/array.h"
#include "base/holders.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/timer.h"
#include "bench/bench.h"
#include "bench/frame_limits.h"
#include "bench/solid.h"
#include "io/text/temporary_folder.h"
#include "shapes/creature_bones.h"
#include "shot/output/frames.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>

enum { DEFAULT_ELEMENTS = 100000, LEAST_ELEMENTS = 100, FEW_ELEMENTS = 5000 };
enum { TRIAD_COUNT = 1 << 23 };
enum { FIRST_FRAME = 1, WARM_UP = 2, LAST_FRAME = 4, TEXT_BYTES = 16384 };
static const char *const MESH = "builtin:creature";
static const char *const COARSE_MESH = "builtin:creature,detail=60";
static const double MICRO = 1e-6;

/* What is allowed: elements x frames for each core and second, bytes an element, time that has no
 * name, time that sums take longer because they are exact. */
static const double RATE_ASKED = 40000, MEMORY_ASKED = 600, NAMELESS_ALLOWED = 0.02,
                    EXACTNESS_ALLOWED = 0.05;

/* Of all arrays, who has less has no row of its own. */
static const double LEAST_PART = 0.01;

typedef struct {
    const char *name, *solver;
} way;

static const way ways[] = {
    {"10x3", "newton: {max: 10, tolerance: 1.0e-12}, linear: {max: 3, tolerance: 1.0e-12}"},
    {"1e-3", "newton: {max: 30, tolerance: 1.0e-3}, linear: {max: 30, tolerance: 1.0e-2}"}};
enum { WAYS = sizeof ways / sizeof ways[0] };

typedef struct {
    const sn_bench *bench;
    const way *way;
    const char *mesh;
    double cell;
    sn_machine_limits machine;
    double process_before; /* bytes that the process had before anything was built */
    sn_temporary_folder folder;
    sn_scene scene;
    sn_shot shot;
    sn_shot_frames output;
    double elements, seconds, frames, newton, linear;
    double of_work[SN_WORK_KINDS]; /* seconds, of the slowest rank in each */
} frame_work;

/* ---- The scene ---- */

static int write_bones(char *text, size_t room)
{
    int n = 0;
    for (int b = 0; b < sn_creature_bone_count(); b++) {
        const char *name = sn_creature_bone_name(b);
        n += snprintf(text + n, room - (size_t)n,
                      "  - {name: %s, body: flesh, mesh: builtin:creature/%s, "
                      "motion: {builtin: creature_walk}, stiffness: 3.0e6}\n",
                      name, name);
    }
    return n;
}

static sn_status read_scene(frame_work *w)
{
    char *text = SN_NEW(char, TEXT_BYTES);
    int n = snprintf(text, TEXT_BYTES,
                     "name: walk\n"
                     "frames: {first: %d, last: %d, fps: 24}\n"
                     "gravity: [0, -9.81, 0]\n"
                     "bodies:\n"
                     "  - name: flesh\n"
                     "    mesh: '%s'\n"
                     "    cell: %.17g\n"
                     "    material: {young: 2.0e4, poisson: 0.45, density: 1000, damping: 0.008}\n"
                     "colliders:\n"
                     "  - name: floor\n"
                     "    shape: {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}\n"
                     "    friction: 0\n"
                     "self_collision: {enabled: true, friction: 0.2}\n"
                     "solver: {integrator: bdf2, %s}\n"
                     "output: {dir: '%s'}\n"
                     "bones:\n",
                     FIRST_FRAME, LAST_FRAME, w->mesh, w->cell, w->way->solver, w->folder.path);
    n += write_bones(text + n, TEXT_BYTES - (size_t)n);
    sn_status status = sn_scene_read_text("bench frame", text, (size_t)n, &w->scene);
    sn_free(text);
    return status;
}

static sn_status count_elements(MPI_Comm comm, const char *mesh, double cell, double *elements)
{
    sn_bench_solid solid;
    SN_TRY(sn_bench_solid_load(comm, mesh, cell, 0, &solid));
    sn_bodies bodies = {1, &solid.body};
    sn_hierarchy_options options = {.max_levels = 1};
    sn_hierarchy forest;
    sn_status status = sn_hierarchy_create(comm, &bodies, &solid.solid, &options, &forest);
    if (status == SN_OK) {
        *elements = (double)sn_octree_count(&forest.level[0]).elements;
        sn_hierarchy_free(&forest);
    }
    sn_bench_solid_free(&solid);
    return status;
}

/* The cell that makes about so many elements. Most of them are at the surface, so their number
 * grows with the square of what is along a side. */
static sn_status choose_cell(MPI_Comm comm, const char *mesh, double asked, double *cell)
{
    enum { TRIES = 4 };
    const double close = 0.02;
    *cell = 0.03;
    for (int i = 0; i < TRIES; i++) {
        double elements;
        SN_TRY(count_elements(comm, mesh, *cell, &elements));
        if (fabs(elements / asked - 1) < close)
            break;
        *cell *= sqrt(elements / asked);
    }
    return SN_OK;
}

/* ---- Frames ---- */

static double slowest(MPI_Comm comm, double seconds)
{
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    return seconds;
}

static sn_status advance(frame_work *w, int frame)
{
    sn_frame_row row;
    double start = sn_timer_elapsed();
    SN_TRY(sn_shot_advance(&w->shot, frame, &row));
    SN_TRY(sn_shot_frames_write(&w->output, frame));
    w->seconds += slowest(w->bench->comm, sn_timer_elapsed() - start);
    w->newton += row.newton;
    w->linear += row.linear;
    w->frames++;
    return SN_OK;
}

static void forget_warm_up(frame_work *w)
{
    w->seconds = w->newton = w->linear = w->frames = 0;
    for (int k = 0; k < SN_WORK_KINDS; k++)
        w->of_work[k] = -sn_phase_seconds(sn_work_phase((sn_work_kind)k));
}

static void take_seconds(frame_work *w)
{
    for (int k = 0; k < SN_WORK_KINDS; k++)
        w->of_work[k] = slowest(w->bench->comm,
                                w->of_work[k] + sn_phase_seconds(sn_work_phase((sn_work_kind)k)));
}

/* ---- What is reported ---- */

static void report(const frame_work *w, const char *what, double value, const char *unit,
                   double limit)
{
    char name[96];
    snprintf(name, sizeof name, "frame/%s/%s", w->way->name, what);
    sn_bench_report(w->bench, name, value, unit, limit);
}

static double cores_of(MPI_Comm comm)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    return (double)ranks * omp_get_max_threads();
}

/* Microseconds of one core for an element and frame. */
static double microseconds(const frame_work *w, double seconds)
{
    return seconds * cores_of(w->bench->comm) / (w->elements * w->frames) / MICRO;
}

static void report_table(const frame_work *w, const double limit[SN_WORK_KINDS])
{
    double named = 0;
    for (int k = 0; k < SN_WORK_KINDS; k++) {
        named += w->of_work[k];
        if (w->of_work[k] == 0) /* one rank exchanges nothing */
            continue;
        report(w, sn_work_phase((sn_work_kind)k), microseconds(w, w->of_work[k]), "us",
               microseconds(w, limit[k]));
    }
    double nameless = fmax(w->seconds - named, 0);
    report(w, "work/without a name", microseconds(w, nameless), "us",
           NAMELESS_ALLOWED * microseconds(w, w->seconds));
}

/* What it costs that sums have the same bits in any order, in parts of the frame: how much longer
 * an exact sum takes than a plain one is measured on arrays of the same length. */
static void report_exactness(const frame_work *w)
{
    sn_local reals = sn_field_reals(&w->shot.model.forest.level[0]);
    double plain = sn_bench_plain_share(w->bench->comm, (size_t)reals);
    double seconds = w->of_work[SN_WORK_SUMS] * (1 - plain);
    report(w, "exact sums", seconds / (w->seconds - seconds), "of a frame", EXACTNESS_ALLOWED);
}

/* Who holds the arrays at their peak. */
static void report_holders(const frame_work *w)
{
    sn_holding *h;
    int size, n = sn_holders_gather(w->bench->comm, LEAST_PART, &h);
    MPI_Comm_size(w->bench->comm, &size);
    for (int i = 0; i < n; i++) {
        char what[80];
        snprintf(what, sizeof what, "memory/arrays/%s", h[i].name);
        report(w, what, h[i].average * size / w->elements, "B/element", MEMORY_ASKED);
    }
    sn_free(h);
}

static void report_memory(const frame_work *w)
{
    MPI_Comm comm = w->bench->comm;
    double bytes[2] = {(double)sn_process_peak() - w->process_before, (double)sn_memory_peak()};
    MPI_Allreduce(MPI_IN_PLACE, bytes, 2, MPI_DOUBLE, MPI_SUM, comm);
    report(w, "memory", bytes[0] / w->elements, "B/element", MEMORY_ASKED);
    report(w, "memory/arrays", bytes[1] / w->elements, "B/element", MEMORY_ASKED);
    report_holders(w);
}

static void report_all(const frame_work *w, const double limit[SN_WORK_KINDS])
{
    char name[64];
    double cores = cores_of(w->bench->comm), done = w->elements * w->frames;
    snprintf(name, sizeof name, "frame/%s", w->way->name);
    sn_bench_report_as(w->bench, "element_frames_per_core_second", name,
                       done / (cores * w->seconds), "/core/s", RATE_ASKED);
    report(w, "elements", w->elements, "elements", w->elements);
    report(w, "time", w->seconds / w->frames, "s", done / (cores * RATE_ASKED) / w->frames);
    report(w, "newton", w->newton / w->frames, "steps", 5);
    report(w, "linear", w->linear / w->frames, "iterations", 20);
    report_memory(w);
    report_exactness(w);
    report_table(w, limit);
}

static sn_status run_frames(frame_work *w)
{
    MPI_Comm comm = w->bench->comm;
    double limit[SN_WORK_KINDS];
    for (int frame = FIRST_FRAME; frame <= WARM_UP; frame++)
        SN_TRY(advance(w, frame));
    forget_warm_up(w);
    sn_work_counts before = sn_work_counts_now(comm);
    for (int frame = WARM_UP + 1; frame <= LAST_FRAME; frame++)
        SN_TRY(advance(w, frame));
    sn_work_counts after = sn_work_counts_now(comm);
    take_seconds(w);
    sn_frame_limits(&w->shot, &before, &after, &w->machine, limit);
    report_all(w, limit);
    return SN_OK;
}

static sn_status run_shot(frame_work *w)
{
    sn_process_reset_peak();
    sn_memory_reset_peak();
    w->process_before = (double)sn_process_peak();
    SN_TRY(sn_shot_create(w->bench->comm, &w->scene, &w->shot));
    w->elements = (double)sn_octree_count(&w->shot.model.forest.level[0]).elements;
    sn_shot_frames_create(&w->shot, w->folder.path, &w->output);
    sn_status status = run_frames(w);
    sn_shot_frames_free(&w->output);
    sn_shot_free(&w->shot);
    return status;
}

static sn_status run_way(frame_work *w)
{
    SN_TRY(read_scene(w));
    sn_status status = run_shot(w);
    sn_scene_free(&w->scene);
    return status;
}

static sn_status run(frame_work *w, double asked)
{
    MPI_Comm comm = w->bench->comm;
    w->machine = (sn_machine_limits){.bandwidth = sn_bench_triad(comm, TRIAD_COUNT),
                                     .arithmetic = sn_bench_arithmetic(comm)};
    /* With a few elements under it, the usual skin would be all that takes time. */
    w->mesh = asked < FEW_ELEMENTS ? COARSE_MESH : MESH;
    SN_TRY(choose_cell(comm, w->mesh, asked, &w->cell));
    sn_status status = SN_OK;
    for (int i = 0; i < WAYS && status == SN_OK; i++) {
        w->way = &ways[i];
        status = run_way(w);
    }
    return status;
}

sn_status sn_bench_frame(const sn_bench *bench)
{
    size_t asked = bench->size ? bench->size : DEFAULT_ELEMENTS;
    if (asked < LEAST_ELEMENTS)
        return SN_FAIL(SN_BAD_INPUT, "bench frame: --size is the elements: from %d on, not %zu",
                       LEAST_ELEMENTS, asked);
    frame_work *w = SN_NEW_ZERO(frame_work, 1); /* a shot must not move, and is large */
    w->bench = bench;
    sn_status status = sn_temporary_folder_make(bench->comm, ".", &w->folder);
    if (status == SN_OK) {
        status = run(w, (double)asked);
        sn_temporary_folder_remove(&w->folder);
    }
    sn_free(w);
    return status;
}
