#include "system/assemble.h"

#include "base/array.h"
#include "base/timer.h"
#include "elastic/element_matrix.h"
#include "springs/gather.h"

#include <string.h>

sn_unknowns sn_system_unknowns(const sn_octree *tree)
{
    return (sn_unknowns){.comm = tree->comm,
                         .owners = &tree->owners,
                         .n = tree->n_nodes,
                         .key = sn_octree_node_keys(tree)};
}

/* What is being assembled. */
typedef struct {
    const sn_system *system;
    sn_sparse *matrix;
    sn_key *node_key; /* of the tree's local nodes */
    size_t n_springs[SN_SPRING_SLOTS];
    sn_gathered_spring *spring[SN_SPRING_SLOTS]; /* that hang on own nodes */
} work;

/* The row of a node of this rank, or SN_NONE. */
static sn_local row_of(const sn_unknowns *rows, sn_key key)
{
    sn_local low = 0, end = rows->n;
    while (low < end) {
        sn_local middle = low + (end - low) / 2;
        if (rows->key[middle] < key)
            low = middle + 1;
        else
            end = middle;
    }
    return low < rows->n && rows->key[low] == key ? low : SN_NONE;
}

/* ---- Which blocks there are. ---- */

typedef SN_VECTOR(sn_key) key_list;

/* Keeps a list ascending and without duplicates. */
static void insert_key(key_list *list, sn_key key)
{
    size_t at = list->count;
    while (at > 0 && list->data[at - 1] > key)
        at--;
    if (at > 0 && list->data[at - 1] == key)
        return;
    sn_push(list, key);
    memmove(list->data + at + 1, list->data + at, (list->count - 1 - at) * sizeof *list->data);
    list->data[at] = key;
}

/* For each owned node what hangs on it, as lists one after the other. */
typedef struct {
    sn_local *first, *item;
} incidence;

static void incidence_free(incidence *i)
{
    sn_free(i->first);
    sn_free(i->item);
}

/* counts[n + 1] becomes where the items of node n + 1 start, and of node n in `place`. */
static sn_local *start_lists(sn_local *counts, sn_local n)
{
    sn_local *place = SN_NEW(sn_local, n);
    for (sn_local i = 0; i < n; i++) {
        place[i] = counts[i];
        counts[i + 1] += counts[i];
    }
    return place;
}

static incidence elements_at_nodes(const sn_octree *tree)
{
    sn_local n = tree->n_nodes, all = tree->n_elements + tree->n_ghost_elements;
    incidence at = {.first = SN_NEW_ZERO(sn_local, n + 1)};
    for (sn_local e = 0; e < all; e++)
        for (int c = 0; c < 8; c++)
            if (tree->conforming[e][c] < n)
                at.first[tree->conforming[e][c] + 1]++;
    sn_local *place = start_lists(at.first, n);
    at.item = SN_NEW(sn_local, at.first[n]);
    for (sn_local e = 0; e < all; e++)
        for (int c = 0; c < 8; c++)
            if (tree->conforming[e][c] < n)
                at.item[place[tree->conforming[e][c]]++] = e;
    sn_free(place);
    return at;
}

static incidence springs_at_nodes(const sn_unknowns *rows, const sn_gathered_spring *spring,
                                  size_t n_springs)
{
    incidence at = {.first = SN_NEW_ZERO(sn_local, rows->n + 1)};
    sn_local *place = NULL;
    for (int filling = 0; filling <= 1; filling++) {
        for (size_t s = 0; s < n_springs; s++)
            for (sn_local k = 0; k < spring[s].n_nodes; k++) {
                sn_local row = row_of(rows, spring[s].node[k]);
                if (row != SN_NONE && !filling)
                    at.first[row + 1]++;
                else if (row != SN_NONE)
                    at.item[place[row]++] = (sn_local)s;
            }
        if (!filling) {
            place = start_lists(at.first, rows->n);
            at.item = SN_NEW(sn_local, at.first[rows->n]);
        }
    }
    sn_free(place);
    return at;
}

static void columns_by_elements(const work *w, const incidence *at, sn_local node, key_list *row)
{
    const sn_octree *tree = w->system->tree;
    for (sn_local i = at->first[node]; i < at->first[node + 1]; i++)
        for (int c = 0; c < 8; c++)
            insert_key(row, w->node_key[tree->conforming[at->item[i]][c]]);
}

static void columns_by_springs(const sn_gathered_spring *spring, const incidence *at, sn_local node,
                               key_list *row)
{
    for (sn_local i = at->first[node]; i < at->first[node + 1]; i++)
        for (sn_local k = 0; k < spring[at->item[i]].n_nodes; k++)
            insert_key(row, spring[at->item[i]].node[k]);
}

