#include "octree/parts.h"

#include "base/array.h"
#include "base/digest.h"
#include "base/vec3.h"
#include "mesh/triangle.h"
#include "octree/parts_body.h"

#include <math.h>

void sn_parts_free(sn_parts *parts)
{
    sn_free(parts->cell);
    sn_free(parts->triangle);
    sn_free(parts->part);
    sn_free(parts->joint);
    sn_free(parts->measure);
    *parts = (sn_parts){0};
}

static int32_t joints_before(const sn_parts_cell *cell, int face)
{
    int32_t n = 0;
    for (int f = 0; f < face; f++)
        n += cell->n_joints[f];
    return n;
}

size_t sn_parts_memory(const sn_parts *parts)
{
    size_t bytes = parts->n * sizeof *parts->cell;
    for (size_t i = 0; i < parts->n; i++) {
        const sn_parts_cell *cell = &parts->cell[i];
        bytes += (size_t)cell->n_triangles * (sizeof *parts->triangle + sizeof *parts->part) +
                 (size_t)joints_before(cell, SN_CELL_FACES) * sizeof *parts->joint +
                 (size_t)cell->n_parts * sizeof *parts->measure;
    }
    return bytes;
}

const sn_parts_cell *sn_parts_cell_at(const sn_parts *parts, sn_key key)
{
    size_t low = 0, high = parts->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (parts->cell[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < parts->n && parts->cell[low].key == key ? &parts->cell[low] : NULL;
}

const sn_part_joint *sn_parts_joints(const sn_parts *parts, const sn_parts_cell *cell, int face,
                                     int32_t *n)
{
    *n = cell->n_joints[face];
    return parts->joint + cell->first_joint + joints_before(cell, face);
}

int32_t sn_parts_at(const sn_parts *parts, const sn_bodies *bodies, const sn_solid *solids,
                    const sn_parts_cell *cell, const double point[3])
{
    sn_parts_body body = sn_parts_body_of(bodies, solids, sn_key_body(cell->key));
    sn_cell_parts found = {.part = parts->part + cell->first_triangle,
                           .corner_winding = cell->corner_winding};
    int32_t at[3];
    sn_parts_cell_place(cell->key, at);
    for (int c = 0; c < 8; c++)
        found.corner[c] = cell->corner[c];
    sn_parts_work *work = sn_parts_work_create();
    int32_t part = sn_cell_part_at(work, &body, at, parts->triangle + cell->first_triangle,
                                   cell->n_triangles, &found, point);
    sn_parts_work_free(work);
    return part;
}

static double distance_to(const sn_mesh *mesh, int32_t triangle, const double place[3])
{
    sn_vec corner[3], p = sn_vec_load(place);
    for (int c = 0; c < 3; c++)
        corner[c] = sn_vec_load(mesh->vertex[mesh->triangle[triangle][c]]);
    sn_weights nearest = sn_triangle_nearest(corner, p);
    return sn_vec_length(sn_vec_sub(sn_triangle_point(corner, nearest), p));
}

static bool has_vertex(const sn_mesh *mesh, int32_t triangle, int64_t vertex)
{
    const int32_t *corner = mesh->triangle[triangle];
    return corner[0] == vertex || corner[1] == vertex || corner[2] == vertex;
}

int32_t sn_parts_on_surface(const sn_parts *parts, const sn_parts_cell *cell, int64_t vertex,
                            const double place[3])
{
    const sn_mesh *mesh = parts->solids[sn_key_body(cell->key)].mesh;
    const int32_t *triangle = parts->triangle + cell->first_triangle;
    const int32_t *part = parts->part + cell->first_triangle;
    double nearest = INFINITY;
    int32_t found = 0;
    for (int32_t i = 0; i < cell->n_triangles; i++) {
        if (part[i] < 0)
            continue;
        if (has_vertex(mesh, triangle[i], vertex))
            return part[i];
        double distance = distance_to(mesh, triangle[i], place);
        if (distance < nearest) {
            nearest = distance;
            found = part[i];
        }
    }
    return found;
}

int32_t sn_parts_near(const sn_parts *parts, const sn_bodies *bodies, const sn_parts_cell *cell,
                      const double point[3])
{
    int32_t part = sn_parts_at(parts, bodies, parts->solids, cell, point);
    return part >= 0 ? part : sn_parts_on_surface(parts, cell, -1, point);
}

/* ---- The digest ---- */

/* Of one cell: a chain of hashes, each of the one before and of something new. */
static void chain(uint64_t *hash, uint64_t bits)
{
    uint64_t both[2] = {*hash, bits};
    *hash = sn_digest_bytes(both, sizeof both);
}

static uint64_t hash_of_cell(const sn_parts *parts, const sn_parts_cell *cell)
{
    uint64_t hash = cell->key;
    chain(&hash, (uint64_t)cell->n_parts);
    for (int32_t i = 0; i < cell->n_triangles; i++) {
        chain(&hash, (uint64_t)parts->triangle[cell->first_triangle + i]);
        chain(&hash, (uint64_t)parts->part[cell->first_triangle + i]);
    }
    for (int f = 0; f < SN_CELL_FACES; f++) {
        int32_t n;
        const sn_part_joint *joint = sn_parts_joints(parts, cell, f, &n);
        for (int32_t i = 0; i < n; i++) {
            chain(&hash, joint[i].number);
            chain(&hash, (uint64_t)(8 * joint[i].part + f));
        }
    }
    const sn_part_measure *measure = parts->measure + cell->first_part;
    chain(&hash, sn_digest_bytes(measure, (size_t)cell->n_parts * sizeof *measure));
    return hash;
}

uint64_t sn_parts_digest(MPI_Comm comm, const sn_parts *parts)
{
    uint64_t digest = 0;
    for (size_t i = 0; i < parts->n; i++) {
        uint64_t hash = hash_of_cell(parts, &parts->cell[i]);
        sn_digest_add(&digest, parts->cell[i].key, &hash, sizeof hash);
    }
    return sn_digest_allreduce(comm, digest);
}
