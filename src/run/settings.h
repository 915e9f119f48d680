/* What a scene says about the checkpoints of a run. */
#ifndef SN_RUN_SETTINGS_H
#define SN_RUN_SETTINGS_H

typedef struct {
    int every, keep;
} sn_checkpoint_settings;

#endif
