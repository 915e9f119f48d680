/* What is known of one contact of flesh with flesh, and where its two ends are in any shape.
 *
 * A record has the point by its number and the target as a place of a flat triangle; positions are
 * read from the shape that is asked for: the surface now, or as it was before the step. */
#ifndef SN_CONTACT_SELF_RECORD_H
#define SN_CONTACT_SELF_RECORD_H

#include "base/array.h"
#include "contact/self/surface.h"
#include "springs/spring.h"

/* A contact of a point with a target. Places are at rest. No padding. */
typedef struct {
    int64_t vertex;   /* the point's number in the embedding */
    int64_t body;     /* the target's */
    int64_t triangle; /* that the target lies on, by its number in the surface */
    double weight[3]; /* of its corners */
    double at[3];     /* the target */
    double normal[3];
    double anchor[3]; /* of the friction, in the same body */
    double push;      /* force along the normal, once the step is accepted */
    double area;      /* at rest, that faced the target when the contact began */
    double free;      /* depth that was there before the contact began, and is not pushed back */
} sn_self_record;

typedef SN_VECTOR(sn_self_record) sn_self_record_list;

/* Not collective, as all below. The target becomes a place of a triangle. */
void sn_self_aim(const sn_self_surface *surface, int64_t triangle, const double weight[3],
                 sn_self_record *record);

/* Where a point is in this shape. */
sn_vec sn_self_point_in(const sn_self_surface *surface, const sn_mesh *shape, int64_t number);

/* From the point to the target, in this shape; and how deep the point is below the target. */
sn_vec sn_self_way_out(const sn_self_surface *surface, const sn_mesh *shape,
                       const sn_self_record *record);
double sn_self_depth(const sn_self_surface *surface, const sn_mesh *shape,
                     const sn_self_record *record);

/* The target as the second point of a spring. */
sn_flat_place sn_self_flat_place(const sn_self_surface *surface, const sn_self_record *record);

#endif
