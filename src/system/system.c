#include "system/system.h"

#include "base/array.h"
#include "base/exact_sum.h"
#include "base/threads.h"
#include "base/timer.h"
#include "base/work.h"

#include <math.h>
#include <string.h>

#define SN_PRECISION 32
#include "system/system.inc"
#define SN_PRECISION 64
#include "system/system.inc"

static sn_local count_pinned(const sn_system *s)
{
    sn_local count = 0;
    for (sn_local n = 0; n < s->tree->n_nodes; n++)
        count += s->pinned[n] != 0;
    return count;
}

static void list_pinned(sn_system *s)
{
    s->n_pinned = count_pinned(s);
    s->pinned_node = SN_NEW(sn_local, s->n_pinned);
    s->pinned_diagonal = SN_NEW_ZERO(double, s->n_pinned);
    sn_local listed = 0;
    for (sn_local n = 0; n < s->tree->n_nodes; n++)
        if (s->pinned[n])
            s->pinned_node[listed++] = n;
}

static void pin_bodies(sn_system *s, const uint8_t *left_out)
{
    sn_key *key = sn_octree_node_keys(s->tree);
    for (sn_local n = 0; n < s->tree->n_nodes; n++)
        s->pinned[n] = s->pinned[n] || left_out[sn_key_body(key[n])];
    sn_free(key);
}

sn_status sn_system_create(sn_octree *tree, sn_law_kind law, const sn_law_parameters *parameters,
                           const double *mass, const uint8_t *pinned, const uint8_t *left_out,
                           bool single, sn_system *system)
{
    *system = (sn_system){.tree = tree};
    SN_TRY(sn_operator_create(tree, law, parameters, left_out, single, &system->op));
    sn_system_set_bound(system, 1);
    sn_local n = tree->n_nodes;
    system->mass = SN_NEW(double, n);
    system->pinned = SN_NEW(uint8_t, n);
    if (n) {
        memcpy(system->mass, mass, (size_t)n * sizeof *mass);
        memcpy(system->pinned, pinned, (size_t)n * sizeof *pinned);
    }
    if (left_out)
        pin_bodies(system, left_out);
    system->inverse_diagonal = SN_NEW_ZERO(float, sn_field_reals(tree));
    list_pinned(system);
    return SN_OK;
}

void sn_system_free(sn_system *s)
{
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++)
        sn_spring_set_free(&s->springs[slot]);
    sn_free(s->spring_room);
    sn_locator_free(&s->locator);
    sn_operator_free(&s->op);
    sn_free(s->mass);
    sn_free(s->pinned);
    sn_free(s->held);
    sn_free(s->inverse_diagonal);
    sn_free(s->pinned_node);
    sn_free(s->pinned_diagonal);
    sn_field_pool_empty(&s->spare);
    *s = (sn_system){0};
}

/* ---- Damping. ---- */

void sn_system_set_damping(sn_system *s, sn_numbers_of_elements damping, double rate)
{
    sn_local n = s->tree->n_elements;
    bool first = !s->damped;
    if (first) {
        s->damped = true;
        s->damping = damping;
    }
    if (!first && s->rate == rate)
        return;
    s->rate = rate;
    double *factor = SN_NEW(double, n);
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)n))
    for (sn_local e = 0; e < n; e++)
        factor[e] = rate * sn_number_of_element(&s->damping, e);
    sn_operator_set_damping(&s->op, factor);
    sn_free(factor);
}

void sn_system_damp_from(sn_system *s, double now, double *x, double before, double *x_before)
{
    sn_phase_begin("system/damping");
    sn_operator_damp_from(&s->op, now, x, before, x_before);
    sn_phase_end("system/damping");
}

void sn_system_drop_strain(sn_system *s)
{
    sn_operator_drop_strain(&s->op);
}

/* ---- Springs. ---- */

static bool any_anywhere(MPI_Comm comm, size_t n)
{
    int any = n > 0;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm);
    return any;
}

static size_t room_for_springs(const sn_system *s)
{
    size_t most = 0;
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++) {
        size_t reals = sn_spring_set_room(&s->springs[slot]);
        most = reals > most ? reals : most;
    }
    return most;
}

/* Products go through one slot after the other. */
static void share_room(sn_system *s)
{
    size_t reals = room_for_springs(s);
    if (reals > s->spring_reals) {
        sn_free(s->spring_room);
        s->spring_room = SN_NEW(double, reals);
        s->spring_reals = reals;
    }
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++)
        if (s->springs[slot].n_everywhere > 0)
            sn_spring_set_share_room(&s->springs[slot], s->spring_room);
}

void sn_system_rest(sn_system *s)
{
    sn_field_pool_empty(&s->spare);
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++)
        sn_spring_set_share_room(&s->springs[slot], NULL);
    sn_free(s->spring_room);
    s->spring_room = NULL;
    s->spring_reals = 0;
}

void sn_system_go_on(sn_system *s)
{
    share_room(s);
}

