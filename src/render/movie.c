#include "render/movie.h"

#include "base/array.h"
#include "io/text/part_file.h"
#include "io/text/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };
static const char PROGRAM[] = "ffmpeg";

extern char **environ;

static bool is_in(const char *folder, size_t length)
{
    char path[PATH_BYTES];
    int bytes = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, PROGRAM);
    return length > 0 && bytes < PATH_BYTES && access(path, X_OK) == 0;
}

sn_status sn_movie_check(void)
{
    const char *at = getenv("PATH");
    while (at) {
        size_t length = strcspn(at, ":");
        if (is_in(at, length))
            return SN_OK;
        at = at[length] ? at + length + 1 : NULL;
    }
    return SN_FAIL(SN_MACHINE, "render: --movie needs %s, which is not on the PATH", PROGRAM);
}

/* ---- The process ---- */

static sn_status start(const char *part, double fps, pid_t *child, int *to)
{
    char rate[32];
    int ends[2];
    snprintf(rate, sizeof rate, "%.9g", fps);
    const char *arguments[] = {PROGRAM,      "-y",
                               "-loglevel",  "error",
                               "-f",         "image2pipe",
                               "-framerate", rate,
                               "-c:v",       "png",
                               "-i",         "-",
                               "-vf",        "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                               "-pix_fmt",   "yuv420p",
                               "-f",         "mp4",
                               part,         NULL};
    if (pipe(ends) != 0)
        return SN_FAIL(SN_MACHINE, "no pipe to %s: %s", PROGRAM, strerror(errno));
    fcntl(ends[1], F_SETFD, FD_CLOEXEC); /* or it would wait for its own end */
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    int error = posix_spawnp(child, PROGRAM, &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    *to = ends[1];
    if (error != 0)
        close(ends[1]);
    return error == 0 ? SN_OK
                      : SN_FAIL(SN_MACHINE, "%s cannot be started: %s", PROGRAM, strerror(error));
}

/* False if nobody reads any more; then the process says why. */
static bool send(int to, const sn_whole_file *file)
{
    for (size_t done = 0; done < file->bytes;) {
        ssize_t wrote = write(to, file->data + done, file->bytes - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return false;
        done += (size_t)wrote;
    }
    return true;
}

static sn_status send_all(int to, const char *const *picture, int n)
{
    bool reads = true;
    for (int i = 0; i < n && reads; i++) {
        sn_whole_file file;
        SN_TRY(sn_whole_file_read(picture[i], &file));
        reads = send(to, &file);
        sn_whole_file_free(&file);
    }
    return SN_OK;
}

static bool ended_well(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static sn_status make(const char *part, double fps, const char *const *picture, int n)
{
    pid_t child;
    int to = -1;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    SN_TRY(start(part, fps, &child, &to));
    sigaction(SIGPIPE, &ignore, &before); /* it may end before it has read all */
    sn_status status = send_all(to, picture, n);
    close(to);
    bool well = ended_well(child);
    sigaction(SIGPIPE, &before, NULL);
    if (status == SN_OK && !well)
        status = SN_FAIL(SN_MACHINE, "%s could not make the movie", PROGRAM);
    return status;
}

sn_status sn_movie_write(const char *path, double fps, const char *const *picture, int n)
{
    char *part = sn_part_path(path);
    int descriptor = sn_part_make(part); /* a new file: what it is given is no link */
    sn_status status = SN_OK;
    if (descriptor < 0)
        status = SN_FAIL(SN_MACHINE, "%s: cannot be written: %s", path, strerror(errno));
    else
        close(descriptor);
    if (status == SN_OK)
        status = make(part, fps, picture, n);
    if (status == SN_OK && rename(part, path) != 0)
        status = SN_FAIL(SN_MACHINE, "%s: cannot be written: %s", path, strerror(errno));
    if (status != SN_OK)
        unlink(part);
    sn_free(part);
    return status;
}
