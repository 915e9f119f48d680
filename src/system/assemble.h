/* A system as a matrix with entries: 3x3 blocks between the nodes of a level.
 *
 * Elements are added along the curve, then springs by number, then what is added to the diagonal,
 * so the bits do not depend on the partition. Blocks of pinned nodes are zero, and of their rows
 * there is the diagonal alone: as a product the matrix is that of the system (system.h). */
#ifndef SN_SYSTEM_ASSEMBLE_H
#define SN_SYSTEM_ASSEMBLE_H

#include "sparse/sparse.h"
#include "system/system.h"

/* The owned nodes of a level as unknowns; the caller frees the keys. The tree must stay. */
sn_unknowns sn_system_unknowns(const sn_octree *tree);

/* Collective: A of the last linearisation. The unknowns are those of its tree and must stay. After
 * a failure there is nothing to free. */
SN_CHECKED sn_status sn_system_assemble(const sn_system *system, const sn_unknowns *unknowns,
                                        sn_sparse *matrix);

#endif
