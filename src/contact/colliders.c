#include "contact/colliders.h"

#include "base/array.h"
#include "contact/colliders_parts.h"
#include "model/load.h"

#include <string.h>

/* How far from rigid a pose may be, entry by entry of the product with its transpose. */
static const double RIGID = 1e-6;

/* ---- Poses ---- */

/* The only place that asks for a motion. */
static sn_affine pose_at(const sn_colliders *c, size_t i, double frame)
{
    return sn_motion_at(&c->scene->colliders.data[i].motion, frame);
}

static double frame_at(const sn_colliders *c, double time)
{
    return c->scene->frames.first + time * c->scene->frames.fps;
}

static sn_vec column_of(const sn_affine *m, int column)
{
    return (sn_vec){m->row[0][column], m->row[1][column], m->row[2][column]};
}

static bool is_rigid(const sn_affine *m)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double product = sn_vec_dot(column_of(m, i), column_of(m, j));
            if (!(fabs(product - (i == j)) <= RIGID))
                return false;
        }
    return true;
}

/* Columns at right angles and of unit length: takes out rounding, and what a motion that is
 * rigid at each substep does in between. */
static sn_affine straightened(const sn_affine *m)
{
    sn_vec x = sn_vec_unit(column_of(m, 0)), y = column_of(m, 1), z = column_of(m, 2);
    y = sn_vec_unit(sn_vec_sub(y, sn_vec_scale(x, sn_vec_dot(x, y))));
    sn_vec right = sn_vec_cross(x, y);
    z = sn_vec_dot(right, z) < 0 ? sn_vec_scale(right, -1) : right;
    return (sn_affine){{{x.x, y.x, z.x, m->row[0][3]},
                        {x.y, y.y, z.y, m->row[1][3]},
                        {x.z, y.z, z.z, m->row[2][3]}}};
}

/* Neither flat nor mirrored. */
static bool keeps_its_sides(const sn_affine *m)
{
    return sn_vec_dot(sn_vec_cross(column_of(m, 0), column_of(m, 1)), column_of(m, 2)) > 0;
}

/* Whether a collider's pose is as it should be at all substeps of the shot; if not, the first frame
 * at which it is not. */
static bool moves_well(const sn_colliders *c, size_t i, bool (*is_good)(const sn_affine *),
                       double *frame)
{
    const sn_frames *frames = &c->scene->frames;
    int64_t steps = ((int64_t)frames->last - frames->first) * frames->substeps;
    for (int64_t step = 0; step <= steps; step++) {
        *frame = frames->first + (double)step / frames->substeps;
        sn_affine pose = pose_at(c, i, *frame);
        if (!is_good(&pose))
            return false;
    }
    return true;
}

/* ---- Moving ---- */

/* Every rank of the node moves its share of the vertices. */
static void place_vertices(const sn_mesh *rest, const sn_affine *pose, const sn_shared_block *block)
{
    int rank, size;
    MPI_Comm_rank(block->node, &rank);
    MPI_Comm_size(block->node, &size);
    double(*place)[3] = block->data;
    sn_shared_block_fence(block); /* nobody reads any more */
    int64_t from = rest->n_vertices * rank / size, to = rest->n_vertices * (rank + 1) / size;
#pragma omp parallel for
    for (int64_t v = from; v < to; v++)
        sn_affine_apply(pose, rest->vertex[v], place[v]);
    sn_shared_block_fence(block);
}

static const double (*places(const sn_shared_block *block))[3]
{
    return (const double(*)[3])block->data;
}

void sn_colliders_move(sn_colliders *c, double time)
{
    for (size_t i = 0; i < c->n; i++) {
        sn_moving_collider *one = &c->collider[i];
        sn_affine pose = pose_at(c, i, frame_at(c, time));
        if (!one->deforms) {
            one->now = straightened(&pose);
            continue;
        }
        place_vertices(&one->mesh.view, &pose, &one->place[1]);
        sn_collider_mesh_move(one->surface, places(&one->place[0]), places(&one->place[1]));
    }
}

void sn_colliders_accept(sn_colliders *c)
{
    for (size_t i = 0; i < c->n; i++) {
        sn_moving_collider *one = &c->collider[i];
        one->before = one->now;
        if (!one->deforms)
            continue;
        sn_shared_block swap = one->place[0];
        one->place[0] = one->place[1];
        one->place[1] = swap;
    }
    double(*swap)[3] = c->before;
    c->before = c->position;
    c->position = swap;
}

/* ---- Making them ---- */

static sn_status require_closed(const sn_scene *scene, const char *key_path,
                                const sn_mesh_report *report)
{
    if (report->closed_chain)
        return SN_OK;
    const sn_mesh_finding *edges = report->boundary.count      ? &report->boundary
                                   : report->misoriented.count ? &report->misoriented
                                                               : &report->nonmanifold;
    const char *kind = report->boundary.count      ? "open"
                       : report->misoriented.count ? "turned against each other"
                                                   : "shared by more than two";
    return sn_scene_fail(scene, key_path,
                         "a collider's mesh must be closed, to have an inside: %lld edges are %s, "
                         "the first at face %d",
                         (long long)edges->count, kind, (int)edges->first_face);
}

