/* What definiteness stands on, with whole matrices of small problems: on every level A is at most
 * the bound times D, and the cycle as a matrix has positive eigenvalues only. Bodies with hanging
 * nodes are thrown until half of their elements are inverted, are nearly incompressible, change
 * their stiffness by a thousand from cell to cell, and have springs between 32 nodes. Bounds of
 * repeated cycles may be as wrong as they like. */
#include "helpers/check.h"
#include "helpers/multigrid_problem.h"
#include "helpers/springs_list.h"

#include "base/array.h"

#include <math.h>

/* What D in single precision and sums may add up to. */
static const double ROUNDING = 1e-6;

/* ---- Dense matrices ---- */

typedef struct {
    int n;
    double *a; /* n x n */
} dense;

static void apply_level(void *context, const double *u, double *out)
{
    sn_system_apply_f64(context, (double *)u, out);
}

static void apply_cycle(void *context, const double *u, double *out)
{
    sn_multigrid_cycle(context, u, out);
}

static double *random_field(const sn_system *s)
{
    double *u = sn_field_new_f64(s->tree);
    unsigned long long seed = 3;
    for (sn_local i = 0; i < sn_field_reals(s->tree); i++)
        u[i] = s->pinned[i / 3] ? 0 : test_random(&seed) - 0.5;
    return u;
}

/* Numbers of the free reals of a system; the caller frees them. */
static sn_local *free_reals(const sn_system *s, int *n)
{
    sn_local *real = SN_NEW(sn_local, sn_field_reals(s->tree));
    *n = 0;
    for (sn_local i = 0; i < sn_field_reals(s->tree); i++)
        if (!s->pinned[i / 3] && s->inverse_diagonal[i] > 0)
            real[(*n)++] = i;
    return real;
}

static dense matrix_of(const sn_system *s, void (*apply)(void *, const double *, double *),
                       void *context)
{
    dense m;
    sn_local *real = free_reals(s, &m.n);
    double *u = sn_field_new_f64(s->tree), *out = sn_field_new_f64(s->tree);
    m.a = SN_NEW(double, (size_t)m.n *(size_t)m.n);
    for (int j = 0; j < m.n; j++) {
        u[real[j]] = 1;
        apply(context, u, out);
        u[real[j]] = 0;
        for (int i = 0; i < m.n; i++)
            m.a[(size_t)j * (size_t)m.n + (size_t)i] = out[real[i]];
    }
    sn_free(real), sn_free(u), sn_free(out);
    return m;
}

static double diagonal_entry(const dense *m, int i)
{
    return m->a[(size_t)i * (size_t)m->n + (size_t)i];
}

static void scale_to_ones(dense *m)
{
    size_t n = (size_t)m->n;
    double *scale = SN_NEW(double, n);
    for (size_t i = 0; i < n; i++)
        scale[i] = 1 / sqrt(diagonal_entry(m, (int)i));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            m->a[i * n + j] *= scale[i] * scale[j];
    sn_free(scale);
}

/* Of Cholesky's factors of the matrix scaled to a diagonal of 1; the matrix is used up. */
static double smallest_pivot(dense *m)
{
    size_t n = (size_t)m->n;
    double smallest = 1;
    scale_to_ones(m);
    for (size_t k = 0; k < n && smallest > 0; k++) {
        const double *pivot = m->a + k * n;
        smallest = fmin(smallest, pivot[k]);
        for (size_t i = k + 1; i < n; i++) {
            double factor = pivot[i] / pivot[k], *row = m->a + i * n;
            for (size_t j = i; j < n; j++)
                row[j] -= factor * pivot[j];
        }
    }
    return isnan(smallest) ? -1 : smallest;
}

/* ---- What is checked ---- */

/* The bound times D less A is not negative. */
static void bound_is_sure(sn_system *s, const char *name, int level)
{
    dense m = matrix_of(s, apply_level, s);
    int n;
    sn_local *real = free_reals(s, &n);
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t j = 0; j < (size_t)n; j++) {
            double d =
                i == j ? (1 + ROUNDING) * s->bound / (double)s->inverse_diagonal[real[i]] : 0;
            m.a[i * (size_t)n + j] = d - m.a[i * (size_t)n + j];
        }
    double pivot = smallest_pivot(&m);
    CHECK(pivot > 0, "%s, level %d of %d reals: bound %g, pivot %g", name, level, n, s->bound,
          pivot);
    sn_free(real), sn_free(m.a);
}

static void cycle_is_definite(multigrid_problem *p, const char *name)
{
    dense m = matrix_of(&p->solver.finest, apply_cycle, &p->solver.mg);
    double pivot = smallest_pivot(&m);
    CHECK(pivot > 0, "%s: of %d reals, pivot %g", name, m.n, pivot);
    sn_free(m.a);
}

/* ---- The same by iteration, where matrices would be too large ---- */

enum { ITERATIONS = 150 };

/* The largest eigenvalue of D^-1 A, from below. */
static double largest_of_level(sn_system *s)
{
    double *u = random_field(s), *a = sn_field_new_f64(s->tree), found = 0;
    for (int k = 0; k < ITERATIONS; k++) {
        double size = 0;
        sn_system_apply_f64(s, u, a);
        for (sn_local i = 0; i < sn_field_reals(s->tree); i++) {
            double inverse = (double)s->inverse_diagonal[i];
            size += inverse > 0 ? u[i] * u[i] / inverse : 0;
        }
        found = sn_field_dot_f64(s->tree, u, a) / size;
        for (sn_local i = 0; i < sn_field_reals(s->tree); i++)
            u[i] = (double)s->inverse_diagonal[i] * a[i] / found;
    }
    sn_free(u), sn_free(a);
    return found;
}

