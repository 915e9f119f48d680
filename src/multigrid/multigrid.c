#include "multigrid/multigrid.h"

#include "base/array.h"
#include "base/timer.h"
#include "base/work.h"
#include "multigrid/amli.h"
#include "multigrid/exact.h"
#include "multigrid/level.h"
#include "multigrid/smooth.h"
#include "system/assemble.h"

bool sn_multigrid_is_single(const sn_multigrid_settings *settings)
{
    return settings->precision != SN_PRECISION_DOUBLE;
}

#define SN_PRECISION 32
#include "multigrid/work.inc"
#define SN_PRECISION 64
#include "multigrid/work.inc"

static void free_work_vectors(sn_multigrid *mg, int l)
{
    free_work_f32(&mg->level[l].work_f32);
    free_work_f64(&mg->level[l].work_f64);
    mg->level[l].work_f32 = (sn_level_work_f32){0};
    mg->level[l].work_f64 = (sn_level_work_f64){0};
}

/* New ones, in place of those that there were. */
static void make_work_vectors(sn_multigrid *mg, int l)
{
    size_t reals = sn_level_room(mg, l);
    free_work_vectors(mg, l);
    if (sn_multigrid_is_single(&mg->settings))
        mg->level[l].work_f32 = new_work_f32(reals, sn_multigrid_repeats(mg, l));
    else
        mg->level[l].work_f64 = new_work_f64(reals, sn_multigrid_repeats(mg, l));
}

int sn_multigrid_below(const sn_multigrid *mg, int level, int which)
{
    const sn_multigrid_level *v = &mg->level[level];
    int group = level == 0 ? which : v->group;
    if (group >= mg->n_groups || (level > 0 && which > 0))
        return 0;
    return v->depth + 1 < mg->group[group].n ? sn_multigrid_at(mg, group, v->depth + 1) : 0;
}

int sn_multigrid_depth(const sn_multigrid *mg)
{
    int most = 0;
    for (int g = 0; g < mg->n_groups; g++)
        most = mg->group[g].n > most ? mg->group[g].n : most;
    return most;
}

static bool is_coarsest(const sn_multigrid *mg, int level)
{
    return sn_multigrid_below(mg, level, 0) == 0;
}

/* The coarsest system: where unknowns can turn, the finest of their levels is its nodes. */
static int last_system(const sn_multigrid *mg, int group)
{
    return sn_multigrid_at(mg, group, mg->group[group].systems - 1);
}

/* Only the last group may turn. */
static bool turns(const sn_multigrid *mg, int group)
{
    return mg->rigid.n > 0 && group == mg->n_groups - 1;
}

static void take_systems(sn_multigrid *mg, int group)
{
    sn_multigrid_group *g = &mg->group[group];
    g->systems = g->n = mg->levels->groups.systems[group];
    g->first = mg->n_levels;
    mg->n_levels += g->n - 1;
    for (int depth = 1; depth < g->n; depth++)
        mg->level[sn_multigrid_at(mg, group, depth)] = (sn_multigrid_level){
            .group = group,
            .depth = depth,
            .system = sn_levels_of_group(mg->levels, group, depth),
            .transfer = depth + 1 < g->n ? &mg->levels->transfer[depth] : NULL};
}

static sn_status create_rigid(sn_hierarchy *forest, bool rigid, sn_multigrid *mg)
{
    int last = mg->n_groups - 1, from = last_system(mg, last);
    sn_multigrid_group *g = &mg->group[last];
    if (!rigid)
        return SN_OK;
    SN_TRY(sn_rigid_create(forest, g->systems - 1, mg->level[from].system->pinned,
                           sn_multigrid_is_single(&mg->settings), &mg->rigid));
    g->n += mg->rigid.n - 1;
    mg->n_levels += mg->rigid.n - 1;
    for (int l = 0; l < mg->rigid.n; l++) {
        sn_multigrid_level *v = &mg->level[from + l];
        v->group = last;
        v->depth = g->systems - 1 + l;
        v->rigid = &mg->rigid.level[l];
    }
    return SN_OK;
}

static void create_coarsest(sn_multigrid *mg, int group)
{
    sn_multigrid_group *g = &mg->group[group];
    g->unknowns = sn_system_unknowns(mg->level[last_system(mg, group)].system->tree);
    if (turns(mg, group))
        sn_direct_create(&mg->rigid.level[mg->rigid.n - 1].unknowns, SN_MODES, &g->coarsest);
    else
        sn_direct_create(&g->unknowns, SN_NODE_REALS, &g->coarsest);
}

