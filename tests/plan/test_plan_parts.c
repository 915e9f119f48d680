/* A level gathered on one rank and cut for any number of ranks, against levels that were really
 * built: on one rank alone, and on as many as the test runs on. For numbers of ranks that are not
 * there, ghosts are found once more by looking at every element of every part. */
#include "helpers/check.h"
#include "helpers/forest.h"
#include "helpers/prisms.h"

#include "base/array.h"
#include "elastic/operator.h"
#include "octree/element_exchange.h"
#include "plan/parts.h"
#include "plan/whole.h"

#include <string.h>

static int rank, size;

static void make_bodies(test_forest *f)
{
    unsigned long long seed = 5;
    for (int b = 0; b < 3; b++)
        test_forest_add(f, test_tetrahedra(&seed, 2 + b, b == 2), b != 2, 1.0 / (14 + 6 * b));
    test_forest_add(f, test_comb(12, 0.03, 0.02, 0.1, 0.4, 0.15), true, 0.04); /* has copies */
}

static sn_hierarchy build(const test_forest *f, MPI_Comm comm)
{
    sn_hierarchy h;
    sn_hierarchy_options curve = {.octants_per_rank = 1};
    CHECK(test_forest_build(f, comm, curve, &h) == SN_OK, "%s", sn_failure_message());
    return h;
}

/* ---- Whole levels ---- */

static void same_as_built_alone(const sn_octree *level, const sn_octree *alone)
{
    sn_whole_level whole;
    CHECK(sn_whole_level_gather(level, &whole) == SN_OK, "%s", sn_failure_message());
    const sn_octree *tree = &whole.tree;
    if (rank == 0) {
        CHECK(tree->n_octants == alone->n_octants, "%d octants", tree->n_octants);
        CHECK(tree->n_nodes == alone->n_nodes, "%d nodes", tree->n_nodes);
        CHECK(tree->n_boundary_nodes == alone->n_boundary_nodes, "boundary nodes");
        for (sn_local i = 0; i < tree->n_octants; i++)
            CHECK(memcmp(&tree->octant[i], &alone->octant[i], sizeof(sn_octant)) == 0, "octant %d",
                  i);
        for (sn_local e = 0; e < tree->n_elements; e++)
            CHECK(memcmp(tree->conforming[e], alone->conforming[e], sizeof(sn_local[8])) == 0,
                  "the nodes of element %d", e);
        for (int b = 0; b <= alone->bodies->n; b++)
            CHECK(tree->body_first[b] == alone->body_first[b], "body %d", b);
    }
    sn_whole_level_free(&whole);
}

static void whole_levels(const sn_hierarchy *together, const sn_hierarchy *alone)
{
    for (int l = 0; l < together->n_levels; l++)
        same_as_built_alone(&together->level[l], &alone->level[l]);
}

/* ---- Parts against ranks that are there ---- */

