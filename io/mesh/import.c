/* The parent of an import (io/mesh/import.h). */
#define _GNU_SOURCE /* pipe2, environ */
#include "io/mesh/import.h"

#include "io/mesh/builder.h"
#include "io/mesh/formats.h"
#include "io/mesh/import_stream.h"
#include "io/text/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_MESSAGE = 400 };

typedef struct {
    const char *path;
    pid_t child;
    FILE *pipe;
    sn_mesh_builder builder;
} import;

static int spawn(const char *path, int out, pid_t *child)
{
    char *const arguments[] = {(char *)"sinew", (char *)SN_IMPORT_OPTION, (char *)path, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    /* What a library complains about is not for the user's eyes: there is one message. */
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawn(child, "/proc/self/exe", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static sn_status start(import *i)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return SN_FAIL(SN_MACHINE, "%s: cannot open a pipe: %s", i->path, strerror(errno));
    int error = spawn(i->path, ends[1], &i->child);
    close(ends[1]);
    i->pipe = error ? NULL : fdopen(ends[0], "rb");
    if (i->pipe)
        return SN_OK;
    close(ends[0]);
    return SN_FAIL(SN_MACHINE, "%s: cannot start a process that reads it: %s", i->path,
                   strerror(error ? error : errno));
}

/* What came to an end too early is told by how the child ended. */
static bool receive(import *i, void *data, size_t bytes)
{
    return fread(data, 1, bytes, i->pipe) == bytes;
}

static sn_status receive_vertices(import *i, uint64_t n, bool *whole)
{
    double xyz[3];
    for (uint64_t v = 0; v < n && (*whole = receive(i, xyz, sizeof xyz)); v++)
        SN_TRY(sn_mesh_builder_vertex(&i->builder, 0, xyz));
    return SN_OK;
}

static void receive_uvs(import *i, uint64_t n, bool *whole)
{
    double uv[2];
    for (uint64_t v = 0; v < n && (*whole = receive(i, uv, sizeof uv)); v++)
        sn_mesh_builder_uv(&i->builder, uv);
}

static sn_status receive_corners(import *i, uint32_t n, bool *whole)
{
    uint32_t vertex;
    SN_TRY(sn_mesh_builder_face(&i->builder, 0));
    for (uint32_t c = 0; c < n && (*whole = receive(i, &vertex, sizeof vertex)); c++)
        SN_TRY(sn_mesh_builder_corner(&i->builder, 0, vertex));
    return SN_OK;
}

static sn_status receive_faces(import *i, const sn_import_head *head, bool *whole)
{
    uint32_t *count = SN_NEW(uint32_t, head->n_faces);
    sn_status status = SN_OK;
    uint64_t left = head->n_corners;
    *whole = receive(i, count, head->n_faces * sizeof *count);
    for (uint64_t f = 0; f < head->n_faces && *whole && status == SN_OK; f++) {
        *whole = count[f] <= left;
        left -= *whole ? count[f] : 0;
        status = *whole ? receive_corners(i, count[f], whole) : SN_OK;
    }
    sn_free(count);
    return status;
}

static sn_status receive_message(import *i, uint64_t bytes)
{
    char message[MOST_MESSAGE] = "";
    size_t most = bytes < sizeof message - 1 ? (size_t)bytes : sizeof message - 1;
    message[fread(message, 1, most, i->pipe)] = '\0';
    return SN_FAIL(SN_BAD_INPUT, "%s: cannot read the mesh: %s", i->path, message);
}

static sn_status receive_mesh(import *i, bool *whole)
{
    sn_import_head head;
    *whole = receive(i, &head, sizeof head) && head.n_vertices <= SN_IMPORT_MOST &&
             head.n_faces <= SN_IMPORT_MOST && head.n_corners <= SN_IMPORT_MOST;
    if (!*whole)
        return SN_OK;
    if (head.message_bytes > 0)
        return receive_message(i, head.message_bytes);
    SN_TRY(receive_vertices(i, head.n_vertices, whole));
    if (*whole && head.has_uvs)
        receive_uvs(i, head.n_vertices, whole);
    SN_TRY(*whole ? receive_faces(i, &head, whole) : SN_OK);
    if (*whole && head.has_uvs)
        sn_mesh_builder_uv_vertices(&i->builder);
    return SN_OK;
}

/* Waits for the child, which writes to nobody any more. */
static int end_of(import *i)
{
    int end = 0;
    fclose(i->pipe);
    while (waitpid(i->child, &end, 0) < 0 && errno == EINTR)
        ;
    return end;
}

static sn_status not_whole(const char *path, int end)
{
    int signal = WIFSIGNALED(end) ? WTERMSIG(end) : 0;
    bool too_long = signal == SIGXCPU || signal == SIGKILL || signal == SIGALRM;
    const char *why = too_long ? "takes too long on it" : signal ? "crashes on it" : "gives it up";
    return SN_FAIL(SN_BAD_INPUT, "%s: cannot read the mesh: Assimp %s", path, why);
}

/* Where there are as many vertices as corners these are Assimp's own, not the file's. */
static void weld(sn_mesh_builder *builder)
{
    if (builder->corner.count == builder->vertex.count)
        sn_mesh_builder_weld_corners(builder);
    else
        sn_mesh_builder_weld_split(builder);
}

sn_status sn_mesh_read_assimp(const char *path, sn_mesh *mesh)
{
    *mesh = (sn_mesh){0};
    SN_TRY(sn_whole_file_check(path));
import i = {.path = path, .builder = sn_mesh_builder_open(path, SN_PLACE_NONE, 0) };
    SN_TRY(start(&i));
    bool whole = true;
    sn_status status = receive_mesh(&i, &whole);
    int end = end_of(&i);
    if (status == SN_OK && !whole)
        status = not_whole(path, end);
    if (status == SN_OK)
        weld(&i.builder);
    return sn_mesh_builder_finish(&i.builder, status, mesh);
}
