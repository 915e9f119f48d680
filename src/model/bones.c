#include "model/bones.h"

#include "base/log.h"
#include "base/sort.h"
#include "base/timer.h"
#include "base/vec3.h"
#include "octree/locate.h"
#include "springs/host_element.h"

#include <math.h>

/* Small triangles are no longer than this part of a finest cell. */
static const double LONGEST = 0.5;

/* A small triangle on its way to the element that holds its middle. */
typedef struct {
    uint64_t place; /* see sn_locate; then what is sorted by */
    uint64_t piece;
    sn_key element; /* once it is found */
    int eighth;
    double middle[3], area;
} sample;

typedef SN_VECTOR(sample) sample_list;

/* This rank's share of the pieces of all triangles. */
static sample_list cut_share(const sn_bone_pieces *c, const sn_octree *tree, int body)
{
    int rank, size;
    MPI_Comm_rank(tree->comm, &rank);
    MPI_Comm_size(tree->comm, &size);
    int64_t n = c->mesh->n_triangles, all = c->first[n];
    int64_t from = all / size * rank + (rank < all % size ? rank : all % size);
    int64_t to = from + all / size + (rank < all % size);
    sample_list list = {0};
    sn_reserve(&list, (size_t)(to - from));
    for (int64_t t = 0; t < n; t++) {
        if (c->first[t + 1] <= from || c->first[t] >= to)
            continue;
        int64_t begin = from > c->first[t] ? from : c->first[t];
        int64_t end = to < c->first[t + 1] ? to : c->first[t + 1];
        for (int64_t p = begin; p < end; p++) {
            sample s = {.piece = (uint64_t)p};
            sn_bone_piece_of(c, t, p, s.middle, &s.area);
            s.place = sn_locate_cell(tree->bodies, body, s.middle);
            sn_push(&list, s);
        }
    }
    return list;
}

/* ---- From samples to springs ---- */

/* Samples come to the first copy of their element, and go on to that of the part which they are in,
 * or nearest to. */
static void choose_copies(const sn_locator *l, const sn_parts *parts, sample *s, size_t n)
{
    for (size_t i = 0; i < n && l->tree->has_copies; i++) {
        const sn_parts_cell *cell = NULL;
        if (l->elements.height[s[i].place] == 0)
            cell = sn_parts_cell_at(parts, l->elements.key[s[i].place]);
        if (cell)
            s[i].place += (uint64_t)sn_parts_near(parts, l->tree->bodies, cell, s[i].middle);
    }
}

/* Keeps the samples that lie in their element, sorted by element, eighth and piece. */
static void keep_inside(const sn_locator *l, const sn_body *body, sample *s, size_t *n)
{
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++) {
        sn_host_element host = sn_host_element_of(l, s[i].place);
        double local[3], offset[3];
        if (!sn_locate_within(body, host.key, host.height, s[i].middle, local, offset))
            continue;
        s[i].element = host.key;
        s[i].eighth = sn_host_element_eighth(&host, l->tree->bodies, s[i].middle);
        s[kept++] = s[i];
    }
    *n = kept;
    for (size_t i = 0; i < kept; i++)
        s[i].place = s[i].piece;
    sn_sort_records(s, sizeof *s, kept);
    for (size_t i = 0; i < kept; i++)
        s[i].place = (uint64_t)s[i].eighth;
    sn_sort_records(s, sizeof *s, kept);
    for (size_t i = 0; i < kept; i++)
        s[i].place = s[i].element;
    sn_sort_records(s, sizeof *s, kept);
}

/* One spring for a run of samples. */
static sn_spring spring_of(const sample *s, size_t n, size_t bone, int body, double stiffness)
{
    double area = 0, place[3] = {0};
    for (size_t i = 0; i < n; i++) {
        area += s[i].area;
        for (int d = 0; d < 3; d++)
            place[d] += s[i].area * s[i].middle[d];
    }
    sn_spring spring = {.number = (uint64_t)bone << SN_BONE_PIECE_BITS | s[0].piece,
                        .point = {{.body = body, .copy = sn_key_copy(s[0].element)}, {.body = -1}},
                        .normal = {1, 0, 0},
                        .normal_stiffness = stiffness * area,
                        .tangential_stiffness = stiffness * area,
                        .friction = INFINITY};
    for (int d = 0; d < 3; d++)
        spring.point[0].at[d] = spring.target[d] = area > 0 ? place[d] / area : s[0].middle[d];
    return spring;
}

static int64_t add_springs(const sample *s, size_t n, size_t bone, int body, double stiffness,
                           sn_spring_list *springs)
{
    int64_t added = 0;
    for (size_t first = 0, end; first < n; first = end, added++) {
        for (end = first + 1;
             end < n && s[end].element == s[first].element && s[end].eighth == s[first].eighth;)
            end++;
        sn_spring spring = spring_of(s + first, end - first, bone, body, stiffness);
        sn_push(springs, spring);
    }
    return added;
}

/* ---- Bones ---- */

