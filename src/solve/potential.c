#include "solve/potential.h"

#include "base/array.h"
#include "base/exact_sum.h"
#include "base/threads.h"
#include "base/work.h"

#include <float.h>
#include <math.h>

/* Unbalanced forces up to so many times those that rounded positions cause are none. */
static const double FORCE_ROUNDING = 8;

static void set_damping(sn_system *system, const sn_potential_terms *terms)
{
    sn_system_drop_strain(system);
    if (terms->rate == 0)
        return;
    sn_system_set_damping(system, terms->damping, terms->rate);
    sn_system_damp_from(system, terms->now, terms->x_now, terms->before, terms->x_before);
}

sn_potential sn_potential_create(sn_system *system, const sn_sources *sources,
                                 const sn_potential_terms *terms)
{
    sn_work_begin(SN_WORK_STARTING);
    set_damping(system, terms);
    sn_system_forget_diagonal(system);
    sn_work_end();
    return (sn_potential){.system = system, .sources = sources, .terms = *terms};
}

void sn_potential_free(sn_potential *p)
{
    sn_system_drop_strain(p->system);
    sn_potential_forget_force(p);
    sn_field_pool_empty(&p->system->spare);
    *p = (sn_potential){0};
}

sn_status sn_potential_find_springs(sn_potential *p, double *x)
{
    sn_work_begin(SN_WORK_CONTACT);
    if (sn_potential_springs_change(p))
        sn_system_rest(p->system); /* a search needs much for its time */
    sn_status status =
        p->sources ? sn_sources_find(p->sources, p->system, p->terms.time, x) : SN_OK;
    sn_system_go_on(p->system);
    sn_work_end();
    return status;
}

bool sn_potential_springs_change(const sn_potential *p)
{
    return p->sources && sn_sources_can_find(p->sources);
}

void sn_potential_relimit_friction(sn_potential *p, const double *x)
{
    sn_work_begin(SN_WORK_CONTACT);
    sn_system_relimit_friction(p->system, x);
    sn_work_end();
}

sn_friction_error sn_potential_friction_error(sn_potential *p, const double *x)
{
    sn_work_begin(SN_WORK_CONTACT);
    sn_friction_error error = sn_system_friction_error(p->system, x);
    sn_work_end();
    return error;
}

void sn_potential_forget_force(sn_potential *p)
{
    if (p->elastic)
        sn_field_give_back(&p->system->spare, p->elastic);
    p->elastic = NULL;
}

void sn_potential_linearise(sn_potential *p, double *x, double shift)
{
    if (!p->elastic)
        p->elastic = sn_field_borrow(&p->system->spare, p->system->tree);
    p->deformation = sn_system_linearise(p->system, x, 1, p->terms.inertia + shift, p->elastic);
}

void sn_potential_relinearise(sn_potential *p, const double *x, double shift)
{
    sn_system_relinearise(p->system, x, p->terms.inertia + shift);
}

/* ---- Force. ---- */

enum { ELASTIC, INERTIA, WEIGHT, SPRINGS, UNBALANCED, FORCES };

/* Squares are added up some at a time, as arrays. */
enum { TERMS = 128 * SN_NODE_REALS };

/* Of some owned reals: forces one by one, and the squares of each. */
typedef struct {
    const sn_potential *potential;
    const double *x;
    double *force; /* that of springs, which becomes that of all */
} balance;

static double inertia_at(const sn_potential *p, const double *x, sn_local real)
{
    const sn_potential_terms *t = &p->terms;
    if (t->inertia == 0)
        return 0;
    double away = x[real] - sn_prediction_at(&t->predicted, real);
    return t->inertia * p->system->mass[real / SN_NODE_REALS] * away;
}

static void add_terms(const balance *b, sn_local first, sn_local end, sn_sum square[FORCES])
{
    const sn_potential *p = b->potential;
    const sn_system *s = p->system;
    double part[FORCES][TERMS];
    for (sn_local i = first; i < end; i++) {
        sn_local k = i - first, node = i / SN_NODE_REALS;
        part[ELASTIC][k] = p->elastic[i];
        part[INERTIA][k] = inertia_at(p, b->x, i);
        part[WEIGHT][k] = s->mass[node] * p->terms.gravity[i % SN_NODE_REALS];
        part[SPRINGS][k] = b->force[i];
        double all = part[ELASTIC][k] - part[INERTIA][k] + part[WEIGHT][k] + part[SPRINGS][k];
        part[UNBALANCED][k] = b->force[i] = s->pinned[node] ? 0 : all;
    }
    for (int i = 0; i < FORCES; i++)
        sn_sum_add_dot_f64(&square[i], part[i], part[i], (size_t)(end - first));
}

/* From the force of springs to all that is unbalanced. */
static void add_parts(const balance *b, sn_sum square[FORCES])
{
    sn_local n = sn_field_reals(b->potential->system->tree);
#pragma omp parallel if (sn_worth_threads((int64_t)n))
    {
        sn_sum mine[FORCES] = {0};
#pragma omp for schedule(static)
        for (sn_local first = 0; first < n; first += TERMS)
            add_terms(b, first, first + TERMS < n ? first + TERMS : n, mine);
#pragma omp critical(sn_potential_force)
        for (int i = 0; i < FORCES; i++)
            sn_sum_merge(&square[i], &mine[i]);
    }
}

