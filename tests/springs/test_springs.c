/* Springs in the octree: their law against finite differences, the operator against its own
 * definition, the cycle with them in it, and the same bits however the forest is cut. */
#include "helpers/check.h"
#include "helpers/multigrid_problem.h"
#include "helpers/springs_list.h"

#include "base/array.h"
#include "base/digest.h"
#include "octree/positions.h"

#include <math.h>
#include <string.h>

enum { SPRINGS = 150 };

static double cell = 0.08; /* of the octrees; larger for programs that run slowly */

static multigrid_case usual_case(void)
{
    return (multigrid_case){
        .seed = 5, .pinned = true, .noise = 0.3, .cell = cell, .settings = SN_MULTIGRID_DEFAULTS};
}

static void must(sn_status status)
{
    CHECK(status == SN_OK, "%s", sn_failure_message());
}

/* A problem and a set of springs on its finest level. */
typedef struct {
    multigrid_problem problem;
    sn_locator locator;
    sn_spring_set set;
} sprung;

static void open_sprung(sprung *s, MPI_Comm comm, springs_kind kind, sn_hierarchy_options options)
{
    multigrid_case what = usual_case();
    what.pinned = false;
    multigrid_problem_open(&s->problem, comm, &what, options);
    s->locator = sn_locator_create(&s->problem.tree.level[0]);
    sn_spring_list list = springs_list(comm, kind, SPRINGS, 3);
    must(sn_spring_set_create(&s->locator, list.data, list.count, &s->set));
    must(sn_spring_set_check(&s->set));
    sn_vector_free(&list);
    sn_spring_set_linearise(&s->set, s->problem.x, SN_SPRING_TANGENT);
}

static void close_sprung(sprung *s)
{
    sn_spring_set_free(&s->set);
    sn_locator_free(&s->locator);
    multigrid_problem_close(&s->problem);
}

static double *moved(const multigrid_problem *p, double length, const double *along)
{
    double *x = multigrid_zeros(p);
    for (sn_local i = 0; i < 3 * p->tree.level[0].n_nodes; i++)
        x[i] = p->x[i] + length * along[i];
    return x;
}

