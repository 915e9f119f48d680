/* The law of a spring (spring.h): energy, force and matrix. */
#include "base/exact_sum.h"
#include "base/threads.h"
#include "base/vec3.h"
#include "springs/set.h"

#include <string.h>

sn_spring_law sn_spring_law_of(const sn_spring *s)
{
    sn_spring_law law = {.normal_stiffness = s->normal_stiffness,
                         .tangential_stiffness = s->tangential_stiffness,
                         .friction = s->friction,
                         .round = s->round.radius != 0 ? &s->round : NULL,
                         .one_sided = s->one_sided};
    memcpy(law.target, s->target, sizeof law.target);
    memcpy(law.normal, s->normal, sizeof law.normal);
    return law;
}

bool sn_spring_is_constant(const sn_spring_law *s)
{
    return !s->one_sided && isinf(s->friction);
}

/* Of the secant, along the way a spring slips: by Newton's iterations for walks on rough floors and
 * blocks on inclines. */
static const double STEADYING = 0.03;

/* d, along the normal and across it. */
typedef struct {
    double along;
    sn_vec normal; /* where d is: only of what is round it is another one than the spring's */
    sn_vec across; /* the plane's normal */
    double slip;   /* |across| */
} parts;

/* Beyond its middle a round thing is as if it were flat: a wall, so that no line search goes
 * through what is thin. */
static void go_around(const sn_spring_round *round, sn_vec d, parts *p)
{
    sn_vec axis = sn_vec_load(round->axis), out = sn_vec_scale(p->normal, round->radius);
    sn_vec spoke = sn_vec_add(sn_vec_add(d, sn_vec_load(round->aside)), out);
    spoke = sn_vec_sub(spoke, sn_vec_scale(axis, sn_vec_dot(spoke, axis)));
    if (!(sn_vec_dot(spoke, out) > 0))
        return;
    double length = copysign(sn_vec_length(spoke), round->radius);
    p->along = length - round->radius;
    p->normal = sn_vec_scale(spoke, 1 / length);
}

static parts split(const sn_spring_law *s, const double d[3])
{
    sn_vec v = sn_vec_load(d), normal = sn_vec_load(s->normal);
    double along = sn_vec_dot(v, normal);
    sn_vec across = sn_vec_sub(v, sn_vec_scale(normal, along));
    parts p = {along, normal, across, sn_vec_length(across)};
    if (s->round)
        go_around(s->round, v, &p);
    return p;
}

static bool pushes(const sn_spring_law *s, double along)
{
    return !s->one_sided || along < 0;
}

static double limit_of(const sn_spring_law *s, const parts *p)
{
    if (!pushes(s, p->along))
        return 0;
    return isinf(s->friction) ? INFINITY : s->friction * s->normal_stiffness * fabs(p->along);
}

static bool rubs(const sn_spring_law *s)
{
    return s->friction > 0 && isfinite(s->friction);
}

/* Beyond the limit; without any friction, always. */
static bool slips(const sn_spring_law *s, const parts *p, double limit)
{
    return limit == 0 || s->tangential_stiffness * p->slip > limit;
}

static double ratio(double limit, double slip)
{
    return limit == 0 ? 0 : limit / slip;
}

static double energy_of(const sn_spring_law *s, double limit, const double d[3])
{
    parts p = split(s, d);
    double energy = pushes(s, p.along) ? 0.5 * s->normal_stiffness * p.along * p.along : 0;
    if (limit == 0)
        return energy;
    if (slips(s, &p, limit))
        return energy + limit * (p.slip - limit / (2 * s->tangential_stiffness));
    return energy + 0.5 * s->tangential_stiffness * p.slip * p.slip;
}

/* -dE/dd */
static sn_vec force_of(const sn_spring_law *s, double limit, const double d[3])
{
    parts p = split(s, d);
    double normal = pushes(s, p.along) ? -s->normal_stiffness * p.along : 0;
    double across = slips(s, &p, limit) ? -ratio(limit, p.slip) : -s->tangential_stiffness;
    return sn_vec_add(sn_vec_scale(p.normal, normal), sn_vec_scale(p.across, across));
}

/* a += factor v v^T */
static void add_outer(sn_spring_matrix *a, double factor, sn_vec v)
{
    a->m[0] += factor * v.x * v.x;
    a->m[1] += factor * v.x * v.y;
    a->m[2] += factor * v.x * v.z;
    a->m[3] += factor * v.y * v.y;
    a->m[4] += factor * v.y * v.z;
    a->m[5] += factor * v.z * v.z;
}

/* Of a unit vector v: a += factor (1 - v v^T), as the sum over the axes e of (e x v)(e x v)^T, so
 * that rounding can't make it negative. */
static void add_projection(sn_spring_matrix *a, double factor, sn_vec v)
{
    add_outer(a, factor, (sn_vec){0, v.z, -v.y});
    add_outer(a, factor, (sn_vec){-v.z, 0, v.x});
    add_outer(a, factor, (sn_vec){v.y, -v.x, 0});
}

