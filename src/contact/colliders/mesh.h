/* The surface of a closed triangle mesh, which may change its shape: nearest points and crossings.
 *
 * Knows the same two questions as shapes.h. Hides Embree, whose tree of boxes finds the triangles
 * in question; what is computed with them is done here in double precision, and of equal answers
 * the triangle with the lower index counts, so neither the tree nor its order of visits shows.
 *
 * Inside and outside are told by the angle-weighted normal at the nearest point (Baerentzen and
 * Aanaes 2005), which is right for every closed mesh whose parts do not overlap. It is summed over
 * the triangles that touch the nearest point: no table of neighbours is needed, and vertices that
 * a file has split are no matter.
 *
 * Vertices and triangles are the caller's, held once a node. The tree is each rank's own: some 60
 * bytes a triangle. */
#ifndef SN_CONTACT_COLLIDERS_MESH_H
#define SN_CONTACT_COLLIDERS_MESH_H

#include "base/status.h"
#include "contact/colliders/shapes.h"
#include "mesh/mesh.h"
#include "mesh/triangle.h"

typedef struct sn_collider_mesh sn_collider_mesh;

/* Not collective. `side` is 1, or -1 if the triangles' normals point into the collider (or the
 * collider is inverted). The mesh and its arrays must stay. */
SN_CHECKED sn_status sn_collider_mesh_create(const sn_mesh *mesh, double side,
                                             sn_collider_mesh **out);
void sn_collider_mesh_free(sn_collider_mesh *mesh);

/* The vertices now are `now`, and were `before` when the step began; both are the caller's and
 * stay, unchanged, until the next call. */
void sn_collider_mesh_move(sn_collider_mesh *mesh, const double (*before)[3],
                           const double (*now)[3]);

/* Bytes that this rank holds, Embree's included: all of the mesh, whatever its share of flesh. */
size_t sn_collider_mesh_memory(const sn_collider_mesh *mesh);

/* The box around all places from before to now. */
sn_box sn_collider_mesh_bounds(const sn_collider_mesh *mesh);

/* The longest way of a vertex from before to now. */
double sn_collider_mesh_longest_way(const sn_collider_mesh *mesh);

/* The nearest point of the surface now, unless it is farther than `radius`. */
bool sn_collider_mesh_nearest(const sn_collider_mesh *mesh, sn_vec p, double radius,
                              sn_surface_point *nearest);

/* Whether a point that was at `from` before, outside, and is at `to` now has passed into the mesh
 * on the way; `entry` is where the place of the surface that it met first is now. */
bool sn_collider_mesh_enter(const sn_collider_mesh *mesh, sn_vec from, sn_vec to,
                            sn_surface_point *entry);

/* The corners of a triangle, before or now. */
void sn_collider_mesh_corners(const sn_collider_mesh *mesh, int32_t triangle, bool now,
                              sn_vec corner[3]);

#endif
