/* A scene whose paths do not depend on where it is read from. */
#include "io/scene/scene.h"

#include "base/digest.h"
#include "io/schema/origin.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* What is done with each file that a scene reads; *text may be NULL. */
typedef sn_status visitor(const sn_scene *scene, void *context, char **text);

static sn_status make_absolute(const sn_scene *scene, void *context, char **text)
{
    (void)context;
    if (!*text || (*text)[0] == '/' || strncmp(*text, "builtin:", 8) == 0)
        return SN_OK;
    char path[PATH_MAX], here[PATH_MAX], whole[2 * PATH_MAX];
    SN_TRY(sn_origin_path(&scene->origin, *text, path, sizeof path));
    if (path[0] == '/') {
        snprintf(whole, sizeof whole, "%s", path);
    } else {
        if (!getcwd(here, sizeof here))
            return SN_FAIL(SN_MACHINE, "the current folder has no name: %s", strerror(errno));
        snprintf(whole, sizeof whole, "%s/%s", here, path);
    }
    sn_free(*text);
    *text = sn_copy_text(whole);
    return SN_OK;
}

static sn_status visit_motion(const sn_scene *scene, visitor *visit, void *context,
                              sn_motion *motion)
{
    SN_TRY(visit(scene, context, &motion->bvh));
    SN_TRY(visit(scene, context, &motion->gltf));
    SN_TRY(visit(scene, context, &motion->csv));
    return visit(scene, context, &motion->sequence);
}

static sn_status visit_body(const sn_scene *scene, visitor *visit, void *context,
                            sn_body_settings *body)
{
    SN_TRY(visit(scene, context, &body->mesh));
    for (size_t r = 0; r < body->material.regions.count; r++)
        SN_TRY(visit(scene, context, &body->material.regions.data[r].region.mesh));
    return SN_OK;
}

static sn_status visit_inputs(const sn_scene *scene, visitor *visit, void *context)
{
    for (size_t i = 0; i < scene->bodies.count; i++)
        SN_TRY(visit_body(scene, visit, context, &scene->bodies.data[i]));
    for (size_t i = 0; i < scene->bones.count; i++) {
        SN_TRY(visit(scene, context, &scene->bones.data[i].mesh));
        SN_TRY(visit(scene, context, &scene->bones.data[i].from));
        SN_TRY(visit_motion(scene, visit, context, &scene->bones.data[i].motion));
    }
    for (size_t i = 0; i < scene->pins.count; i++) {
        SN_TRY(visit(scene, context, &scene->pins.data[i].region.mesh));
        SN_TRY(visit_motion(scene, visit, context, &scene->pins.data[i].motion));
    }
    for (size_t i = 0; i < scene->colliders.count; i++) {
        SN_TRY(visit(scene, context, &scene->colliders.data[i].shape.mesh));
        SN_TRY(visit_motion(scene, visit, context, &scene->colliders.data[i].motion));
    }
    return SN_OK;
}

sn_status sn_scene_absolute_paths(sn_scene *scene)
{
    SN_TRY(visit_inputs(scene, make_absolute, NULL));
    return make_absolute(scene, NULL, &scene->output.dir);
}

/* ---- What the files hold ---- */

typedef SN_VECTOR(char) text_vector;

static bool digest_file(const char *path, uint64_t *digest)
{
    enum { BLOCK_BYTES = 1 << 20 };
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    char *block = SN_NEW(char, BLOCK_BYTES);
    size_t got;
    *digest = 0;
    for (uint64_t b = 0; (got = fread(block, 1, BLOCK_BYTES, file)) > 0; b++)
        sn_digest_add(digest, b, block, got);
    bool whole = !ferror(file); /* a folder can be opened, but not read */
    sn_free(block);
    fclose(file);
    return whole;
}

/* Names that stand for several files have no digest. */
static sn_status note_digest(const sn_scene *scene, void *context, char **text)
{
    (void)scene;
    text_vector *list = context;
    uint64_t digest;
    if (!*text || (*text)[0] != '/' || !digest_file(*text, &digest))
        return SN_OK;
    size_t room = strlen(*text) + 32;
    sn_reserve(list, list->count + room);
    list->count +=
        (size_t)snprintf(list->data + list->count, room, "%016" PRIx64 " %s\n", digest, *text);
    return SN_OK;
}

char *sn_scene_input_digests(const sn_scene *scene)
{
    text_vector list = {0};
    sn_status status = visit_inputs(scene, note_digest, &list);
    (void)status; /* it never fails */
    sn_push(&list, '\0');
    return list.data;
}
