#include "helpers/elastic_body.h"

#include "helpers/check.h"

#include "base/array.h"
#include "base/exact_sum.h"
#include "model/masses.h"
#include "model/materials.h"
#include "model/stays.h"
#include "octree/positions.h"

#include <math.h>

sn_mesh test_box_of_cells(const int cells[3], double cell)
{
    double min[3], max[3];
    for (int d = 0; d < 3; d++) { /* a quarter of a cell inside the outermost planes */
        min[d] = 0.25 * cell;
        max[d] = (cells[d] - 0.25) * cell;
    }
    return test_box(min, max);
}

/* Moves the grid so that it starts by a part of a cell before the mesh. */
static void shift_grid(sn_body *body, const sn_box *bounds, double offset)
{
    for (int d = 0; d < 3; d++) {
        body->origin[d] = bounds->min[d] - offset * body->cell;
        body->cells[d]++; /* the mesh is still in it */
        while (sn_edge(body->root_height) < (uint32_t)body->cells[d])
            body->root_height++;
    }
}

static void build_forest(test_elastic *e, sn_mesh mesh, double cell, double coarsest, double offset)
{
    e->solid = test_solid_of(mesh, true);
    e->view = e->solid.solid;
    e->view.mesh = &e->solid.mesh;
    sn_box bounds = sn_mesh_bounds(&e->solid.mesh);
    sn_status status = sn_body_place("body", &bounds, cell, coarsest, &e->body);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    if (offset > 0)
        shift_grid(&e->body, &bounds, offset);
    e->bodies = (sn_bodies){1, &e->body};
    sn_hierarchy_options options = {.method = SN_PARTITION_CURVE, .octants_per_rank = 100};
    status = sn_hierarchy_create(MPI_COMM_WORLD, &e->bodies, &e->view, &options, &e->forest);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    e->tree = &e->forest.level[0];
    e->rest = sn_field_new_f64(e->tree);
    sn_octree_node_positions(e->tree, (double(*)[3])e->rest);
}

static double *filled(sn_local n, double value)
{
    double *values = SN_NEW(double, n);
    for (sn_local i = 0; i < n; i++)
        values[i] = value;
    return values;
}

/* In the last slot: tests fill others. */
static void hold_slivers(test_elastic *e, const double *fraction, double modulus)
{
    double *young = filled(e->tree->n_elements + e->tree->n_ghost_elements, modulus);
    sn_status status = sn_stays_tie(&e->solver.finest, SN_SPRING_SLOTS - 1, fraction, young);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    sn_free(young);
}

void test_elastic_create(test_elastic *e, sn_mesh mesh, double cell, double coarsest,
                         test_material material, test_held *held)
{
    build_forest(e, mesh, cell, coarsest, material.offset);
    e->mu = material.young / (2 * (1 + material.poisson));
    e->lambda =
        material.young * material.poisson / ((1 + material.poisson) * (1 - 2 * material.poisson));
    sn_local all = e->tree->n_elements + e->tree->n_ghost_elements;
    sn_law_parameters *parameters = SN_NEW(sn_law_parameters, all);
    double *fraction = filled(all, 1), rule = material.hourglass;
    e->centroid = SN_NEW_ZERO(float[3], all);
    if (material.cut)
        CHECK(sn_element_fractions(&e->forest, &e->view, &(bool){true}, fraction, e->centroid) ==
                  SN_OK,
              "%s", sn_failure_message());
    sn_law_parameters whole = sn_law_parameters_of(
        SN_LAW_COROTATED, material.young, material.poisson, rule ? rule : SN_HOURGLASS_ASSUMED);
    for (sn_local i = 0; i < all; i++)
        parameters[i] = sn_cut_parameters(SN_LAW_COROTATED, whole, fraction[i], e->centroid[i]);
    double *density = filled(all, material.density), *mass = SN_NEW(double, e->tree->n_nodes);
    uint8_t *pinned = SN_NEW(uint8_t, e->tree->n_nodes);
    for (sn_local n = 0; n < e->tree->n_nodes; n++)
        pinned[n] = held && held(e->rest + 3 * n);
    const float(*centroid)[3] = (const float(*)[3])e->centroid;
    sn_nodal_masses(e->tree, density, fraction, centroid, mass);
    test_solver_create(&e->solver, &e->forest, parameters, mass, pinned, SN_MULTIGRID_DEFAULTS);
    sn_operator_set_points(&e->solver.finest.op, centroid);
    hold_slivers(e, fraction, material.young);
    sn_free(parameters), sn_free(density), sn_free(fraction), sn_free(mass), sn_free(pinned);
}