static void check_counts(sprung *s, springs_kind kind)
{
    int64_t counts[3] = {0}; /* without a matrix; with a limit; with a loose end */
    for (sn_local i = 0; i < s->set.n; i++) {
        const double *m = s->set.matrix[i].m;
        counts[0] += m[0] + m[3] + m[5] == 0;
        counts[1] += isfinite(s->set.limit[i]);
        counts[2] += s->set.aside[i][0] != 0;
    }
    MPI_Allreduce(MPI_IN_PLACE, counts, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(s->set.n_everywhere == SPRINGS, "%ld springs", (long)s->set.n_everywhere);
    CHECK((kind == SPRINGS_CONTACTS) == (counts[0] > 20), "%s: %ld do nothing",
          springs_kind_names[kind], (long)counts[0]);
    CHECK(counts[0] < 120, "%ld do nothing", (long)counts[0]);
    CHECK((counts[2] > 20) == (kind != SPRINGS_TWO_ENDS), "%ld loose", (long)counts[2]);
    CHECK(kind != SPRINGS_TIES || s->set.constant, "ties depend on positions");
}

/* The force is the energy's slope, and -K the force's. */
static void slopes(sprung *s, const char *name)
{
    const double h = 1e-6;
    multigrid_problem *p = &s->problem;
    double *f = multigrid_zeros(p);
    sn_spring_set_force_add(&s->set, p->x, f);
    for (int round = 0; round < 2; round++) {
        double *u = multigrid_random(p, 10 + round), *ku = multigrid_zeros(p);
        double *there = moved(p, h, u), *back = moved(p, -h, u);
        double *f_there = multigrid_zeros(p), *f_back = multigrid_zeros(p);
        double slope =
            (sn_spring_set_energy(&s->set, there) - sn_spring_set_energy(&s->set, back)) / (2 * h);
        double expected = -multigrid_dot(p, f, u), size = sqrt(multigrid_dot(p, f, f));
        CHECK(fabs(slope - expected) < 1e-6 * size, "%s: slope %.9g, not %.9g", name, slope,
              expected);
        sn_spring_set_apply_add_f64(&s->set, u, ku);
        sn_spring_set_force_add(&s->set, there, f_there);
        sn_spring_set_force_add(&s->set, back, f_back);
        double largest = 0, most = 0;
        for (sn_local i = 0; i < 3 * p->tree.level[0].n_nodes; i++) {
            most = fmax(most, fabs(ku[i]));
            largest = fmax(largest, fabs((f_there[i] - f_back[i]) / (2 * h) + ku[i]));
        }
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        CHECK(largest < 1e-5 * most, "%s: differential off by %g of %g", name, largest, most);
        sn_free(u), sn_free(ku), sn_free(there), sn_free(back), sn_free(f_there), sn_free(f_back);
    }
    sn_free(f);
}

/* The worst ratio of tangential to normal force, over those that push, by the definition. */
static double worst_ratio(const sprung *s, const double *limit)
{
    double worst = 0;
    for (sn_local i = 0; i < s->set.n; i++)
        worst = fmax(worst, limit[i] / s->set.limit[i]);
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

/* Elsewhere the limits of friction are those of here, until they follow: all that slips is then as
 * far above or below Coulomb's law as its limit was; and a second time, with nothing to learn from
 * the first, they are the same. */
static void friction_follows(sprung *s)
{
    multigrid_problem *p = &s->problem;
    double *u = multigrid_random(p, 30), *there = moved(p, 1e-3, u);
    double *limit = SN_NEW(double, s->set.n);
    memcpy(limit, s->set.limit, (size_t)s->set.n * sizeof *limit);
    sn_friction_error here = sn_spring_set_friction_error(&s->set, p->x);
    sn_friction_error before = sn_spring_set_friction_error(&s->set, there);
    sn_spring_set_relimit(&s->set, there);
    sn_friction_error after = sn_spring_set_friction_error(&s->set, there);
    double most = worst_ratio(s, limit) - 1;
    CHECK(here.above < 1e-12 && here.below < 1e-12, "%g above, %g below", here.above, here.below);
    CHECK(after.above < 1e-12 && after.below < 1e-12, "%g above, %g below", after.above,
          after.below);
    CHECK(before.above > 1e-3 && before.above <= most * (1 + 1e-9), "%g above, at most %g",
          before.above, most);
    CHECK(before.below > 1e-3 && before.below < 1, "%g below", before.below);
    memcpy(limit, s->set.limit, (size_t)s->set.n * sizeof *limit);
    sn_spring_set_relimit(&s->set, there);
    CHECK(memcmp(limit, s->set.limit, (size_t)s->set.n * sizeof *limit) == 0, "other limits");
    sn_free(u), sn_free(there), sn_free(limit);
}

/* What steadies a spring that slips only adds to what resists. */
static void steady_is_stiffer(sprung *s)
{
    multigrid_problem *p = &s->problem;
    double *u = multigrid_random(p, 20), *plain = multigrid_zeros(p), *steady = multigrid_zeros(p);
    sn_spring_set_apply_add_f64(&s->set, u, plain);
    sn_spring_set_linearise(&s->set, p->x, SN_SPRING_STEADY);
    sn_spring_set_apply_add_f64(&s->set, u, steady);
    sn_spring_set_linearise(&s->set, p->x, SN_SPRING_TANGENT);
    double less = multigrid_dot(p, u, plain), more = multigrid_dot(p, u, steady);
    CHECK(more > less && more < 1.2 * less, "u.Ku %g, steady %g", less, more);
    sn_free(u), sn_free(plain), sn_free(steady);
}

static void operator_is_symmetric(sprung *s, const char *name)
{
    multigrid_problem *p = &s->problem;
    for (int round = 0; round < 3; round++) {
        double *u = multigrid_random(p, 2 * round), *v = multigrid_random(p, 2 * round + 1);
        double *ku = multigrid_zeros(p), *kv = multigrid_zeros(p);
        sn_spring_set_apply_add_f64(&s->set, u, ku);
        sn_spring_set_apply_add_f64(&s->set, v, kv);
        double uku = multigrid_dot(p, u, ku), vkv = multigrid_dot(p, v, kv);
        double vku = multigrid_dot(p, v, ku), ukv = multigrid_dot(p, u, kv);
        CHECK(uku > 0 && vkv > 0, "%s: u.Ku = %g", name, uku);
        CHECK(fabs(vku - ukv) < 1e-12 * sqrt(uku * vkv), "%s: %g and %g", name, vku, ukv);
        sn_free(u), sn_free(v), sn_free(ku), sn_free(kv);
    }
}

/* A touched node whose entry is not zero: the first from some place on, or SN_NONE. */
static sn_local node_with_entry(const sn_spring_set *set, const double *diagonal, sn_local from,
                                sn_local component)
{
    for (sn_local i = 0; i < set->n_touched; i++) {
        sn_local node = set->touched[(from + i) % set->n_touched];
        if (diagonal[3 * node + component] > 0)
            return node;
    }
    return SN_NONE;
}

/* Entry by entry, at nodes anywhere. */
static void diagonal_is_the_operators(sprung *s, const char *name)
{
    multigrid_problem *p = &s->problem;
    const sn_octree *tree = &p->tree.level[0];
    sn_key *keys = sn_octree_node_keys(tree);
    double *diagonal = multigrid_zeros(p), largest = 0;
    sn_spring_set_diagonal_add(&s->set, 0, diagonal);
    for (sn_local i = 0; i < 3 * tree->n_nodes; i++)
        largest = fmax(largest, diagonal[i]);
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, tree->comm);
    int rank, size, found = 0;
    MPI_Comm_rank(tree->comm, &rank);
    MPI_Comm_size(tree->comm, &size);
    for (int round = 0; round < 21; round++) { /* a rank at a time, at one of its nodes */
        sn_local at = SN_NONE, component = round % 3;
        if (round % size == rank && s->set.n_touched > 0)
            at = node_with_entry(&s->set, diagonal, round * 37, component);
        double *u = multigrid_zeros(p), *ku = multigrid_zeros(p);
        if (at != SN_NONE)
            u[3 * at + component] = 1;
        sn_spring_set_apply_add_f64(&s->set, u, ku);
        if (at != SN_NONE) {
            double own = ku[3 * at + component], expected = diagonal[3 * at + component];
            CHECK(fabs(own - expected) < 1e-13 * largest, "%s: %g, not %g", name, own, expected);
            found += own > 0;
        }
        sn_free(u), sn_free(ku);
    }
    MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_SUM, tree->comm);
    CHECK(found > 5, "only %d entries", found); /* some ranks have no springs */
    sn_free(keys), sn_free(diagonal);
}