/* The smallest eigenvalue of the cycle times A, from above: what is left of errors that the cycle
 * is shifted to leave most of. */
static double smallest_of_cycle(multigrid_problem *p, double largest)
{
    sn_system *s = &p->solver.finest;
    double *u = random_field(s), *a = sn_field_new_f64(s->tree), *z = sn_field_new_f64(s->tree);
    double found = 0;
    for (int k = 0; k < ITERATIONS; k++) {
        sn_system_apply_f64(s, u, a);
        sn_multigrid_cycle(&p->solver.mg, a, z);
        double energy = sn_field_dot_f64(s->tree, u, a);
        found = sn_field_dot_f64(s->tree, a, z) / energy;
        sn_field_add_f64(s->tree, u, -1 / largest, z, u);
        for (sn_local i = 0; i < sn_field_reals(s->tree); i++)
            u[i] /= sqrt(energy);
    }
    sn_free(u), sn_free(a), sn_free(z);
    return found;
}

static void bounds_hold_by_iteration(multigrid_problem *p, const char *name)
{
    const double above_all = 10; /* eigenvalues of the cycle times A */
    for (int l = 0; l + 1 < p->solver.mg.n_levels; l++) {
        sn_system *s = sn_levels_at(&p->solver.levels, l);
        double largest = largest_of_level(s);
        CHECK(largest > 1 && largest <= s->bound, "%s, level %d: %g, bound %g", name, l, largest,
              s->bound);
    }
    double smallest = smallest_of_cycle(p, above_all);
    CHECK(smallest > 0 && smallest < 1, "%s: eigenvalue %g", name, smallest);
}

typedef struct {
    const char *name;
    multigrid_case what;
    double later; /* noise that comes in the same step */
    springs_kind springs;
    int n_springs; /* the same */
    double stiffness;
    bool fine; /* so small cells that nodes hang */
} hard_case;

static int hanging_elements(const sn_octree *tree)
{
    int count = 0;
    for (sn_local e = 0; e < tree->n_elements; e++)
        count += tree->hanging[e] != 0;
    return count;
}

/* As in a Newton iteration that is not the step's first. */
static void go_on(multigrid_problem *p, const hard_case *c)
{
    double *noise = multigrid_random(p, 33);
    sn_field_add_f64(&p->tree.level[0], p->x, c->later * c->what.cell, noise, p->x);
    sn_spring_list springs = springs_list(MPI_COMM_WORLD, c->springs, c->n_springs, c->stiffness);
    CHECK(sn_system_set_springs(&p->solver.finest, 0, springs.data, springs.count) == SN_OK, "%s",
          sn_failure_message());
    p->deformation = sn_system_linearise(&p->solver.finest, p->x, 1, c->what.mass, NULL);
    CHECK(sn_multigrid_prepare(&p->solver.mg, p->x) == SN_OK, "%s", sn_failure_message());
    sn_vector_free(&springs);
    sn_free(noise);
}

static void whole_matrices_hold(multigrid_problem *p, const char *name)
{
    for (int l = 0; l + 1 < p->solver.mg.n_levels; l++)
        bound_is_sure(sn_levels_at(&p->solver.levels, l), name, l);
    cycle_is_definite(p, name);
    for (int l = 0; l < p->solver.mg.n_levels; l++) /* far too low */
        p->solver.mg.level[l].largest_of_cycle = 0.5;
    cycle_is_definite(p, name);
}

static void try_case(hard_case c)
{
    multigrid_problem p;
    c.what.settings = SN_MULTIGRID_DEFAULTS;
    c.what.settings.precision = SN_PRECISION_DOUBLE;
    c.what.settings.amli_from = 1;
    c.what.settings.most_exact = 0; /* as many levels as there are */
    c.what.seed = 5;
    c.what.cell = c.fine ? 0.05 : 0.13;
    multigrid_problem_open(&p, MPI_COMM_WORLD, &c.what, (sn_hierarchy_options){0});
    CHECK(p.solver.mg.n_levels > 2, "only %d levels", p.solver.mg.n_levels);
    CHECK(!c.fine || hanging_elements(&p.tree.level[0]) > 0, "nothing hangs");
    go_on(&p, &c);
    if (c.fine)
        bounds_hold_by_iteration(&p, c.name);
    else
        whole_matrices_hold(&p, c.name);
    multigrid_problem_close(&p);
}

static void run(int argc, char **argv)
{
    static const hard_case CASES[] = {
        {"crushed in the step", .what = {.pinned = true}, .later = 2},
        {"Poisson's ratio 0.49", .what = {.pinned = true, .lambda = 49}, .later = 0.5},
        {"damped jumps", .what = {.pinned = true, .noise = 1, .jump = 30, .damping = 3}},
        {"springs of all kinds", {.mass = 0.1, .noise = 1}, 0, SPRINGS_MIXED, 200, 3, false},
        {"at rest", .what = {.pinned = true}, .fine = true},
        {"thrown far", .what = {.noise = 10, .mass = 1}, .fine = true},
        {"Poisson's ratio 0.45", .what = {.pinned = true, .lambda = 9}, .later = 0.2, .fine = true},
        {"jumps", .what = {.pinned = true, .jump = 1000}, .later = 0.3, .fine = true},
        {"hard contacts", {.pinned = true}, 0.2, SPRINGS_CONTACTS, 60, 100, true},
        {"few hard springs", {.mass = 10, .noise = 0.5}, 0, SPRINGS_TWO_ENDS, 5, 1e4, true},
    };
    (void)argv;
    size_t every = argc > 1 ? 3 : 1; /* few */
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i += every)
        try_case(CASES[i]);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