/* Empties the slot; are there any to come? */
static bool make_way(sn_system *s, int slot, size_t n)
{
    sn_spring_set_free(&s->springs[slot]);
    s->changes[slot]++;
    if (!any_anywhere(s->tree->comm, n))
        return false;
    if (!s->locator.tree)
        s->locator = sn_locator_create(s->tree);
    return true;
}

sn_status sn_system_set_springs(sn_system *s, int slot, const sn_spring *springs, size_t n)
{
    if (!make_way(s, slot, n))
        return SN_OK;
    SN_TRY(sn_spring_set_create(&s->locator, springs, n, &s->springs[slot]));
    share_room(s);
    return SN_OK;
}

sn_status sn_system_take_springs(sn_system *s, int slot, sn_spring_list *springs)
{
    if (!make_way(s, slot, springs->count))
        return SN_OK;
    SN_TRY(sn_spring_set_take(&s->locator, springs, &s->springs[slot]));
    share_room(s);
    return SN_OK;
}

sn_status sn_system_coarsen_springs(sn_system *s, int slot, const sn_system *finer)
{
    sn_spring_set_free(&s->springs[slot]);
    s->changes[slot]++;
    if (finer->springs[slot].n_everywhere == 0)
        return SN_OK;
    if (!s->locator.tree)
        s->locator = sn_locator_create(s->tree);
    SN_TRY(sn_spring_set_coarsen(&finer->springs[slot], &s->locator, &s->springs[slot]));
    share_room(s);
    return SN_OK;
}

bool sn_system_has_springs(const sn_system *s)
{
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++)
        if (s->springs[slot].n_everywhere > 0)
            return true;
    return false;
}

double sn_system_spring_energy(sn_system *s, const double *x)
{
    double energy = 0;
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++)
        energy += sn_spring_set_energy(&s->springs[slot], x);
    return energy;
}

void sn_system_spring_force_add(sn_system *s, const double *x, double *f)
{
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++)
        sn_spring_set_force_add(&s->springs[slot], x, f);
}

void sn_system_relimit_friction(sn_system *s, const double *x)
{
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++)
        sn_spring_set_relimit(&s->springs[slot], x);
}

sn_friction_error sn_system_friction_error(sn_system *s, const double *x)
{
    sn_friction_error worst = {0, 0};
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++) {
        sn_friction_error one = sn_spring_set_friction_error(&s->springs[slot], x);
        worst.above = fmax(worst.above, one.above);
        worst.below = fmax(worst.below, one.below);
    }
    return worst;
}

void sn_system_linearise_springs(sn_system *s, const double *x)
{
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++) {
        sn_spring_set *set = &s->springs[slot];
        if (set->n_everywhere == 0 || set->constant)
            continue;
        sn_spring_set_linearise(set, x, SN_SPRING_STEADY);
        s->changes[slot]++;
    }
}

/* ---- Linearisation. ---- */

void sn_system_set_bound(sn_system *s, double bound)
{
    s->bound = bound;
    sn_operator_set_excess_share(&s->op, 1 / bound);
}

static void fill_with_identity(float (*gradient)[9], sn_local n)
{
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)n))
    for (sn_local e = 0; e < n; e++)
        for (int k = 0; k < 9; k++)
            gradient[e][k] = k % 4 == 0;
}

void sn_system_linearise_at_rest(sn_system *s)
{
    sn_local n = s->tree->n_elements + s->tree->n_ghost_elements;
    float(*gradient)[9] = SN_NEW(float[9], n);
    fill_with_identity(gradient, n);
    sn_system_linearise_about(s, gradient, NULL, 1, 0);
    sn_free(gradient);
}

static void keep_pinned_diagonal(sn_system *s, const double *diagonal)
{
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)s->n_pinned))
    for (sn_local i = 0; i < s->n_pinned; i++) {
        const double *d = diagonal + SN_NODE_REALS * (size_t)s->pinned_node[i];
        s->pinned_diagonal[i] = d[0] + d[1] + d[2];
    }
}

static void invert_diagonal(sn_system *s, const double *diagonal)
{
#pragma omp parallel for schedule(static) if (sn_worth_threads(sn_field_reals(s->tree)))
    for (sn_local n = 0; n < s->tree->n_nodes; n++)
        for (int d = 0; d < SN_NODE_REALS; d++) {
            sn_local i = SN_NODE_REALS * n + d;
            double a = s->stiffness * diagonal[i] + sn_system_added(s, n);
            float inverse = (float)(1 / a);
            s->inverse_diagonal[i] = a > 0 && isfinite(inverse) ? inverse : 0;
        }
}

static void make_diagonal(sn_system *s)
{
    s->has_diagonal = true;
    s->diagonal_is_old = false;
    double *diagonal = sn_field_borrow(&s->spare, s->tree);
    sn_operator_diagonal_f64(&s->op, diagonal);
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++)
        sn_spring_set_diagonal_add(&s->springs[slot], 1 / s->bound, diagonal);
    keep_pinned_diagonal(s, diagonal);
    invert_diagonal(s, diagonal);
    sn_field_give_back(&s->spare, diagonal);
}

