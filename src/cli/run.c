#include "base/log.h"
#include "base/timer.h"
#include "cli/command.h"
#include "render/preview.h"
#include "shot/shot.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { PREVIEW_WIDTH = 960, PREVIEW_HEIGHT = 600 };

typedef struct {
    const char *scene_path;
    bool dry_run, preview;
    SN_VECTOR(const char *) overrides;
} run_arguments;

static void print_help(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank != 0)
        return;
    printf("usage: sinew run SCENE.yaml [-P key=value ...] [--dry-run] [--preview]\n\n"
           "Simulates a scene, frame by frame. The run directory (output.dir, relative to the\n"
           "scene) gets scene.yaml with every parameter as used, and frames.csv with a row a\n"
           "frame.\n\n"
           "  -P key=value  override a key of the scene, e.g. -P frames.last=10\n"
           "  --dry-run     build everything, simulate and write nothing\n"
           "  --preview     a picture of the surface for each frame, preview_0001.png ...\n\n"
           "Exit status 4 means that a frame missed its tolerance or could not be solved; the\n"
           "message names the first one.\n");
}

static sn_status parse_arguments(int argc, char **argv, run_arguments *a)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--dry-run") == 0)
            a->dry_run = true;
        else if (strcmp(argv[i], "--preview") == 0)
            a->preview = true;
        else if (strcmp(argv[i], "-P") == 0) {
            if (!argv[i + 1])
                return SN_FAIL(SN_BAD_INPUT, "run: -P needs a key and a value");
            sn_push(&a->overrides, argv[++i]);
        } else if (argv[i][0] == '-')
            return SN_FAIL(SN_BAD_INPUT, "run: unknown option '%s'; see 'sinew run --help'",
                           argv[i]);
        else if (a->scene_path)
            return SN_FAIL(SN_BAD_INPUT, "run: one scene, not '%s' and '%s'", a->scene_path,
                           argv[i]);
        else
            a->scene_path = argv[i];
    }
    if (!a->scene_path)
        return SN_FAIL(SN_BAD_INPUT, "run: which scene? see 'sinew run --help'");
    return SN_OK;
}

/* The run directory, with the scene as it is used. */
static sn_status open_directory(const sn_scene *scene, const char *directory)
{
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return SN_FAIL(SN_MACHINE, "%s: cannot be made: %s", directory, strerror(errno));
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/scene.yaml", directory) >= (int)sizeof path)
        return SN_FAIL(SN_BAD_INPUT, "%s: the name is too long", directory);
    FILE *file = fopen(path, "w");
    if (!file)
        return SN_FAIL(SN_MACHINE, "%s: cannot be written: %s", path, strerror(errno));
    sn_status status = sn_scene_write(scene, file);
    if (fclose(file) != 0 && status == SN_OK)
        status = SN_FAIL(SN_MACHINE, "%s: cannot be written: %s", path, strerror(errno));
    return status;
}

static void show_progress(const sn_scene *scene, const sn_frame_row *row)
{
    int left = scene->frames.last - row->frame;
    int done = row->frame - scene->frames.first + 1;
    double seconds = sn_timer_elapsed() / done * left;
    sn_info(
        "frame %d of %d: newton %d, linear %d, residual %.2e, volume %.6g%s; %.1f s, %d:%02d left",
        row->frame, scene->frames.last, row->newton, row->linear, row->residual, row->volume,
        row->inverted ? ", inverted elements" : "", row->seconds, (int)seconds / 60,
        (int)seconds % 60);
}

/* What went wrong with which frame first; reported when all is done. */
typedef struct {
    int missed, first_missed;
    double residual;
} missed_frames;

static sn_status run_frames(MPI_Comm comm, const run_arguments *a, const char *directory,
                            sn_shot *shot, missed_frames *missed)
{
    const sn_scene *scene = shot->scene;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.4000s/frames.csv", directory);
    sn_frames_csv csv;
    SN_TRY(sn_frames_csv_open(comm, path, false, &csv));
    sn_preview preview =
        sn_preview_of(sn_deformed_bounds(&shot->surface), PREVIEW_WIDTH, PREVIEW_HEIGHT);
    sn_status status = SN_OK;
    for (int frame = scene->frames.first; frame <= scene->frames.last && status == SN_OK; frame++) {
        sn_frame_row row;
        status = sn_shot_advance(shot, frame, &row);
        if (status == SN_OK && row.residual > scene->solver.newton.tolerance &&
            missed->missed++ == 0) {
            missed->first_missed = frame;
            missed->residual = row.residual;
        }
        sn_status written = sn_frames_csv_add(&csv, &row);
        if (written != SN_OK)
            status = written;
        show_progress(scene, &row);
        snprintf(path, sizeof path, "%.4000s/preview_%04d.png", directory, frame);
        if (status == SN_OK && a->preview)
            status = sn_preview_draw(&preview, &shot->surface, path);
    }
    sn_frames_csv_close(&csv);
    return status;
}

static sn_status simulate(MPI_Comm comm, const run_arguments *a, const sn_scene *scene,
                          const char *directory)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_shot shot;
    SN_TRY(sn_shot_create(comm, scene, &shot));
    sn_status status = SN_OK;
    missed_frames missed = {0};
    if (!a->dry_run) {
        status = sn_agree(comm, rank == 0 ? open_directory(scene, directory) : SN_OK);
        if (status == SN_OK)
            status = run_frames(comm, a, directory, &shot, &missed);
    }
    sn_shot_free(&shot);
    if (status == SN_OK && missed.missed > 0)
        return SN_FAIL(SN_INACCURATE,
                       "%d frames missed the tolerance of %g, the first is frame %d with a "
                       "residual of %g",
                       missed.missed, scene->solver.newton.tolerance, missed.first_missed,
                       missed.residual);
    return status;
}

static sn_status run(MPI_Comm comm, const run_arguments *a)
{
    sn_scene scene;
    SN_TRY(sn_scene_read(comm, a->scene_path, a->overrides.data, (int)a->overrides.count, &scene));
    char directory[PATH_MAX];
    sn_status status = sn_scene_path(&scene, scene.output.dir, directory, sizeof directory);
    if (status == SN_OK)
        status = simulate(comm, a, &scene, directory);
    sn_scene_free(&scene);
    return status;
}

sn_status sn_command_run(MPI_Comm comm, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help(comm);
            return SN_OK;
        }
    run_arguments arguments = {0};
    sn_status status = parse_arguments(argc, argv, &arguments);
    if (status == SN_OK)
        status = run(comm, &arguments);
    sn_vector_free(&arguments.overrides);
    return status;
}
