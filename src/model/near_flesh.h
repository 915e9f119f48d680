/* Where the flesh is that a node moves, for nodes that share their place with others.
 *
 *      |####|  |####|       Two fingers in one cell: its corners have a node for each of them, and
 *      |####|  |####|       all stand where the cell has them, at x. A region that holds x and one
 *      |####x--|-##-|--     finger is meant for the node of that finger. So a node is asked for at
 *      |####|  |####|       the nearest points of its own flesh, one in each element around it.
 *
 * What an element has of its part is taken for a box of the same volume and centroid. */
#ifndef SN_MODEL_NEAR_FLESH_H
#define SN_MODEL_NEAR_FLESH_H

#include "base/array.h"
#include "model/model.h"

typedef struct {
    sn_local node;   /* an owned one that shares its place; it has several points */
    double place[3]; /* of its flesh in one of its elements: the nearest to it */
} sn_near_point;

typedef SN_VECTOR(sn_near_point) sn_near_points;

/* Not collective. The caller frees them; there are none where no node shares its place. */
sn_near_points sn_near_flesh_find(const sn_model *model);

#endif
