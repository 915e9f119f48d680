/* What a scene says about the frames that are written. */
#ifndef SN_SHOT_OUTPUT_SETTINGS_H
#define SN_SHOT_OUTPUT_SETTINGS_H

#include <stdbool.h>

/* What frames may have beside positions; shot/output/fields.h says what each is. */
typedef enum {
    SN_FIELD_DISPLACEMENT,
    SN_FIELD_VELOCITY,
    SN_FIELD_DET_F,
    SN_FIELD_STRESS,
    SN_FIELD_CONTACT_PRESSURE,
    SN_FIELD_MATERIAL,
    SN_FIELD_OWNER,
    SN_FIELD_FRACTION,
    SN_FIELD_KINDS
} sn_field_kind;

typedef struct {
    char *dir;
    int every;
    bool preroll; /* its frames are written too */
    bool octree;
    int fields; /* 1 << sn_field_kind for each; negative: left out, all in cells only */
} sn_output_settings;

#endif
