#include "elastic/element_exchange.h"

#include "base/array.h"
#include "curve/search.h"

#include <string.h>

sn_status sn_elements_to_ghosts(const sn_octree *tree, double *values, int width)
{
    size_t n_own = (size_t)tree->n_elements, n_ghosts = (size_t)tree->n_ghost_elements;
    size_t bytes = (size_t)width * sizeof *values;
    sn_leaves elements = sn_octree_elements(tree);
    sn_key *ghosts = SN_NEW(sn_key, n_ghosts); /* in the order of the exchange */
    for (size_t g = 0; g < n_ghosts; g++)
        ghosts[g] = tree->ghost_element[g].key;
    sn_exchange_order_ghosts(&tree->owners, ghosts, n_ghosts);
    sn_exchange x;
    sn_status status =
        sn_exchange_create(tree->comm, &tree->owners, elements.key, n_own, ghosts, n_ghosts, &x);
    if (status == SN_OK) {
        double *moved = SN_NEW(double, (n_own + n_ghosts) * (size_t)width);
        if (n_own)
            memcpy(moved, values, n_own * bytes);
        sn_exchange_begin(&x, moved, bytes);
        sn_exchange_end(&x);
        sn_search along = sn_search_create(elements.key + n_own, n_ghosts);
        for (size_t g = 0; g < n_ghosts; g++) {
            size_t to = n_own + (size_t)sn_search_find(&along, ghosts[g]);
            memcpy(values + to * (size_t)width, moved + (n_own + g) * (size_t)width, bytes);
        }
        sn_search_free(&along);
        sn_free(moved);
    }
    sn_exchange_free(&x);
    sn_free(ghosts);
    sn_leaves_free(&elements);
    return status;
}
