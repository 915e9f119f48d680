#include "io/mesh/sequence.h"

#include "io/mesh/read.h"
#include "io/schema/origin.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_DIGITS = 9 };

typedef struct {
    char text[PATH_MAX];
} file_path;

static file_path path_of(const sn_mesh_sequence *s, int64_t frame)
{
    file_path path;
    snprintf(path.text, sizeof path.text, "%.*s%0*" PRId64 "%s", (int)s->digits_at, s->pattern,
             (int)s->n_digits, frame, s->pattern + s->digits_at + s->n_digits);
    return path;
}

static sn_status parse_pattern(sn_mesh_sequence *s)
{
    const char *slash = strrchr(s->pattern, '/'), *name = slash ? slash + 1 : s->pattern;
    const char *digits = strchr(s->pattern, '#');
    size_t n = digits ? strspn(digits, "#") : 0;
    if (!digits || digits < name || strchr(digits + n, '#') || n > MOST_DIGITS)
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: expected one row of at most %d # in the file's name, as "
                       "in cloth_####.obj",
                       s->pattern, MOST_DIGITS);
    if (strlen(s->pattern) >= PATH_MAX)
        return SN_FAIL(SN_BAD_INPUT, "%.300s...: the path is too long", s->pattern);
    s->digits_at = (size_t)(digits - s->pattern);
    s->n_digits = n;
    return SN_OK;
}

/* The frame's number in a file's name; -1 if it is not of this sequence. */
static int64_t frame_in(const sn_mesh_sequence *s, size_t folder_bytes, const char *name)
{
    size_t before = s->digits_at - folder_bytes;
    const char *after = s->pattern + s->digits_at + s->n_digits;
    if (strlen(name) != before + s->n_digits + strlen(after) ||
        memcmp(name, s->pattern + folder_bytes, before) != 0 ||
        strcmp(name + before + s->n_digits, after) != 0)
        return -1;
    int64_t frame = 0;
    for (size_t i = 0; i < s->n_digits; i++) {
        char c = name[before + i];
        if (c < '0' || c > '9')
            return -1;
        frame = 10 * frame + (c - '0');
    }
    return frame;
}

static sn_status find_files(sn_mesh_sequence *s, int64_t *n_files)
{
    const char *slash = strrchr(s->pattern, '/');
    size_t folder_bytes = slash ? (size_t)(slash + 1 - s->pattern) : 0;
    file_path folder;
    snprintf(folder.text, sizeof folder.text, "%.*s", (int)folder_bytes, s->pattern);
    DIR *directory = opendir(slash ? folder.text : ".");
    if (!directory)
        return SN_FAIL(SN_BAD_INPUT, "%s: cannot open the folder: %s", s->pattern, strerror(errno));
    s->first = INT64_MAX, s->last = -1;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        int64_t frame = frame_in(s, folder_bytes, entry->d_name);
        if (frame < 0)
            continue;
        s->first = frame < s->first ? frame : s->first;
        s->last = frame > s->last ? frame : s->last;
        ++*n_files;
    }
    closedir(directory);
    return SN_OK;
}

static sn_status find_frames(sn_mesh_sequence *s)
{
    int64_t n_files = 0;
    SN_TRY(parse_pattern(s));
    SN_TRY(find_files(s, &n_files));
    if (n_files == 0)
        return SN_FAIL(SN_BAD_INPUT, "%s: there is no file like this", s->pattern);
    if (n_files == s->last - s->first + 1)
        return SN_OK;
    int64_t missing = s->first;
    while (missing < s->last && access(path_of(s, missing).text, F_OK) == 0)
        missing++;
    return SN_FAIL(SN_BAD_INPUT,
                   "%s: frame %" PRId64 " is missing, the sequence goes from %" PRId64
                   " to %" PRId64,
                   path_of(s, missing).text, missing, s->first, s->last);
}

sn_status sn_mesh_sequence_open(const char *pattern, sn_mesh_sequence *sequence)
{
    *sequence = (sn_mesh_sequence){.pattern = sn_copy_text(pattern)};
    sn_status status = find_frames(sequence);
    if (status != SN_OK)
        sn_mesh_sequence_free(sequence);
    return status;
}

void sn_mesh_sequence_free(sn_mesh_sequence *sequence)
{
    sn_free(sequence->pattern);
    *sequence = (sn_mesh_sequence){0};
}

/* However a polygon is cut, its triangles have the same corners. */
static bool has_corner(const sn_mesh *mesh, int64_t first, int64_t end, int32_t corner)
{
    for (int64_t t = first; t < end; t++)
        for (int c = 0; c < 3; c++)
            if (mesh->triangle[t][c] == corner)
                return true;
    return false;
}

static int64_t face_end(const sn_mesh *mesh, int64_t first)
{
    int64_t end = first;
    while (end < mesh->n_triangles && mesh->face[end] == mesh->face[first])
        end++;
    return end;
}

/* Index of the first triangle of a face that differs; -1 if none does. */
static int64_t differing_face(const sn_mesh *a, const sn_mesh *b)
{
    for (int64_t first = 0, end; first < a->n_triangles; first = end) {
        end = face_end(a, first);
        if (b->face[first] != a->face[first] || face_end(b, first) != end)
            return first;
        for (int64_t t = first; t < end; t++)
            for (int c = 0; c < 3; c++)
                if (!has_corner(b, first, end, a->triangle[t][c]))
                    return first;
    }
    return -1;
}

static sn_status check_like(const char *path, const sn_mesh *mesh, const sn_mesh *like)
{
    if (mesh->n_vertices != like->n_vertices)
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: has %" PRId64 " vertices, but the sequence's first frame "
                       "has %" PRId64,
                       path, mesh->n_vertices, like->n_vertices);
    if (mesh->n_triangles != like->n_triangles)
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: has %" PRId64 " triangles, but the sequence's first "
                       "frame has %" PRId64,
                       path, mesh->n_triangles, like->n_triangles);
    int64_t differs = differing_face(like, mesh);
    if (differs >= 0)
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: face %" PRId32 " has other vertices than in the "
                       "sequence's first frame",
                       path, mesh->face[differs]);
    return SN_OK;
}

sn_status sn_mesh_sequence_read(const sn_mesh_sequence *sequence, int64_t frame,
                                const sn_mesh *like, sn_mesh *mesh)
{
    file_path path = path_of(sequence, frame);
    SN_TRY(sn_mesh_read(path.text, mesh));
    sn_status status = like ? check_like(path.text, mesh, like) : SN_OK;
    if (status != SN_OK)
        sn_mesh_free(mesh);
    return status;
}
