/* The embedded surface: at rest it is the input, affine motions of the nodes move it exactly,
 * and it is the same, bit for bit, however the forest is cut. */
#include "base/digest.h"
#include "helpers/check.h"
#include "helpers/embedded.h"

#include <math.h>
#include <string.h>

static const double *input_of(const sn_embedding *e, size_t i)
{
    int b = sn_embedding_body_of(e, e->vertex[i]);
    return e->solids[b].mesh->vertex[e->vertex[i] - e->body_first[b]];
}

static bool is_loose(const sn_embedding *e, size_t i)
{
    for (size_t l = 0; l < e->n_loose; l++)
        if (e->loose[l].at == i)
            return true;
    return false;
}

static void compare_with(const test_embedded *e, test_motion *move, bool loose_too)
{
    const double TOLERANCE = 1e-12; /* the bodies' extent is about 1 */
    for (size_t i = 0; i < e->embedding.n; i++) {
        double expected[3];
        move(input_of(&e->embedding, i), expected);
        for (int d = 0; d < 3; d++)
            CHECK(fabs(e->position[i][d] - expected[d]) <= TOLERANCE * (1 + fabs(expected[d])) ||
                      (!loose_too && is_loose(&e->embedding, i)),
                  "vertex %ld is off by %g", (long)e->embedding.vertex[i],
                  e->position[i][d] - expected[d]);
    }
}

/* Every vertex is on one rank, within an element that this rank owns. */
static void check_shares(const test_embedded *e, int64_t loose)
{
    const sn_embedding *m = &e->embedding;
    int64_t all = sn_embedding_vertices(m);
    int *met = SN_NEW_ZERO(int, all);
    for (size_t i = 0; i < m->n; i++) {
        met[m->vertex[i]]++;
        CHECK(m->element[i] >= 0 && m->element[i] < e->tree->n_elements, "not its own element");
        CHECK(i == 0 || m->element[i - 1] <= m->element[i], "not along the curve");
        for (int d = 0; d < 3; d++)
            CHECK(m->local[i][d] >= 0 && m->local[i][d] <= 1, "outside its element");
    }
    MPI_Allreduce(MPI_IN_PLACE, met, (int)all, MPI_INT, MPI_SUM, e->tree->comm);
    for (int64_t v = 0; v < all; v++)
        CHECK(met[v] == 1, "vertex %ld is on %d ranks", (long)v, met[v]);
    sn_free(met);
    CHECK(m->n_loose_everywhere == loose, "%ld loose vertices, not %ld",
          (long)m->n_loose_everywhere, (long)loose);
    CHECK(sn_embedding_memory(m) <= 38 * m->n + 32 * m->n_loose + 8 * MOST_BODIES + 8, "memory");
}

enum { MOTIONS = 3 };
static test_motion *const MOTION[MOTIONS] = {test_stay, test_affine, test_wave};

typedef struct {
    uint64_t digest[MOTIONS];
} digests;

static digests digests_of(test_embedded *e)
{
    digests result;
    for (int m = 0; m < MOTIONS; m++) {
        test_embedded_move(e, MOTION[m]);
        if (MOTION[m] != test_wave)
            compare_with(e, MOTION[m], MOTION[m] == test_stay);
        result.digest[m] = sn_embedding_digest(&e->embedding, test_positions(e));
    }
    return result;
}

/* On one rank: the digest of the positions in vertex order, as the design says. */
static uint64_t plain_digest(const test_embedded *alone)
{
    const sn_embedding *m = &alone->embedding;
    double(*ordered)[3] = SN_NEW(double[3], m->n);
    uint64_t digest = 0;
    for (size_t i = 0; i < m->n; i++)
        memcpy(ordered[m->vertex[i]], alone->position[i], sizeof *ordered);
    sn_digest_add_array(&digest, 0, ordered, sizeof *ordered, m->n);
    sn_free(ordered);
    return digest;
}

/* On one rank, by trying all: the element that holds a vertex. Where none does, the one that it
 * follows. */
