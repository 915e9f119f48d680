/* The contacts of the last accepted step, friction's anchors included, as tables of a checkpoint.
 */
#ifndef SN_SHOT_CHECKPOINT_CONTACTS_H
#define SN_SHOT_CHECKPOINT_CONTACTS_H

#include "contact/memory.h"
#include "io/hdf5/state.h"

/* Collective. */
void sn_write_contacts(sn_h5_file *file, const sn_contact_memory *memory);

/* Collective. Replaces a memory by that of the file, each rank's part that of its vertices in the
 * embedding. */
SN_CHECKED sn_status sn_read_contacts(sn_h5_source *source, const sn_embedding *embedding,
                                      sn_contact_memory *memory);

#endif
