/* The prolongation that only moves aggregates rigidly: a block for each unknown, at its aggregate.
 * Owners of aggregates find the motions, from members in the order of their keys. */
#ifndef SN_RIGID_TENTATIVE_H
#define SN_RIGID_TENTATIVE_H

#include "rigid/modes.h"
#include "sparse/sparse.h"

/* Collective. `fine` unknowns of `reals` reals are in the aggregates `parent`, or in none; these
 * are the `coarse` ones. `motion` are the fine ones' centres and modes, `coarse_motion` becomes
 * those of the coarse ones. Both kinds of unknowns must stay. */
SN_CHECKED sn_status sn_tentative_create(const sn_unknowns *fine, int reals, const sn_key *parent,
                                         const sn_rigid_unknown *motion, const sn_unknowns *coarse,
                                         sn_rigid_unknown *coarse_motion, sn_sparse *tentative);

#endif
