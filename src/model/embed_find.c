#include "model/embed_find.h"

#include "base/array.h"
#include "base/sort.h"
#include "curve/search.h"
#include "partition/records.h"

#include <math.h>

typedef struct {
    sn_key key; /* of its cell; on the second way, of the element that it follows */
    int64_t vertex;
} traveller;

typedef SN_VECTOR(traveller) traveller_list;
typedef SN_VECTOR(int) rank_list;
typedef SN_VECTOR(sn_placed_vertex) placed_list;

/* Keys plus one, so that 0 is "none". */
typedef struct {
    sn_key *last_before; /* each interval: the last element in all intervals before it */
    sn_key *body_first;  /* each body: its first element */
} element_table;

/* The finest cell at a point, or the grid's cell nearest to it. */
static sn_key cell_of(const sn_body *body, int b, const double v[3])
{
    uint32_t cell[3];
    for (int d = 0; d < 3; d++) {
        double at = floor((v[d] - body->origin[d]) / body->cell), last = body->cells[d] - 1;
        cell[d] = at >= 0 ? (uint32_t)(at < last ? at : last) : 0; /* not a number: 0 */
    }
    return sn_key_of(b, cell[0], cell[1], cell[2]);
}

/* This rank's share of the vertices, whatever body they are of. */
static traveller *cells_of_share(const sn_octree *tree, const sn_solid *solids,
                                 const int64_t *body_first, size_t *n)
{
    int rank, size;
    MPI_Comm_rank(tree->comm, &rank);
    MPI_Comm_size(tree->comm, &size);
    int64_t all = body_first[tree->bodies->n], per_rank = all / size, left = all % size;
    int64_t from = per_rank * rank + (rank < left ? rank : left);
    int64_t to = from + per_rank + (rank < left);
    *n = (size_t)(to - from);
    traveller *share = SN_NEW(traveller, *n);
    for (int b = 0; b < tree->bodies->n; b++) {
        int64_t first = body_first[b] > from ? body_first[b] : from;
        int64_t end = body_first[b + 1] < to ? body_first[b + 1] : to;
#pragma omp parallel for
        for (int64_t v = first; v < end; v++) {
            const double *point = solids[b].mesh->vertex[v - body_first[b]];
            share[v - from] = (traveller){cell_of(&tree->bodies->body[b], b, point), v};
        }
    }
    return share;
}

/* Brings every traveller to the owner of its key. */
static traveller *to_owners(const sn_octree *tree, const traveller *list, size_t n, size_t *arrived)
{
    int *destination = SN_NEW(int, n);
#pragma omp parallel for
    for (size_t i = 0; i < n; i++)
        destination[i] = sn_owner_of(&tree->owners, list[i].key);
    sn_inbox in = sn_records_send(tree->comm, sizeof *list, list, destination, n);
    sn_free(destination);
    return sn_inbox_take(&in, arrived);
}

static element_table make_table(const sn_octree *tree, const sn_key *elements)
{
    int intervals = tree->owners.n, bodies = tree->bodies->n;
    element_table t = {SN_NEW_ZERO(sn_key, intervals + 1), SN_NEW(sn_key, bodies)};
    for (int b = 0; b < bodies; b++)
        t.body_first[b] = UINT64_MAX;
    for (sn_local e = 0; e < tree->n_elements; e++) {
        int b = sn_key_body(elements[e]);
        t.last_before[sn_owners_interval(&tree->owners, elements[e]) + 1] = elements[e] + 1;
        if (t.body_first[b] == UINT64_MAX)
            t.body_first[b] = elements[e] + 1;
    }
    MPI_Allreduce(MPI_IN_PLACE, t.last_before, intervals + 1, MPI_UINT64_T, MPI_MAX, tree->comm);
    MPI_Allreduce(MPI_IN_PLACE, t.body_first, bodies, MPI_UINT64_T, MPI_MIN, tree->comm);
    for (int i = 1; i <= intervals; i++)
        if (t.last_before[i] < t.last_before[i - 1])
            t.last_before[i] = t.last_before[i - 1];
    return t;
}

static void free_table(element_table *t)
{
    sn_free(t->last_before);
    sn_free(t->body_first);
}

/* The element that a vertex follows whose cell this rank would own: its number if it is one of
 * this rank's, otherwise SN_NONE and the element's key. */
static sn_local follow(const sn_octree *tree, const sn_search *search, const element_table *t,
                       sn_key cell, sn_key *elsewhere)
{
    int interval = sn_owners_interval(&tree->owners, cell), body = sn_key_body(cell);
    size_t at = sn_search_lower_bound(search, cell + 1); /* elements up to the cell's key */
    if (at > 0) {
        sn_key found = search->keys[at - 1];
        if (found >= tree->owners.first[interval] && sn_key_body(found) == body)
            return (sn_local)at - 1;
    }
    sn_key before = t->last_before[interval];
    bool same_body = before > 0 && sn_key_body(before - 1) == body;
    *elsewhere = same_body ? before - 1 : t->body_first[body] - 1;
    return SN_NONE;
}

static void place(const sn_octree *tree, const sn_key *elements, const traveller *arrived, size_t n,
                  placed_list *placed, traveller_list *onward)
{
    element_table table = make_table(tree, elements);
    sn_search search = sn_search_create(elements, (size_t)tree->n_elements);
    sn_reserve(placed, n);
    for (size_t i = 0; i < n; i++) {
        sn_key elsewhere = 0;
        sn_local e = follow(tree, &search, &table, arrived[i].key, &elsewhere);
        if (e != SN_NONE)
            sn_push(placed, ((sn_placed_vertex){(uint64_t)e, arrived[i].vertex}));
        else
            sn_push(onward, ((traveller){elsewhere, arrived[i].vertex}));
    }
    sn_search_free(&search);
    free_table(&table);
}

/* The second way: keys are those of elements. */
static sn_status place_exactly(const sn_octree *tree, const sn_key *elements,
                               const traveller *arrived, size_t n, placed_list *placed)
{
    sn_search search = sn_search_create(elements, (size_t)tree->n_elements);
    bool complete = true;
    for (size_t i = 0; i < n; i++) {
        sn_local e = sn_search_find(&search, arrived[i].key);
        complete &= e != SN_NONE;
        if (e != SN_NONE)
            sn_push(placed, ((sn_placed_vertex){(uint64_t)e, arrived[i].vertex}));
    }
    sn_search_free(&search);
    return complete ? SN_OK
                    : SN_FAIL(SN_MACHINE, "internal error: a vertex's element is not at its owner");
}

sn_status sn_embed_find(const sn_octree *tree, const sn_solid *solids, const int64_t *body_first,
                        const sn_key *elements, sn_placed_vertex **placed, size_t *n)
{
    size_t n_share, n_arrived;
    traveller *share = cells_of_share(tree, solids, body_first, &n_share);
    traveller *arrived = to_owners(tree, share, n_share, &n_arrived);
    sn_free(share);
    placed_list list = {0};
    traveller_list onward = {0};
    place(tree, elements, arrived, n_arrived, &list, &onward);
    sn_free(arrived);

    arrived = to_owners(tree, onward.data, onward.count, &n_arrived);
    sn_vector_free(&onward);
    sn_status status =
        sn_agree(tree->comm, place_exactly(tree, elements, arrived, n_arrived, &list));
    sn_free(arrived);
    sn_sort_records(list.data, sizeof *list.data, list.count);
    *placed = list.data;
    *n = list.count;
    if (status != SN_OK)
        sn_free(list.data);
    return status;
}