/* A cycle finds the others of the finest level (cycle.c). */
static void keep_finest_t(sn_multigrid *mg)
{
    mg->keeps_finest_t = !sn_multigrid_lends_t(mg);
    free_work_vectors(mg, 0);
    if (!mg->keeps_finest_t)
        return;
    if (sn_multigrid_is_single(&mg->settings))
        mg->level[0].work_f32.t = SN_NEW_ZERO(float, sn_level_room(mg, 0));
    else
        mg->level[0].work_f64.t = SN_NEW_ZERO(double, sn_level_room(mg, 0));
}

static void bound_smoother(sn_multigrid *mg, int level)
{
    sn_phase_begin("multigrid/bounds");
    if (sn_multigrid_is_single(&mg->settings))
        sn_smooth_estimate_f32(mg, level);
    else
        sn_smooth_estimate_f64(mg, level);
    sn_phase_pause("multigrid/bounds");
}

/* Once and for all: see smooth.h. Coarsest levels are not smoothed. */
static void bound_systems(sn_multigrid *mg)
{
    for (int l = 0; l < mg->n_levels; l++) {
        if (!mg->level[l].system || is_coarsest(mg, l))
            continue;
        sn_system_linearise_at_rest(mg->level[l].system);
        bound_smoother(mg, l);
        sn_system_set_bound(mg->level[l].system, mg->level[l].largest);
    }
}

sn_status sn_multigrid_create(sn_hierarchy *forest, sn_levels *levels,
                              sn_multigrid_settings settings, sn_multigrid *mg)
{
    bool rigid = levels->groups.systems[levels->groups.n - 1] < forest->n_levels;
    SN_TRY(sn_multigrid_cut(levels, levels->groups.n - rigid, settings.most_exact));
    *mg = (sn_multigrid){
        .levels = levels, .n_groups = levels->groups.n, .n_levels = 1, .settings = settings};
    mg->settings.amli_from = sn_multigrid_repeats_from(&settings, &levels->groups, forest);
    mg->level[0].system = levels->finest;
    mg->level[0].transfer = levels->n > 1 ? &levels->transfer[0] : NULL;
    for (int group = 0; group < mg->n_groups; group++)
        take_systems(mg, group);
    SN_TRY(create_rigid(forest, rigid, mg));
    for (int l = 0; l < mg->n_levels; l++)
        if (mg->level[l].system)
            make_work_vectors(mg, l);
    for (int group = 0; group < mg->n_groups; group++)
        create_coarsest(mg, group);
    bound_systems(mg);
    keep_finest_t(mg);
    return SN_OK;
}

void sn_multigrid_free(sn_multigrid *mg)
{
    if (mg->n_levels == 0) /* was never created */
        return;
    for (int l = 0; l < mg->n_levels; l++)
        free_work_vectors(mg, l);
    for (int group = 0; group < mg->n_groups; group++) {
        sn_direct_free(&mg->group[group].coarsest);
        sn_free(mg->group[group].unknowns.key);
    }
    sn_rigid_free(&mg->rigid);
    *mg = (sn_multigrid){0};
}

/* ---- What follows from the matrix. ---- */

static void bound_cycle(sn_multigrid *mg, int level)
{
    if (sn_multigrid_is_single(&mg->settings))
        sn_amli_estimate_f32(mg, level);
    else
        sn_amli_estimate_f64(mg, level);
}

static void bound_cycles(sn_multigrid *mg)
{
    sn_phase_begin("multigrid/bounds");
    sn_work_begin(SN_WORK_BOUNDS);
    for (int l = mg->n_levels - 1; l >= 0; l--)
        if (sn_multigrid_repeats(mg, l))
            bound_cycle(mg, l);
    sn_work_end();
    sn_phase_end("multigrid/bounds");
}

static sn_status factorise(sn_multigrid *mg, int group, const sn_sparse *matrix)
{
    sn_phase_begin("multigrid/coarsest factor");
    sn_status status = sn_direct_factorise(&mg->group[group].coarsest, matrix);
    sn_phase_end("multigrid/coarsest factor");
    return status;
}

static sn_status assemble_and_factorise(sn_multigrid *mg, int group)
{
    const sn_system *system = mg->level[last_system(mg, group)].system;
    sn_sparse matrix;
    SN_TRY(sn_system_assemble(system, &mg->group[group].unknowns, &matrix));
    sn_status status = factorise(mg, group, &matrix);
    sn_sparse_free(&matrix);
    return status;
}

