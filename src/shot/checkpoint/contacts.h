/* The contacts of the last accepted step, friction's anchors included, as tables of a checkpoint.
 */
#ifndef SN_SHOT_CHECKPOINT_CONTACTS_H
#define SN_SHOT_CHECKPOINT_CONTACTS_H

#include "contact/contacts.h"
#include "io/hdf5/state.h"

/* Collective. */
void sn_write_contacts(sn_h5_file *file, const sn_contacts *contacts);

/* Collective. The shot has the time and the positions already that belong to them. */
SN_CHECKED sn_status sn_read_contacts(sn_h5_source *source, double time, double *x,
                                      sn_contacts *contacts);

#endif
