/* Between one level and the next coarser one: nodal values up and down, element values up
 * (sections 7.2, 7.3 and 9 of the paper).
 *
 *      coarse nodes  --P-->  fine nodes     each fine node is interpolated in the coarse element
 *      coarse nodes  <--R--  fine nodes     that contains it; R is P transposed, exactly
 *
 * Each level has its own partition, and the coarse one may be on fewer ranks. Both directions are
 * lists that are made once and then replayed: what a rank computes are its own rows, from values
 * of its own and of others that an exchange brings. A row's terms stand along the curve of the
 * level they come from, so a sum has the same bits on any number of ranks and threads.
 *
 * An array that is read needs room behind this rank's own entries for those of others. They are
 * not the ghosts of octree/octree.h, and overwrite what was there: ask sn_transfer_room_*. */
#ifndef SN_TRANSFER_TRANSFER_H
#define SN_TRANSFER_TRANSFER_H

#include "field/field.h"
#include "octree/octree.h"
#include "transfer/children.h"

/* Rows of weights over the values of this rank and, after them, of others. */
typedef struct {
    sn_local n_rows;
    sn_local *first; /* n_rows + 1: into the entries */
    sn_local *index;
    uint8_t *weight; /* in units of 1/64: exact (coarse_site.h) */
    sn_exchange exchange;
} sn_weighted_rows;

typedef struct {
    sn_weighted_rows prolongation; /* a row for each owned fine node */
    sn_weighted_rows restriction;  /* a row for each owned coarse node */
    sn_children children;
} sn_transfer;

/* Collective. `coarse` was made by sn_octree_coarsen from `fine`; neither is needed afterwards. */
SN_CHECKED sn_status sn_transfer_create(const sn_octree *fine, const sn_octree *coarse,
                                        sn_transfer *transfer);
void sn_transfer_free(sn_transfer *transfer);

/* How many entries an array must have: of coarse nodes to prolong, of fine nodes to restrict, of
 * fine elements to coarsen. */
sn_local sn_transfer_room_coarse_nodes(const sn_transfer *transfer);
sn_local sn_transfer_room_fine_nodes(const sn_transfer *transfer);
sn_local sn_transfer_room_fine_elements(const sn_transfer *transfer);

/* Collective, as all that follow. fine += P coarse, for this rank's own fine nodes. */
void sn_prolong_add_f64(sn_transfer *transfer, double *coarse, double *fine);
void sn_prolong_add_f32(sn_transfer *transfer, float *coarse, float *fine);

/* coarse = R fine, for this rank's own coarse nodes. */
void sn_restrict_f64(sn_transfer *transfer, double *fine, double *coarse);
void sn_restrict_f32(sn_transfer *transfer, float *fine, float *coarse);

/* The same for one real a node: masses are coarsened by it, and keep their sum. */
void sn_restrict_scalar_f64(sn_transfer *transfer, double *fine, double *coarse);

/* A coarse node is pinned if the fine node at its place is, or if pinned fine nodes have at least
 * half of the weight that reaches it. The arrays hold own nodes only. */
void sn_restrict_pins(sn_transfer *transfer, const uint8_t *fine, uint8_t *coarse);

/* Bytes that this rank holds. */
size_t sn_transfer_memory(const sn_transfer *transfer);

#endif
