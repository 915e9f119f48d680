/* The points that cells stand on, each once however many cells share it.
 *
 *      o-----o--o--o     o  nodes, along the whole curve
 *      |     |  |  |     x  behind them corners that hang, along the curve as well: half way
 *      |     x--o--o        between two nodes, or in the middle of four
 *      |     |  |  |
 *      o-----o--o--o
 *
 * Cells share a point where they share a node, or hang between the same nodes: those of parts that
 * are apart have their own. A rank knows the points of its own cells. Those that other ranks know
 * too are the same there, to the bit. */
#ifndef SN_SHOT_OUTPUT_CELL_POINTS_H
#define SN_SHOT_OUTPUT_CELL_POINTS_H

#include "curve/lookup.h"
#include "octree/octree.h"

enum { SN_CORNERS = 8, SN_HANGING_BETWEEN = 4 };

typedef struct {
    int64_t n_everywhere;
    size_t n_nodes, n_hanging; /* this rank's: its nodes with ghosts, then what hangs */
    int64_t *number;           /* of each of both */
    sn_key *hanging;           /* ascending */
    sn_lookup lookup;          /* of `hanging` */
    sn_local (*between)[SN_HANGING_BETWEEN]; /* nodes; those of an edge twice */
} sn_cell_points;

/* Collective. `element` are the tree's owned elements. */
sn_cell_points sn_cell_points_create(const sn_octree *tree, const sn_leaves *element);
void sn_cell_points_free(sn_cell_points *points);

/* The numbers of the points at the corners of `n` owned elements, `first` and on. */
void sn_cell_points_at_corners(const sn_cell_points *points, const sn_octree *tree,
                               const sn_leaves *element, size_t first, size_t n,
                               int64_t (*number)[SN_CORNERS]);

/* A field of the nodes, ghosts filled, at this rank's points. */
void sn_cell_points_evaluate(const sn_cell_points *points, const double *field, float (*value)[3]);

#endif
