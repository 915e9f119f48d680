/* What every test program uses: CHECK says what failed, where and on which rank;
 * test_main runs the program's cases and ends with the same status on all ranks. */
#ifndef SN_TESTS_CHECK_H
#define SN_TESTS_CHECK_H

#include "base/array.h"
#include "base/log.h"
#include "io/mesh/import.h"

#include <mpi.h>
#include <stdio.h>

/* Weak: one counter for all files of a test program. */
__attribute__((weak)) int check_failures;
enum { MOST_SHOWN_FAILURES = 20 };

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition) && check_failures++ < MOST_SHOWN_FAILURES) {                              \
            int check_rank;                                                                        \
            MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);                                            \
            fprintf(stderr, "%s:%d: rank %d: CHECK(%s) ", __FILE__, __LINE__, check_rank,          \
                    #condition);                                                                   \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

typedef void test_cases(int argc, char **argv);

static inline void test_begin(int *argc, char ***argv)
{
    int provided;
    if (sn_import_asked(*argc, *argv)) /* as main does: readers of meshes start the program again */
        sn_import_serve(*argv);
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    sn_log_open(MPI_COMM_WORLD, false);
}

static inline int test_end(void)
{
    int failures;
    MPI_Allreduce(&check_failures, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return failures ? 1 : 0;
}

/* A test program is `int main(int argc, char **argv) { return test_main(argc, argv, run); }` */
static inline int test_main(int argc, char **argv, test_cases *run)
{
    test_begin(&argc, &argv);
    run(argc, argv);
    return test_end();
}

/* The same for one that must have freed all its arrays at the end. */
static inline int test_main_freeing(int argc, char **argv, test_cases *run)
{
    test_begin(&argc, &argv);
    size_t held = sn_memory_held();
    run(argc, argv);
    CHECK(sn_memory_held() == held, "%zu bytes were not freed", sn_memory_held() - held);
    return test_end();
}

/* What would be the same on all ranks is done by one of them, so that seven do not do it seven
 * times: the piece with this number is for this rank. */
static inline bool test_is_mine(int piece)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return piece % size == rank;
}

/* The one that did it tells the others. */
static inline void test_share(int piece, void *value, size_t bytes)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Bcast(value, (int)bytes, MPI_BYTE, piece % size, MPI_COMM_WORLD);
}

/* A small reproducible generator, the same on every machine. */
static inline double test_random(unsigned long long *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*state >> 11) * 0x1p-53;
}

#endif
