/* What a plane along a face of a cell cuts out of the solid: inside knowledge of mesh/parts.
 *
 * A triangle that passes through the plane leaves a segment in the face. Segments hang together
 * where the triangles' common edge passes through the face; stretches of the face's border that are
 * inside join what bounds them; loops that reach no border are joined with what is around them by a
 * line through them. What hangs together then is a region.
 *
 * The plane lies just inside of the cell, or just outside: these differ only where the mesh has
 * vertices in the plane itself. Both cells at a face make the same of it, number for number. */
#ifndef SN_MESH_PARTS_SECTION_H
#define SN_MESH_PARTS_SECTION_H

#include "mesh/parts/cell.h"

enum { SN_FACE_CORNERS = 4 };

typedef struct {
    sn_lattice_square face;
    int corner[SN_FACE_CORNERS]; /* of the cell */
    int winding[SN_FACE_CORNERS];
    sn_elements root;        /* of all elements of the cell */
    SN_VECTOR(uint8_t) has;  /* is a triangle's segment in the face? */
    SN_VECTOR(uint8_t) tied; /* does it, or a line through it, come to the border? */
    sn_line_crossings border, line;
} sn_face_section;

void sn_face_section_free(sn_face_section *section);

/* Of a cell that is cut and wound. */
void sn_face_section_make(sn_face_section *section, sn_part_cell *cell, int face, int outward);

/* The element that a point in the plane of the section is bounded by, and the winding number there.
 */
int32_t sn_face_section_locate(const sn_face_section *section, sn_part_cell *cell,
                               sn_lattice_point p, int *winding);

/* The ends of a triangle's segment, in units of a cell from the cell's lowest corner; false if the
 * triangle does not pass through the plane. */
bool sn_face_section_segment(const sn_face_section *section, const sn_part_cell *cell,
                             int32_t triangle, double end[2][3]);

#endif
