#include "cli/run_directory.h"

#include "base/log.h"
#include "base/timer.h"
#include "io/surface_read.h"
#include "io/surface_write.h"

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
    if (n == 0)
        return SN_OK;
    return sn_scene_fail(scene, "output.dir",
                         "'%.*s' has frames of another run; choose another directory, or give "
                         "--overwrite",
                         LONGEST_SHOWN, scene->output.dir);
}

/* What is in the directory already. */
static sn_status check_files(const sn_scene *scene, bool overwrite)
{
    static const char *const files[] = {"scene.yaml", "frames.csv"};
    if (is_same_file(sn_run_file(scene, "scene.yaml").path, scene->origin.file))
        return sn_scene_fail(scene, "output.dir",
                             "the run would write over this scene; choose another directory");
    for (int i = 0; i < 2 && !overwrite; i++)
        if (access(sn_run_file(scene, files[i]).path, F_OK) == 0)
            return sn_scene_fail(scene, "output.dir",
                                 "'%.*s' has a %s of another run; choose another directory, or "
                                 "give --overwrite",
                                 LONGEST_SHOWN, scene->output.dir, files[i]);
    return overwrite ? SN_OK : check_frames(scene);
}

static sn_status check(const sn_scene *scene, bool overwrite)
{
    const char *directory = scene->output.dir;
    if (strlen(directory) >= SN_RUN_PATH_BYTES - LONGEST_FILE_NAME)
        return sn_scene_fail(scene, "output.dir", "the path is too long");
    struct stat about;
    if (stat(directory, &about) != 0)
        return errno == ENOENT ? check_parent(directory) : fail(directory, "cannot be made");
    bool is_file = !S_ISDIR(about.st_mode);
    if (is_file)
        errno = ENOTDIR;
    if (is_file || access(directory, W_OK | X_OK) != 0)
        return fail(directory, "cannot be used");
    return check_files(scene, overwrite);
}

sn_status sn_run_directory_check(MPI_Comm comm, const sn_scene *scene, bool overwrite)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return sn_agree(comm, rank == 0 ? check(scene, overwrite) : SN_OK);
}

static bool is_frame_file(const char *name)
{
    return (strncmp(name, "surface_", 8) == 0 && strstr(name, ".vtkhdf")) ||
           strcmp(name, SN_SURFACE_SERIES_FILE) == 0;
}

/* What would be mistaken for this run's. The check has seen to it that this is wanted. */
static sn_status remove_old_frames(const sn_scene *scene)
{
    DIR *directory = opendir(scene->output.dir);
    if (!directory)
        return fail(scene->output.dir, "cannot be used");
    sn_status status = SN_OK;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        if (is_frame_file(entry->d_name) && unlinkat(dirfd(directory), entry->d_name, 0) != 0)
            status = fail(scene->output.dir, "old frames cannot be removed");
    closedir(directory);
    return status;
}

static sn_status make(const sn_scene *scene)
{
    if (mkdir(scene->output.dir, 0777) != 0 && errno != EEXIST)
        return fail(scene->output.dir, "cannot be made");
    SN_TRY(remove_old_frames(scene));
    sn_run_path copy = sn_run_file(scene, "scene.yaml");
    FILE *file = fopen(copy.path, "w");
    if (!file)
        return fail(copy.path, "cannot be written");
    sn_status status = sn_scene_write(scene, file);
    if (fclose(file) != 0 || status != SN_OK)
        return fail(copy.path, "cannot be written");
    sn_log_keep(sn_run_file(scene, "log.txt").path);
    return SN_OK;
}

sn_status sn_run_directory_open(MPI_Comm comm, const sn_scene *scene)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return sn_agree(comm, rank == 0 ? make(scene) : SN_OK);
}

sn_status sn_run_directory_timing(MPI_Comm comm, const sn_scene *scene)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_run_path table = sn_run_file(scene, "timing.csv");
    FILE *file = rank == 0 ? fopen(table.path, "w") : NULL;
    SN_TRY(sn_agree(comm, rank == 0 && !file ? fail(table.path, "cannot be written") : SN_OK));
    sn_timer_write_csv(comm, file);
    return sn_agree(comm,
                    file && fclose(file) != 0 ? fail(table.path, "cannot be written") : SN_OK);
}
