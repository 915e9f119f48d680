/* Status agreement, arrays, timers and the log. */
#include "helpers/check.h"

#include "base/array.h"
#include "base/status.h"
#include "base/timer.h"
#include "base/work.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

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

static void wait_a_little(double seconds)
{
    double until = sn_timer_elapsed() + seconds;
    while (sn_timer_elapsed() < until)
        continue;
}

static double seconds_of(sn_work_kind kind)
{
    return sn_phase_seconds(sn_work_phase(kind));
}

/* A product within the smoother is smoothing; a sum within that product is a sum. */
static void each_moment_counts_for_one_work(void)
{
    const double part = 0.002;
    sn_timer_reset();
    sn_work_begin(SN_WORK_SMOOTHING);
    sn_work_begin(SN_WORK_PRODUCTS);
    wait_a_little(part);
    sn_work_begin(SN_WORK_SUMS);
    sn_work_moves(8);
    sn_work_begin(SN_WORK_EXCHANGE);
    wait_a_little(part);
    sn_work_end();
    sn_work_end();
    sn_work_end();
    sn_work_moves(5);
    sn_work_end();
    double all = sn_timer_elapsed(), named = 0;
    wait_a_little(part);
    sn_work_moves(3); /* of no work */
    for (int k = 0; k < SN_WORK_KINDS; k++)
        named += seconds_of(k);
    CHECK(seconds_of(SN_WORK_SMOOTHING) >= part && seconds_of(SN_WORK_SUMS) >= part, "counted");
    CHECK(named <= all, "%g s of %g", named, all);
    CHECK(seconds_of(SN_WORK_PRODUCTS) == 0 && seconds_of(SN_WORK_EXCHANGE) == 0, "taken in");
    CHECK(sn_phase_calls(sn_work_phase(SN_WORK_SMOOTHING)) == 1, "one call");
    CHECK(sn_phase_calls(sn_work_phase(SN_WORK_PRODUCTS)) == 0, "none");
    CHECK(sn_work_moved(SN_WORK_SUMS) == 8 && sn_work_moved(SN_WORK_SMOOTHING) == 5, "bytes");
}

static void timing_as_csv(void)
{
    int rank, calls = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char table[4096] = "";
    FILE *out = fmemopen(table, sizeof table, "w");
    sn_timer_write_csv(MPI_COMM_WORLD, out);
    fclose(out);
    if (rank != 0)
        return;
    const char *row = strstr(table, "\neverywhere,");
    double least, average, most, imbalance;
    CHECK(strncmp(table, "phase,calls,min,avg,max,imbalance\n", 34) == 0, "table:\n%s", table);
    CHECK(row && sscanf(row, "\neverywhere,%d,%lf,%lf,%lf,%lf\n", &calls, &least, &average, &most,
                        &imbalance) == 5,
          "table:\n%s", table);
    CHECK(calls == 1 && least <= average && average <= most && imbalance >= 1, "row:%s", row);
}

static void read_text(const char *path, char text[4096])
{
    FILE *file = fopen(path, "r");
    size_t bytes = file ? fread(text, 1, 4095, file) : 0;
    text[bytes] = 0;
    if (file)
        fclose(file);
}

/* Rank 0's lines, also those from before; and none after it is closed. */
static void the_log_is_kept(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char path[64], text[4096];
    snprintf(path, sizeof path, "/tmp/sinew_test_log_%ld.txt", (long)getpid());
    sn_info("said before");
    sn_log_keep(path);
    sn_info("said after");
    sn_log_close();
    sn_info("said too late");
    read_text(path, text);
    char *before = strstr(text, "said before\n"), *after = strstr(text, "said after\n");
    CHECK(rank != 0 || (before && after && before < after), "log:\n%s", text);
    CHECK(!strstr(text, "too late") && (rank == 0 || !text[0]), "log:\n%s", text);
    remove(path);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    failure_of_one_rank_becomes_everybodys();
    arrays_are_aligned_and_counted();
    a_phase_that_only_one_rank_entered_is_reported();
    timing_as_csv();
    each_moment_counts_for_one_work();
    the_log_is_kept();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
