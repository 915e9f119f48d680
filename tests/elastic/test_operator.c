/* The distributed operator: against element-by-element reference sums, for the same bits however
 * the tree is cut, and for what mechanics says must hold. */
#include "helpers/check.h"
#include "helpers/solids.h"
#include "helpers/von_mises.h"

#include "base/digest.h"
#include "elastic/laws/corotated.h"
#include "elastic/laws/corotated_reference.h"
#include "elastic/operator.h"
#include "elastic/reference.h"
#include "elastic/svd3_reference.h"
#include "octree/family.h"

#include <math.h>
#include <stdlib.h>

static const double YOUNG_LIKE[2] = {1.0, 3.5}; /* mu, lambda */

typedef struct {
    test_solid solid;
    sn_solid view;
    sn_body body;
    sn_bodies bodies;
    sn_hierarchy tree;
    float (*point)[3]; /* where F is asked for */
    sn_operator op;
} problem;

/* A number between -1 and 1 that belongs to a key: the same on every rank. */
static double value_of(sn_key key, int which)
{
    uint64_t words[2] = {key, (uint64_t)which};
    return (double)(sn_digest_bytes(words, sizeof words) >> 11) * 0x1p-52 - 1;
}

static void rest_position(const sn_body *body, sn_key key, double x[3])
{
    uint32_t xyz[3];
    sn_key_anchor(key, xyz);
    for (int d = 0; d < 3; d++)
        x[d] = body->origin[d] + body->cell * xyz[d];
}

/* In one half hourglass modes follow the assumed strain: some ranks have only isotropic elements,
 * and work on them in another way. */
static sn_law_parameters parameters_of(const sn_body *body, double middle, sn_key key)
{
    sn_law_parameters p;
    double at[3], mu = YOUNG_LIKE[0] * (1.5 + value_of(key, 7));
    rest_position(body, key, at);
    p.of[SN_COROTATED_MU] = (float)mu;
    p.of[SN_COROTATED_LAMBDA] = (float)(YOUNG_LIKE[1] * (1.5 + value_of(key, 8)));
    p.of[SN_COROTATED_BENDING] = (float)(mu * (0.6 + 0.5 * value_of(key, 9)));
    p.of[SN_COROTATED_ASSUMED] = at[0] < middle ? (float)mu : 0;
    return p;
}

/* Cut cells come in patches, and there are groups without any. */
static float (*points_of(const sn_leaves *elements))[3]
{
    float(*point)[3] = SN_NEW_ZERO(float[3], elements->n);
    for (size_t e = 0; e < elements->n; e++)
        for (int d = 0; d < 3 && value_of(elements->key[e] >> 9, 10) > 0; d++)
            point[e][d] = 0.5F * (float)value_of(elements->key[e], 11 + d);
    return point;
}

static void open_problem(problem *p, MPI_Comm comm, unsigned long long seed,
                         sn_partition_method method, bool single)
{
    p->solid = test_solid_of(test_tetrahedra(&seed, 3, false), true);
    p->view = p->solid.solid;
    p->view.mesh = &p->solid.mesh;
    sn_box bounds = sn_mesh_bounds(&p->solid.mesh);
    CHECK(sn_body_place("body", &bounds, 0.04, 0, &p->body) == SN_OK, "%s", sn_failure_message());
    p->bodies = (sn_bodies){1, &p->body};
    sn_hierarchy_options options = {.method = method, .max_levels = 1, .octants_per_rank = 1};
    sn_status status = sn_hierarchy_create(comm, &p->bodies, &p->view, &options, &p->tree);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    sn_octree *tree = &p->tree.level[0];
    sn_law_parameters *parameters = SN_NEW(sn_law_parameters, tree->n_elements);
    sn_leaves elements = sn_octree_elements(tree);
    double middle = (bounds.min[0] + bounds.max[0]) / 2;
    for (sn_local e = 0; e < tree->n_elements; e++)
        parameters[e] = parameters_of(&p->body, middle, elements.key[e]);
    status = sn_operator_create(tree, SN_LAW_COROTATED, parameters, NULL, single, &p->op);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    p->point = points_of(&elements);
    sn_operator_set_points(&p->op, (const float(*)[3])p->point);
    sn_leaves_free(&elements);
    sn_free(parameters);
}

static void close_problem(problem *p)
{
    sn_operator_free(&p->op);
    sn_free(p->point);
    sn_hierarchy_free(&p->tree);
    test_solid_free(&p->solid);
}