/* Springs between points of the flesh that pull along their line move nothing as a whole. */
static void nothing_from_nothing(sprung *s)
{
    multigrid_problem *p = &s->problem;
    const sn_octree *tree = &p->tree.level[0];
    double *f = multigrid_zeros(p), sum[6] = {0}, size = 0;
    sn_spring_set_force_add(&s->set, p->x, f);
    for (sn_local n = 0; n < tree->n_nodes; n++) {
        const double *x = p->x + 3 * n, *force = f + 3 * n;
        for (int d = 0; d < 3; d++) {
            int e = (d + 1) % 3, g = (d + 2) % 3;
            sum[d] += force[d];
            sum[3 + d] += x[e] * force[g] - x[g] * force[e];
            size += fabs(force[d]);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, sum, 6, MPI_DOUBLE, MPI_SUM, tree->comm);
    MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPI_DOUBLE, MPI_SUM, tree->comm);
    CHECK(size > 1, "no force");
    for (int k = 0; k < 6; k++)
        CHECK(fabs(sum[k]) < 1e-13 * size, "%s %d is %g of %g", k < 3 ? "force" : "torque", k % 3,
              sum[k], size);
    sn_free(f);
}

/* At rest, ties whose targets are their points are stretched by what rounding moves these, which is
 * less than a millionth of a cell, and after a shift all by it too. */
static void rest_and_shift(sn_hierarchy_options options)
{
    multigrid_case what = usual_case();
    what.noise = 0;
    multigrid_problem p;
    multigrid_problem_open(&p, MPI_COMM_WORLD, &what, options);
    sn_locator locator = sn_locator_create(&p.tree.level[0]);
    sn_spring_list list = springs_list(MPI_COMM_WORLD, SPRINGS_TIES, SPRINGS, 1);
    for (size_t i = 0; i < list.count; i++)
        memcpy(list.data[i].target, list.data[i].point[0].at, sizeof list.data[i].target);
    sn_spring_set set;
    must(sn_spring_set_create(&locator, list.data, list.count, &set));
    double rest = sn_spring_set_elongation(&set, p.x);
    CHECK(rest < 1e-6 * cell, "at rest stretched by %g", rest);
    for (sn_local n = 0; n < p.tree.level[0].n_nodes; n++)
        p.x[3 * n + 1] += 0.25;
    double shifted = sn_spring_set_elongation(&set, p.x);
    CHECK(fabs(shifted - 0.25) < 1e-6 * cell, "shifted by %.17g", shifted);
    sn_spring_set_free(&set);
    sn_vector_free(&list);
    sn_locator_free(&locator);
    multigrid_problem_close(&p);
}

