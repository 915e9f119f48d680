#include "sparse/sparse.h"

#include "base/array.h"
#include "base/inline.h"
#include "base/threads.h"
#include "partition/finder.h"

typedef SN_VECTOR(sn_key) key_list;

/* Keys of columns that other ranks have, in the order of the exchange. */
static key_list ghosts_of(const sn_unknowns *columns, const sn_key *key, sn_local blocks)
{
    int me;
    MPI_Comm_rank(columns->comm, &me);
    key_list ghosts = {0};
    for (sn_local k = 0; k < blocks; k++)
        if (sn_owner_of(columns->owners, key[k]) != me)
            sn_push(&ghosts, key[k]);
    ghosts.count = sn_exchange_order_ghosts(columns->owners, ghosts.data, ghosts.count);
    return ghosts;
}

static sn_status find_columns(const sn_sparse *m, const sn_key *key, size_t n_ghosts)
{
    sn_finder finder = sn_finder_create(m->columns->key, (size_t)m->columns->n, m->ghost, n_ghosts);
    bool missing = false;
    sn_finder_memory memory = {0};
    for (sn_local k = 0; k < sn_sparse_blocks(m); k++) {
        m->index[k] = sn_finder_find(&finder, &memory, key[k]);
        missing = missing || m->index[k] == SN_NONE;
    }
    sn_finder_free(&finder);
    return missing ? SN_FAIL(SN_MACHINE, "internal error: a matrix has a column of nobody") : SN_OK;
}

sn_status sn_sparse_countable(size_t blocks)
{
    if (blocks <= SN_LOCAL_MAX)
        return SN_OK;
    return SN_FAIL(SN_MACHINE, "more blocks of a matrix than one rank can count: use more ranks");
}

sn_status sn_sparse_create(const sn_unknowns *rows, const sn_unknowns *columns, int height,
                           int width, sn_local *first, const sn_key *key, sn_sparse *m)
{
    *m = (sn_sparse){
        .height = height, .width = width, .rows = rows, .columns = columns, .first = first};
    sn_local blocks = sn_sparse_blocks(m);
    key_list ghosts = ghosts_of(columns, key, blocks);
    m->ghost = ghosts.data;
    m->index = SN_NEW(sn_local, blocks);
    m->wide = SN_NEW_ZERO(double, (size_t)blocks *sn_sparse_block_reals(m));
    sn_status status =
        sn_exchange_create(columns->comm, columns->owners, columns->key, (size_t)columns->n,
                           ghosts.data, ghosts.count, &m->exchange);
    if (status == SN_OK)
        status = sn_agree(columns->comm, find_columns(m, key, ghosts.count));
    if (status != SN_OK)
        sn_sparse_free(m);
    return status;
}

void sn_sparse_free(sn_sparse *m)
{
    sn_free(m->first);
    sn_free(m->index);
    sn_free(m->wide);
    sn_free(m->narrow);
    sn_free(m->ghost);
    sn_exchange_free(&m->exchange);
    *m = (sn_sparse){0};
}

sn_local sn_sparse_blocks(const sn_sparse *m)
{
    return m->first ? m->first[m->rows->n] : 0;
}

size_t sn_sparse_block_reals(const sn_sparse *m)
{
    return (size_t)(m->height * m->width);
}

size_t sn_sparse_room(const sn_sparse *m)
{
    return (size_t)m->width * (size_t)(m->exchange.n_own + m->exchange.n_ghosts);
}

size_t sn_sparse_memory(const sn_sparse *m)
{
    if (!m->first)
        return 0;
    size_t real = (m->narrow ? sizeof *m->narrow : 0) + (m->wide ? sizeof *m->wide : 0);
    return ((size_t)m->rows->n + 1) * sizeof *m->first +
           (size_t)sn_sparse_blocks(m) * (sizeof *m->index + sn_sparse_block_reals(m) * real) +
           (size_t)m->exchange.n_ghosts * sizeof *m->ghost + sn_exchange_memory(&m->exchange);
}

sn_local sn_sparse_find(const sn_sparse *m, sn_local row, sn_key column)
{
    sn_local low = m->first[row], end = m->first[row + 1];
    while (low < end) {
        sn_local middle = low + (end - low) / 2;
        if (sn_sparse_key(m, middle) < column)
            low = middle + 1;
        else
            end = middle;
    }
    return low < m->first[row + 1] && sn_sparse_key(m, low) == column ? low : SN_NONE;
}

void sn_sparse_narrow(sn_sparse *m)
{
    size_t n = (size_t)sn_sparse_blocks(m) * sn_sparse_block_reals(m);
    m->narrow = SN_NEW(float, n);
    for (size_t i = 0; i < n; i++)
        m->narrow[i] = (float)m->wide[i];
}

void sn_sparse_drop_wide(sn_sparse *m)
{
    sn_free(m->wide);
    m->wide = NULL;
}

/* What is done with the product of a row. */
typedef enum { TO_SET, TO_ADD, TO_SUBTRACT_FROM } use_of_product;

static inline const float *values_f32(const sn_sparse *m)
{
    return m->narrow;
}

static inline const double *values_f64(const sn_sparse *m)
{
    return m->wide;
}

#define SN_PRECISION 32
#include "sparse/apply.inc"
#define SN_PRECISION 64
#include "sparse/apply.inc"
