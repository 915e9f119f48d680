/* The distributed octree against the slow, obvious one: for many small random meshes, every
 * level has the same elements, nodes, hanging corners and conforming nodes. */
#include "helpers/check.h"
#include "helpers/oracle.h"
#include "helpers/solids.h"

#include "octree/family.h"

#include <stdlib.h>

enum { MESHES = 40, FEW_MESHES = 8 };

static void compare_element(const oracle *o, sn_octant octant, uint8_t hanging,
                            const sn_local conforming[8], const sn_key *node_keys)
{
    int anchor[3] = {octant.anchor[0], octant.anchor[1], octant.anchor[2]}, h = octant.height;
    CHECK(oracle_is_element(o, anchor, h), "no element of height %d at %d %d %d", h, anchor[0],
          anchor[1], anchor[2]);
    int parent_edge = 2 << h;
    for (int c = 0; c < 8; c++) {
        int own[3], node[3];
        for (int d = 0; d < 3; d++)
            own[d] = anchor[d] + ((c >> d & 1) << h);
        int hangs = o->is_hanging[oracle_point(o, own[0], own[1], own[2])];
        CHECK((hanging >> c & 1) == hangs, "corner %d of %d %d %d (height %d) hangs: %d", c,
              anchor[0], anchor[1], anchor[2], h, hangs);
        for (int d = 0; d < 3; d++)
            node[d] =
                hangs ? anchor[d] / parent_edge * parent_edge + (c >> d & 1) * parent_edge : own[d];
        CHECK(o->is_node[oracle_point(o, node[0], node[1], node[2])], "a conforming node hangs");
        sn_key expected = sn_key_of(0, (uint32_t)node[0], (uint32_t)node[1], (uint32_t)node[2]);
        CHECK(node_keys[conforming[c]] == expected, "corner %d has the wrong node", c);
    }
}

static void compare(const oracle *o, const sn_octree *tree)
{
    sn_octree_counts n = sn_octree_count(tree);
    CHECK(n.elements == o->n_elements, "%ld elements, not %ld", (long)n.elements, o->n_elements);
    CHECK(n.nodes == o->n_nodes, "%ld nodes, not %ld", (long)n.nodes, o->n_nodes);
    CHECK(n.hanging_nodes == o->n_hanging, "%ld hanging, not %ld", (long)n.hanging_nodes,
          o->n_hanging);
    CHECK(n.boundary_nodes == o->n_boundary, "%ld boundary nodes, not %ld", (long)n.boundary_nodes,
          o->n_boundary);
    sn_key *node_keys = sn_octree_node_keys(tree);
    for (sn_local i = 0, e = 0; i < tree->n_octants; i++) {
        sn_octant octant = tree->octant[i];
        int p[3] = {octant.anchor[0], octant.anchor[1], octant.anchor[2]};
        CHECK(octant.is_node == o->is_node[oracle_point(o, p[0], p[1], p[2])],
              "%d %d %d should %sbe a node", p[0], p[1], p[2], octant.is_node ? "not " : "");
        CHECK(octant.is_element == oracle_is_anchor(o, p), "an element or none at %d %d %d", p[0],
              p[1], p[2]);
        if (octant.is_element) {
            compare_element(o, octant, tree->hanging[e], tree->conforming[e], node_keys);
            e++;
        }
    }
    sn_free(node_keys);
}

/* One rank has the oracle, and the others get it. */
static void share(oracle *o)
{
    oracle head = *o;
    test_share(0, &head, sizeof head);
    size_t cells = (size_t)head.edge * (size_t)head.edge * (size_t)head.edge;
    size_t along = (size_t)head.edge + 1, points = along * along * along;
    if (!test_is_mine(0)) {
        *o = head;
        o->height = malloc(cells);
        o->is_node = malloc(points);
        o->is_hanging = malloc(points);
    }
    test_share(0, o->height, cells);
    test_share(0, o->is_node, points);
    test_share(0, o->is_hanging, points);
}

static void compare_hierarchies(const test_solid *s, double cell, double coarsest,
                                sn_partition_method method)
{
    sn_solid solid = s->solid;
    solid.mesh = &s->mesh;
    sn_box bounds = sn_mesh_bounds(&s->mesh);
    sn_body body;
    CHECK(sn_body_place("test", &bounds, cell, coarsest, &body) == SN_OK, "%s",
          sn_failure_message());
    body.welded = true; /* the oracle knows places; copies have a test of their own */
    sn_bodies bodies = {1, &body};
    /* One octant is enough for a rank: coarse levels are cut everywhere. */
    sn_hierarchy_options options = {.method = method, .octants_per_rank = 1};
    sn_hierarchy h;
    sn_status status = sn_hierarchy_create(MPI_COMM_WORLD, &bodies, &solid, &options, &h);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    oracle o = {0};
    if (test_is_mine(0))
        o = oracle_create(&body, &solid);
    for (int l = 0; l < h.n_levels; l++) {
        share(&o);
        CHECK(sn_octree_check(&h.level[l]) == SN_OK, "level %d: %s", l, sn_failure_message());
        compare(&o, &h.level[l]);
        oracle next = {0};
        if (test_is_mine(0))
            next = oracle_coarsen(&o, body.max_height);
        oracle_free(&o);
        o = next;
    }
    oracle_free(&o);
    sn_hierarchy_free(&h);
}

static void run(int argc, char **argv)
{
    (void)argv;
    unsigned long long seed = 2026;
    int meshes = argc > 1 ? FEW_MESHES : MESHES; /* with any argument: fewer */
    for (int m = 0; m < meshes; m++) {
        bool open = m % 4 == 3;
        test_solid s = test_solid_of(test_tetrahedra(&seed, 1 + m % 6, open), !open);
        double cell = 1.0 / (5 + m % 3 * 9), coarsest = m % 5 == 4 ? 2 * cell : 0;
        compare_hierarchies(&s, cell, coarsest,
                            m % 3 == 2 ? SN_PARTITION_PARMETIS : SN_PARTITION_CURVE);
        test_solid_free(&s);
    }
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
