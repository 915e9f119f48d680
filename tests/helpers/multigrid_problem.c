#include "helpers/multigrid_problem.h"

#include "helpers/check.h"

#include "base/array.h"
#include "base/digest.h"
#include "base/exact_sum.h"
#include "base/log.h"
#include "elastic/laws/corotated.h"
#include "model/masses.h"
#include "octree/positions.h"

#include <math.h>

/* Salts that keep the random numbers of different things apart. */
enum {
    SALT_MU = 1010,
    SALT_LAMBDA = 1011,
    SALT_DAMPING = 1012,
    SALT_JUMP = 1013,
    SALT_NOISE = 1020
};

static double value_of(sn_key key, int which)
{
    uint64_t words[2] = {key, (uint64_t)which};
    return (double)(sn_digest_bytes(words, sizeof words) >> 11) * 0x1p-52 - 1;
}

static void must(sn_status status)
{
    if (status != SN_OK)
        sn_abort(SN_MACHINE, __FILE__, __LINE__, "%s", sn_failure_message());
}

/* Tetrahedra through one another, and a box with a cavity. */
static void add_bodies(test_forest *f, const multigrid_case *what)
{
    unsigned long long seed = what->seed;
    if (seed)
        test_forest_add(f, test_tetrahedra(&seed, 4, false), true, what->cell);
    sn_mesh outside = test_box((double[3]){0, 0, 0}, (double[3]){0.6, 0.5, 0.7});
    /* Ends swapped along one axis: the triangles face inwards. */
    sn_mesh cavity = test_box((double[3]){0.4, 0.2, 0.3}, (double[3]){0.2, 0.4, 0.5});
    test_forest_add(f, test_meshes_joined(outside, cavity), true, what->cell);
}

/* Where the lowest nodes of each body end: a fifth of the way up. */
static bool is_low(const test_forest *f, sn_key key, const double x[3])
{
    sn_box bounds = sn_mesh_bounds(&f->solid[sn_key_body(key)].mesh);
    return x[2] < bounds.min[2] + 0.2 * (bounds.max[2] - bounds.min[2]);
}

static void make_multigrid(multigrid_problem *p, const multigrid_case *what, const sn_key *keys,
                           double (*rest)[3])
{
    sn_octree *tree = &p->tree.level[0];
    sn_leaves elements = sn_octree_elements(tree);
    sn_law_parameters *parameters = SN_NEW(sn_law_parameters, elements.n);
    double *density = SN_NEW(double, elements.n), *damping = SN_NEW(double, elements.n);
    p->damping = damping;
    double *mass = SN_NEW(double, tree->n_nodes);
    uint8_t *pinned = SN_NEW(uint8_t, tree->n_nodes);
    for (size_t e = 0; e < elements.n; e++) {
        bool stiff = what->jump > 0 && value_of(elements.key[e], SALT_JUMP) > 0.8;
        double factor = stiff ? what->jump : 1, lambda = what->lambda > 0 ? what->lambda : 1;
        double mu = factor * (1.5 + value_of(elements.key[e], SALT_MU));
        parameters[e].of[SN_COROTATED_MU] = (float)mu;
        parameters[e].of[SN_COROTATED_LAMBDA] =
            (float)(factor * lambda * 2 * (1.5 + value_of(elements.key[e], SALT_LAMBDA)));
        parameters[e].of[SN_COROTATED_BENDING] = (float)(mu / 4);
        parameters[e].of[SN_COROTATED_ASSUMED] = (float)mu;
        density[e] = 1;
        damping[e] = 0.5 * (1 + value_of(elements.key[e], SALT_DAMPING));
    }
    sn_nodal_masses(tree, density, NULL, NULL, mass);
    for (sn_local n = 0; n < tree->n_nodes; n++)
        pinned[n] = what->pinned && is_low(&p->forest, keys[n], rest[n]);
    test_solver_create(&p->solver, &p->tree, parameters, mass, pinned, what->settings);
    if (what->damping > 0)
        sn_system_set_damping(&p->solver.finest, (sn_numbers_of_elements){.number = damping},
                              what->damping);
    sn_leaves_free(&elements);
    sn_free(parameters), sn_free(density), sn_free(mass), sn_free(pinned);
}

