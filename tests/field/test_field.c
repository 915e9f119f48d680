/* Fields: what is done to a whole one, against plain loops; sums against exact ones; the same bits
 * however the forest is cut. */
#include "helpers/check.h"
#include "helpers/multigrid_problem.h"

#include "base/array.h"
#include "base/exact_sum.h"

#include <math.h>
#include <string.h>

static multigrid_case usual_case(void)
{
    return (multigrid_case){
        .seed = 5, .pinned = true, .noise = 0.3, .cell = 0.09, .settings = SN_MULTIGRID_DEFAULTS};
}

static void plain_loops(multigrid_problem *p)
{
    sn_octree *tree = &p->tree.level[0];
    const uint8_t *pinned = p->solver.finest.pinned;
    double *u = multigrid_random(p, 1), *v = multigrid_random(p, 2), *w = multigrid_zeros(p);
    sn_local n = sn_field_reals(tree), wrong = 0;
    sn_field_add_f64(tree, u, 0.7, v, w);
    for (sn_local i = 0; i < n; i++)
        wrong += w[i] != u[i] + 0.7 * v[i];
    sn_field_copy_f64(tree, w, p->x);
    sn_field_mask_f64(tree, pinned, w);
    for (sn_local i = 0; i < n; i++)
        wrong += w[i] != (pinned[i / SN_NODE_REALS] ? 0 : p->x[i]);
    sn_field_add_f64(tree, u, -1, u, u);
    sn_field_clear_f64(tree, w);
    for (sn_local i = 0; i < n; i++)
        wrong += u[i] != 0 || w[i] != 0;
    CHECK(wrong == 0, "%d numbers are wrong", (int)wrong);
    sn_free(u), sn_free(v), sn_free(w);
}

static void ghosts_are_the_owners(multigrid_problem *p)
{
    sn_octree *tree = &p->tree.level[0];
    sn_key *keys = sn_octree_node_keys(tree);
    double *u = sn_field_new_f64(tree);
    for (sn_local n = 0; n < tree->n_nodes; n++)
        u[SN_NODE_REALS * n + 1] = (double)(keys[n] % 4093);
    sn_field_fill_ghosts(tree, u);
    for (sn_local n = 0; n < tree->n_nodes + tree->n_ghost_nodes; n++)
        CHECK(u[SN_NODE_REALS * n + 1] == (double)(keys[n] % 4093), "node %d", (int)n);
    sn_free(u), sn_free(keys);
}

static sn_prediction predicts(const double *u, const double *v)
{
    return (sn_prediction){.now = 3,
                           .before = -1,
                           .sum = 2,
                           .step = 0.25,
                           .x = u,
                           .x_before = v,
                           .v = v,
                           .v_before = u};
}

/* Term by term, as sn_sum_add does it. */
static void exact_sums(multigrid_problem *p)
{
    const sn_octree *tree = &p->tree.level[0];
    const double *mass = p->solver.finest.mass;
    double *u = multigrid_random(p, 3), *v = multigrid_random(p, 4), largest = 0;
    sn_prediction at_v = predicts(u, v);
    sn_sum dot = {0}, square = {0}, apart = {0};
    for (sn_local i = 0; i < sn_field_reals(tree); i++) {
        double m = 0.5 * mass[i / SN_NODE_REALS], away = u[i] - sn_prediction_at(&at_v, i);
        sn_sum_add(&dot, u[i] * v[i]);
        sn_sum_add(&square, m * u[i] * u[i]);
        sn_sum_add(&apart, m * away * away);
        largest = fmax(largest, fabs(u[i]));
    }
    sn_sum_allreduce(tree->comm, &dot, 1);
    sn_sum_allreduce(tree->comm, &square, 1);
    sn_sum_allreduce(tree->comm, &apart, 1);
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, tree->comm);
    double dots[2];
    sn_field_dots(tree, 2, (sn_field_pair[2]){{u, v}, {u, u}}, dots);
    CHECK(sn_field_dot_f64(tree, u, v) == sn_sum_value(&dot) && dots[0] == sn_sum_value(&dot),
          "u.v is %.17g", dots[0]);
    CHECK(sn_field_norm(tree, u) == sqrt(dots[1]), "|u| is %.17g", sn_field_norm(tree, u));
    CHECK(sn_field_mass_square(tree, 0.5, mass, u, NULL) == sn_sum_value(&square), "energy");
    CHECK(sn_field_mass_square(tree, 0.5, mass, u, &at_v) == sn_sum_value(&apart),
          "energy of u - v");
    CHECK(sn_field_largest(tree, u) == largest, "largest");
    sn_free(u), sn_free(v);
}

typedef struct {
    double dot, dot_f32, energy;
} sums;

static sums sums_of(MPI_Comm comm, sn_hierarchy_options options)
{
    multigrid_case what = usual_case();
    multigrid_problem p;
    multigrid_problem_open(&p, comm, &what, options);
    const sn_octree *tree = &p.tree.level[0];
    double *u = multigrid_random(&p, 5), *v = multigrid_random(&p, 6);
    float *f = sn_field_new_f32(tree), *g = sn_field_new_f32(tree);
    for (sn_local i = 0; i < sn_field_reals(tree); i++) {
        f[i] = (float)u[i];
        g[i] = (float)v[i];
    }
    sn_prediction at_v = predicts(u, v);
    sums s = {sn_field_dot_f64(tree, u, v), sn_field_dot_f32(tree, f, g),
              sn_field_mass_square(tree, 3, p.solver.finest.mass, u, &at_v)};
    sn_free(u), sn_free(v), sn_free(f), sn_free(g);
    multigrid_problem_close(&p);
    return s;
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    multigrid_case what = usual_case();
    multigrid_problem p;
    multigrid_problem_open(&p, MPI_COMM_WORLD, &what, test_ways[0].options);
    plain_loops(&p);
    ghosts_are_the_owners(&p);
    exact_sums(&p);
    multigrid_problem_close(&p);
    sums alone = sums_of(MPI_COMM_SELF, (sn_hierarchy_options){0});
    for (int way = 0; way < TEST_WAYS; way++) {
        sums together = sums_of(MPI_COMM_WORLD, test_ways[way].options);
        CHECK(memcmp(&alone, &together, sizeof alone) == 0, "%s: other bits", test_ways[way].name);
    }
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
