#include "partition/split.h"

#include "base/array.h"

enum { NO_CUT = 0 }; /* key 0 starts the first interval, so it can't be a cut */

/* Part p starts right after the octant in which the weight reaches p/parts of the total, and after
 * all copies of it. */
static void mark_cuts(const sn_key *keys, const uint8_t *weight, size_t n, uint64_t before,
                      uint64_t total, int parts, sn_key *cut)
{
    int next = 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t after = before + weight[i];
        for (; next < parts && total * (uint64_t)next <= after * (uint64_t)parts; next++)
            if (total * (uint64_t)next > before * (uint64_t)parts)
                cut[next] = sn_key_place(keys[i]) + sn_key_span(0);
        before = after;
    }
}

static sn_owners owners_of_cuts(const sn_key *cut, int parts, int size)
{
    sn_owners owners = sn_owners_create(parts);
    int kept = 1;
    for (int p = 1; p < parts; p++)
        if (cut[p] != NO_CUT && cut[p] > owners.first[kept - 1]) {
            owners.first[kept] = cut[p];
            /* Spread the parts over the ranks, so that few parts use many nodes' memory. */
            owners.rank[kept] = (int)((int64_t)p * size / parts);
            kept++;
        }
    owners.n = kept;
    return owners;
}

static uint64_t sum_of(const uint8_t *weight, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += weight[i];
    return sum;
}

sn_owners sn_split_by_weight(MPI_Comm comm, const sn_key *keys, const uint8_t *weight, size_t n,
                             int parts)
{
    int size;
    MPI_Comm_size(comm, &size);
    if (parts > size)
        parts = size;
    uint64_t mine = sum_of(weight, n), before = 0, total;
    MPI_Exscan(&mine, &before, 1, MPI_UINT64_T, MPI_SUM, comm);
    MPI_Allreduce(&mine, &total, 1, MPI_UINT64_T, MPI_SUM, comm);
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        before = 0; /* MPI leaves it undefined there */
    sn_key *cut = SN_NEW_ZERO(sn_key, parts);
    mark_cuts(keys, weight, n, before, total, parts, cut);
    MPI_Allreduce(MPI_IN_PLACE, cut, parts, MPI_UINT64_T, MPI_MAX, comm);
    sn_owners owners = owners_of_cuts(cut, parts, size);
    sn_free(cut);
    return owners;
}

sn_owners sn_split_whole_by_weight(const sn_key *keys, const uint8_t *weight, size_t n, int parts,
                                   int size)
{
    if (parts > size)
        parts = size;
    sn_key *cut = SN_NEW_ZERO(sn_key, parts);
    mark_cuts(keys, weight, n, 0, sum_of(weight, n), parts, cut);
    sn_owners owners = owners_of_cuts(cut, parts, size);
    sn_free(cut);
    return owners;
}