sn_spring_matrix sn_spring_matrix_of(const sn_spring_law *s, double limit, const double d[3],
                                     sn_spring_slope slope)
{
    parts p = split(s, d);
    sn_vec normal = sn_vec_load(s->normal);
    sn_spring_matrix a = {0};
    if (pushes(s, p.along))
        add_outer(&a, s->normal_stiffness, p.normal);
    bool slipping = slips(s, &p, limit);
    if (!slipping)
        add_projection(&a, s->tangential_stiffness, normal);
    else if (limit > 0) { /* across the way it slips, and a little along it */
        double secant = ratio(limit, p.slip);
        add_outer(&a, secant, sn_vec_unit(sn_vec_cross(normal, p.across)));
        if (slope == SN_SPRING_STEADY)
            add_outer(&a, STEADYING * secant, sn_vec_unit(p.across));
    }
    return a;
}

/* ---- Of a set ---- */

/* d of each spring here; collective. The caller frees it. */
static double *elongations(sn_spring_set *set, const double *x)
{
    double *d = SN_NEW(double, 3 * (size_t)set->n);
    sn_springs_pull(set, x, d);
#pragma omp parallel for schedule(static) if (sn_springs_worth_threads(set))
    for (sn_local s = 0; s < set->n; s++)
        for (int k = 0; k < 3; k++)
            d[3 * s + k] += set->law ? set->aside[s][k] - set->law[s].target[k] : 0;
    return d;
}

/* What the law of a plain spring would be, of a set that has forgotten it. */
static sn_spring_law plain_law(const sn_spring_set *set, sn_local s)
{
    double k = set->stiffness[s];
    return (sn_spring_law){.normal = {1, 0, 0},
                           .normal_stiffness = k,
                           .tangential_stiffness = k,
                           .friction = INFINITY};
}

static double energy_here(const sn_spring_set *set, sn_local s, const double d[3])
{
    if (set->law)
        return energy_of(&set->law[s], set->limit[s], d);
    sn_spring_law law = plain_law(set, s);
    return energy_of(&law, INFINITY, d);
}

static sn_vec force_here(const sn_spring_set *set, sn_local s, const double d[3])
{
    if (set->law)
        return force_of(&set->law[s], set->limit[s], d);
    sn_spring_law law = plain_law(set, s);
    return force_of(&law, INFINITY, d);
}

void sn_spring_set_linearise(sn_spring_set *set, const double *x, sn_spring_slope slope)
{
    if (set->constant || set->n_everywhere == 0)
        return;
    double *d = elongations(set, x);
#pragma omp parallel for schedule(static) if (sn_springs_worth_threads(set))
    for (sn_local s = 0; s < set->n; s++) {
        parts p = split(&set->law[s], d + 3 * s);
        if (!set->limited)
            set->limit[s] = limit_of(&set->law[s], &p);
        set->matrix[s] = sn_spring_matrix_of(&set->law[s], set->limit[s], d + 3 * s, slope);
    }
    set->limited = true;
    sn_free(d);
}

/* ---- Limits that follow the forces ---- */

/* Of the last change of the limits, more than so many times is not trusted. */
static const double MOST_EXTRAPOLATION = 8;

/* How much of the change since the last time is to be taken back, so that the misfit is least if it
 * is a linear function of the limits. */
static double share_to_take_back(const sn_spring_set *set, const double *misfit)
{
    enum { MISFIT, CHANGE, SUMS };
    sn_sum sums[SUMS] = {0};
    double *change_of = SN_NEW_ZERO(double, set->n);
#pragma omp parallel for schedule(static) if (sn_springs_worth_threads(set))
    for (sn_local i = 0; i < set->n; i++)
        change_of[i] = set->misfit ? misfit[i] - set->misfit[i] : 0;
    sn_sum_add_dot_threaded_f64(&sums[MISFIT], misfit, change_of, (size_t)set->n);
    sn_sum_add_dot_threaded_f64(&sums[CHANGE], change_of, change_of, (size_t)set->n);
    sn_free(change_of);
    sn_sum_allreduce(set->tree->comm, sums, SUMS);
    double change = sn_sum_value(&sums[CHANGE]);
    double share = change > 0 ? sn_sum_value(&sums[MISFIT]) / change : 0;
    return fmax(-MOST_EXTRAPOLATION, fmin(share, 1));
}

/* Limits by the normal forces; what has no friction keeps its own. */
static double *limits_at(sn_spring_set *set, const double *x)
{
    double *d = elongations(set, x), *limit = SN_NEW(double, set->n);
#pragma omp parallel for schedule(static) if (sn_springs_worth_threads(set))
    for (sn_local i = 0; i < set->n; i++) {
        parts p = split(&set->law[i], d + 3 * i);
        limit[i] = rubs(&set->law[i]) ? limit_of(&set->law[i], &p) : set->limit[i];
    }
    sn_free(d);
    return limit;
}

