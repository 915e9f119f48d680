/* The render mesh embedded in the finest octree.
 *
 * Every vertex of the bodies' input meshes lies in one element, and moves with it: first the
 * element's corners from its conforming nodes (hanging ones between their parent's corners),
 * then trilinearly between the corners.
 *
 *      +-------+      The element is that of the vertex's cell (vertex_cells.h), so a vertex on
 *      |   v   |      a border has one owner. A rank keeps the vertices of the elements that it
 *      | .     |      owns, along the curve; numbers count the vertices of all bodies one after
 *      +-------+      another, in the files' order. Of an element's copies a vertex follows the one
 *                     that its part of the body is.
 *
 * A cell that a triangle passes through is an element, and vertices on a border are given to one;
 * they may be outside of it by a hair. So vertices in no element are used by no
 * triangle. No picture shows them, but written files must have them: such a vertex is tied to
 * the last element before its cell along its body's curve (to the body's first if there is
 * none), and keeps its offset from the point of that element nearest to it at rest.
 *
 * What comes out has the same bits on any number of ranks and threads. */
#ifndef SN_SURFACE_EMBED_H
#define SN_SURFACE_EMBED_H

#include "octree/octree.h"
#include "octree/parts.h"

/* A vertex that is moved along with an element without lying in it, be it by rounding. */
typedef struct {
    size_t at;        /* in the embedding's order */
    double offset[3]; /* from the point of the element that it is tied to */
} sn_loose_vertex;

typedef struct {
    const sn_octree *tree;  /* the caller's */
    const sn_solid *solids; /* the caller's: one for each body */
    const sn_parts *parts;  /* the caller's: of the finest cells that are apart */
    int64_t *body_first;    /* bodies + 1: number of each body's first vertex */

    size_t n; /* this rank's vertices */
    int64_t *vertex;
    sn_local *element;  /* owned ones, ascending */
    uint8_t *child;     /* which child of its parent the element is */
    uint8_t *copy;      /* of the element; NULL: no element has copies */
    double (*local)[3]; /* coordinates within the element, 0 to 1 */

    size_t n_loose;
    sn_loose_vertex *loose;
    int64_t n_loose_everywhere; /* on all ranks together, without those that miss by a hair */
} sn_embedding;

/* Collective on the tree's communicator. `parts` are those of the tree's owned cells
 * (octree/hierarchy.h); a vertex follows the copy of its part. Says in the log how many vertices
 * are in no element. After a failure there is nothing to free. */
SN_CHECKED sn_status sn_embedding_create(const sn_octree *tree, const sn_solid *solids,
                                         const sn_parts *parts, sn_embedding *embedding);
void sn_embedding_free(sn_embedding *embedding);

/* Number of vertices on all ranks. */
static inline int64_t sn_embedding_vertices(const sn_embedding *e)
{
    return e->body_first[e->tree->bodies->n];
}

/* Not collective. Where a vertex is at rest. */
void sn_embedding_rest(const sn_embedding *embedding, int64_t vertex, double place[3]);

/* The body of vertex number `vertex`. */
int sn_embedding_body_of(const sn_embedding *embedding, int64_t vertex);

/* Not collective. Where this rank's vertices are when its nodes are at `x`: three coordinates
 * a node, ghost nodes filled. */
void sn_embedding_evaluate(const sn_embedding *embedding, const double *x, double (*position)[3]);

/* Not collective. The same for any place within an owned element, which is number `child` of its
 * parent's children. */
void sn_embedded_place(const sn_octree *tree, sn_local element, int child, const double local[3],
                       const double *x, double position[3]);

/* Collective: the frame's digest, a hash of the vertices' positions in vertex order.
 * `position` is what sn_embedding_evaluate gave. */
uint64_t sn_embedding_digest(const sn_embedding *embedding, const double (*position)[3]);

/* Collective. The area around each of this rank's vertices: a third of each of its triangles. The
 * triangles are where `shape` has them, a mesh for each body; NULL: at rest. */
void sn_embedding_areas(const sn_embedding *embedding, const sn_mesh *shape, double *area);

/* Bytes that this rank holds. */
size_t sn_embedding_memory(const sn_embedding *embedding);

#endif
