#include "model/bone_list.h"

#include "base/log.h"
#include "base/pattern.h"
#include "io/mesh/load.h"
#include "io/text/name_list.h"
#include "model/character.h"
#include "motion/sane.h"
#include "shapes/solids.h"

#include <string.h>

enum { NAME_BYTES = 128, MOST_BONES = 4096, SECTORS = 12, CAP_RINGS = 3 };

static const double USUAL_STIFFNESS = 1e7;

/* A bone as rank 0 finds it. */
typedef struct {
    char name[NAME_BYTES];
    size_t entry, character; /* of those on rank 0 */
    int joint;               /* that moves it; -1: the entry's own motion does */
    size_t n_capsules;
} finding;

typedef struct {
    MPI_Comm comm;
    const sn_scene *scene;
    int rank;
    SN_VECTOR(sn_character) characters; /* on rank 0 */
    SN_VECTOR(finding) findings;
    sn_capsules capsules; /* of all findings, one after the other */
} search;

/* ---- What there is, on rank 0 ---- */

static sn_status read_characters(search *s)
{
    for (size_t i = 0; i < s->scene->bones.count; i++) {
        if (s->scene->bones.data[i].kind != SN_BONES_FROM)
            continue;
        sn_character character;
        SN_TRY(sn_character_read(s->scene, i, &character));
        sn_push(&s->characters, character);
    }
    return SN_OK;
}

/* A bone that does not say how it moves goes as the joint that is called as it is. */
static void find_single(search *s, size_t entry)
{
    const sn_bone *bone = &s->scene->bones.data[entry];
    finding f = {.entry = entry, .joint = -1};
    snprintf(f.name, sizeof f.name, "%s", bone->name);
    for (size_t c = 0; c < s->characters.count && bone->motion.kind == SN_MOTION_NONE; c++) {
        int joint = sn_character_find(&s->characters.data[c], bone->name);
        if (joint < 0)
            continue;
        f.character = c;
        f.joint = joint;
    }
    sn_push(&s->findings, f);
}

/* Says which joints are left out because no flesh is there. */
static void tell(const sn_character *c, size_t n, size_t n_bare, const char *bare)
{
    const char *file = c->scene->bones.data[c->entry].from;
    if (n_bare > 0)
        sn_info("%.200s: %zu bones; no flesh is around %zu joints: %s", file, n, n_bare, bare);
    else
        sn_info("%.200s: %zu bones", file, n);
}

static sn_status find_joints(search *s, size_t number, const sn_flesh_around *flesh)
{
    const sn_character *c = &s->characters.data[number];
    const sn_skeleton *skeleton = &c->rig.skeleton;
    sn_name_list bare = {{0}};
    size_t n = 0, n_bare = 0;
    for (int j = 0; j < (int)skeleton->joints.count; j++) {
        if (sn_character_skips(c, j))
            continue;
        finding f = {.entry = c->entry, .character = number, .joint = j};
        sn_capsules capsules = sn_character_capsules(c, j, flesh);
        f.n_capsules = capsules.count;
        snprintf(f.name, sizeof f.name, "%s", skeleton->joints.data[j].name);
        for (size_t i = 0; i < capsules.count; i++)
            sn_push(&s->capsules, capsules.data[i]);
        if (capsules.count > 0) {
            sn_push(&s->findings, f);
            n++;
        } else {
            sn_name_list_add(&bare, f.name);
            n_bare++;
        }
        sn_vector_free(&capsules);
    }
    tell(c, n, n_bare, bare.text);
    return n > 0 ? SN_OK
                 : sn_origin_fail(&s->scene->origin, sn_key_path("bones[%zu].from", c->entry).text,
                                  "none of its joints has flesh of body '%.80s' around it: are "
                                  "their places the same?",
                                  s->scene->bones.data[c->entry].body);
}

static sn_status find_skeleton(search *s, size_t entry, sn_body_surface *surface, void *context)
{
    int body = sn_scene_find_body(s->scene, s->scene->bones.data[entry].body);
    sn_flesh_around *flesh;
    size_t number = 0;
    while (s->characters.data[number].entry != entry)
        number++;
    SN_TRY(sn_flesh_around_create(surface(context, body), &flesh));
    sn_status status = find_joints(s, number, flesh);
    sn_flesh_around_free(flesh);
    return status;
}

