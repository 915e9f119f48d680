/* The contacts of the last accepted step, friction's anchors included, as tables of a checkpoint.
 */
#ifndef SN_SHOT_CHECKPOINT_CONTACTS_H
#define SN_SHOT_CHECKPOINT_CONTACTS_H

#include "contact/memory.h"
#include "io/hdf5/state.h"

/* Collective. */
void sn_write_contacts(sn_h5_file *file, const sn_contact_memory *memory);

/* Collective. Replaces a memory by that of the file. Each rank gets an equal part of all records,
 * whoever will have their points (sn_contact_memory_deal). What they say is not looked at, but
 * there are no more than points and colliders allow. */
SN_CHECKED sn_status sn_read_contacts(sn_h5_source *source, size_t n_colliders,
                                      sn_contact_memory *memory);

#endif
