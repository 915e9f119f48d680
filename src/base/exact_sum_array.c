/* The fast front end of the exact sum.
 *
 * A block of values is loaded into a buffer in L1 and cut into slices, from the leading
 * bits down. Adding x to an accumulator S that is much larger rounds x to S's unit in the
 * last place; what was really added, (S + x) - S, and the rest of x are both exact. As long
 * as S stays in its binade, so is S itself: the slice's sum is an integer number of units,
 * which can be read off S's bits. The rest goes into the next slice, 45 bits lower, and
 * three slices empty a block unless its values differ by more than about 25 decades.
 *
 *     x     1.011010011010110...101
 *     S1    [  slice 1  ]              unit 1
 *     S2                [  slice 2  ]  unit 2 ...
 */
#include "base/exact_sum.h"

#include "base/work.h"

#include <math.h>
#include <omp.h>
#include <string.h>

typedef double lanes __attribute__((vector_size(32)));
typedef int64_t lane_bits __attribute__((vector_size(32)));

enum {
    LANES = 4,
    CHAINS = 4, /* independent accumulators a slice, to hide the latency of an addition */
    ROW = LANES * CHAINS,
    ROWS = 64,
    BLOCK = ROW * ROWS, /* 8 KiB of doubles */
    LOG_ROWS = 6,
    SLICES = 3,
    FRACTION_BITS = 52,
    HIGHEST_BINADE = 1023,
    LOWEST_BINADE = -1022,
    /* An accumulator starts in the middle of its binade, so half of the binade must hold all
     * that is added to it. First slice: the sum of magnitudes, and one bit more than needed
     * for its rounding errors. Next slices: ROWS rests of half a unit, and again one bit. */
    FIRST_MARGIN = 2,
    SLICE_STEP = FRACTION_BITS - LOG_ROWS - 1,
    SERIAL_COUNT = 8192, /* below this, waking the threads costs more than it brings */
};
_Static_assert(ROWS == 1 << LOG_ROWS, "rows and their logarithm");

typedef union {
    double value[BLOCK];
    lanes row[ROWS][CHAINS];
} block_buffer;

typedef struct {
    lanes chain[CHAINS];
} accumulator;

/* A bound for how far the block can move any accumulator: the sum of all magnitudes.
 * Not finite if any value is not, or if the sum overflows. */
static double block_magnitude(const block_buffer *block, int rows)
{
    const lane_bits no_sign = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    lanes total[CHAINS] = {{0}};
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < CHAINS; c++)
            total[c] += (lanes)((lane_bits)block->row[r][c] & no_sign);
    double magnitude = 0;
    for (int c = 0; c < CHAINS; c++)
        for (int l = 0; l < LANES; l++)
            magnitude += total[c][l];
    return magnitude;
}

/* The binade of the first slice. */
static int first_binade(double magnitude)
{
    int exponent;
    frexp(magnitude, &exponent);
    return exponent + FIRST_MARGIN;
}

/* Lower slices of tiny values share the lowest binade, whose unit divides every double. */
static int slice_binade(int first, int slice)
{
    int binade = first - slice * SLICE_STEP;
    return binade > LOWEST_BINADE ? binade : LOWEST_BINADE;
}

/* Where the next block comes from: fetching it while this one is cut hides the memory
 * behind the arithmetic. */
typedef struct {
    const char *x, *y;
    size_t row_bytes;
} next_block;

static inline void prefetch_row(const char *source, size_t offset)
{
    enum { CACHE_LINE = 64 };
    __builtin_prefetch(source + offset);
    __builtin_prefetch(source + offset + CACHE_LINE);
}

/* Moves the leading bits of `rest` into the accumulator. */
#define TAKE_SLICE(accumulator, rest)                                                              \
    do {                                                                                           \
        lanes moved = (accumulator) + (rest);                                                      \
        (rest) -= moved - (accumulator);                                                           \
        (accumulator) = moved;                                                                     \
    } while (0)

/* Replaces the block by what is left of it after the three slices; says whether any is. */
static int cut_slices(block_buffer *block, int rows, accumulator slice[SLICES],
                      const next_block *next)
{
    lane_bits left = {0};
    accumulator s0 = slice[0], s1 = slice[1], s2 = slice[2];
    for (int r = 0; r < rows; r++) {
        prefetch_row(next->x, (size_t)r * next->row_bytes);
        prefetch_row(next->y, (size_t)r * next->row_bytes);
        for (int c = 0; c < CHAINS; c++) {
            lanes rest = block->row[r][c];
            TAKE_SLICE(s0.chain[c], rest);
            TAKE_SLICE(s1.chain[c], rest);
            TAKE_SLICE(s2.chain[c], rest);
            block->row[r][c] = rest;
            left |= (lane_bits)rest;
        }
    }
    slice[0] = s0, slice[1] = s1, slice[2] = s2;
    return ((left[0] | left[1] | left[2] | left[3]) & INT64_MAX) != 0; /* -0 is nothing left */
}