void test_elastic_free(test_elastic *e)
{
    test_solver_free(&e->solver);
    sn_hierarchy_free(&e->forest);
    test_solid_free(&e->solid);
    sn_free(e->rest);
    sn_free(e->centroid);
}

sn_solver_settings test_tight_settings(sn_solver_mode mode, sn_integrator integrator)
{
    return (sn_solver_settings){.mode = mode,
                                .integrator = integrator,
                                .newton = {.max = 50, .tolerance = 1e-10},
                                .linear = {SN_LINEAR_MGPCG, .max = 200, .tolerance = 1e-6}};
}

double *test_elastic_balance(test_elastic *e, const double gravity[3])
{
    sn_solver_settings settings =
        test_tight_settings(SN_MODE_QUASISTATIC, SN_INTEGRATOR_BACKWARD_EULER);
    test_steps s;
    test_steps_create(&s, &e->solver, &settings, false, NULL, gravity, e->rest);
    sn_step_result r = sn_stepper_advance(&s.stepper, 0);
    CHECK(r.end == SN_STEP_CONVERGED, "end %d, residual %g", (int)r.end, r.residual);
    double *x = sn_field_new_f64(e->tree);
    sn_field_copy_f64(e->tree, x, s.state.x);
    test_steps_free(&s);
    return x;
}

static double sum_everywhere(const test_elastic *e, sn_sum sum)
{
    sn_sum_allreduce(e->tree->comm, &sum, 1);
    return sn_sum_value(&sum);
}

double test_mass_sum(const test_elastic *e, const double *a, int axis)
{
    sn_sum sum = {0};
    for (sn_local n = 0; n < e->tree->n_nodes; n++)
        sn_sum_add(&sum, e->solver.finest.mass[n] * a[3 * n + axis]);
    return sum_everywhere(e, sum);
}

double test_total_mass(const test_elastic *e)
{
    sn_sum sum = {0};
    for (sn_local n = 0; n < e->tree->n_nodes; n++)
        sn_sum_add(&sum, e->solver.finest.mass[n]);
    return sum_everywhere(e, sum);
}

double test_mean_shift(const test_elastic *e, const double *x, double at, int axis)
{
    sn_sum sum = {0}, count = {0};
    for (sn_local n = 0; n < e->tree->n_nodes; n++) {
        if (fabs(e->rest[3 * n] - at) > 0.1 * e->body.cell)
            continue;
        sn_sum_add(&sum, x[3 * n + axis] - e->rest[3 * n + axis]);
        sn_sum_add(&count, 1);
    }
    return sum_everywhere(e, sum) / sum_everywhere(e, count);
}

double test_most_apart(const test_elastic *e, const double *a, const double *b)
{
    double most = 0;
    for (sn_local i = 0; i < 3 * e->tree->n_nodes; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, e->tree->comm);
    return most;
}

int64_t test_count_pinned(const test_elastic *e)
{
    int64_t pinned = 0;
    for (sn_local n = 0; n < e->tree->n_nodes; n++)
        pinned += e->solver.finest.pinned[n];
    MPI_Allreduce(MPI_IN_PLACE, &pinned, 1, MPI_INT64_T, MPI_SUM, e->tree->comm);
    return pinned;
}

int64_t test_count_hanging(const test_elastic *e)
{
    return sn_octree_count(e->tree).hanging_nodes;
}
