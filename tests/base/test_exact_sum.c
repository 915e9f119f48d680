/* The exact sum against a slow oracle, and the same bits however the terms are spread. */
#include "helpers/check.h"

#include "base/array.h"
#include "base/exact_sum.h"
#include "helpers/exact_sum_oracle.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* ---- Terms of many kinds. ---- */

typedef enum {
    UNIFORM,
    TWELVE_DECADES,
    ANY_BITS,
    SUBNORMAL,
    HUGE_TERMS,
    CANCELLING,
    MOSTLY_ZERO,
    KINDS,
} kind;

static double any_finite(unsigned long long *state)
{
    for (;;) {
        uint64_t bits = (uint64_t)(test_random(state) * 0x1p32) << 32;
        bits |= (uint64_t)(test_random(state) * 0x1p32);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            return value;
    }
}

static double random_term(kind k, size_t i, double previous, unsigned long long *state)
{
    double r = test_random(state) - 0.5;
    switch (k) {
    case UNIFORM:
        return r + 0.5;
    case TWELVE_DECADES:
        return r * pow(10, -12 * test_random(state));
    case ANY_BITS:
        return any_finite(state);
    case SUBNORMAL:
        return r * 0x1p-1020;
    case HUGE_TERMS:
        return 2 * r * DBL_MAX;
    case CANCELLING:
        return i % 2 ? -previous : any_finite(state);
    default:
        return test_random(state) < 0.1 ? r : -0.0;
    }
}

static double *random_terms(kind k, size_t count, unsigned long long seed)
{
    double *x = SN_NEW(double, count ? count : 1);
    for (size_t i = 0; i < count; i++)
        x[i] = random_term(k, i, i ? x[i - 1] : 0, &seed);
    return x;
}

static void shuffle(double *x, size_t count, unsigned long long seed)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)(test_random(&seed) * (double)i);
        double swap = x[j];
        x[j] = x[i - 1];
        x[i - 1] = swap;
    }
}

static void plain_add(sn_sum *sum, const double *x, size_t count, double sign)
{
    for (size_t i = 0; i < count; i++)
        sn_sum_add(sum, sign * x[i]);
}

static double plain_value(const double *x, size_t count)
{
    sn_sum sum = {0};
    plain_add(&sum, x, count, 1);
    return sn_sum_value(&sum);
}

static double fast_value(const double *x, size_t count)
{
    sn_sum sum = {0};
    sn_sum_add_array(&sum, x, count);
    return sn_sum_value(&sum);
}

static double queued_value(const double *x, size_t count)
{
    sn_sum_queue queue = {0};
    for (size_t i = 0; i < count; i++)
        sn_sum_push(&queue, x[i]);
    sn_sum_flush(&queue);
    return sn_sum_value(&queue.sum);
}

/* ---- Cases. ---- */

static void known_sums_are_right(void)
{
    const double tiny = 0x1p-1074, half_ulp = 0x1p970;
    const struct {
        double term[5], expected;
    } known[] = {
        {{0}, 0},
        {{-0.0, -0.0}, 0},
        {{1e300, 1, -1e300}, 1},
        {{1e300, tiny, -1e300, tiny}, 2 * tiny},
        {{1e308, 1e308, -1e308}, 1e308},
        {{1e308, 1e308}, INFINITY},
        {{-1e308, -1e308}, -INFINITY},
        {{DBL_MAX, half_ulp}, INFINITY},
        {{DBL_MAX, half_ulp, -tiny}, DBL_MAX},
        {{-DBL_MAX, -half_ulp, tiny}, -DBL_MAX},
        {{0x1p53, 1}, 0x1p53},
        {{0x1p53, 1, tiny}, 0x1p53 + 2},
        {{0x1p53, 1, -tiny}, 0x1p53},
        {{0x1p53, 2, 1}, 0x1p53 + 4},
        {{-0x1p53, -2, -1}, -0x1p53 - 4},
        {{0x1p54, -1}, 0x1p54},
        {{0x1p54, -1, -tiny}, 0x1p54 - 2},
        {{DBL_MIN, -tiny}, DBL_MIN - tiny},
        {{DBL_MIN - tiny, tiny}, DBL_MIN},
        {{NAN, 1}, NAN},
        {{INFINITY, 1e308, -1e308}, INFINITY},
        {{-INFINITY, DBL_MAX, DBL_MAX}, -INFINITY},
        {{INFINITY, -INFINITY}, NAN},
    };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        double plain = plain_value(known[k].term, 5), fast = fast_value(known[k].term, 5);
        CHECK(same_bits(plain, known[k].expected), "sum %zu: plain %a", k, plain);
        CHECK(same_bits(fast, known[k].expected), "sum %zu: fast %a", k, fast);
    }
}