static sn_local element_by_brute_force(const sn_leaves *elements, const sn_body *body, int b,
                                       const double v[3], bool *inside)
{
    double at[3];
    uint32_t cell[3], anchor[3];
    for (int d = 0; d < 3; d++) {
        at[d] = (v[d] - body->origin[d]) / body->cell;
        cell[d] = (uint32_t)fmin(fmax(floor(at[d]), 0), body->cells[d] - 1);
    }
    sn_key key = sn_key_of(b, cell[0], cell[1], cell[2]);
    sn_local follows = SN_NONE;
    *inside = false;
    for (size_t e = 0; e < elements->n; e++) {
        if (sn_key_body(elements->key[e]) != b)
            continue;
        if (follows == SN_NONE || elements->key[e] <= key)
            follows = (sn_local)e;
        bool holds = true;
        double edge = sn_edge(elements->height[e]);
        sn_key_anchor(elements->key[e], anchor);
        for (int d = 0; d < 3; d++)
            holds = holds && at[d] >= anchor[d] && at[d] < anchor[d] + edge;
        if (holds) {
            *inside = true;
            return (sn_local)e;
        }
    }
    return follows;
}

/* Is a vertex in an element, up to a hair, or in a plane of the grid? */
static bool is_held(const sn_leaves *elements, const sn_body *body, sn_local e, const double v[3],
                    bool *on_plane)
{
    const double hair = 2 * 0x1p-13, edge = sn_edge(elements->height[e]);
    uint32_t anchor[3];
    bool held = true;
    *on_plane = false;
    sn_key_anchor(elements->key[e], anchor);
    for (int d = 0; d < 3; d++) {
        double at = (v[d] - body->origin[d]) / body->cell;
        held = held && at >= anchor[d] - hair && at <= anchor[d] + edge + hair;
        *on_plane = *on_plane || fabs(at - nearbyint(at)) < hair;
    }
    return held;
}

/* Of a vertex in a plane of the grid its triangles decide: any element that has it will do. Returns
 * how many vertices are in no element. */
static int64_t check_elements(const test_embedded *alone)
{
    const sn_embedding *m = &alone->embedding;
    sn_leaves elements = sn_octree_elements(alone->tree);
    int64_t loose = 0;
    for (size_t i = 0; i < m->n; i++) {
        int b = sn_embedding_body_of(m, m->vertex[i]);
        const sn_body *body = &alone->tree->bodies->body[b];
        bool inside, on_plane,
            held = is_held(&elements, body, m->element[i], input_of(m, i), &on_plane);
        if (held && on_plane)
            continue;
        sn_local expected = element_by_brute_force(&elements, body, b, input_of(m, i), &inside);
        CHECK(sn_key_place(elements.key[m->element[i]]) == sn_key_place(elements.key[expected]),
              "vertex %ld is in element %d, not in %d or another copy of it", (long)m->vertex[i],
              m->element[i], expected);
        CHECK(is_loose(m, i) == !inside, "vertex %ld", (long)m->vertex[i]);
        loose += !inside;
    }
    sn_leaves_free(&elements);
    return loose;
}

/* Returns how many vertices are in no element. */
static int64_t same_however_it_is_cut(const test_bodies *f)
{
    test_embedded alone;
    test_embed(f, MPI_COMM_SELF, SN_PARTITION_CURVE, &alone);
    int64_t loose = check_elements(&alone);
    check_shares(&alone, loose);
    digests expected = digests_of(&alone);
    CHECK(expected.digest[MOTIONS - 1] == plain_digest(&alone), "not what the design says");
    test_embedded_free(&alone);
    for (int method = SN_PARTITION_CURVE; method <= SN_PARTITION_PARMETIS; method++) {
        test_embedded together;
        test_embed(f, MPI_COMM_WORLD, (sn_partition_method)method, &together);
        check_shares(&together, loose);
        digests found = digests_of(&together);
        for (int m = 0; m < MOTIONS; m++)
            CHECK(found.digest[m] == expected.digest[m], "method %d, motion %d", method, m);
        test_embedded_free(&together);
    }
    return loose;
}

static void random_bodies(void)
{
    unsigned long long seed = 21;
    test_bodies f = {0};
    test_bodies_add(&f, test_tetrahedra(&seed, 3, false), true, 0.05);
    test_bodies_add(&f, test_tetrahedra(&seed, 2, true), false, 0.11);
    test_bodies_add(&f, test_builtin("builtin:sphere,radius=0.5,detail=12"), true, 0.03);
    CHECK(same_however_it_is_cut(&f) == 0, "triangles use vertices in no element");
    test_bodies_free(&f);
}

