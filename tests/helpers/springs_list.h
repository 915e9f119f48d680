/* Random springs for the bodies of multigrid_problem.h, the same on any ranks. Those with friction
 * may have their second point on a triangle. */
#ifndef SN_TESTS_SPRINGS_LIST_H
#define SN_TESTS_SPRINGS_LIST_H

#include "springs/spring.h"

#include <mpi.h>

typedef enum {
    SPRINGS_TIES,     /* one point, one stiffness, two-sided, no limit */
    SPRINGS_STICKING, /* normal and tangential stiffness, no limit */
    SPRINGS_SLIPPING, /* a limit that most of them exceed */
    SPRINGS_CONTACTS, /* one-sided, with friction; some push, some don't */
    SPRINGS_TWO_ENDS, /* points in one body or two, isotropic, no rest length */
    SPRINGS_MIXED,    /* of all kinds */
    SPRINGS_KINDS,
} springs_kind;

extern const char *const springs_kind_names[SPRINGS_KINDS];

/* This rank's share of `n` springs; the caller frees it. */
sn_spring_list springs_list(MPI_Comm comm, springs_kind kind, int n, double stiffness);

#endif