/* Collective: this rank's part of a level that rank 0 cuts. */
static sn_part my_part(const sn_octree *level, const sn_cut *cut)
{
    sn_whole_level whole;
    sn_part mine, *part = SN_NEW(sn_part, size);
    CHECK(sn_whole_level_gather(level, &whole) == SN_OK, "%s", sn_failure_message());
    if (rank == 0)
        sn_cut_level(&whole.tree, cut, part);
    MPI_Scatter(part, sizeof mine, MPI_BYTE, &mine, sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
    sn_whole_level_free(&whole);
    sn_free(part);
    return mine;
}

static int64_t count_finest(const sn_octree *tree)
{
    int64_t n = 0;
    for (sn_local i = 0; i < tree->n_octants; i++)
        n += tree->octant[i].is_element && tree->octant[i].height == 0;
    return n;
}

static void check_counts(const sn_octree *tree, const sn_part *part)
{
    const sn_exchange *x = &tree->exchange;
    CHECK(part->octants == tree->n_octants, "%ld of %d", (long)part->octants, tree->n_octants);
    CHECK(part->elements == tree->n_elements, "%ld of %d", (long)part->elements, tree->n_elements);
    CHECK(part->nodes == tree->n_nodes, "%ld of %d", (long)part->nodes, tree->n_nodes);
    CHECK(part->finest_elements == count_finest(tree), "%ld", (long)part->finest_elements);
    CHECK(part->ghost_elements == tree->n_ghost_elements, "%ld of %d", (long)part->ghost_elements,
          tree->n_ghost_elements);
    CHECK(part->ghost_nodes == tree->n_ghost_nodes, "%ld of %d", (long)part->ghost_nodes,
          tree->n_ghost_nodes);
    CHECK(part->sends == x->n_send, "%ld of %d", (long)part->sends, x->n_send);
    CHECK(part->receives == x->n_receive, "%ld of %d", (long)part->receives, x->n_receive);
    CHECK(part->sent_nodes == x->send_first[x->n_send], "%ld", (long)part->sent_nodes);
    CHECK(part->neighbours == sn_exchange_neighbours(x), "%ld", (long)part->neighbours);
}

static void topology_is_exact(const sn_hierarchy *h)
{
    for (int l = 0; l < h->n_levels; l++) {
        const sn_octree *tree = &h->level[l];
        int parts = l == 0 ? size : sn_hierarchy_parts(sn_octree_count(tree - 1).octants, 1, size);
        sn_part part = my_part(tree, &(sn_cut){.parts = parts, .size = size});
        check_counts(tree, &part);
        if (tree->n_octants > 0)
            CHECK(part.bytes == (int64_t)sn_octree_memory(tree), "level %d: %ld bytes, not %zu", l,
                  (long)part.bytes, sn_octree_memory(tree));
    }
}

/* What a rank has when nodal values and deformation gradients have been exchanged once. */
static int64_t bytes_at_work(sn_octree *tree, bool single, int64_t *sent_elements)
{
    sn_element_exchange x;
    CHECK(sn_element_exchange_create(tree, &x) == SN_OK, "%s", sn_failure_message());
    *sent_elements = x.exchange.send_first[x.exchange.n_send];
    size_t elements = (size_t)tree->n_elements + (size_t)tree->n_ghost_elements;
    float(*gradient)[9] = SN_NEW_ZERO(float[9], elements);
    double *field = sn_field_new_f64(tree);
    sn_field_fill_ghosts(tree, field);
    sn_element_exchange_begin(&x, gradient, sizeof *gradient);
    sn_element_exchange_end(&x);
    sn_assembly assembly = sn_assembly_create(tree, NULL, 2);
    size_t bytes = sn_octree_memory(tree) +
                   sn_operator_memory_of(&assembly, SN_LAW_COROTATED, single) +
                   sn_element_exchange_memory(&x);
    sn_assembly_free(&assembly);
    sn_element_exchange_free(&x);
    sn_free(gradient);
    sn_free(field);
    return (int64_t)bytes;
}

/* Ranks that exchange elements are taken to be those that exchange nodes, of which they are some,
 * and elements are taken to arrive in another order: more by some bytes for each. */
static void memory_is_near(sn_octree *tree)
{
    for (int single = 0; single < 2; single++) {
        sn_part part = my_part(tree, &(sn_cut){.parts = size,
                                               .size = size,
                                               .has_operator = true,
                                               .single = single,
                                               .keeps_gradients = true,
                                               .threads = 2});
        int64_t sent_elements, bytes = bytes_at_work(tree, single, &sent_elements);
        int64_t more = part.ghost_elements * (int64_t)sizeof(uint32_t) +
                       (part.sends + part.receives) * (int64_t)(sizeof(int) + sizeof(sn_local));
        CHECK(part.sent_elements == sent_elements, "%ld of %ld", (long)part.sent_elements,
              (long)sent_elements);
        CHECK(part.bytes >= bytes && part.bytes <= bytes + more, "%ld bytes, not %ld to %ld",
              (long)part.bytes, (long)bytes, (long)(bytes + more));
    }
}

/* ---- Parts against a search through everything ---- */

typedef struct {
    const sn_octree *tree;
    int n;
    int *part_of_element, *part_of_node;
} owners;

/* Parts are intervals of the octants, in the order of their ranks. */
static owners owners_of(const sn_octree *tree, const sn_part *part, int n)
{
    owners o = {tree, n, SN_NEW(int, tree->n_elements), SN_NEW(int, tree->n_nodes)};
    sn_local element = 0, node = 0, octant = 0;
    for (int p = 0; p < n; p++)
        for (int64_t i = 0; i < part[p].octants; i++, octant++) {
            if (tree->octant[octant].is_element)
                o.part_of_element[element++] = p;
            if (tree->octant[octant].is_node)
                o.part_of_node[node++] = p;
        }
    CHECK(octant == tree->n_octants, "%d of %d octants are in parts", octant, tree->n_octants);
    return o;
}

static bool contributes(const owners *o, sn_local element, int part)
{
    bool found = false;
    for (int c = 0; c < 8; c++)
        found = found || o->part_of_node[o->tree->conforming[element][c]] == part;
    return found;
}

/* Ghost elements of a part, and marks the nodes of others that it needs. */
static int64_t look_around(const owners *o, int part, bool *needed)
{
    int64_t ghosts = 0;
    for (sn_local e = 0; e < o->tree->n_elements; e++) {
        bool own = o->part_of_element[e] == part;
        if (!own && !contributes(o, e, part))
            continue;
        ghosts += !own;
        for (int c = 0; c < 8; c++)
            needed[o->tree->conforming[e][c]] = true;
    }
    return ghosts;
}

static void check_part(const owners *o, const sn_part *part, int p, bool *gives)
{
    bool *needed = SN_NEW_ZERO(bool, o->tree->n_nodes);
    int64_t elements = look_around(o, p, needed), nodes = 0, givers = 0;
    for (sn_local n = 0; n < o->tree->n_nodes; n++)
        if (needed[n] && o->part_of_node[n] != p) {
            nodes++;
            givers += !gives[o->part_of_node[n] * o->n + p];
            gives[o->part_of_node[n] * o->n + p] = true;
        }
    CHECK(part[p].ghost_elements == elements, "part %d: %ld of %ld ghost elements", p,
          (long)part[p].ghost_elements, (long)elements);
    CHECK(part[p].ghost_nodes == nodes, "part %d: %ld of %ld ghost nodes", p,
          (long)part[p].ghost_nodes, (long)nodes);
    CHECK(part[p].receives == givers, "part %d: from %ld of %ld", p, (long)part[p].receives,
          (long)givers);
    sn_free(needed);
}

static void check_neighbours(const sn_part *part, int n, const bool *gives)
{
    for (int p = 0; p < n; p++) {
        int64_t takers = 0, either = 0;
        for (int q = 0; q < n; q++) {
            takers += gives[p * n + q];
            either += gives[p * n + q] || gives[q * n + p];
        }
        CHECK(part[p].sends == takers, "part %d: to %ld of %ld", p, (long)part[p].sends,
              (long)takers);
        CHECK(part[p].neighbours == either, "part %d: %ld of %ld neighbours", p,
              (long)part[p].neighbours, (long)either);
    }
}

static void cut_for_ranks_that_are_not_there(const sn_octree *alone)
{
    static const int counts[] = {1, 2, 13, 40};
    for (int i = 0; i < 4; i++) {
        int n = counts[i];
        sn_part *part = SN_NEW(sn_part, n);
        sn_cut_level(alone, &(sn_cut){.parts = n, .size = n}, part);
        owners o = owners_of(alone, part, n);
        bool *gives = SN_NEW_ZERO(bool, n *n); /* [p n + q]: p sends nodes to q */
        int64_t sent_nodes = 0, ghost_nodes = 0, sent_elements = 0, ghost_elements = 0;
        for (int p = 0; p < n; p++) {
            check_part(&o, part, p, gives);
            sent_nodes += part[p].sent_nodes;
            ghost_nodes += part[p].ghost_nodes;
            sent_elements += part[p].sent_elements;
            ghost_elements += part[p].ghost_elements;
        }
        check_neighbours(part, n, gives);
        CHECK(sent_nodes == ghost_nodes, "%ld nodes sent, %ld got", (long)sent_nodes,
              (long)ghost_nodes);
        CHECK(sent_elements == ghost_elements, "%ld elements sent, %ld got", (long)sent_elements,
              (long)ghost_elements);
        sn_free(gives);
        sn_free(o.part_of_element);
        sn_free(o.part_of_node);
        sn_free(part);
    }
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    test_forest f = {0};
    make_bodies(&f);
    sn_hierarchy alone = build(&f, MPI_COMM_SELF), together = build(&f, MPI_COMM_WORLD);
    whole_levels(&together, &alone);
    topology_is_exact(&together);
    memory_is_near(&together.level[0]);
    if (rank == 0)
        cut_for_ranks_that_are_not_there(&alone.level[0]);
    sn_hierarchy_free(&alone);
    sn_hierarchy_free(&together);
    test_forest_free(&f);
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
