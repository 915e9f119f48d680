/* Replaying the lists of a transfer. */
#include "base/array.h"
#include "base/inline.h"
#include "base/threads.h"
#include "transfer/coarse_site.h"
#include "transfer/transfer.h"

#include <string.h>

static bool are_worth_threads(const sn_weighted_rows *rows)
{
    return rows->n_rows > 0 && sn_worth_threads((int64_t)rows->first[rows->n_rows]);
}

#define SN_PRECISION 32
#include "transfer/apply.inc"
#define SN_PRECISION 64
#include "transfer/apply.inc"

void sn_restrict_scalar_f64(sn_transfer *transfer, double *fine, double *coarse)
{
    sn_weighted_rows *rows = &transfer->restriction;
    bring_f64(rows, 1, fine);
#pragma omp parallel for schedule(static) if (are_worth_threads(rows))
    for (sn_local i = 0; i < rows->n_rows; i++)
        gather_row_f64(rows, i, 1, false, fine, coarse);
}

static bool pinned_by(const sn_weighted_rows *rows, sn_local coarse, const uint8_t *fine)
{
    int64_t all = 0, of_pinned = 0;
    for (sn_local k = rows->first[coarse]; k < rows->first[coarse + 1]; k++) {
        bool pinned = fine[rows->index[k]];
        if (pinned && rows->weight[k] == SN_WEIGHT_ONE)
            return true; /* only the node at the same place has the whole weight */
        all += rows->weight[k];
        of_pinned += pinned ? rows->weight[k] : 0;
    }
    return of_pinned > 0 && 2 * of_pinned >= all;
}

void sn_restrict_pins(sn_transfer *transfer, const uint8_t *fine, uint8_t *coarse)
{
    sn_weighted_rows *rows = &transfer->restriction;
    uint8_t *here = SN_NEW(uint8_t, sn_transfer_room_fine_nodes(transfer));
    if (rows->exchange.n_own)
        memcpy(here, fine, (size_t)rows->exchange.n_own);
    sn_exchange_begin(&rows->exchange, here, sizeof *here);
    sn_exchange_end(&rows->exchange);
#pragma omp parallel for schedule(static) if (are_worth_threads(rows))
    for (sn_local i = 0; i < rows->n_rows; i++)
        coarse[i] = pinned_by(rows, i, here);
    sn_free(here);
}