static sn_status find_all(search *s, sn_body_surface *surface, void *context)
{
    SN_TRY(read_characters(s));
    for (size_t i = 0; i < s->scene->bones.count; i++)
        if (s->scene->bones.data[i].kind == SN_BONE_MESH)
            find_single(s, i);
        else
            SN_TRY(find_skeleton(s, i, surface, context));
    if (s->findings.count > MOST_BONES)
        return sn_origin_fail(&s->scene->origin, "bones", "are %zu, more than %d",
                              s->findings.count, MOST_BONES);
    return SN_OK;
}

/* ---- On all ranks ---- */

static void share(search *s)
{
    uint64_t count[2] = {s->findings.count, s->capsules.count};
    MPI_Bcast(count, 2, MPI_UINT64_T, 0, s->comm);
    if (s->rank != 0) {
        sn_reserve(&s->findings, count[0]);
        sn_reserve(&s->capsules, count[1]);
        s->findings.count = count[0];
        s->capsules.count = count[1];
    }
    MPI_Bcast(s->findings.data, (int)(count[0] * sizeof(finding)), MPI_BYTE, 0, s->comm);
    MPI_Bcast(s->capsules.data, (int)(count[1] * sizeof(sn_bone_capsule)), MPI_BYTE, 0, s->comm);
}

static double stiffness_of(const sn_bone *bone, const char *name)
{
    double stiffness = USUAL_STIFFNESS;
    for (size_t i = 0; i < bone->stiffness.count; i++)
        if (sn_pattern_matches(bone->stiffness.data[i].key, name))
            stiffness = bone->stiffness.data[i].number;
    return stiffness;
}

/* By whose clock a skeleton's joints go: axes and lengths are the file's own. */
static const sn_motion *clock_of(const sn_bone *entry, sn_bone_list *list)
{
    bool given = entry->motion.kind != SN_MOTION_NONE;
    sn_motion *clock = SN_NEW_ZERO(sn_motion, 1);
    *clock = (sn_motion){.kind = SN_MOTION_GLTF,
                         .scale = 1,
                         .up = SN_UP_Y,
                         .fps = given ? entry->motion.fps : NAN,
                         .offset = given ? entry->motion.offset : 0,
                         .speed = given ? entry->motion.speed : 1,
                         .rest_frame = 0};
    sn_push(&list->clocks, clock);
    return clock;
}

static sn_status add_motion(const search *s, sn_motion_source *source, const finding *f,
                            sn_bone_list *list, sn_moving *moving)
{
    const sn_bone *entry = &s->scene->bones.data[f->entry];
    sn_path key = sn_key_path("bones[%zu].%s", f->entry, "motion");
    if (f->joint < 0 || entry->motion.kind == SN_MOTION_KEYS)
        return sn_motion_load(s->comm, source, key.text, &entry->motion, moving);
    key = sn_key_path("bones[%zu]", f->entry);
    const sn_skeleton *skeleton = NULL;
    const sn_affine *place = &SN_IDENTITY;
    sn_affine shared;
    if (s->rank == 0) {
        skeleton = &s->characters.data[f->character].rig.skeleton;
        place = &s->characters.data[f->character].place;
    }
    shared = *place;
    MPI_Bcast(&shared, sizeof shared, MPI_BYTE, 0, s->comm);
    return sn_motion_of_joint(s->comm, source, key.text, clock_of(entry, list), skeleton, f->joint,
                              &shared, moving);
}

static sn_status add_shape(const search *s, sn_motion_source *source, const finding *f,
                           sn_listed_bone *bone)
{
    static const sn_motion held = {.kind = SN_MOTION_NONE};
    const sn_bone *entry = &s->scene->bones.data[f->entry];
    sn_path key = sn_key_path("bones[%zu].motion", f->entry);
    bone->moving = (sn_moving){.settings = &held, .frames = source->frames};
    bone->shape = SN_NEW_ZERO(sn_moving_mesh, 1);
    sn_status status = sn_moving_mesh_load(s->comm, source, key.text, &entry->motion, bone->shape);
    if (status != SN_OK)
        sn_free(bone->shape);
    return status;
}

