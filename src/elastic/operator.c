#include "elastic/operator.h"

#include "base/array.h"
#include "base/threads.h"
#include "elastic/loops.h"

#include <math.h>
#include <omp.h>

static const sn_law_loops *loops_of(const sn_operator *op)
{
    return sn_law_of(op->law)->loops;
}

/* ---- Making and holding. ---- */

static int size_of(int body, int height)
{
    return body * SN_MAX_HEIGHTS + height;
}

static double *edges_of(const sn_bodies *bodies)
{
    double *edge = SN_NEW(double, bodies->n *SN_MAX_HEIGHTS);
    for (int body = 0; body < bodies->n; body++)
        for (int height = 0; height < SN_MAX_HEIGHTS; height++)
            edge[size_of(body, height)] = bodies->body[body].cell * sn_edge(height);
    return edge;
}

static uint16_t *sizes_of(const sn_octree *tree)
{
    _Static_assert(SN_MOST_BODIES * SN_MAX_HEIGHTS <= UINT16_MAX, "more sizes than numbers");
    sn_leaves elements = sn_octree_elements(tree);
    uint16_t *size = SN_NEW(uint16_t, elements.n);
    for (size_t e = 0; e < elements.n; e++)
        size[e] = (uint16_t)size_of(sn_key_body(elements.key[e]), elements.height[e]);
    sn_leaves_free(&elements);
    return size;
}

static void fill_ghosts(sn_operator *op, void *values, size_t bytes)
{
    sn_element_exchange_begin(&op->elements, values, bytes);
    sn_element_exchange_end(&op->elements);
}

static bool is_isotropic(const sn_operator *op)
{
    sn_local all = op->tree->n_elements + op->tree->n_ghost_elements;
    bool isotropic = true;
#pragma omp parallel for schedule(static) reduction(&& : isotropic)                                \
    if (sn_worth_threads((int64_t)all))
    for (sn_local e = 0; e < all; e++)
        isotropic = isotropic && sn_law_is_isotropic(op->law, op->parameters[e]);
    return isotropic;
}

void sn_operator_overlook(sn_operator *op, const double *inside, double least)
{
    op->inside = inside;
    op->least_inside = least;
}

void sn_operator_set_parameters(sn_operator *op, const sn_law_parameters *owned)
{
    if (op->tree->n_elements)
        memcpy(op->parameters, owned, (size_t)op->tree->n_elements * sizeof *owned);
    fill_ghosts(op, op->parameters, sizeof *op->parameters);
    op->isotropic = is_isotropic(op);
}

/* ---- Points. ---- */

static bool has_points(const sn_operator *op, sn_local group)
{
    const sn_local *element = op->assembly.order + (size_t)group * SN_GROUP;
    for (int lane = 0; lane < SN_GROUP; lane++)
        for (int d = 0; d < 3; d++)
            if (element[lane] != SN_EMPTY_LANE && op->point[element[lane]][d] != 0)
                return true;
    return false;
}

static void fill_row(const sn_operator *op, sn_local group, float row[3][SN_GROUP])
{
    const sn_local *element = op->assembly.order + (size_t)group * SN_GROUP;
    for (int lane = 0; lane < SN_GROUP; lane++)
        for (int d = 0; d < 3; d++)
            row[d][lane] =
                element[lane] == SN_EMPTY_LANE ? 0 : sn_operator_point(op, element[lane], d);
}

void sn_operator_set_points(sn_operator *op, const float (*point)[3])
{
    op->point = point;
    op->n_point_rows = 0;
    sn_free(op->point_row);
    sn_free(op->points);
    op->point_row = NULL;
    op->points = NULL;
    if (!point)
        return;
    op->point_row = SN_NEW(sn_local, op->assembly.n_groups);
    for (sn_local g = 0; g < op->assembly.n_groups; g++)
        op->point_row[g] = has_points(op, g) ? (sn_local)op->n_point_rows++ : SN_NONE;
    op->points = SN_NEW(float[3][SN_GROUP], op->n_point_rows);
    for (sn_local g = 0; g < op->assembly.n_groups; g++)
        if (op->point_row[g] != SN_NONE)
            fill_row(op, g, op->points[op->point_row[g]]);
}

