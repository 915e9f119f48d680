/* How much of a cell each of its parts fills, and where: inside knowledge of mesh/parts.
 *
 * As in octree/columns.h, part by part: what the part's own pieces of the surface have beneath
 * them, plus what the part has of the cell's top face, through the whole height. The latter goes
 * the same way, one dimension lower: what the segments in the top face have beneath them, plus what
 * the part has of the face's last edge. That is a number of stretches. */
#ifndef SN_MESH_PARTS_MEASURE_H
#define SN_MESH_PARTS_MEASURE_H

#include "mesh/parts/section.h"

/* `part` of each triangle and then of each corner of the cell, -1 for none; the section is made
 * anew. */
void sn_parts_measure(sn_part_cell *cell, const int32_t *part, int32_t n_parts,
                      sn_face_section *top, sn_part_measure *measure);

#endif
