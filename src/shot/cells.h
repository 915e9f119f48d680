/* The cells of the finest octree as frames: octree_0001.vtkhdf and so on, when a scene asks for
 * them by `output.octree`.
 *
 * Cells are hexahedra where they are now, in the order of the whole curve whatever the partition.
 * Each has eight points of its own (hanging corners are where they must be), so that cells can be
 * taken apart. Positions and fields are in single precision: these files are for looking at.
 *
 *     points   displacement, velocity
 *     cells    det_f                 determinant of the deformation gradient at the centre
 *              von_mises, pressure   of the Kirchhoff stress there: Cauchy's times det_f, which
 *                                    has no trouble with inverted cells; pressure is positive
 *                                    where flesh is squeezed
 *              young, poisson        the material
 *              body, owner           the body's number, the rank that has the cell */
#ifndef SN_SHOT_CELLS_H
#define SN_SHOT_CELLS_H

#include "io/vtkhdf.h"
#include "octree/leaves.h"
#include "shot/shot.h"

#define SN_CELLS_FILE_FORMAT "octree_%04d.vtkhdf"

typedef struct {
    int64_t n_everywhere;
    int64_t *number; /* of each owned element along the whole curve */
    sn_leaves element;
} sn_cells;

/* Collective. */
void sn_cells_create(const sn_octree *tree, sn_cells *cells);
void sn_cells_free(sn_cells *cells);

/* Collective. Writes the shot's cells into the file `path`. A failure leaves no half file. */
SN_CHECKED sn_status sn_cells_write(const sn_cells *cells, sn_shot *shot, const char *path,
                                    const sn_frame_about *about);

#endif
