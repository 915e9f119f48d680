/* Coarse levels whose unknowns can turn: rigid motions are in their space, aggregates are joined,
 * coarse matrices are what products say, and all has the same bits however the forest is cut. */
#include "helpers/check.h"
#include "helpers/multigrid_problem.h"

#include "multigrid/level.h"
#include "octree/positions.h"
#include "rigid/aggregates.h"
#include "rigid/tentative.h"
#include "system/assemble.h"

#include <math.h>
#include <string.h>

static double cell = 0.06; /* of the octrees; larger for programs that run slowly */

static void must(sn_status status)
{
    if (status != SN_OK)
        sn_abort(SN_MACHINE, __FILE__, __LINE__, "%s", sn_failure_message());
}

static multigrid_case usual_case(void)
{
    multigrid_case what = {
        .seed = 5, .pinned = true, .noise = 0.3, .cell = cell, .settings = SN_MULTIGRID_DEFAULTS};
    what.settings.coarse = SN_COARSE_RIGID;
    what.settings.geometric_levels = 1;
    return what;
}

/* The assembled matrix is the system: the same product, on each level with a system. */
static void assembled_is_applied(sn_hierarchy_options options)
{
    multigrid_case what = usual_case();
    what.settings.geometric_levels = 3;
    what.mass = 3;
    what.damping = 0.2;
    multigrid_problem p;
    multigrid_problem_open(&p, MPI_COMM_WORLD, &what, options);
    for (int l = 0; l < p.solver.levels.n; l++) {
        sn_system *s = sn_levels_at(&p.solver.levels, l);
        sn_unknowns unknowns = sn_system_unknowns(s->tree);
        sn_sparse a;
        must(sn_system_assemble(s, &unknowns, &a));
        double *u = sn_field_new_f64(s->tree), *v = SN_NEW_ZERO(double, sn_sparse_room(&a));
        double *plain = sn_field_new_f64(s->tree), *assembled = sn_field_new_f64(s->tree);
        float *w = sn_field_new_f32(s->tree), *narrow = sn_field_new_f32(s->tree);
        float *t = SN_NEW_ZERO(float, sn_sparse_room(&a)), *got = sn_field_new_f32(s->tree);
        for (sn_local i = 0; i < sn_field_reals(s->tree); i++)
            if (!s->pinned[i / 3])
                t[i] = w[i] = (float)(u[i] = v[i] = sin(
                                          (double)(unknowns.key[i / 3] % 1000 + (sn_key)i % 3)));
        sn_system_apply_f64(s, u, plain);
        sn_sparse_apply_f64(&a, v, assembled);
        sn_system_apply_f32(s, w, narrow);
        sn_sparse_narrow(&a);
        sn_sparse_apply_f32(&a, t, got);
        double largest = sn_field_largest(s->tree, plain);
        for (sn_local i = 0; i < sn_field_reals(s->tree); i++) {
            CHECK(fabs(plain[i] - assembled[i]) < 1e-12 * largest, "level %d: %g and %g", l,
                  plain[i], assembled[i]);
            CHECK(fabs((double)narrow[i] - (double)got[i]) < 2e-5 * largest,
                  "level %d, single: %g and %g", l, (double)narrow[i], (double)got[i]);
        }
        sn_sparse_free(&a);
        sn_free(unknowns.key), sn_free(u), sn_free(v), sn_free(plain), sn_free(assembled);
        sn_free(w), sn_free(narrow), sn_free(t), sn_free(got);
    }
    multigrid_problem_close(&p);
}

/* What a rigid motion about the origin does at a place. */
static void move(const double place[3], int motion, double moved[3])
{
    int axis = motion % 3, next = (axis + 1) % 3, last = (axis + 2) % 3;
    moved[0] = moved[1] = moved[2] = 0;
    if (motion < 3) {
        moved[axis] = 1;
    } else {
        moved[next] = -place[last];
        moved[last] = place[next];
    }
}

/* The reals of an unknown in such a motion: modes about its centre, which moves and turns. */
static void reals_of(const sn_rigid_unknown *u, int reals, int motion, double *out)
{
    double moved[6] = {0};
    move(u->centre, motion, moved);
    if (motion >= 3)
        moved[motion] = 1;
    for (int r = 0; r < reals; r++) {
        out[r] = 0;
        for (int m = 0; m < 6; m++)
            out[r] += u->modes[r][m] * moved[m];
    }
}

