#include "model/bones.h"

#include "base/log.h"
#include "base/sort.h"
#include "base/timer.h"
#include "base/vec3.h"
#include "io/mesh/load.h"
#include "motion/motion.h"
#include "motion/sane.h"
#include "octree/locate.h"
#include "springs/host_element.h"

#include <math.h>

/* A spring's number: the bone, and the first of its small triangles that the spring stands for. */
enum { PIECE_BITS = 40 };
static const int64_t MOST_PIECES = INT64_C(1) << PIECE_BITS;

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

/* ---- Cutting triangles ---- */

typedef struct {
    const sn_mesh *mesh;
    double longest;
    int64_t *first; /* triangles + 1: number of each one's first piece */
} cutting;

static void corners_of(const sn_mesh *mesh, int64_t t, sn_vec corner[3])
{
    for (int k = 0; k < 3; k++)
        corner[k] = sn_vec_load(mesh->vertex[mesh->triangle[t][k]]);
}

/* Into how many parts the edges are cut. */
static double parts_of(const cutting *c, int64_t t)
{
    sn_vec corner[3];
    double longest = 0;
    corners_of(c->mesh, t, corner);
    for (int k = 0; k < 3; k++)
        longest = fmax(longest, sn_vec_length(sn_vec_sub(corner[(k + 1) % 3], corner[k])));
    return fmax(1, ceil(longest / c->longest));
}

/* Fails if there are more pieces than numbers. */
static bool number_pieces(cutting *c)
{
    int64_t n = c->mesh->n_triangles;
    c->first = SN_NEW_ZERO(int64_t, n + 1);
    for (int64_t t = 0; t < n; t++) {
        double parts = parts_of(c, t);
        if (!(parts * parts + (double)c->first[t] < (double)MOST_PIECES))
            return false;
        c->first[t + 1] = c->first[t] + (int64_t)parts * (int64_t)parts;
    }
    return true;
}

/* Piece p of a triangle that is cut into m * m: row by row from the first corner, in row r first
 * the r + 1 that point as the triangle does, then the r that point against it. */
static sample piece_of(const sn_vec corner[3], int64_t m, int64_t p)
{
    int64_t row = (int64_t)sqrt((double)p);
    while (row * row > p)
        row--;
    while ((row + 1) * (row + 1) <= p)
        row++;
    int64_t along = p - row * row;
    bool against = along > row;
    if (against)
        along -= row + 1;
    /* In steps of a third: where the middle is, down the rows and along its row. */
    double down = (double)(3 * row + (against ? 1 : 2)) / (double)(3 * m);
    double across = (double)(3 * along + (against ? 2 : 1)) / (double)(3 * m);
    sn_vec a = sn_vec_sub(corner[1], corner[0]), b = sn_vec_sub(corner[2], corner[1]);
    sample s = {.area = 0.5 * sn_vec_length(sn_vec_cross(a, b)) / (double)(m * m)};
    sn_vec_store(sn_vec_add(corner[0], sn_vec_add(sn_vec_scale(a, down), sn_vec_scale(b, across))),
                 s.middle);
    return s;
}

