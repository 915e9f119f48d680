#include "octree/locate.h"

#include "base/array.h"
#include "base/sort.h"
#include "partition/records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is known of all ranks' elements ---- */

static void fill_table(sn_locator *l)
{
    const sn_octree *tree = l->tree;
    int intervals = tree->owners.n, bodies = tree->bodies->n;
    l->last_before = SN_NEW_ZERO(sn_key, intervals + 1);
    l->body_first = SN_NEW(sn_key, bodies);
    for (int b = 0; b < bodies; b++)
        l->body_first[b] = UINT64_MAX;
    for (sn_local e = 0; e < tree->n_elements; e++) {
        sn_key key = sn_key_place(l->elements.key[e]);
        int b = sn_key_body(key);
        l->last_before[sn_owners_interval(&tree->owners, key) + 1] = key + 1;
        if (l->body_first[b] == UINT64_MAX)
            l->body_first[b] = key + 1;
    }
    MPI_Allreduce(MPI_IN_PLACE, l->last_before, intervals + 1, MPI_UINT64_T, MPI_MAX, tree->comm);
    MPI_Allreduce(MPI_IN_PLACE, l->body_first, bodies, MPI_UINT64_T, MPI_MIN, tree->comm);
    for (int i = 1; i <= intervals; i++)
        if (l->last_before[i] < l->last_before[i - 1])
            l->last_before[i] = l->last_before[i - 1];
}

static sn_copied_nodes copies_of(const sn_octree *tree, const sn_key *node, sn_local e)
{
    sn_copied_nodes c = {.element = e};
    for (int corner = 0; corner < 8; corner++)
        c.copy[corner] = (uint8_t)sn_key_copy(node[tree->conforming[e][corner]]);
    return c;
}

static void list_copied(sn_locator *l)
{
    static const uint8_t first[8];
    SN_VECTOR(sn_copied_nodes) copied = {0};
    sn_key *node = sn_octree_node_keys(l->tree);
    for (sn_local e = 0; e < l->tree->n_elements; e++) {
        sn_copied_nodes c = copies_of(l->tree, node, e);
        if (memcmp(c.copy, first, sizeof first) != 0)
            sn_push(&copied, c);
    }
    sn_free(node);
    l->n_copied = (sn_local)copied.count;
    l->copied = copied.data;
    SN_RESIZE(l->copied, copied.count);
}

sn_locator sn_locator_create(const sn_octree *tree)
{
    sn_locator l = {.tree = tree, .elements = sn_octree_elements(tree)};
    l.search = sn_search_create(l.elements.key, (size_t)tree->n_elements);
    fill_table(&l);
    if (tree->has_copies)
        list_copied(&l);
    return l;
}

void sn_locator_free(sn_locator *l)
{
    sn_search_free(&l->search);
    sn_leaves_free(&l->elements);
    sn_free(l->last_before);
    sn_free(l->body_first);
    sn_free(l->copied);
    *l = (sn_locator){0};
}

size_t sn_locator_memory(const sn_locator *l)
{
    if (!l->tree)
        return 0;
    size_t samples = 0;
    for (int s = 0; s < l->search.levels; s++)
        samples += l->search.samples[s];
    size_t copies = (size_t)l->n_copied * sizeof *l->copied;
    return copies + l->elements.n * (sizeof *l->elements.key + sizeof *l->elements.height) +
           (samples + (size_t)l->tree->owners.n + 1 + (size_t)l->tree->bodies->n) * sizeof(sn_key);
}

static int by_element(const void *a, const void *b)
{
    const sn_copied_nodes *left = a, *right = b;
    return (left->element > right->element) - (left->element < right->element);
}

void sn_locator_node_copies(const sn_locator *l, uint64_t element, uint8_t copy[8])
{
    sn_copied_nodes wanted = {.element = (sn_local)element};
    const sn_copied_nodes *found = NULL;
    if (l->n_copied > 0)
        found = bsearch(&wanted, l->copied, (size_t)l->n_copied, sizeof wanted, by_element);
    memcpy(copy, found ? found->copy : wanted.copy, sizeof wanted.copy);
}

/* ---- Points ---- */

sn_key sn_locate_cell(const sn_bodies *bodies, int b, const double at[3])
{
    const sn_body *body = &bodies->body[b];
    uint32_t cell[3];
    for (int d = 0; d < 3; d++) {
        double c = floor((at[d] - body->origin[d]) / body->cell), last = body->cells[d] - 1;
        cell[d] = c >= 0 ? (uint32_t)(c < last ? c : last) : 0; /* not a number: 0 */
    }
    return sn_key_of(b, cell[0], cell[1], cell[2]);
}

bool sn_locate_within(const sn_body *body, sn_key element, int height, const double at[3],
                      double local[3], double offset[3])
{
    double edge = sn_edge(height);
    uint32_t anchor[3];
    bool inside = true;
    sn_key_anchor(element, anchor);
    for (int d = 0; d < 3; d++) {
        /* Exact but for the first division. */
        double exact = ((at[d] - body->origin[d]) / body->cell - anchor[d]) / edge;
        double within = exact >= 0 ? (exact <= 1 ? exact : 1) : 0;
        inside = inside && exact == within;
        local[d] = within;
        offset[d] = at[d] - (body->origin[d] + body->cell * (anchor[d] + within * edge));
    }
    return inside;
}

