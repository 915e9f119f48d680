#include "sparse/direct.h"

#include "base/array.h"
#include "base/digest.h"
#include "base/sort.h"
#include "curve/search.h"
#include "partition/records.h"

#include <math.h>
#include <string.h>

/* Relative to the largest diagonal entry: added where a body could move freely. */
static const double SHIFT = 1e-9;

static size_t reals_of(const sn_direct *d)
{
    return (size_t)d->block * (size_t)d->n;
}

/* How many blocks each rank has, and where they start. */
static void count_blocks(sn_direct *d)
{
    int size;
    MPI_Comm_size(d->comm, &size);
    d->counts = SN_NEW(int, size);
    d->starts = SN_NEW(int, size);
    MPI_Allgather(&d->n_own, 1, MPI_INT, d->counts, 1, MPI_INT, d->comm);
    for (int r = 0; r < size; r++) {
        d->starts[r] = d->n;
        d->n += d->counts[r];
    }
}

/* Keys of all, along the curve, and where each of those that arrive belongs. */
static void order_blocks(const sn_key *own, sn_direct *d)
{
    d->key = SN_NEW(sn_key, d->n);
    MPI_Allgatherv(own, d->n_own, MPI_UINT64_T, d->key, d->counts, d->starts, MPI_UINT64_T,
                   d->comm);
    uint32_t *order = SN_NEW(uint32_t, d->n);
    sn_sort_keys_with_order(d->key, order, (size_t)d->n);
    d->place = SN_NEW(sn_local, d->n);
    for (int row = 0; row < d->n; row++)
        d->place[order[row]] = row;
    sn_free(order);
}

/* From now on counts and starts are those of reals. */
static void count_reals(sn_direct *d)
{
    int size;
    MPI_Comm_size(d->comm, &size);
    for (int r = 0; r < size; r++) {
        d->counts[r] *= d->block;
        d->starts[r] *= d->block;
    }
}

void sn_direct_create(const sn_unknowns *u, int block, sn_direct *d)
{
    *d = (sn_direct){.comm = MPI_COMM_NULL, .all = u->comm, .block = block, .n_own = u->n};
    MPI_Comm_split(u->comm, u->n > 0 ? 0 : MPI_UNDEFINED, 0, &d->comm);
    if (d->comm == MPI_COMM_NULL)
        return;
    int rank;
    MPI_Comm_rank(d->comm, &rank);
    count_blocks(d);
    d->first_own = d->starts[rank];
    order_blocks(u->key, d);
    count_reals(d);
    d->values = SN_NEW(double, reals_of(d));
    d->gathered = SN_NEW(double, reals_of(d));
}

size_t sn_direct_memory(const sn_direct *d)
{
    size_t blocks = (size_t)d->n * (sizeof(sn_local) + sizeof(sn_key));
    return sn_cholesky_memory(&d->factor) + 2 * reals_of(d) * sizeof *d->values + blocks;
}

size_t sn_direct_memory_of(size_t blocks, size_t block)
{
    size_t reals = block * blocks;
    return (reals * reals + 2 * reals) * sizeof(double) +
           blocks * (sizeof(sn_local) + sizeof(sn_key));
}

void sn_direct_free(sn_direct *d)
{
    if (d->block == 0) /* was never created */
        return;
    if (d->comm != MPI_COMM_NULL)
        MPI_Comm_free(&d->comm);
    sn_free(d->key);
    sn_cholesky_free(&d->factor);
    sn_free(d->values);
    sn_free(d->gathered);
    sn_free(d->counts);
    sn_free(d->starts);
    sn_free(d->place);
    *d = (sn_direct){0};
}

/* ---- The matrix. ---- */

/* As they travel: with their reals, or without where only the pattern is asked for. */
typedef struct {
    sn_key row, column;
    double block[];
} placed_block;

static size_t bytes_of(const sn_sparse *m, bool entries)
{
    return sizeof(placed_block) + (entries ? sn_sparse_block_reals(m) * sizeof(double) : 0);
}

static bool is_zero(const double *block, size_t reals)
{
    for (size_t i = 0; i < reals; i++)
        if (block[i] != 0)
            return false;
    return true;
}

static void place_block(const sn_sparse *m, sn_local row, sn_local k, bool entries, void *to)
{
    placed_block *own = to;
    own->row = m->rows->key[row];
    own->column = sn_sparse_key(m, k);
    if (entries)
        memcpy(own->block, sn_sparse_block(m, k), sn_sparse_block_reals(m) * sizeof(double));
}

/* All but those beside the diagonal that are zero, as pinned columns are. */
static char *own_blocks(const sn_sparse *m, bool entries, size_t *n)
{
    size_t each = bytes_of(m, entries);
    char *own = SN_NEW(char, (size_t)sn_sparse_blocks(m) * each);
    *n = 0;
    for (sn_local row = 0; row < m->rows->n; row++)
        for (sn_local k = m->first[row]; k < m->first[row + 1]; k++)
            if (m->rows->key[row] == sn_sparse_key(m, k) ||
                !is_zero(sn_sparse_block(m, k), sn_sparse_block_reals(m)))
                place_block(m, row, k, entries, own + each * (*n)++);
    return own;
}

