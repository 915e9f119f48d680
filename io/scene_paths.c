/* A scene whose paths do not depend on where it is read from. */
#include "io/scene.h"

#include "io/origin.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static sn_status make_absolute(const sn_scene *scene, char **text)
{
    if (!*text || (*text)[0] == '/' || strncmp(*text, "builtin:", 8) == 0)
        return SN_OK;
    char path[PATH_MAX], here[PATH_MAX], whole[2 * PATH_MAX];
    SN_TRY(sn_scene_path(scene, *text, path, sizeof path));
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

static sn_status motion_paths(const sn_scene *scene, sn_motion *motion)
{
    SN_TRY(make_absolute(scene, &motion->bvh));
    SN_TRY(make_absolute(scene, &motion->gltf));
    SN_TRY(make_absolute(scene, &motion->csv));
    return make_absolute(scene, &motion->sequence);
}

static sn_status body_paths(const sn_scene *scene, sn_body_settings *body)
{
    SN_TRY(make_absolute(scene, &body->mesh));
    for (size_t r = 0; r < body->material.regions.count; r++)
        SN_TRY(make_absolute(scene, &body->material.regions.data[r].region.mesh));
    return SN_OK;
}

sn_status sn_scene_absolute_paths(sn_scene *scene)
{
    for (size_t i = 0; i < scene->bodies.count; i++)
        SN_TRY(body_paths(scene, &scene->bodies.data[i]));
    for (size_t i = 0; i < scene->bones.count; i++) {
        SN_TRY(make_absolute(scene, &scene->bones.data[i].mesh));
        SN_TRY(motion_paths(scene, &scene->bones.data[i].motion));
    }
    for (size_t i = 0; i < scene->pins.count; i++) {
        SN_TRY(make_absolute(scene, &scene->pins.data[i].region.mesh));
        SN_TRY(motion_paths(scene, &scene->pins.data[i].motion));
    }
    for (size_t i = 0; i < scene->colliders.count; i++) {
        SN_TRY(make_absolute(scene, &scene->colliders.data[i].shape.mesh));
        SN_TRY(motion_paths(scene, &scene->colliders.data[i].motion));
    }
    return make_absolute(scene, &scene->output.dir);
}
