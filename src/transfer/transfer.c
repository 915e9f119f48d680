#include "transfer/transfer.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/timer.h"
#include "partition/finder.h"
#include "partition/records.h"
#include "transfer/coarse_site.h"

typedef SN_VECTOR(sn_coarse_site) site_list;
typedef SN_VECTOR(sn_key) key_list;
typedef SN_VECTOR(int) rank_list;

static int rank_in(MPI_Comm comm)
{
    int me;
    MPI_Comm_rank(comm, &me);
    return me;
}

static void free_rows(sn_weighted_rows *rows)
{
    sn_free(rows->first);
    sn_free(rows->index);
    sn_free(rows->weight);
    sn_exchange_free(&rows->exchange);
    *rows = (sn_weighted_rows){0};
}

/* Makes the exchange that brings the values of `wanted` nodes of other ranks, and a finder of
 * local numbers in the order of that exchange. */
static sn_status bring(const sn_octree *from, key_list *wanted, sn_exchange *exchange,
                       sn_finder *finder)
{
    size_t n = sn_exchange_order_ghosts(&from->owners, wanted->data, wanted->count);
    sn_key *own = sn_octree_node_keys(from);
    sn_status status = sn_exchange_create(from->comm, &from->owners, own, (size_t)from->n_nodes,
                                          wanted->data, n, exchange);
    *finder = sn_finder_create(own, (size_t)from->n_nodes, wanted->data, n);
    sn_free(own);
    return status;
}

/* first[i + 1] holds the length of row i, and becomes where the next row starts. */
static sn_status start_rows(sn_weighted_rows *rows)
{
    int64_t entries = 0;
    for (sn_local i = 0; i < rows->n_rows; i++) {
        entries += rows->first[i + 1];
        if (entries > SN_LOCAL_MAX)
            return SN_FAIL(SN_MACHINE, "more weights than one rank can count: use more ranks");
        rows->first[i + 1] = (sn_local)entries;
    }
    rows->index = SN_NEW(sn_local, entries);
    rows->weight = SN_NEW(uint8_t, entries);
    return SN_OK;
}

/* Counts the entries of each fine node, and collects the coarse nodes that others own. */
static void measure_prolongation(const sn_octree *coarse, const sn_coarse_site *sites,
                                 sn_weighted_rows *rows, key_list *wanted)
{
    int me = rank_in(coarse->comm);
    sn_key keys[SN_ROW_ENTRIES];
    uint8_t weights[SN_ROW_ENTRIES];
    for (sn_local i = 0; i < rows->n_rows; i++) {
        int n = sn_coarse_site_row(&sites[i], keys, weights);
        rows->first[i + 1] = n;
        for (int k = 0; k < n; k++)
            if (sn_owner_of(&coarse->owners, keys[k]) != me)
                sn_push(wanted, keys[k]);
    }
}

static sn_status missing_node_if(bool missing)
{
    return missing ? SN_FAIL(SN_MACHINE, "internal error: a node between two levels is missing")
                   : SN_OK;
}

static sn_status fill_prolongation(const sn_coarse_site *sites, const sn_finder *finder,
                                   sn_weighted_rows *rows)
{
    bool missing = false;
#pragma omp parallel reduction(|| : missing)
    {
        sn_finder_memory memory = {0};
        sn_key keys[SN_ROW_ENTRIES];
#pragma omp for schedule(static)
        for (sn_local i = 0; i < rows->n_rows; i++) {
            sn_local first = rows->first[i];
            int n = sn_coarse_site_row(&sites[i], keys, rows->weight + first);
            for (int k = 0; k < n; k++) {
                rows->index[first + k] = sn_finder_find(finder, &memory, keys[k]);
                missing = missing || rows->index[first + k] == SN_NONE;
            }
        }
    }
    return missing_node_if(missing);
}

