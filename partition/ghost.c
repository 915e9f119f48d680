#include "partition/ghost.h"

#include "base/array.h"
#include "base/sort.h"
#include "partition/records.h"

#include <string.h>

typedef SN_VECTOR(int) ranks;

/* An aligned octant whose 27-neighbourhood certainly lies inside one larger aligned octant:
 * a cheap way to see that an element is deep inside a rank. */
static bool surely_interior(const sn_owners *owners, sn_key key, int height, int me)
{
    uint32_t xyz[3];
    sn_morton_decode(key, xyz);
    uint32_t edge = sn_edge(height), differing = 0;
    for (int d = 0; d < 3; d++) {
        if (xyz[d] < edge || xyz[d] + 2 * edge > SN_MAX_COORDINATE)
            return false;
        differing |= (xyz[d] - edge) ^ (xyz[d] + 2 * edge - 1);
    }
    int common = 32 - __builtin_clz(differing | 1);
    sn_key first = sn_key_ancestor(key, common);
    return sn_owners_all_by(owners, first, first + sn_key_span(common) - 1, me);
}

static void add_rank(ranks *found, int rank)
{
    for (size_t i = 0; i < found->count; i++)
        if (found->data[i] == rank)
            return;
    sn_push(found, rank);
}

static void add_owners_of_region(const sn_owners *owners, sn_key first, int height, int me,
                                 ranks *found)
{
    sn_key last = first + sn_key_span(height) - 1;
    for (int i = sn_owners_interval(owners, first); i < owners->n && owners->first[i] <= last; i++)
        if (owners->rank[i] != me)
            add_rank(found, owners->rank[i]);
}

static void owners_around(const sn_owners *owners, sn_key key, int height, uint32_t root_edge,
                          int me, ranks *found)
{
    uint32_t xyz[3], edge = sn_edge(height);
    sn_morton_decode(key, xyz);
    int body = sn_key_body(key);
    for (int n = 0; n < 27; n++) {
        uint32_t x = xyz[0] + edge * (uint32_t)(n % 3) - edge;
        uint32_t y = xyz[1] + edge * (uint32_t)(n / 3 % 3) - edge;
        uint32_t z = xyz[2] + edge * (uint32_t)(n / 9) - edge;
        if (x < root_edge && y < root_edge && z < root_edge) /* below zero wraps to huge */
            add_owners_of_region(owners, sn_key_of(body, x, y, z), height, me, found);
    }
}

static sn_ghost *sort_ghosts(const sn_ghost *arrived, size_t n)
{
    sn_key *keys = SN_NEW(sn_key, n);
    uint32_t *order = SN_NEW(uint32_t, n);
    for (size_t i = 0; i < n; i++)
        keys[i] = arrived[i].key;
    sn_sort_keys_with_order(keys, order, n);
    sn_ghost *sorted = SN_NEW(sn_ghost, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = arrived[order[i]];
    sn_free(keys);
    sn_free(order);
    return sorted;
}

sn_ghost *sn_ghosts_of_elements(MPI_Comm comm, const sn_owners *owners, const uint8_t *root_height,
                                const sn_key *keys, const uint8_t *height, size_t n,
                                size_t *n_ghosts)
{
    *n_ghosts = 0;
    int me;
    MPI_Comm_rank(comm, &me);
    if (owners->n == 1)
        return NULL; /* one rank has everything */
    SN_VECTOR(sn_ghost) offers = {0};
    ranks destinations = {0}, found = {0};
    for (size_t i = 0; i < n; i++) {
        if (surely_interior(owners, keys[i], height[i], me))
            continue;
        found.count = 0;
        owners_around(owners, keys[i], height[i], sn_edge(root_height[sn_key_body(keys[i])]), me,
                      &found);
        for (size_t r = 0; r < found.count; r++) {
            sn_ghost offer;
            memset(&offer, 0, sizeof offer);
            offer.key = keys[i];
            offer.height = height[i];
            sn_push(&offers, offer);
            sn_push(&destinations, found.data[r]);
        }
    }
    sn_inbox in =
        sn_records_send(comm, sizeof(sn_ghost), offers.data, destinations.data, offers.count);
    sn_ghost *ghosts = sort_ghosts(in.data, in.n);
    *n_ghosts = in.n;
    sn_inbox_free(&in);
    sn_vector_free(&offers);
    sn_vector_free(&destinations);
    sn_vector_free(&found);
    return ghosts;
}
