/* The parts of a solid in one cell: what of it hangs together there.
 *
 *      _______________     Fingers pass through one cell, and a fold of something. Which of them
 *     |   |   |  / /  |    are one is not a matter of distance: parts are one if there is solid
 *     | A |   | / B/  |    between them, in this cell. Sheets of the surface that hang together
 *     |   |   |/__/   |    at edges of the mesh bound one part. For the rest it is enough to look
 *     |___|___|_______|    at the solid between sheets, dimension by dimension:
 *
 *       edges   stretches of the cell's edges that are inside join what bounds them;
 *       faces   what is left are loops inside a face: a line through each, across the face;
 *       cell    what is left are bubbles and islands: a line through each, across the cell.
 *
 * That is all. Take a part's boundary: sheets, and patches of the cell's faces. If it is one piece,
 * faces and sheets join it. If not, all pieces but one are closed and inside the cell, for the
 * space outside the cell is one; and a line through them comes to the others.
 *
 * All lines are those of lattice.h: nothing is rounded after the snap to 1/4096 of a cell. Inside
 * is where the surface winds around a point, in either sense: material that overlaps is one
 * material. Sheets that only touch, or pass each other by less than the snap moves them, are not
 * joined by that. Where the mesh is open, or its signs contradict each other, all of a cell is one
 * part.
 *
 * Neighbours. What two cells have in common is their face, and both see all triangles at it. A
 * joint is a region of the face that is solid on both sides of it, with nothing in between: it has
 * the same number in both cells, and each says which of its parts is there.
 *
 *      |   |        The foot of a spike on a plane of the grid: below it the plane is one region,
 *    __|___|____    above it another, and they are one joint. Two boxes that stand on each other
 *                   there have no joint: their faces are between.
 *
 * A face without solid is not open: cells on both sides of it have nothing in common there. Of a
 * plain cell that is told by the signs of its own sheet. A cell that lies deep inside other
 * material that overlaps it may be told not to be open where it is: what its neighbour says counts
 * as well. */
#ifndef SN_MESH_PARTS_CELL_PARTS_H
#define SN_MESH_PARTS_CELL_PARTS_H

#include "mesh/mesh.h"
#include "mesh/winding/winding.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SN_CELL_FACES = 6,
    SN_ALL_FACES = (1 << SN_CELL_FACES) - 1,
    SN_MOST_PARTS = 64, /* as many as an octant has copies; with more, all are one */
};

/* A solid and the grid that it is cut by. */
typedef struct {
    const sn_mesh *mesh;
    const sn_winding_tree *winding;
    double origin[3], cell;
    int sense; /* -1 if normals point inward */
} sn_parts_body;

typedef struct {
    double volume;      /* of the cell's */
    double centroid[3]; /* from the cell's centre, in halves of its edge */
} sn_part_measure;

typedef struct {
    uint64_t number; /* the same in the cell on the other side; unique in a face, ascending */
    int32_t part;
} sn_part_joint;

/* What a cell has. If it is plain, one part and nothing that is closed off within a face, only that
 * is said: all its triangles and joints are those of part 0. Arrays are valid until the next cell.
 */
typedef struct {
    bool plain;
    bool crowded;               /* more than SN_MOST_PARTS: all of it is taken for one */
    uint8_t open;               /* a bit for each face through which there is solid */
    int32_t n_parts;            /* by their lowest triangles */
    const int32_t *part;        /* of each triangle */
    int32_t corner[8];          /* the part that each corner of the cell is in, or -1 */
    int corner_winding;         /* of the highest corner: for sn_cell_part_at */
    const sn_part_joint *joint; /* face after face: -x, +x, -y, ... */
    int32_t n_joints[SN_CELL_FACES];
    const sn_part_measure *measure; /* of each part */
} sn_cell_parts;

/* Workspace, one for each thread. */
typedef struct sn_parts_work sn_parts_work;
sn_parts_work *sn_parts_work_create(void);
void sn_parts_work_free(sn_parts_work *work);

/* The parts of the cell at `cell`; `triangle` are the n triangles that touch it, ascending. Of a
 * plain cell it is told which of `faces` (a bit for each) are open; the others are said to be. To
 * find that of a face that no triangle passes through takes as long again as to find that the cell
 * is plain. */
sn_cell_parts sn_cell_parts_find(sn_parts_work *work, const sn_parts_body *body,
                                 const int32_t cell[3], const int32_t *triangle, int32_t n,
                                 uint8_t faces);

/* The part that holds a point of a cell that is not plain, or -1 if none does. Parts of triangles
 * and corners are as found before. A point is moved to the lattice: which side of a sheet nearer
 * than that it is on is not told. */
int32_t sn_cell_part_at(sn_parts_work *work, const sn_parts_body *body, const int32_t cell[3],
                        const int32_t *triangle, int32_t n, const sn_cell_parts *parts,
                        const double point[3]);

#endif
