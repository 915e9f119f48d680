/* A comb: square teeth, evenly in rows and columns, on a plate. Its edges are straight, so that a
 * grid can meet all of them. */
#ifndef SN_SHAPES_COMB_H
#define SN_SHAPES_COMB_H

#include "shapes/modelling/surface.h"

typedef struct {
    double size;   /* of the plate, along x and y */
    double plate;  /* its thickness: from z = 0 upward */
    double length; /* of the teeth, along z */
    int teeth;     /* along a side; gaps are as wide as they are */
    int detail;    /* squares along a tooth's width */
} sn_comb;

void sn_make_comb(const sn_comb *comb, sn_surface *surface);

#endif
