/* What no single row of the tables can say. */
#include "io/scene/schema.h"

#include "octree/body.h"

#include <string.h>

#define UNDER(path, key) sn_key_path("%.200s." key, path).text

sn_status sn_check_frames(const sn_origin *origin, const char *path, const void *value)
{
    const sn_frames *frames = value;
    if (frames->last < frames->first)
        return sn_origin_fail(origin, UNDER(path, "last"),
                              "expected at least the first frame, %d, got %d", frames->first,
                              frames->last);
    return SN_OK;
}

sn_status sn_check_box(const sn_origin *origin, const char *path, const void *value)
{
    const sn_shape_box *box = value;
    for (int i = 0; i < 3; i++)
        if (!(box->min[i] < box->max[i]))
            return sn_origin_fail(origin, UNDER(path, "max"),
                                  "expected more than min in %c, got %g with a min of %g", "xyz"[i],
                                  box -> max[i], box -> min[i]);
    return SN_OK;
}

sn_status sn_check_cylinder(const sn_origin *origin, const char *path, const void *value)
{
    const sn_shape_round *round = value;
    bool same = true;
    for (int i = 0; i < 3; i++)
        same = same && round->a[i] == round->b[i];
    if (same)
        return sn_origin_fail(origin, UNDER(path, "b"), "expected another point than a");
    return SN_OK;
}

sn_status sn_check_motion_key(const sn_origin *origin, const char *path, const void *value)
{
    const sn_motion_key *key = value;
    bool moved = key->rotate.given;
    for (int i = 0; i < 3; i++)
        moved = moved || key->translate[i] != 0;
    if (!isnan(key->affine[0]) && moved)
        return sn_origin_fail(origin, UNDER(path, "affine"),
                              "cannot be given together with \"translate\" or \"rotate\"");
    return SN_OK;
}

sn_status sn_check_motion(const sn_origin *origin, const char *path, const void *value)
{
    const sn_motion *motion = value;
    for (size_t i = 1; i < motion->keys.count; i++)
        if (!(motion->keys.data[i - 1].frame < motion->keys.data[i].frame))
            return sn_origin_fail(origin, sn_key_path("%.200s.keys[%zu].frame", path, i).text,
                                  "expected a frame after that of the key before it, %g, got %g",
                                  motion->keys.data[i - 1].frame, motion->keys.data[i].frame);
    return SN_OK;
}

sn_status sn_check_bone(const sn_origin *origin, const char *path, const void *value)
{
    const sn_bone *bone = value;
    if (bone->kind == SN_BONE_MESH && !bone->name)
        return sn_origin_fail(origin, UNDER(path, "name"), "missing, expected a text");
    if (bone->kind == SN_BONES_FROM && bone->name)
        return sn_origin_fail(origin, UNDER(path, "name"),
                              "goes only with mesh: bones from a file are called as its joints");
    sn_motion_kind kind = bone->motion.kind;
    if (bone->kind == SN_BONES_FROM && kind != SN_MOTION_NONE && kind != SN_MOTION_KEYS &&
        kind != SN_MOTION_BVH && kind != SN_MOTION_GLTF)
        return sn_origin_fail(origin, UNDER(path, "motion"),
                              "expected keys, bvh or gltf for the bones of a skeleton");
    return SN_OK;
}

sn_status sn_check_body(const sn_origin *origin, const char *path, const void *value)
{
    const sn_body_settings *body = value;
    if (body->coarsest < body->cell)
        return sn_origin_fail(origin, UNDER(path, "coarsest"),
                              "expected at least the finest cell, %g, got %g", body->cell,
                              body->coarsest);
    return SN_OK;
}

/* Each is given in one unit. */
static sn_status check_contact(const sn_origin *origin, const char *path, const sn_contact_law *law)
{
    if (!isnan(law->pressure) && !isnan(law->stiffness))
        return sn_origin_fail(origin, UNDER(path, "stiffness"),
                              "cannot be given together with \"pressure\"");
    if (!isnan(law->tangential_pressure) && !isnan(law->tangential_stiffness))
        return sn_origin_fail(origin, UNDER(path, "tangential_stiffness"),
                              "cannot be given together with \"tangential_pressure\"");
    return SN_OK;
}

sn_status sn_check_self_collision(const sn_origin *origin, const char *path, const void *value)
{
    return check_contact(origin, path, &((const sn_self_collision *)value)->law);
}

sn_status sn_check_collider(const sn_origin *origin, const char *path, const void *value)
{
    const sn_collider *collider = value;
    sn_shape_kind kind = collider->shape.kind;
    bool sequence = collider->motion.kind == SN_MOTION_SEQUENCE;
    if (!sequence && kind == SN_SHAPE_NONE)
        return sn_origin_fail(origin, UNDER(path, "shape"), "missing, expected a shape");
    if (sequence && kind != SN_SHAPE_NONE && kind != SN_SHAPE_MESH)
        return sn_origin_fail(origin, UNDER(path, "shape"),
                              "expected a mesh or nothing, because the motion is a sequence");
    return check_contact(origin, path, &collider->law);
}

