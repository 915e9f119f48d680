#include "base/log.h"
#include "base/timer.h"
#include "cli/command.h"
#include "cli/run_directory.h"
#include "render/preview.h"
#include "shot/frames.h"
#include "shot/shot.h"

#include <string.h>

enum { PREVIEW_WIDTH = 960, PREVIEW_HEIGHT = 600 };

typedef struct {
    const char *scene_path;
    bool dry_run, preview, overwrite;
    SN_VECTOR(const char *) overrides;
} run_arguments;

static void print_help(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank != 0)
        return;
    printf(
        "usage: sinew run SCENE.yaml [-P key=value ...] [--dry-run] [--preview] [--overwrite]\n\n"
        "Simulates a scene, frame by frame. The run directory (output.dir, relative to the\n"
        "scene) gets scene.yaml with every parameter as used and absolute paths, frames.csv\n"
        "with a row a frame, log.txt with what the terminal showed, and timing.csv at the end;\n"
        "and the deformed surface, every output.every frames: surface_0001.vtkhdf ... for\n"
        "ParaView, VTK and 'sinew export', and surface.xmf, which names them all.\n"
        "A directory that has another run's files is refused.\n\n"
        "  -P key=value  override a key of the scene, e.g. -P frames.last=10\n"
        "  --dry-run     build everything, simulate and write nothing\n"
        "  --overwrite   write over another run's files; its frames are removed\n"
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
        else if (strcmp(argv[i], "--overwrite") == 0)
            a->overwrite = true;
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

static sn_status draw_preview(const sn_preview *preview, sn_shot *shot, int frame)
{
    char name[32];
    snprintf(name, sizeof name, "preview_%04d.png", frame);
    return sn_preview_draw(preview, &shot->surface, sn_run_file(shot->scene, name).path);
}

/* Only frames that were reached get a row, after their files: a row says that all is there. */
static sn_status run_frame(sn_shot *shot, int frame, const sn_shot_frames *written,
                           sn_frames_csv *csv, missed_frames *missed)
{
    sn_frame_row row;
    SN_TRY(sn_shot_advance(shot, frame, &row));
    if (row.residual > shot->scene->solver.newton.tolerance && missed->missed++ == 0) {
        missed->first_missed = frame;
        missed->residual = row.residual;
    }
    SN_TRY(sn_shot_frames_write(written, frame));
    SN_TRY(sn_frames_csv_add(csv, &row));
    show_progress(shot->scene, &row);
    return SN_OK;
}

static sn_status run_frames(MPI_Comm comm, const run_arguments *a, sn_shot *shot,
                            missed_frames *missed)
{
    const sn_scene *scene = shot->scene;
    sn_frames_csv csv;
    SN_TRY(sn_frames_csv_open(comm, sn_run_file(scene, "frames.csv").path, false, &csv));
    sn_shot_frames written;
    sn_shot_frames_create(shot, &written);
    sn_preview preview =
        sn_preview_of(scene, sn_deformed_bounds(&shot->surface), PREVIEW_WIDTH, PREVIEW_HEIGHT);
    sn_status status = SN_OK;
    for (int frame = scene->frames.first; frame <= scene->frames.last && status == SN_OK; frame++) {
        status = run_frame(shot, frame, &written, &csv, missed);
        if (status == SN_OK && a->preview)
            status = draw_preview(&preview, shot, frame);
    }
    sn_shot_frames_free(&written);
    sn_frames_csv_close(&csv);
    return status;
}

/* The one message at the end names the first frame that went wrong. */
static sn_status judge(const sn_scene *scene, sn_status status, const missed_frames *missed)
{
    if (missed->missed == 0 || (status != SN_OK && status != SN_INACCURATE))
        return status;
    return SN_FAIL(SN_INACCURATE,
                   "%d frames missed the tolerance of %g, the first is frame %d with a residual of "
                   "%g%s%s",
                   missed->missed, scene->solver.newton.tolerance, missed->first_missed,
                   missed->residual, status == SN_OK ? "" : "; then ",
                   status == SN_OK ? "" : sn_failure_message());
}

static sn_status simulate(MPI_Comm comm, const run_arguments *a, sn_shot *shot)
{
    missed_frames missed = {0};
    SN_TRY(sn_run_directory_open(comm, shot->scene));
    sn_status status = judge(shot->scene, run_frames(comm, a, shot, &missed), &missed);
    if (status != SN_OK && status != SN_INACCURATE)
        return status;
    sn_status timing = sn_run_directory_timing(comm, shot->scene);
    return timing == SN_OK ? status : timing;
}

static sn_status run_scene(MPI_Comm comm, const run_arguments *a, sn_scene *scene)
{
    SN_TRY(sn_agree(comm, sn_scene_absolute_paths(scene)));
    if (!a->dry_run)
        SN_TRY(sn_run_directory_check(comm, scene, a->overwrite));
    sn_shot shot;
    SN_TRY(sn_shot_create(comm, scene, &shot));
    sn_status status = a->dry_run ? SN_OK : simulate(comm, a, &shot);
    sn_shot_free(&shot);
    return status;
}

static sn_status run(MPI_Comm comm, const run_arguments *a)
{
    sn_scene scene;
    SN_TRY(sn_scene_read(comm, a->scene_path, a->overrides.data, (int)a->overrides.count, &scene));
    sn_status status = run_scene(comm, a, &scene);
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
