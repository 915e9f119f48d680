/* Who holds memory at the peak. */
#include "helpers/check.h"

#include "base/array.h"
#include "base/holders.h"

#include <string.h>

enum { LARGE = 3 << 20, SMALL = 1 << 20 };

static int this_rank(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static int ranks(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

static const sn_holding *find(const sn_holding *h, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(h[i].name, name) == 0)
            return &h[i];
    return NULL;
}

/* More is held on rank 0, and more before than when it is asked for. */
static void the_table_is_that_of_the_peak(void)
{
    sn_memory_reset_peak();
    char *here = sn_allocate(LARGE, 1, "src/folder/here.c", 1);
    char *there = sn_allocate(this_rank() == 0 ? SMALL : 0, 1, "src/folder/there.inc", 1);
    sn_free(there);
    char *later = sn_allocate(SMALL / 2, 1, "later.c", 1);
    sn_holding *h;
    int n = sn_holders_gather(MPI_COMM_WORLD, 0, &h);
    const sn_holding *a = find(h, n, "folder/here"), *b = find(h, n, "folder/there");
    CHECK(a && a->least == LARGE && a->average == LARGE && a->most == LARGE, "all have the same");
    CHECK(b && b->most == SMALL && b->average == (double)SMALL / ranks(), "one has it");
    CHECK(b->least == (ranks() == 1 ? SMALL : 0), "others have not");
    const sn_holding *c = find(h, n, "later");
    CHECK(ranks() > 1 ? c && c->most == (double)SMALL / 2 : !c, "where the peak comes later");
    sn_free(h);
    sn_free(here);
    sn_free(later);
}

static void rows_are_in_order_and_add_up_to_the_peak(void)
{
    sn_memory_reset_peak();
    char *array = SN_NEW_ZERO(char, LARGE *(this_rank() + 1));
    double peak = (double)sn_memory_peak(), sum = 0;
    sn_holding *h;
    int n = sn_holders_gather(MPI_COMM_WORLD, 0.5, &h);
    CHECK(n == 2 && strcmp(h[0].name, "tests/base/test_holders") == 0, "this file has most: %s",
          h[0].name);
    CHECK(strcmp(h[1].name, "others") == 0, "%s", h[1].name);
    MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        sum += h[i].average * ranks();
    CHECK(sum == peak, "%g of %g bytes", sum, peak);
    sn_free(h);
    sn_free(array);
}

static bool is_filled(const char *array, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (array[i] != (char)(i % 127))
            return false;
    return true;
}

/* What is large moves with its pages: it is never there twice. */
static void large_arrays_grow_in_place(void)
{
    size_t held = sn_memory_held();
    sn_memory_reset_peak();
    char *array = SN_NEW(char, LARGE);
    for (size_t i = 0; i < LARGE; i++)
        array[i] = (char)(i % 127);
    for (size_t size = LARGE; size <= 4 * (size_t)LARGE; size += SMALL + 12345) {
        SN_RESIZE(array, size);
        CHECK((uintptr_t)array % 64 == 0 && is_filled(array, LARGE), "resized to %zu", size);
        CHECK(sn_memory_held() == held + size, "what is held is counted");
    }
    CHECK(sn_memory_peak() <= held + 4 * (size_t)LARGE, "a copy was made");
    SN_RESIZE(array, SMALL);
    CHECK(is_filled(array, SMALL) && sn_memory_held() == held + SMALL, "made small");
    sn_free(array);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    the_table_is_that_of_the_peak();
    rows_are_in_order_and_add_up_to_the_peak();
    large_arrays_grow_in_place();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
