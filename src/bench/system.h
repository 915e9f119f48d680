/* The linear system that solver benches work on: a body linearised at rest (section 10.4). */
#ifndef SN_BENCH_SYSTEM_H
#define SN_BENCH_SYSTEM_H

#include "bench/solid.h"
#include "multigrid/multigrid.h"
#include "solve/linear.h"

typedef struct {
    double poisson;
    double stiffness_jump; /* Young's modulus of one half of the body; 1 in the other */
    double hourglass;      /* rule for hourglass modes */
    sn_multigrid_settings multigrid;
    bool on_its_base; /* its lowest part is held, and not its corners */
} sn_bench_material;

typedef struct {
    sn_bodies bodies;
    sn_hierarchy forest;
    float (*centroid)[3]; /* of the finest elements */
    sn_system finest;
    sn_levels levels;
    sn_multigrid mg;
    sn_preconditioner preconditioner; /* mg */
    double prepare_seconds;           /* what its last preparation took */
} sn_bench_system;

/* Collective. Holds the nodes of the elements at the eight corners of the body's bounds, or, of a
 * body that has none there or should be held so, the lowest. The solid and the system must not move
 * in memory. */
SN_CHECKED sn_status sn_bench_system_create(MPI_Comm comm, sn_bench_solid *solid,
                                            sn_bench_material material, sn_bench_system *system);
void sn_bench_system_free(sn_bench_system *system);

/* A field of numbers in [-1, 1] that belong to the nodes' keys; zero where pinned. */
double *sn_bench_system_random(const sn_bench_system *system);

#endif
