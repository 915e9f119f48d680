/* The tables of all keys that a scene can have, and the checks of single sections. Internal to
 * the scene reader. */
#ifndef SN_IO_SCENE_SCHEMA_H
#define SN_IO_SCENE_SCHEMA_H

#include "io/scene/scene.h"
#include "io/schema/schema.h"

extern const sn_section sn_scene_section;

/* What scenes call the constitutive laws, by number. */
extern const char *const sn_law_names[];

/* Applies `key=value` texts (kept in the origin) to the document before it is checked. */
SN_CHECKED sn_status sn_scene_override(sn_yaml_tree *tree, sn_yaml *root, sn_origin *origin);

/* Fills in what follows from other values, then checks what no single section can know. */
SN_CHECKED sn_status sn_scene_complete(sn_scene *scene);

/* The checks of sections. */
sn_status sn_check_frames(const sn_origin *origin, const char *path, const void *value);
sn_status sn_check_box(const sn_origin *origin, const char *path, const void *value);
sn_status sn_check_cylinder(const sn_origin *origin, const char *path, const void *value);
sn_status sn_check_motion_key(const sn_origin *origin, const char *path, const void *value);
sn_status sn_check_motion(const sn_origin *origin, const char *path, const void *value);
sn_status sn_check_bone(const sn_origin *origin, const char *path, const void *value);
sn_status sn_check_body(const sn_origin *origin, const char *path, const void *value);
sn_status sn_check_collider(const sn_origin *origin, const char *path, const void *value);
sn_status sn_check_self_collision(const sn_origin *origin, const char *path, const void *value);

#endif
