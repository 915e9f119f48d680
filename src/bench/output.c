/* `sinew bench output`: what frames and checkpoints cost.
 *
 * A ball falls around its pinned core. Each kind of file is written to the working directory, and
 * beside it, as dd would do it, a copy: one process, large blocks, and fsync at the end of both.
 * The copy's rate is the limit. Bytes are those on the disk, which are compressed. Last comes what
 * a shot pays, as a part of the time that the frame takes to solve: for its surface every frame and
 * a checkpoint every tenth, and for the cells with all fields if it wants them. */
#include "base/array.h"
#include "base/log.h"
#include "bench/bench.h"
#include "io/frames/files.h"
#include "io/text/temporary_folder.h"
#include "shot/checkpoint/checkpoint.h"
#include "shot/output/frames.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_CELLS = 128, LEAST_CELLS = 4, MOST_CELLS = 16384 };
enum { REPETITIONS = 2, FRAMES_A_CHECKPOINT = 10, PATH_BYTES = 2048 };
static const double SHARE_ALLOWED = 0.05;

typedef struct {
    const sn_bench *bench;
    sn_temporary_folder folder;
    sn_scene scene;
    sn_shot shot;
    sn_frame_rows rows;
    sn_shot_frames frames;
    int frame;
    char checkpoint[PATH_BYTES];
} output_work;

/* ---- What is timed ---- */

static sn_status write_surface(output_work *w)
{
    return sn_shot_frames_write_surface(&w->frames, w->frame);
}

static sn_status write_octree(output_work *w)
{
    return sn_shot_frames_write_cells(&w->frames, w->frame);
}

static sn_status write_checkpoint(output_work *w)
{
    return sn_checkpoint_write(&w->shot, &w->rows, w->checkpoint);
}

/* ---- The plain copy ---- */

static bool copy_blocks(int from, int to, double *bytes)
{
    enum { BLOCK = 1 << 20 };
    char *block = SN_NEW(char, BLOCK);
    ssize_t n;
    *bytes = 0;
    while ((n = read(from, block, BLOCK)) > 0 && write(to, block, (size_t)n) == n)
        *bytes += (double)n;
    bool done = n == 0 && fsync(to) == 0;
    sn_free(block);
    return done;
}

static sn_status copy_plainly(const char *path, double *bytes)
{
    char copy[PATH_BYTES + 8];
    snprintf(copy, sizeof copy, "%s.copy", path);
    int from = open(path, O_RDONLY | O_CLOEXEC);
    int to = open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool done = from >= 0 && to >= 0 && copy_blocks(from, to, bytes);
    int reason = errno;
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    unlink(copy);
    return done ? SN_OK : SN_FAIL(SN_MACHINE, "%s: cannot be copied: %s", path, strerror(reason));
}

/* ---- Timing ---- */

typedef struct {
    double seconds, plain_seconds, bytes; /* the best of all repetitions */
} written;

static double slowest_since(MPI_Comm comm, double start)
{
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    return seconds;
}

static sn_status time_once(output_work *w, sn_status (*work)(output_work *w), const char *path,
                           written *best)
{
    MPI_Comm comm = w->bench->comm;
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Barrier(comm);
    double start = MPI_Wtime();
    SN_TRY(work(w));
    best->seconds = fmin(best->seconds, slowest_since(comm, start));
    start = MPI_Wtime();
    SN_TRY(sn_agree(comm, rank == 0 ? copy_plainly(path, &best->bytes) : SN_OK));
    best->plain_seconds = fmin(best->plain_seconds, slowest_since(comm, start));
    MPI_Bcast(&best->bytes, 1, MPI_DOUBLE, 0, comm);
    return SN_OK;
}

static sn_status time_and_report(output_work *w, const char *name,
                                 sn_status (*work)(output_work *w), const char *path,
                                 double *seconds)
{
    written best = {INFINITY, INFINITY, 0};
    char figure[64];
    for (int i = 0; i < REPETITIONS; i++)
        SN_TRY(time_once(w, work, path, &best));
    double megabytes = best.bytes * 1e-6;
    snprintf(figure, sizeof figure, "output/%s", name);
    sn_bench_report(w->bench, figure, megabytes / best.seconds, "MB/s",
                    megabytes / best.plain_seconds);
    snprintf(figure, sizeof figure, "output/%s/time", name);
    sn_bench_report(w->bench, figure, best.seconds, "s", best.plain_seconds);
    sn_info("%s: %.1f MB", path, megabytes);
    *seconds = best.seconds;
    return SN_OK;
}