static sn_local *find_pattern(const work *w, const sn_unknowns *rows, key_list *all)
{
    sn_local *first = SN_NEW_ZERO(sn_local, rows->n + 1);
    incidence elements = elements_at_nodes(w->system->tree), springs[SN_SPRING_SLOTS];
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++)
        springs[slot] = springs_at_nodes(rows, w->spring[slot], w->n_springs[slot]);
    key_list row = {0};
    for (sn_local i = 0; i < rows->n; i++) {
        row.count = 0;
        insert_key(&row, rows->key[i]);
        if (!w->system->pinned[i])
            columns_by_elements(w, &elements, i, &row);
        for (int slot = 0; slot < SN_SPRING_SLOTS && !w->system->pinned[i]; slot++)
            columns_by_springs(w->spring[slot], &springs[slot], i, &row);
        sn_reserve(all, all->count + row.count);
        for (size_t k = 0; k < row.count; k++)
            sn_push(all, row.data[k]);
        first[i + 1] = (sn_local)all->count;
    }
    sn_vector_free(&row);
    incidence_free(&elements);
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++)
        incidence_free(&springs[slot]);
    return first;
}

/* ---- What is in them. ---- */

enum { NODE = SN_NODE_REALS };

/* One of this rank's nodes, and not pinned. */
static bool is_free(const work *w, sn_local node)
{
    return node < w->system->tree->n_nodes && !w->system->pinned[node];
}

static void add_element(void *context, const sn_element_matrix *element)
{
    work *w = context;
    const sn_octree *tree = w->system->tree;
    const sn_local *node = tree->conforming[element->element];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8 && is_free(w, node[i]); j++) {
            sn_local block = sn_sparse_find(w->matrix, node[i], w->node_key[node[j]]);
            double *to = sn_sparse_block(w->matrix, block);
            for (int c = 0; c < NODE; c++)
                for (int r = 0; r < NODE; r++)
                    to[NODE * c + r] +=
                        w->system->stiffness * element->k[NODE * i + r][NODE * j + c];
        }
}

/* w M w^T between all nodes of a spring. */
static void add_spring(work *w, const sn_gathered_spring *s)
{
    static const int place[NODE][NODE] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (sn_local i = 0; i < s->n_nodes; i++) {
        sn_local row = row_of(w->matrix->rows, s->node[i]);
        for (sn_local j = 0; j < s->n_nodes && row != SN_NONE && is_free(w, row); j++) {
            double *to = sn_sparse_block(w->matrix, sn_sparse_find(w->matrix, row, s->node[j]));
            double factor = w->system->stiffness * s->weight[i] * s->weight[j];
            for (int c = 0; c < NODE; c++)
                for (int r = 0; r < NODE; r++)
                    to[NODE * c + r] += factor * s->matrix.m[place[r][c]];
        }
    }
}

static void add_to_diagonal(work *w)
{
    const sn_unknowns *rows = w->matrix->rows;
    for (sn_local i = 0; i < rows->n; i++) {
        double *block = sn_sparse_block(w->matrix, sn_sparse_find(w->matrix, i, rows->key[i]));
        for (int r = 0; r < NODE; r++)
            block[(NODE + 1) * r] += sn_system_added(w->system, i);
    }
}

/* Nothing in rows and columns of pinned nodes. */
static void mask(work *w)
{
    sn_sparse *m = w->matrix;
    uint8_t *pinned = SN_NEW_ZERO(uint8_t, m->exchange.n_own + m->exchange.n_ghosts);
    if (m->rows->n)
        memcpy(pinned, w->system->pinned, (size_t)m->rows->n);
    sn_exchange_begin(&m->exchange, pinned, 1);
    sn_exchange_end(&m->exchange);
    for (sn_local i = 0; i < m->rows->n; i++)
        for (sn_local k = m->first[i]; k < m->first[i + 1]; k++)
            if (pinned[i] || pinned[m->index[k]])
                memset(sn_sparse_block(m, k), 0, NODE * NODE * sizeof(double));
    sn_free(pinned);
}

static void fill(work *w)
{
    sn_operator_each_matrix(&w->system->op, add_element, w);
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++)
        for (size_t s = 0; s < w->n_springs[slot]; s++)
            add_spring(w, &w->spring[slot][s]);
    add_to_diagonal(w);
    mask(w);
}

static void gather_springs(work *w)
{
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++)
        if (w->system->springs[slot].n_everywhere > 0)
            w->spring[slot] = sn_spring_set_gather(&w->system->springs[slot], &w->n_springs[slot]);
}

sn_status sn_system_assemble(const sn_system *system, const sn_unknowns *unknowns,
                             sn_sparse *matrix)
{
    sn_phase_begin("system/assemble");
    work w = {.system = system, .matrix = matrix, .node_key = sn_octree_node_keys(system->tree)};
    gather_springs(&w);
    key_list keys = {0};
    sn_local *first = find_pattern(&w, unknowns, &keys);
    sn_status status = sn_agree(unknowns->comm, sn_sparse_countable(keys.count));
    if (status == SN_OK)
        status = sn_sparse_create(unknowns, unknowns, NODE, NODE, first, keys.data, matrix);
    else
        sn_free(first);
    sn_vector_free(&keys);
    if (status == SN_OK)
        fill(&w);
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++)
        sn_free(w.spring[slot]);
    sn_free(w.node_key);
    sn_phase_end("system/assemble");
    return status;
}
