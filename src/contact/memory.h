/* What contacts keep from one accepted step to the next: which of them pushed, and where their
 * friction is anchored. With the nodes' state and the time it is all that the next step depends on,
 * so a checkpoint holds it. */
#ifndef SN_CONTACT_MEMORY_H
#define SN_CONTACT_MEMORY_H

#include "contact/colliders/colliders.h"
#include "contact/self/contacts.h"

/* Records of vertices that this rank has. Zeroed memory is an empty one. */
typedef struct {
    sn_contact_record_list colliders;
    sn_self_record_list flesh;
} sn_contact_memory;

void sn_contact_memory_free(sn_contact_memory *memory);

/* Collective. Brings each record to the rank that has its vertex in this embedding, from whichever
 * rank has it now. What arrives is in no order. */
void sn_contact_memory_deal(sn_contact_memory *memory, const sn_embedding *embedding);

#endif
