#include "sparse/cholesky.h"

#include "base/array.h"
#include "sparse/sparse.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- The order. ---- */

/* What is left beside each row, as bits. */
typedef struct {
    size_t n, words;
    uint64_t *bits;
    sn_local *degree; /* SN_NONE: eliminated */
} elimination;

static uint64_t *bits_of(const elimination *e, size_t row)
{
    return e->bits + row * e->words;
}

static void set_bit(uint64_t *bits, size_t i)
{
    bits[i / 64] |= UINT64_C(1) << (i % 64);
}

static void clear_bit(uint64_t *bits, size_t i)
{
    bits[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

static sn_local count_bits(const uint64_t *bits, size_t words)
{
    int n = 0;
    for (size_t w = 0; w < words; w++)
        n += __builtin_popcountll(bits[w]);
    return (sn_local)n;
}

static elimination start_elimination(const sn_graph *graph)
{
    size_t n = (size_t)graph->n, words = (n + 63) / 64;
    elimination e = {n, words, SN_NEW_ZERO(uint64_t, n * words), SN_NEW(sn_local, n)};
    for (size_t i = 0; i < n; i++) {
        for (size_t k = graph->first[i]; k < graph->first[i + 1]; k++)
            set_bit(bits_of(&e, i), (size_t)graph->beside[k]);
        clear_bit(bits_of(&e, i), i);
        e.degree[i] = count_bits(bits_of(&e, i), words);
    }
    return e;
}

static size_t of_least_degree(const elimination *e)
{
    size_t least = e->n;
    for (size_t i = 0; i < e->n; i++)
        if (e->degree[i] != SN_NONE && (least == e->n || e->degree[i] < e->degree[least]))
            least = i;
    return least;
}

/* The rows in a set of bits, in `to`; how many there are. */
static size_t list_bits(const uint64_t *bits, size_t words, sn_local *to)
{
    size_t n = 0;
    for (size_t w = 0; w < words; w++)
        for (uint64_t left = bits[w]; left; left &= left - 1)
            to[n++] = (sn_local)(64 * w + (size_t)__builtin_ctzll(left));
    return n;
}

/* All that are beside a row are beside each other from now on. */
static void eliminate(elimination *e, size_t row, const sn_local *beside, size_t n)
{
    const uint64_t *joined = bits_of(e, row);
    e->degree[row] = SN_NONE;
    for (size_t k = 0; k < n; k++) {
        size_t other = (size_t)beside[k];
        uint64_t *bits = bits_of(e, other);
        for (size_t w = 0; w < e->words; w++)
            bits[w] |= joined[w];
        clear_bit(bits, row);
        clear_bit(bits, other);
        e->degree[other] = count_bits(bits, e->words);
    }
}

static void sort_places(sn_local *place, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && place[k - 1] > place[k]; k--) {
            sn_local kept = place[k];
            place[k] = place[k - 1];
            place[k - 1] = kept;
        }
}

/* From rows to places, once all are known. */
static void order_columns(sn_cholesky *f)
{
    for (size_t column = 0; column < (size_t)f->n; column++) {
        sn_local *below = f->below + f->first[column];
        size_t n = f->first[column + 1] - f->first[column];
        for (size_t k = 0; k < n; k++)
            below[k] = f->place[below[k]];
        sort_places(below, n);
    }
}

static void make_room(sn_cholesky *f)
{
    size_t longest = 0, block = (size_t)f->block;
    for (int k = 0; k < f->n; k++)
        longest = f->first[k + 1] - f->first[k] > longest ? f->first[k + 1] - f->first[k] : longest;
    f->room_reals = longest * block * block;
    f->room = SN_NEW(double, f->room_reals);
    f->ordered = SN_NEW(double, block *(size_t)f->n);
}

void sn_cholesky_analyse(const sn_graph *graph, int block, sn_cholesky *f)
{
    elimination e = start_elimination(graph);
    SN_VECTOR(sn_local) below = {0};
    *f = (sn_cholesky){.block = block,
                       .n = graph->n,
                       .place = SN_NEW(sn_local, e.n),
                       .row = SN_NEW(sn_local, e.n),
                       .first = SN_NEW_ZERO(size_t, e.n + 1)};
    for (size_t k = 0; k < e.n; k++) {
        size_t row = of_least_degree(&e);
        sn_reserve(&below, below.count + e.n);
        below.data[below.count] = (sn_local)row;
        size_t n = list_bits(bits_of(&e, row), e.words, below.data + below.count + 1);
        eliminate(&e, row, below.data + below.count + 1, n);
        f->row[k] = (sn_local)row;
        f->place[row] = (sn_local)k;
        below.count += n + 1;
        f->first[k + 1] = below.count;
    }
    f->below = below.data;
    order_columns(f);
    make_room(f);
    sn_free(e.bits);
    sn_free(e.degree);
}

void sn_cholesky_free(sn_cholesky *f)
{
    sn_free(f->place);
    sn_free(f->row);
    sn_free(f->first);
    sn_free(f->below);
    sn_free(f->panel);
    sn_free(f->room);
    sn_free(f->ordered);
    *f = (sn_cholesky){0};
}

size_t sn_cholesky_reals(const sn_cholesky *f)
{
    return f->n ? f->first[f->n] * (size_t)(f->block * f->block) : 0;
}

size_t sn_cholesky_memory(const sn_cholesky *f)
{
    if (f->n == 0)
        return 0;
    size_t n = (size_t)f->n;
    return (f->panel ? sn_cholesky_reals(f) * sizeof *f->panel : 0) +
           (f->room_reals + n * (size_t)f->block) * sizeof *f->room +
           (2 * n + f->first[n]) * sizeof *f->below + (n + 1) * sizeof *f->first;
}

/* ---- The entries. ---- */

static double *panel_of(const sn_cholesky *f, size_t column)
{
    return f->panel + f->first[column] * (size_t)(f->block * f->block);
}

static size_t length_of(const sn_cholesky *f, size_t column)
{
    return f->first[column + 1] - f->first[column];
}

void sn_cholesky_clear(sn_cholesky *f)
{
    if (!f->panel)
        f->panel = SN_NEW(double, sn_cholesky_reals(f));
    if (sn_cholesky_reals(f))
        memset(f->panel, 0, sn_cholesky_reals(f) * sizeof *f->panel);
}

/* Where a place stands in a column. */
static size_t find_below(const sn_cholesky *f, size_t column, sn_local place)
{
    const sn_local *below = f->below + f->first[column];
    size_t low = 0, end = length_of(f, column);
    while (low < end) {
        size_t middle = (low + end) / 2;
        if (below[middle] < place)
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

void sn_cholesky_set(sn_cholesky *f, sn_local row, sn_local column, const double *block)
{
    sn_local at = f->place[row], k = f->place[column];
    if (at < k)
        return;
    size_t b = (size_t)f->block, height = b * length_of(f, (size_t)k);
    double *to = panel_of(f, (size_t)k) + b * find_below(f, (size_t)k, at);
    for (size_t c = 0; c < b; c++)
        memcpy(to + c * height, block + c * b, b * sizeof *to);
}

double *sn_cholesky_diagonal(sn_cholesky *f, sn_local row, int real)
{
    size_t k = (size_t)f->place[row], height = (size_t)f->block * length_of(f, k);
    return panel_of(f, k) + (size_t)real * height + real;
}

/* ---- The factor. ---- */

/* The columns of a panel are finished, one after the other. */
static bool finish_panel(double *panel, size_t height, size_t block)
{
    for (size_t c = 0; c < block; c++) {
        double *restrict column = panel + c * height;
        for (size_t done = 0; done < c; done++) {
            const double *restrict other = panel + done * height;
            double factor = other[c];
            for (size_t i = c; i < height; i++)
                column[i] -= factor * other[i];
        }
        if (!(column[c] > 0))
            return false;
        double scale = 1 / sqrt(column[c]);
        for (size_t i = c; i < height; i++)
            column[i] *= scale;
    }
    return true;
}

/* Of L L^T by one panel, a column of blocks: the rows from `from` on, times those of one block. */
static inline __attribute__((always_inline)) void outer_product(const double *restrict panel,
                                                                size_t height, size_t block,
                                                                size_t from, double *restrict out)
{
    size_t n = height - from;
    for (size_t c = 0; c < block; c++) {
        double *restrict to = out + c * n;
        for (size_t i = 0; i < n; i++)
            to[i] = panel[from + i] * panel[from + c];
        for (size_t q = 1; q < block; q++)
            for (size_t i = 0; i < n; i++)
                to[i] += panel[q * height + from + i] * panel[q * height + from + c];
    }
}

/* What was found for the blocks of one column from `from` on is taken from a later column, which
 * has blocks at all of those places. */
static void subtract(sn_cholesky *f, size_t column, size_t from, const double *product)
{
    size_t target = (size_t)f->below[f->first[column] + from], b = (size_t)f->block;
    const sn_local *below = f->below + f->first[column], *there = f->below + f->first[target];
    size_t n = length_of(f, column), height = b * length_of(f, target), at = 0;
    double *panel = panel_of(f, target);
    for (size_t k = from; k < n; k++) {
        while (there[at] != below[k])
            at++;
        for (size_t c = 0; c < b; c++)
            for (size_t r = 0; r < b; r++)
                panel[c * height + b * at + r] -= product[c * b * (n - from) + b * (k - from) + r];
    }
}

static void update_later(sn_cholesky *f, size_t column)
{
    size_t b = (size_t)f->block, n = length_of(f, column), height = b * n;
    const double *panel = panel_of(f, column);
    for (size_t k = 1; k < n; k++) {
        if (b == 3)
            outer_product(panel, height, 3, 3 * k, f->room);
        else
            outer_product(panel, height, b, b * k, f->room);
        subtract(f, column, k, f->room);
    }
}

bool sn_cholesky_factorise(sn_cholesky *f)
{
    size_t b = (size_t)f->block;
    for (size_t k = 0; k < (size_t)f->n; k++) {
        if (!finish_panel(panel_of(f, k), b * length_of(f, k), b))
            return false;
        update_later(f, k);
    }
    return true;
}

/* ---- Its solve. ---- */

static void solve_down(const sn_cholesky *f, size_t k, double *x)
{
    size_t b = (size_t)f->block, n = length_of(f, k), height = b * n;
    const double *panel = panel_of(f, k);
    const sn_local *below = f->below + f->first[k];
    double *own = x + b * k, *restrict sum = f->room;
    for (size_t c = 0; c < b; c++) {
        own[c] /= panel[c * height + c];
        for (size_t r = c + 1; r < b; r++)
            own[r] -= panel[c * height + r] * own[c];
    }
    memset(sum, 0, height * sizeof *sum);
    for (size_t c = 0; c < b; c++)
        for (size_t i = b; i < height; i++)
            sum[i] += panel[c * height + i] * own[c];
    for (size_t j = 1; j < n; j++)
        for (size_t r = 0; r < b; r++)
            x[b * (size_t)below[j] + r] -= sum[b * j + r];
}

/* Several sums at once, always the same ones. */
static double dot(const double *restrict a, const double *restrict b, size_t n)
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

static void solve_up(const sn_cholesky *f, size_t k, double *x)
{
    size_t b = (size_t)f->block, n = length_of(f, k), height = b * n;
    const double *panel = panel_of(f, k);
    const sn_local *below = f->below + f->first[k];
    double *own = x + b * k, *restrict gathered = f->room;
    for (size_t j = 0; j < n; j++)
        memcpy(gathered + b * j, x + b * (size_t)below[j], b * sizeof *x);
    for (size_t c = b; c-- > 0;) {
        const double *column = panel + c * height;
        double known = dot(column + c + 1, gathered + c + 1, height - c - 1);
        own[c] = gathered[c] = (own[c] - known) / column[c];
    }
}

void sn_cholesky_solve(sn_cholesky *f, double *x)
{
    if (f->n == 0)
        return;
    size_t b = (size_t)f->block, n = (size_t)f->n;
    double *ordered = f->ordered;
    for (size_t k = 0; k < n; k++)
        memcpy(ordered + b * k, x + b * (size_t)f->row[k], b * sizeof *x);
    for (size_t k = 0; k < n; k++)
        solve_down(f, k, ordered);
    for (size_t k = n; k-- > 0;)
        solve_up(f, k, ordered);
    for (size_t k = 0; k < n; k++)
        memcpy(x + b * (size_t)f->row[k], ordered + b * k, b * sizeof *x);
}
