/* What goes between two levels: interpolation is exact for linear functions and agrees with a
 * search through all elements, restriction is its transpose to the last bit, masses keep their
 * sum, element values are the means that the paper names, and all of it has the same bits however
 * the two levels are cut. */
#include "base/array.h"
#include "check.h"
#include "curve/search.h"
#include "forest.h"
#include "level_pair.h"
#include "multigrid/placement.h"
#include "octree/element_exchange.h"

#include <string.h>

enum { LAME_REALS = 2, GRADIENT_REALS = 9 };

static int size;
static const char *way; /* how the forest is cut now */

static sn_hierarchy build(const test_forest *f, MPI_Comm comm, sn_hierarchy_options options)
{
    sn_hierarchy h;
    CHECK(test_forest_build(f, comm, options, &h) == SN_OK, "%s", sn_failure_message());
    return h;
}

static double sum_over_ranks(const sn_octree *tree, double mine)
{
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, tree->comm);
    return mine;
}

static double dot(const double *a, const double *b, sn_local n)
{
    double sum = 0;
    for (sn_local i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void rows_sum_to_one(const level_pair *pair)
{
    const sn_weighted_rows *rows = &pair->transfer.prolongation;
    CHECK(rows->n_rows == pair->fine->n_nodes, "%s", way);
    for (sn_local i = 0; i < rows->n_rows; i++) {
        int sum = 0;
        for (sn_local k = rows->first[i]; k < rows->first[i + 1]; k++)
            sum += rows->weight[k];
        CHECK(sum == SN_WEIGHT_ONE, "%s: node %d has %d", way, i, sum);
    }
}

static double linear(sn_key key, int salt)
{
    static const double slope[3][3] = {{3, -5, 7}, {1, 0, 0}, {-2, 11, 4}};
    uint32_t xyz[3];
    sn_morton_decode(key, xyz);
    return slope[salt][0] * xyz[0] + slope[salt][1] * xyz[1] + slope[salt][2] * xyz[2] - 9 * salt;
}

static void linear_functions_are_exact(level_pair *pair)
{
    sn_local n = pair->fine->n_nodes;
    double *coarse = key_values(pair->coarse_node, pair->coarse->n_nodes,
                                sn_transfer_room_coarse_nodes(&pair->transfer), 3, linear);
    double *fine = key_values(pair->fine_node, n, n, 3, linear); /* it is added to what is there */
    sn_prolong_add_f64(&pair->transfer, coarse, fine);
    for (sn_local i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            CHECK(fine[3 * i + d] == 2 * linear(pair->fine_node[i], d), "%s: node %d", way, i);
    sn_free(coarse);
    sn_free(fine);
}

static void restriction_is_the_transpose(level_pair *pair)
{
    sn_local n_fine = pair->fine->n_nodes, n_coarse = pair->coarse->n_nodes;
    double *c = key_values(pair->coarse_node, n_coarse,
                           sn_transfer_room_coarse_nodes(&pair->transfer), 3, key_integer);
    double *r = key_values(pair->fine_node, n_fine, sn_transfer_room_fine_nodes(&pair->transfer), 3,
                           key_integer);
    double *pc = SN_NEW_ZERO(double, 3 * n_fine), *rr = SN_NEW(double, 3 * n_coarse);
    sn_prolong_add_f64(&pair->transfer, c, pc);
    sn_restrict_f64(&pair->transfer, r, rr);
    double left = sum_over_ranks(pair->fine, dot(rr, c, 3 * n_coarse));
    double right = sum_over_ranks(pair->fine, dot(r, pc, 3 * n_fine));
    CHECK(left == right, "%s: %.17g and %.17g", way, left, right);
    sn_restrict_scalar_f64(&pair->transfer, r, rr); /* as masses, whole numbers */
    double before = 0, after = 0;
    for (sn_local i = 0; i < n_fine; i++)
        before += r[i];
    for (sn_local i = 0; i < n_coarse; i++)
        after += rr[i];
    before = sum_over_ranks(pair->fine, before);
    after = sum_over_ranks(pair->fine, after);
    CHECK(before == after, "%s: mass %.17g becomes %.17g", way, before, after);
    sn_free(c);
    sn_free(r);
    sn_free(pc);
    sn_free(rr);
}

/* Everything that a transfer computes, from values that depend on keys only. */
typedef struct {
    double *prolonged, *restricted, *mass, *lame, *gradient;
    float *prolonged_f32, *restricted_f32, *mass_f32;
    uint8_t *pins;
} results;

static float *as_floats(const double *values, sn_local n)
{
    float *floats = SN_NEW(float, n);
    for (sn_local i = 0; i < n; i++)
        floats[i] = (float)values[i];
    return floats;
}

static void compute_nodes(level_pair *pair, results *r)
{
    sn_transfer *t = &pair->transfer;
    sn_local n_fine = pair->fine->n_nodes, n_coarse = pair->coarse->n_nodes;
    sn_local coarse_room = sn_transfer_room_coarse_nodes(t), room = sn_transfer_room_fine_nodes(t);
    double *coarse = key_values(pair->coarse_node, n_coarse, coarse_room, 3, key_random);
    double *fine = key_values(pair->fine_node, n_fine, room, 3, key_random);
    float *coarse_f32 = as_floats(coarse, 3 * coarse_room), *fine_f32 = as_floats(fine, 3 * room);
    r->prolonged = key_values(pair->fine_node, n_fine, n_fine, 3, key_random);
    r->prolonged_f32 = as_floats(r->prolonged, 3 * n_fine);
    r->restricted = SN_NEW(double, 3 * n_coarse);
    r->restricted_f32 = SN_NEW(float, 3 * n_coarse);
    r->mass = SN_NEW(double, n_coarse);
    r->mass_f32 = SN_NEW(float, n_coarse);
    sn_prolong_add_f64(t, coarse, r->prolonged);
    sn_prolong_add_f32(t, coarse_f32, r->prolonged_f32);
    sn_restrict_f64(t, fine, r->restricted);
    sn_restrict_f32(t, fine_f32, r->restricted_f32);
    for (sn_local i = 0; i < n_fine; i++)
        fine_f32[i] = (float)(fine[i] = key_random(pair->fine_node[i], 7));
    sn_restrict_scalar_f64(t, fine, r->mass);
    sn_restrict_scalar_f32(t, fine_f32, r->mass_f32);
    sn_free(coarse);
    sn_free(fine);
    sn_free(coarse_f32);
    sn_free(fine_f32);
}

/* Half a body is pinned, and a few nodes elsewhere. */
static bool is_pinned(sn_key node)
{
    uint32_t xyz[3];
    sn_morton_decode(node, xyz);
    return xyz[0] < 7 || key_random(node, 5) > 0.6;
}

static void compute_pins(level_pair *pair, results *r)
{
    uint8_t *pinned = SN_NEW(uint8_t, pair->fine->n_nodes);
    for (sn_local i = 0; i < pair->fine->n_nodes; i++)
        pinned[i] = is_pinned(pair->fine_node[i]);
    r->pins = SN_NEW(uint8_t, pair->coarse->n_nodes);
    sn_restrict_pins(&pair->transfer, pinned, r->pins);
    sn_free(pinned);
}

static results compute(level_pair *pair)
{
    results r;
    compute_nodes(pair, &r);
    compute_pins(pair, &r);
    sn_local n = pair->fine->n_elements, n_coarse = pair->coarse->n_elements;
    sn_local room = sn_transfer_room_fine_elements(&pair->transfer);
    double *fine = key_values(pair->fine_element.key, n, room, GRADIENT_REALS, key_random);
    r.gradient = SN_NEW(double, GRADIENT_REALS *n_coarse);
    sn_coarsen_gradient(&pair->transfer.children, GRADIENT_REALS, fine, r.gradient);
    sn_free(fine);
    fine = key_values(pair->fine_element.key, n, room, LAME_REALS, key_random);
    r.lame = SN_NEW(double, LAME_REALS *n_coarse);
    sn_coarsen_lame(&pair->transfer.children, LAME_REALS, fine, r.lame);
    sn_free(fine);
    return r;
}

static void free_results(results *r)
{
    sn_free(r->prolonged);
    sn_free(r->restricted);
    sn_free(r->mass);
    sn_free(r->lame);
    sn_free(r->gradient);
    sn_free(r->prolonged_f32);
    sn_free(r->restricted_f32);
    sn_free(r->mass_f32);
    sn_free(r->pins);
}

/* Are the entries of these keys, byte for byte, those that one rank alone has for them? */
static void same_bits(const char *what, const sn_key *keys, sn_local n, const void *values,
                      const sn_key *all_keys, sn_local n_all, const void *all_values, size_t bytes)
{
    sn_search search = sn_search_create(all_keys, (size_t)n_all);
    sn_local different = 0;
    for (sn_local i = 0; i < n; i++) {
        sn_local at = sn_search_find(&search, keys[i]);
        different += at == SN_NONE || memcmp((const char *)values + bytes * (size_t)i,
                                             (const char *)all_values + bytes * (size_t)at, bytes);
    }
    CHECK(different == 0, "%s: %d of %d entries of %s differ", way, different, n, what);
    sn_search_free(&search);
}

static void compare(const level_pair *p, const results *r, const level_pair *alone,
                    const results *all)
{
    const sn_key *fine = p->fine_node, *coarse = p->coarse_node, *all_fine = alone->fine_node,
                 *all_coarse = alone->coarse_node;
    sn_local n = p->fine->n_nodes, n_all = alone->fine->n_nodes, m = p->coarse->n_nodes,
             m_all = alone->coarse->n_nodes;
    same_bits("P", fine, n, r->prolonged, all_fine, n_all, all->prolonged, 3 * sizeof(double));
    same_bits("P, single", fine, n, r->prolonged_f32, all_fine, n_all, all->prolonged_f32,
              3 * sizeof(float));
    same_bits("R", coarse, m, r->restricted, all_coarse, m_all, all->restricted,
              3 * sizeof(double));
    same_bits("R, single", coarse, m, r->restricted_f32, all_coarse, m_all, all->restricted_f32,
              3 * sizeof(float));
    same_bits("masses", coarse, m, r->mass, all_coarse, m_all, all->mass, sizeof(double));
    same_bits("masses, single", coarse, m, r->mass_f32, all_coarse, m_all, all->mass_f32,
              sizeof(float));
    same_bits("pins", coarse, m, r->pins, all_coarse, m_all, all->pins, 1);
    same_bits("Lame", p->coarse_element.key, p->coarse->n_elements, r->lame,
              alone->coarse_element.key, alone->coarse->n_elements, all->lame,
              LAME_REALS * sizeof(double));
    same_bits("F", p->coarse_element.key, p->coarse->n_elements, r->gradient,
              alone->coarse_element.key, alone->coarse->n_elements, all->gradient,
              GRADIENT_REALS * sizeof(double));
}

static void ghost_elements_get_their_values(const sn_octree *tree)
{
    sn_element_exchange x;
    CHECK(sn_element_exchange_create(tree, &x) == SN_OK, "%s", sn_failure_message());
    sn_leaves elements = sn_octree_elements(tree);
    double *values =
        key_values(elements.key, tree->n_elements, (sn_local)elements.n, 2, key_random);
    sn_element_exchange_begin(&x, values, 2 * sizeof *values);
    sn_element_exchange_end(&x);
    for (size_t e = 0; e < elements.n; e++)
        for (int r = 0; r < 2; r++)
            CHECK(values[2 * e + (size_t)r] == key_random(elements.key[e], r), "%s: element %zu",
                  way, e);
    sn_free(values);
    sn_leaves_free(&elements);
    sn_element_exchange_free(&x);
}

static void nodes_agree_with_a_search(level_pair *pair)
{
    sn_local n = pair->fine->n_nodes, n_coarse = pair->coarse->n_nodes;
    double *scalar = key_values(pair->coarse_node, n_coarse, n_coarse, 1, key_integer);
    double *coarse = SN_NEW_ZERO(double, 3 * n_coarse), *fine = SN_NEW_ZERO(double, 3 * n);
    for (sn_local i = 0; i < n_coarse; i++)
        coarse[3 * i + 1] = scalar[i];
    sn_prolong_add_f64(&pair->transfer, coarse, fine);
    for (sn_local i = 0; i < n; i++) {
        double expected = oracle_interpolate(pair, scalar, pair->fine_node[i]);
        CHECK(fine[3 * i + 1] == expected && fine[3 * i] == 0, "node %d: %g, not %g", i,
              fine[3 * i + 1], expected);
    }
    sn_free(scalar);
    sn_free(coarse);
    sn_free(fine);
}

static void elements_agree_with_a_search(const level_pair *pair, const results *r)
{
    sn_local n = pair->fine->n_elements;
    sn_search search = sn_search_create(pair->fine_element.key, (size_t)n);
    for (int d = 0; d < GRADIENT_REALS; d++) {
        double *fine = SN_NEW(double, n);
        for (sn_local e = 0; e < n; e++)
            fine[e] = key_random(pair->fine_element.key[e], d);
        for (sn_local c = 0; c < pair->coarse->n_elements; c++) {
            int count;
            double sum = oracle_sum(pair, fine, c, &count);
            CHECK(r->gradient[GRADIENT_REALS * c + d] == sum / count, "F of element %d", c);
            sn_local first = sn_search_find(&search, pair->coarse_element.key[c]);
            bool same = first != SN_NONE &&
                        pair->fine_element.height[first] == pair->coarse_element.height[c];
            if (d < LAME_REALS)
                CHECK(r->lame[LAME_REALS * c + d] == (same ? sum : sum / 8), "Lame of element %d",
                      c);
        }
        sn_free(fine);
    }
    sn_search_free(&search);
}

/* By the definition, with the weights that reach a node found by restricting ones. */
static void pins_agree_with_their_definition(level_pair *pair, const results *r)
{
    sn_local n = pair->fine->n_nodes, n_coarse = pair->coarse->n_nodes, n_pinned = 0;
    double *ones = SN_NEW(double, n), *pinned = SN_NEW(double, n);
    double *all = SN_NEW(double, n_coarse), *held = SN_NEW(double, n_coarse);
    for (sn_local i = 0; i < n; i++) {
        ones[i] = 1;
        pinned[i] = is_pinned(pair->fine_node[i]);
    }
    sn_restrict_scalar_f64(&pair->transfer, ones, all);
    sn_restrict_scalar_f64(&pair->transfer, pinned, held);
    sn_search search = sn_search_create(pair->fine_node, (size_t)n);
    for (sn_local i = 0; i < n_coarse; i++) {
        sn_local twin = sn_search_find(&search, pair->coarse_node[i]);
        bool expected = (twin != SN_NONE && pinned[twin] > 0) || held[i] >= all[i] / 2;
        CHECK(all[i] > 0, "no weight reaches node %d", i);
        CHECK(r->pins[i] == expected, "node %d", i);
        n_pinned += expected;
    }
    CHECK(n_pinned > 0 && n_pinned < n_coarse, "%d of %d are pinned", n_pinned, n_coarse);
    sn_search_free(&search);
    sn_free(ones);
    sn_free(pinned);
    sn_free(all);
    sn_free(held);
}

static void check_pair(const sn_octree *fine, const sn_octree *coarse, const level_pair *alone,
                       const results *all)
{
    level_pair pair;
    CHECK(sn_agree(fine->comm, level_pair_create(fine, coarse, &pair)) == SN_OK, "%s: %s", way,
          sn_failure_message());
    rows_sum_to_one(&pair);
    linear_functions_are_exact(&pair);
    restriction_is_the_transpose(&pair);
    results r = compute(&pair);
    compare(&pair, &r, alone, all);
    free_results(&r);
    level_pair_free(&pair);
}

/* One pair of levels, cut in all ways. */
static void check_level(const sn_hierarchy *alone, const sn_hierarchy together[TEST_WAYS], int l)
{
    enum { MOST_FOR_A_SEARCH = 20000 };
    level_pair pair;
    way = "one rank alone";
    CHECK(level_pair_create(&alone->level[l], &alone->level[l + 1], &pair) == SN_OK, "%s",
          sn_failure_message());
    results all = compute(&pair);
    if (size == 1 && pair.fine->n_nodes <= MOST_FOR_A_SEARCH) {
        nodes_agree_with_a_search(&pair);
        elements_agree_with_a_search(&pair, &all);
        pins_agree_with_their_definition(&pair, &all);
    }
    for (int w = 0; w < TEST_WAYS; w++) {
        way = test_ways[w].name;
        check_pair(&together[w].level[l], &together[w].level[l + 1], &pair, &all);
        ghost_elements_get_their_values(&together[w].level[l]);
    }
    free_results(&all);
    level_pair_free(&pair);
}

static void check_forest(test_forest *f, int64_t *hanging)
{
    sn_hierarchy alone = build(f, MPI_COMM_SELF, (sn_hierarchy_options){0}), together[TEST_WAYS];
    for (int w = 0; w < TEST_WAYS; w++)
        together[w] = build(f, MPI_COMM_WORLD, test_ways[w].options);
    CHECK(alone.n_levels > 1, "%d levels", alone.n_levels);
    for (int l = 0; l + 1 < alone.n_levels; l++) {
        hanging[l] += alone.level[l].n_hanging;
        check_level(&alone, together, l);
    }
    for (int w = 0; w < TEST_WAYS; w++)
        sn_hierarchy_free(&together[w]);
    sn_hierarchy_free(&alone);
    test_forest_free(f);
}

/* Half the memory, at the fine nodes and coarse ones together, of rows with 8 entries each. */
static void memory_is_small(void)
{
    test_forest f = {0};
    const double min[3] = {0, 0, 0}, max[3] = {1, 1, 1};
    test_forest_add(&f, test_box(min, max), true, 1.0 / 16);
    sn_hierarchy h = build(&f, MPI_COMM_SELF, (sn_hierarchy_options){.max_levels = 2});
    sn_transfer t;
    CHECK(sn_transfer_create(&h.level[0], &h.level[1], &t) == SN_OK, "%s", sn_failure_message());
    double bytes = (double)sn_transfer_memory(&t) / h.level[0].n_nodes;
    CHECK(bytes < 50, "%g bytes for a fine node", bytes);
    sn_transfer_free(&t);
    sn_hierarchy_free(&h);
    test_forest_free(&f);
}

/* Boxes in each other: solid inside, so that cells of several sizes meet on all levels. */
static sn_mesh random_boxes(unsigned long long *seed, int parts)
{
    sn_mesh mesh = {0};
    for (int p = 0; p < parts; p++) {
        double min[3], max[3];
        for (int d = 0; d < 3; d++) {
            min[d] = 0.4 * test_random(seed);
            max[d] = min[d] + 0.4 + 0.3 * test_random(seed);
        }
        mesh = test_meshes_joined(mesh, test_box(min, max));
    }
    return mesh;
}

static void run(int argc, char **argv)
{
    (void)argv;
    bool few = argc > 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int64_t hanging[SN_MAX_LEVELS] = {0};
    unsigned long long seed = 5;
    for (int i = 0; i < (few ? 1 : 3); i++) {
        test_forest f = {0};
        test_forest_add(&f, test_tetrahedra(&seed, 2 + i, i == 1), i != 1, 1.0 / (15 + 4 * i));
        test_forest_add(&f, random_boxes(&seed, 1 + i), true, few ? 0.05 : 1.0 / (37 - 4 * i));
        check_forest(&f, hanging);
    }
    CHECK(hanging[0] > 0 && hanging[1] > 0 && (few || hanging[2] > 0), "%ld, %ld, %ld hang",
          (long)hanging[0], (long)hanging[1], (long)hanging[2]);
    memory_is_small();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
