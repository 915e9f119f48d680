/* What goes between two levels: interpolation is exact for linear functions and agrees with a
 * search through all elements, restriction is its transpose to the last bit, masses keep their
 * sum, element values are the means that the paper names, and all of it has the same bits however
 * the two levels are cut. */
#include "base/array.h"
#include "curve/search.h"
#include "helpers/check.h"
#include "helpers/forest.h"
#include "helpers/level_pair.h"
#include "helpers/transfer_results.h"
#include "octree/element_exchange.h"
#include "octree/positions.h"
#include "transfer/coarse_site.h"

#include <math.h>

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
    sn_key_anchor(key, xyz);
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
        double *fine = SN_NEW(double, n), *narrow = SN_NEW(double, n);
        for (sn_local e = 0; e < n; e++) {
            fine[e] = key_random(pair->fine_element.key[e], d);
            narrow[e] = (double)(float)fine[e];
        }
        for (sn_local c = 0; c < pair->coarse->n_elements; c++) {
            int count;
            double mean = oracle_sum(pair, narrow, c, &count) / count;
            CHECK(r->gradient[GRADIENT_REALS * c + d] == (float)mean, "F of element %d", c);
            sn_local first = sn_search_find(&search, pair->coarse_element.key[c]);
            bool same = first != SN_NONE &&
                        pair->fine_element.height[first] == pair->coarse_element.height[c];
            double sum = oracle_sum(pair, narrow, c, &count);
            if (d < SN_LAW_PARAMETERS)
                CHECK(r->parameters[c].of[d] == (float)(same ? sum : sum / 8),
                      "parameter of element %d", c);
        }
        sn_free(narrow);
        sn_free(fine);
    }
    sn_search_free(&search);
}

static double half_edge(const sn_octree *tree, const sn_leaves *element, sn_local e)
{
    return ldexp(tree->bodies->body[sn_key_body(element->key[e])].cell, element->height[e] - 1);
}

/* The centre of gravity of the children's points in space, where each weighs as it is stiff. */
static void points_agree_with_positions(const level_pair *pair, const results *r)
{
    sn_local n = pair->fine->n_elements;
    double(*centre)[3] = SN_NEW(double[3], pair->fine_element.n);
    double(*of_coarse)[3] = SN_NEW(double[3], pair->coarse_element.n);
    double *weight = SN_NEW(double, n), *moment = SN_NEW(double, n);
    sn_octree_element_centres(pair->fine, centre);
    sn_octree_element_centres(pair->coarse, of_coarse);
    for (int d = 0; d < 3; d++) {
        for (sn_local e = 0; e < n; e++) {
            sn_key key = pair->fine_element.key[e];
            double half = half_edge(pair->fine, &pair->fine_element, e);
            weight[e] = results_stiffness(key);
            moment[e] = weight[e] * (centre[e][d] + half * (double)results_point(key, d));
        }
        for (sn_local c = 0; c < pair->coarse->n_elements; c++) {
            int count;
            double x = oracle_sum(pair, moment, c, &count) / oracle_sum(pair, weight, c, &count);
            double half = half_edge(pair->coarse, &pair->coarse_element, c);
            CHECK(fabs((double)r->point[c][d] - (x - of_coarse[c][d]) / half) < 1e-6,
                  "element %d: its point is at %g", c, (double)r->point[c][d]);
        }
    }
    sn_free(centre), sn_free(of_coarse), sn_free(weight), sn_free(moment);
}

/* By the definition, with the weights that reach a node found by restricting ones. */
static void pins_agree_with_their_definition(level_pair *pair, const results *r)
{
    sn_local n = pair->fine->n_nodes, n_coarse = pair->coarse->n_nodes, n_pinned = 0;
    double *ones = SN_NEW(double, n), *pinned = SN_NEW(double, n);
    double *all = SN_NEW(double, n_coarse), *held = SN_NEW(double, n_coarse);
    for (sn_local i = 0; i < n; i++) {
        ones[i] = 1;
        pinned[i] = results_pinned(pair->fine_node[i]);
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
    bool created = level_pair_create(fine, coarse, &pair) == SN_OK;
    CHECK(created, "%s: %s", way, sn_failure_message());
    if (!created)
        return;
    rows_sum_to_one(&pair);
    linear_functions_are_exact(&pair);
    restriction_is_the_transpose(&pair);
    results r = results_compute(&pair);
    const char *different = results_compare(&pair, &r, alone, all);
    CHECK(!different, "%s: %s differs from one rank alone", way, different);
    results_free(&r);
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
    results all = results_compute(&pair);
    if (size == 1 && pair.fine->n_nodes <= MOST_FOR_A_SEARCH) {
        nodes_agree_with_a_search(&pair);
        elements_agree_with_a_search(&pair, &all);
        points_agree_with_positions(&pair, &all);
        pins_agree_with_their_definition(&pair, &all);
    }
    for (int w = 0; w < TEST_WAYS; w++) {
        way = test_ways[w].name;
        check_pair(&together[w].level[l], &together[w].level[l + 1], &pair, &all);
        ghost_elements_get_their_values(&together[w].level[l]);
    }
    results_free(&all);
    level_pair_free(&pair);
}

static void check_forest(test_forest *f, int64_t *hanging)
{
    sn_hierarchy alone = build(f, MPI_COMM_SELF, (sn_hierarchy_options){0}), together[TEST_WAYS];
    for (int w = 0; w < TEST_WAYS; w++) {
        together[w] = build(f, MPI_COMM_WORLD, test_ways[w].options);
        CHECK(sn_hierarchy_digest(&together[w]) == sn_hierarchy_digest(&alone),
              "%s: not the same forest", test_ways[w].name);
    }
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
        test_forest_weld(&f); /* rows are looked for by place; those of copies are in test_copies */
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