static void random_sums_agree_with_the_oracle(void)
{
    static const size_t counts[] = {0, 1, 3, 15, 16, 17, 1000, 1023, 1024, 1025, 4099};
    for (int k = 0; k < KINDS; k++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            double *x = random_terms((kind)k, counts[c], 17 * (unsigned)k + 1);
            double expected = oracle_sum(x, counts[c]);
            double plain = plain_value(x, counts[c]), fast = fast_value(x, counts[c]);
            CHECK(same_bits(plain, expected), "kind %d: plain %a, not %a", k, plain, expected);
            double queued = queued_value(x, counts[c]);
            CHECK(same_bits(fast, expected), "kind %d: fast %a, not %a", k, fast, expected);
            CHECK(same_bits(queued, expected), "kind %d: queued %a, not %a", k, queued, expected);
            sn_sum difference = {0};
            sn_sum_add_array(&difference, x, counts[c]);
            plain_add(&difference, x, counts[c], -1);
            CHECK(sn_sum_value(&difference) == 0, "kind %d: not one bit lost", k);
            sn_free(x);
        }
}

static void special_values_are_found_anywhere_in_an_array(void)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY};
    enum { COUNT = 3000 };
    for (size_t s = 0; s < 3; s++)
        for (size_t place = 0; place < COUNT; place += 499) {
            double *x = random_terms(UNIFORM, COUNT, place);
            x[place] = specials[s];
            CHECK(same_bits(fast_value(x, COUNT), specials[s]), "%g at %zu", specials[s], place);
            double threaded = sn_global_sum(MPI_COMM_SELF, x, COUNT);
            CHECK(same_bits(threaded, specials[s]), "%g at %zu", specials[s], place);
            sn_free(x);
        }
}

static void dot_products_are_sums_of_rounded_products(void)
{
    enum { COUNT = 2500 };
    for (int k = 0; k < KINDS; k++) {
        double *x = random_terms((kind)k, COUNT, 3), *y = random_terms(UNIFORM, COUNT, 4);
        sn_sum dot = {0};
        sn_sum_add_dot_f64(&dot, x, y, COUNT);
        for (size_t i = 0; i < COUNT; i++)
            y[i] *= x[i];
        double expected = oracle_sum(y, COUNT);
        CHECK(same_bits(sn_sum_value(&dot), expected), "kind %d: not %a", k, expected);
        sn_free(x);
        sn_free(y);
    }
}

static void products_of_floats_are_exact(void)
{
    enum { COUNT = 2500 };
    double *x = random_terms(TWELVE_DECADES, COUNT, 5), *y = random_terms(UNIFORM, COUNT, 6);
    float *fx = SN_NEW(float, COUNT), *fy = SN_NEW(float, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        fx[i] = (float)x[i], fy[i] = (float)y[i];
        y[i] = (double)fx[i] * fy[i];
    }
    sn_sum dot = {0};
    sn_sum_add_dot_f32(&dot, fx, fy, COUNT);
    CHECK(same_bits(sn_sum_value(&dot), oracle_sum(y, COUNT)), "dot product of floats");
    sn_free(x), sn_free(y), sn_free(fx), sn_free(fy);
}

