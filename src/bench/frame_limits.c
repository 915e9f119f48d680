#include "bench/frame_limits.h"

#include "base/timer.h"
#include "bench/product.h"

#include <math.h>

/* Of a decomposition with five sweeps of three rotations, what makes F, and the definiteness fix;
 * counted in elastic/svd3.inc and elastic/laws/corotated.inc. */
static const double OPERATIONS_OF_SVD = 1300;

sn_work_counts sn_work_counts_now(MPI_Comm comm)
{
    sn_work_counts c;
    for (int k = 0; k < SN_WORK_KINDS; k++) {
        c.calls[k] = (double)sn_phase_calls(sn_work_phase((sn_work_kind)k));
        c.moved[k] = sn_work_moved((sn_work_kind)k);
    }
    MPI_Allreduce(MPI_IN_PLACE, c.moved, SN_WORK_KINDS, MPI_DOUBLE, MPI_SUM, comm);
    return c;
}

/* Bytes for an element of the finest level, if it is not said otherwise. */
typedef struct {
    double elements, coarser; /* of all coarser levels, in parts of the finest */
    double product, narrow_product;
    double field, topology; /* of a nodal field in double precision; numbers of nodes */
    double law;             /* what elements keep in both precisions */
    double strain;
    double transfer; /* one way */
    double surface;  /* positions of all vertices, not for an element */
    double operations;
} sizes;

static double sum_over_ranks(MPI_Comm comm, double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm);
    return value;
}

static double coarser_elements(const sn_levels *levels)
{
    double n = 0;
    for (int l = 1; l < levels->n; l++)
        n += (double)sn_octree_count(sn_levels_at(levels, l)->tree).elements;
    return n;
}

static sizes sizes_of(const sn_shot *shot)
{
    const sn_structure *built = &shot->built;
    const sn_operator *op = &built->system.op;
    sn_octree_counts counts = sn_octree_count(op->tree);
    double n = (double)counts.elements, alone, narrow_alone;
    sizes s = {.elements = n, .coarser = coarser_elements(&built->levels) / n};
    s.product = sn_bench_product_bytes(op, sizeof(double), &alone);
    s.narrow_product = sn_bench_product_bytes(op, sizeof(float), &narrow_alone);
    s.field = SN_NODE_REALS * sizeof(double) * (double)counts.nodes / n;
    s.topology = s.product - alone;
    size_t real = sizeof(double) + (op->single ? sizeof(float) : 0);
    s.law = (double)(sn_operator_element_reals(op) * real);
    s.strain = (double)sizeof(sn_strain_batch) / SN_LANES_F64;
    if (built->levels.n > 1) {
        double lists = (double)sn_transfer_memory(&built->levels.transfer[0]);
        s.transfer = sum_over_ranks(op->tree->comm, lists / 2) / n + s.field;
    }
    s.surface = 3.0 * sizeof(double) * (double)sn_embedding_vertices(&built->embedding);
    return s;
}

static void bytes_of_works(const sn_shot *shot, const sizes *s, const sn_work_counts *done,
                           double bytes[SN_WORK_KINDS])
{
    const double *calls = done->calls;
    double n = s->elements;
    for (int k = 0; k < SN_WORK_KINDS; k++) /* those that keep account themselves */
        bytes[k] = done->moved[k];
    bytes[SN_WORK_PRODUCTS] = n * calls[SN_WORK_PRODUCTS] * s->product;
    /* One begin before, one after the coarse levels: each with as many products as the degree. */
    bytes[SN_WORK_SMOOTHING] =
        n * calls[SN_WORK_SMOOTHING] * shot->built.multigrid.settings.degree * s->narrow_product;
    bytes[SN_WORK_TRANSFERS] = n * calls[SN_WORK_TRANSFERS] * s->transfer;
    bytes[SN_WORK_COARSE] = s->coarser * (bytes[SN_WORK_SMOOTHING] + bytes[SN_WORK_TRANSFERS]);
    /* Of each linearisation: a product on each level. */
    bytes[SN_WORK_BOUNDS] = n * (1 + s->coarser) * calls[SN_WORK_LINEARISING] * s->narrow_product;
    bytes[SN_WORK_LINEARISING] =
        n * calls[SN_WORK_LINEARISING] * (s->topology + s->law + 2 * s->field);
    bytes[SN_WORK_FOLLOWING] = s->coarser * bytes[SN_WORK_LINEARISING];
    bytes[SN_WORK_FORCES] = n * calls[SN_WORK_FORCES] * (s->product + s->strain + 3 * s->field);
    bytes[SN_WORK_LINE_SEARCH] =
        n * calls[SN_WORK_LINE_SEARCH] * (s->topology + s->strain + 2 * s->field);
    bytes[SN_WORK_STARTING] =
        n * calls[SN_WORK_STARTING] / 2 * (s->topology + s->strain + 2 * s->field);
    bytes[SN_WORK_CONTACT] = calls[SN_WORK_CONTACT] * s->surface;
    bytes[SN_WORK_OUTPUT] = calls[SN_WORK_OUTPUT] * s->surface;
}

static void operations_of_works(const sizes *s, const sn_work_counts *done,
                                double operations[SN_WORK_KINDS])
{
    double all = s->elements * OPERATIONS_OF_SVD;
    for (int k = 0; k < SN_WORK_KINDS; k++)
        operations[k] = 0;
    operations[SN_WORK_LINEARISING] = all * done->calls[SN_WORK_LINEARISING];
    operations[SN_WORK_FOLLOWING] = s->coarser * operations[SN_WORK_LINEARISING];
    operations[SN_WORK_LINE_SEARCH] = all * done->calls[SN_WORK_LINE_SEARCH] / 2; /* and starts */
    operations[SN_WORK_STARTING] = all * done->calls[SN_WORK_STARTING] / 2;
}

void sn_frame_limits(const sn_shot *shot, const sn_work_counts *before, const sn_work_counts *after,
                     const sn_machine_limits *machine, double seconds[SN_WORK_KINDS])
{
    sn_work_counts done;
    double bytes[SN_WORK_KINDS], operations[SN_WORK_KINDS];
    for (int k = 0; k < SN_WORK_KINDS; k++) {
        done.calls[k] = after->calls[k] - before->calls[k];
        done.moved[k] = after->moved[k] - before->moved[k];
    }
    sizes s = sizes_of(shot);
    bytes_of_works(shot, &s, &done, bytes);
    operations_of_works(&s, &done, operations);
    for (int k = 0; k < SN_WORK_KINDS; k++)
        seconds[k] = fmax(bytes[k] / machine->bandwidth, operations[k] / machine->arithmetic);
}