/* Positions: rest plus noise of so many cells. */
static double *positions(const problem *p, double noise)
{
    const sn_octree *tree = &p->tree.level[0];
    double *x = sn_field_new_f64(tree);
    sn_key *keys = sn_octree_node_keys(tree);
    for (sn_local n = 0; n < tree->n_nodes; n++) {
        rest_position(&p->body, keys[n], x + 3 * n);
        for (int d = 0; d < 3; d++)
            x[3 * n + d] += noise * p->body.cell * value_of(keys[n], d);
    }
    sn_free(keys);
    return x;
}

static double *random_field(const problem *p, int which)
{
    const sn_octree *tree = &p->tree.level[0];
    double *u = sn_field_new_f64(tree);
    sn_key *keys = sn_octree_node_keys(tree);
    for (sn_local n = 0; n < tree->n_nodes; n++)
        for (int d = 0; d < 3; d++)
            u[3 * n + d] = value_of(keys[n], which + d);
    sn_free(keys);
    return u;
}

static double dot(const problem *p, const double *a, const double *b)
{
    const sn_octree *tree = &p->tree.level[0];
    return sn_global_dot(tree->comm, a, b, 3 * (size_t)tree->n_nodes);
}

static sn_corotated_cell cell_of(const sn_operator *op, size_t e)
{
    const float *of = op->parameters[e].of;
    sn_corotated_cell cell = {.edge = sn_operator_edge(op, (sn_local)e),
                              .mu = (double)of[SN_COROTATED_MU],
                              .lambda = (double)of[SN_COROTATED_LAMBDA],
                              .bending = (double)of[SN_COROTATED_BENDING],
                              .assumed = (double)of[SN_COROTATED_ASSUMED]};
    for (int d = 0; d < 3; d++)
        cell.point[d] = (double)op->point[e][d];
    return cell;
}

/* W of a local element, and the values of a field at its primary nodes. */
static void at_corners(const sn_octree *tree, const sn_leaves *elements, size_t e,
                       const double *field, double w[8][8], double primary[8][3])
{
    double conforming[8][3];
    sn_reference_weights(sn_key_child(elements->key[e], elements->height[e]), tree->hanging[e], w);
    for (int c = 0; c < 8; c++)
        for (int d = 0; d < 3; d++)
            conforming[c][d] = field[3 * tree->conforming[e][c] + d];
    sn_reference_gather(w, conforming, primary);
}

/* K u by the reference, element by element. */
static double *reference_product(problem *p, double *x, double *u)
{
    sn_octree *tree = &p->tree.level[0];
    sn_leaves elements = sn_octree_elements(tree);
    double *sum = sn_field_new_f64(tree);
    for (size_t e = 0; e < elements.n; e++) {
        sn_corotated_cell cell = cell_of(&p->op, e);
        double w[8][8], at_x[8][3], at_u[8][3], change[8][3], share[8][3], f[3][3];
        at_corners(tree, &elements, e, x, w, at_x);
        at_corners(tree, &elements, e, u, w, at_u);
        sn_corotated_state state;
        sn_reference_gradient(cell.edge, cell.point, at_x, f);
        sn_corotated_linearise(&cell, f, true, &state);
        sn_corotated_differential(&cell, &state, at_u, change);
        sn_reference_scatter(w, change, share);
        for (int c = 0; c < 8; c++)
            for (int d = 0; d < 3; d++)
                sum[3 * tree->conforming[e][c] + d] -= share[c][d];
    }
    sn_leaves_free(&elements);
    return sum;
}

static void product_equals_the_reference(problem *p)
{
    const sn_octree *tree = &p->tree.level[0];
    double *x = positions(p, 0.7), *u = random_field(p, 20), *out = sn_field_new_f64(tree);
    float *u32 = sn_field_new_f32(tree), *out32 = sn_field_new_f32(tree);
    sn_operator_update(&p->op, x, NULL);
    sn_operator_apply_f64(&p->op, u, out);
    for (sn_local i = 0; i < 3 * tree->n_nodes; i++)
        u32[i] = (float)u[i];
    if (p->op.single)
        sn_operator_apply_f32(&p->op, u32, out32);
    double *expected = reference_product(p, x, u);
    double scale = sqrt(dot(p, expected, expected) / (double)sn_octree_count(tree).nodes);
    double bound = p->op.single ? 5e-6 : 1e-12; /* numbers of the matrix are rounded */
    for (sn_local i = 0; i < 3 * tree->n_nodes; i++) {
        CHECK(fabs(out[i] - expected[i]) < bound * scale, "%g, not %g", out[i], expected[i]);
        CHECK(!p->op.single || fabs(out32[i] - expected[i]) < 2e-5 * scale, "%g, not %g",
              (double)out32[i], expected[i]);
    }
    sn_free(x), sn_free(u), sn_free(out), sn_free(u32), sn_free(out32), sn_free(expected);
}

