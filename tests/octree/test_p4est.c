/* For a domain that fills its root cube, the balanced octree is the one that p4est gives for
 * the same refinement, octant for octant. */
#include "helpers/check.h"
#include "helpers/solids.h"

#include "curve/search.h"

#include <p8est_bits.h>
#include <p8est_extended.h>

enum { ROOT_HEIGHT = 5, MESHES = 6 };

/* A box that just fits into the root cube, with random tetrahedra inside. */
static sn_mesh box_with_contents(unsigned long long *seed, int tetrahedra)
{
    const double edge = (1 << ROOT_HEIGHT) - 0.5;
    const double min[3] = {0, 0, 0}, max[3] = {edge, edge, edge};
    sn_mesh box = test_box(min, max), inside = test_tetrahedra(seed, tetrahedra, false);
    for (int64_t v = 0; v < inside.n_vertices; v++)
        for (int d = 0; d < 3; d++)
            inside.vertex[v][d] = edge * (0.05 + 0.9 * inside.vertex[v][d]);
    return test_meshes_joined(box, inside);
}

static int contains_surface(p8est_t *p4est, p4est_topidx_t tree, p8est_quadrant_t *q)
{
    (void)tree;
    const sn_search *cells = p4est->user_pointer;
    int height = ROOT_HEIGHT - q->level, shift = P8EST_MAXLEVEL - ROOT_HEIGHT;
    if (height == 0)
        return 0;
    sn_key key = sn_key_of(0, (uint32_t)(q->x >> shift), (uint32_t)(q->y >> shift),
                           (uint32_t)(q->z >> shift));
    size_t at = sn_search_lower_bound(cells, key);
    return at < cells->n && cells->keys[at] < key + sn_key_span(height);
}

static sn_leaves leaves_of_p4est(const sn_search *cells)
{
    p8est_connectivity_t *cube = p8est_connectivity_new_unitcube();
    p8est_t *p4est = p8est_new_ext(MPI_COMM_SELF, cube, 0, 0, 1, 0, NULL, (void *)(uintptr_t)cells);
    p8est_refine(p4est, 1, contains_surface, NULL);
    p8est_balance(p4est, P8EST_CONNECT_FULL, NULL);
    p8est_tree_t *tree = p8est_tree_array_index(p4est->trees, 0);
    int shift = P8EST_MAXLEVEL - ROOT_HEIGHT;
    sn_leaves leaves = {0};
    for (size_t i = 0; i < tree->quadrants.elem_count; i++) {
        p8est_quadrant_t *q = p8est_quadrant_array_index(&tree->quadrants, i);
        sn_leaves_push(&leaves,
                       sn_key_of(0, (uint32_t)(q->x >> shift), (uint32_t)(q->y >> shift),
                                 (uint32_t)(q->z >> shift)),
                       ROOT_HEIGHT - q->level);
    }
    p8est_destroy(p4est);
    p8est_connectivity_destroy(cube);
    return leaves;
}

static void compare(const sn_octree *tree, const sn_leaves *expected)
{
    CHECK(sn_octree_count(tree).elements == (int64_t)expected->n, "%ld elements, p4est has %zu",
          (long)sn_octree_count(tree).elements, expected->n);
    sn_search search = sn_search_create(expected->key, expected->n);
    sn_leaves elements = sn_octree_elements(tree);
    for (size_t e = 0; e < (size_t)tree->n_elements; e++) {
        sn_local at = sn_search_find(&search, elements.key[e]);
        CHECK(at != SN_NONE && expected->height[at] == elements.height[e],
              "p4est has no octant of height %d at %llx", elements.height[e],
              (unsigned long long)elements.key[e]);
    }
    sn_leaves_free(&elements);
    sn_search_free(&search);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    sc_init(MPI_COMM_WORLD, 0, 0, NULL, SC_LP_ERROR);
    p4est_init(NULL, SC_LP_ERROR);
    unsigned long long seed = 99;
    for (int m = 0; m < MESHES; m++) {
        test_solid s = test_solid_of(box_with_contents(&seed, m), true);
        s.solid.mesh = &s.mesh;
        sn_box bounds = sn_mesh_bounds(&s.mesh);
        sn_body body;
        CHECK(sn_body_place("box", &bounds, 1, 0, &body) == SN_OK, "%s", sn_failure_message());
        CHECK(body.root_height == ROOT_HEIGHT, "the box fills a root of 2^%d", body.root_height);
        sn_bodies bodies = {1, &body};
        size_t n;
        sn_owners owners;
        sn_key *cells = sn_surface_cells(MPI_COMM_SELF, &bodies, &s.solid, &n, &owners);
        sn_search search = sn_search_create(cells, n);
        sn_leaves expected = leaves_of_p4est(&search);
        sn_hierarchy_options options = {.max_levels = 1};
        sn_hierarchy h;
        CHECK(sn_hierarchy_create(MPI_COMM_WORLD, &bodies, &s.solid, &options, &h) == SN_OK, "%s",
              sn_failure_message());
        compare(&h.level[0], &expected);
        sn_hierarchy_free(&h);
        sn_leaves_free(&expected);
        sn_search_free(&search);
        sn_owners_free(&owners);
        sn_free(cells);
        test_solid_free(&s);
    }
    sc_finalize();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
