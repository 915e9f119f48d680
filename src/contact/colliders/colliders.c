#include "contact/colliders/colliders.h"

#include "base/array.h"
#include "base/timer.h"
#include "contact/colliders/parts.h"
#include "io/mesh/load.h"
#include "mesh/check.h"

#include <string.h>

/* How far from rigid a pose may be, entry by entry of the product with its transpose. */
static const double RIGID = 1e-6;

/* ---- Poses ---- */

/* The only place that asks for a motion. */
static sn_affine pose_at(const sn_colliders *c, size_t i, double frame)
{
    return sn_moving_at(&c->collider[i].motion, frame);
}

static double frame_at(const sn_colliders *c, double time)
{
    return c->frames.first + time * c->frames.fps;
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
    const sn_frames *frames = &c->frames;
    int start = sn_frames_start(frames);
    int64_t steps = ((int64_t)frames->last - start) * frames->substeps;
    for (int64_t step = 0; step <= steps; step++) {
        *frame = start + (double)step / frames->substeps;
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
        if (pose)
            sn_affine_apply(pose, rest->vertex[v], place[v]);
        else
            memcpy(place[v], rest->vertex[v], sizeof place[v]);
    sn_shared_block_fence(block);
}

static const double (*places(const sn_shared_block *block))[3]
{
    return (const double(*)[3])block->data;
}

static sn_status move_one(sn_colliders *c, size_t i, double frame)
{
    sn_moving_collider *one = &c->collider[i];
    sn_affine pose;
    if (one->is_sequence)
        SN_TRY(sn_moving_mesh_pose(&one->sequence, frame));
    else
        pose = pose_at(c, i, frame);
    if (one->deforms) {
        place_vertices(one->rest, one->is_sequence ? NULL : &pose, &one->place[1]);
        sn_collider_mesh_move(one->surface, places(&one->place[0]), places(&one->place[1]));
    } else {
        one->now = straightened(&pose);
    }
    return SN_OK;
}

sn_status sn_colliders_move(sn_colliders *c, double time)
{
    if (c->time == time)
        return SN_OK;
    sn_status status = SN_OK;
    sn_phase_begin("contact/move");
    for (size_t i = 0; i < c->n && status == SN_OK; i++)
        status = move_one(c, i, frame_at(c, time));
    sn_phase_end("contact/move");
    c->time = status == SN_OK ? time : NAN;
    return status;
}

void sn_colliders_accept(sn_colliders *c, const double (*position)[3])
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
    if (c->embedding->n > 0)
        memcpy(c->before, position, c->embedding->n * sizeof *position);
    c->time = NAN; /* the blocks have changed places */
}

/* ---- Making them ---- */

static sn_status require_closed(const sn_origin *origin, const char *key_path,
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
    return sn_origin_fail(origin, key_path,
                          "a collider's mesh must be closed, to have an inside: %lld edges are %s, "
                          "the first at face %d",
                          (long long)edges->count, kind, (int)edges->first_face);
}

static void create_places(MPI_Comm comm, sn_moving_collider *one)
{
    size_t bytes = (size_t)one->rest->n_vertices * sizeof *one->rest->vertex;
    for (int i = 0; i < 2; i++) {
        sn_shared_block_create(comm, bytes, &one->place[i]);
        place_vertices(one->rest, NULL, &one->place[i]);
    }
}

/* Makes the surface of the collider's mesh, of which `report` tells. */
static sn_status create_surface(sn_colliders *c, size_t i, const sn_origin *origin,
                                const char *key_path, const sn_mesh_report *report)
{
    MPI_Comm comm = c->tree->comm;
    sn_moving_collider *one = &c->collider[i];
    SN_TRY(require_closed(origin, key_path, report));
    double side = (report->volume < 0) != one->settings->shape.invert ? -1 : 1;
    SN_TRY(sn_agree(comm, sn_collider_mesh_create(one->rest, side, &one->surface)));
    if (one->deforms)
        create_places(comm, one);
    return SN_OK;
}

static sn_status load_mesh(sn_colliders *c, size_t i, const sn_origin *origin)
{
    sn_moving_collider *one = &c->collider[i];
    sn_path path = sn_key_path("colliders[%zu].shape.mesh", i);
    sn_mesh_report report;
    const sn_shape *shape = &one->settings->shape;
    SN_TRY(sn_mesh_load_named(c->tree->comm, origin, path.text, shape->mesh, &shape->place,
                              &one->mesh, &report));
    one->rest = &one->mesh.view;
    return create_surface(c, i, origin, path.text, &report);
}

