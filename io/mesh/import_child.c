#define _GNU_SOURCE /* pipe2, environ */
#include "io/mesh/import_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_MESSAGE = 400 };

static int spawn(const char *option, const char *path, const char *const words[2], int out,
                 pid_t *process)
{
    char *const arguments[] = {(char *)"sinew",  (char *)option,   (char *)path,
                               (char *)words[0], (char *)words[1], NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    /* What a library complains about is not for the user's eyes: there is one message. */
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawn(process, "/proc/self/exe", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

sn_status sn_import_child_start(const char *option, const char *path, const char *what,
                                const char *const words[2], sn_import_child *child)
{
    int ends[2];
    *child = (sn_import_child){.path = path, .what = what};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return SN_FAIL(SN_MACHINE, "%s: cannot open a pipe: %s", path, strerror(errno));
    int error = spawn(option, path, words, ends[1], &child->process);
    close(ends[1]);
    child->pipe = error ? NULL : fdopen(ends[0], "rb");
    if (child->pipe)
        return SN_OK;
    close(ends[0]);
    return SN_FAIL(SN_MACHINE, "%s: cannot start a process that reads it: %s", path,
                   strerror(error ? error : errno));
}

bool sn_import_child_receive(sn_import_child *child, void *data, size_t bytes)
{
    return bytes == 0 || fread(data, 1, bytes, child->pipe) == bytes;
}

sn_status sn_import_child_message(sn_import_child *child, uint64_t bytes)
{
    char message[MOST_MESSAGE] = "";
    size_t most = bytes < sizeof message - 1 ? (size_t)bytes : sizeof message - 1;
    message[fread(message, 1, most, child->pipe)] = '\0';
    return SN_FAIL(SN_BAD_INPUT, "%s: cannot read the %s: %s", child->path, child->what, message);
}

/* The child writes to nobody any more. */
static int wait_for(sn_import_child *child)
{
    int end = 0;
    fclose(child->pipe);
    while (waitpid(child->process, &end, 0) < 0 && errno == EINTR)
        ;
    return end;
}

static sn_status not_whole(const sn_import_child *child, int end)
{
    int signal = WIFSIGNALED(end) ? WTERMSIG(end) : 0;
    bool too_long = signal == SIGXCPU || signal == SIGKILL || signal == SIGALRM;
    const char *why = too_long ? "takes too long on it" : signal ? "crashes on it" : "gives it up";
    return SN_FAIL(SN_BAD_INPUT, "%s: cannot read the %s: Assimp %s", child->path, child->what,
                   why);
}

sn_status sn_import_child_end(sn_import_child *child, sn_status status, bool whole)
{
    int end = wait_for(child);
    return status == SN_OK && !whole ? not_whole(child, end) : status;
}