/* A capsule in a thin place may be in no cell; what a scene names must be. */
static sn_status require_ties(const sn_scene *scene, const sn_listed_bone *bone, int64_t ties)
{
    if (ties == 0 && bone->capsules.count == 0)
        return sn_origin_fail(&scene->origin, sn_key_path("bones[%zu]", bone->entry).text,
                              "no part of its surface lies in body '%.80s'",
                              scene->bones.data[bone->entry].body);
    sn_info("bone '%.80s': %lld springs", bone->name, (long long)ties);
    return SN_OK;
}

/* A bone that changes its shape is asked where its pieces are; of others nothing is kept. */
static void keep_pieces(sn_bone_pieces *c, size_t b, sn_bones *bones)
{
    if (bones->list.bones.data[b].shape)
        bones->pieces[b] = *c;
    else
        sn_free(c->first);
}

static sn_status tie_surface(const sn_scene *scene, const sn_locator *l, const sn_parts *parts,
                             size_t b, const sn_mesh *mesh, sn_bones *bones)
{
    const sn_listed_bone *bone = &bones->list.bones.data[b];
    const char *body_name = scene->bones.data[bone->entry].body;
    const sn_octree *tree = l->tree;
    int body = sn_scene_find_body(scene, body_name);
    sn_bone_pieces c = {mesh, LONGEST * tree->bodies->body[body].cell, NULL};
    if (!sn_bone_pieces_number(&c)) {
        sn_free(c.first);
        return sn_origin_fail(&scene->origin, sn_key_path("bones[%zu].mesh", bone->entry).text,
                              "is too large for the cells of body '%.80s'", body_name);
    }
    sample_list share = cut_share(&c, tree, body);
    keep_pieces(&c, b, bones);
    void *found = NULL;
    size_t n;
    sn_status status = sn_locate(l, sizeof(sample), share.data, share.count, &found, &n);
    sn_vector_free(&share);
    SN_TRY(status);
    choose_copies(l, parts, found, n);
    keep_inside(l, &tree->bodies->body[body], found, &n);
    int64_t ties = add_springs(found, n, b, body, bone->stiffness, &bones->springs);
    sn_free(found);
    MPI_Allreduce(MPI_IN_PLACE, &ties, 1, MPI_INT64_T, MPI_SUM, tree->comm);
    return require_ties(scene, bone, ties);
}

/* The mesh at rest stays with a bone that changes its shape, and is freed with it. */
static sn_status keep_rest(const sn_scene *scene, size_t b, const sn_shared_mesh *mesh,
                           sn_bones *bones)
{
    const sn_listed_bone *bone = &bones->list.bones.data[b];
    bones->rest[b] = *mesh;
    bones->pieces[b].mesh = &bones->rest[b].view;
    const sn_mesh *rest = &bones->rest[b].view, *moving = &bone->shape->view;
    if (rest->n_vertices == moving->n_vertices && rest->n_triangles == moving->n_triangles)
        return SN_OK;
    return sn_origin_fail(&scene->origin, sn_key_path("bones[%zu].motion", bone->entry).text,
                          "its meshes have %lld vertices, and that of the bone at rest %lld",
                          (long long)moving->n_vertices, (long long)rest->n_vertices);
}

static sn_status tie_bone(const sn_scene *scene, const sn_locator *l, const sn_parts *parts,
                          size_t b, sn_bones *bones)
{
    sn_shared_mesh mesh;
    SN_TRY(sn_bone_list_mesh(l->tree->comm, scene, &bones->list, b, &mesh));
    sn_status status = tie_surface(scene, l, parts, b, &mesh.view, bones);
    if (status == SN_OK && bones->list.bones.data[b].shape)
        return keep_rest(scene, b, &mesh, bones);
    sn_shared_mesh_free(&mesh);
    return status;
}

static const sn_mesh *surface_of(void *context, int body)
{
    return &((const sn_model *)context)->mesh[body].view;
}

static sn_status tie_all(const sn_scene *scene, const sn_model *model, sn_bones *bones)
{
    const sn_octree *tree = &model->forest.level[0];
    SN_TRY(sn_bone_list_create(tree->comm, scene, surface_of, (void *)model, &bones->list));
    bones->rest = SN_NEW_ZERO(sn_shared_mesh, bones->list.bones.count);
    bones->pieces = SN_NEW_ZERO(sn_bone_pieces, bones->list.bones.count);
    sn_locator locator = sn_locator_create(tree);
    sn_status status = SN_OK;
    for (size_t b = 0; b < bones->list.bones.count && status == SN_OK; b++)
        status = tie_bone(scene, &locator, &model->forest.parts, b, bones);
    sn_locator_free(&locator);
    return status;
}

sn_status sn_bones_create(const sn_scene *scene, const sn_model *model, sn_bones *bones)
{
    *bones = (sn_bones){0};
    if (scene->bones.count == 0)
        return SN_OK;
    sn_phase_begin("model/bones");
    sn_status status = tie_all(scene, model, bones);
    sn_phase_end("model/bones");
    if (status != SN_OK)
        sn_bones_free(bones);
    return status;
}

