#include "base/holders.h"

#include "base/array.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HOLDERS = 1024 }; /* of files that make arrays there are a few hundred */

/* Holders that are below this part of all have no row of their own in a table. */
static const double LEAST_PART = 0.005;
static const double MEGABYTE = 1e6;

/* Found by the address of the file's name: a file that several others include has several. */
static struct {
    _Atomic(const char *) file[MOST_HOLDERS];
    _Atomic int64_t held[MOST_HOLDERS];
    int64_t at_peak[MOST_HOLDERS];
    _Atomic size_t peak; /* of all, when at_peak was taken */
    atomic_flag noting;
} holders = {.noting = ATOMIC_FLAG_INIT};

/* ---- Counting ---- */

static bool takes(int slot, const char *file)
{
    const char *there = NULL;
    return atomic_compare_exchange_strong(&holders.file[slot], &there, file) || there == file;
}

int sn_holder_of(const char *file)
{
    int slot = (int)((uintptr_t)file % (MOST_HOLDERS - 1));
    for (int tries = 1; tries < MOST_HOLDERS; tries++) {
        if (takes(slot, file))
            return slot;
        slot = (slot + 1) % (MOST_HOLDERS - 1);
    }
    return MOST_HOLDERS - 1; /* takes whatever no longer fits */
}

void sn_holder_add(int holder, int64_t bytes)
{
    atomic_fetch_add(&holders.held[holder], bytes);
}

/* Where threads free at once, the first one's view is as good as any. */
void sn_holders_note(size_t held)
{
    if (held <= atomic_load(&holders.peak) || atomic_flag_test_and_set(&holders.noting))
        return;
    atomic_store(&holders.peak, held);
    for (int i = 0; i < MOST_HOLDERS; i++)
        holders.at_peak[i] = atomic_load(&holders.held[i]);
    atomic_flag_clear(&holders.noting);
}

void sn_holders_forget(void)
{
    atomic_store(&holders.peak, 0);
}

/* ---- The table ---- */

/* A source file from the project's root (CMakeLists.txt sees to that), without "src/" and its
 * ending. */
static void name_of(const char *file, sn_name name)
{
    memset(name, 0, SN_NAME_BYTES);
    if (!file)
        file = "others";
    if (strncmp(file, "src/", 4) == 0)
        file += 4;
    strncpy(name, file, SN_NAME_BYTES - 1);
    char *dot = strrchr(name, '.');
    if (dot)
        memset(dot, 0, strlen(dot));
}

static int own_names(sn_name *name)
{
    int n = 0;
    for (int i = 0; i < MOST_HOLDERS; i++)
        if (holders.at_peak[i] > 0)
            name_of(holders.file[i], name[n++]);
    return n;
}

static double own_bytes(const sn_name wanted)
{
    double sum = 0;
    for (int i = 0; i < MOST_HOLDERS; i++) {
        sn_name name;
        if (holders.at_peak[i] == 0)
            continue;
        name_of(holders.file[i], name);
        if (strcmp(name, wanted) == 0)
            sum += (double)holders.at_peak[i];
    }
    return sum;
}

static sn_holding over_ranks(MPI_Comm comm, const sn_name name, double mine)
{
    int size;
    sn_holding h = {.least = mine, .average = mine, .most = mine};
    memcpy(h.name, name, sizeof h.name);
    MPI_Comm_size(comm, &size);
    MPI_Allreduce(MPI_IN_PLACE, &h.least, 1, MPI_DOUBLE, MPI_MIN, comm);
    MPI_Allreduce(MPI_IN_PLACE, &h.average, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, &h.most, 1, MPI_DOUBLE, MPI_MAX, comm);
    h.average /= size;
    return h;
}

static int by_average(const void *a, const void *b)
{
    const sn_holding *left = a, *right = b;
    if (left->average != right->average)
        return left->average < right->average ? 1 : -1;
    return strcmp(left->name, right->name);
}

int sn_holders_gather(MPI_Comm comm, double part, sn_holding **holdings)
{
    static const sn_name OTHERS = "others";
    sn_holders_note(sn_memory_held());
    sn_name *own = SN_NEW(sn_name, MOST_HOLDERS), *name;
    int n = sn_names_gather(comm, own, own_names(own), &name), kept = 0;
    sn_holding *all = *holdings = SN_NEW(sn_holding, n + 1);
    double sum = 0, others = 0;
    for (int i = 0; i < n; i++) {
        all[i] = over_ranks(comm, name[i], own_bytes(name[i]));
        sum += all[i].average;
    }
    qsort(all, (size_t)n, sizeof *all, by_average);
    while (kept < n && all[kept].average >= part * sum)
        kept++;
    for (int i = kept; i < n; i++)
        others += own_bytes(all[i].name);
    all[kept] = over_ranks(comm, OTHERS, others);
    sn_free(own);
    sn_free(name);
    return kept + 1;
}

void sn_holders_write_csv(MPI_Comm comm, FILE *out)
{
    sn_holding *h;
    int n = sn_holders_gather(comm, LEAST_PART, &h);
    for (int i = 0; i < n && out; i++)
        fprintf(out, "memory/%s MB,1,%.6f,%.6f,%.6f,%.3f\n", h[i].name, h[i].least / MEGABYTE,
                h[i].average / MEGABYTE, h[i].most / MEGABYTE,
                h[i].average > 0 ? h[i].most / h[i].average : 1);
    sn_free(h);
}