/* Moves all unknowns of two levels rigidly: T takes one to the other. And T^T T is one where there
 * is something, so motions are orthonormal. */
static void check_tentative(sn_rigid_levels *rigid, int l, const sn_rigid_unknown *motion,
                            sn_rigid_unknown *coarse_motion)
{
    sn_rigid_level *v = &rigid->level[l], *next = v + 1;
    sn_sparse t, tt, product;
    must(sn_tentative_create(&v->unknowns, v->reals, v->parent, motion, &next->unknowns,
                             coarse_motion, &t));
    double *coarse = SN_NEW_ZERO(double, sn_sparse_room(&t));
    double *fine = SN_NEW(double, v->reals * v->unknowns.n + 1);
    for (int m = 0; m < 6; m++) {
        for (sn_local i = 0; i < next->unknowns.n; i++)
            reals_of(&coarse_motion[i], 6, m, coarse + 6 * i);
        sn_sparse_apply_f64(&t, coarse, fine);
        for (sn_local i = 0; i < v->unknowns.n; i++) {
            double right[6];
            reals_of(&motion[i], v->reals, m, right);
            for (int r = 0; r < v->reals && v->parent[i] != SN_NO_AGGREGATE; r++)
                CHECK(fabs(fine[v->reals * i + r] - right[r]) < 1e-11,
                      "level %d, motion %d: %g, %g", l, m, fine[v->reals * i + r], right[r]);
        }
    }
    must(sn_sparse_transpose(&t, &tt));
    must(sn_sparse_product(&tt, &t, &product));
    for (sn_local i = 0; i < next->unknowns.n; i++) {
        CHECK(product.first[i + 1] - product.first[i] == 1, "aggregates overlap");
        const double *block = sn_sparse_block(&product, product.first[i]);
        for (int e = 0; e < 36; e++) {
            double one = e % 7 == 0 && block[e] != 0;
            CHECK(fabs(block[e] - one) < 1e-12, "not orthonormal: %g", block[e]);
        }
    }
    sn_sparse_free(&t), sn_sparse_free(&tt), sn_sparse_free(&product);
    sn_free(coarse), sn_free(fine);
}

static void rigid_motions_are_exact(sn_hierarchy_options options)
{
    multigrid_case what = usual_case();
    multigrid_problem p;
    multigrid_problem_open(&p, MPI_COMM_WORLD, &what, options);
    sn_rigid_levels *rigid = &p.solver.mg.rigid;
    CHECK(rigid->n > 1, "no levels");
    sn_local n = rigid->level[0].unknowns.n;
    sn_rigid_unknown *motion = SN_NEW(sn_rigid_unknown, n);
    for (sn_local i = 0; i < n; i++)
        motion[i] = sn_rigid_node(p.x + 3 * i);
    for (int l = 0; l + 1 < rigid->n; l++) {
        sn_rigid_unknown *coarser = SN_NEW(sn_rigid_unknown, rigid->level[l + 1].unknowns.n);
        check_tentative(rigid, l, motion, coarser);
        sn_free(motion);
        motion = coarser;
    }
    sn_free(motion);
    multigrid_problem_close(&p);
}

/* A point cannot turn, two cannot about their line, three in a triangle have all six motions. */
static void few_points_move(void)
{
    static const double place[3][3] = {{0, 0, 0}, {1, 2, 3}, {-1, 0.5, 2}};
    static const int motions[3] = {3, 5, 6};
    for (int n = 1; n <= 3; n++) {
        sn_rigid_unknown point[3];
        sn_rigid_share share[3];
        const sn_rigid_unknown *member[3] = {&point[0], &point[1], &point[2]};
        sn_rigid_share *shares[3] = {&share[0], &share[1], &share[2]};
        for (int i = 0; i < n; i++)
            point[i] = sn_rigid_node(place[i]);
        sn_rigid_unknown found = sn_rigid_orthonormal(3, member, (size_t)n, shares);
        int kept = 0;
        for (int m = 0; m < 6; m++)
            kept += found.modes[m][m] != 0;
        CHECK(kept == motions[n - 1], "%d points: %d motions", n, kept);
    }
}