void multigrid_problem_open(multigrid_problem *p, MPI_Comm comm, const multigrid_case *what,
                            sn_hierarchy_options options)
{
    *p = (multigrid_problem){0};
    add_bodies(&p->forest, what);
    must(test_forest_build(&p->forest, comm, options, &p->tree));
    sn_octree *tree = &p->tree.level[0];
    sn_key *keys = sn_octree_node_keys(tree);
    double(*rest)[3] = SN_NEW(double[3], tree->n_nodes + tree->n_ghost_nodes);
    sn_octree_node_positions(tree, rest);
    make_multigrid(p, what, keys, rest);
    double *x = p->x = multigrid_zeros(p);
    int salt = SALT_NOISE + 3 * what->noise_seed;
    for (sn_local n = 0; n < tree->n_nodes; n++)
        for (int d = 0; d < 3; d++)
            x[3 * n + d] = rest[n][d] + what->noise * what->cell * value_of(keys[n], salt + d);
    must(test_solver_update(&p->solver, x, what->mass, &p->deformation));
    sn_free(keys), sn_free(rest);
}

void multigrid_problem_open_on_one_level(multigrid_problem *p, MPI_Comm comm, multigrid_case what,
                                         sn_hierarchy_options options)
{
    what.cell = 0.25;
    options.max_levels = 1;
    multigrid_problem_open(p, comm, &what, options);
}

void multigrid_problem_close(multigrid_problem *p)
{
    sn_free(p->x);
    test_solver_free(&p->solver);
    sn_free(p->damping);
    sn_hierarchy_free(&p->tree);
    test_forest_free(&p->forest);
}

double *multigrid_zeros(const multigrid_problem *p)
{
    return sn_field_new_f64(&p->tree.level[0]);
}

double *multigrid_random(const multigrid_problem *p, int which)
{
    const sn_octree *tree = &p->tree.level[0];
    double *u = multigrid_zeros(p);
    sn_key *keys = sn_octree_node_keys(tree);
    for (sn_local n = 0; n < tree->n_nodes; n++)
        for (int d = 0; d < 3; d++)
            u[3 * n + d] = p->solver.finest.pinned[n] ? 0 : value_of(keys[n], 3 * which + d);
    sn_free(keys);
    return u;
}

double multigrid_dot(const multigrid_problem *p, const double *a, const double *b)
{
    const sn_octree *tree = &p->tree.level[0];
    return sn_global_dot(tree->comm, a, b, 3 * (size_t)tree->n_nodes);
}

double multigrid_distance(const multigrid_problem *p, const double *a, const double *b)
{
    const sn_octree *tree = &p->tree.level[0];
    double largest = 0;
    for (sn_local i = 0; i < 3 * tree->n_nodes; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, tree->comm);
    return largest;
}

double multigrid_cycle_residual(multigrid_problem *p, int which)
{
    double *b = multigrid_random(p, which), *x = multigrid_zeros(p), *ax = multigrid_zeros(p);
    sn_multigrid_cycle(&p->solver.mg, b, x);
    sn_system_apply_f64(&p->solver.finest, x, ax);
    double residual = multigrid_distance(p, ax, b);
    sn_free(b), sn_free(x), sn_free(ax);
    return residual;
}

uint64_t multigrid_digest(const multigrid_problem *p, const double *field)
{
    const sn_octree *tree = &p->tree.level[0];
    sn_key *keys = sn_octree_node_keys(tree);
    uint64_t digest = 0;
    for (sn_local n = 0; n < tree->n_nodes; n++)
        sn_digest_add(&digest, keys[n], field + 3 * n, 3 * sizeof *field);
    sn_free(keys);
    return sn_digest_allreduce(tree->comm, digest);
}

static void check_pair(multigrid_problem *p, const char *name, double rounding, double *r,
                       const double *s)
{
    double *vr = multigrid_zeros(p), *vs = multigrid_zeros(p);
    sn_multigrid_cycle(&p->solver.mg, r, vr);
    sn_multigrid_cycle(&p->solver.mg, s, vs);
    double rvr = multigrid_dot(p, r, vr), svs = multigrid_dot(p, s, vs);
    double svr = multigrid_dot(p, s, vr), rvs = multigrid_dot(p, r, vs);
    CHECK(rvr > 0 && svs > 0, "%s: r.Vr = %g, s.Vs = %g", name, rvr, svs);
    CHECK(fabs(svr - rvs) < rounding * sqrt(rvr * svs), "%s: %.9g and %.9g of %g", name, svr, rvs,
          sqrt(rvr * svs));
    sn_free(vr), sn_free(vs);
}

void multigrid_cycle_is_definite(multigrid_problem *p, const char *name, double rounding)
{
    enum { ROUNDS = 4 };
    for (int round = 0; round < ROUNDS; round++) {
        double *r = multigrid_random(p, 2 * round), *s = multigrid_random(p, 2 * round + 1);
        double *smooth = multigrid_zeros(p);
        sn_multigrid_cycle(&p->solver.mg, r, smooth);
        check_pair(p, name, rounding, round % 2 ? smooth : r, s);
        sn_free(r), sn_free(s), sn_free(smooth);
    }
}
