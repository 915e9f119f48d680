/* Bones and colliders of a run for its export: as the run's scene has them. */
#ifndef SN_CLI_EXPORT_PROPS_H
#define SN_CLI_EXPORT_PROPS_H

#include "io/export/export.h"
#include "render/props.h"

typedef struct {
    sn_scene scene;
    sn_props props;
    SN_VECTOR(sn_export_prop) list;
} sn_export_props;

/* Not collective. Half spaces have no mesh, and sequences no pose: those are left out, which is
 * said. After a failure there is nothing to free. */
SN_CHECKED sn_status sn_export_props_open(const char *run_dir, bool bones, bool colliders,
                                          sn_export_props *props);
void sn_export_props_free(sn_export_props *props);

#endif
