/* Rigid motions of what is grouped into an aggregate: three ways to move and three to turn.
 *
 * An unknown has a centre, and says what its reals do when it moves or turns about that:
 *
 *      reals of the unknown = modes * (translation, rotation)
 *
 * A node is a point: turned about itself it does nothing. An aggregate's reals are coefficients of
 * orthonormal motions Q of its members, so that for any motion about its own centre
 *
 *      reals of a member = Q of that member * reals of the aggregate
 *
 * holds exactly, level by level: rigid motions of the whole body are in the coarse space. */
#ifndef SN_RIGID_MODES_H
#define SN_RIGID_MODES_H

#include <stddef.h>

enum { SN_MODES = 6 };

typedef struct {
    double centre[3];
    double modes[SN_MODES][SN_MODES]; /* a row for each real: as many as an unknown has */
} sn_rigid_unknown;

/* Q of one member: by columns, as blocks of a matrix are (sparse/sparse.h). */
typedef struct {
    double of[SN_MODES * SN_MODES];
} sn_rigid_share;

sn_rigid_unknown sn_rigid_node(const double x[3]);

/* Motions of `n` members of `reals` reals each, in an order that does not depend on ranks. What an
 * aggregate cannot do, as a point cannot turn and two points cannot about the line between them,
 * has a zero column in all shares. */
sn_rigid_unknown sn_rigid_orthonormal(int reals, const sn_rigid_unknown *const *member, size_t n,
                                      sn_rigid_share *const *share);

#endif