/* This rank's share of the pieces of all triangles. */
static sample_list cut_share(const cutting *c, const sn_octree *tree, int body)
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
        sn_vec corner[3];
        corners_of(c->mesh, t, corner);
        int64_t m = llrint(sqrt((double)(c->first[t + 1] - c->first[t])));
        int64_t begin = from > c->first[t] ? from : c->first[t];
        int64_t end = to < c->first[t + 1] ? to : c->first[t + 1];
        for (int64_t p = begin; p < end; p++) {
            sample s = piece_of(corner, m, p - c->first[t]);
            s.piece = (uint64_t)p;
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
    sn_spring spring = {.number = (uint64_t)bone << PIECE_BITS | s[0].piece,
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

static sn_status tie_surface(const sn_scene *scene, const sn_locator *l, const sn_parts *parts,
                             size_t b, const sn_mesh *mesh, sn_bones *bones)
{
    const sn_bone *bone = &scene->bones.data[b];
    const sn_octree *tree = l->tree;
    int body = sn_scene_find_body(scene, bone->body);
    cutting c = {mesh, LONGEST * tree->bodies->body[body].cell, NULL};
    if (!number_pieces(&c)) {
        sn_free(c.first);
        return sn_origin_fail(&scene->origin, sn_key_path("bones[%zu].mesh", b).text,
                              "is too large for the cells of body '%.80s'", bone->body);
    }
    sample_list share = cut_share(&c, tree, body);
    sn_free(c.first);
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
    if (ties == 0)
        return sn_origin_fail(&scene->origin, sn_key_path("bones[%zu]", b).text,
                              "no part of its surface lies in body '%.80s'", bone->body);
    sn_info("bone '%.80s': %lld springs", bone->name, (long long)ties);
    return SN_OK;
}

static sn_status tie_bone(const sn_scene *scene, const sn_locator *l, const sn_parts *parts,
                          sn_motion_source *source, size_t b, sn_bones *bones)
{
    const sn_bone *bone = &scene->bones.data[b];
    MPI_Comm comm = l->tree->comm;
    sn_moving moving;
    sn_path path = sn_key_path("bones[%zu].motion", b);
    SN_TRY(sn_motion_load(comm, source, path.text, &bone->motion, &moving));
    sn_push(&bones->moving, moving);
    SN_TRY(sn_moving_check(&moving, source, path.text, sn_scene_reach(scene, bone->body)));
    sn_shared_mesh mesh;
    sn_mesh_report report;
    SN_TRY(sn_mesh_load_named(comm, &scene->origin, sn_key_path("bones[%zu].mesh", b).text,
                              bone->mesh, &bone->place, &mesh, &report));
    sn_status status = tie_surface(scene, l, parts, b, &mesh.view, bones);
    sn_shared_mesh_free(&mesh);
    return status;
}

sn_status sn_bones_create(const sn_scene *scene, const sn_hierarchy *forest, sn_bones *bones)
{
    *bones = (sn_bones){0};
    if (scene->bones.count == 0)
        return SN_OK;
    sn_phase_begin("model/bones");
    sn_locator locator = sn_locator_create(&forest->level[0]);
    sn_motion_source source = {.origin = &scene->origin, .frames = &scene->frames};
    sn_status status = SN_OK;
    for (size_t b = 0; b < scene->bones.count && status == SN_OK; b++)
        status = tie_bone(scene, &locator, &forest->parts, &source, b, bones);
    sn_motion_source_free(&source);
    sn_locator_free(&locator);
    sn_phase_end("model/bones");
    if (status != SN_OK)
        sn_bones_free(bones);
    return status;
}

void sn_bones_free(sn_bones *bones)
{
    for (size_t b = 0; b < bones->moving.count; b++)
        sn_moving_free(&bones->moving.data[b]);
    sn_vector_free(&bones->moving);
    sn_vector_free(&bones->springs);
    *bones = (sn_bones){0};
}

sn_status sn_bones_tie(sn_bones *bones, sn_system *system, int slot)
{
    sn_status status =
        sn_system_set_springs(system, slot, bones->springs.data, bones->springs.count);
    sn_vector_free(&bones->springs);
    return status;
}

static void target_of(void *context, const sn_spring *spring, double target[3])
{
    const sn_affine *pose = context;
    sn_affine_apply(&pose[spring->number >> PIECE_BITS], spring->point[0].at, target);
}

void sn_bones_retarget(const sn_bones *bones, double frame, sn_spring_set *set)
{
    sn_affine *pose = SN_NEW(sn_affine, bones->moving.count);
    for (size_t b = 0; b < bones->moving.count; b++)
        pose[b] = sn_moving_at(&bones->moving.data[b], frame);
    sn_spring_set_retarget(set, target_of, pose);
    sn_free(pose);
}