static sn_status create_prolongation(const sn_octree *coarse, const sn_coarse_site *sites,
                                     sn_local n_fine, sn_weighted_rows *rows)
{
    *rows = (sn_weighted_rows){.n_rows = n_fine, .first = SN_NEW_ZERO(sn_local, n_fine + 1)};
    key_list wanted = {0};
    sn_finder finder;
    measure_prolongation(coarse, sites, rows, &wanted);
    sn_status status = bring(coarse, &wanted, &rows->exchange, &finder);
    if (status == SN_OK)
        status = sn_agree(coarse->comm, start_rows(rows));
    if (status == SN_OK)
        status = sn_agree(coarse->comm, fill_prolongation(sites, &finder, rows));
    sn_finder_free(&finder);
    sn_vector_free(&wanted);
    return status;
}

/* Sends each site to all ranks that own a coarse node of its row; returns those that reach
 * this rank, along the curve. */
static site_list sites_that_reach_me(const sn_octree *coarse, const sn_coarse_site *sites,
                                     sn_local n_fine)
{
    int me = rank_in(coarse->comm);
    site_list mine = {0}, sent = {0};
    rank_list destination = {0};
    sn_key keys[SN_ROW_ENTRIES];
    uint8_t weights[SN_ROW_ENTRIES];
    for (sn_local i = 0; i < n_fine; i++) {
        int n = sn_coarse_site_row(&sites[i], keys, weights), owner[SN_ROW_ENTRIES];
        for (int k = 0; k < n; k++) {
            owner[k] = sn_owner_of(&coarse->owners, keys[k]);
            bool told = false;
            for (int before = 0; before < k; before++)
                told = told || owner[before] == owner[k];
            if (!told && owner[k] == me) {
                sn_push(&mine, sites[i]);
            } else if (!told) {
                sn_push(&sent, sites[i]);
                sn_push(&destination, owner[k]);
            }
        }
    }
    sn_inbox in = sn_records_send(coarse->comm, sizeof(sn_coarse_site), sent.data, destination.data,
                                  sent.count);
    sn_vector_free(&sent);
    sn_vector_free(&destination);
    const sn_coarse_site *arrived = in.data;
    sn_reserve(&mine, mine.count + in.n);
    for (size_t i = 0; i < in.n; i++)
        sn_push(&mine, arrived[i]);
    sn_inbox_free(&in);
    sn_sort_records(mine.data, sizeof(sn_coarse_site), mine.count);
    return mine;
}

/* The transposed entries of one fine node, for the coarse nodes of this rank: only counted, in
 * place[row + 1], or with an index also put at place[row]. */
static void transpose(const sn_coarse_site *site, const sn_finder *own_coarse,
                      sn_finder_memory *memory, sn_local fine_index, sn_local *place,
                      sn_weighted_rows *rows)
{
    sn_key keys[SN_ROW_ENTRIES];
    uint8_t weights[SN_ROW_ENTRIES];
    int n = sn_coarse_site_row(site, keys, weights);
    for (int k = 0; k < n; k++) {
        sn_local row = sn_finder_find(own_coarse, memory, keys[k]);
        if (row == SN_NONE)
            continue; /* another rank's */
        if (fine_index == SN_NONE) {
            place[row + 1]++;
        } else {
            rows->index[place[row]] = fine_index;
            rows->weight[place[row]++] = weights[k];
        }
    }
}

/* Fine nodes come along the curve, and so they stand in each row. */
static sn_status fill_restriction(const site_list *reaching, const sn_finder *own_coarse,
                                  const sn_finder *fine_finder, sn_weighted_rows *rows)
{
    sn_finder_memory coarse_memory = {0}, fine_memory = {0};
    sn_local *place = SN_NEW(sn_local, rows->n_rows);
    for (sn_local i = 0; i < rows->n_rows; i++)
        place[i] = rows->first[i];
    bool missing = false;
    for (size_t i = 0; i < reaching->count; i++) {
        const sn_coarse_site *p = &reaching->data[i];
        sn_local fine_index = sn_finder_find(fine_finder, &fine_memory, p->node);
        missing = missing || fine_index == SN_NONE;
        if (fine_index != SN_NONE)
            transpose(p, own_coarse, &coarse_memory, fine_index, place, rows);
    }
    sn_free(place);
    return missing_node_if(missing);
}

