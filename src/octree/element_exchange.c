#include "octree/element_exchange.h"

#include "base/array.h"
#include "curve/search.h"

#include <string.h>

/* The ghosts' keys by owner, and where each ghost along the curve stands among them. */
static sn_key *ghosts_by_owner(const sn_octree *tree, uint32_t **arrival)
{
    size_t n = (size_t)tree->n_ghost_elements;
    sn_key *by_owner = SN_NEW(sn_key, n), *along = SN_NEW(sn_key, n);
    for (size_t g = 0; g < n; g++)
        along[g] = by_owner[g] = tree->ghost_element[g].key;
    sn_exchange_order_ghosts(&tree->owners, by_owner, n);
    *arrival = NULL;
    if (n && memcmp(along, by_owner, n * sizeof *along) != 0) {
        *arrival = SN_NEW(uint32_t, n);
        sn_search search = sn_search_create(along, n);
        for (size_t i = 0; i < n; i++)
            (*arrival)[sn_search_find(&search, by_owner[i])] = (uint32_t)i;
        sn_search_free(&search);
    }
    sn_free(along);
    return by_owner;
}

sn_status sn_element_exchange_create(const sn_octree *tree, sn_element_exchange *x)
{
    *x = (sn_element_exchange){0};
    sn_key *ghosts = ghosts_by_owner(tree, &x->arrival);
    sn_leaves own = sn_octree_elements(tree);
    sn_status status =
        sn_exchange_create(tree->comm, &tree->owners, own.key, (size_t)tree->n_elements, ghosts,
                           (size_t)tree->n_ghost_elements, &x->exchange);
    sn_leaves_free(&own);
    sn_free(ghosts);
    if (status != SN_OK)
        sn_element_exchange_free(x);
    return status;
}

void sn_element_exchange_free(sn_element_exchange *x)
{
    sn_exchange_free(&x->exchange);
    sn_free(x->arrival);
    *x = (sn_element_exchange){0};
}

void sn_element_exchange_begin(sn_element_exchange *x, void *values, size_t bytes)
{
    x->under_way = values;
    x->bytes = bytes;
    sn_exchange_begin(&x->exchange, values, bytes);
}

static void put_along_curve(const sn_element_exchange *x)
{
    size_t n = (size_t)x->exchange.n_ghosts, bytes = x->bytes;
    char *ghosts = x->under_way + bytes * (size_t)x->exchange.n_own;
    char *arrived = SN_NEW(char, n *bytes);
    memcpy(arrived, ghosts, n * bytes);
    for (size_t g = 0; g < n; g++)
        memcpy(ghosts + bytes * g, arrived + bytes * x->arrival[g], bytes);
    sn_free(arrived);
}

void sn_element_exchange_end(sn_element_exchange *x)
{
    sn_exchange_end(&x->exchange);
    if (x->arrival)
        put_along_curve(x);
}

size_t sn_element_exchange_memory(const sn_element_exchange *x)
{
    return sn_exchange_memory(&x->exchange) +
           (x->arrival ? (size_t)x->exchange.n_ghosts * sizeof *x->arrival : 0);
}