static void make_room(sn_operator *op, bool single)
{
    size_t groups = (size_t)op->assembly.n_groups, slots = (size_t)op->assembly.n_slots;
    size_t packs = loops_of(op)->packs;
    op->parameters = SN_NEW(sn_law_parameters, op->tree->n_elements + op->tree->n_ghost_elements);
    op->slot_f64 = SN_NEW(double, SN_NODE_REALS *slots);
    if (!single)
        op->wide = SN_NEW_ZERO(sn_pack_f64, groups * SN_BATCHES_TO_NARROW * packs);
    if (single) {
        op->narrow = SN_NEW_ZERO(sn_pack_f32, groups * packs);
        op->slot_f32 = SN_NEW(float, SN_NODE_REALS *slots);
    }
}

sn_status sn_operator_create(sn_octree *tree, sn_law_kind law, const sn_law_parameters *parameters,
                             const uint8_t *left_out, bool single, sn_operator *op)
{
    *op = (sn_operator){.tree = tree,
                        .law = law,
                        .single = single,
                        .assembly = sn_assembly_create(tree, left_out, omp_get_max_threads()),
                        .size = sizes_of(tree),
                        .edge = edges_of(tree->bodies)};
    make_room(op, single);
    sn_status status = sn_element_exchange_create(tree, &op->elements);
    if (status != SN_OK) {
        sn_operator_free(op);
        return status;
    }
    sn_operator_set_parameters(op, parameters);
    return SN_OK;
}

void sn_operator_free(sn_operator *op)
{
    if (op->tree)
        sn_assembly_free(&op->assembly);
    sn_element_exchange_free(&op->elements);
    sn_free(op->parameters);
    sn_free(op->size);
    sn_free(op->edge);
    sn_free(op->point_row);
    sn_free(op->points);
    sn_free(op->wide);
    sn_free(op->narrow);
    sn_free(op->slot_f64);
    sn_free(op->slot_f32);
    sn_free(op->damping);
    sn_free(op->strain);
    *op = (sn_operator){0};
}

size_t sn_operator_element_reals(const sn_operator *op)
{
    return loops_of(op)->packs;
}

size_t sn_operator_memory_of(const sn_assembly *a, sn_law_kind law, bool single)
{
    size_t elements = (size_t)a->tree->n_elements + (size_t)a->tree->n_ghost_elements;
    size_t lanes = (size_t)a->n_groups * SN_GROUP, packs = sn_law_of(law)->loops->packs;
    size_t slot_reals = SN_NODE_REALS * (size_t)a->n_slots;
    size_t bytes = sn_assembly_memory(a) +
                   elements * (sizeof(sn_law_parameters) + sizeof(uint16_t)) +
                   slot_reals * sizeof(double);
    return bytes +
           (single ? (lanes * packs + slot_reals) * sizeof(float) : lanes * packs * sizeof(double));
}

static size_t batches_of(const sn_assembly *a)
{
    return (size_t)a->n_groups * SN_BATCHES_TO_NARROW;
}

size_t sn_operator_memory(const sn_operator *op)
{
    size_t of_batch = sizeof *op->damping + sizeof *op->strain;
    size_t damping = op->damping ? batches_of(&op->assembly) * of_batch : 0;
    size_t points = op->n_point_rows * sizeof *op->points;
    if (op->point_row)
        points += (size_t)op->assembly.n_groups * sizeof *op->point_row;
    return points + sn_operator_memory_of(&op->assembly, op->law, op->single) + damping +
           sn_element_exchange_memory(&op->elements);
}

/* ---- Linearisation. ---- */

