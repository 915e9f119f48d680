/* Names that ranks have, some here and some there, as one list. */
#ifndef SN_BASE_NAMES_H
#define SN_BASE_NAMES_H

#include <mpi.h>

enum { SN_NAME_BYTES = 48 }; /* with what ends it */

typedef char sn_name[SN_NAME_BYTES];

/* Collective. The names that any rank has, each once, in order; the same on all. The caller frees
 * them. Bytes behind a name's end must be zero. */
int sn_names_gather(MPI_Comm comm, const sn_name *own, int n, sn_name **all);

#endif