/* One operator has the elements of all bodies, and one law. */
static sn_status check_laws(const sn_scene *scene)
{
    sn_law_kind first = scene->bodies.data[0].material.law;
    for (size_t i = 1; i < scene->bodies.count; i++)
        if (scene->bodies.data[i].material.law != first)
            return sn_origin_fail(&scene->origin, sn_key_path("bodies[%zu].material.law", i).text,
                                  "expected that of the first body, %s", sn_law_names[first]);
    return SN_OK;
}

int sn_scene_find_body(const sn_scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->bodies.count; i++)
        if (strcmp(scene->bodies.data[i].name, name) == 0)
            return (int)i;
    return -1;
}

double sn_scene_reach(const sn_scene *scene, const char *body)
{
    return sn_body_reach(scene->bodies.data[sn_scene_find_body(scene, body)].cell);
}

/* Bones and pins name their body; and pins must not change their shape. */
static sn_status check_tie(const sn_scene *scene, const char *path, const char *body,
                           const sn_motion *motion, bool may_deform)
{
    if (sn_scene_find_body(scene, body) < 0)
        return sn_origin_fail(&scene->origin, UNDER(path, "body"),
                              "expected the name of a body, got \"%.40s\"", body);
    if (motion->kind == SN_MOTION_SEQUENCE && !may_deform)
        return sn_origin_fail(&scene->origin, UNDER(path, "motion.sequence"),
                              "goes only with colliders and bones");
    return SN_OK;
}

static sn_status check_ties(const sn_scene *scene)
{
    for (size_t i = 0; i < scene->bones.count; i++) {
        const sn_bone *bone = &scene->bones.data[i];
        sn_path path = sn_key_path("bones[%zu]", i);
        SN_TRY(check_tie(scene, path.text, bone->body, &bone->motion, true));
    }
    for (size_t i = 0; i < scene->pins.count; i++) {
        const sn_pin *pin = &scene->pins.data[i];
        sn_path path = sn_key_path("pins[%zu]", i);
        SN_TRY(check_tie(scene, path.text, pin->body, &pin->motion, false));
    }
    return SN_OK;
}

/* A joint or node that is not named is called as the thing that it moves. */
static void complete_motion(sn_motion *motion, const char *name)
{
    if (!name)
        return; /* of many joints */
    bool has_joint = motion->kind == SN_MOTION_BVH || motion->kind == SN_MOTION_BUILTIN;
    if (has_joint && !motion->joint)
        motion->joint = sn_copy_text(name);
    if (motion->kind == SN_MOTION_GLTF && !motion->node)
        motion->node = sn_copy_text(name);
}

/* A bone of the only body need not say so. */
static sn_status complete_bodies(sn_scene *scene)
{
    for (size_t i = 0; i < scene->bones.count; i++) {
        sn_bone *bone = &scene->bones.data[i];
        if (!bone->body && scene->bodies.count > 1)
            return sn_origin_fail(&scene->origin, sn_key_path("bones[%zu].body", i).text,
                                  "missing, expected the name of a body");
        if (!bone->body)
            bone->body = sn_copy_text(scene->bodies.data[0].name);
    }
    return SN_OK;
}

static void complete_contact(sn_contact_law *law)
{
    if (isnan(law->pressure) && isnan(law->stiffness))
        law->pressure = SN_PRESSURE_AUTO;
}

/* folder/walk.yaml -> walk */
static char *name_from_file(const char *file)
{
    const char *slash = strrchr(file, '/');
    char *name = sn_copy_text(slash ? slash + 1 : file);
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = '\0';
    return name;
}

sn_status sn_scene_complete(sn_scene *scene)
{
    if (!scene->name)
        scene->name = name_from_file(scene->origin.file);
    SN_TRY(complete_bodies(scene));
    for (size_t i = 0; i < scene->bones.count; i++)
        complete_motion(&scene->bones.data[i].motion, scene->bones.data[i].name);
    for (size_t i = 0; i < scene->pins.count; i++)
        complete_motion(&scene->pins.data[i].motion, scene->pins.data[i].name);
    for (size_t i = 0; i < scene->colliders.count; i++) {
        sn_collider *collider = &scene->colliders.data[i];
        complete_motion(&collider->motion, collider->name);
        complete_contact(&collider->law);
    }
    complete_contact(&scene->self_collision.law);
    SN_TRY(check_laws(scene));
    return check_ties(scene);
}
