/* A seal: the last bytes of a file, which tell whether every byte before them is as it was written.
 *
 * For files that a library reads which may stumble over damage. Readers that know nothing of
 * seals don't notice them, as long as their format allows for bytes that follow (HDF5 does). The
 * digest is one of blocks, which the ranks share among them. */
#ifndef SN_IO_HDF5_SEAL_H
#define SN_IO_HDF5_SEAL_H

#include "base/status.h"

/* Collective, as the next. Appends a seal to a file that all ranks see; it is on the disk then. */
SN_CHECKED sn_status sn_seal(MPI_Comm comm, const char *path);

/* SN_MACHINE if the file can't be read, has no seal, or is not what was sealed. */
SN_CHECKED sn_status sn_seal_check(MPI_Comm comm, const char *path);

#endif
