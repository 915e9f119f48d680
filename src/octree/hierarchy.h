/* The forest: all levels of the octree hierarchy, from triangles to the coarsest level. */
#ifndef SN_OCTREE_HIERARCHY_H
#define SN_OCTREE_HIERARCHY_H

#include "octree/octree.h"
#include "octree/parts.h"
#include "octree/surface.h"

enum {
    SN_MAX_LEVELS = 20,
    SN_COARSEST_ELEMENTS = 64, /* a level this small is not coarsened any more */
    /* A coarse level is put on fewer ranks when each would get less than this. */
    SN_OCTANTS_PER_RANK = 2000,
};

typedef struct {
    sn_partition_method method;
    int octants_per_rank; /* 0: SN_OCTANTS_PER_RANK */
    int max_levels;       /* 0: as many as there are */
} sn_hierarchy_options;

typedef struct {
    const sn_bodies *bodies; /* the caller's */
    int n_levels;
    sn_octree level[SN_MAX_LEVELS]; /* level 0 is the finest */
    sn_parts parts; /* of the finest level's cells that are apart, those of this rank */
} sn_hierarchy;

/* How many of `size` ranks a level is put on that is coarsened from one with so many octants. */
int sn_hierarchy_parts(int64_t finer_octants, int octants_per_rank, int size);

/* Collective. One solid for each body. */
SN_CHECKED sn_status sn_hierarchy_create(MPI_Comm comm, const sn_bodies *bodies,
                                         const sn_solid *solids,
                                         const sn_hierarchy_options *options,
                                         sn_hierarchy *hierarchy);
void sn_hierarchy_free(sn_hierarchy *hierarchy);

/* Collective. One digest for all levels. */
uint64_t sn_hierarchy_digest(const sn_hierarchy *hierarchy);

#endif
