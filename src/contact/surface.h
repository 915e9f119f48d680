/* Where contact is looked for: the points of the surface that may touch something.
 *
 * These are the vertices of the render mesh, as long as its triangles are about as fine as the
 * cells behind them. Where edges are longer than SN_CONTACT_EDGE_CELLS finest cells there would be
 * too few: edge could pass through edge without a vertex inside, and a face bend unseen. Such a
 * body gets points between its vertices:
 *
 *      +-----------+        +--x--+--x--+      edges that are too long are halved until none is,
 *      |         / |        | /| /| /| /|      each by its own length only, so that neighbours
 *      |      /    |   ->   x--x--x--x--x      agree. The surface stays where it was.
 *      |   /       |        | /| /| /| /|
 *      +-----------+        +--x--+--x--+
 *
 * A point is embedded and numbered as a vertex is: of each body first the vertices in the file's
 * order, then the others as they come about. That depends on the mesh and the cell alone.
 *
 * Fine meshes cost nothing: their embedding is that of the render mesh. A refined mesh is made by
 * one rank, as the mesh itself was read, and held once a node. */
#ifndef SN_CONTACT_SURFACE_H
#define SN_CONTACT_SURFACE_H

#include "mesh/shared.h"
#include "surface/embed.h"

/* Squares as large as a cell's face are fine enough, and so are their diagonals. */
#define SN_CONTACT_EDGE_CELLS 1.5

typedef struct {
    const sn_embedding *render;    /* the caller's */
    const sn_embedding *embedding; /* of the points: the render mesh's, or `own` */
    bool is_refined;               /* there is more than the render mesh: */
    sn_embedding own;
    sn_solid *solid;      /* of each body, with the mesh of its points */
    sn_shared_mesh *mesh; /* of bodies that are refined; the others' are empty */
} sn_contact_surface;

/* Collective. The surface must not move. After a failure there is nothing to free. */
SN_CHECKED sn_status sn_contact_surface_create(const sn_embedding *render,
                                               sn_contact_surface *surface);

/* Collective. Safe on a zeroed one. */
void sn_contact_surface_free(sn_contact_surface *surface);

/* Not collective. The vertex of the render mesh that a point is; -1: it lies between them. */
int64_t sn_contact_vertex_of(const sn_contact_surface *surface, int64_t point);

/* Not collective. Bytes that this rank holds beside the tables of the node. */
size_t sn_contact_surface_memory(const sn_contact_surface *surface);

#endif
