/* The same system on coarser levels, discretised directly (section 7.3 of the paper).
 *
 * A coarse level is not the projection of the finer one: it has elements of its own. What they are
 * made of, its centroids, masses and pins come from the finer level once; deformation gradients,
 * springs and what pinned nodes hold follow each linearisation of the finest system. Transfers
 * between two levels are here as well, since all of this goes through them.
 *
 * Bodies may want different coarse levels. Then they are in groups, and from level 1 on each group
 * has systems of its own, in which the bodies of others are left out: held where they are. Springs
 * to them are springs to the ground there. So each group's systems are as definite as that of all.
 *
 *     level 0    one system, all bodies
 *     level 1    a system of group 0    a system of group 1
 *     level 2    a system of group 0    perhaps one of group 1
 *
 * Knows nothing of cycles or smoothers (multigrid/multigrid.h). */
#ifndef SN_SYSTEM_LEVELS_H
#define SN_SYSTEM_LEVELS_H

#include "octree/hierarchy.h"
#include "system/system.h"
#include "transfer/transfer.h"

enum { SN_MOST_GROUPS = 2 };

typedef struct {
    int n;                           /* groups, at least one; each has a body */
    int systems[SN_MOST_GROUPS];     /* levels with systems, the finest among them; none has more
                                      * than the group before */
    uint8_t of_body[SN_MOST_BODIES]; /* its group */
} sn_level_groups;

/* All bodies in one group, with so many levels. */
sn_level_groups sn_levels_of_all(int systems);

typedef struct {
    int n; /* levels of group 0, which has the most */
    sn_level_groups groups;
    sn_system *finest; /* the caller's */
    sn_system coarse[SN_MOST_GROUPS][SN_MAX_LEVELS - 1];
    sn_transfer transfer[SN_MAX_LEVELS - 1]; /* from each level to the next coarser one */
    float (*point[SN_MAX_LEVELS - 1])[3];    /* of coarse elements: where F is asked for */
    int64_t seen[SN_SPRING_SLOTS];           /* changes of the finest springs that are followed */
    double rate;                             /* of damping that coarse elements have */
} sn_levels;

/* Collective, as `linearise`. The finest system is that of the forest's finest tree; both must stay
 * where they are. The forest has as many levels as the groups want. Coarse levels have the
 * precisions of the finest. After a failure there is nothing to free. */
SN_CHECKED sn_status sn_levels_create(sn_hierarchy *forest, const sn_level_groups *groups,
                                      sn_system *finest, sn_levels *levels);
void sn_levels_free(sn_levels *levels);

/* From now on a group has so many levels with systems, no more than it had and no fewer than the
 * next group. */
void sn_levels_cut(sn_levels *levels, int group, int systems);

/* The system of a level that a group has; level 0 is the finest, of all groups. */
static inline sn_system *sn_levels_of_group(const sn_levels *levels, int group, int level)
{
    return level == 0 ? levels->finest : (sn_system *)&levels->coarse[group][level - 1];
}

/* That of the first group, which has one on every level. */
static inline sn_system *sn_levels_at(const sn_levels *levels, int level)
{
    return sn_levels_of_group(levels, 0, level);
}

/* Coarse levels follow the last linearisation of the finest, which was about x. Does nothing if
 * they have followed it already. */
SN_CHECKED sn_status sn_levels_linearise(sn_levels *levels, double *x);

/* Of that, the springs alone. */
SN_CHECKED sn_status sn_levels_update_springs(sn_levels *levels);

/* The springs of a slot are as they will always be, and coarse levels have them: what only making
 * those needs is forgotten on all. Not collective, but to be called on all ranks. */
void sn_levels_settle_springs(sn_levels *levels, int slot);

/* Where the nodes of a level are, as a field, if those of the finest are at x: so that those of
 * each finer level lie between them. The caller frees it. */
double *sn_levels_positions(sn_levels *levels, const double *x, int level);

/* Bytes of coarse systems and transfers. */
size_t sn_levels_memory(const sn_levels *levels);

#endif
