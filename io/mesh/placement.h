/* Meshes put where a scene wants them. */
#ifndef SN_IO_MESH_PLACEMENT_H
#define SN_IO_MESH_PLACEMENT_H

#include "io/mesh/settings.h"

#include <stdint.h>

/* A placement that was not given leaves every bit as it is. */
void sn_placement_apply(const sn_placement *place, double (*vertex)[3], int64_t n);

#endif
