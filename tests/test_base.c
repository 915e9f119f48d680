/* Status agreement, arrays and timers. */
#include "check.h"

#include "base/array.h"
#include "base/status.h"
#include "base/timer.h"

#include <stdint.h>
#include <string.h>

static void failure_of_one_rank_becomes_everybodys(void)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(sn_agree(MPI_COMM_WORLD, SN_OK) == SN_OK, "nobody failed");
    sn_status mine = SN_OK;
    if (rank >= size / 2)
        mine = SN_FAIL(rank == size / 2 ? SN_MACHINE : SN_BAD_INPUT, "rank %d broke", rank);
    sn_status all = sn_agree(MPI_COMM_WORLD, mine);
    char expected[64];
    snprintf(expected, sizeof expected, "rank %d broke", size / 2);
    CHECK(all == SN_MACHINE, "the first failing rank decides, got %d", all);
    CHECK(strcmp(sn_failure_message(), expected) == 0, "got '%s'", sn_failure_message());
    CHECK(strncmp(sn_failure_place(), "test_base.c:", 12) == 0, "got '%s'", sn_failure_place());
}

static void arrays_are_aligned_and_counted(void)
{
    size_t before = sn_memory_held();
    SN_VECTOR(int) numbers = {0};
    for (int i = 0; i < 1000; i++)
        sn_push(&numbers, i);
    CHECK((uintptr_t)numbers.data % 64 == 0, "alignment");
    long sum = 0;
    for (size_t i = 0; i < numbers.count; i++)
        sum += numbers.data[i];
    CHECK(sum == 999 * 1000 / 2, "contents survive growth: %ld", sum);
    CHECK(sn_memory_held() >= before + 1000 * sizeof(int), "held bytes are counted");
    sn_vector_free(&numbers);
    CHECK(sn_memory_held() == before, "and given back");
    CHECK(sn_memory_peak() >= before + 1000 * sizeof(int), "the peak stays");
}

static void a_phase_that_only_one_rank_entered_is_reported(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sn_timer_reset();
    if (rank == 0) {
        sn_phase_begin("only here");
        sn_phase_end("only here");
    }
    sn_phase_begin("everywhere");
    sn_phase_end("everywhere");
    char table[4096] = "";
    FILE *out = fmemopen(table, sizeof table, "w");
    sn_timer_report(MPI_COMM_WORLD, out);
    fclose(out);
    if (rank == 0)
        CHECK(strstr(table, "only here") && strstr(table, "everywhere"), "table:\n%s", table);
    CHECK(sn_phase_seconds("never") == 0, "unknown phases cost nothing");
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    failure_of_one_rank_becomes_everybodys();
    arrays_are_aligned_and_counted();
    a_phase_that_only_one_rank_entered_is_reported();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
