#include "model/character.h"

#include "base/pattern.h"
#include "io/mesh/placement.h"
#include "io/motion/read.h"
#include "motion/axes.h"
#include "motion/retarget.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A capsule's radius, over how near the surface is, and over the line's length. Thicker ones press
 * what is between them flat where a pose brings them near to each other: with 0.6 in place of 0.3 a
 * running fox's flesh is nearly twice as far off its bones, and its shoulders are inverted. */
static const double OF_THICKNESS = 0.3, OF_LENGTH = 0.25;

/* So much of a line is free at both ends of its capsule: flesh bends there. */
static const double GAP = 0.1;

/* A line is a bone's if it is longer than this part of the finest cell. */
static const double SHORTEST = 0.1;

static const sn_bone *settings_of(const sn_character *c)
{
    return &c->scene->bones.data[c->entry];
}

static const sn_body_settings *body_of(const sn_character *c)
{
    int body = sn_scene_find_body(c->scene, settings_of(c)->body);
    return &c->scene->bodies.data[body];
}

static sn_path key_of(const sn_character *c, const char *key)
{
    return sn_key_path("bones[%zu].%s", c->entry, key);
}

/* ---- Reading ---- */

/* As a map: from where the origin and the ends of the axes go. */
static sn_affine affine_of(const sn_placement *place)
{
    double at[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    sn_affine map;
    sn_placement_apply(place, at, 4);
    for (int i = 0; i < 3; i++) {
        map.row[i][3] = at[0][i];
        for (int j = 0; j < 3; j++)
            map.row[i][j] = at[j + 1][i] - at[0][i];
    }
    return map;
}

static const char *file_of(const sn_motion *motion)
{
    return motion->kind == SN_MOTION_GLTF  ? motion->gltf
           : motion->kind == SN_MOTION_BVH ? motion->bvh
                                           : NULL;
}

static sn_status read_motion(const sn_character *c, const sn_motion *motion, sn_skeleton *there)
{
    char path[PATH_MAX];
    SN_TRY(sn_origin_path(&c->scene->origin, file_of(motion), path, sizeof path));
    return motion->kind == SN_MOTION_BVH ? sn_motion_read_bvh(path, motion->positions, there)
                                         : sn_motion_read_gltf(path, motion->animation, there);
}

static double time_of_start(const sn_character *c, const sn_motion *motion, double a_frame,
                            const sn_skeleton *there)
{
    const sn_frames *frames = &c->scene->frames;
    double own = sn_motion_frame(motion, frames, frames->first) - frames->first;
    return there->in_seconds ? own / frames->fps
                             : own / frames->fps * (a_frame > 0 ? 1 / a_frame : 1);
}

/* The motion of another file takes the place of the rig's own. */
static sn_status play(sn_character *c, const sn_motion *motion)
{
    sn_skeleton there, played;
    const sn_frames *frames = &c->scene->frames;
    SN_TRY(read_motion(c, motion, &there));
    double seconds = 1 / sn_motion_fps(frames, motion, there.fps);
    sn_retarget how = {.here = &c->rig.skeleton,
                       .there = &there,
                       .names = &settings_of(c)->retarget,
                       .motion = motion,
                       .place = &c->place,
                       .start = time_of_start(c, motion, seconds, &there),
                       .a_frame = there.in_seconds ? seconds : 1};
    sn_status status = sn_skeleton_retarget(&how, &played);
    sn_skeleton_free(&there);
    SN_TRY(status);
    sn_skeleton_free(&c->rig.skeleton);
    c->rig.skeleton = played;
    return SN_OK;
}

static sn_status read_rig(sn_character *c, const char *animation)
{
    const sn_bone *settings = settings_of(c);
    char path[PATH_MAX];
    sn_path key = key_of(c, "from");
    SN_TRY(sn_origin_path(&c->scene->origin, settings->from, path, sizeof path));
    sn_status status =
        sn_rig_read(path, settings->skin, animation, settings->motion.positions, &c->rig);
    return status == SN_OK ? SN_OK : sn_origin_blame(&c->scene->origin, key.text, status);
}

sn_status sn_character_read(const sn_scene *scene, size_t entry, sn_character *c)
{
    *c = (sn_character){.scene = scene, .entry = entry};
    const sn_bone *settings = settings_of(c);
    const sn_motion *motion = &settings->motion;
    const char *file = file_of(motion);
    bool own = file && strcmp(file, settings->from) == 0 && settings->retarget.count == 0;
    c->place = affine_of(settings->place.given ? &settings->place : &body_of(c)->place);
    c->moves_as_one = motion->kind == SN_MOTION_KEYS;
    SN_TRY(read_rig(c, own ? motion->animation : NULL));
    if (!file || own)
        return SN_OK;
    sn_status status = play(c, motion);
    if (status == SN_OK)
        return SN_OK;
    sn_character_free(c);
    return sn_origin_blame(&scene->origin, key_of(c, "motion").text, status);
}

void sn_character_free(sn_character *c)
{
    sn_rig_free(&c->rig);
}

/* ---- Joints ---- */

int sn_character_find(const sn_character *c, const char *name)
{
    int joint = sn_skeleton_find(&c->rig.skeleton, name);
    return joint >= 0 && c->rig.is_bone[joint] ? joint : -1;
}

bool sn_character_skips(const sn_character *c, int joint)
{
    const char *name = c->rig.skeleton.joints.data[joint].name;
    const sn_pairs *skip = &settings_of(c)->skip;
    if (!c->rig.is_bone[joint])
        return true;
    for (size_t i = 0; i < skip->count; i++)
        if (sn_pattern_matches(skip->data[i].key, name))
            return true;
    for (size_t b = 0; b < c->scene->bones.count; b++) {
        const sn_bone *bone = &c->scene->bones.data[b];
        if (bone->kind == SN_BONE_MESH && strcmp(bone->name, name) == 0)
            return true;
    }
    return false;
}

static sn_vec place_of(const sn_character *c, int joint)
{
    sn_affine rest = sn_skeleton_rest(&c->rig.skeleton, joint);
    rest = sn_affine_after(&c->place, &rest);
    return (sn_vec){rest.row[0][3], rest.row[1][3], rest.row[2][3]};
}

/* ---- Flesh ---- */

/* A place in the scene of a vertex that the joint moves most. */
static sn_vec vertex_of(const sn_character *c, const sn_rig_vertex *vertex)
{
    double at[3];
    sn_affine_apply(&c->place, vertex->at, at);
    return sn_vec_load(at);
}

static double distance_to_line(sn_vec a, sn_vec b, sn_vec p)
{
    sn_vec along = sn_vec_sub(b, a), way = sn_vec_sub(p, a);
    double square = sn_vec_dot(along, along);
    double t = square > 0 ? fmin(fmax(sn_vec_dot(way, along) / square, 0), 1) : 0;
    return sn_vec_length(sn_vec_sub(way, sn_vec_scale(along, t)));
}

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How far the nearer half of the joint's vertices is at most; INFINITY where no file tells. */
static double flesh_thickness(const sn_character *c, int joint, sn_vec a, sn_vec b)
{
    SN_VECTOR(double) distance = {0};
    for (size_t v = c->rig.first_vertex[joint]; v < c->rig.first_vertex[joint + 1]; v++)
        sn_push(&distance, distance_to_line(a, b, vertex_of(c, &c->rig.flesh.data[v])));
    if (distance.count == 0)
        return INFINITY;
    qsort(distance.data, distance.count, sizeof *distance.data, compare_reals);
    double middle = distance.data[distance.count / 2];
    sn_vector_free(&distance);
    return middle;
}

static void add_capsule(const sn_character *c, int joint, sn_vec a, sn_vec b,
                        const sn_flesh_around *flesh, sn_capsules *capsules)
{
    sn_bone_capsule capsule;
    double nearest;
    if (!sn_flesh_around_line(flesh, &a, &b, &nearest))
        return;
    double length = sn_vec_length(sn_vec_sub(b, a));
    if (!(length > SHORTEST * body_of(c)->cell))
        return;
    nearest = fmin(nearest, flesh_thickness(c, joint, a, b));
    capsule.radius = fmin(OF_THICKNESS * nearest, OF_LENGTH * length);
    if (!(capsule.radius > 0))
        return;
    double free_part = GAP + capsule.radius / length;
    sn_vec_store(sn_vec_between(a, b, free_part), capsule.a);
    sn_vec_store(sn_vec_between(b, a, free_part), capsule.b);
    sn_push(capsules, capsule);
}

/* Through the middle of what the joint moves, and as far again as the flesh goes. */
static bool end_in_flesh(const sn_character *c, int joint, sn_vec from, sn_vec *end)
{
    sn_vec sum = {0};
    size_t first = c->rig.first_vertex[joint], n = c->rig.first_vertex[joint + 1] - first;
    for (size_t v = first; v < first + n; v++)
        sum = sn_vec_add(sum, vertex_of(c, &c->rig.flesh.data[v]));
    if (n > 0)
        *end = sn_vec_between(from, sn_vec_scale(sum, 1.0 / (double)n), 1.6);
    return n > 0;
}

/* Between joints that move apart nothing is rigid: a root on the ground, and hips. */
static bool moves_apart(const sn_character *c, size_t child)
{
    const double part = 0.1;
    const sn_joint *joint = &c->rig.skeleton.joints.data[child];
    const double(*row)[4] = joint->rest.row;
    return sn_joint_strays(joint) > part * hypot(hypot(row[0][3], row[1][3]), row[2][3]);
}

sn_capsules sn_character_capsules(const sn_character *c, int joint, const sn_flesh_around *flesh)
{
    sn_capsules capsules = {0};
    const sn_skeleton *s = &c->rig.skeleton;
    sn_vec from = place_of(c, joint), end;
    bool ends = true;
    for (size_t j = (size_t)joint + 1; j < s->joints.count; j++)
        if (s->joints.data[j].parent == joint) {
            ends = false;
            if (!moves_apart(c, j))
                add_capsule(c, joint, from, place_of(c, (int)j), flesh, &capsules);
        }
    if (ends && end_in_flesh(c, joint, from, &end))
        add_capsule(c, joint, from, end, flesh, &capsules);
    return capsules;
}
