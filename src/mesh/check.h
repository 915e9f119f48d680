/* What is dirty about a mesh.
 *
 * Dirty meshes are welcome; the report says what was found, with the number of one face of
 * the file as an example, and sn_mesh_require_solid refuses only meshes that enclose
 * nothing. Vertices at exactly the same position count as one here, so that a mesh with split
 * vertices is not taken for an open one. Serial and deterministic; O(n log n) or better for
 * any input. */
#ifndef SN_MESH_CHECK_H
#define SN_MESH_CHECK_H

#include "base/status.h"
#include "mesh/mesh.h"

#include <stdbool.h>

typedef struct {
    int64_t count;
    int32_t first_face; /* the lowest number of a face concerned; 0 if count is 0 */
} sn_mesh_finding;

typedef struct {
    sn_mesh_finding degenerate;  /* faces of no area */
    sn_mesh_finding duplicate;   /* faces with a triangle that an earlier one already has */
    sn_mesh_finding boundary;    /* edges with one triangle: the surface is open there */
    sn_mesh_finding nonmanifold; /* edges with more than two triangles */
    sn_mesh_finding misoriented; /* edges whose two triangles run along it the same way */
    int64_t unused_vertices;     /* of the file, by index */
    int64_t components;          /* parts of the surface without a common vertex */
    /* Every edge is passed as often one way as the other: the winding number is an integer
     * everywhere off the surface. */
    bool closed_chain;
    double volume, area; /* the volume is negative when normals point inward */
    sn_box bounds;
} sn_mesh_report;

sn_mesh_report sn_mesh_check(const sn_mesh *mesh);

/* One warning for each kind of dirt: "spot.obj: 3 degenerate faces, first is face 17". */
void sn_mesh_report_log(const char *name, const sn_mesh_report *report);

/* Fails for a mesh that encloses nothing: no triangles, no extent in some direction, or no
 * volume. Open meshes that enclose a volume in the sense of winding numbers pass. */
SN_CHECKED sn_status sn_mesh_require_solid(const char *name, const sn_mesh *mesh,
                                           const sn_mesh_report *report);

#endif
