/* What contacts keep from one accepted step to the next: which of them pushed, and where their
 * friction is anchored. With the nodes' state and the time it is all that the next step depends on,
 * so a checkpoint holds it. */
#ifndef SN_CONTACT_MEMORY_H
#define SN_CONTACT_MEMORY_H

#include "contact/colliders/colliders.h"
#include "contact/self/contacts.h"

/* Records of vertices that this rank has. Zeroed memory is an empty one. */
typedef struct {
    int64_t n_points; /* of the surface whose points are numbered; 0: not known yet */
    sn_contact_record_list colliders;
    sn_self_record_list flesh;
} sn_contact_memory;

void sn_contact_memory_free(sn_contact_memory *memory);

/* Collective. Brings each record to the rank that has its vertex in this embedding, from whichever
 * rank has it now. What arrives is in no order. */
void sn_contact_memory_deal(sn_contact_memory *memory, const sn_embedding *embedding);

/* Not collective. Numbers are those of the points of this embedding. Records of another surface,
 * refined otherwise because cells are others now, mean nothing there and are forgotten. */
void sn_contact_memory_number(sn_contact_memory *memory, const sn_embedding *embedding);

/* Collective. Brings records of any size that start with the number of a vertex (64 bits) to the
 * ranks that have these vertices. They are replaced, in no order; the caller frees them. */
void sn_deal_by_vertex(const sn_embedding *embedding, size_t record_bytes, void **records,
                       size_t *n);

#endif
