#include "partition/ghost.h"

#include "base/array.h"
#include "base/sort.h"
#include "partition/records.h"

#include <string.h>

/* A cheap way to see that an element is deep inside a rank; may say no too often. */
static bool surely_interior(const sn_owners *owners, sn_key key, int height, int me)
{
    uint32_t xyz[3], low[3], high[3], edge = sn_edge(height);
    sn_key_anchor(key, xyz);
    for (int d = 0; d < 3; d++) {
        if (xyz[d] < edge)
            return false;
        low[d] = xyz[d] - edge;
        high[d] = xyz[d] + 2 * edge - 1;
    }
    return sn_owners_cube_around_by(owners, sn_key_body(key), low, high, me);
}

/* Who may have an element that lies in the region or, one size larger, contains it. The curve may
 * be cut inside the run of keys that a large element covers, so that one is asked for by its own
 * anchor: its owner need not own any key of the region. */
static void add_owners_of_region(const sn_owners *owners, sn_key first, int height,
                                 sn_rank_list *found)
{
    sn_owners_of_span(owners, first, height, found);
    if (height < SN_MAX_ROOT_HEIGHT)
        sn_rank_list_add(found, sn_owner_of(owners, sn_key_ancestor(first, height + 1)));
}

static void owners_around(const sn_owners *owners, sn_key key, int height, uint32_t root_edge,
                          sn_rank_list *found)
{
    uint32_t xyz[3], edge = sn_edge(height);
    sn_key_anchor(key, xyz);
    int body = sn_key_body(key);
    sn_key neighbour;
    for (int n = 0; n < SN_NEIGHBOURS; n++)
        if (sn_neighbour_key(body, xyz, edge, root_edge, n, &neighbour))
            add_owners_of_region(owners, neighbour, height, found);
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
    sn_rank_list destinations = {0}, found = {0};
    for (size_t i = 0; i < n; i++) {
        if (surely_interior(owners, keys[i], height[i], me))
            continue;
        found.count = 0;
        owners_around(owners, keys[i], height[i], sn_edge(root_height[sn_key_body(keys[i])]),
                      &found);
        for (size_t r = 0; r < found.count; r++) {
            if (found.data[r] == me)
                continue;
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
    sn_ghost *ghosts = sn_inbox_take(&in, n_ghosts);
    sn_sort_records(ghosts, sizeof *ghosts, *n_ghosts);
    sn_vector_free(&offers);
    sn_vector_free(&destinations);
    sn_vector_free(&found);
    return ghosts;
}
