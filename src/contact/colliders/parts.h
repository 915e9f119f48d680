/* What the files of colliders.h share among themselves. */
#ifndef SN_CONTACT_COLLIDERS_PARTS_H
#define SN_CONTACT_COLLIDERS_PARTS_H

#include "contact/colliders/colliders.h"

/* Collective. Moves the colliders to where they are at `time`; fails if a file cannot be read. */
SN_CHECKED sn_status sn_colliders_move(sn_colliders *colliders, double time);

/* Not collective. What is now becomes what was before; `position` is where the vertices are. */
void sn_colliders_accept(sn_colliders *colliders, const double (*position)[3]);

/* Takes this rank's records, by local vertex and then collider, over; `first` as in sn_colliders.
 */
void sn_colliders_take_records(sn_colliders *colliders, size_t *first, sn_contact_record *record);

/* Deeper in cells; of equals, of the lower vertex or collider. */
bool sn_penetration_is_worse(const sn_penetration *a, const sn_penetration *b);

#endif
