#include "base/timer.h"

#include "base/array.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_PHASES = 256, NAME_BYTES = 48 };

typedef struct {
    const char *asked; /* the caller's string, which is mostly the same one again */
    char name[NAME_BYTES];
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
        if (strncmp(timers.phases[i].name, name, NAME_BYTES - 1) == 0)
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
    strncpy(timers.phases[slot].name, name, NAME_BYTES - 1);
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

static int name_order(const void *a, const void *b)
{
    return strncmp(a, b, NAME_BYTES);
}

/* The names known to any rank, sorted, the same on all. */
static int gather_names(MPI_Comm comm, char (**names)[NAME_BYTES])
{
    int size;
    MPI_Comm_size(comm, &size);
    int *counts = SN_NEW(int, size), *starts = SN_NEW(int, size), total = 0;
    int mine = timers.count * NAME_BYTES;
    MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, comm);
    for (int r = 0; r < size; r++) {
        starts[r] = total;
        total += counts[r];
    }
    char(*own)[NAME_BYTES] = SN_NEW(char[NAME_BYTES], timers.count);
    for (int i = 0; i < timers.count; i++)
        memcpy(own[i], timers.phases[i].name, NAME_BYTES);
    char(*all)[NAME_BYTES] = SN_NEW(char[NAME_BYTES], total / NAME_BYTES);
    MPI_Allgatherv(own, mine, MPI_CHAR, all, counts, starts, MPI_CHAR, comm);
    int n = total / NAME_BYTES, kept = 0;
    if (n)
        qsort(all, (size_t)n, NAME_BYTES, name_order);
    for (int i = 0; i < n; i++)
        if (kept == 0 || strcmp(all[kept - 1], all[i]) != 0)
            memmove(all[kept++], all[i], NAME_BYTES);
    sn_free(own);
    sn_free(counts);
    sn_free(starts);
    *names = all;
    return kept;
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
    char(*names)[NAME_BYTES];
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
