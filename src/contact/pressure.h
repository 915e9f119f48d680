/* How hard contacts press on the surface: their forces along their normals, over the area.
 *
 * A spring of a contact pushes the vertex that it belongs to. In contact of flesh with flesh it
 * pushes the target as much, and so the corners of the target's triangle by their weights.
 *
 * The area is what the springs count for: what faces the contact, stretched as the surface there is
 * now. So the edges and corners that a cube stands on are pressed as hard as the middle, and the
 * integral of the pressure over the part of a surface that is in contact is the force. Of two
 * surfaces of flesh each has half of its area in its own springs, and half in those of the other,
 * wherever they end: meshes that do not match show no pattern. Friction is not in it. */
#ifndef SN_CONTACT_PRESSURE_H
#define SN_CONTACT_PRESSURE_H

#include "contact/contacts.h"

/* What presses on a vertex: the pressure is the force over the area. Both are 0 where nothing does.
 */
typedef struct {
    double force, area;
} sn_press;

static inline double sn_pressure_of(sn_press p)
{
    return p.area > 0 ? p.force / p.area : 0;
}

/* Collective. At each of this rank's vertices of the render mesh, at the last accepted step;
 * `shape` has the bodies' surfaces there. What presses on points between the vertices is not seen.
 * The same bits on any number of ranks. */
void sn_contacts_press(const sn_contacts *contacts, const sn_mesh *shape, sn_press *press);

#endif
