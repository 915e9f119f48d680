/* One digest for a forest, however it is cut: on all ranks, on one rank alone, on the curve, on
 * ParMETIS, with more ranks than octants, with holes exactly where ranks meet, and with ranks
 * that have nothing on coarse levels. */
#include "helpers/check.h"
#include "helpers/forest.h"

#include <stdlib.h>

static int rank, size;

static sn_hierarchy build(const test_forest *f, MPI_Comm comm, sn_hierarchy_options options)
{
    sn_hierarchy h;
    CHECK(test_forest_build(f, comm, options, &h) == SN_OK, "%s", sn_failure_message());
    for (int l = 0; l < h.n_levels; l++)
        CHECK(sn_octree_check(&h.level[l]) == SN_OK, "level %d: %s", l, sn_failure_message());
    return h;
}

/* What two forests have in common that are the same. */
typedef struct {
    int n_levels;
    uint64_t whole, level[SN_MAX_LEVELS];
    bool has_copies[SN_MAX_LEVELS];
} digests;

static digests digests_of(const sn_hierarchy *h)
{
    digests d = {.n_levels = h->n_levels, .whole = sn_hierarchy_digest(h)};
    for (int l = 0; l < h->n_levels; l++) {
        d.level[l] = sn_octree_digest(&h->level[l]);
        d.has_copies[l] = h->level[l].has_copies;
    }
    return d;
}

/* By the rank that this piece is for. */
static digests digests_alone(const test_forest *f, int piece)
{
    digests d = {0};
    if (test_is_mine(piece)) {
        sn_hierarchy alone = build(f, MPI_COMM_SELF, (sn_hierarchy_options){0});
        d = digests_of(&alone);
        sn_hierarchy_free(&alone);
    }
    test_share(piece, &d, sizeof d);
    return d;
}

static void compare_levels(const sn_hierarchy *h, const digests *alone, const char *what)
{
    digests d = digests_of(h);
    CHECK(d.n_levels == alone->n_levels, "%s: %d and %d levels", what, d.n_levels, alone->n_levels);
    for (int l = 0; l < d.n_levels && l < alone->n_levels; l++) {
        CHECK(d.level[l] == alone->level[l], "%s: level %d", what, l);
        CHECK(d.has_copies[l] == alone->has_copies[l], "%s: level %d has copies", what, l);
    }
    CHECK(d.whole == alone->whole, "%s: the forest", what);
}

static void same_however_it_is_cut(const test_forest *f)
{
    digests alone = digests_alone(f, 0);
    for (int w = 0; w < TEST_WAYS; w++) {
        sn_hierarchy together = build(f, MPI_COMM_WORLD, test_ways[w].options);
        compare_levels(&together, &alone, test_ways[w].name);
        sn_hierarchy_free(&together);
    }
}

static void several_bodies(void)
{
    unsigned long long seed = 7;
    test_forest f = {0};
    for (int b = 0; b < 3; b++)
        test_forest_add(&f, test_tetrahedra(&seed, 2 + b, false), true, 1.0 / (11 + 6 * b));
    test_forest_add(&f, test_tetrahedra(&seed, 4, true), false, 0.06);
    same_however_it_is_cut(&f);
    test_forest_free(&f);
}

static void more_ranks_than_octants(void)
{
    test_forest f = {0};
    const double min[3] = {0, 0, 0}, max[3] = {1, 0.9, 0.8};
    test_forest_add(&f, test_box(min, max), true, 1.0);
    sn_hierarchy h = build(&f, MPI_COMM_WORLD, (sn_hierarchy_options){0});
    CHECK(sn_octree_count(&h.level[0]).elements <= 8, "a handful of elements");
    sn_hierarchy_free(&h);
    same_however_it_is_cut(&f);
    test_forest_free(&f);
}

/* Large elements inside, small ones at the surface: somewhere the curve is cut inside the run of
 * keys that a large element covers, and its neighbours across the cut must still find it. */