/* Collective. With `keep`, the linearisation becomes the operator's; with `f`, forces are found. */
static sn_deformation_summary visit_elements(sn_operator *op, double *x, bool keep, double *f)
{
    sn_deformation_tally all = {.least_determinant = INFINITY};
    if (f) {
        loops_of(op)->force(op, x, keep, f, &all);
    } else {
        sn_field_fill_ghosts(op->tree, x);
        loops_of(op)->update(op, x, keep, &all);
    }
    MPI_Comm comm = op->tree->comm;
    sn_sum sums[] = {all.energy, all.damping};
    sn_sum_allreduce(comm, sums, 2);
    MPI_Allreduce(MPI_IN_PLACE, &all.least_determinant, 1, MPI_DOUBLE, MPI_MIN, comm);
    MPI_Allreduce(MPI_IN_PLACE, &all.inverted, 1, MPI_INT64_T, MPI_SUM, comm);
    return (sn_deformation_summary){sn_sum_value(&sums[0]), sn_sum_value(&sums[1]),
                                    all.least_determinant, all.inverted};
}

sn_deformation_summary sn_operator_update(sn_operator *op, double *x, double *f)
{
    return visit_elements(op, x, true, f);
}

sn_deformation_summary sn_operator_inspect(sn_operator *op, double *x)
{
    return visit_elements(op, x, false, NULL);
}

void sn_operator_gradients(sn_operator *op, double *x, float (*gradient)[9])
{
    sn_field_fill_ghosts(op->tree, x);
    loops_of(op)->gradients(op, x, gradient);
}

void sn_operator_linearise(sn_operator *op, float (*gradient)[9])
{
    fill_ghosts(op, gradient, sizeof *gradient);
    loops_of(op)->linearise(op, gradient);
}

/* ---- Damping. ---- */

static double *with_ghosts(sn_operator *op, const double *owned)
{
    const sn_octree *tree = op->tree;
    double *all = SN_NEW(double, tree->n_elements + tree->n_ghost_elements);
    if (tree->n_elements)
        memcpy(all, owned, (size_t)tree->n_elements * sizeof *all);
    fill_ghosts(op, all, sizeof *all);
    return all;
}

void sn_operator_set_damping(sn_operator *op, const double *factor)
{
    double *all = with_ghosts(op, factor);
    size_t batches = batches_of(&op->assembly);
    if (!op->damping)
        op->damping = SN_NEW_ZERO(sn_pack_f64, batches);
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)batches))
    for (size_t lane = 0; lane < batches * SN_LANES_F64; lane++)
        if (op->assembly.order[lane] != SN_EMPTY_LANE)
            op->damping[lane / SN_LANES_F64][lane % SN_LANES_F64] = all[op->assembly.order[lane]];
    sn_free(all);
}

void sn_operator_damp_from(sn_operator *op, double now, double *x, double before, double *x_before)
{
    sn_field_fill_ghosts(op->tree, x);
    sn_field_fill_ghosts(op->tree, x_before);
    if (!op->strain)
        op->strain = SN_NEW_ZERO(sn_strain_batch, batches_of(&op->assembly));
    sn_strain_mix mix = {now, before, x, x_before};
    loops_of(op)->keep_strains(op, &mix);
}

void sn_operator_drop_strain(sn_operator *op)
{
    sn_free(op->strain);
    op->strain = NULL;
}

/* ---- Products and sums: the law's own loops. ---- */

void sn_operator_force(sn_operator *op, double *x, double *f)
{
    visit_elements(op, x, false, f);
}

void sn_operator_apply_f32(sn_operator *op, float *u, float *out)
{
    loops_of(op)->apply_f32(op, u, out);
}

void sn_operator_apply_f64(sn_operator *op, double *u, double *out)
{
    if (op->damping || op->single)
        loops_of(op)->apply_damped(op, u, out);
    else
        loops_of(op)->apply_f64(op, u, out);
}

void sn_operator_diagonal_f64(sn_operator *op, double *diagonal)
{
    loops_of(op)->diagonal(op, diagonal);
}

void sn_operator_batch_apply(const sn_operator *op, sn_local batch, const sn_lanes *lanes,
                             const double *u, sn_shares_f64 *shares)
{
    loops_of(op)->batch_apply(op, batch, lanes, u, shares);
}

void sn_operator_measure(const sn_operator *op, const double *x, const sn_local *element, size_t n,
                         sn_element_measure *measure)
{
    loops_of(op)->measure(op, x, element, n, measure);
}
