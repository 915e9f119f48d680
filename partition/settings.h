/* What a scene says about who owns what. */
#ifndef SN_PARTITION_SETTINGS_H
#define SN_PARTITION_SETTINGS_H

typedef enum { SN_PARTITION_CURVE, SN_PARTITION_PARMETIS } sn_partition_method;

typedef struct {
    sn_partition_method method;
} sn_partition_settings;

#endif