static void cuts_inside_large_elements(void)
{
    for (int edge = 17; edge < 33; edge++) {
        const double min[3] = {0, 0, 0}, max[3] = {edge, edge - 3.3, edge - 5.1};
        test_forest f = {0};
        test_forest_add(&f, test_box(min, max), true, 1.0);
        digests alone = digests_alone(&f, edge);
        sn_hierarchy together =
            build(&f, MPI_COMM_WORLD, (sn_hierarchy_options){.octants_per_rank = 1});
        compare_levels(&together, &alone, "a solid box");
        sn_hierarchy_free(&together);
        test_forest_free(&f);
    }
}

/* As many equal boxes as ranks, along x, with three empty cells between them: every rank gets
 * one box, and the tree has a hole exactly where they meet. */
static void a_hole_at_every_rank_boundary(void)
{
    enum { EDGE = 6, PITCH = 16 }; /* aligned alike in the grid, so they weigh alike */
    sn_mesh mesh = {0};
    for (int r = 0; r < size; r++) {
        double min[3] = {r * PITCH + 0.4, 0.4, 0.4};
        double max[3] = {r * PITCH + EDGE - 0.4, EDGE - 0.4, EDGE - 0.4};
        mesh = test_meshes_joined(mesh, test_box(min, max));
    }
    test_forest f = {0};
    test_forest_add(&f, mesh, true, 1.0);
    sn_hierarchy h = build(&f, MPI_COMM_WORLD, (sn_hierarchy_options){.octants_per_rank = 1});
    const sn_octree *tree = &h.level[0];
    int64_t elements = sn_octree_count(tree).elements;
    CHECK(tree->n_elements == elements / size, "%d of %ld elements", tree->n_elements,
          (long)elements);
    sn_hierarchy_free(&h);
    same_however_it_is_cut(&f);
    test_forest_free(&f);
}

/* Coarse levels that are too small for all ranks leave some with nothing. */
static void ranks_without_octants_on_coarse_levels(void)
{
    unsigned long long seed = 11;
    test_forest f = {0};
    test_forest_add(&f, test_tetrahedra(&seed, 3, false), true, 0.04);
    sn_hierarchy h = build(&f, MPI_COMM_WORLD, (sn_hierarchy_options){0});
    const sn_octree *last = &h.level[h.n_levels - 1];
    int empty = last->n_octants == 0, n_empty;
    MPI_Allreduce(&empty, &n_empty, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(n_empty == size - 1, "%d of %d ranks are empty", n_empty, size);
    sn_hierarchy_free(&h);
    test_forest_free(&f);
}

/* Half of the memory a rank has on one rank is enough on several. */
static void memory_falls_with_ranks(void)
{
    unsigned long long seed = 13;
    test_forest f = {0};
    test_forest_add(&f, test_tetrahedra(&seed, 3, false), true, 0.02);
    size_t whole = 0;
    if (test_is_mine(0)) {
        sn_hierarchy alone = build(&f, MPI_COMM_SELF, (sn_hierarchy_options){.max_levels = 1});
        whole = sn_octree_memory(&alone.level[0]);
        CHECK(whole <= 60 * (size_t)alone.level[0].n_octants, "%zu bytes for %d octants", whole,
              alone.level[0].n_octants);
        sn_hierarchy_free(&alone);
    }
    test_share(0, &whole, sizeof whole);
    sn_hierarchy shared = build(&f, MPI_COMM_WORLD, (sn_hierarchy_options){.max_levels = 1});
    size_t part = sn_octree_memory(&shared.level[0]);
    CHECK(size == 1 || part < whole * 3 / 4, "%zu of %zu bytes", part, whole);
    sn_hierarchy_free(&shared);
    test_forest_free(&f);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    several_bodies();
    more_ranks_than_octants();
    a_hole_at_every_rank_boundary();
    cuts_inside_large_elements();
    ranks_without_octants_on_coarse_levels();
    memory_falls_with_ranks();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
