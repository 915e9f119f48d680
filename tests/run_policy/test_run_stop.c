/* The ways to ask a run to stop, one after the other, each seen by all ranks at once: none, the
 * time, a file, and a signal to the last rank only. */
#include "helpers/check.h"

#include "base/timer.h"
#include "io/text/temporary_folder.h"
#include "run/stop.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void expect(sn_stop *stop, const char *reason)
{
    sn_stop_reason asked = sn_stop_asked(stop);
    CHECK(strcmp(asked.text, reason) == 0, "'%s', not '%s'", asked.text, reason);
    MPI_Barrier(MPI_COMM_WORLD); /* before the next request */
}

/* The same within a step. */
static void expect_urgent(sn_stop *stop, const char *reason)
{
    bool urgent = sn_stop_is_urgent(stop);
    sn_stop_reason asked = sn_stop_urgent_reason(stop);
    CHECK(urgent == (reason[0] != 0), "%d", urgent);
    CHECK(strcmp(asked.text, reason) == 0, "'%s', not '%s'", asked.text, reason);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void nothing(const char *file)
{
    sn_stop stop = sn_stop_create(MPI_COMM_WORLD, file, INFINITY);
    expect(&stop, "");
    expect(&stop, "");
}

/* An hour is enough, and the margin of some seconds is not. */
static void hours(const char *file)
{
    sn_stop stop = sn_stop_create(MPI_COMM_WORLD, file, 1);
    expect(&stop, "");
    expect_urgent(&stop, "");
    stop = sn_stop_create(MPI_COMM_WORLD, file, (sn_timer_elapsed() + 1) / 3600);
    expect(&stop, "because the time is up");
    expect_urgent(&stop, "because the time is up");
}

/* Every rank has the job's end in its environment. */
static void the_end_of_a_job(const char *file)
{
    setenv("SLURM_JOB_END_TIME", "1000", 1); /* of 1970 */
    sn_stop stop = sn_stop_create(MPI_COMM_WORLD, file, INFINITY);
    expect(&stop, "because the time is up");
    unsetenv("SLURM_JOB_END_TIME");
}

static void a_file(const char *file)
{
    sn_stop stop = sn_stop_create(MPI_COMM_WORLD, file, INFINITY);
    expect(&stop, "");
    if (rank == 0)
        fclose(fopen(file, "w"));
    MPI_Barrier(MPI_COMM_WORLD);
    expect(&stop, "by the file 'stop'");
    stop.looked = -INFINITY; /* long ago */
    expect_urgent(&stop, "by the file 'stop'");
    expect_urgent(&stop, ""); /* it has just been looked for */
    sn_stop_done(&stop);
    if (rank == 0)
        CHECK(access(file, F_OK) != 0, "the file is still there");
    expect(&stop, "");
}

/* One more within a second is the same one: a launcher has handed it on. It is more urgent than
 * the time, and stays. */
static void a_signal(const char *file)
{
    char words[64];
    snprintf(words, sizeof words, "by a signal (%s)", strsignal(SIGUSR1));
    sn_stop_listen(MPI_COMM_WORLD);
    sn_stop_defer();
    sn_stop stop = sn_stop_create(MPI_COMM_WORLD, file, 1e-9);
    expect(&stop, "because the time is up");
    if (rank == size - 1) {
        raise(SIGUSR1);
        raise(SIGTERM);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    expect(&stop, words);
    expect(&stop, words);
    expect_urgent(&stop, words);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    unsetenv("SLURM_JOB_END_TIME");
    sn_temporary_folder folder;
    if (sn_temporary_folder_make(MPI_COMM_WORLD, "/tmp", &folder) != SN_OK) {
        CHECK(false, "%s", sn_failure_message());
        return;
    }
    char file[SN_TEMPORARY_FOLDER_BYTES + 8];
    snprintf(file, sizeof file, "%s/stop", folder.path);
    nothing(file);
    hours(file);
    the_end_of_a_job(file);
    a_file(file);
    a_signal(file);
    sn_temporary_folder_remove(&folder);
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
