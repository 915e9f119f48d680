#include "sparse/dense.h"

#include "base/array.h"
#include "base/sort.h"
#include "curve/search.h"
#include "partition/records.h"

#include <math.h>
#include <string.h>

/* Relative to the largest diagonal entry: added where a body could move freely. */
static const double SHIFT = 1e-9;

static size_t reals_of(const sn_dense *d)
{
    return (size_t)d->block * (size_t)d->n;
}

/* How many blocks each rank has, and where they start. */
static void count_blocks(sn_dense *d)
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
static void order_blocks(const sn_key *own, sn_dense *d)
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
static void count_reals(sn_dense *d)
{
    int size;
    MPI_Comm_size(d->comm, &size);
    for (int r = 0; r < size; r++) {
        d->counts[r] *= d->block;
        d->starts[r] *= d->block;
    }
}

void sn_dense_create(const sn_unknowns *u, int block, sn_dense *d)
{
    *d = (sn_dense){.comm = MPI_COMM_NULL, .all = u->comm, .block = block, .n_own = u->n};
    MPI_Comm_split(u->comm, u->n > 0 ? 0 : MPI_UNDEFINED, 0, &d->comm);
    if (d->comm == MPI_COMM_NULL)
        return;
    int rank;
    MPI_Comm_rank(d->comm, &rank);
    count_blocks(d);
    d->first_own = d->starts[rank];
    order_blocks(u->key, d);
    count_reals(d);
    d->factor = SN_NEW(double, reals_of(d) * reals_of(d));
    d->values = SN_NEW(double, reals_of(d));
    d->gathered = SN_NEW(double, reals_of(d));
}

size_t sn_dense_memory_of(size_t blocks, size_t block)
{
    size_t reals = block * blocks;
    return (reals * reals + 2 * reals) * sizeof(double) +
           blocks * (sizeof(sn_local) + sizeof(sn_key));
}

void sn_dense_free(sn_dense *d)
{
    if (d->block == 0) /* was never created */
        return;
    if (d->comm != MPI_COMM_NULL)
        MPI_Comm_free(&d->comm);
    sn_free(d->key);
    sn_free(d->factor);
    sn_free(d->values);
    sn_free(d->gathered);
    sn_free(d->counts);
    sn_free(d->starts);
    sn_free(d->place);
    *d = (sn_dense){0};
}

/* ---- The matrix. ---- */

typedef struct {
    sn_key row, column;
    double block[SN_MOST_BLOCK_ROWS * SN_MOST_BLOCK_ROWS];
} placed_block;

static placed_block *own_blocks(const sn_sparse *m)
{
    placed_block *own = SN_NEW_ZERO(placed_block, sn_sparse_blocks(m));
    for (sn_local row = 0; row < m->rows->n; row++)
        for (sn_local k = m->first[row]; k < m->first[row + 1]; k++) {
            own[k].row = m->rows->key[row];
            own[k].column = sn_sparse_key(m, k);
            memcpy(own[k].block, sn_sparse_block(m, k), sn_sparse_block_reals(m) * sizeof(double));
        }
    return own;
}

static void place_block(sn_dense *d, const sn_search *search, const placed_block *b)
{
    size_t n = reals_of(d), block = (size_t)d->block;
    size_t row = block * (size_t)sn_search_find(search, b->row);
    size_t column = block * (size_t)sn_search_find(search, b->column);
    for (size_t c = 0; c < block; c++)
        for (size_t r = 0; r < block; r++)
            d->factor[(row + r) * n + column + c] = b->block[c * block + r];
}

static void gather_matrix(sn_dense *d, const sn_sparse *m)
{
    memset(d->factor, 0, reals_of(d) * reals_of(d) * sizeof *d->factor);
    placed_block *own = own_blocks(m);
    sn_inbox in = sn_records_gather(d->comm, sizeof *own, own, (size_t)sn_sparse_blocks(m));
    const placed_block *all = in.data;
    sn_search search = sn_search_create(d->key, (size_t)d->n);
    for (size_t i = 0; i < in.n; i++)
        place_block(d, &search, &all[i]);
    sn_search_free(&search);
    sn_inbox_free(&in);
    sn_free(own);
}

static void make_definite(sn_dense *d)
{
    size_t n = reals_of(d);
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, d->factor[i * n + i]);
    for (size_t i = 0; i < n; i++) {
        double *diagonal = &d->factor[i * n + i];
        *diagonal = *diagonal == 0 ? 1 : *diagonal + SHIFT * largest;
    }
}

/* ---- Its factor. ---- */

/* Rows are eliminated in blocks, so that what is below them is read once a block. */
enum { BLOCK_ROWS = 8, ROWS_FOR_THREADS = 600 };

/* Row i, from column `from` on, less multiples of the finished rows first to end - 1. */
static void eliminate(double *a, size_t n, size_t first, size_t end, size_t i, size_t from)
{
    double *restrict row = a + i * n;
    for (size_t k = first; k < end; k++) {
        const double *restrict done = a + k * n;
        double factor = done[i];
        for (size_t j = from; j < n; j++)
            row[j] -= factor * done[j];
    }
}

/* A = U^T U; only the upper triangle is read and written. Each entry is changed in the same order
 * whatever thread does it. */
static bool cholesky(double *a, size_t n)
{
    for (size_t first = 0; first < n; first += BLOCK_ROWS) {
        size_t end = first + BLOCK_ROWS < n ? first + BLOCK_ROWS : n;
        for (size_t i = first; i < end; i++) {
            eliminate(a, n, first, i, i, i);
            double pivot = a[i * n + i];
            if (!(pivot > 0))
                return false;
            double scale = 1 / sqrt(pivot);
            for (size_t j = i; j < n; j++)
                a[i * n + j] *= scale;
        }
#pragma omp parallel for schedule(dynamic, BLOCK_ROWS) if (n - end > ROWS_FOR_THREADS)
        for (size_t i = end; i < n; i++)
            eliminate(a, n, first, end, i, i);
    }
    return true;
}

sn_status sn_dense_factorise(sn_dense *d, const sn_sparse *matrix)
{
    sn_status status = SN_OK;
    if (d->comm != MPI_COMM_NULL) {
        gather_matrix(d, matrix);
        make_definite(d);
        if (!cholesky(d->factor, reals_of(d)))
            status = SN_FAIL(SN_INACCURATE, "the coarsest level's matrix is not positive definite");
    }
    return sn_agree(d->all, status);
}

/* Several sums at once, always the same ones. */
static double dot(const double *a, const double *b, size_t n)
{
    enum { SUMS = 8 };
    double sum[SUMS] = {0}, all = 0;
    size_t i = 0;
    for (; i + SUMS <= n; i += SUMS)
        for (size_t s = 0; s < SUMS; s++)
            sum[s] += a[i + s] * b[i + s];
    for (; i < n; i++)
        all += a[i] * b[i];
    for (int s = 0; s < SUMS; s++)
        all += sum[s];
    return all;
}

static void substitute(const double *u, size_t n, double *restrict x)
{
    for (size_t i = 0; i < n; i++) {
        const double *row = u + i * n;
        x[i] /= row[i];
        for (size_t k = i + 1; k < n; k++)
            x[k] -= row[k] * x[i];
    }
    for (size_t i = n; i-- > 0;)
        x[i] = (x[i] - dot(u + i * n + i + 1, x + i + 1, n - i - 1)) / u[i * n + i];
}

#define SN_PRECISION 32
#include "sparse/dense.inc"
#define SN_PRECISION 64
#include "sparse/dense.inc"
