/* The octree built the slow, obvious way: dense arrays on one rank, no sorting, no sweep, no
 * families. What the real one is held to. One body only. */
#ifndef SN_TESTS_ORACLE_H
#define SN_TESTS_ORACLE_H

#include "octree/surface.h"

enum { ORACLE_EMPTY = -1 };

typedef struct {
    int edge; /* cells along the root cube */
    int root_height;
    int8_t *height;  /* for each finest cell: height of the element that covers it, or empty */
    int8_t *is_node; /* for each lattice point (edge + 1 in each direction) */
    int8_t *is_hanging;
    long n_elements, n_nodes, n_hanging, n_boundary;
} oracle;

/* The finest level of a body, and the next coarser level of any. */
oracle oracle_create(const sn_body *body, const sn_solid *solid);
oracle oracle_coarsen(const oracle *fine, int max_height);
void oracle_free(oracle *o);

static inline long oracle_cell(const oracle *o, int x, int y, int z)
{
    return ((long)z * o->edge + y) * o->edge + x;
}

static inline long oracle_point(const oracle *o, int x, int y, int z)
{
    return ((long)z * (o->edge + 1) + y) * (o->edge + 1) + x;
}

/* Is there an element with exactly this anchor and height? */
int oracle_is_element(const oracle *o, const int anchor[3], int height);

/* Is an element, of whatever size, anchored at this point? */
int oracle_is_anchor(const oracle *o, const int point[3]);

#endif