/* What the mesh is in the first frame counts: all files have the same triangles. */
static sn_status load_sequence(sn_colliders *c, size_t i, const sn_motion_source *source)
{
    MPI_Comm comm = c->tree->comm;
    sn_moving_collider *one = &c->collider[i];
    sn_path path = sn_key_path("colliders[%zu].motion", i);
    SN_TRY(sn_moving_mesh_load(comm, source, path.text, &one->settings->motion, &one->sequence));
    one->rest = &one->sequence.view;
    one->deforms = true;
    path = sn_key_path("colliders[%zu].motion.sequence", i);
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_mesh_report report = {0};
    sn_status status = SN_OK;
    if (rank == 0) {
        report = sn_mesh_check(one->rest);
        status = sn_mesh_require_solid(one->settings->motion.sequence, one->rest, &report);
    }
    status = sn_agree(comm, status);
    if (status != SN_OK)
        return sn_origin_blame(source->origin, path.text, status);
    MPI_Bcast(&report, sizeof report, MPI_BYTE, 0, comm);
    return create_surface(c, i, source->origin, path.text, &report);
}

static sn_status create_one(sn_colliders *c, size_t i, const sn_collider *settings,
                            sn_motion_source *source)
{
    sn_moving_collider *one = &c->collider[i];
    double frame;
    one->settings = settings;
    one->before = one->now = SN_IDENTITY;
    one->is_sequence = settings->motion.kind == SN_MOTION_SEQUENCE;
    if (one->is_sequence)
        return load_sequence(c, i, source);
    sn_path motion = sn_key_path("colliders[%zu].motion", i);
    SN_TRY(sn_motion_load(c->tree->comm, source, motion.text, &settings->motion, &one->motion));
    bool is_mesh = settings->shape.kind == SN_SHAPE_MESH;
    one->deforms = !moves_well(c, i, is_rigid, &frame);
    if (is_mesh && one->deforms && !moves_well(c, i, keeps_its_sides, &frame))
        return sn_origin_fail(source->origin, motion.text, "is flat or inside out at frame %g",
                              frame);
    if (is_mesh)
        return load_mesh(c, i, source->origin);
    if (one->deforms)
        return sn_origin_fail(source->origin, motion.text,
                              "a collider whose shape is not a mesh must move rigidly: at frame %g "
                              "it is stretched or sheared",
                              frame);
    return SN_OK;
}

static void set_hardness(sn_colliders *c, const double *young)
{
    const sn_bodies *bodies = c->tree->bodies;
    c->hardness = SN_NEW(sn_contact_hardness, c->n * (size_t)bodies->n);
    for (size_t i = 0; i < c->n; i++)
        for (int b = 0; b < bodies->n; b++) {
            sn_contact_flesh flesh = {young[b], bodies->body[b].cell};
            c->hardness[i * (size_t)bodies->n + (size_t)b] =
                sn_contact_hardness_of(&c->collider[i].settings->law, flesh);
        }
}

/* What is known of the surface before it moves. */
static void measure_surface(sn_colliders *c)
{
    c->area = SN_NEW(double, c->embedding->n);
    sn_embedding_areas(c->embedding, NULL, c->area);
    sn_facing_create(c->embedding, &c->facing);
}

sn_status sn_colliders_create(const sn_collider *settings, size_t n, sn_motion_source *source,
                              const double *young, sn_octree *tree, const sn_embedding *embedding,
                              sn_contact_record_list *memory, sn_colliders *colliders)
{
    sn_colliders *c = colliders;
    *c = (sn_colliders){
        .tree = tree, .embedding = embedding, .frames = *source->frames, .n = n, .memory = memory};
    c->collider = SN_NEW_ZERO(sn_moving_collider, c->n);
    c->before = SN_NEW(double[3], embedding->n);
    c->first = SN_NEW_ZERO(size_t, embedding->n + 1);
    c->time = NAN;
    c->worst = (sn_penetration){.vertex = -1, .body = -1, .collider = -1};
    sn_status status = SN_OK;
    for (size_t i = 0; i < n && status == SN_OK; i++)
        status = create_one(c, i, &settings[i], source);
    if (status != SN_OK) {
        sn_colliders_free(c);
        return status;
    }
    set_hardness(c, young);
    measure_surface(c);
    return SN_OK;
}

void sn_colliders_free(sn_colliders *c)
{
    for (size_t i = 0; i < c->n; i++) {
        sn_moving_collider *one = &c->collider[i];
        sn_collider_mesh_free(one->surface);
        for (int k = 0; k < 2; k++)
            if (one->place[k].data)
                sn_shared_block_free(&one->place[k]);
        if (one->rest == &one->mesh.view)
            sn_shared_mesh_free(&one->mesh);
        if (one->rest == &one->sequence.view)
            sn_moving_mesh_free(&one->sequence);
        sn_moving_free(&one->motion);
    }
    sn_free(c->collider);
    sn_free(c->hardness);
    sn_facing_free(&c->facing);
    sn_free(c->area);
    sn_free(c->before);
    sn_free(c->first);
    *c = (sn_colliders){0};
}
