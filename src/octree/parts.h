/* The parts of all finest cells on the surface: what of a body hangs together in each.
 *
 *        |####|  |####|       Two fingers through one cell are two parts of it. How they are found
 *     ___|_##_|__|_##_|__     is said in mesh/parts/cell_parts.h. A cell of one part, of which
 *    |   |####|  |####|  |    nothing is closed off within a face, is plain. Most cells are, and
 *    |   |  0 |  |  1 |  |    nothing is kept of them. The table has the others.
 *    |   |####|  |####|  |
 *    |___|_##_|__|_##_|__|    Who wants to know what of two neighbours is joined looks at the
 *        |####|  |####|       joints of their common face. If both are in the table, joints of the
 *        |####|  |####|       same number are one. If one of them is plain, all joints of the
 *                             other lead to its only part. If both are plain, they are joined if
 *                             their face is open, and it is if one of them says so.
 *
 * Triangles are shared out over the ranks and rasterised; a cell's list comes together on a rank
 * that its key alone tells, which finds the parts; those who asked for the cell get them. No rank
 * sees the whole surface, and the table does not depend on their number. */
#ifndef SN_OCTREE_PARTS_H
#define SN_OCTREE_PARTS_H

#include "mesh/parts/cell_parts.h"
#include "octree/surface.h"

/* A cell that is not plain. */
typedef struct {
    sn_key key;
    int32_t n_parts;
    int32_t n_triangles;
    int32_t n_joints[SN_CELL_FACES];
    int32_t corner[8];      /* the part that each corner of the cell is in, or -1 */
    int32_t corner_winding; /* for sn_parts_at */
    int64_t first_triangle, first_joint, first_part; /* where its own are in the table */
} sn_parts_cell;

typedef struct {
    const sn_solid *solids; /* of the bodies: the caller's, that the search was given */
    size_t n;
    sn_parts_cell *cell;      /* ascending */
    int32_t *triangle, *part; /* of a cell's triangles: numbers in the mesh, ascending, and parts;
                                 -1 of one that only touches the cell from outside */
    sn_part_joint *joint;     /* of a cell, face after face */
    sn_part_measure *measure; /* of a cell's parts; where they overlap they add up to too much */
} sn_parts;

/* All cells that are not plain, each on some rank. */
typedef struct sn_parts_search sn_parts_search;

/* Collective. With `with_open` it can be asked which faces are open. */
sn_parts_search *sn_parts_search_create(MPI_Comm comm, const sn_bodies *bodies,
                                        const sn_solid *solids, bool with_open);
void sn_parts_search_free(sn_parts_search *search);

/* Collective: how many cells have more than SN_MOST_PARTS, which count as one. */
int64_t sn_parts_crowded(const sn_parts_search *search);

/* Collective, as often as wanted. Those of the cells that this rank asks for, ascending and each
 * once; others may ask for the same. `open` is filled, unless it is NULL on all ranks: for each
 * cell that is asked for, plain or not, a bit for each face through which there is solid. Cells
 * that the surface does not touch are open all around. */
sn_parts sn_parts_ask(const sn_parts_search *search, const sn_key *asked, size_t n_asked,
                      uint8_t *open);
void sn_parts_free(sn_parts *parts);

size_t sn_parts_memory(const sn_parts *parts);

/* NULL: the cell is plain, or not one that was asked for. */
const sn_parts_cell *sn_parts_cell_at(const sn_parts *parts, sn_key key);

/* The joints of a face, 2 * axis + side, by number; how many in *n. */
const sn_part_joint *sn_parts_joints(const sn_parts *parts, const sn_parts_cell *cell, int face,
                                     int32_t *n);

/* The part of a cell that a place on the surface belongs to: that of a triangle which has this
 * vertex of the body's mesh (-1: none in particular), or of the nearest one. */
int32_t sn_parts_on_surface(const sn_parts *parts, const sn_parts_cell *cell, int64_t vertex,
                            const double place[3]);

/* The part of a cell that holds a point of it, or -1 if the point is outside. */
int32_t sn_parts_at(const sn_parts *parts, const sn_bodies *bodies, const sn_solid *solids,
                    const sn_parts_cell *cell, const double point[3]);

/* That part, or for a point outside the one whose surface is nearest. */
int32_t sn_parts_near(const sn_parts *parts, const sn_bodies *bodies, const sn_parts_cell *cell,
                      const double point[3]);

/* Collective: a hash of the cells of all ranks, each asked for by one, that does not depend on who
 * has them. */
uint64_t sn_parts_digest(MPI_Comm comm, const sn_parts *parts);

#endif