/* ---- The two ways of a record ---- */

static uint64_t head_of(const char *record)
{
    uint64_t head;
    memcpy(&head, record, sizeof head);
    return head;
}

static void set_head(char *record, uint64_t head)
{
    memcpy(record, &head, sizeof head);
}

/* Records being sorted out. */
typedef struct {
    char *data;
    size_t n, room, bytes;
} pile;

static void put(pile *p, const char *record, uint64_t head)
{
    if (p->n == p->room) {
        p->room = 2 * p->room + 1;
        SN_RESIZE(p->data, p->bytes * p->room);
    }
    char *place = p->data + p->bytes * p->n++;
    memmove(place, record, p->bytes); /* it may be there already */
    set_head(place, head);
}

/* Brings every record to the owner of its key. */
static char *to_owners(const sn_octree *tree, size_t bytes, const char *records, size_t n,
                       size_t *arrived)
{
    int *destination = SN_NEW(int, n);
#pragma omp parallel for
    for (size_t i = 0; i < n; i++)
        destination[i] = sn_owner_of(&tree->owners, head_of(records + bytes * i));
    sn_inbox in = sn_records_send(tree->comm, bytes, records, destination, n);
    sn_free(destination);
    return sn_inbox_take(&in, arrived);
}

/* A copy of the element whose last one this is; the last if it has not so many. */
static sn_local copy_of(const sn_locator *l, size_t last, int copy)
{
    int most = sn_key_copy(l->search.keys[last]);
    return (sn_local)last - most + (copy < most ? copy : most);
}

/* The element that a point follows whose cell this rank would own: its number if it is one of
 * this rank's, otherwise SN_NONE and the element's key. */
static sn_local follow(const sn_locator *l, sn_key cell, sn_key *elsewhere)
{
    const sn_owners *owners = &l->tree->owners;
    int interval = sn_owners_interval(owners, cell), body = sn_key_body(cell);
    /* Elements up to the cell's place: */
    size_t at = sn_search_lower_bound(&l->search, sn_key_place(cell) + sn_key_span(0));
    if (at > 0) {
        sn_key found = l->search.keys[at - 1];
        if (found >= owners->first[interval] && sn_key_body(found) == body)
            return copy_of(l, at - 1, sn_key_copy(cell));
    }
    sn_key before = l->last_before[interval];
    bool same_body = before > 0 && sn_key_body(before - 1) == body;
    *elsewhere = (same_body ? before - 1 : l->body_first[body] - 1) | (sn_key)sn_key_copy(cell);
    return SN_NONE;
}

/* What stays is moved to the front of what arrived. */
static void place(const sn_locator *l, pile *arrived, pile *onward)
{
    size_t n = arrived->n;
    arrived->n = 0;
    for (size_t i = 0; i < n; i++) {
        const char *record = arrived->data + arrived->bytes * i;
        sn_key elsewhere = 0;
        sn_local e = follow(l, head_of(record), &elsewhere);
        if (e != SN_NONE)
            put(arrived, record, (uint64_t)e);
        else
            put(onward, record, elsewhere);
    }
}

/* The second way: keys are those of elements. */
static sn_status place_exactly(const sn_locator *l, const char *arrived, size_t n, pile *placed)
{
    bool complete = true;
    for (size_t i = 0; i < n; i++) {
        const char *record = arrived + placed->bytes * i;
        sn_key wanted = head_of(record);
        size_t after = sn_search_lower_bound(&l->search, sn_key_place(wanted) + sn_key_span(0));
        bool is_here = after > 0 && sn_key_place(l->search.keys[after - 1]) == sn_key_place(wanted);
        complete &= is_here;
        if (is_here)
            put(placed, record, (uint64_t)copy_of(l, after - 1, sn_key_copy(wanted)));
    }
    return complete ? SN_OK
                    : SN_FAIL(SN_MACHINE, "internal error: a point's element is not at its owner");
}

sn_status sn_locate(const sn_locator *l, size_t bytes, const void *records, size_t n, void **found,
                    size_t *n_found)
{
    size_t n_second;
    pile placed = {.bytes = bytes}, onward = {.bytes = bytes};
    placed.data = to_owners(l->tree, bytes, records, n, &placed.n);
    placed.room = placed.n;
    place(l, &placed, &onward); /* most at once; few go on */

    char *second = to_owners(l->tree, bytes, onward.data, onward.n, &n_second);
    sn_free(onward.data);
    if (n_second > 0) {
        placed.room = placed.n + n_second;
        SN_RESIZE(placed.data, bytes * placed.room);
    }
    sn_status status = sn_agree(l->tree->comm, place_exactly(l, second, n_second, &placed));
    sn_free(second);
    sn_sort_records(placed.data, bytes, placed.n);
    *found = placed.data;
    *n_found = placed.n;
    if (status != SN_OK) {
        sn_free(placed.data);
        *found = NULL;
    }
    return status;
}
