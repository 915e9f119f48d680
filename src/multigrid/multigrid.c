#include "multigrid/multigrid.h"

#include "base/array.h"
#include "base/timer.h"
#include "multigrid/amli.h"
#include "multigrid/smooth.h"
#include "system/assemble.h"

bool sn_multigrid_is_single(const sn_multigrid_settings *settings)
{
    return settings->precision != SN_PRECISION_DOUBLE;
}

static sn_local largest_of(sn_local a, sn_local b)
{
    return a > b ? a : b;
}

/* A work vector serves the operator's ghosts and both transfers' remote values. */
static size_t work_reals(const sn_multigrid *mg, int l)
{
    const sn_multigrid_level *v = &mg->level[l];
    sn_local nodes = v->system->tree->n_nodes + v->system->tree->n_ghost_nodes;
    if (v->transfer)
        nodes = largest_of(nodes, sn_transfer_room_fine_nodes(v->transfer));
    if (l > 0)
        nodes = largest_of(nodes, sn_transfer_room_coarse_nodes(mg->level[l - 1].transfer));
    return SN_NODE_REALS * (size_t)nodes + SN_FIELD_SLACK;
}

#define SN_PRECISION 32
#include "multigrid/work.inc"
#define SN_PRECISION 64
#include "multigrid/work.inc"

static void make_work_vectors(sn_multigrid *mg, int l)
{
    size_t reals = work_reals(mg, l);
    bool done_twice = sn_level_is_done_twice(&mg->settings, mg->n_levels, l);
    if (sn_multigrid_is_single(&mg->settings))
        mg->level[l].work_f32 = new_work_f32(reals, done_twice);
    else
        mg->level[l].work_f64 = new_work_f64(reals, done_twice);
}

void sn_multigrid_create(sn_levels *levels, sn_multigrid_settings settings, sn_multigrid *mg)
{
    *mg = (sn_multigrid){.levels = levels, .n_levels = levels->n, .settings = settings};
    for (int l = 0; l < mg->n_levels; l++) {
        mg->level[l].system = sn_levels_at(levels, l);
        mg->level[l].transfer = l + 1 < mg->n_levels ? &levels->transfer[l] : NULL;
    }
    for (int l = 0; l < mg->n_levels; l++)
        make_work_vectors(mg, l);
    mg->unknowns = sn_system_unknowns(mg->level[mg->n_levels - 1].system->tree);
    sn_dense_create(&mg->unknowns, SN_NODE_REALS, &mg->coarsest);
}

void sn_multigrid_free(sn_multigrid *mg)
{
    if (mg->n_levels == 0) /* was never created */
        return;
    for (int l = 0; l < mg->n_levels; l++) {
        free_work_f32(&mg->level[l].work_f32);
        free_work_f64(&mg->level[l].work_f64);
    }
    sn_dense_free(&mg->coarsest);
    sn_free(mg->unknowns.key);
    *mg = (sn_multigrid){0};
}

/* ---- What follows from the matrix. ---- */

static void bound_smoother(sn_multigrid *mg, int level)
{
    if (sn_multigrid_is_single(&mg->settings))
        sn_smooth_estimate_f32(mg, level);
    else
        sn_smooth_estimate_f64(mg, level);
}

static void bound_cycle(sn_multigrid *mg, int level)
{
    if (sn_multigrid_is_single(&mg->settings))
        sn_amli_estimate_f32(mg, level);
    else
        sn_amli_estimate_f64(mg, level);
}

static sn_status factorise_coarsest(sn_multigrid *mg)
{
    sn_sparse matrix;
    sn_phase_begin("multigrid/coarsest factor");
    sn_status status =
        sn_system_assemble(mg->level[mg->n_levels - 1].system, &mg->unknowns, &matrix);
    if (status == SN_OK) {
        status = sn_dense_factorise(&mg->coarsest, &matrix);
        sn_sparse_free(&matrix);
    }
    sn_phase_end("multigrid/coarsest factor");
    return status;
}

sn_status sn_multigrid_prepare(sn_multigrid *mg)
{
    SN_TRY(sn_levels_linearise(mg->levels));
    sn_phase_begin("multigrid/bounds");
    for (int l = 0; l + 1 < mg->n_levels; l++)
        bound_smoother(mg, l);
    sn_phase_pause("multigrid/bounds");
    SN_TRY(factorise_coarsest(mg));
    sn_phase_begin("multigrid/bounds");
    for (int l = mg->n_levels - 1; l >= 0; l--)
        if (sn_level_is_done_twice(&mg->settings, mg->n_levels, l))
            bound_cycle(mg, l);
    sn_phase_end("multigrid/bounds");
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

sn_preconditioner sn_multigrid_preconditioner(sn_multigrid *mg)
{
    return (sn_preconditioner){.context = mg, .apply = apply, .prepare = prepare};
}

/* ---- Memory. ---- */

size_t sn_multigrid_nodal_memory(size_t nodes, size_t ghosts, bool single, bool done_twice)
{
    enum { WORK_VECTORS = 5, SAVED_VECTORS = 3 };
    size_t real = single ? sizeof(float) : sizeof(double);
    size_t vectors = WORK_VECTORS + (done_twice ? SAVED_VECTORS : 0);
    return SN_NODE_REALS * (nodes + ghosts) * vectors * real;
}

size_t sn_multigrid_memory(const sn_multigrid *mg)
{
    size_t bytes = 0;
    for (int l = 0; l < mg->n_levels; l++) {
        size_t nodes = (size_t)mg->level[l].system->tree->n_nodes;
        size_t room = work_reals(mg, l) / SN_NODE_REALS;
        bytes +=
            sn_multigrid_nodal_memory(nodes, room - nodes, sn_multigrid_is_single(&mg->settings),
                                      sn_level_is_done_twice(&mg->settings, mg->n_levels, l));
    }
    return bytes;
}
