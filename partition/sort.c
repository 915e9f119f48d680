#include "partition/sort.h"

#include "base/array.h"
#include "base/sort.h"
#include "partition/records.h"

enum { SAMPLES_PER_RANK = 64 };

/* Each rank gives keys that cut its part into equal pieces, each standing for as many keys. */
typedef struct {
    sn_key key;
    uint64_t weight;
} sample;

static int take_samples(const sn_key *keys, size_t n, sample samples[SAMPLES_PER_RANK])
{
    int taken = n < SAMPLES_PER_RANK ? (int)n : SAMPLES_PER_RANK;
    for (int s = 0; s < taken; s++) {
        size_t from = n * (size_t)s / (size_t)taken, to = n * (size_t)(s + 1) / (size_t)taken;
        samples[s] = (sample){keys[from], to - from};
    }
    return taken;
}

static sample *gather_samples(MPI_Comm comm, const sample *mine, int n_mine, int *n_all)
{
    int size;
    MPI_Comm_size(comm, &size);
    int *counts = SN_NEW(int, size), *starts = SN_NEW(int, size),
        bytes = n_mine * (int)sizeof *mine;
    MPI_Allgather(&bytes, 1, MPI_INT, counts, 1, MPI_INT, comm);
    int total = 0;
    for (int r = 0; r < size; r++) {
        starts[r] = total;
        total += counts[r];
    }
    *n_all = total / (int)sizeof *mine;
    sample *all = SN_NEW(sample, *n_all);
    MPI_Allgatherv(mine, bytes, MPI_BYTE, all, counts, starts, MPI_BYTE, comm);
    sn_free(counts);
    sn_free(starts);
    return all;
}

/* The same intervals on all ranks, from the same samples. */
static sn_owners choose_intervals(const sample *all, int n_all, int size)
{
    sn_key *keys = SN_NEW(sn_key, n_all);
    uint32_t *order = SN_NEW(uint32_t, n_all);
    uint64_t total = 0, before = 0;
    for (int i = 0; i < n_all; i++) {
        keys[i] = all[i].key;
        total += all[i].weight;
    }
    sn_sort_keys_with_order(keys, order, (size_t)n_all);
    sn_owners owners = sn_owners_create(size);
    int n = 1;
    for (int i = 0; i < n_all && n < size; i++) {
        bool cut_here = before * (uint64_t)size >= total * (uint64_t)n;
        if (cut_here && keys[i] > owners.first[n - 1]) {
            owners.first[n] = keys[i];
            owners.rank[n] = n;
            n++;
        }
        before += all[order[i]].weight;
    }
    owners.n = n;
    sn_free(keys);
    sn_free(order);
    return owners;
}

/* From keys that are sorted and unique on each rank to keys that are so over all ranks. */
static sn_key *meet_on_owners(MPI_Comm comm, const sn_owners *owners, sn_key *keys, size_t *n)
{
    int size;
    MPI_Comm_size(comm, &size);
    if (size == 1)
        return keys;
    int *destination = SN_NEW(int, *n);
    for (size_t i = 0; i < *n; i++)
        destination[i] = sn_owner_of(owners, keys[i]);
    sn_inbox in = sn_records_send(comm, sizeof(sn_key), keys, destination, *n);
    sn_free(destination);
    sn_free(keys);
    sn_key *mine = sn_inbox_take(&in, n);
    *n = sn_sort_unique_keys(mine, *n);
    return mine;
}

sn_key *sn_sort_along_curve(MPI_Comm comm, sn_key *keys, size_t *n, sn_owners *owners)
{
    int size;
    MPI_Comm_size(comm, &size);
    *n = sn_sort_unique_keys(keys, *n);
    sample mine[SAMPLES_PER_RANK];
    int n_all;
    sample *all = gather_samples(comm, mine, take_samples(keys, *n, mine), &n_all);
    *owners = choose_intervals(all, n_all, size);
    sn_free(all);
    return meet_on_owners(comm, owners, keys, n);
}

sn_key *sn_unique_on_owners(MPI_Comm comm, const sn_owners *owners, sn_key *keys, size_t *n)
{
    *n = sn_sort_unique_keys(keys, *n);
    return meet_on_owners(comm, owners, keys, n);
}
