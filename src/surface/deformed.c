#include "surface/deformed.h"

#include "base/array.h"
#include "base/exact_sum.h"
#include "base/timer.h"
#include "base/vec3.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { JOINED_AT_ONCE = 1 << 20 }; /* numbers in one reduction: MPI makes room for as many */

static MPI_Comm comm_of(const sn_deformed *f)
{
    return f->embedding->tree->comm;
}

static int bodies_of(const sn_deformed *f)
{
    return f->embedding->tree->bodies->n;
}

/* This rank's share of a body's triangles. */
static void share(const sn_deformed *f, const sn_mesh *mesh, int64_t *from, int64_t *to)
{
    int rank, size;
    MPI_Comm_rank(comm_of(f), &rank);
    MPI_Comm_size(comm_of(f), &size);
    int64_t each = mesh->n_triangles / size, left = mesh->n_triangles % size;
    *from = each * rank + (rank < left ? rank : left);
    *to = *from + each + (rank < left);
}

/* ---- Positions ---- */

static bool alone(const sn_shared_block *block)
{
    int leaders;
    MPI_Comm_size(block->leaders, &leaders);
    return leaders == 1;
}

/* Where a node has no vertex its window is zero, so "or" puts the nodes' windows together, bit
 * by bit. */
static void join_nodes(const sn_shared_block *block)
{
    uint64_t *bits = block->data;
    size_t n = block->bytes / sizeof *bits;
    for (size_t done = 0; done < n; done += JOINED_AT_ONCE) {
        int count = (int)(n - done < JOINED_AT_ONCE ? n - done : JOINED_AT_ONCE);
        MPI_Allreduce(MPI_IN_PLACE, bits + done, count, MPI_UINT64_T, MPI_BOR, block->leaders);
    }
}

void sn_deformed_update(sn_deformed *f, const double (*position)[3])
{
    sn_phase_begin("model/deformed");
    const sn_embedding *e = f->embedding;
    double(*all)[3] = f->block.data;
    sn_shared_block_fence(&f->block); /* nobody reads any more */
    bool several = f->block.is_leader && !alone(&f->block);
    if (several)
        memset(f->block.data, 0, f->block.bytes);
    sn_shared_block_fence(&f->block);
#pragma omp parallel for
    for (size_t i = 0; i < e->n; i++)
        memcpy(all[e->vertex[i]], position[i], sizeof position[i]);
    sn_shared_block_fence(&f->block);
    if (several)
        join_nodes(&f->block);
    sn_shared_block_fence(&f->block);
    sn_phase_end("model/deformed");
}

static void copy_input(sn_deformed *f)
{
    if (f->block.is_leader)
        for (int b = 0; b < bodies_of(f); b++) {
            const sn_mesh *input = f->embedding->solids[b].mesh;
            if (input->n_vertices > 0)
                memcpy(f->body[b].vertex, input->vertex,
                       (size_t)input->n_vertices * sizeof *input->vertex);
        }
    sn_shared_block_fence(&f->block);
}

/* ---- Volume ---- */

static void add_terms(const sn_mesh *mesh, int64_t from, int64_t to, sn_sum_queue *sum)
{
    /* Relative to one of its own vertices, so that a body far from the origin loses nothing. */
    sn_vec o = sn_vec_load(mesh->vertex[mesh->triangle[0][0]]);
    for (int64_t t = from; t < to; t++) {
        sn_vec p[3];
        for (int corner = 0; corner < 3; corner++)
            p[corner] = sn_vec_sub(sn_vec_load(mesh->vertex[mesh->triangle[t][corner]]), o);
        sn_sum_push(sum, sn_vec_dot(p[0], sn_vec_cross(p[1], p[2])));
    }
}

static sn_sum six_volumes(const sn_deformed *f, const sn_mesh *mesh)
{
    enum { CHUNK = 1 << 12 };
    int64_t from, to;
    share(f, mesh, &from, &to);
    sn_sum sum = {0};
#pragma omp parallel
    {
        sn_sum_queue mine = {0};
#pragma omp for
        for (int64_t first = from; first < to; first += CHUNK)
            add_terms(mesh, first, first + CHUNK < to ? first + CHUNK : to, &mine);
        sn_sum_flush(&mine);
#pragma omp critical
        sn_sum_merge(&sum, &mine.sum);
    }
    return sum;
}

/* Of each body, with the sign that its triangles give it. */
static double *signed_volumes(const sn_deformed *f)
{
    int n = bodies_of(f);
    sn_sum *sums = SN_NEW(sn_sum, n);
    double *volume = SN_NEW(double, n);
    for (int b = 0; b < n; b++)
        sums[b] = six_volumes(f, &f->body[b]);
    sn_sum_allreduce(comm_of(f), sums, n);
    for (int b = 0; b < n; b++)
        volume[b] = sn_sum_value(&sums[b]) / 6;
    sn_free(sums);
    return volume;
}

double sn_deformed_volume(const sn_deformed *f)
{
    double *volume = signed_volumes(f), total = 0;
    for (int b = 0; b < bodies_of(f); b++)
        total += f->outward[b] * volume[b];
    sn_free(volume);
    return total;
}

/* ---- The box ---- */

sn_box sn_deformed_bounds(const sn_deformed *f)
{
    double low[6]; /* the lower corner, and the upper one negated */
    for (int d = 0; d < 6; d++)
        low[d] = INFINITY;
    for (int b = 0; b < bodies_of(f); b++) {
        const sn_mesh *mesh = &f->body[b];
        int64_t from, to;
        share(f, mesh, &from, &to);
#pragma omp parallel for schedule(static) reduction(min : low)
        for (int64_t t = from; t < to; t++)
            for (int corner = 0; corner < 3; corner++)
                for (int d = 0; d < 3; d++) {
                    double at = mesh->vertex[mesh->triangle[t][corner]][d];
                    low[d] = fmin(low[d], at);
                    low[d + 3] = fmin(low[d + 3], -at);
                }
    }
    MPI_Allreduce(MPI_IN_PLACE, low, 6, MPI_DOUBLE, MPI_MIN, comm_of(f));
    return (sn_box){{low[0], low[1], low[2]}, {-low[3], -low[4], -low[5]}};
}

/* ---- Making it ---- */

void sn_deformed_create_split(const sn_embedding *embedding, int most_ranks, sn_deformed *deformed)
{
    sn_deformed *f = deformed;
    *f = (sn_deformed){.embedding = embedding};
    int n = bodies_of(f);
    f->body = SN_NEW(sn_mesh, n);
    f->outward = SN_NEW(double, n);
    size_t bytes = (size_t)sn_embedding_vertices(embedding) * sizeof(double[3]);
    double(*all)[3] = sn_shared_block_create_split(comm_of(f), most_ranks, bytes, &f->block);
    for (int b = 0; b < n; b++) {
        f->body[b] = *embedding->solids[b].mesh;
        f->body[b].vertex = all + embedding->body_first[b];
    }
    copy_input(f);
    double *volume = signed_volumes(f);
    for (int b = 0; b < n; b++)
        f->outward[b] = volume[b] < 0 ? -1 : 1;
    sn_free(volume);
}

void sn_deformed_create(const sn_embedding *embedding, sn_deformed *deformed)
{
    sn_deformed_create_split(embedding, INT_MAX, deformed);
}

void sn_deformed_free(sn_deformed *f)
{
    sn_shared_block_free(&f->block);
    sn_free(f->body);
    sn_free(f->outward);
    *f = (sn_deformed){0};
}
