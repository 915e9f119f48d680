/* Blocks and meshes held once a node, with several pretended nodes too. */
#include "helpers/check.h"

#include "base/shared.h"
#include "mesh/shared.h"

#include <limits.h>
#include <stdint.h>

static void every_rank_reads_what_its_leader_wrote(int most_ranks)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sn_shared_block block;
    /* Leaders want different sizes, other ranks name nonsense. */
    size_t wanted = rank % most_ranks == 0 ? sizeof(int) * (size_t)(1000 + rank) : 7;
    int *data = sn_shared_block_create_split(MPI_COMM_WORLD, most_ranks, wanted, &block);
    CHECK(block.is_leader == (rank % most_ranks == 0), "leader of a group of %d", most_ranks);
    int leader = rank - rank % most_ranks, count = 1000 + leader;
    CHECK(block.bytes == sizeof(int) * (size_t)count, "%zu bytes", block.bytes);
    CHECK(!block.is_leader || (uintptr_t)data % 64 == 0, "alignment");
    if (block.is_leader)
        for (int i = 0; i < count; i++)
            data[i] = i * (leader + 1);
    sn_shared_block_fence(&block);
    int wrong = 0;
    for (int i = 0; i < count; i++)
        wrong += data[i] != i * (leader + 1);
    CHECK(wrong == 0, "%d values differ", wrong);
    sn_shared_block_free(&block);
}

/* More blocks than an MPI library has communicators for, if each took one of its own. */
static void blocks_share_their_communicators(void)
{
    enum { BLOCKS = 300 };
    static sn_shared_block block[BLOCKS];
    size_t held = sn_memory_held();
    for (int i = 0; i < BLOCKS; i++)
        sn_shared_block_create(MPI_COMM_WORLD, 8, &block[i]);
    for (int i = 1; i < BLOCKS; i++)
        CHECK(block[i].node == block[0].node && block[i].leaders == block[0].leaders, "block %d",
              i);
    for (int i = 0; i < BLOCKS; i++)
        sn_shared_block_free(&block[i * 7 % BLOCKS]);
    CHECK(sn_memory_held() == held, "%zu bytes are left", sn_memory_held() - held);
}

static sn_mesh some_mesh(int64_t n_vertices, int64_t n_triangles)
{
    sn_mesh mesh = {.n_vertices = n_vertices,
                    .n_triangles = n_triangles,
                    .n_empty_faces = 2,
                    .first_empty_face = 5};
    mesh.vertex = SN_NEW(*mesh.vertex, n_vertices);
    mesh.triangle = SN_NEW(*mesh.triangle, n_triangles);
    mesh.face = SN_NEW(*mesh.face, n_triangles);
    for (int64_t v = 0; v < n_vertices; v++)
        for (int d = 0; d < 3; d++)
            mesh.vertex[v][d] = (double)(3 * v + d) / 7;
    for (int64_t t = 0; t < n_triangles; t++) {
        for (int c = 0; c < 3; c++)
            mesh.triangle[t][c] = (int32_t)((5 * t + c) % n_vertices);
        mesh.face[t] = (int32_t)t + 1;
    }
    return mesh;
}

static int64_t differences(const sn_mesh *a, const sn_mesh *b)
{
    int64_t n = 0;
    for (int64_t v = 0; v < a->n_vertices; v++)
        for (int d = 0; d < 3; d++)
            n += a->vertex[v][d] != b->vertex[v][d];
    for (int64_t t = 0; t < a->n_triangles; t++) {
        for (int c = 0; c < 3; c++)
            n += a->triangle[t][c] != b->triangle[t][c];
        n += a->face[t] != b->face[t];
    }
    return n;
}

static void every_rank_sees_the_mesh_of_rank_0(int most_ranks, int64_t n_vertices,
                                               int64_t n_triangles)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    size_t before = sn_memory_held();
    sn_mesh root = {0}, expected = some_mesh(n_vertices, n_triangles);
    if (rank == 0)
        root = some_mesh(n_vertices, n_triangles);
    sn_shared_mesh shared;
    sn_status status = sn_shared_mesh_create_split(MPI_COMM_WORLD, most_ranks, &root, &shared);
    CHECK(status == SN_OK, "status %d", status);
    CHECK(shared.view.n_vertices == n_vertices && shared.view.n_triangles == n_triangles, "counts");
    CHECK(shared.view.n_empty_faces == 2 && shared.view.first_empty_face == 5, "empty faces");
    CHECK(differences(&shared.view, &expected) == 0, "arrays differ");
    sn_shared_mesh_free(&shared);
    sn_mesh_free(&expected);
    CHECK(sn_memory_held() == before, "rank 0's own copy is freed");
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    blocks_share_their_communicators();
    const int group_sizes[] = {1, 2, INT_MAX};
    for (int i = 0; i < 3; i++) {
        every_rank_reads_what_its_leader_wrote(group_sizes[i]);
        every_rank_sees_the_mesh_of_rank_0(group_sizes[i], 1001, 2003);
        every_rank_sees_the_mesh_of_rank_0(group_sizes[i], 0, 0);
    }
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
