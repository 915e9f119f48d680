/* Which bone or collider is nearest to a place, how far, and how fast it moves there. */
#ifndef SN_RUN_NEAREST_H
#define SN_RUN_NEAREST_H

#include "render/props.h"

typedef struct {
    const char *kind, *name; /* "bone" or "collider"; NULL: there is none. The props' */
    double distance;         /* to its surface */
    double way;              /* of what is there of it, between the two frames */
} sn_nearest;

/* Not collective. Things that change their shape are not looked at. */
sn_nearest sn_nearest_to(const sn_props *props, const double place[3], double frame, double other);

#endif