static sn_status add_bone(const search *s, sn_motion_source *source, const finding *f,
                          const sn_bone_capsule *capsule, sn_bone_list *list)
{
    const sn_bone *entry = &s->scene->bones.data[f->entry];
    sn_listed_bone bone = {.entry = f->entry, .stiffness = stiffness_of(entry, f->name)};
    if (entry->motion.kind == SN_MOTION_SEQUENCE)
        SN_TRY(add_shape(s, source, f, &bone));
    else
        SN_TRY(add_motion(s, source, f, list, &bone.moving));
    bone.name = sn_copy_text(f->name);
    for (size_t i = 0; i < f->n_capsules; i++)
        sn_push(&bone.capsules, capsule[i]);
    sn_push(&list->bones, bone);
    sn_path key = sn_key_path(f->joint < 0 ? "bones[%zu].motion" : "bones[%zu]", f->entry);
    return sn_moving_check(&bone.moving, source, key.text, sn_scene_reach(s->scene, entry->body));
}

static sn_status add_bones(const search *s, sn_bone_list *list)
{
    sn_motion_source source = {.origin = &s->scene->origin, .frames = &s->scene->frames};
    sn_status status = SN_OK;
    const sn_bone_capsule *capsule = s->capsules.data;
    for (size_t i = 0; i < s->findings.count && status == SN_OK; i++) {
        const finding *f = &s->findings.data[i];
        status = add_bone(s, &source, f, capsule, list);
        capsule += f->n_capsules;
    }
    sn_motion_source_free(&source);
    return status;
}

sn_status sn_bone_list_create(MPI_Comm comm, const sn_scene *scene, sn_body_surface *surface,
                              void *context, sn_bone_list *list)
{
    search s = {.comm = comm, .scene = scene};
    *list = (sn_bone_list){0};
    MPI_Comm_rank(comm, &s.rank);
    sn_status status = sn_agree(comm, s.rank == 0 ? find_all(&s, surface, context) : SN_OK);
    if (status == SN_OK) {
        share(&s);
        status = add_bones(&s, list);
    }
    for (size_t c = 0; c < s.characters.count; c++)
        sn_character_free(&s.characters.data[c]);
    sn_vector_free(&s.characters);
    sn_vector_free(&s.findings);
    sn_vector_free(&s.capsules);
    if (status != SN_OK)
        sn_bone_list_free(list);
    return status;
}

void sn_bone_list_free(sn_bone_list *list)
{
    for (size_t b = 0; b < list->bones.count; b++) {
        sn_free(list->bones.data[b].name);
        sn_vector_free(&list->bones.data[b].capsules);
        sn_moving_free(&list->bones.data[b].moving);
        if (list->bones.data[b].shape)
            sn_moving_mesh_free(list->bones.data[b].shape);
        sn_free(list->bones.data[b].shape);
    }
    for (size_t c = 0; c < list->clocks.count; c++)
        sn_free(list->clocks.data[c]);
    sn_vector_free(&list->bones);
    sn_vector_free(&list->clocks);
}

/* ---- Surfaces ---- */

static sn_mesh capsules_of(const sn_listed_bone *bone)
{
    sn_surface surface = {0};
    sn_mesh mesh;
    for (size_t i = 0; i < bone->capsules.count; i++) {
        const sn_bone_capsule *c = &bone->capsules.data[i];
        sn_make_round(sn_vec_load(c->a), sn_vec_load(c->b), c->radius, SECTORS, CAP_RINGS,
                      &surface);
    }
    sn_surface_to_mesh(&surface, &mesh);
    return mesh;
}

sn_status sn_bone_list_mesh(MPI_Comm comm, const sn_scene *scene, const sn_bone_list *list,
                            size_t number, sn_shared_mesh *mesh)
{
    const sn_listed_bone *bone = &list->bones.data[number];
    const sn_bone *entry = &scene->bones.data[bone->entry];
    sn_mesh_report report;
    if (entry->kind == SN_BONE_MESH)
        return sn_mesh_load_named(comm, &scene->origin,
                                  sn_key_path("bones[%zu].mesh", bone->entry).text, entry->mesh,
                                  &entry->place, mesh, &report);
    sn_mesh made = capsules_of(bone);
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank != 0)
        sn_mesh_free(&made);
    return sn_shared_mesh_create(comm, &made, mesh);
}
