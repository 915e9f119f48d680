/* Where unknowns can turn by themselves, or a level is solved exactly: a comb has such levels, and
 * is solved in few iterations; bulky bodies have none. */
#include "helpers/check.h"
#include "helpers/elastic_body.h"
#include "helpers/forest.h"

#include "base/array.h"
#include "multigrid/multigrid.h"
#include "octree/thin.h"
#include "shapes/shape.h"

#include <math.h>

static bool is_low(const double rest[3])
{
    return rest[2] < 0.1;
}

static void open_shape(test_elastic *e, const char *shape, double cell)
{
    sn_mesh mesh;
    CHECK(sn_builtin_make(shape, &mesh) == SN_OK, "%s", sn_failure_message());
    test_elastic_create(e, mesh, cell, 0, (test_material){.young = 1, .poisson = 0.3, .density = 1},
                        is_low);
}

/* The largest error that is left after so many iterations, of one at the start. */
static double error_after(test_elastic *e, int iterations)
{
    sn_deformation_summary summary;
    CHECK(test_solver_update(&e->solver, e->rest, 0, &summary) == SN_OK, "%s",
          sn_failure_message());
    double *known = sn_field_new_f64(e->tree), *b = sn_field_new_f64(e->tree);
    double *x = sn_field_new_f64(e->tree);
    for (sn_local i = 0; i < sn_field_reals(e->tree); i++)
        known[i] = e->solver.finest.pinned[i / 3] ? 0 : sin(1e4 * e->rest[i] + 10 * (i % 3));
    sn_system_apply_f64(&e->solver.finest, known, b);
    sn_linear_settings settings = {.method = SN_LINEAR_MGPCG, .max = iterations, .tolerance = 0};
    test_solver_solve(&e->solver, settings, b, x, NULL, NULL);
    double error = test_most_apart(e, known, x);
    sn_free(known), sn_free(b), sn_free(x);
    return error;
}

static void combs_are_solved(void)
{
    test_elastic e;
    open_shape(&e, "builtin:comb,teeth=8", 1.0 / 32);
    CHECK(e.solver.levels.n < e.forest.n_levels && e.solver.mg.rigid.n == 0, "none is cut off");
    double error = error_after(&e, 30);
    CHECK(error < 1e-6, "error %g", error);
    test_elastic_free(&e);
}

static void bulky_bodies_stay(void)
{
    static const char *const shapes[] = {"builtin:cube", "builtin:sphere"};
    for (int s = 0; s < 2; s++) {
        test_elastic e;
        open_shape(&e, shapes[s], 1.0 / 32);
        CHECK(e.solver.levels.n == e.forest.n_levels && e.solver.mg.rigid.n == 0, "%s turns",
              shapes[s]);
        test_elastic_free(&e);
    }
}

/* A plate of one cell is thin all over, one of two is not; and cells of twice its size are half
 * full. */
static void plates_are_thin(void)
{
    for (int cells = 1; cells <= 2; cells++) {
        test_elastic e;
        open_shape(&e, cells == 1 ? "builtin:cube,z=0.0625" : "builtin:cube,z=0.125", 0.0625);
        sn_level_shape finest, next;
        sn_level_shapes(&e.forest, 0, &finest);
        sn_level_shapes(&e.forest, 1, &next);
        CHECK(finest.elements == sn_octree_count(e.tree).elements, "other elements");
        CHECK(finest.thin == (cells == 1 ? finest.elements : 0), "%d of %d cells are thin",
              (int)finest.thin, (int)finest.elements);
        CHECK(fabs(next.full - cells / 2.0) < 1e-12, "%g full", next.full);
        CHECK(next.deep == 0, "%g deep", next.deep);
        test_elastic_free(&e);
    }
}

static void add_shape(test_forest *f, const char *shape, double cell)
{
    sn_mesh mesh;
    CHECK(sn_builtin_make(shape, &mesh) == SN_OK, "%s", sn_failure_message());
    test_forest_add(f, mesh, true, cell);
}

static sn_level_groups groups_of(sn_hierarchy *forest, sn_coarse coarse)
{
    sn_multigrid_settings settings = SN_MULTIGRID_DEFAULTS;
    settings.coarse = coarse;
    settings.most_exact = 0; /* the comb is so small that it would be */
    return sn_multigrid_groups(&settings, forest);
}

/* In one forest each body has the shapes that it has alone, and chooses by itself. */
static void bodies_are_looked_at_one_by_one(void)
{
    static const char *const shapes[] = {"builtin:comb,teeth=4", "builtin:sphere"};
    static const double cells[][2] = {{1.0 / 32, 0.1}, {1.0 / 32, 1.0 / 64}};
    for (int way = 0; way < 2; way++) {
        test_forest both = {0};
        sn_hierarchy forest;
        for (int b = 0; b < 2; b++)
            add_shape(&both, shapes[b], cells[way][b]);
        CHECK(test_forest_build(&both, MPI_COMM_WORLD, test_ways[0].options, &forest) == SN_OK,
              "%s", sn_failure_message());
        sn_level_shape of_both[2], alone;
        sn_level_shapes(&forest, 1, of_both);
        sn_level_groups each = groups_of(&forest, SN_COARSE_AUTO);
        CHECK(each.n == 2 && each.systems[0] == forest.n_levels, "%d groups", each.n);
        for (int b = 0; b < 2; b++) {
            test_forest one = {0};
            sn_hierarchy tree;
            add_shape(&one, shapes[b], cells[way][b]);
            CHECK(test_forest_build(&one, MPI_COMM_SELF, test_ways[0].options, &tree) == SN_OK,
                  "%s", sn_failure_message());
            sn_level_shapes(&tree, 1, &alone);
            CHECK(alone.elements == of_both[b].elements && alone.thin == of_both[b].thin &&
                      alone.full == of_both[b].full && alone.deep == of_both[b].deep,
                  "%s has another shape beside others", shapes[b]);
            bool turns = groups_of(&tree, SN_COARSE_AUTO).systems[0] < tree.n_levels;
            CHECK(turns == (b == 0) && each.of_body[b] == turns,
                  "%s chooses otherwise beside others", shapes[b]);
            sn_hierarchy_free(&tree);
            test_forest_free(&one);
        }
        CHECK(groups_of(&forest, SN_COARSE_GEOMETRIC).systems[0] == forest.n_levels, "rigid");
        CHECK(groups_of(&forest, SN_COARSE_RIGID).systems[0] == 2, "not rigid");
        CHECK(groups_of(&forest, SN_COARSE_RIGID).n == 1, "not all");
        sn_hierarchy_free(&forest);
        test_forest_free(&both);
    }
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    plates_are_thin();
    bodies_are_looked_at_one_by_one();
    bulky_bodies_stay();
    combs_are_solved();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
