/* Springs of one kind on all levels: given on the finest, re-embedded in each coarser one. */
#ifndef SN_SPRINGS_FAMILY_H
#define SN_SPRINGS_FAMILY_H

#include "octree/hierarchy.h"
#include "springs/springs.h"

typedef struct {
    int n_levels;
    sn_spring_set level[SN_MAX_LEVELS];
} sn_spring_family;

/* Collective, as `linearise`. A locator for each level, which must stay. If all springs are such
 * that no matrix depends on positions, coarse levels are made at once and for good. After a
 * failure there is nothing to free. */
SN_CHECKED sn_status sn_spring_family_create(const sn_locator *locators, int n_levels,
                                             const sn_spring *springs, size_t n,
                                             sn_spring_family *family);
void sn_spring_family_free(sn_spring_family *family);
size_t sn_spring_family_memory(const sn_spring_family *family);

/* Linearises the finest level about x, and makes the coarser ones anew. */
SN_CHECKED sn_status sn_spring_family_linearise(const sn_locator *locators,
                                                sn_spring_family *family, const double *x);

static inline bool sn_spring_family_is_empty(const sn_spring_family *family)
{
    return family->level[0].n_everywhere == 0;
}

#endif