/* Positions of coarse levels after a quarter of a turn: those at rest, turned. */
static void positions_turn(sn_hierarchy_options options)
{
    multigrid_case what = usual_case();
    what.settings.geometric_levels = 2;
    multigrid_problem p;
    multigrid_problem_open(&p, MPI_COMM_WORLD, &what, options);
    sn_octree *tree = &p.tree.level[0];
    double(*rest)[3] = SN_NEW(double[3], tree->n_nodes + tree->n_ghost_nodes);
    sn_octree_node_positions(tree, rest);
    for (sn_local i = 0; i < tree->n_nodes; i++) {
        p.x[3 * i] = -rest[i][1];
        p.x[3 * i + 1] = rest[i][0];
        p.x[3 * i + 2] = rest[i][2];
    }
    must(test_solver_update(&p.solver, p.x, what.mass, &p.deformation));
    for (int l = 1; l < p.solver.levels.n; l++) {
        const sn_octree *coarse = sn_levels_at(&p.solver.levels, l)->tree;
        double *x = sn_levels_positions(&p.solver.levels, p.x, l), squares = 0;
        double(*at)[3] = SN_NEW(double[3], coarse->n_nodes + coarse->n_ghost_nodes);
        sn_octree_node_positions(coarse, at);
        for (sn_local i = 0; i < coarse->n_nodes; i++)
            squares += pow(x[3 * i] + at[i][1], 2) + pow(x[3 * i + 1] - at[i][0], 2);
        double sums[2] = {squares, coarse->n_nodes};
        MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double away = sqrt(sums[0] / sums[1]);
        CHECK(away < 0.1 * cell * (1 << l), "level %d: away by %g", l, away);
        sn_free(x), sn_free(at);
    }
    sn_free(rest);
    multigrid_problem_close(&p);
}

static void cycles_are_operators(sn_hierarchy_options options)
{
    for (int way = 0; way < 4; way++) {
        multigrid_case what = usual_case();
        what.settings.geometric_levels = 1 + way % 2;
        what.settings.precision = way == 3 ? SN_PRECISION_DOUBLE : SN_PRECISION_SINGLE;
        what.mass = way == 1 ? 30 : 0;
        what.noise = way == 2 ? 10 : 0.6;
        multigrid_problem p;
        multigrid_problem_open(&p, MPI_COMM_WORLD, &what, options);
        multigrid_cycle_is_definite(&p, "rigid", way == 3 ? 1e-12 : 2e-5);
        multigrid_problem_close(&p);
    }
}

static uint64_t bits_of(MPI_Comm comm, const multigrid_case *what, sn_hierarchy_options options)
{
    multigrid_problem p;
    multigrid_problem_open(&p, comm, what, options);
    double *r = multigrid_random(&p, 70), *z = multigrid_zeros(&p);
    sn_multigrid_cycle(&p.solver.mg, r, z);
    uint64_t bits = multigrid_digest(&p, z);
    sn_free(r), sn_free(z);
    multigrid_problem_close(&p);
    return bits;
}

static void same_bits(void)
{
    for (int levels = 1; levels <= 2; levels++) {
        multigrid_case what = usual_case();
        what.settings.geometric_levels = levels;
        what.settings.precision = levels == 1 ? SN_PRECISION_SINGLE : SN_PRECISION_DOUBLE;
        what.mass = 3;
        uint64_t alone =
            test_is_mine(0) ? bits_of(MPI_COMM_SELF, &what, (sn_hierarchy_options){0}) : 0;
        test_share(0, &alone, sizeof alone);
        for (int way = 0; way < TEST_WAYS; way++)
            CHECK(bits_of(MPI_COMM_WORLD, &what, test_ways[way].options) == alone,
                  "%s, %d levels: another cycle", test_ways[way].name, levels);
    }
}

static void run(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) /* few */
        cell = 0.09;
    few_points_move();
    same_bits();
    for (int way = 0; way < TEST_WAYS; way += 3) {
        assembled_is_applied(test_ways[way].options);
        rigid_motions_are_exact(test_ways[way].options);
    }
    positions_turn(test_ways[0].options);
    cycles_are_operators(test_ways[0].options);
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
