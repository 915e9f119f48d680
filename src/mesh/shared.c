#include "mesh/shared.h"

#include <limits.h>
#include <string.h>

/* What the ranks must know before they can lay out the arrays. */
static void share_counts(MPI_Comm comm, const sn_mesh *root_mesh, sn_mesh *view)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    int64_t counts[4] = {0};
    if (rank == 0) {
        counts[0] = root_mesh->n_vertices;
        counts[1] = root_mesh->n_triangles;
        counts[2] = root_mesh->n_empty_faces;
        counts[3] = root_mesh->first_empty_face;
    }
    MPI_Bcast(counts, 4, MPI_INT64_T, 0, comm);
    *view = (sn_mesh){.n_vertices = counts[0],
                      .n_triangles = counts[1],
                      .n_empty_faces = counts[2],
                      .first_empty_face = (int32_t)counts[3]};
}

static size_t vertex_bytes(const sn_mesh *mesh)
{
    return (size_t)mesh->n_vertices * sizeof *mesh->vertex;
}

static size_t triangle_bytes(const sn_mesh *mesh)
{
    return (size_t)mesh->n_triangles * sizeof *mesh->triangle;
}

static size_t face_bytes(const sn_mesh *mesh)
{
    return (size_t)mesh->n_triangles * sizeof *mesh->face;
}

/* Vertices, triangles and face numbers one after the other: falling alignment, no gaps. */
static void lay_out(char *data, sn_mesh *view)
{
    if (!data)
        return;
    view->vertex = (double(*)[3])(void *)data;
    view->triangle = (int32_t(*)[3])(void *)(data + vertex_bytes(view));
    view->face = (int32_t *)(void *)(data + vertex_bytes(view) + triangle_bytes(view));
}

static void copy_arrays(const sn_mesh *from, sn_mesh *to)
{
    if (from->n_vertices > 0)
        memcpy(to->vertex, from->vertex, vertex_bytes(from));
    if (from->n_triangles > 0) {
        memcpy(to->triangle, from->triangle, triangle_bytes(from));
        memcpy(to->face, from->face, face_bytes(from));
    }
}

sn_status sn_shared_mesh_create_split(MPI_Comm comm, int most_ranks, sn_mesh *root_mesh,
                                      sn_shared_mesh *shared)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_mesh *view = &shared->view;
    share_counts(comm, root_mesh, view);
    size_t bytes = vertex_bytes(view) + triangle_bytes(view) + face_bytes(view);
    lay_out(sn_shared_block_create_split(comm, most_ranks, bytes, &shared->block), view);
    if (rank == 0) {
        copy_arrays(root_mesh, view);
        sn_mesh_free(root_mesh);
    }
    sn_shared_block_broadcast(&shared->block);
    return SN_OK;
}

sn_status sn_shared_mesh_create(MPI_Comm comm, sn_mesh *root_mesh, sn_shared_mesh *shared)
{
    return sn_shared_mesh_create_split(comm, INT_MAX, root_mesh, shared);
}

void sn_shared_mesh_free(sn_shared_mesh *shared)
{
    sn_shared_block_free(&shared->block);
    shared->view = (sn_mesh){0};
}