/* Output: F, its determinant, von Mises stress and pressure by the reference, for elements in an
 * order of their own, of which the last batch is not full. */
static void measures_equal_the_reference(problem *p)
{
    sn_octree *tree = &p->tree.level[0];
    sn_leaves elements = sn_octree_elements(tree);
    double *x = positions(p, 0.7);
    sn_operator_update(&p->op, x, NULL); /* fills ghosts */
    size_t n = (size_t)tree->n_elements / 2;
    sn_local *of = SN_NEW(sn_local, n);
    for (size_t i = 0; i < n; i++)
        of[i] = tree->n_elements - 1 - 2 * (sn_local)i;
    sn_element_measure *measure = SN_NEW(sn_element_measure, n);
    sn_operator_measure(&p->op, x, of, n, measure);
    float(*gradient)[9] = SN_NEW(float[9], tree->n_elements);
    sn_operator_gradients(&p->op, x, gradient);
    for (size_t i = 0; i < n; i++) {
        sn_corotated_cell cell = cell_of(&p->op, (size_t)of[i]);
        double w[8][8], at_x[8][3], f[3][3], left[3][3], sigma[3], right[3][3], stress[3];
        double scale = 1e-9 * (cell.mu + cell.lambda);
        at_corners(tree, &elements, (size_t)of[i], x, w, at_x);
        sn_reference_gradient(cell.edge, cell.point, at_x, f);
        sn_corotated_principal_stress(&cell, f, stress);
        sn_svd3_reference(f, left, sigma, right);
        for (int k = 0; k < 9; k++)
            CHECK(fabs((double)gradient[of[i]][k] - f[k / 3][k % 3]) < 1e-6 * (1 + sigma[0]),
                  "element %d: F[%d] is %g", of[i], k, (double)gradient[of[i]][k]);
        double determinant = sigma[0] * sigma[1] * sigma[2], pressure = pressure_of(stress);
        CHECK(fabs(measure[i].determinant - determinant) < 1e-9, "element %d: det F", of[i]);
        CHECK(fabs(measure[i].von_mises - von_mises_of(stress)) < scale, "element %d: %g", of[i],
              measure[i].von_mises);
        CHECK(fabs(measure[i].pressure - pressure) < scale, "element %d: %g, not %g", of[i],
              measure[i].pressure, pressure);
    }
    sn_leaves_free(&elements);
    sn_free(x), sn_free(of), sn_free(measure), sn_free(gradient);
}

static void drop_damping(problem *p)
{
    sn_operator_drop_strain(&p->op);
    sn_free(p->op.damping);
    p->op.damping = NULL;
}

/* Sums over all nodes, against the sizes of what is added up. */
static void no_force_no_torque(const problem *p, const double *x, const double *f)
{
    sn_sum sum[8] = {0};
    for (sn_local n = 0; n < p->tree.level[0].n_nodes; n++)
        for (int i = 0; i < 3; i++) {
            sn_local a = 3 * n + (i + 1) % 3, b = 3 * n + (i + 2) % 3;
            sn_sum_add(&sum[i], f[3 * n + i]);
            sn_sum_add(&sum[3 + i], x[a] * f[b] - x[b] * f[a]);
            sn_sum_add(&sum[6], fabs(f[3 * n + i]));
            sn_sum_add(&sum[7], fabs(x[a] * f[b]));
        }
    sn_sum_allreduce(MPI_COMM_WORLD, sum, 8);
    for (int i = 0; i < 6; i++)
        CHECK(fabs(sn_sum_value(&sum[i])) < 1e-12 * sn_sum_value(&sum[6 + i / 3]), "%d: %g of %g",
              i, sn_sum_value(&sum[i]), sn_sum_value(&sum[6 + i / 3]));
}

