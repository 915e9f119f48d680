#include "octree/surface.h"

#include "base/array.h"
#include "base/timer.h"
#include "base/vec3.h"
#include "mesh/overlap.h"
#include "partition/sort.h"

#include <omp.h>
#include <string.h>

/* About how many cells a triangle meets: one, plus one for each cell of area and of outline. */
static double cells_estimate(const sn_mesh *mesh, int64_t t, double cell)
{
    sn_vec p[3];
    for (int corner = 0; corner < 3; corner++)
        p[corner] = sn_vec_load(mesh->vertex[mesh->triangle[t][corner]]);
    sn_vec u = sn_vec_scale(sn_vec_sub(p[1], p[0]), 1 / cell);
    sn_vec v = sn_vec_scale(sn_vec_sub(p[2], p[0]), 1 / cell);
    double area = sn_vec_length(sn_vec_cross(u, v)) / 2;
    double outline = fabs(u.x) + fabs(u.y) + fabs(u.z) + fabs(v.x) + fabs(v.y) + fabs(v.z);
    return 1 + area + outline;
}

void sn_surface_share(MPI_Comm comm, const sn_mesh *mesh, double cell, int64_t *from, int64_t *to)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    *from = 0;
    *to = mesh->n_triangles;
    if (size == 1)
        return;
    double total = 0, before = 0;
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        total += cells_estimate(mesh, t, cell);
    *from = *to = mesh->n_triangles;
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        /* A triangle belongs to the rank in whose share it starts. */
        if (*from == mesh->n_triangles && before >= total * rank / size)
            *from = t;
        if (rank + 1 < size && before >= total * (rank + 1) / size) {
            *to = t;
            break;
        }
        before += cells_estimate(mesh, t, cell);
    }
}

/* Of the cells from `first` on, those that the triangle needs. */
static void keep_needed(const sn_grid_triangle *triangle, const sn_body *body, int sense,
                        size_t first, sn_keys *keys)
{
    size_t kept = first;
    for (size_t i = first; i < keys->count; i++) {
        uint32_t xyz[3];
        sn_morton_decode(keys->data[i], xyz);
        int32_t cell[3] = {(int32_t)xyz[0], (int32_t)xyz[1], (int32_t)xyz[2]};
        if (sn_triangle_needs_cell(triangle, cell, body->cells, sense))
            keys->data[kept++] = keys->data[i];
    }
    keys->count = kept;
}

static void rasterise_range(const sn_solid *solid, const sn_body *body, int64_t from, int64_t to,
                            sn_keys *keys)
{
    const sn_mesh *mesh = solid->mesh;
    for (int64_t t = from; t < to; t++) {
        size_t first = keys->count;
        sn_grid_triangle triangle;
        for (int corner = 0; corner < 3; corner++)
            sn_grid_snap(mesh->vertex[mesh->triangle[t][corner]], body->origin, body->cell,
                         triangle.p[corner]);
        sn_triangle_rasterise(&triangle, body->cells, keys);
        keep_needed(&triangle, body, solid->inside_out ? -1 : 1, first, keys);
    }
}

static void append(sn_keys *all, sn_keys *some, int body)
{
    sn_reserve(all, all->count + some->count);
    for (size_t i = 0; i < some->count; i++)
        all->data[all->count++] = sn_key_of_morton(body, some->data[i]);
    sn_vector_free(some);
}

static void rasterise_body(MPI_Comm comm, const sn_bodies *bodies, int b, const sn_solid *solid,
                           sn_keys *cells)
{
    int64_t from, to;
    sn_surface_share(comm, solid->mesh, bodies->body[b].cell, &from, &to);
#pragma omp parallel
    {
        int64_t threads = omp_get_num_threads(), me = omp_get_thread_num(), n = to - from;
        sn_keys mine = {0};
        rasterise_range(solid, &bodies->body[b], from + n * me / threads,
                        from + n * (me + 1) / threads, &mine);
#pragma omp critical
        append(cells, &mine, b);
    }
}

sn_key *sn_surface_cells(MPI_Comm comm, const sn_bodies *bodies, const sn_solid *solids, size_t *n,
                         sn_owners *owners)
{
    sn_phase_begin("octree/rasterise");
    sn_keys cells = {0};
    for (int b = 0; b < bodies->n; b++)
        rasterise_body(comm, bodies, b, &solids[b], &cells);
    sn_phase_end("octree/rasterise");
    sn_phase_begin("octree/sort");
    *n = cells.count;
    sn_key *sorted = sn_sort_along_curve(comm, cells.data, n, owners);
    sn_phase_end("octree/sort");
    return sorted;
}