/* All but the elements. */
static void linearise_rest(sn_system *s, const double *x, double inertia)
{
    s->inertia = inertia;
    sn_system_linearise_springs(s, x);
    s->diagonal_is_old = true;
}

void sn_system_forget_diagonal(sn_system *s)
{
    s->has_diagonal = false;
}

static void make_diagonal_now(sn_system *s)
{
    sn_work_begin(SN_WORK_LINEARISING);
    make_diagonal(s);
    sn_work_end();
}

void sn_system_need_diagonal(sn_system *s)
{
    if (!s->has_diagonal)
        make_diagonal_now(s);
}

void sn_system_follow_diagonal(sn_system *s)
{
    if (s->diagonal_is_old || !s->has_diagonal)
        make_diagonal_now(s);
}

sn_deformation_summary sn_system_linearise(sn_system *s, double *x, double stiffness,
                                           double inertia, double *f)
{
    sn_phase_begin("system/linearise");
    sn_work_begin(SN_WORK_LINEARISING);
    s->stiffness = stiffness;
    s->is_new = true;
    sn_deformation_summary summary = sn_operator_update(&s->op, x, f);
    linearise_rest(s, x, inertia);
    sn_work_end();
    sn_phase_end("system/linearise");
    return summary;
}

void sn_system_relinearise(sn_system *s, const double *x, double inertia)
{
    sn_phase_begin("system/linearise");
    sn_work_begin(SN_WORK_LINEARISING);
    linearise_rest(s, x, inertia);
    sn_work_end();
    sn_phase_end("system/linearise");
}

void sn_system_linearise_about(sn_system *s, float (*gradient)[9], double *held, double stiffness,
                               double inertia)
{
    s->stiffness = stiffness;
    s->inertia = inertia;
    sn_free(s->held);
    s->held = held;
    sn_operator_linearise(&s->op, gradient);
    make_diagonal(s);
    sn_field_pool_empty(&s->spare); /* who linearises like this asks for nothing else of it */
}

/* It is gone before a linear solve, whose vectors wait in the pool: with those of the next coarser
 * level it has the memory of some. */
float (*sn_system_gradients(sn_system *s, double *x, sn_local room))[9]
{
    enum { FIELDS_OF_IT = 3 };
    sn_field_pool_drop(&s->spare, FIELDS_OF_IT);
    float(*gradient)[9] = SN_NEW(float[9], room);
    sn_reals_clear_f32(9 * room, (float *)gradient); /* with threads: first touch */
    sn_operator_gradients(&s->op, x, gradient);
    return gradient;
}

/* ---- What is asked of it. ---- */

sn_deformation_summary sn_system_inspect(sn_system *s, double *x)
{
    return sn_operator_inspect(&s->op, x);
}

void sn_system_elastic_force(sn_system *s, double *x, double *f)
{
    sn_operator_force(&s->op, x, f);
}

static void add_diagonal_and_mass(const sn_system *s, sn_local real, sn_sum_queue sums[2])
{
    double a = sn_system_diagonal(s, real);
    if (!(a > 0))
        return;
    sn_sum_push(&sums[0], a);
    sn_sum_push(&sums[1], s->mass[real / SN_NODE_REALS]);
}

double sn_system_stiffness_to_mass(const sn_system *s)
{
    sn_local n = sn_field_reals(s->tree);
    sn_sum all[2] = {0};
    sn_work_begin(SN_WORK_SUMS);
#pragma omp parallel if (sn_worth_threads((int64_t)n))
    {
        sn_sum_queue mine[2] = {0};
#pragma omp for schedule(static)
        for (sn_local i = 0; i < n; i++)
            add_diagonal_and_mass(s, i, mine);
        for (int k = 0; k < 2; k++) {
            sn_sum_flush(&mine[k]);
#pragma omp critical(sn_system_stiffness_to_mass)
            sn_sum_merge(&all[k], &mine[k].sum);
        }
    }
    sn_sum_allreduce(s->tree->comm, all, 2);
    sn_work_end();
    double mass = sn_sum_value(&all[1]);
    return mass > 0 ? sn_sum_value(&all[0]) / mass : 0;
}

/* ---- Memory. ---- */

size_t sn_system_nodal_memory(size_t nodes, bool finest)
{
    const sn_system *s = NULL; /* for sizes only */
    size_t held = finest ? 0 : sizeof *s->held;
    return nodes * (sizeof *s->mass + held + sizeof *s->pinned +
                    SN_NODE_REALS * sizeof *s->inverse_diagonal);
}

size_t sn_system_memory(const sn_system *s)
{
    size_t bytes = sn_operator_memory(&s->op) + sn_locator_memory(&s->locator) +
                   sn_system_nodal_memory((size_t)s->tree->n_nodes, !s->held) +
                   (size_t)s->n_pinned * (sizeof *s->pinned_diagonal + sizeof *s->pinned_node);
    bytes += s->spring_reals * sizeof *s->spring_room;
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++)
        bytes += sn_spring_set_memory(&s->springs[slot]);
    return bytes;
}
