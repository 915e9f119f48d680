/* A bone's surface in small triangles, which are counted over all of its triangles. */
#ifndef SN_MODEL_BONE_PIECES_H
#define SN_MODEL_BONE_PIECES_H

#include "mesh/mesh.h"

#include <stdbool.h>

enum { SN_BONE_PIECE_BITS = 40 }; /* of the number of a piece */

typedef struct {
    const sn_mesh *mesh; /* the caller's, at rest */
    double longest;      /* no piece has a longer edge */
    int64_t *first;      /* triangles + 1: number of each one's first piece */
} sn_bone_pieces;

/* False if there are more pieces than numbers. The caller frees `first`, in any case. */
bool sn_bone_pieces_number(sn_bone_pieces *pieces);

/* The middle of a piece of a triangle, and its area. */
void sn_bone_piece_of(const sn_bone_pieces *pieces, int64_t triangle, int64_t piece,
                      double middle[3], double *area);

/* How far the middle of a piece has gone when the mesh's vertices are elsewhere. */
void sn_bone_piece_shift(const sn_bone_pieces *pieces, int64_t piece, const double (*now)[3],
                         double shift[3]);

#endif
