#include "run/stop.h"

#include "base/status.h"
#include "base/timer.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Where the processor's time is limited, SIGXCPU comes once for each second above the softer limit.
 */
static const int SIGNALS[] = {SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGXCPU};
enum { N_SIGNALS = sizeof SIGNALS / sizeof *SIGNALS };

/* Within a step the file is looked for once in so many seconds. */
static const double LOOKS_EVERY = 1;

/* Seconds until a rank that was signalled before there was a state ends by itself: if the first one
 * was signalled as well the launcher is faster, and there is one message. */
enum { WAITS_FOR_THE_FIRST = 3 };

/* What a handler may touch. */
static volatile sig_atomic_t caught, deferred;
static sig_atomic_t is_other_rank;
static struct timespec caught_at;

static double seconds_between(const struct timespec *a, const struct timespec *b)
{
    return (double)(b->tv_sec - a->tv_sec) + 1e-9 * (double)(b->tv_nsec - a->tv_nsec);
}

/* Nothing but what a handler may call. */
static void end_at_once(void)
{
    static const char words[] =
        "stopped by a signal before there was anything to keep; --restart starts it again\n";
    if (is_other_rank)
        sleep(WAITS_FOR_THE_FIRST);
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
    _exit(SN_STOPPED);
}

static void on_signal(int number)
{
    int kept_errno = errno;
    struct timespec now;
    if (!deferred)
        end_at_once();
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!caught) {
        caught_at = now;
        caught = number;
    } else if (number != SIGXCPU && seconds_between(&caught_at, &now) > 1) {
        signal(number, SIG_DFL);
        raise(number); /* delivered when the handler returns */
    }
    errno = kept_errno;
}

static bool is_to_be_ignored(int number)
{
    struct sigaction before;
    return number == SIGHUP && sigaction(number, NULL, &before) == 0 &&
           before.sa_handler == SIG_IGN;
}

void sn_stop_listen(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    is_other_rank = rank != 0;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < N_SIGNALS; i++)
        if (!is_to_be_ignored(SIGNALS[i]))
            sigaction(SIGNALS[i], &action, NULL);
}

void sn_stop_defer(void)
{
    deferred = 1;
}

sn_stop sn_stop_create(MPI_Comm comm, const char *file, double hours)
{
    double now = sn_timer_elapsed();
    double job_ends = sn_slurm_deadline(getenv("SLURM_JOB_END_TIME"), (double)time(NULL), now);
    return (sn_stop){.comm = comm,
                     .file = file,
                     .deadline = sn_deadline_begin(fmin(3600 * hours, job_ends), now)};
}

/* From the least urgent on; signals have their own numbers, above these. */
enum { GO_ON, TIME_IS_UP, FILE_IS_THERE, SIGNALLED };

static bool is_first(const sn_stop *stop)
{
    int rank;
    MPI_Comm_rank(stop->comm, &rank);
    return rank == 0;
}

static int local_reason(const sn_stop *stop, double now)
{
    if (caught)
        return SIGNALLED + (int)caught;
    if (!is_first(stop))
        return GO_ON;
    if (access(stop->file, F_OK) == 0)
        return FILE_IS_THERE;
    return sn_deadline_is_near(&stop->deadline, now) ? TIME_IS_UP : GO_ON;
}

static int local_urgent_reason(sn_stop *stop, double now)
{
    if (caught)
        return SIGNALLED + (int)caught;
    if (!is_first(stop))
        return GO_ON;
    bool looks = now - stop->looked > LOOKS_EVERY;
    if (looks)
        stop->looked = now;
    if (looks && access(stop->file, F_OK) == 0)
        return FILE_IS_THERE;
    return sn_deadline_is_here(&stop->deadline, now) ? TIME_IS_UP : GO_ON;
}

static sn_stop_reason words_for(int reason)
{
    sn_stop_reason words = {""};
    if (reason >= SIGNALLED)
        snprintf(words.text, sizeof words.text, "by a signal (%s)", strsignal(reason - SIGNALLED));
    else if (reason == FILE_IS_THERE)
        snprintf(words.text, sizeof words.text, "by the file 'stop'");
    else if (reason == TIME_IS_UP)
        snprintf(words.text, sizeof words.text, "because the time is up");
    return words;
}

sn_stop_reason sn_stop_asked(sn_stop *stop)
{
    double now = sn_timer_elapsed();
    sn_deadline_step_ended(&stop->deadline, now);
    int reason = local_reason(stop, now);
    MPI_Allreduce(MPI_IN_PLACE, &reason, 1, MPI_INT, MPI_MAX, stop->comm);
    return words_for(reason);
}

bool sn_stop_is_urgent(void *context)
{
    sn_stop *stop = context;
    stop->urgent = local_urgent_reason(stop, sn_timer_elapsed());
    MPI_Allreduce(MPI_IN_PLACE, &stop->urgent, 1, MPI_INT, MPI_MAX, stop->comm);
    return stop->urgent != GO_ON;
}

sn_stop_reason sn_stop_urgent_reason(const sn_stop *stop)
{
    return words_for(stop->urgent);
}

void sn_stop_done(const sn_stop *stop)
{
    if (is_first(stop))
        unlink(stop->file);
}