/* At rest damping resists as the stiffness does: product and diagonal are multiplied. */
static void damping_multiplies_at_rest(problem *p)
{
    const double factor = 1.5;
    const sn_octree *tree = &p->tree.level[0];
    double *x = positions(p, 0), *u = random_field(p, 20);
    double *plain = sn_field_new_f64(tree), *damped = sn_field_new_f64(tree);
    double *of_each = SN_NEW(double, tree->n_elements);
    for (sn_local e = 0; e < tree->n_elements; e++)
        of_each[e] = factor - 1;
    for (int diagonal = 0; diagonal < 2; diagonal++) {
        sn_operator_update(&p->op, x, NULL);
        diagonal ? sn_operator_diagonal_f64(&p->op, plain)
                 : sn_operator_apply_f64(&p->op, u, plain);
        sn_operator_set_damping(&p->op, of_each);
        sn_operator_update(&p->op, x, NULL);
        diagonal ? sn_operator_diagonal_f64(&p->op, damped)
                 : sn_operator_apply_f64(&p->op, u, damped);
        double size = sn_field_largest(tree, plain);
        sn_field_add_f64(tree, damped, -factor, plain, damped);
        CHECK(sn_field_largest(tree, damped) < (p->op.single ? 5e-6 : 1e-12) * size, "%g of %g",
              sn_field_largest(tree, damped), size);
        drop_damping(p);
    }
    sn_free(x), sn_free(u), sn_free(plain), sn_free(damped), sn_free(of_each);
}

/* Forces of damping are minus the gradient of its part of the potential, with no net force and no
 * torque, and without them the elastic ones are left. From strains of two other positions. */
static void damping_force_is_a_gradient(problem *p)
{
    const sn_octree *tree = &p->tree.level[0];
    double *before = positions(p, 0.3), *earlier = positions(p, 0.2), *x = positions(p, 0.5);
    double *d = random_field(p, 40), *plain = sn_field_new_f64(tree), *f = sn_field_new_f64(tree);
    double *of_each = SN_NEW(double, tree->n_elements);
    for (sn_local e = 0; e < tree->n_elements; e++)
        of_each[e] = 0.1 * (1 + e % 3);
    sn_deformation_summary s = sn_operator_update(&p->op, x, NULL);
    CHECK(s.damping == 0, "not damped: %g", s.damping);
    sn_operator_force(&p->op, x, plain);
    sn_operator_set_damping(&p->op, of_each);
    sn_operator_damp_from(&p->op, 4.0 / 3, before, -1.0 / 3, earlier);
    double elastic = s.energy;
    s = sn_operator_update(&p->op, x, NULL);
    CHECK(s.energy == elastic && s.damping > 0, "%g and %g, not %g", s.energy, s.damping, elastic);
    sn_operator_force(&p->op, x, f);
    sn_field_add_f64(tree, f, -1, plain, f);
    double slope = dot(p, f, d), difference = 0, step = 1e-5;
    for (int side = -1; side <= 1; side += 2) {
        sn_field_add_f64(tree, x, side * step, d, x);
        difference -= side * sn_operator_inspect(&p->op, x).damping / (2 * step);
        sn_field_add_f64(tree, x, -side * step, d, x);
    }
    CHECK(fabs(slope - difference) < 1e-5 * fabs(slope), "%g, not %g", slope, difference);
    no_force_no_torque(p, x, f);
    drop_damping(p);
    sn_free(before), sn_free(earlier), sn_free(x), sn_free(d), sn_free(plain), sn_free(f);
    sn_free(of_each);
}

/* The norm of what damping adds to the force at x, from strains at `from`. */
static double damping_force(problem *p, double *from, double *x, const double *plain)
{
    const sn_octree *tree = &p->tree.level[0];
    double *f = sn_field_new_f64(tree);
    sn_operator_damp_from(&p->op, 1, from, 0, from);
    sn_operator_force(&p->op, x, f);
    sn_field_add_f64(tree, f, -1, plain, f);
    double norm = sn_field_norm(tree, f);
    sn_free(f);
    return norm;
}

/* Strains that rates are measured from are rounded: far below what damping usually does. */
static void damping_is_nothing_where_nothing_moves(problem *p)
{
    const sn_octree *tree = &p->tree.level[0];
    double *rest = positions(p, 0), *x = positions(p, 0.4), *plain = sn_field_new_f64(tree);
    double *of_each = SN_NEW(double, tree->n_elements);
    for (sn_local e = 0; e < tree->n_elements; e++)
        of_each[e] = 1;
    sn_operator_force(&p->op, x, plain);
    sn_operator_set_damping(&p->op, of_each);
    double usual = damping_force(p, rest, x, plain), still = damping_force(p, x, x, plain);
    CHECK(still < 1e-4 * usual, "%g of %g", still, usual);
    drop_damping(p);
    sn_free(rest), sn_free(x), sn_free(plain), sn_free(of_each);
}

