#include "base/log.h"
#include "io/scene/schema.h"

#include <ctype.h>
#include <string.h>

/* What does not change a frame. */
static const char *const FREE_TO_CHANGE[] = {"name", "frames.last", "partition", "output", NULL};

sn_status sn_scene_check_continues(const sn_scene *before, const sn_scene *now)
{
    sn_difference d;
    if (!sn_section_differs(&sn_scene_section, before, now, FREE_TO_CHANGE, &d))
        return SN_OK;
    return sn_origin_fail(&now->origin, d.path, "is %s now and was %s: that would be another shot",
                          d.now, d.before);
}

/* ---- Changes on the way ---- */

/* What a state says nothing about: keys or whole sections, of any entry of a list. */
static const char *const CHANGEABLE[] = {"gravity",
                                         "bodies.material",
                                         "bones.motion",
                                         "bones.stiffness",
                                         "pins.motion",
                                         "colliders.motion",
                                         "colliders.friction",
                                         "colliders.pressure",
                                         "colliders.stiffness",
                                         "colliders.tangential_pressure",
                                         "colliders.tangential_stiffness",
                                         "self_collision.friction",
                                         "self_collision.pressure",
                                         "self_collision.stiffness",
                                         "self_collision.tangential_pressure",
                                         "self_collision.tangential_stiffness",
                                         "solver.newton",
                                         "solver.linear"};

/* bones[3].motion.keys[0].frame becomes bones.motion.keys.frame. */
static void without_indices(const char *path, char *key)
{
    bool inside = false;
    for (; *path; path++) {
        inside = inside || *path == '[';
        if (!inside)
            *key++ = *path;
        inside = inside && *path != ']';
    }
    *key = '\0';
}

static bool is_in(const char *key, const char *section)
{
    size_t length = strlen(section);
    return strncmp(key, section, length) == 0 && (key[length] == '.' || key[length] == '\0');
}

/* Meshes of a sequence have triangles of their own, which contacts remember. */
static bool is_of_sequence(const sn_difference *d, const char *key)
{
    static const char kind[] = "sequence";
    size_t length = strlen(key), end = strlen(kind);
    return strcmp(d->before, kind) == 0 || strcmp(d->now, kind) == 0 ||
           (length > end && strcmp(key + length - end, kind) == 0);
}

typedef struct {
    const sn_scene *before, *now;
    sn_difference refused;
} change_check;

static bool may_change(const change_check *check, const sn_difference *d)
{
    char key[sizeof d->path];
    without_indices(d->path, key);
    if (strcmp(d->path, "colliders") == 0)
        return check->now->colliders.count > check->before->colliders.count;
    if (is_of_sequence(d, key))
        return false;
    for (size_t i = 0; i < sizeof CHANGEABLE / sizeof *CHANGEABLE; i++)
        if (is_in(key, CHANGEABLE[i]))
            return true;
    return false;
}

static bool find_refused(const sn_difference *d, void *context)
{
    change_check *check = context;
    check->refused = *d;
    return !may_change(check, d);
}

static bool note(const sn_difference *d, void *context)
{
    (void)context;
    sn_info("changed: %s is %s, was %s", d->path, d->now, d->before);
    return false;
}

sn_status sn_scene_check_changes(const sn_scene *before, const sn_scene *now)
{
    change_check check = {.before = before, .now = now};
    if (sn_section_visit_differences(&sn_scene_section, before, now, FREE_TO_CHANGE, find_refused,
                                     &check))
        return sn_origin_fail(&now->origin, check.refused.path,
                              "is %s now and was %s, which cannot change on the way",
                              check.refused.now, check.refused.before);
    sn_section_visit_differences(&sn_scene_section, before, now, FREE_TO_CHANGE, note, NULL);
    return SN_OK;
}

/* ---- The files ---- */

enum { DIGEST_LETTERS = 16 };

/* A line of a list: a digest, a blank, a path. */
typedef struct {
    const char *digest, *path;
    size_t path_bytes;
} input_line;

static bool next_line(const char **list, input_line *line)
{
    size_t bytes = strcspn(*list, "\n");
    if (bytes <= DIGEST_LETTERS)
        return false;
    *line = (input_line){*list, *list + DIGEST_LETTERS + 1, bytes - DIGEST_LETTERS - 1};
    *list += bytes + ((*list)[bytes] == '\n');
    return true;
}

static bool same_path(const input_line *a, const input_line *b)
{
    return a->path_bytes == b->path_bytes && memcmp(a->path, b->path, a->path_bytes) == 0;
}

/* A file that one of the lists does not name is a difference of the scenes. */
static bool has_changed(const char *before, const input_line *now)
{
    input_line line;
    while (next_line(&before, &line))
        if (same_path(&line, now))
            return memcmp(line.digest, now->digest, DIGEST_LETTERS) != 0;
    return false;
}

static bool is_path(const char *text, const input_line *line)
{
    return text && strlen(text) == line->path_bytes &&
           memcmp(text, line->path, line->path_bytes) == 0;
}

static bool is_mesh(const sn_scene *scene, const input_line *line)
{
    bool found = false;
    for (size_t i = 0; i < scene->bodies.count; i++)
        found = found || is_path(scene->bodies.data[i].mesh, line);
    for (size_t i = 0; i < scene->bones.count; i++)
        found = found || is_path(scene->bones.data[i].mesh, line);
    for (size_t i = 0; i < scene->pins.count; i++)
        found = found || is_path(scene->pins.data[i].region.mesh, line);
    for (size_t i = 0; i < scene->colliders.count; i++)
        found = found || is_path(scene->colliders.data[i].shape.mesh, line);
    return found;
}

static sn_status check_input(const sn_scene *scene, const input_line *line, const char *written,
                             bool may_change)
{
    if (!may_change)
        return SN_FAIL(SN_BAD_INPUT, "%.*s: has changed since %s was written",
                       (int)line->path_bytes, line->path, written);
    if (is_mesh(scene, line))
        return SN_FAIL(SN_BAD_INPUT,
                       "%.*s: has changed since %s was written, and meshes cannot change on the "
                       "way",
                       (int)line->path_bytes, line->path, written);
    sn_info("changed: the file %.*s", (int)line->path_bytes, line->path);
    return SN_OK;
}

sn_status sn_scene_check_inputs(const sn_scene *scene, const char *before, const char *written,
                                bool may_change)
{
    char *now = sn_scene_input_digests(scene);
    const char *rest = now;
    input_line line;
    sn_status status = SN_OK;
    while (status == SN_OK && next_line(&rest, &line))
        if (has_changed(before, &line))
            status = check_input(scene, &line, written, may_change);
    sn_free(now);
    return status;
}
