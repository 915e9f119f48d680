#include "elastic/element_matrix.h"

#include "base/array.h"
#include "base/threads.h"
#include "field/field.h"

/* Batches whose matrices are made at a time. */
enum { BATCHES_AT_ONCE = 32, MATRICES_AT_ONCE = BATCHES_AT_ONCE * SN_LANES_F64 };

/* Early elements, or late ones: each list is along the curve. */
typedef struct {
    sn_local next, end; /* batches whose matrices are not made yet */
    int at, n;          /* matrices that are there and not taken yet: at to n - 1 */
    sn_element_matrix *matrix;
} matrix_stream;

static void take_column(const sn_lanes *lanes, const sn_shares_f64 *shares, int lane, int column,
                        sn_element_matrix *out)
{
    for (int corner = 0; corner < 8; corner++) {
        sn_quad_f64 share = sn_share_f64(shares, lane, corner ^ lanes->child[lane]);
        for (int d = 0; d < SN_NODE_REALS; d++)
            out->k[SN_NODE_REALS * corner + d][column] = share[d];
    }
}

/* The columns of a batch's matrices, by products with unit vectors. Each lane has eight nodes of
 * its own here, so that all lanes are asked at once. */
static void fill_columns(const sn_operator *op, sn_local batch, const sn_lanes *lanes,
                         sn_element_matrix *out)
{
    sn_local node[SN_LANES_F64][8];
    for (int lane = 0; lane < SN_LANES_F64; lane++)
        for (int corner = 0; corner < 8; corner++)
            node[lane][corner] = 8 * lane + (corner ^ lanes->child[lane]);
    sn_lanes own = *lanes;
    own.node = (const sn_local(*)[8])node;
    double unit[SN_ELEMENT_REALS * SN_LANES_F64 + SN_FIELD_SLACK] = {0};
    for (int column = 0; column < SN_ELEMENT_REALS; column++) {
        sn_shares_f64 shares;
        for (int lane = 0; lane < SN_LANES_F64; lane++)
            unit[SN_ELEMENT_REALS * lane + column] = 1;
        sn_operator_batch_apply(op, batch, &own, unit, &shares);
        for (int lane = 0; lane < SN_LANES_F64; lane++)
            unit[SN_ELEMENT_REALS * lane + column] = 0;
        for (int lane = 0; lane < lanes->count; lane++)
            take_column(lanes, &shares, lane, column, &out[lane]);
    }
}

/* The matrices of one batch, those of empty lanes without an element. */
static void make_batch(const sn_operator *op, sn_local batch, sn_element_matrix *out)
{
    const sn_local *element = op->assembly.order + (size_t)batch * SN_LANES_F64;
    sn_lane_room room;
    sn_lanes lanes;
    int lane0 = batch % SN_BATCHES_TO_NARROW * SN_LANES_F64;
    int count = sn_assembly_lanes(&op->assembly, batch / SN_BATCHES_TO_NARROW, lane0, SN_LANES_F64,
                                  &room, &lanes);
    for (int lane = 0; lane < SN_LANES_F64; lane++)
        out[lane].element = lane < count ? element[lane] : SN_NONE;
    if (count > 0)
        fill_columns(op, batch, &lanes, out);
}

static void refill(const sn_operator *op, matrix_stream *s)
{
    int batches = s->end - s->next < BATCHES_AT_ONCE ? (int)(s->end - s->next) : BATCHES_AT_ONCE;
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)batches * 1000))
    for (int b = 0; b < batches; b++)
        make_batch(op, s->next + b, s->matrix + (size_t)b * SN_LANES_F64);
    s->next += batches;
    s->at = 0;
    s->n = batches * SN_LANES_F64;
}

/* The next matrix of a stream, or NULL. */
static const sn_element_matrix *look(const sn_operator *op, matrix_stream *s)
{
    for (;;) {
        while (s->at < s->n && s->matrix[s->at].element == SN_NONE)
            s->at++;
        if (s->at < s->n)
            return &s->matrix[s->at];
        if (s->next == s->end)
            return NULL;
        refill(op, s);
    }
}

void sn_operator_each_matrix(const sn_operator *op, sn_element_matrix_function *take, void *context)
{
    sn_leaves elements = sn_octree_elements(op->tree);
    sn_local middle = op->assembly.n_early_groups * SN_BATCHES_TO_NARROW;
    matrix_stream early = {.end = middle, .matrix = SN_NEW(sn_element_matrix, MATRICES_AT_ONCE)};
    matrix_stream late = {.next = middle,
                          .end = op->assembly.n_groups * SN_BATCHES_TO_NARROW,
                          .matrix = SN_NEW(sn_element_matrix, MATRICES_AT_ONCE)};
    for (;;) {
        const sn_element_matrix *a = look(op, &early), *b = look(op, &late);
        if (!a && !b)
            break;
        bool is_early = a && (!b || elements.key[a->element] < elements.key[b->element]);
        take(context, is_early ? a : b);
        (is_early ? &early : &late)->at++;
    }
    sn_free(early.matrix);
    sn_free(late.matrix);
    sn_leaves_free(&elements);
}
