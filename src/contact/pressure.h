/* How hard contacts press on the surface: their forces along their normals, over the area.
 *
 * A spring of a contact pushes the vertex that it belongs to. In contact of flesh with flesh it
 * pushes the target as much, and so the corners of the target's triangle by their weights. Areas
 * are those of the surface as it is now: the integral of the pressure over the surface of a frame
 * is the force. Friction is not in it. */
#ifndef SN_CONTACT_PRESSURE_H
#define SN_CONTACT_PRESSURE_H

#include "contact/contacts.h"

/* Collective. At each of this rank's vertices, at the last accepted step; `shape` has the bodies'
 * surfaces there. The same bits on any number of ranks. */
void sn_contacts_pressure(const sn_contacts *contacts, const sn_mesh *shape, double *pressure);

#endif
