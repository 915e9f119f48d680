/* Where parts of a body that are not joined pass through one cell, and how close they are. */
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
    int n;         /* places that are listed, the closest first, not next to each other */
    sn_close_place place[SN_CLOSE_PLACES];
} sn_close_parts;

/* Collective. Each cell of all ranks' tables must be asked for by one rank. The same on any number
 * of ranks. */
sn_close_parts sn_close_parts_find(MPI_Comm comm, const sn_bodies *bodies, const sn_solid *solids,
                                   const sn_parts *parts);

/* The edge of cells that no longer join two surfaces which are so far apart: neither in one cell,
 * nor in two that touch. */
double sn_separating_cell(double gap);

#endif