static sn_status create_restriction(const sn_octree *fine, const sn_octree *coarse,
                                    const sn_coarse_site *sites, sn_weighted_rows *rows)
{
    *rows = (sn_weighted_rows){.n_rows = coarse->n_nodes,
                               .first = SN_NEW_ZERO(sn_local, coarse->n_nodes + 1)};
    int me = rank_in(coarse->comm);
    site_list reaching = sites_that_reach_me(coarse, sites, fine->n_nodes);
    sn_key *coarse_keys = sn_octree_node_keys(coarse);
    sn_finder own_coarse = sn_finder_create(coarse_keys, (size_t)coarse->n_nodes, NULL, 0), finder;
    sn_finder_memory memory = {0};
    key_list wanted = {0};
    for (size_t i = 0; i < reaching.count; i++) {
        transpose(&reaching.data[i], &own_coarse, &memory, SN_NONE, rows->first, rows);
        if (sn_owner_of(&fine->owners, reaching.data[i].node) != me)
            sn_push(&wanted, reaching.data[i].node);
    }
    sn_status status = bring(fine, &wanted, &rows->exchange, &finder);
    if (status == SN_OK)
        status = sn_agree(fine->comm, start_rows(rows));
    if (status == SN_OK)
        status = sn_agree(fine->comm, fill_restriction(&reaching, &own_coarse, &finder, rows));
    sn_finder_free(&finder);
    sn_finder_free(&own_coarse);
    sn_free(coarse_keys);
    sn_vector_free(&wanted);
    sn_vector_free(&reaching);
    return status;
}

static sn_status create_nodes(const sn_octree *fine, const sn_octree *coarse,
                              const sn_containers *containers, sn_transfer *transfer)
{
    sn_coarse_site *sites;
    SN_TRY(sn_coarse_sites_find(fine, containers, &sites));
    sn_status status = create_prolongation(coarse, sites, fine->n_nodes, &transfer->prolongation);
    if (status == SN_OK)
        status = create_restriction(fine, coarse, sites, &transfer->restriction);
    sn_free(sites);
    return status;
}

sn_status sn_transfer_create(const sn_octree *fine, const sn_octree *coarse, sn_transfer *transfer)
{
    *transfer = (sn_transfer){0};
    sn_phase_begin("multigrid/transfer");
    sn_containers containers;
    sn_status status = sn_containers_find(fine, coarse, &containers);
    if (status == SN_OK)
        status = create_nodes(fine, coarse, &containers, transfer);
    if (status == SN_OK)
        status = sn_children_create(fine, coarse, &containers, &transfer->children);
    sn_containers_free(&containers);
    sn_phase_end("multigrid/transfer");
    if (status != SN_OK)
        sn_transfer_free(transfer);
    return status;
}

void sn_transfer_free(sn_transfer *transfer)
{
    free_rows(&transfer->prolongation);
    free_rows(&transfer->restriction);
    sn_children_free(&transfer->children);
}

static sn_local room(const sn_exchange *x)
{
    return x->n_own + x->n_ghosts;
}

sn_local sn_transfer_room_coarse_nodes(const sn_transfer *transfer)
{
    return room(&transfer->prolongation.exchange);
}

sn_local sn_transfer_room_fine_nodes(const sn_transfer *transfer)
{
    return room(&transfer->restriction.exchange);
}

sn_local sn_transfer_room_fine_elements(const sn_transfer *transfer)
{
    return room(&transfer->children.exchange);
}

static size_t rows_memory(const sn_weighted_rows *rows)
{
    size_t entries = rows->first ? (size_t)rows->first[rows->n_rows] : 0;
    return ((size_t)rows->n_rows + 1) * sizeof *rows->first +
           entries * (sizeof *rows->index + sizeof *rows->weight) +
           sn_exchange_memory(&rows->exchange);
}

size_t sn_transfer_memory(const sn_transfer *transfer)
{
    return rows_memory(&transfer->prolongation) + rows_memory(&transfer->restriction) +
           sn_children_memory(&transfer->children);
}
