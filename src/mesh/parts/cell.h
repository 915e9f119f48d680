/* One cell and the triangles that touch it: inside knowledge of mesh/parts.
 *
 * Knows the triangles on the lattice, which of them have a piece in the open cell, which pieces
 * hang together at edges of the mesh, and how lines through the cell pass its triangles. What can
 * be joined is an element: triangle i of the cell's list is element i, corner c of the cell is
 * element n + c. A line that is inside between two elements joins them.
 *
 * Faces are numbered 2 * axis + side. Edges of the cell are numbered 4 * axis + side along the
 * first other axis + 2 * side along the second. */
#ifndef SN_MESH_PARTS_CELL_H
#define SN_MESH_PARTS_CELL_H

#include "base/index.h"
#include "mesh/mesh.h"
#include "mesh/parts/cell_parts.h"
#include "mesh/parts/lattice.h"

enum { SN_CELL_CORNERS = 8, SN_CELL_EDGES = 12 };

/* An edge of a triangle that touches the cell. */
typedef struct {
    int32_t triangle, leader; /* elements; all who share the edge have the same leader */
    int32_t vertex[2];        /* in the triangle's direction */
    int32_t first;            /* use of an edge with the same vertices */
    int32_t sum;              /* of first ones: uses in one direction less those in the other */
    const int32_t *from, *to; /* the same on the lattice */
    uint8_t faces[2];         /* a bit for each face that the edge passes through */
    bool meets;               /* the open cell */
} sn_edge_use;

typedef SN_VECTOR(int32_t) sn_elements;

typedef struct {
    const sn_parts_body *body;
    sn_lattice_point corner[SN_CELL_CORNERS]; /* ties point inward */
    /* With the ties of the open cell, and [1] just beyond their planes. */
    sn_lattice_square face[2][SN_CELL_FACES];
    int32_t n;
    const int32_t *number; /* the caller's: of each triangle in the mesh, ascending */
    SN_VECTOR(sn_lattice_triangle) triangle;
    SN_VECTOR(sn_edge_use) edge;
    SN_VECTOR(int32_t) slot; /* a hash table of edges by their vertices */
    bool open;               /* an edge that meets the cell has no counterpart */
    SN_VECTOR(bool) has_piece;
    sn_line_crossings on_edge[SN_CELL_EDGES];
    int winding[SN_CELL_CORNERS]; /* how often the surface winds around each corner */
    sn_elements root;             /* of all elements: who is joined with whom */
    sn_line_crossings line;       /* the line that is looked at */
} sn_part_cell;

/* ---- Joining ---- */

/* Everyone alone. */
void sn_elements_reset(sn_elements *root, int32_t n);
int32_t sn_elements_find(sn_elements *root, int32_t element);
void sn_elements_join(sn_elements *root, int32_t a, int32_t b);

/* ---- The cell ---- */

/* Puts the triangles of a cell into it, and finds which hang together at the mesh's edges: a raw
 * edge whose uses cancel joins these; others are joined with those at exactly the same place. */
void sn_part_cell_load(sn_part_cell *cell, const sn_parts_body *body, const int32_t at[3],
                       const int32_t *number, int32_t n);

/* Finds the crossings of the cell's edges, and which triangles have a piece. */
void sn_part_cell_cut(sn_part_cell *cell);

/* Finds through which faces the mesh's edges go. Cells of one sheet don't need it. */
void sn_part_cell_find_edges(sn_part_cell *cell);

/* Does any edge of the mesh go through a face, or through it just beyond its plane? */
bool sn_part_cell_is_passed(const sn_part_cell *cell, int face, int outward);

/* Finds the winding numbers of the corners, up to one number for all. False if they contradict each
 * other. */
bool sn_part_cell_wind(sn_part_cell *cell);

/* The corner where an edge of the cell begins. */
static inline int sn_cell_edge_corner(int edge)
{
    int axis = edge / 4, i = axis == 0, j = axis == 2 ? 1 : 2;
    return (edge & 1) << i | (edge >> 1 & 1) << j;
}

/* The winding number at a corner, but just beyond the plane across `axis`: triangles that lie in it
 * are passed. */
int sn_cell_wind_beyond(sn_part_cell *cell, int corner, int axis);

/* ---- Lines ---- */

/* The crossings above p of the line through it, up to `end`, from below to above, into `line`. */
void sn_cell_line(const sn_part_cell *cell, const sn_lattice_point *p, const sn_lattice_point *end,
                  int axis, sn_line_crossings *line);

/* Joins what bounds each stretch of a line that is inside, from its end, an element with its
 * winding number there, down to the lowest crossing; `*element` and `*winding` become those below
 * it. Sheets that pass each other by no more than the snap may have done are taken to touch. */
void sn_line_join(const sn_part_cell *cell, int axis, sn_elements *root, sn_line_crossings *line,
                  int32_t *element, int *winding);

/* From p up along the axes of `axes` (a bit each), the last first, to the highest corner of the
 * cell or face that `end` is: the first element that is met, and the winding number at p. */
int32_t sn_cell_locate(sn_part_cell *cell, sn_lattice_point p, const sn_lattice_point *end,
                       int32_t end_element, int end_winding, unsigned axes, int *winding);

#endif
