#include "base/names.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static int name_order(const void *a, const void *b)
{
    return strncmp(a, b, SN_NAME_BYTES);
}

/* Sorts them; returns how many are left where each is there once. */
static int keep_once(sn_name *names, int n)
{
    int kept = 0;
    if (n)
        qsort(names, (size_t)n, sizeof *names, name_order);
    for (int i = 0; i < n; i++)
        if (kept == 0 || strcmp(names[kept - 1], names[i]) != 0)
            memmove(names[kept++], names[i], sizeof *names);
    return kept;
}

int sn_names_gather(MPI_Comm comm, const sn_name *own, int n, sn_name **all)
{
    int size, total = 0, mine = n * SN_NAME_BYTES;
    MPI_Comm_size(comm, &size);
    int *counts = SN_NEW(int, size), *starts = SN_NEW(int, size);
    MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, comm);
    for (int r = 0; r < size; r++) {
        starts[r] = total;
        total += counts[r];
    }
    *all = SN_NEW(sn_name, total / SN_NAME_BYTES);
    MPI_Allgatherv(own, mine, MPI_CHAR, *all, counts, starts, MPI_CHAR, comm);
    sn_free(counts);
    sn_free(starts);
    return keep_once(*all, total / SN_NAME_BYTES);
}
