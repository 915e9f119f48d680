/* Where the solid goes on through a face of a cell: inside knowledge of mesh/parts.
 *
 * Just inside of the face's plane and just outside of it lie two sections. Where the mesh has no
 * vertices in the plane they are the same, and each region is a joint. Elsewhere regions of both
 * are one joint where they lie on each other with no triangle between that closes them off. */
#ifndef SN_MESH_PARTS_JOINTS_H
#define SN_MESH_PARTS_JOINTS_H

#include "mesh/parts/section.h"

typedef SN_VECTOR(sn_part_joint) sn_part_joints;

/* Appends the joints of a face; `part` of each is an element of the cell yet. Returns whether
 * somewhere the solid is on both sides and closed off. The sections are made anew. */
bool sn_joints_find(sn_part_cell *cell, int face, sn_face_section *inner, sn_face_section *outer,
                    sn_part_joints *joints);

#endif
