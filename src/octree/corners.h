/* Which leaves share a node at a place: the copies whose material goes around it.
 *
 *        |           Up to eight leaves touch at a corner. Copies that are joined across the faces
 *      a | b         between them (bonds.h), one after another, share what is there: one node. Here
 *     ---p---        a, b and d are joined; c is another part that only passes by, and has a node
 *      c : d         of its own. A group that a larger leaf belongs to, which has its edge or face
 *        :           there and no corner, has no node: its corners hang.
 *
 * Groups are numbered in the order of the curve, by whoever asks and with the same answer. Where
 * there would be more nodes than a place can have, the last groups share one. */
#ifndef SN_OCTREE_CORNERS_H
#define SN_OCTREE_CORNERS_H

#include "octree/bonds.h"

enum { SN_CORNER_SLOTS = 8 * SN_MOST_COPIES };

typedef struct {
    int n;                           /* copies of leaves that touch, along the curve */
    sn_local leaf[SN_CORNER_SLOTS];  /* of each: which one around */
    uint8_t copy[SN_CORNER_SLOTS];   /* of that leaf */
    int16_t group[SN_CORNER_SLOTS];  /* the first copy that it is joined to */
    int16_t larger[SN_CORNER_SLOTS]; /* of each group's first: a copy that has no corner here,
                                      * on which it hangs; -1: it has a node */
    uint8_t node[SN_CORNER_SLOTS];   /* of each group's first that has one: its number here */
    int n_nodes, n_hanging;          /* groups with a node, and those with hanging corners */
} sn_corner;

/* The place of a corner of a leaf. */
sn_key sn_corner_place(sn_key leaf, int height, int corner);

/* Not collective. `place` is a corner of one of this rank's leaves, or touched by one. */
void sn_corner_look(const sn_bonds *bonds, sn_key place, sn_corner *view);

/* Which group a copy of a leaf belongs to. */
int sn_corner_class(const sn_corner *view, sn_local leaf, int copy);

#endif
