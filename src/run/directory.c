#include "run/directory.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/timer.h"
#include "io/frames/surface_read.h"
#include "io/frames/surface_write.h"
#include "io/text/part_file.h"
#include "run/checkpoints.h"
#include "shot/output/frames.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_FILE_NAME = 64, LONGEST_SHOWN = 300 };

sn_run_path sn_run_file(const sn_scene *scene, const char *name)
{
    sn_run_path file;
    snprintf(file.path, sizeof file.path, "%.*s/%s", SN_RUN_PATH_BYTES - LONGEST_FILE_NAME,
             scene->output.dir, name);
    return file;
}

static sn_status fail(const char *path, const char *what)
{
    return SN_FAIL(SN_MACHINE, "%.*s: %s: %s", LONGEST_SHOWN, path, what, strerror(errno));
}

/* The folder that a new directory would be made in. */
static sn_status check_parent(const char *directory)
{
    char parent[SN_RUN_PATH_BYTES];
    snprintf(parent, sizeof parent, "%s", directory);
    size_t end = strlen(parent);
    while (end > 1 && parent[end - 1] == '/')
        end--;
    while (end > 0 && parent[end - 1] != '/')
        end--;
    parent[end] = 0;
    return access(parent, W_OK | X_OK) == 0 ? SN_OK : fail(directory, "cannot be made");
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

/* Pictures are nobody's state: they are written over without asking. */
static sn_status check_frames(const sn_scene *scene)
{
    int *frames = NULL, n = 0;
    SN_TRY(sn_surface_frames_list(scene->output.dir, &frames, &n));
    sn_free(frames);
    sn_checkpoint_list checkpoints;
    SN_TRY(sn_checkpoints_list(scene, &checkpoints));
    bool has_none = n == 0 && checkpoints.count == 0;
    sn_vector_free(&checkpoints);
    if (has_none)
        return SN_OK;
    return sn_origin_fail(
        &scene->origin, "output.dir",
        "'%.*s' has frames or checkpoints of another run; choose another directory, or give "
        "--overwrite",
        LONGEST_SHOWN, scene->output.dir);
}

/* What is in the directory already. */
static sn_status check_files(const sn_scene *scene, sn_run_mode mode)
{
    static const char *const files[] = {"scene.yaml", "frames.csv"};
    if (mode != SN_RUN_GO_ON &&
        is_same_file(sn_run_file(scene, "scene.yaml").path, scene->origin.file))
        return sn_origin_fail(&scene->origin, "output.dir",
                              "the run would write over this scene; choose another directory");
    for (int i = 0; i < 2 && mode == SN_RUN_NEW; i++)
        if (access(sn_run_file(scene, files[i]).path, F_OK) == 0)
            return sn_origin_fail(&scene->origin, "output.dir",
                                  "'%.*s' has a %s of another run; choose another directory, or "
                                  "give --overwrite",
                                  LONGEST_SHOWN, scene->output.dir, files[i]);
    return mode == SN_RUN_NEW ? check_frames(scene) : SN_OK;
}

static sn_status check(const sn_scene *scene, sn_run_mode mode)
{
    const char *directory = scene->output.dir;
    if (strlen(directory) >= SN_RUN_PATH_BYTES - LONGEST_FILE_NAME)
        return sn_origin_fail(&scene->origin, "output.dir", "the path is too long");
    struct stat about;
    if (stat(directory, &about) != 0)
        return errno == ENOENT ? check_parent(directory) : fail(directory, "cannot be made");
    bool is_file = !S_ISDIR(about.st_mode);
    if (is_file)
        errno = ENOTDIR;
    if (is_file || access(directory, W_OK | X_OK) != 0)
        return fail(directory, "cannot be used");
    return check_files(scene, mode);
}

sn_status sn_run_directory_check(MPI_Comm comm, const sn_scene *scene, sn_run_mode mode)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return sn_agree(comm, rank == 0 ? check(scene, mode) : SN_OK);
}

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

static bool is_frame_file(const char *name)
{
    bool numbered = strncmp(name, "surface_", 8) == 0 || strncmp(name, "octree_", 7) == 0;
    return (numbered && ends_with(name, ".vtkhdf")) ||
           strcmp(name, SN_SURFACE_FRAMES SN_FRAME_SERIES_ENDING) == 0 ||
           strcmp(name, SN_OCTREE_FRAMES SN_FRAME_SERIES_ENDING) == 0;
}

/* What a run that was killed had not written to the end. */
static bool is_left_over(const char *name)
{
    static const char *const ours[] = {"surface",  "octree",     "checkpoint_",
                                       "preview_", "frames.csv", "scene.yaml"};
    bool named_so = false;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        named_so = named_so || strncmp(name, ours[i], strlen(ours[i])) == 0;
    return named_so && ends_with(name, SN_PART_ENDING);
}

/* Another run's frames and checkpoints would be mistaken for this one's. The check has seen to it
 * that this is wanted. */
static bool is_to_go(const char *name, sn_run_mode mode)
{
    sn_checkpoint_name checkpoint;
    if (is_left_over(name))
        return true;
    return mode != SN_RUN_GO_ON &&
           (is_frame_file(name) || sn_checkpoint_name_read(name, &checkpoint));
}

static sn_status remove_old_files(const sn_scene *scene, sn_run_mode mode)
{
    DIR *directory = opendir(scene->output.dir);
    if (!directory)
        return fail(scene->output.dir, "cannot be used");
    sn_status status = SN_OK;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        if (is_to_go(entry->d_name, mode) && unlinkat(dirfd(directory), entry->d_name, 0) != 0)
            status = fail(scene->output.dir, "old frames cannot be removed");
    closedir(directory);
    return status;
}

static sn_status write_scene(const sn_scene *scene)
{
    sn_part_file file;
    SN_TRY(sn_part_file_open(sn_run_file(scene, "scene.yaml").path, &file));
    return sn_part_file_finish(&file, sn_scene_write(scene, file.stream));
}

static sn_status make(const sn_scene *scene, sn_run_mode mode)
{
    if (mkdir(scene->output.dir, 0777) != 0 && errno != EEXIST)
        return fail(scene->output.dir, "cannot be made");
    SN_TRY(remove_old_files(scene, mode));
    SN_TRY(write_scene(scene));
    sn_log_keep(sn_run_file(scene, "log.txt").path, mode == SN_RUN_GO_ON);
    return SN_OK;
}

sn_status sn_run_directory_open(MPI_Comm comm, const sn_scene *scene, sn_run_mode mode)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return sn_agree(comm, rank == 0 ? make(scene, mode) : SN_OK);
}

sn_status sn_run_directory_timing(MPI_Comm comm, const sn_scene *scene)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_run_path table = sn_run_file(scene, "timing.csv");
    FILE *file = rank == 0 ? fopen(table.path, "w") : NULL;
    SN_TRY(sn_agree(comm, rank == 0 && !file ? fail(table.path, "cannot be written") : SN_OK));
    sn_timer_write_csv(comm, file);
    sn_process_peaks_write_csv(comm, file);
    return sn_agree(comm,
                    file && fclose(file) != 0 ? fail(table.path, "cannot be written") : SN_OK);
}
