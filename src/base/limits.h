/* What the system allows a process: open files, the size of files, memory.
 *
 * MPI meets a limit that is too low while it starts, and ends the program with words of its own; so
 * limits are looked at before. Later ones are failures like any other. */
#ifndef SN_BASE_LIMITS_H
#define SN_BASE_LIMITS_H

#include "base/status.h"

/* Before MPI is started. The limit of open files is raised as far as allowed and of use; SN_MACHINE
 * if a limit is lower than MPI, HDF5 and Embree need to start at all. */
SN_CHECKED sn_status sn_limits_check(void);

#endif
