/* The ways to decide who owns what. */
#ifndef SN_PARTITION_METHOD_H
#define SN_PARTITION_METHOD_H

typedef enum { SN_PARTITION_CURVE, SN_PARTITION_PARMETIS } sn_partition_method;

#endif
