/* The same system on coarser levels, discretised directly (section 7.3 of the paper).
 *
 * A coarse level is not the projection of the finer one: it has elements of its own. What they are
 * made of, its centroids, masses and pins come from the finer level once; deformation gradients,
 * springs and what pinned nodes hold follow each linearisation of the finest system. Transfers
 * between two levels are here as well, since all of this goes through them.
 *
 * Knows nothing of cycles or smoothers (multigrid/multigrid.h). */
#ifndef SN_SYSTEM_LEVELS_H
#define SN_SYSTEM_LEVELS_H

#include "octree/hierarchy.h"
#include "system/system.h"
#include "transfer/transfer.h"

typedef struct {
    int n;             /* levels, the finest among them */
    sn_system *finest; /* the caller's */
    sn_system coarse[SN_MAX_LEVELS - 1];
    sn_transfer transfer[SN_MAX_LEVELS - 1]; /* from each level to the next coarser one */
    float (*point[SN_MAX_LEVELS - 1])[3];    /* of coarse elements: where F is asked for */
    int64_t seen[SN_SPRING_SLOTS];           /* changes of the finest springs that are followed */
    double rate;                             /* of damping that coarse elements have */
} sn_levels;

/* Collective, as `linearise`. The finest system is that of the forest's finest tree; both must stay
 * where they are. There are `n` levels, or as many as the forest has. Coarse levels have the
 * precisions of the finest. After a failure there is nothing
 * to free. */
SN_CHECKED sn_status sn_levels_create(sn_hierarchy *forest, int n, sn_system *finest,
                                      sn_levels *levels);
void sn_levels_free(sn_levels *levels);

/* The system of a level; 0 is the finest. */
static inline sn_system *sn_levels_at(const sn_levels *levels, int level)
{
    return level == 0 ? levels->finest : (sn_system *)&levels->coarse[level - 1];
}

/* Coarse levels follow the last linearisation of the finest, and its gradients are dropped. Does
 * nothing if they have followed it already. */
SN_CHECKED sn_status sn_levels_linearise(sn_levels *levels);

/* Of that, the springs alone. */
SN_CHECKED sn_status sn_levels_update_springs(sn_levels *levels);

/* Where the nodes of a level are, as a field, if the finest system keeps its positions: so that
 * those of each finer level lie between them. The caller frees it. */
double *sn_levels_positions(sn_levels *levels, int level);

/* Bytes of coarse systems and transfers. */
size_t sn_levels_memory(const sn_levels *levels);

#endif
