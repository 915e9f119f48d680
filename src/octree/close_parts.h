/* Where parts of a body that are not joined pass through one cell, and how close they are.
 *
 *      \     /|     Many cells hold two parts because the surface leaves the cell between them
 *     __\___/_|__   and comes back: next door they are one. Such parts are joined there, and no
 *        \_/  |     cell is too large for them. What counts are parts that are not joined in the
 *             |     cells around either. */
#ifndef SN_OCTREE_CLOSE_PARTS_H
#define SN_OCTREE_CLOSE_PARTS_H

#include "octree/parts.h"

enum { SN_CLOSE_PLACES = 5 };

typedef struct {
    int body;
    double gap; /* between the two surfaces, there */
    double place[3];
} sn_close_place;

typedef struct {
    int64_t cells; /* that hold more than one part, of all ranks */
    int64_t apart; /* of them, those with parts that are not joined next door */
    int n;         /* places of the latter that are listed, the closest first, at some distance */
    sn_close_place place[SN_CLOSE_PLACES];
} sn_close_parts;

/* Collective. `own` are this rank's finest cells, ascending; each cell is that of one rank. The
 * same on any number of ranks. */
sn_close_parts sn_close_parts_find(MPI_Comm comm, const sn_bodies *bodies, const sn_solid *solids,
                                   const sn_key *own, size_t n_own);

/* The edge of cells that no longer join two surfaces which are so far apart: neither in one cell,
 * nor in two that touch. */
double sn_separating_cell(double gap);

#endif