/* Cells that grow fast towards the middle, so that corners of surface cells hang. */
static void hanging_corners(void)
{
    test_bodies f = {0};
    test_bodies_add(&f, test_builtin("builtin:sphere,radius=0.5,detail=16"), true, 1.0 / 24);
    test_embedded e;
    test_embed(&f, MPI_COMM_WORLD, SN_PARTITION_CURVE, &e);
    int64_t hanging = 0;
    for (size_t i = 0; i < e.embedding.n; i++)
        hanging += e.tree->hanging[e.embedding.element[i]] != 0;
    MPI_Allreduce(MPI_IN_PLACE, &hanging, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(hanging > 100, "only %ld vertices in cells with hanging corners", (long)hanging);
    test_embedded_free(&e);
    CHECK(same_however_it_is_cut(&f) == 0, "triangles use vertices in no element");
    test_bodies_free(&f);
}

/* Vertices exactly on cells' faces, edges and corners: of the grid itself, between it, and of two
 * boxes around which there are no elements. */
static void vertices_on_borders(void)
{
    static const double unit[2][3] = {{0, 0, 0}, {1, 1, 1}};
    static const double inner[2][3] = {{0.25, 0.25, 0.25}, {0.75, 0.5, 0.5}};
    static const double apart[2][3] = {{1.5, 1.25, 1.25}, {1.75, 1.5, 1.75}};
    static const double shifted[2][3] = {{0.125, 0.125, 0.125}, {0.625, 0.375, 0.25}};
    test_bodies f = {0};
    test_bodies_add(&f,
                    test_meshes_joined(test_box(unit[0], unit[1]), test_box(inner[0], inner[1])),
                    true, 0.25);
    test_bodies_add(&f,
                    test_meshes_joined(test_box(unit[0], unit[1]), test_box(apart[0], apart[1])),
                    true, 0.25);
    test_bodies_add(
        &f, test_meshes_joined(test_box(unit[0], unit[1]), test_box(shifted[0], shifted[1])), true,
        0.25);
    CHECK(f.body[1].origin[0] == 0, "the grid is not where the test wants it");
    CHECK(same_however_it_is_cut(&f) == 0, "triangles use vertices in no element");
    test_bodies_free(&f);
}

static void add_vertex(sn_mesh *mesh, double x, double y, double z)
{
    SN_RESIZE(mesh->vertex, mesh->n_vertices + 1);
    double *v = mesh->vertex[mesh->n_vertices++];
    v[0] = x;
    v[1] = y;
    v[2] = z;
}

/* Some are inside, and are embedded as any; the others follow. */
static void unused_vertices(void)
{
    test_bodies f = {0};
    for (int b = 0; b < 2; b++) {
        sn_mesh mesh = test_builtin("builtin:sphere,radius=0.5,detail=10");
        add_vertex(&mesh, 0, 0.01, 0.02);    /* inside */
        add_vertex(&mesh, -0.5, -0.5, -0.5); /* in the grid, before all elements */
        add_vertex(&mesh, 0.5, 0.5, 0.5);    /* in the grid, after all elements */
        add_vertex(&mesh, 0.5, -0.5, 0.5);   /* in the grid, between them */
        add_vertex(&mesh, 0.6, 0.01, 0.02);  /* outside, beside an element */
        add_vertex(&mesh, 1e9, -1e5, 1e3);   /* far outside */
        test_bodies_add(&f, mesh, true, 0.05);
    }
    CHECK(same_however_it_is_cut(&f) == 2 * 5, "unused vertices");
    test_bodies_free(&f);
}

/* Anywhere in and around bodies full of holes. */
static void scattered_vertices(void)
{
    enum { SCATTERED = 300 };
    unsigned long long seed = 3;
    test_bodies f = {0};
    for (int b = 0; b < 3; b++) {
        sn_mesh mesh = test_tetrahedra(&seed, 4, false);
        for (int i = 0; i < SCATTERED; i++)
            add_vertex(&mesh, 1.4 * test_random(&seed) - 0.2, 1.4 * test_random(&seed) - 0.2,
                       1.4 * test_random(&seed) - 0.2);
        test_bodies_add(&f, mesh, true, 0.04);
    }
    int64_t loose = same_however_it_is_cut(&f);
    CHECK(loose > SCATTERED && loose < 3 * SCATTERED, "%ld loose vertices", (long)loose);
    test_bodies_free(&f);
}

static void more_ranks_than_octants(void)
{
    static const double corner[2][3] = {{0, 0, 0}, {1, 0.9, 0.8}};
    test_bodies f = {0};
    test_bodies_add(&f, test_box(corner[0], corner[1]), true, 1.0);
    CHECK(same_however_it_is_cut(&f) == 0, "triangles use vertices in no element");
    test_bodies_free(&f);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    random_bodies();
    hanging_corners();
    vertices_on_borders();
    unused_vertices();
    scattered_vertices();
    more_ranks_than_octants();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