/* ---- With multigrid ---- */

enum { TIES, CONTACTS }; /* slots of the system */

static void add_springs(multigrid_problem *p, MPI_Comm comm, double stiffness)
{
    sn_spring_list ties = springs_list(comm, SPRINGS_TIES, SPRINGS, stiffness);
    sn_spring_list contacts = springs_list(comm, SPRINGS_MIXED, SPRINGS, stiffness);
    must(sn_system_set_springs(&p->solver.finest, TIES, ties.data, ties.count));
    must(sn_system_set_springs(&p->solver.finest, CONTACTS, contacts.data, contacts.count));
    sn_vector_free(&ties);
    sn_vector_free(&contacts);
    must(test_solver_update(&p->solver, p->x, p->solver.finest.inertia, &p->deformation));
}

static void solves(multigrid_problem *p, double stiffness)
{
    double *known = multigrid_random(p, 50), *b = multigrid_zeros(p), *x = multigrid_zeros(p);
    sn_system_apply_f64(&p->solver.finest, known, b);
    sn_linear_result result = test_solver_solve(
        &p->solver, (sn_linear_settings){.method = SN_LINEAR_MGPCG, .max = 200, .tolerance = 1e-11},
        b, x, NULL, NULL);
    double error = multigrid_distance(p, known, x);
    CHECK(!result.broke_down && !result.preconditioner_broke_down && error < 1e-5,
          "stiffness %g: error %g, residual %g after %d", stiffness, error, result.residual,
          result.iterations);
    sn_free(known), sn_free(b), sn_free(x);
}

static const sn_spring_set *ties_of(const sn_levels *levels, int level)
{
    return &sn_levels_at(levels, level)->springs[TIES];
}

static double trace_of(sn_spring_matrix a)
{
    return a.m[0] + a.m[3] + a.m[5];
}

