/* How hard contact is: from what a scene says to the pressure for a unit of depth.
 *
 * Springs of contact push with pressure times depth times area: what is pressed by how deep it is,
 * whatever the cells and however the render mesh is cut. A scene gives this pressure for a unit of
 * depth as a number, leaves it to the flesh (`auto`), or gives the force on the face of a finest
 * cell (`stiffness`), which is the pressure times that area.
 *
 * Chosen by the flesh it is ten times Young's modulus over the finest cell: contact then gives way
 * by a tenth of what the layer of cells behind it does, and is not so much stiffer that it would
 * cost Newton's method many iterations. Depths shrink with the cells. */
#ifndef SN_CONTACT_STIFFNESS_STIFFNESS_H
#define SN_CONTACT_STIFFNESS_STIFFNESS_H

#include "contact/settings.h"

/* What `auto` is made of. */
typedef struct {
    double young, cell; /* of a body: its modulus, and its finest cells */
} sn_contact_flesh;

/* Pressures for a unit of depth, and for a unit of way along the surface. */
typedef struct {
    double normal, tangential;
} sn_contact_hardness;

/* Of a body against a collider. */
sn_contact_hardness sn_contact_hardness_of(const sn_contact_law *law, sn_contact_flesh flesh);

/* Of one body against another, or itself: both give way, one after the other (their harmonic
 * mean). The same in either order. */
sn_contact_hardness sn_contact_hardness_between(const sn_contact_law *law, sn_contact_flesh a,
                                                sn_contact_flesh b);

#endif
