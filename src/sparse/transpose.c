/* The transposed matrix: blocks go to the owners of their columns. */
#include "sparse/sparse.h"

#include "base/array.h"
#include "base/sort.h"
#include "partition/records.h"

#include <string.h>

/* A block on its way. Sorting is by the first key: by old rows first, and then by new ones. */
typedef struct {
    sn_key sorted_by, other;
    double block[SN_MOST_BLOCK_ROWS * SN_MOST_BLOCK_ROWS];
} moving_block;

static void turn_over(const sn_sparse *m, const double *from, double *to)
{
    for (int c = 0; c < m->width; c++)
        for (int r = 0; r < m->height; r++)
            to[r * m->width + c] = from[c * m->height + r];
}

static sn_inbox send_blocks(const sn_sparse *m)
{
    sn_local n = sn_sparse_blocks(m);
    moving_block *moving = SN_NEW_ZERO(moving_block, n);
    int *destination = SN_NEW(int, n);
    for (sn_local row = 0; row < m->rows->n; row++)
        for (sn_local k = m->first[row]; k < m->first[row + 1]; k++) {
            moving[k].sorted_by = m->rows->key[row];
            moving[k].other = sn_sparse_key(m, k);
            turn_over(m, sn_sparse_block(m, k), moving[k].block);
            destination[k] = sn_owner_of(m->columns->owners, moving[k].other);
        }
    sn_inbox in = sn_records_send(m->rows->comm, sizeof *moving, moving, destination, (size_t)n);
    sn_free(moving);
    sn_free(destination);
    return in;
}

/* By new row, and within it along the curve. */
static void sort_blocks(moving_block *b, size_t n)
{
    sn_sort_records(b, sizeof *b, n);
    for (size_t i = 0; i < n; i++) {
        sn_key row = b[i].other;
        b[i].other = b[i].sorted_by;
        b[i].sorted_by = row;
    }
    sn_sort_records(b, sizeof *b, n);
}

static sn_local *start_rows(const sn_unknowns *rows, const moving_block *b, size_t n, sn_key *key)
{
    sn_local *first = SN_NEW_ZERO(sn_local, rows->n + 1);
    size_t at = 0;
    for (sn_local row = 0; row < rows->n; row++) {
        for (; at < n && b[at].sorted_by == rows->key[row]; at++)
            key[at] = b[at].other;
        first[row + 1] = (sn_local)at;
    }
    return first;
}

sn_status sn_sparse_transpose(const sn_sparse *m, sn_sparse *t)
{
    sn_inbox in = send_blocks(m);
    size_t n;
    moving_block *arrived = sn_inbox_take(&in, &n);
    sort_blocks(arrived, n);
    sn_key *key = SN_NEW(sn_key, n);
    sn_local *first = start_rows(m->columns, arrived, n, key);
    sn_status status = sn_sparse_create(m->columns, m->rows, m->width, m->height, first, key, t);
    for (size_t k = 0; status == SN_OK && k < n; k++)
        memcpy(sn_sparse_block(t, (sn_local)k), arrived[k].block,
               sn_sparse_block_reals(t) * sizeof(double));
    sn_free(arrived);
    sn_free(key);
    return status;
}