/* Doubling by merging reaches term counts that no test could add one by one. */
static void enormous_counts_do_not_overflow(void)
{
    enum { DOUBLINGS = 62 };
    static const double terms[] = {DBL_MAX, -DBL_MAX, 1.0 / 3, -0x1p-1074};
    for (int t = 0; t < 4; t++) {
        sn_sum sum = {0}, opposite = {0};
        sn_sum_add(&sum, terms[t]);
        sn_sum_add(&opposite, -terms[t]);
        for (int d = 0; d < DOUBLINGS; d++) {
            sn_sum_merge(&sum, &(sn_sum){0});
            sn_sum_merge(&sum, &sum);
            sn_sum_merge(&opposite, &opposite);
        }
        double expected = ldexp(terms[t], DOUBLINGS);
        CHECK(same_bits(sn_sum_value(&sum), expected), "%a: %a", terms[t], sn_sum_value(&sum));
        sn_sum_merge(&sum, &opposite);
        sn_sum_add(&sum, 1);
        CHECK(sn_sum_value(&sum) == 1, "%a: cancelled but one", terms[t]);
    }
}

/* Rank r's uneven part of an array; every third rank has nothing. */
static void rank_part(size_t count, unsigned long long seed, size_t *begin, size_t *end)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *begin = *end = 0;
    for (int r = 0; r <= rank; r++) {
        *begin = *end;
        if (r % 3 != 1)
            *end += (size_t)(test_random(&seed) * (double)(count - *end));
        if (r == size - 1)
            *end = count;
    }
}

static void the_split_does_not_matter(kind k, size_t count, unsigned long long seed)
{
    double *x = random_terms(k, count, seed), *square = SN_NEW(double, count);
    for (size_t i = 0; i < count; i++)
        square[i] = x[i] * x[i];
    double sum = plain_value(x, count), dot = plain_value(square, count);
    shuffle(x, count, seed + 1);
    size_t begin, end;
    rank_part(count, seed, &begin, &end);
    double global = sn_global_sum(MPI_COMM_WORLD, x + begin, end - begin);
    CHECK(same_bits(global, sum), "kind %d, %zu terms: %a, not %a", k, count, global, sum);
    global = sn_global_dot(MPI_COMM_WORLD, x + begin, x + begin, end - begin);
    CHECK(same_bits(global, dot), "kind %d, %zu terms: %a, not %a", k, count, global, dot);
    sn_free(x);
    sn_free(square);
}

static void several_sums_share_one_reduction(void)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sn_sum sums[3] = {0};
    sn_sum_add(&sums[0], rank);
    sn_sum_add(&sums[1], rank == size - 1 ? -0x1p-1074 : 0);
    sn_sum_add(&sums[2], rank == 0 ? INFINITY : -1);
    sn_sum_allreduce(MPI_COMM_WORLD, sums, 3);
    CHECK(sn_sum_value(&sums[0]) == size * (size - 1) / 2, "ranks");
    CHECK(sn_sum_value(&sums[1]) == -0x1p-1074, "a negative tiny sum");
    CHECK(sn_sum_value(&sums[2]) == INFINITY, "infinity on one rank");
    sn_sum_add(&sums[0], 0.5);
    CHECK(sn_sum_value(&sums[0]) == size * (size - 1) / 2 + 0.5, "a reduced sum goes on");
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    known_sums_are_right();
    random_sums_agree_with_the_oracle();
    special_values_are_found_anywhere_in_an_array();
    dot_products_are_sums_of_rounded_products();
    products_of_floats_are_exact();
    enormous_counts_do_not_overflow();
    for (int k = 0; k < KINDS; k++)
        for (size_t count = 1; count < 100000; count = 7 * count + 5)
            the_split_does_not_matter((kind)k, count, 100 * (unsigned)k + count);
    several_sums_share_one_reduction();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