static sn_status report_all(output_work *w, double solve)
{
    double surface, octree, checkpoint;
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", w->folder.path,
             sn_frame_file_of(SN_SURFACE_FRAMES, w->frame).text);
    SN_TRY(time_and_report(w, "surface", write_surface, path, &surface));
    SN_TRY(time_and_report(w, "checkpoint", write_checkpoint, w->checkpoint, &checkpoint));
    snprintf(path, sizeof path, "%s/%s", w->folder.path,
             sn_frame_file_of(SN_OCTREE_FRAMES, w->frame).text);
    SN_TRY(time_and_report(w, "octree", write_octree, path, &octree));
    sn_info("the frame took %.1f s to solve", solve);
    sn_bench_report(w->bench, "output/share-of-frame",
                    (surface + checkpoint / FRAMES_A_CHECKPOINT) / solve, "of solve",
                    SHARE_ALLOWED);
    sn_bench_report(w->bench, "output/octree/share-of-frame", octree / solve, "of solve",
                    SHARE_ALLOWED);
    return SN_OK;
}

/* ---- The shot ---- */

static sn_status read_scene(output_work *w, int cells)
{
    char text[1024 + SN_TEMPORARY_FOLDER_BYTES];
    int detail = cells / 4; /* triangles are larger than cells, as those of render meshes are */
    int n = snprintf(text, sizeof text,
                     "frames: {first: 1, last: 2}\n"
                     "bodies: [{name: ball, mesh: 'builtin:sphere,radius=0.5,detail=%d', "
                     "cell: %.17g}]\n"
                     "pins: [{name: core, body: ball, region: {sphere: {center: [0, 0, 0], "
                     "radius: 0.2}}}]\n"
                     "output: {octree: true, dir: '%s'}\n",
                     detail < 4 ? 4 : detail, 1.0 / cells, w->folder.path);
    return sn_scene_read_text("bench output", text, (size_t)n, &w->scene);
}

static sn_status advance(output_work *w, double *seconds)
{
    for (w->frame = w->scene.frames.first;; w->frame++) {
        sn_frame_row row;
        double start = MPI_Wtime();
        SN_TRY(sn_shot_advance(&w->shot, w->frame, &row));
        *seconds = slowest_since(w->bench->comm, start);
        sn_push(&w->rows, row);
        if (w->frame == w->scene.frames.last)
            return SN_OK;
    }
}

static sn_status run_shot(output_work *w)
{
    SN_TRY(sn_shot_create(w->bench->comm, &w->scene, &w->shot));
    sn_info("%lld elements, %lld vertices",
            (long long)sn_octree_count(&w->shot.model.forest.level[0]).elements,
            (long long)sn_embedding_vertices(&w->shot.built.embedding));
    sn_shot_frames_create(&w->shot, w->folder.path, &w->frames);
    double seconds;
    sn_status status = advance(w, &seconds);
    if (status == SN_OK)
        status = report_all(w, seconds);
    sn_shot_frames_free(&w->frames);
    sn_vector_free(&w->rows);
    sn_shot_free(&w->shot);
    return status;
}

static sn_status run_scene(output_work *w, int cells)
{
    snprintf(w->checkpoint, sizeof w->checkpoint, "%s/checkpoint.h5", w->folder.path);
    SN_TRY(read_scene(w, cells));
    sn_status status = run_shot(w);
    sn_scene_free(&w->scene);
    return status;
}

sn_status sn_bench_output(const sn_bench *bench)
{
    size_t cells = bench->size ? bench->size : DEFAULT_CELLS;
    if (cells < LEAST_CELLS || cells > MOST_CELLS)
        return SN_FAIL(SN_BAD_INPUT,
                       "bench output: --size is the cells across a ball: from %d to %d, not %zu",
                       LEAST_CELLS, MOST_CELLS, cells);
    output_work *w = SN_NEW_ZERO(output_work, 1); /* a shot must not move, and is large */
    w->bench = bench;
    sn_status status = sn_temporary_folder_make(bench->comm, ".", &w->folder);
    if (status == SN_OK) {
        status = run_scene(w, (int)cells);
        sn_temporary_folder_remove(&w->folder);
    }
    sn_free(w);
    return status;
}