/* Each coarse level has fewer springs, and as much stiffness in all directions together. */
static void coarse_springs(const multigrid_problem *p)
{
    const sn_levels *v = &p->solver.levels;
    double before = 0;
    for (int l = 0; l < v->n; l++) {
        const sn_spring_set *set = ties_of(v, l);
        double trace = 0;
        for (sn_local i = 0; i < set->n; i++)
            trace += trace_of(sn_spring_set_matrix(set, i));
        MPI_Allreduce(MPI_IN_PLACE, &trace, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        CHECK(l == 0 || fabs(trace - before) < 1e-12 * before, "level %d: %g, not %g", l, trace,
              before);
        CHECK(l == 0 || set->n_everywhere <= ties_of(v, l - 1)->n_everywhere, "more springs");
        before = trace;
    }
    CHECK(ties_of(v, v->n - 1)->n_everywhere < ties_of(v, 0)->n_everywhere, "none was merged");
    CHECK(ties_of(v, v->n - 1)->n_everywhere > 0, "none left");
}

static void with_multigrid(sn_hierarchy_options options)
{
    const double stiffness[] = {1, 1000};
    for (int i = 0; i < 2; i++) {
        multigrid_case what = usual_case();
        multigrid_problem p;
        multigrid_problem_open(&p, MPI_COMM_WORLD, &what, options);
        add_springs(&p, MPI_COMM_WORLD, stiffness[i]);
        CHECK(p.solver.mg.n_levels > 1, "only %d levels", p.solver.mg.n_levels);
        coarse_springs(&p);
        multigrid_cycle_is_definite(&p, i == 0 ? "soft springs" : "stiff springs", 2e-5);
        if (i == 0) /* far stiffer springs take far more iterations */
            solves(&p, stiffness[i]);
        must(sn_system_set_springs(&p.solver.finest, CONTACTS, NULL, 0));
        must(sn_system_set_springs(&p.solver.finest, TIES, NULL, 0));
        CHECK(!sn_system_has_springs(&p.solver.finest), "springs are left");
        multigrid_problem_close(&p);
    }
}

/* With one level the cycle is the dense solve: one of them solves the system. */
static void coarsest_is_exact(sn_hierarchy_options options)
{
    multigrid_case what = usual_case();
    multigrid_problem p;
    multigrid_problem_open_on_one_level(&p, MPI_COMM_WORLD, what, options);
    add_springs(&p, MPI_COMM_WORLD, 5);
    double residual = multigrid_cycle_residual(&p, 60);
    CHECK(residual < 2e-5, "residual %g", residual);
    multigrid_problem_close(&p);
}

/* ---- The same bits ---- */

enum { MOST_RESULTS = 8 + SN_MAX_LEVELS };

/* Springs that are settled do what they did, with less memory; coarser levels come too late. */
static void settled_springs_stay(sprung *s)
{
    const sn_octree *tree = &s->problem.tree.level[0];
    double *before = multigrid_zeros(&s->problem), *after = multigrid_zeros(&s->problem);
    sn_spring_set_force_add(&s->set, s->problem.x, before);
    size_t bytes = sn_spring_set_memory(&s->set);
    sn_spring_set_settle(&s->set);
    sn_spring_set_force_add(&s->set, s->problem.x, after);
    size_t reals = sizeof *before * SN_NODE_REALS * (size_t)tree->n_nodes;
    CHECK(reals == 0 || memcmp(before, after, reals) == 0, "another force");
    size_t ends = (size_t)s->set.n * 2 * sizeof(sn_flesh_point);
    CHECK(sn_spring_set_memory(&s->set) == bytes - ends, "less memory");
    must(sn_spring_set_check(&s->set));
    sn_spring_set coarser;
    CHECK(sn_spring_set_coarsen(&s->set, &s->locator, &coarser) == SN_MACHINE, "no ends");
    sn_free(before);
    sn_free(after);
}

typedef struct {
    int n;
    uint64_t bits[MOST_RESULTS];
} results;

static uint64_t bits_of_level(multigrid_problem *p, int l)
{
    const sn_octree *tree = &p->tree.level[l];
    sn_key *keys = sn_octree_node_keys(tree);
    float *u = sn_field_new_f32(tree), *ku = sn_field_new_f32(tree);
    for (sn_local i = 0; i < 3 * tree->n_nodes; i++)
        u[i] = (float)(keys[i / 3] % 1000) - (float)(i % 3);
    sn_system *system = sn_levels_at(&p->solver.levels, l);
    sn_spring_set_apply_add_f32(&system->springs[TIES], u, ku);
    sn_spring_set_apply_add_f32(&system->springs[CONTACTS], u, ku);
    uint64_t digest = 0;
    for (sn_local n = 0; n < tree->n_nodes; n++)
        sn_digest_add(&digest, keys[n], ku + 3 * n, 3 * sizeof *ku);
    sn_free(keys), sn_free(u), sn_free(ku);
    return sn_digest_allreduce(tree->comm, digest);
}

static results results_of(MPI_Comm comm, sn_hierarchy_options options)
{
    results r = {0};
    multigrid_case what = usual_case();
    multigrid_problem p;
    multigrid_problem_open(&p, comm, &what, options);
    add_springs(&p, comm, 4);
    double *u = multigrid_random(&p, 3), *out = multigrid_zeros(&p);
    double energy = sn_system_spring_energy(&p.solver.finest, p.x);
    memcpy(&r.bits[r.n++], &energy, sizeof energy);
    sn_system_spring_force_add(&p.solver.finest, p.x, out);
    r.bits[r.n++] = multigrid_digest(&p, out);
    sn_system_apply_f64(&p.solver.finest, u, out);
    r.bits[r.n++] = multigrid_digest(&p, out);
    for (int l = 0; l < p.solver.mg.n_levels; l++)
        r.bits[r.n++] = bits_of_level(&p, l);
    sn_multigrid_cycle(&p.solver.mg, u, out);
    r.bits[r.n++] = multigrid_digest(&p, out);
    sn_free(u), sn_free(out);
    multigrid_problem_close(&p);
    return r;
}

static void same_bits(void)
{
    results alone = {0};
    if (test_is_mine(0))
        alone = results_of(MPI_COMM_SELF, (sn_hierarchy_options){0});
    test_share(0, &alone, sizeof alone);
    for (int way = 0; way < TEST_WAYS; way += way ? 1 : 2) {
        results r = results_of(MPI_COMM_WORLD, test_ways[way].options);
        CHECK(r.n == alone.n, "%d results", r.n);
        for (int i = 0; i < r.n && i < alone.n; i++)
            CHECK(r.bits[i] == alone.bits[i], "%s: result %d of %d", test_ways[way].name, i, r.n);
    }
}

/* ---- What is broken is seen ---- */

static void swap_entries(sn_local *a, sn_local *b)
{
    sn_local kept = *a;
    *a = *b;
    *b = kept;
}

/* On each rank with springs; undone by the same with the inverse factor. */
static void break_set(sn_spring_set *set, int way, double factor)
{
    if (set->n < 2 || set->n_touched < 2)
        return;
    sn_spring_rows *home = &set->home;
    sn_spring_entry *longest = home->entry + home->first[set->n - 1];
    if (way == 0)
        home->entry[0].weight *= (float)factor;
    else if (way == 1)
        swap_entries(&longest->index, &home->entry[home->first[set->n] - 1].index);
    else if (way == 2)
        swap_entries(&set->touched[0], &set->touched[1]);
    else
        set->nodes.entry[0].weight *= (float)factor;
}

static void broken_sets_are_seen(void)
{
    const char *why[] = {"add up to", "that hang on them", "another one", "that hang on them"};
    sprung s;
    open_sprung(&s, MPI_COMM_WORLD, SPRINGS_MIXED, test_ways[0].options);
    for (int way = 0; way < 4; way++) {
        break_set(&s.set, way, 2);
        CHECK(sn_spring_set_check(&s.set) == SN_MACHINE && strstr(sn_failure_message(), why[way]),
              "way %d: %s", way, sn_failure_message());
        break_set(&s.set, way, 0.5);
    }
    must(sn_spring_set_check(&s.set));
    close_sprung(&s);
}

/* ---- Nothing, and nonsense ---- */

static void refused(const sn_locator *l, sn_spring_list list, const char *why)
{
    sn_spring_set set;
    sn_status status = sn_spring_set_create(l, list.data, list.count, &set);
    CHECK(status != SN_OK && strstr(sn_failure_message(), why), "status %d: %s", status,
          sn_failure_message());
    sn_vector_free(&list);
}

static void nothing_and_nonsense(void)
{
    multigrid_case what = usual_case();
    multigrid_problem p;
    multigrid_problem_open(&p, MPI_COMM_WORLD, &what, test_ways[0].options);
    sn_locator l = sn_locator_create(&p.tree.level[0]);
    sn_spring_set set;
    must(sn_spring_set_create(&l, NULL, 0, &set));
    double *f = multigrid_zeros(&p);
    sn_spring_set_linearise(&set, p.x, SN_SPRING_STEADY);
    sn_spring_set_force_add(&set, p.x, f);
    CHECK(sn_spring_set_energy(&set, p.x) == 0 && sn_spring_set_memory(&set) == 0 &&
              multigrid_dot(&p, f, f) == 0,
          "no springs, but something");
    sn_spring_set_free(&set);
    sn_free(f);
    for (int nonsense = 0; nonsense < 4; nonsense++) { /* one rank has it */
        sn_spring_list list = springs_list(MPI_COMM_WORLD, SPRINGS_MIXED, SPRINGS, 1);
        for (size_t i = 0, given = list.count; i < given; i++)
            if (list.data[i].number == 7919) {
                if (nonsense == 0)
                    list.data[i].point[0].body = 2;
                else if (nonsense == 1)
                    list.data[i].target[1] = NAN;
                else if (nonsense == 2)
                    list.data[i].normal_stiffness = -1;
                else {
                    sn_spring again = list.data[i];
                    sn_push(&list, again);
                }
            }
        const char *why[] = {"spring 7919 is tied to body 2 of 2", "no finite target",
                             "has stiffness -1", "two springs have the number 7919"};
        refused(&l, list, why[nonsense]);
    }
    sn_locator_free(&l);
    multigrid_problem_close(&p);
}

static void run(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) /* few */
        cell = 0.12;
    size_t held = sn_memory_held();
    same_bits();
    for (springs_kind kind = 0; kind < SPRINGS_KINDS; kind++) {
        sprung s;
        open_sprung(&s, MPI_COMM_WORLD, kind, test_ways[2 * (kind % 2)].options);
        if (kind != SPRINGS_MIXED)
            check_counts(&s, kind);
        slopes(&s, springs_kind_names[kind]);
        if (kind == SPRINGS_SLIPPING)
            steady_is_stiffer(&s);
        operator_is_symmetric(&s, springs_kind_names[kind]);
        diagonal_is_the_operators(&s, springs_kind_names[kind]);
        if (kind == SPRINGS_TWO_ENDS)
            nothing_from_nothing(&s);
        if (kind == SPRINGS_SLIPPING)
            friction_follows(&s);
        settled_springs_stay(&s);
        close_sprung(&s);
    }
    rest_and_shift(test_ways[0].options);
    with_multigrid(test_ways[0].options);
    coarsest_is_exact(test_ways[0].options);
    broken_sets_are_seen();
    nothing_and_nonsense();
    CHECK(sn_memory_held() == held, "%zu bytes were not freed", sn_memory_held() - held);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