static void symmetric_and_definite(problem *p)
{
    const sn_octree *tree = &p->tree.level[0];
    double *x = positions(p, 1.5); /* many inverted elements */
    sn_deformation_summary s = sn_operator_update(&p->op, x, NULL);
    CHECK(s.inverted > 0 && s.least_determinant < 0, "%ld inverted", (long)s.inverted);
    double *ku = sn_field_new_f64(tree), *kv = sn_field_new_f64(tree);
    double *diagonal = sn_field_new_f64(tree);
    sn_operator_diagonal_f64(&p->op, diagonal);
    for (int round = 0; round < 4; round++) {
        double *u = random_field(p, 30 + 10 * round), *v = random_field(p, 35 + 10 * round);
        sn_operator_apply_f64(&p->op, u, ku);
        sn_operator_apply_f64(&p->op, v, kv);
        double uku = dot(p, u, ku), ukv = dot(p, u, kv), vku = dot(p, v, ku);
        CHECK(uku > 0, "u.Ku = %g", uku);
        CHECK(fabs(ukv - vku) < 1e-12 * uku, "%g and %g", ukv, vku);
        sn_free(u), sn_free(v);
    }
    for (sn_local i = 0; i < 3 * tree->n_nodes; i++)
        CHECK(diagonal[i] > 0, "diagonal entry %d is %g", i, diagonal[i]);
    sn_free(x), sn_free(ku), sn_free(kv), sn_free(diagonal);
}

/* The diagonal is what unit vectors find. */
static void diagonal_is_the_diagonal(problem *p)
{
    const sn_octree *tree = &p->tree.level[0];
    double *x = positions(p, 0.8), *diagonal = sn_field_new_f64(tree);
    double *u = sn_field_new_f64(tree), *ku = sn_field_new_f64(tree);
    sn_operator_update(&p->op, x, NULL);
    sn_operator_diagonal_f64(&p->op, diagonal);
    int rank, size;
    MPI_Comm_rank(tree->comm, &rank);
    MPI_Comm_size(tree->comm, &size);
    for (int probe = 0; probe < 40; probe++) {
        bool mine = probe % size == rank && tree->n_nodes > 0;
        sn_local i = mine ? (sn_local)((value_of((sn_key)probe, 1) + 1) * 1.49 * tree->n_nodes) : 0;
        if (mine)
            u[i] = 1;
        sn_operator_apply_f64(&p->op, u, ku);
        if (mine) {
            CHECK(fabs(ku[i] - diagonal[i]) < 1e-12 * diagonal[i], "entry %d: %g, not %g", i,
                  diagonal[i], ku[i]);
            u[i] = 0;
        }
    }
    sn_free(x), sn_free(diagonal), sn_free(u), sn_free(ku);
}

