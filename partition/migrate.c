#include "partition/migrate.h"

#include "base/array.h"
#include "base/sort.h"
#include "partition/records.h"

#include <string.h>

static bool ascending(const sn_key *keys, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (keys[i] < keys[i - 1])
            return false;
    return true;
}

sn_migration sn_migration_create(MPI_Comm comm, const sn_key *keys, size_t n,
                                 const sn_owners *owners)
{
    sn_migration m = {.comm = comm, .n_before = n, .destination = SN_NEW(int, n)};
    for (size_t i = 0; i < n; i++)
        m.destination[i] = sn_owner_of(owners, keys[i]);
    sn_inbox in = sn_records_send(comm, sizeof(sn_key), keys, m.destination, n);
    m.keys = sn_inbox_take(&in, &m.n_after);
    if (!ascending(m.keys, m.n_after)) {
        m.order = SN_NEW(uint32_t, m.n_after);
        sn_sort_keys_with_order(m.keys, m.order, m.n_after);
    }
    return m;
}

void sn_migration_free(sn_migration *migration)
{
    sn_free(migration->destination);
    sn_free(migration->keys);
    sn_free(migration->order);
    *migration = (sn_migration){0};
}

void *sn_migrate(const sn_migration *m, size_t bytes, const void *entries)
{
    sn_inbox in = sn_records_send(m->comm, bytes, entries, m->destination, m->n_before);
    size_t n_arrived;
    char *arrived = sn_inbox_take(&in, &n_arrived);
    if (!m->order)
        return arrived;
    char *sorted = SN_NEW(char, bytes * m->n_after);
    for (size_t i = 0; i < m->n_after; i++)
        memcpy(sorted + bytes * i, arrived + bytes * m->order[i], bytes);
    sn_free(arrived);
    return sorted;
}