static void remember_limits(sn_spring_set *set, double *wanted, double *misfit)
{
    sn_free(set->wanted);
    sn_free(set->misfit);
    set->wanted = wanted;
    set->misfit = misfit;
}

void sn_spring_set_relimit(sn_spring_set *set, const double *x)
{
    if (set->constant || set->n_everywhere == 0)
        return;
    double *wanted = limits_at(set, x), *misfit = SN_NEW(double, set->n);
#pragma omp parallel for schedule(static) if (sn_springs_worth_threads(set))
    for (sn_local i = 0; i < set->n; i++)
        misfit[i] = rubs(&set->law[i]) ? wanted[i] - set->limit[i] : 0;
    double share = share_to_take_back(set, misfit);
#pragma omp parallel for schedule(static) if (sn_springs_worth_threads(set))
    for (sn_local i = 0; i < set->n; i++) {
        bool has_changed = set->wanted && rubs(&set->law[i]);
        double back = has_changed ? share * (wanted[i] - set->wanted[i]) : 0;
        set->limit[i] = fmax(0, wanted[i] - back);
    }
    remember_limits(set, wanted, misfit);
}

double sn_spring_set_energy(sn_spring_set *set, const double *x)
{
    if (set->n_everywhere == 0)
        return 0;
    double *d = elongations(set, x), *energy = SN_NEW(double, set->n);
#pragma omp parallel for schedule(static) if (sn_springs_worth_threads(set))
    for (sn_local s = 0; s < set->n; s++)
        energy[s] = energy_here(set, s, d + 3 * s);
    double sum = sn_global_sum(set->tree->comm, energy, (size_t)set->n);
    sn_free(d);
    sn_free(energy);
    return sum;
}

void sn_spring_set_force_add(sn_spring_set *set, const double *x, double *f)
{
    if (set->n_everywhere == 0)
        return;
    double *d = elongations(set, x);
#pragma omp parallel for schedule(static) if (sn_springs_worth_threads(set))
    for (sn_local s = 0; s < set->n; s++)
        sn_vec_store(force_here(set, s, d + 3 * s), d + 3 * s);
    sn_springs_push_add(set, d, f);
    sn_free(d);
}

/* ---- Coulomb's law ---- */

/* Springs that push less than this part of the strongest are not judged by their own force. */
static const double WEAK = 0.01;

static double normal_force(const sn_spring_law *s, double along)
{
    return pushes(s, along) ? s->normal_stiffness * fabs(along) : 0;
}

/* The strongest normal force, also of those that the limits were made of. */
static double strongest(const sn_spring_set *set, const double *d)
{
    double most = 0;
#pragma omp parallel for schedule(static) reduction(max : most) if (sn_springs_worth_threads(set))
    for (sn_local i = 0; i < set->n; i++) {
        const sn_spring_law *s = &set->law[i];
        if (rubs(s))
            most = fmax(most, fmax(normal_force(s, split(s, d + 3 * i).along),
                                   set->limit[i] / s->friction));
    }
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, set->tree->comm);
    return most;
}

/* What the tangential force is above the one that the normal force allows, in parts of it; below
 * for a spring that slips, and 0 for one that sticks and may. */
static double error_of(const sn_spring_law *s, double limit, const double d[3], double weak)
{
    parts p = split(s, d);
    bool slipping = slips(s, &p, limit);
    double across = slipping ? limit : s->tangential_stiffness * p.slip;
    double normal = normal_force(s, p.along);
    double error = (across - s->friction * normal) / (s->friction * fmax(normal, weak));
    return slipping ? error : fmax(error, 0);
}

sn_friction_error sn_spring_set_friction_error(sn_spring_set *set, const double *x)
{
    if (set->n_everywhere == 0 || set->constant)
        return (sn_friction_error){0, 0};
    double *d = elongations(set, x), weak = WEAK * strongest(set, d), above = 0, below = 0;
    sn_local n = weak > 0 ? set->n : 0;
#pragma omp parallel for schedule(static)                                                          \
    reduction(max                                                                                  \
              : above, below) if (sn_worth_threads((int64_t)n))
    for (sn_local i = 0; i < n; i++) {
        if (!rubs(&set->law[i]))
            continue;
        double error = error_of(&set->law[i], set->limit[i], d + 3 * i, weak);
        above = fmax(above, error);
        below = fmax(below, -error);
    }
    double most[2] = {above, below};
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, set->tree->comm);
    sn_free(d);
    return (sn_friction_error){most[0], most[1]};
}

double sn_spring_set_elongation(sn_spring_set *set, const double *x)
{
    if (set->n_everywhere == 0)
        return 0;
    double *d = elongations(set, x), largest = 0;
    for (sn_local s = 0; s < set->n; s++) {
        double length = sn_vec_length(sn_vec_load(d + 3 * s));
        largest = length > largest || isnan(length) ? length : largest;
    }
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, set->tree->comm);
    sn_free(d);
    return largest;
}
