/* The product of two matrices: each rank makes its own rows of it, for which the owners of B's rows
 * send those that are ghosts here. */
#include "sparse/sparse.h"

#include "base/array.h"
#include "base/inline.h"
#include "base/threads.h"
#include "partition/records.h"

#include <string.h>

/* Rows of B that belong to ghosts, as they arrive: in the order of the ghosts. */
typedef struct {
    sn_local *first; /* ghosts + 1 */
    char *record;    /* a key and a block each */
    size_t record_bytes;
} remote_rows;

static size_t record_bytes_of(const sn_sparse *m)
{
    return sizeof(sn_key) + sn_sparse_block_reals(m) * sizeof(double);
}

/* Where the rows of ghosts start among what will arrive. */
static sn_local *measure_ghost_rows(sn_exchange *x, const sn_sparse *b)
{
    sn_local *length = SN_NEW(sn_local, x->n_own + x->n_ghosts);
    for (sn_local i = 0; i < x->n_own; i++)
        length[i] = b->first[i + 1] - b->first[i];
    sn_exchange_begin(x, length, sizeof *length);
    sn_exchange_end(x);
    sn_local *first = SN_NEW_ZERO(sn_local, x->n_ghosts + 1);
    for (sn_local g = 0; g < x->n_ghosts; g++)
        first[g + 1] = first[g] + length[x->n_own + g];
    sn_free(length);
    return first;
}

typedef struct {
    char *record;
    int *destination;
    size_t n;
} parcel;

static void pack_row(const sn_sparse *b, sn_local row, int rank, parcel *p)
{
    size_t bytes = record_bytes_of(b);
    for (sn_local k = b->first[row]; k < b->first[row + 1]; k++) {
        sn_key key = sn_sparse_key(b, k);
        memcpy(p->record + p->n * bytes, &key, sizeof key);
        memcpy(p->record + p->n * bytes + sizeof key, sn_sparse_block(b, k), bytes - sizeof key);
        p->destination[p->n++] = rank;
    }
}

static parcel pack_rows(const sn_exchange *x, const sn_sparse *b)
{
    size_t n = 0, entries = x->n_send ? (size_t)x->send_first[x->n_send] : 0;
    for (size_t i = 0; i < entries; i++)
        n += (size_t)(b->first[x->send_index[i] + 1] - b->first[x->send_index[i]]);
    parcel p = {SN_NEW(char, n *record_bytes_of(b)), SN_NEW(int, n), 0};
    for (int s = 0; s < x->n_send; s++)
        for (sn_local i = x->send_first[s]; i < x->send_first[s + 1]; i++)
            pack_row(b, x->send_index[i], x->send_rank[s], &p);
    return p;
}

static remote_rows bring_rows(sn_exchange *x, const sn_sparse *b)
{
    remote_rows r = {.first = measure_ghost_rows(x, b), .record_bytes = record_bytes_of(b)};
    parcel p = pack_rows(x, b);
    sn_inbox in = sn_records_send(b->rows->comm, r.record_bytes, p.record, p.destination, p.n);
    sn_free(p.record);
    sn_free(p.destination);
    size_t n;
    r.record = sn_inbox_take(&in, &n);
    assert(n == (size_t)r.first[x->n_ghosts]);
    return r;
}

/* A row of B, of this rank or of another. */
typedef struct {
    const sn_sparse *b;
    const remote_rows *remote;
    sn_local first, end;
    bool is_remote;
} row_of_b;

static row_of_b row_at(const sn_sparse *b, const remote_rows *remote, sn_local row)
{
    sn_local ghost = row - b->rows->n;
    if (ghost < 0)
        return (row_of_b){b, remote, b->first[row], b->first[row + 1], false};
    return (row_of_b){b, remote, remote->first[ghost], remote->first[ghost + 1], true};
}

static inline sn_key key_at(const row_of_b *row, sn_local k)
{
    sn_key key;
    if (!row->is_remote)
        return sn_sparse_key(row->b, k);
    memcpy(&key, row->remote->record + (size_t)k * row->remote->record_bytes, sizeof key);
    return key;
}

static inline const double *block_at(const row_of_b *row, sn_local k)
{
    if (!row->is_remote)
        return sn_sparse_block(row->b, k);
    const char *record = row->remote->record + (size_t)k * row->remote->record_bytes;
    return (const double *)(const void *)(record + sizeof(sn_key));
}

