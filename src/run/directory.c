#include "run/directory.h"

#include "base/holders.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/timer.h"
#include "io/text/name_list.h"
#include "io/text/part_file.h"
#include "run/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_FILE_NAME = 256, LONGEST_SHOWN = 300 };

/* ---- The place ---- */

sn_run_path sn_run_file(const sn_scene *scene, const char *name)
{
    sn_run_path file;
    snprintf(file.path, sizeof file.path, "%.*s/%.*s", SN_RUN_PATH_BYTES - LONGEST_FILE_NAME - 2,
             scene->output.dir, LONGEST_FILE_NAME, name);
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

/* ---- What is in it already ---- */

/* What a run of this scene may write. */
static sn_manifest manifest_of(const sn_scene *scene)
{
    return (sn_manifest){true, sn_frames_start(&scene->frames), scene->frames.last};
}

static int is_no_dot(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Names in their order; for free(), one by one. */
static sn_status list_names(const char *directory, struct dirent ***name, int *n)
{
    *n = scandir(directory, name, is_no_dot, alphasort);
    return *n >= 0 ? SN_OK : fail(directory, "cannot be used");
}

static void free_names(struct dirent **name, int n)
{
    for (int i = 0; i < n; i++)
        free(name[i]);
    free(name);
}

/* What would have to be written over, and is nobody's to write over. */
static sn_status check_foreign(const sn_scene *scene, const sn_manifest *old)
{
    sn_manifest new = manifest_of(scene);
    struct dirent **name;
    int n;
    sn_name_list foreign = {{0}};
    SN_TRY(list_names(scene->output.dir, &name, &n));
    for (int i = 0; i < n; i++)
        if (sn_part_stem(name[i]->d_name) == 0 && sn_manifest_has(&new, name[i]->d_name) &&
            !sn_manifest_has(old, name[i]->d_name))
            sn_name_list_add(&foreign, name[i]->d_name);
    free_names(name, n);
    if (!foreign.text[0])
        return SN_OK;
    return sn_origin_fail(&scene->origin, "output.dir",
                          "'%.*s' has files in the way that no run's " SN_MANIFEST_FILE
                          " names: %s; move them away, or choose another directory",
                          LONGEST_SHOWN, scene->output.dir, foreign.text);
}

static sn_status check_files(const sn_scene *scene, sn_run_mode *mode)
{
    sn_manifest old;
    SN_TRY(sn_manifest_read(scene->output.dir, &old));
    if (*mode == SN_RUN_GO_ON && !old.exists)
        *mode = SN_RUN_NEW;
    if (*mode != SN_RUN_GO_ON &&
        is_same_file(sn_run_file(scene, "scene.yaml").path, scene->origin.file))
        return sn_origin_fail(&scene->origin, "output.dir",
                              "the run would write over this scene; choose another directory");
    if (*mode == SN_RUN_NEW && old.exists)
        return sn_origin_fail(&scene->origin, "output.dir",
                              "'%.*s' has the files of another run: --restart goes on with it, "
                              "--overwrite starts over; or choose another directory",
                              LONGEST_SHOWN, scene->output.dir);
    return check_foreign(scene, &old);
}

/* The place itself. */
static sn_status check_place(const sn_scene *scene, bool *exists)
{
    const char *directory = scene->output.dir;
    struct stat about;
    *exists = false;
    if (strlen(directory) >= SN_RUN_PATH_BYTES - LONGEST_FILE_NAME)
        return sn_origin_fail(&scene->origin, "output.dir", "the path is too long");
    if (stat(directory, &about) != 0)
        return errno == ENOENT ? check_parent(directory) : fail(directory, "cannot be made");
    *exists = S_ISDIR(about.st_mode);
    if (!*exists)
        errno = ENOTDIR;
    return *exists && access(directory, W_OK | X_OK) == 0 ? SN_OK
                                                          : fail(directory, "cannot be used");
}

static bool is_first(const sn_hold *hold)
{
    int rank;
    MPI_Comm_rank(hold->comm, &rank);
    return rank == 0;
}

static sn_status hold_and_check(const sn_scene *scene, sn_run_mode *mode, bool by_force,
                                sn_hold *hold)
{
    SN_TRY(sn_hold_take(hold, by_force));
    SN_TRY(sn_agree(hold->comm, is_first(hold) ? check_files(scene, mode) : SN_OK));
    MPI_Bcast(mode, sizeof *mode, MPI_BYTE, 0, hold->comm);
    return SN_OK;
}

sn_status sn_run_directory_enter(const sn_scene *scene, sn_run_mode *mode, bool by_force,
                                 sn_hold *hold)
{
    bool exists = false;
    SN_TRY(sn_agree(hold->comm, is_first(hold) ? check_place(scene, &exists) : SN_OK));
    MPI_Bcast(&exists, sizeof exists, MPI_BYTE, 0, hold->comm);
    if (exists)
        return hold_and_check(scene, mode, by_force, hold);
    if (*mode == SN_RUN_GO_ON)
        *mode = SN_RUN_NEW;
    return SN_OK;
}

/* ---- Opening it ---- */

/* Half written files are of runs that are gone, because this one holds the directory. */
static bool is_to_go(const char *name, const sn_manifest *old, const sn_manifest *new,
                     sn_run_mode mode)
{
    if (sn_part_stem(name) > 0)
        return sn_manifest_has(old, name) || sn_manifest_has(new, name);
    return mode == SN_RUN_OVERWRITE && strcmp(name, SN_MANIFEST_FILE) != 0 &&
           sn_manifest_has(old, name);
}

static sn_status remove_old_files(const sn_scene *scene, const sn_manifest *old, sn_run_mode mode)
{
    sn_manifest new = manifest_of(scene);
    struct dirent **name;
    int n;
    sn_status status = SN_OK;
    SN_TRY(list_names(scene->output.dir, &name, &n));
    for (int i = 0; i < n && status == SN_OK; i++) {
        sn_run_path file = sn_run_file(scene, name[i]->d_name);
        if (is_to_go(name[i]->d_name, old, &new, mode) && unlink(file.path) != 0)
            status = fail(file.path, "cannot be removed");
    }
    free_names(name, n);
    return status;
}

static sn_status write_scene(const sn_scene *scene)
{
    sn_part_file file;
    SN_TRY(sn_part_file_open(sn_run_file(scene, "scene.yaml").path, &file));
    sn_scene_write(scene, file.stream);
    return sn_part_file_finish(&file, SN_OK);
}

/* The manifest is there before what it names, and stays until that is gone. */
static sn_status fill(const sn_scene *scene, sn_run_mode mode, sn_hold *hold)
{
    sn_manifest old, new = manifest_of(scene);
    SN_TRY(sn_manifest_read(scene->output.dir, &old));
    SN_TRY(remove_old_files(scene, &old, mode));
    if (mode == SN_RUN_GO_ON)
        new = sn_manifest_join(&old, &new);
    SN_TRY(sn_manifest_write(scene->output.dir, &new));
    sn_hold_begun(hold, SN_MANIFEST_FILE);
    SN_TRY(write_scene(scene));
    sn_log_keep(sn_run_file(scene, "log.txt").path);
    return SN_OK;
}

static sn_status make(const char *directory)
{
    return mkdir(directory, 0777) == 0 || errno == EEXIST ? SN_OK
                                                          : fail(directory, "cannot be made");
}

sn_status sn_run_directory_open(const sn_scene *scene, sn_run_mode mode, sn_hold *hold)
{
    SN_TRY(sn_agree(hold->comm, is_first(hold) ? make(scene->output.dir) : SN_OK));
    SN_TRY(hold_and_check(scene, &mode, false, hold)); /* it may have been made meanwhile */
    return sn_agree(hold->comm, is_first(hold) ? fill(scene, mode, hold) : SN_OK);
}

/* ---- Timing ---- */

sn_status sn_run_directory_timing(MPI_Comm comm, const sn_scene *scene)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_part_file file = {0};
    sn_run_path table = sn_run_file(scene, "timing.csv");
    SN_TRY(sn_agree(comm, rank == 0 ? sn_part_file_open(table.path, &file) : SN_OK));
    sn_timer_write_csv(comm, file.stream);
    sn_holders_write_csv(comm, file.stream);
    sn_process_peaks_write_csv(comm, file.stream);
    return sn_agree(comm, rank == 0 ? sn_part_file_finish(&file, SN_OK) : SN_OK);
}
