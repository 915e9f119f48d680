#include "base/timer.h"

#include "base/array.h"
#include "base/names.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

enum { MOST_PHASES = 256 };

typedef struct {
    const char *asked; /* the caller's string, which is mostly the same one again */
    sn_name name;
    double seconds, started;
    long calls;
} phase;

static struct {
    double origin;
    int count;
    phase phases[MOST_PHASES];
} timers;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void sn_timer_reset(void)
{
    timers.origin = now();
    timers.count = 0;
}

double sn_timer_elapsed(void)
{
    return now() - timers.origin;
}

static phase *find(const char *name)
{
    for (int i = 0; i < timers.count; i++)
        if (strncmp(timers.phases[i].name, name, SN_NAME_BYTES - 1) == 0)
            return &timers.phases[i];
    return NULL;
}

static phase *find_or_add(const char *name)
{
    for (int i = 0; i < timers.count; i++)
        if (timers.phases[i].asked == name)
            return &timers.phases[i];
    phase *known = find(name);
    if (known)
        return known;
    /* The last entry takes whatever no longer fits. */
    int slot = timers.count < MOST_PHASES ? timers.count++ : MOST_PHASES - 1;
    timers.phases[slot] = (phase){.asked = name};
    strncpy(timers.phases[slot].name, name, SN_NAME_BYTES - 1);
    return &timers.phases[slot];
}

void sn_phase_begin(const char *name)
{
    find_or_add(name)->started = now();
}

void sn_phase_pause(const char *name)
{
    phase *p = find_or_add(name);
    p->seconds += now() - p->started;
}

void sn_phase_count(const char *name)
{
    find_or_add(name)->calls++;
}

void sn_phase_end(const char *name)
{
    sn_phase_pause(name);
    sn_phase_count(name);
}

double sn_phase_seconds(const char *name)
{
    const phase *p = find(name);
    return p ? p->seconds : 0;
}

long sn_phase_calls(const char *name)
{
    const phase *p = find(name);
    return p ? p->calls : 0;
}

/* The names known to any rank, in order. */
static int gather_names(MPI_Comm comm, sn_name **names)
{
    sn_name *own = SN_NEW(sn_name, timers.count);
    for (int i = 0; i < timers.count; i++)
        memcpy(own[i], timers.phases[i].name, sizeof *own);
    int n = sn_names_gather(comm, own, timers.count, names);
    sn_free(own);
    return n;
}

typedef struct {
    long calls;
    double least, average, most, imbalance;
} summary;

/* Collective; the result is rank 0's. */
static summary summarise(MPI_Comm comm, const char *name)
{
    int size;
    MPI_Comm_size(comm, &size);
    const phase *p = find(name);
    double seconds = p ? p->seconds : 0, sum = 0;
    long calls = p ? p->calls : 0;
    summary s = {0};
    MPI_Reduce(&seconds, &s.least, 1, MPI_DOUBLE, MPI_MIN, 0, comm);
    MPI_Reduce(&seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
    MPI_Reduce(&seconds, &s.most, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
    MPI_Reduce(&calls, &s.calls, 1, MPI_LONG, MPI_MAX, 0, comm);
    s.average = sum / size;
    s.imbalance = sum > 0 ? s.most / s.average : 1;
    return s;
}

/* Header and rows, with the formats of one kind of table. */
static void write_table(MPI_Comm comm, FILE *out, bool csv)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_name *names;
    int n = gather_names(comm, &names);
    if (rank == 0 && csv)
        fprintf(out, "phase,calls,min,avg,max,imbalance\n");
    else if (rank == 0)
        fprintf(out, "%-32s %8s %10s %10s %10s %9s\n", "phase", "calls", "min s", "avg s", "max s",
                "max/avg");
    for (int i = 0; i < n; i++) {
        summary s = summarise(comm, names[i]);
        if (rank == 0)
            fprintf(out,
                    csv ? "%s,%ld,%.6f,%.6f,%.6f,%.3f\n"
                        : "%-32s %8ld %10.4f %10.4f %10.4f %9.2f\n",
                    names[i], s.calls, s.least, s.average, s.most, s.imbalance);
    }
    sn_free(names);
}

void sn_timer_report(MPI_Comm comm, FILE *out)
{
    write_table(comm, out, false);
}

void sn_timer_write_csv(MPI_Comm comm, FILE *out)
{
    write_table(comm, out, true);
}