typedef SN_VECTOR(sn_key) key_list;

/* Adds keys of a row, both lists ascending, to those that are there already. */
static void merge_keys(key_list *keys, key_list *room, const row_of_b *row)
{
    room->count = 0;
    size_t i = 0;
    for (sn_local k = row->first; k < row->end; k++) {
        sn_key key = key_at(row, k);
        while (i < keys->count && keys->data[i] < key)
            sn_push(room, keys->data[i++]);
        i += i < keys->count && keys->data[i] == key;
        sn_push(room, key);
    }
    while (i < keys->count)
        sn_push(room, keys->data[i++]);
    key_list swapped = *keys;
    *keys = *room;
    *room = swapped;
}

/* The columns of each row of A B. */
static sn_local *find_pattern(const sn_sparse *a, const sn_sparse *b, const remote_rows *remote,
                              key_list *all)
{
    sn_local *first = SN_NEW_ZERO(sn_local, a->rows->n + 1);
    key_list keys = {0}, room = {0};
    for (sn_local row = 0; row < a->rows->n; row++) {
        keys.count = 0;
        for (sn_local k = a->first[row]; k < a->first[row + 1]; k++) {
            row_of_b r = row_at(b, remote, a->index[k]);
            merge_keys(&keys, &room, &r);
        }
        sn_reserve(all, all->count + keys.count);
        for (size_t i = 0; i < keys.count; i++)
            sn_push(all, keys.data[i]);
        first[row + 1] = (sn_local)all->count;
    }
    sn_vector_free(&keys);
    sn_vector_free(&room);
    return first;
}

/* c += a b of blocks, by columns. Sizes are constants where this is called, and loops over them
 * vanish. */
SN_INLINE void add_block_product(int height, int inner, int width, const double *a, const double *b,
                                 double *c)
{
    for (int j = 0; j < width; j++)
        for (int k = 0; k < inner; k++)
            for (int i = 0; i < height; i++)
                c[j * height + i] += a[k * height + i] * b[j * inner + k];
}

/* A row of C += one block of A times a row of B; both rows are along the curve. */
SN_INLINE void add_row_of(int height, int inner, int width, const double *block,
                          const row_of_b *row, const sn_key *key, double *to)
{
    for (sn_local k = row->first; k < row->end; k++, key++, to += height * width) {
        sn_key wanted = key_at(row, k);
        for (; *key < wanted; key++)
            to += height * width;
        add_block_product(height, inner, width, block, block_at(row, k), to);
    }
}

static void add_row(const double *block, const row_of_b *row, const sn_key *key, sn_local at,
                    sn_sparse *c)
{
    int height = c->height, inner = row->b->height, width = c->width;
    double *to = sn_sparse_block(c, at);
    if (height == 3 && inner == 3 && width == 6)
        add_row_of(3, 3, 6, block, row, key + at, to);
    else if (height == 6 && inner == 3 && width == 6)
        add_row_of(6, 3, 6, block, row, key + at, to);
    else if (height == 6 && inner == 6 && width == 6)
        add_row_of(6, 6, 6, block, row, key + at, to);
    else
        add_row_of(height, inner, width, block, row, key + at, to);
}

static void fill(const sn_sparse *a, const sn_sparse *b, const remote_rows *remote,
                 const sn_key *key, sn_sparse *c)
{
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)sn_sparse_blocks(a)))
    for (sn_local row = 0; row < a->rows->n; row++)
        for (sn_local k = a->first[row]; k < a->first[row + 1]; k++) {
            row_of_b r = row_at(b, remote, a->index[k]);
            add_row(sn_sparse_block(a, k), &r, key, c->first[row], c);
        }
}

sn_status sn_sparse_product(sn_sparse *a, const sn_sparse *b, sn_sparse *c)
{
    remote_rows remote = bring_rows(&a->exchange, b);
    key_list keys = {0};
    sn_local *first = find_pattern(a, b, &remote, &keys);
    sn_status status = sn_agree(a->rows->comm, sn_sparse_countable(keys.count));
    if (status == SN_OK)
        status = sn_sparse_create(a->rows, b->columns, a->height, b->width, first, keys.data, c);
    else
        sn_free(first);
    if (status == SN_OK)
        fill(a, b, &remote, keys.data, c);
    sn_vector_free(&keys);
    sn_free(remote.first);
    sn_free(remote.record);
    return status;
}