/* Force is minus the energy's gradient; internal forces balance; rigid motions cost nothing. */
static void mechanics(problem *p)
{
    const sn_octree *tree = &p->tree.level[0];
    double *x = positions(p, 0.5), *f = sn_field_new_f64(tree), *d = random_field(p, 90);
    sn_deformation_summary seen = sn_operator_inspect(&p->op, x);
    sn_deformation_summary with_force = sn_operator_update(&p->op, x, f);
    double *alone = sn_field_new_f64(tree);
    sn_operator_force(&p->op, x, alone);
    CHECK(memcmp(f, alone, 3 * (size_t)tree->n_nodes * sizeof *f) == 0, "another force");
    CHECK(seen.energy == with_force.energy && seen.inverted == with_force.inverted &&
              seen.least_determinant == with_force.least_determinant,
          "another summary");
    sn_free(alone);
    double slope = -dot(p, f, d), step = 1e-6, difference = 0;
    for (int side = -1; side <= 1; side += 2) {
        double *moved = sn_field_new_f64(tree);
        for (sn_local i = 0; i < 3 * tree->n_nodes; i++)
            moved[i] = x[i] + side * step * d[i];
        difference += side * sn_operator_inspect(&p->op, moved).energy;
        sn_free(moved);
    }
    difference /= 2 * step;
    CHECK(fabs(slope - difference) < 1e-6 * fabs(slope), "%g, by differences %g", slope,
          difference);

    double total = sqrt(dot(p, f, f));
    for (int axis = 0; axis < 3; axis++) { /* net force and torque */
        double *push = sn_field_new_f64(tree), *turn = sn_field_new_f64(tree);
        int b = (axis + 1) % 3, c = (axis + 2) % 3;
        for (sn_local n = 0; n < tree->n_nodes; n++) {
            push[3 * n + axis] = 1;
            turn[3 * n + b] = -x[3 * n + c];
            turn[3 * n + c] = x[3 * n + b];
        }
        CHECK(fabs(dot(p, f, push)) < 1e-11 * total, "net force %g", dot(p, f, push));
        CHECK(fabs(dot(p, f, turn)) < 1e-11 * total, "net torque %g", dot(p, f, turn));
        sn_free(push), sn_free(turn);
    }

    double *rigid = positions(p, 0);
    for (sn_local n = 0; n < tree->n_nodes; n++) { /* a quarter turn and a shift */
        double swap = rigid[3 * n];
        rigid[3 * n] = -rigid[3 * n + 1] + 5;
        rigid[3 * n + 1] = swap - 2;
    }
    sn_deformation_summary s = sn_operator_update(&p->op, rigid, NULL);
    sn_operator_force(&p->op, rigid, f);
    CHECK(s.energy < 1e-24, "rigid energy %g", s.energy);
    CHECK(sqrt(dot(p, f, f)) < 1e-12, "rigid force %g", sqrt(dot(p, f, f)));
    CHECK(fabs(s.least_determinant - 1) < 1e-12, "rigid determinant %g", s.least_determinant);
    sn_free(x), sn_free(f), sn_free(d), sn_free(rigid);
}

/* One hash for K u, the force and the energy, by node key. */
static uint64_t digest_of_everything(problem *p)
{
    const sn_octree *tree = &p->tree.level[0];
    double *x = positions(p, 0.7), *u = random_field(p, 20);
    double *ku = sn_field_new_f64(tree), *f = sn_field_new_f64(tree);
    float *u32 = sn_field_new_f32(tree), *ku32 = sn_field_new_f32(tree);
    for (sn_local i = 0; i < 3 * tree->n_nodes; i++)
        u32[i] = (float)u[i];
    sn_deformation_summary s = sn_operator_update(&p->op, x, NULL);
    sn_operator_apply_f64(&p->op, u, ku);
    if (p->op.single)
        sn_operator_apply_f32(&p->op, u32, ku32);
    sn_operator_force(&p->op, x, f);
    sn_key *keys = sn_octree_node_keys(tree);
    uint64_t digest = 0;
    for (sn_local n = 0; n < tree->n_nodes; n++) {
        sn_digest_add(&digest, keys[n], ku + 3 * n, 3 * sizeof *ku);
        sn_digest_add(&digest, keys[n] + 1, f + 3 * n, 3 * sizeof *f);
        sn_digest_add(&digest, keys[n] + 2, ku32 + 3 * n, 3 * sizeof *ku32);
    }
    digest = sn_digest_allreduce(tree->comm, digest);
    sn_digest_add(&digest, 0, &s.energy, sizeof s.energy);
    sn_free(x), sn_free(u), sn_free(ku), sn_free(f), sn_free(u32), sn_free(ku32), sn_free(keys);
    return digest;
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (unsigned long long seed = 1; seed <= 2; seed++) {
        problem alone, together;
        bool single = seed == 2;
        uint64_t expected = 0;
        if (test_is_mine((int)seed)) {
            open_problem(&alone, MPI_COMM_SELF, seed, SN_PARTITION_CURVE, single);
            expected = digest_of_everything(&alone);
            close_problem(&alone);
        }
        test_share((int)seed, &expected, sizeof expected);
        for (int method = SN_PARTITION_CURVE; method <= SN_PARTITION_PARMETIS; method++) {
            open_problem(&together, MPI_COMM_WORLD, seed, (sn_partition_method)method, single);
            CHECK(digest_of_everything(&together) == expected, "other bits than alone");
            product_equals_the_reference(&together);
            symmetric_and_definite(&together);
            diagonal_is_the_diagonal(&together);
            mechanics(&together);
            measures_equal_the_reference(&together);
            damping_multiplies_at_rest(&together);
            damping_force_is_a_gradient(&together);
            damping_is_nothing_where_nothing_moves(&together);
            close_problem(&together);
        }
    }
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