/* Within a binade, one unit is one step of the bit pattern. */
static void deposit(sn_sum *sum, const accumulator *slice, double start, int binade)
{
    int64_t start_bits;
    memcpy(&start_bits, &start, sizeof start_bits);
    lane_bits units = {0};
    for (int c = 0; c < CHAINS; c++)
        units += (lane_bits)slice->chain[c] - start_bits;
    sn_sum_add_integer(sum, units[0] + units[1] + units[2] + units[3], binade - FRACTION_BITS);
}

static void add_block_plainly(sn_sum *sum, const block_buffer *block, int rows)
{
    for (int i = 0; i < rows * ROW; i++)
        sn_sum_add(sum, block->value[i]);
}

/* All lanes of a slice's accumulators begin with the returned value. */
static double start_slice(accumulator *slice, int binade)
{
    double start = ldexp(1.5, binade);
    for (int c = 0; c < CHAINS; c++)
        slice->chain[c] = start + (lanes){0};
    return start;
}

/* Consumes the block. */
static void add_block(sn_sum *sum, block_buffer *block, int rows, const next_block *next)
{
    int left;
    do {
        double magnitude = block_magnitude(block, rows);
        int first = isfinite(magnitude) ? first_binade(magnitude) : HIGHEST_BINADE + 1;
        if (first > HIGHEST_BINADE) {
            add_block_plainly(sum, block, rows);
            return;
        }
        accumulator slice[SLICES];
        double start[SLICES];
        for (int s = 0; s < SLICES; s++)
            start[s] = start_slice(&slice[s], slice_binade(first, s));
        left = cut_slices(block, rows, slice, next);
        for (int s = 0; s < SLICES; s++)
            deposit(sum, &slice[s], start[s], slice_binade(first, s));
    } while (left);
}

/* Pads with zeros to whole rows; returns their number. */
static int pad(block_buffer *block, size_t count)
{
    int rows = (int)((count + ROW - 1) / ROW);
    for (size_t i = count; i < (size_t)rows * ROW; i++)
        block->value[i] = 0;
    return rows;
}

/* One loop for all sources: `term` is an expression in x, y and i. */
#define ADD_BLOCKS(sum, x, y, count, term)                                                         \
    do {                                                                                           \
        block_buffer block;                                                                        \
        for (size_t begin = 0; begin < (count); begin += BLOCK) {                                  \
            size_t length = (count)-begin < BLOCK ? (count)-begin : BLOCK;                         \
            for (size_t k = 0; k < length; k++) {                                                  \
                size_t i = begin + k;                                                              \
                block.value[k] = (term);                                                           \
            }                                                                                      \
            size_t ahead = begin + ((count)-begin >= 2 * BLOCK ? BLOCK : 0);                       \
            next_block next = {(const char *)((x) + ahead), (const char *)((y) + ahead),           \
                               ROW * sizeof *(x)};                                                 \
            add_block((sum), &block, pad(&block, length), &next);                                  \
        }                                                                                          \
    } while (0)

void sn_sum_add_array(sn_sum *sum, const double *x, size_t count)
{
    ADD_BLOCKS(sum, x, x, count, x[i]);
}

void sn_sum_flush(sn_sum_queue *queue)
{
    sn_sum_add_array(&queue->sum, queue->term, queue->waiting);
    queue->waiting = 0;
}

/* The calling thread's part of an array: [begin, end). */
static void thread_part(size_t count, size_t *begin, size_t *end)
{
    size_t threads = (size_t)omp_get_num_threads(), thread = (size_t)omp_get_thread_num();
    size_t part = (count / threads / BLOCK + 1) * BLOCK;
    *begin = thread * part < count ? thread * part : count;
    *end = *begin + part < count ? *begin + part : count;
}

/* Adds a part of one array, or of two: y may be NULL. */
typedef void part_adder(sn_sum *sum, const void *x, const void *y, size_t begin, size_t end);

static void add_threaded(sn_sum *sum, const void *x, const void *y, size_t count, size_t bytes,
                         part_adder *add_part)
{
    sn_work_begin(SN_WORK_SUMS);
    sn_work_moves((y && y != x ? 2 : 1) * (double)(count * bytes));
#pragma omp parallel if (count > SERIAL_COUNT)
    {
        size_t begin, end;
        sn_sum mine = {0};
        thread_part(count, &begin, &end);
        add_part(&mine, x, y, begin, end);
#pragma omp critical(sn_sum_merge)
        sn_sum_merge(sum, &mine);
    }
    sn_work_end();
}

static void add_array_part(sn_sum *sum, const void *x, const void *none, size_t begin, size_t end)
{
    (void)none;
    sn_sum_add_array(sum, (const double *)x + begin, end - begin);
}

void sn_sum_add_array_threaded(sn_sum *sum, const double *x, size_t count)
{
    add_threaded(sum, x, NULL, count, sizeof *x, add_array_part);
}

#define SN_PRECISION 32
#include "base/exact_sum.inc"
#define SN_PRECISION 64
#include "base/exact_sum.inc"