void sn_bones_free(sn_bones *bones)
{
    for (size_t b = 0; bones->rest && b < bones->list.bones.count; b++) {
        if (bones->rest[b].view.vertex)
            sn_shared_mesh_free(&bones->rest[b]);
        sn_free(bones->pieces[b].first);
    }
    sn_free(bones->rest);
    sn_free(bones->pieces);
    sn_bone_list_free(&bones->list);
    sn_vector_free(&bones->springs);
    *bones = (sn_bones){0};
}

/* ---- Where they are ---- */

/* At a frame: poses of those that keep their shape; those that do not know by themselves. */
typedef struct {
    const sn_bones *bones;
    sn_affine *pose;
} moment;

static moment moment_at(const sn_bones *bones, double frame)
{
    moment now = {bones, SN_NEW(sn_affine, bones->list.bones.count)};
    for (size_t b = 0; b < bones->list.bones.count; b++)
        now.pose[b] = sn_moving_at(&bones->list.bones.data[b].moving, frame);
    return now;
}

static void target_of(void *context, uint64_t number, const double at[3], double target[3])
{
    const moment *now = context;
    size_t b = number >> SN_BONE_PIECE_BITS;
    const sn_listed_bone *bone = &now->bones->list.bones.data[b];
    if (!bone->shape) {
        sn_affine_apply(&now->pose[b], at, target);
        return;
    }
    int64_t piece = (int64_t)(number & ((UINT64_C(1) << SN_BONE_PIECE_BITS) - 1));
    double shift[3];
    sn_bone_piece_shift(&now->bones->pieces[b], piece, (const double(*)[3])bone->shape->view.vertex,
                        shift);
    for (int d = 0; d < 3; d++)
        target[d] = at[d] + shift[d];
}

static sn_status pose_shapes(const sn_bones *bones, double frame)
{
    for (size_t b = 0; b < bones->list.bones.count; b++)
        if (bones->list.bones.data[b].shape)
            SN_TRY(sn_moving_mesh_pose(bones->list.bones.data[b].shape, frame));
    return SN_OK;
}

sn_status sn_bones_retarget(const sn_bones *bones, double frame, sn_spring_set *set)
{
    SN_TRY(pose_shapes(bones, frame));
    moment now = moment_at(bones, frame);
    sn_spring_set_retarget(set, target_of, &now);
    sn_free(now.pose);
    return SN_OK;
}

/* ---- Where the shot begins ---- */

/* How far each bone takes its springs away from where they rest, in cells of its body. The caller
 * frees them. */
static double *leaps_of(const sn_octree *tree, const sn_bones *bones, double frame)
{
    size_t n = bones->list.bones.count;
    double *leap = SN_NEW_ZERO(double, n), there[3];
    moment now = moment_at(bones, frame);
    for (size_t i = 0; i < bones->springs.count; i++) {
        const sn_spring *s = &bones->springs.data[i];
        size_t b = s->number >> SN_BONE_PIECE_BITS;
        target_of(&now, s->number, s->target, there);
        double far = sn_vec_length(sn_vec_sub(sn_vec_load(there), sn_vec_load(s->target)));
        leap[b] = fmax(leap[b], far / tree->bodies->body[s->point[0].body].cell);
    }
    sn_free(now.pose);
    MPI_Allreduce(MPI_IN_PLACE, leap, (int)n, MPI_DOUBLE, MPI_MAX, tree->comm);
    return leap;
}

static void warn_of_leaps(const sn_bones *bones, const double *leap)
{
    const double a_cell = 1, cells_a_frame = 2, shortest = 10;
    size_t worst = 0, n = 0;
    for (size_t b = 0; b < bones->list.bones.count; b++) {
        n += leap[b] > a_cell;
        worst = leap[b] > leap[worst] ? b : worst;
    }
    if (n > 0)
        sn_warn("the shot begins with %zu bones off their flesh, '%.80s' by %.3g cells; with "
                "frames.preroll: %.0f they would go there first",
                n, bones->list.bones.data[worst].name, leap[worst],
                fmax(shortest, ceil(leap[worst] / cells_a_frame)));
}

sn_status sn_bones_warn_of_leaps(const sn_scene *scene, const sn_octree *tree,
                                 const sn_bones *bones)
{
    int rank, start = sn_frames_start(&scene->frames);
    MPI_Comm_rank(tree->comm, &rank);
    SN_TRY(pose_shapes(bones, start));
    double *leap = leaps_of(tree, bones, start);
    if (rank == 0)
        warn_of_leaps(bones, leap);
    sn_free(leap);
    return SN_OK;
}

sn_status sn_bones_tie(sn_bones *bones, sn_system *system, int slot)
{
    sn_status status = sn_system_take_springs(system, slot, &bones->springs);
    sn_vector_free(&bones->springs);
    return status;
}