/* From the group's coarsest system down: each level's bound is needed to make the next. */
static sn_status build_rigid(sn_multigrid *mg, int group, const double *finest)
{
    const sn_multigrid_group *g = &mg->group[group];
    int from = last_system(mg, group), last = from + mg->rigid.n - 1;
    sn_sparse matrix;
    SN_TRY(sn_system_assemble(mg->level[from].system, &g->unknowns, &matrix));
    double *x = sn_levels_positions(mg->levels, finest, g->systems - 1);
    sn_rigid_begin(&mg->rigid, matrix, x);
    sn_free(x);
    for (int l = from; l < last; l++) {
        SN_TRY(sn_rigid_coarsen(&mg->rigid, l - from, sn_level_inverse_diagonal(&mg->level[l]),
                                mg->level[l].largest));
        make_work_vectors(mg, l + 1);
        if (l + 1 < last)
            bound_smoother(mg, l + 1);
    }
    SN_TRY(factorise(mg, group, &mg->rigid.level[last - from].matrix));
    sn_rigid_end(&mg->rigid);
    for (int l = from; l <= last; l++) /* now all that they are exchanged for is known */
        if (l > 0)
            make_work_vectors(mg, l);
    if (from == 0)
        keep_finest_t(mg);
    mg->is_built = true;
    return SN_OK;
}

/* Was a finer level taken than the forest's coarsest? */
static bool is_large(const sn_multigrid *mg, int group)
{
    const sn_octree *tree = mg->level[last_system(mg, group)].system->tree;
    return sn_octree_count(tree).elements > SN_COARSEST_ELEMENTS;
}

/* Rigid levels cost as much as many cycles: they are made once a step. Large factors cost as much
 * as some: they are made when bounds are, and until then they precondition as they were. */
static sn_status prepare_coarsest(sn_multigrid *mg, int group, bool is_due, const double *x)
{
    if (turns(mg, group))
        return mg->is_built ? SN_OK : build_rigid(mg, group, x);
    return is_due || !is_large(mg, group) ? assemble_and_factorise(mg, group) : SN_OK;
}

static sn_status prepare_groups(sn_multigrid *mg, bool is_due, const double *x)
{
    for (int group = 0; group < mg->n_groups; group++)
        SN_TRY(prepare_coarsest(mg, group, is_due, x));
    return SN_OK;
}

void sn_multigrid_begin(sn_multigrid *mg)
{
    mg->is_built = false;
    mg->prepared = 0;
}

static int64_t count_springs(const sn_system *system)
{
    int64_t n = 0;
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++)
        n += system->springs[slot].n_everywhere;
    return n;
}

/* Bounds of cycles hardly change within a step: on a creature that walks, by a thousandth. So they
 * are found anew at its linearisations 1, 2, 4, 8 and so on, the first of which go the farthest;
 * and where contacts came or went, which may be harder than all that was there. */
static bool bounds_are_due(sn_multigrid *mg)
{
    int64_t n_before = mg->n_springs;
    mg->n_springs = count_springs(mg->level[0].system);
    mg->prepared++;
    return (mg->prepared & (mg->prepared - 1)) == 0 || mg->n_springs != n_before;
}

sn_status sn_multigrid_prepare(sn_multigrid *mg, double *x)
{
    SN_TRY(sn_levels_linearise(mg->levels, x));
    bool is_due = bounds_are_due(mg);
    sn_work_begin(SN_WORK_FOLLOWING);
    sn_status status = prepare_groups(mg, is_due, x);
    sn_work_end();
    SN_TRY(status);
    if (is_due)
        bound_cycles(mg);
    return SN_OK;
}

static void apply(void *context, const double *r, double *z)
{
    sn_multigrid_cycle(context, r, z);
}

static sn_status prepare(void *context, double *x)
{
    return sn_multigrid_prepare(context, x);
}

static void begin(void *context)
{
    sn_multigrid_begin(context);
}

sn_preconditioner sn_multigrid_preconditioner(sn_multigrid *mg)
{
    return (sn_preconditioner){.context = mg, .apply = apply, .prepare = prepare, .begin = begin};
}

/* ---- Memory. ---- */

size_t sn_multigrid_nodal_memory(size_t nodes, size_t ghosts, bool single, bool repeated)
{
    enum { WORK_VECTORS = 4, SAVED_VECTORS = 3 };
    size_t real = single ? sizeof(float) : sizeof(double);
    size_t vectors = WORK_VECTORS + (repeated ? SAVED_VECTORS : 0);
    return SN_NODE_REALS * (nodes + ghosts) * vectors * real;
}

size_t sn_multigrid_memory(const sn_multigrid *mg)
{
    size_t bytes = sn_rigid_memory(&mg->rigid);
    for (int group = 0; group < mg->n_groups; group++)
        bytes += sn_direct_memory(&mg->group[group].coarsest);
    bool single = sn_multigrid_is_single(&mg->settings);
    if (mg->keeps_finest_t)
        bytes += sn_level_room(mg, 0) * (single ? sizeof(float) : sizeof(double));
    for (int l = 1; l < mg->n_levels; l++) {
        size_t room = sn_level_room(mg, l) / SN_NODE_REALS;
        bytes += sn_multigrid_nodal_memory(room, 0, single, sn_multigrid_repeats(mg, l));
    }
    return bytes;
}
