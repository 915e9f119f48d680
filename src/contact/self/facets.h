/* Which way the surface looks around a point: how much of it faces something.
 *
 * A point of the surface stands for a third of each triangle around it. Triangles that look nearly
 * the same way are one facet: inside a smooth part there is one, at an edge of a box there are two,
 * and three at its corner. Only what faces a contact is pressed by it: the side of a box has no
 * part in what its bottom stands on, however the mesh is cut along the edge between them.
 *
 * Areas are those at rest; directions are those of the shape. Small enough to travel. */
#ifndef SN_CONTACT_SELF_FACETS_H
#define SN_CONTACT_SELF_FACETS_H

#include "contact/self/surface.h"

enum { SN_SELF_MOST_FACETS = 8 }; /* triangles beyond join the facet that looks most like them */

typedef struct {
    int64_t n;
    double area[SN_SELF_MOST_FACETS][3]; /* along its normal, out of the flesh */
} sn_self_facets;

/* Not collective, as all below. Of one of this rank's points. */
sn_self_facets sn_self_facets_of(const sn_self_surface *surface, const sn_mesh *shape,
                                 size_t point);

/* The area that looks against a direction of length 1, as much of it as it does. */
double sn_self_facing(const sn_self_facets *facets, sn_vec direction);

/* Does enough of the surface look against a direction for a contact there? */
bool sn_self_faces(const sn_self_facets *facets, sn_vec direction);

#endif
