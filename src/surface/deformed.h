/* The deformed surface, held once a node.
 *
 * For what needs whole triangles: pictures and volumes. Knows the positions of all vertices in a
 * shared window beside the input meshes', and hides how ranks fill it: each writes its own
 * vertices, and the nodes' leaders then complete each other's windows. */
#ifndef SN_SURFACE_DEFORMED_H
#define SN_SURFACE_DEFORMED_H

#include "base/shared.h"
#include "surface/embed.h"

typedef struct {
    const sn_embedding *embedding; /* the caller's */
    sn_shared_block block;
    sn_mesh *body;   /* of each body: input triangles, deformed vertices; read only */
    double *outward; /* of each body: 1, or -1 where the input's normals point inward */
} sn_deformed;

/* Collective on the tree's communicator, as all below. Starts with the input's positions. */
void sn_deformed_create(const sn_embedding *embedding, sn_deformed *deformed);

/* The same with at most `most_ranks` ranks to a copy; see sn_shared_block_create_split. */
void sn_deformed_create_split(const sn_embedding *embedding, int most_ranks, sn_deformed *deformed);
void sn_deformed_free(sn_deformed *deformed);

/* Takes the positions of every rank's vertices, as sn_embedding_evaluate gave them. */
void sn_deformed_update(sn_deformed *deformed, const double (*position)[3]);

/* The volume that the surfaces enclose, all bodies together: each counts with the sign that
 * makes it positive in the input, so a body that was turned inside out is seen. The same bits
 * on any number of ranks. */
double sn_deformed_volume(const sn_deformed *deformed);

/* The box around the vertices that triangles use. */
sn_box sn_deformed_bounds(const sn_deformed *deformed);

#endif