static void create_places(MPI_Comm comm, sn_moving_collider *one)
{
    const sn_mesh *rest = &one->mesh.view;
    size_t bytes = (size_t)rest->n_vertices * sizeof *rest->vertex;
    for (int i = 0; i < 2; i++) {
        sn_shared_block_create(comm, bytes, &one->place[i]);
        if (one->place[i].is_leader)
            memcpy(one->place[i].data, rest->vertex, bytes);
        sn_shared_block_fence(&one->place[i]);
    }
}

static sn_status load(sn_colliders *c, size_t i)
{
    MPI_Comm comm = c->tree->comm;
    sn_moving_collider *one = &c->collider[i];
    const sn_shape *shape = &one->settings->shape;
    sn_path path = sn_key_path("colliders[%zu].shape.mesh", i);
    sn_mesh_report report;
    SN_TRY(sn_load_mesh(comm, c->scene, path.text, shape->mesh, &one->mesh, &report));
    sn_status status = require_closed(c->scene, path.text, &report);
    double side = (report.volume < 0) != shape->invert ? -1 : 1;
    if (status == SN_OK)
        status = sn_agree(comm, sn_collider_mesh_create(&one->mesh.view, side, &one->surface));
    if (status == SN_OK && one->deforms)
        create_places(comm, one);
    return status;
}

static sn_status create_one(sn_colliders *c, size_t i)
{
    sn_moving_collider *one = &c->collider[i];
    static const sn_affine identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    double frame;
    one->settings = &c->scene->colliders.data[i];
    one->before = one->now = identity;
    sn_path motion = sn_key_path("colliders[%zu].motion", i);
    SN_TRY(sn_motion_require(c->scene, motion.text, &one->settings->motion));
    bool is_mesh = one->settings->shape.kind == SN_SHAPE_MESH;
    one->deforms = !moves_well(c, i, is_rigid, &frame);
    if (is_mesh && one->deforms && !moves_well(c, i, keeps_its_sides, &frame))
        return sn_scene_fail(c->scene, motion.text, "is flat or inside out at frame %g", frame);
    if (is_mesh)
        return load(c, i);
    if (one->deforms)
        return sn_scene_fail(c->scene, motion.text,
                             "a collider whose shape is not a mesh must move rigidly: at frame %g "
                             "it is stretched or sheared",
                             frame);
    return SN_OK;
}

/* A third of the area of each of its triangles, added in the triangles' order once a node. */
static void share_areas(sn_colliders *c)
{
    const sn_embedding *e = c->embedding;
    sn_shared_block block;
    size_t bytes = (size_t)sn_embedding_vertices(e) * sizeof(double);
    double *area = sn_shared_block_create(c->tree->comm, bytes, &block);
    if (block.is_leader) {
        memset(area, 0, bytes);
        for (int b = 0; b < c->tree->bodies->n; b++) {
            const sn_mesh *mesh = e->solids[b].mesh;
            double *of_body = area + e->body_first[b];
            for (int64_t t = 0; t < mesh->n_triangles; t++) {
                sn_vec corner[3];
                for (int k = 0; k < 3; k++)
                    corner[k] = sn_vec_load(mesh->vertex[mesh->triangle[t][k]]);
                for (int k = 0; k < 3; k++)
                    of_body[mesh->triangle[t][k]] += sn_vec_length(sn_triangle_normal(corner)) / 6;
            }
        }
    }
    sn_shared_block_fence(&block);
    for (size_t i = 0; i < e->n; i++)
        c->area[i] = area[e->vertex[i]];
    sn_shared_block_free(&block);
}

sn_status sn_colliders_create(const sn_scene *scene, sn_octree *tree, const sn_embedding *embedding,
                              sn_colliders *colliders)
{
    sn_colliders *c = colliders;
    *c = (sn_colliders){.scene = scene, .tree = tree, .embedding = embedding};
    c->n = scene->colliders.count;
    c->collider = SN_NEW_ZERO(sn_moving_collider, c->n);
    c->area = SN_NEW(double, embedding->n);
    c->before = SN_NEW(double[3], embedding->n);
    c->position = SN_NEW(double[3], embedding->n);
    c->first = SN_NEW_ZERO(size_t, embedding->n + 1);
    sn_status status = SN_OK;
    for (size_t i = 0; i < c->n && status == SN_OK; i++)
        status = create_one(c, i);
    if (status == SN_OK)
        share_areas(c);
    else
        sn_colliders_free(c);
    return status;
}

void sn_colliders_free(sn_colliders *c)
{
    for (size_t i = 0; i < c->n; i++) {
        sn_moving_collider *one = &c->collider[i];
        sn_collider_mesh_free(one->surface);
        for (int k = 0; k < 2; k++)
            if (one->place[k].data)
                sn_shared_block_free(&one->place[k]);
        if (one->mesh.view.vertex)
            sn_shared_mesh_free(&one->mesh);
    }
    sn_free(c->collider);
    sn_free(c->area);
    sn_free(c->before);
    sn_free(c->position);
    sn_free(c->first);
    sn_free(c->record);
    *c = (sn_colliders){0};
}

/* ---- For the solver ---- */

static sn_status find(void *context, double time, double *x, sn_spring_list *springs)
{
    sn_colliders_find(context, time, x, springs);
    return SN_OK;
}

static void settle(void *context, double time, double *x)
{
    sn_colliders_settle(context, time, x);
}

sn_contact_source sn_colliders_source(sn_colliders *colliders)
{
    return (sn_contact_source){.context = colliders, .find = find, .settle = settle};
}
