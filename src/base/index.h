/* Index types that don't mix by accident.
 *
 * sn_local counts things on this rank: octants, elements, nodes. sn_global counts along the
 * whole curve; it is a struct, so the compiler refuses to add one to the other. */
#ifndef SN_BASE_INDEX_H
#define SN_BASE_INDEX_H

#include <stdint.h>

typedef int32_t sn_local;

typedef struct {
    int64_t value;
} sn_global;

enum { SN_NONE = -1 }; /* a local index that points nowhere */

#define SN_LOCAL_MAX INT32_MAX

#endif
