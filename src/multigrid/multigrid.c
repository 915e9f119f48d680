#include "multigrid/multigrid.h"

#include "base/array.h"
#include "base/timer.h"
#include "base/work.h"
#include "multigrid/amli.h"
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

/* The coarsest system: where unknowns can turn, the finest of their levels is its nodes. */
static int last_system(const sn_multigrid *mg)
{
    return mg->levels->n - 1;
}

static sn_status create_rigid(sn_hierarchy *forest, sn_multigrid *mg)
{
    int from = last_system(mg);
    if (from + 1 == forest->n_levels)
        return SN_OK;
    SN_TRY(sn_rigid_create(forest, from, mg->level[from].system->pinned,
                           sn_multigrid_is_single(&mg->settings), &mg->rigid));
    for (int l = 0; l < mg->rigid.n; l++)
        mg->level[from + l].rigid = &mg->rigid.level[l];
    mg->n_levels += mg->rigid.n - 1;
    sn_system_keep_positions(mg->levels->finest);
    return SN_OK;
}

static void create_coarsest(sn_multigrid *mg)
{
    mg->unknowns = sn_system_unknowns(mg->level[last_system(mg)].system->tree);
    if (mg->rigid.n > 0)
        sn_dense_create(&mg->rigid.level[mg->rigid.n - 1].unknowns, SN_MODES, &mg->coarsest);
    else
        sn_dense_create(&mg->unknowns, SN_NODE_REALS, &mg->coarsest);
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

/* Once and for all: see smooth.h. The coarsest level is not smoothed. */
static void bound_systems(sn_multigrid *mg)
{
    for (int l = 0; l < mg->levels->n && l + 1 < mg->n_levels; l++) {
        sn_system_linearise_at_rest(mg->level[l].system);
        bound_smoother(mg, l);
        sn_system_set_bound(mg->level[l].system, mg->level[l].largest);
    }
}

sn_status sn_multigrid_create(sn_hierarchy *forest, sn_levels *levels,
                              sn_multigrid_settings settings, sn_multigrid *mg)
{
    *mg = (sn_multigrid){.levels = levels, .n_levels = levels->n, .settings = settings};
    for (int l = 0; l < levels->n; l++) {
        mg->level[l].system = sn_levels_at(levels, l);
        mg->level[l].transfer = l + 1 < levels->n ? &levels->transfer[l] : NULL;
    }
    SN_TRY(create_rigid(forest, mg));
    for (int l = 0; l < levels->n; l++)
        make_work_vectors(mg, l);
    create_coarsest(mg);
    bound_systems(mg);
    return SN_OK;
}

void sn_multigrid_free(sn_multigrid *mg)
{
    if (mg->n_levels == 0) /* was never created */
        return;
    for (int l = 0; l < mg->n_levels; l++)
        free_work_vectors(mg, l);
    sn_dense_free(&mg->coarsest);
    sn_rigid_free(&mg->rigid);
    sn_free(mg->unknowns.key);
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

static sn_status factorise(sn_multigrid *mg, const sn_sparse *matrix)
{
    sn_phase_begin("multigrid/coarsest factor");
    sn_status status = sn_dense_factorise(&mg->coarsest, matrix);
    sn_phase_end("multigrid/coarsest factor");
    return status;
}

static sn_status assemble_and_factorise(sn_multigrid *mg)
{
    sn_sparse matrix;
    SN_TRY(sn_system_assemble(mg->level[last_system(mg)].system, &mg->unknowns, &matrix));
    sn_status status = factorise(mg, &matrix);
    sn_sparse_free(&matrix);
    return status;
}

/* From the coarsest system down: each level's bound is needed to make the next. */
static sn_status build_rigid(sn_multigrid *mg)
{
    int from = last_system(mg), last = mg->n_levels - 1;
    const sn_system *system = mg->level[from].system;
    sn_sparse matrix;
    SN_TRY(sn_system_assemble(system, &mg->unknowns, &matrix));
    double *x = sn_levels_positions(mg->levels, from);
    sn_rigid_begin(&mg->rigid, matrix, x);
    sn_free(x);
    for (int l = from; l < last; l++) {
        SN_TRY(sn_rigid_coarsen(&mg->rigid, l - from, sn_level_inverse_diagonal(&mg->level[l]),
                                mg->level[l].largest));
        make_work_vectors(mg, l + 1);
        if (l + 1 < last)
            bound_smoother(mg, l + 1);
    }
    SN_TRY(factorise(mg, &mg->rigid.level[last - from].matrix));
    sn_rigid_end(&mg->rigid);
    for (int l = from; l <= last; l++) /* now all that they are exchanged for is known */
        make_work_vectors(mg, l);
    mg->is_built = true;
    return SN_OK;
}

/* Rigid levels cost as much as many cycles: they are made once a step. */
static sn_status prepare_coarsest(sn_multigrid *mg)
{
    if (mg->rigid.n == 0)
        return assemble_and_factorise(mg);
    return mg->is_built ? SN_OK : build_rigid(mg);
}

void sn_multigrid_begin(sn_multigrid *mg)
{
    mg->is_built = false;
}

sn_status sn_multigrid_prepare(sn_multigrid *mg)
{
    SN_TRY(sn_levels_linearise(mg->levels));
    sn_work_begin(SN_WORK_FOLLOWING);
    sn_status status = prepare_coarsest(mg);
    sn_work_end();
    SN_TRY(status);
    bound_cycles(mg);
    return SN_OK;
}

static void apply(void *context, const double *r, double *z)
{
    sn_multigrid_cycle(context, r, z);
}

static sn_status prepare(void *context)
{
    return sn_multigrid_prepare(context);
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
    enum { WORK_VECTORS = 5, SAVED_VECTORS = 3 };
    size_t real = single ? sizeof(float) : sizeof(double);
    size_t vectors = WORK_VECTORS + (repeated ? SAVED_VECTORS : 0);
    return SN_NODE_REALS * (nodes + ghosts) * vectors * real;
}

size_t sn_multigrid_memory(const sn_multigrid *mg)
{
    size_t bytes = sn_rigid_memory(&mg->rigid);
    for (int l = 0; l < mg->n_levels; l++) {
        size_t room = sn_level_room(mg, l) / SN_NODE_REALS;
        bytes += sn_multigrid_nodal_memory(room, 0, sn_multigrid_is_single(&mg->settings),
                                           sn_multigrid_repeats(mg, l));
    }
    return bytes;
}