/* A block by its numbers along the curve. */
typedef struct {
    sn_local row, column;
    const double *block;
} numbered_block;

static numbered_block *number_blocks(const sn_direct *d, const char *all, size_t each, size_t n)
{
    numbered_block *list = SN_NEW(numbered_block, n);
    sn_search search = sn_search_create(d->key, (size_t)d->n);
    for (size_t i = 0; i < n; i++) {
        const placed_block *b = (const placed_block *)(const void *)(all + i * each);
        list[i] = (numbered_block){sn_search_find(&search, b->row),
                                   sn_search_find(&search, b->column), b->block};
    }
    sn_search_free(&search);
    return list;
}

/* Lists of what is beside each row, both ways, as starts and items. */
static sn_graph graph_of(const sn_direct *d, const numbered_block *list, size_t n)
{
    size_t rows = (size_t)d->n, *first = SN_NEW_ZERO(size_t, rows + 1);
    sn_local *beside = SN_NEW(sn_local, 2 * n);
    for (size_t i = 0; i < n; i++) {
        first[list[i].row]++;
        first[list[i].column]++;
    }
    for (size_t r = 0; r < rows; r++)
        first[r + 1] += first[r];
    for (size_t i = 0; i < n; i++) { /* from the end of each list to its start */
        beside[--first[list[i].row]] = list[i].column;
        beside[--first[list[i].column]] = list[i].row;
    }
    return (sn_graph){d->n, first, beside};
}

static uint64_t digest_of(const numbered_block *list, size_t n)
{
    uint64_t *pair = SN_NEW(uint64_t, n + 1);
    pair[n] = n;
    for (size_t i = 0; i < n; i++)
        pair[i] = (uint64_t)list[i].row << 32 | (uint64_t)list[i].column;
    uint64_t digest = sn_digest_bytes(pair, (n + 1) * sizeof *pair);
    sn_free(pair);
    return digest;
}

/* Bodies stay, contacts come and go: most matrices look like the last one. */
static void analyse(sn_direct *d, const numbered_block *list, size_t n)
{
    uint64_t pattern = digest_of(list, n);
    if (d->factor.place && pattern == d->pattern)
        return;
    d->pattern = pattern;
    sn_graph graph = graph_of(d, list, n);
    sn_cholesky_free(&d->factor);
    sn_cholesky_analyse(&graph, d->block, &d->factor);
    sn_free((void *)graph.first);
    sn_free((void *)graph.beside);
}

static void fill(sn_direct *d, const numbered_block *list, size_t n)
{
    sn_cholesky_clear(&d->factor);
    for (size_t i = 0; i < n; i++)
        sn_cholesky_set(&d->factor, list[i].row, list[i].column, list[i].block);
}

static void gather_matrix(sn_direct *d, const sn_sparse *m, bool entries)
{
    size_t n, each = bytes_of(m, entries);
    char *own = own_blocks(m, entries, &n);
    sn_inbox in = sn_records_gather(d->comm, each, own, n);
    sn_free(own);
    numbered_block *list = number_blocks(d, in.data, each, in.n);
    analyse(d, list, in.n);
    if (entries)
        fill(d, list, in.n);
    sn_free(list);
    sn_inbox_free(&in);
}

static void make_definite(sn_direct *d)
{
    double largest = 0;
    for (sn_local i = 0; i < d->n; i++)
        for (int r = 0; r < d->block; r++)
            largest = fmax(largest, *sn_cholesky_diagonal(&d->factor, i, r));
    for (sn_local i = 0; i < d->n; i++)
        for (int r = 0; r < d->block; r++) {
            double *diagonal = sn_cholesky_diagonal(&d->factor, i, r);
            *diagonal = *diagonal == 0 ? 1 : *diagonal + SHIFT * largest;
        }
}

sn_status sn_direct_factorise(sn_direct *d, const sn_sparse *matrix)
{
    sn_status status = SN_OK;
    if (d->comm != MPI_COMM_NULL) {
        gather_matrix(d, matrix, true);
        make_definite(d);
        if (!sn_cholesky_factorise(&d->factor))
            status = SN_FAIL(SN_INACCURATE, "the coarsest level's matrix is not positive definite");
    }
    return sn_agree(d->all, status);
}

size_t sn_direct_analyse(sn_direct *d, const sn_sparse *matrix)
{
    if (d->comm == MPI_COMM_NULL)
        return 0;
    gather_matrix(d, matrix, false);
    return sn_cholesky_reals(&d->factor);
}

#define SN_PRECISION 32
#include "sparse/direct.inc"
#define SN_PRECISION 64
#include "sparse/direct.inc"
