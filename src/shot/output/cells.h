/* The cells of the finest octree as frames: octree_0001.vtkhdf and so on, when a scene asks for
 * them by `output.octree`.
 *
 * Cells are hexahedra where they are now, in the order of the whole curve whatever the partition.
 * They share their points (cell_points.h). Positions and fields are in single precision: these
 * files are for looking at.
 *
 *     points   displacement, velocity
 *     cells    body, its number, and the other fields of fields.h */
#ifndef SN_SHOT_OUTPUT_CELLS_H
#define SN_SHOT_OUTPUT_CELLS_H

#include "io/frames/octree_read.h"
#include "shot/output/cell_points.h"
#include "shot/output/fields.h"

typedef struct {
    int64_t n_everywhere;
    int64_t *number;          /* of each owned element along the whole curve */
    const sn_leaves *element; /* the caller's */
    sn_cell_points points;
} sn_cells;

/* Collective. `element` are the tree's owned elements. */
void sn_cells_create(const sn_octree *tree, const sn_leaves *element, sn_cells *cells);
void sn_cells_free(sn_cells *cells);

/* Collective. Writes the shot's cells with the fields `kinds` into the file `path`; ghosts are
 * filled. `press` is the contact pressure at this rank's vertices, if it is wanted. A failure
 * leaves no half file. */
SN_CHECKED sn_status sn_cells_write(const sn_cells *cells, const sn_shot *shot, const char *path,
                                    const sn_frame_about *about, int kinds, const double *press);

#endif