/* What a last bit of the node's farthest coordinate does through the diagonal. */
static double rounding_at(const sn_system *s, const double *x, sn_local real)
{
    const double *at = x + real - real % SN_NODE_REALS;
    double farthest = fmax(fabs(at[0]), fmax(fabs(at[1]), fabs(at[2])));
    float inverse = s->inverse_diagonal[real];
    bool is_free = !s->pinned[real / SN_NODE_REALS] && inverse > 0;
    return is_free ? DBL_EPSILON * farthest / (double)inverse : 0;
}

static void add_rounding(const sn_system *s, const double *x, sn_local first, sn_local end,
                         sn_sum *square)
{
    double term[TERMS];
    for (sn_local i = first; i < end; i++)
        term[i - first] = rounding_at(s, x, i);
    sn_sum_add_dot_f64(square, term, term, (size_t)(end - first));
}

/* The norm of the forces that moving each node by its position's last bit would cause: where all
 * forces are smaller, at rest, there is nothing to measure them by. */
static double rounding_force(sn_potential *p, const double *x)
{
    sn_sum square = {0};
    sn_system_need_diagonal(p->system);
    sn_local n = sn_field_reals(p->system->tree);
#pragma omp parallel if (sn_worth_threads((int64_t)n))
    {
        sn_sum mine = {0};
#pragma omp for schedule(static)
        for (sn_local first = 0; first < n; first += TERMS)
            add_rounding(p->system, x, first, first + TERMS < n ? first + TERMS : n, &mine);
#pragma omp critical(sn_potential_rounding)
        sn_sum_merge(&square, &mine);
    }
    sn_sum_allreduce(p->system->tree->comm, &square, 1);
    return sqrt(sn_sum_value(&square));
}

double sn_potential_force(sn_potential *p, double *x, double *force)
{
    sn_sum square[FORCES] = {0};
    double norm[FORCES], scale = 0;
    sn_work_begin(SN_WORK_FORCES);
    sn_field_clear_f64(p->system->tree, force);
    sn_system_spring_force_add(p->system, x, force);
    add_parts(&(balance){p, x, force}, square);
    sn_sum_allreduce(p->system->tree->comm, square, FORCES);
    for (int i = 0; i < FORCES; i++)
        norm[i] = sqrt(sn_sum_value(&square[i]));
    for (int i = 0; i < UNBALANCED; i++)
        scale = fmax(scale, norm[i]);
    bool rounding = norm[UNBALANCED] <= FORCE_ROUNDING * rounding_force(p, x);
    sn_work_end();
    return rounding ? 0 : norm[UNBALANCED] / scale;
}

/* ---- Energy. ---- */

static double work_of_weight(const sn_potential *p, const double *x)
{
    return sn_field_mass_dot(p->system->tree, p->system->mass, p->terms.gravity, x);
}

/* Phi and the size of its terms, from what is known of the elements at x. */
static double energy_of(sn_potential *p, const double *x, const sn_deformation_summary *elements,
                        double *size)
{
    const sn_octree *tree = p->system->tree;
    const sn_potential_terms *t = &p->terms;
    double inertia = 0, work = work_of_weight(p, x);
    double elastic = elements->energy + elements->damping;
    if (t->inertia != 0)
        inertia = sn_field_mass_square(tree, 0.5 * t->inertia, p->system->mass, x, &t->predicted);
    double springs = sn_system_spring_energy(p->system, x);
    *size = fabs(elastic) + springs + inertia + fabs(work);
    return elastic + springs + inertia - work;
}

double sn_potential_energy(sn_potential *p, double *x)
{
    double size;
    sn_work_begin(SN_WORK_LINE_SEARCH);
    sn_deformation_summary elements = sn_system_inspect(p->system, x);
    double energy = energy_of(p, x, &elements, &size);
    sn_work_end();
    return energy;
}

double sn_potential_energy_here(sn_potential *p, const double *x)
{
    double size;
    sn_work_begin(SN_WORK_LINE_SEARCH);
    double energy = energy_of(p, x, &p->deformation, &size);
    sn_work_end();
    return energy;
}

sn_line sn_potential_line(sn_potential *p, double *x, const double *force, double *direction)
{
    sn_work_begin(SN_WORK_LINE_SEARCH);
    sn_line l = {.potential = p,
                 .x = x,
                 .direction = direction,
                 .slope = -sn_field_dot_f64(p->system->tree, force, direction)};
    l.start = energy_of(p, x, &p->deformation, &l.size);
    sn_work_end();
    return l;
}

void sn_line_go(const sn_line *l, double length, double *trial)
{
    sn_field_add_f64(l->potential->system->tree, l->x, length, l->direction, trial);
}

double sn_line_at(const sn_line *l, double length, double *trial)
{
    sn_line_go(l, length, trial);
    return sn_potential_energy(l->potential, trial);
}

double sn_line_slope_at(const sn_line *l, double *trial, double *force)
{
    sn_work_begin(SN_WORK_LINE_SEARCH);
    sn_potential_force(l->potential, trial, force);
    double slope = -sn_field_dot_f64(l->potential->system->tree, force, l->direction);
    sn_work_end();
    return slope;
}
