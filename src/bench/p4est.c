#include "bench/p4est.h"

#include <math.h>
#include <stdbool.h>

#ifdef SINEW_P4EST

#include <p8est_extended.h>
#include <p8est_ghost.h>
#include <p8est_lnodes.h>

static int touches_a_side(p8est_t *p4est, p4est_topidx_t tree, p8est_quadrant_t *q)
{
    (void)tree;
    const int *level = p4est->user_pointer;
    p4est_qcoord_t far = P8EST_ROOT_LEN - P8EST_QUADRANT_LEN(q->level);
    bool at_side = q->x == 0 || q->y == 0 || q->z == 0 || q->x == far || q->y == far || q->z == far;
    return at_side && q->level < *level;
}

/* The refinement, spread evenly over the ranks; not part of what is timed. */
static p8est_t *refined_cube(MPI_Comm comm, p8est_connectivity_t *cube, int *level)
{
    enum { UNIFORM_LEVEL = 3 }; /* so that every rank has something to refine */
    int uniform = *level < UNIFORM_LEVEL ? 0 : UNIFORM_LEVEL;
    p8est_t *p4est = p8est_new_ext(comm, cube, 0, 0, 1, 0, NULL, level);
    for (int l = 0; l < *level; l++) {
        p8est_refine(p4est, 0, touches_a_side, NULL);
        if (l >= uniform)
            p8est_partition(p4est, 0, NULL);
    }
    return p4est;
}

double sn_bench_p4est(MPI_Comm comm, int level, int64_t *leaves)
{
    sc_init(comm, 0, 0, NULL, SC_LP_ERROR);
    p4est_init(NULL, SC_LP_ERROR);
    p8est_connectivity_t *cube = p8est_connectivity_new_unitcube();
    p8est_t *p4est = refined_cube(comm, cube, &level);
    MPI_Barrier(comm);
    double start = MPI_Wtime();
    p8est_balance(p4est, P8EST_CONNECT_FULL, NULL);
    p8est_ghost_t *ghost = p8est_ghost_new(p4est, P8EST_CONNECT_FULL);
    p8est_lnodes_t *nodes = p8est_lnodes_new(p4est, ghost, 1);
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    *leaves = p4est->global_num_quadrants;
    p8est_lnodes_destroy(nodes);
    p8est_ghost_destroy(ghost);
    p8est_destroy(p4est);
    p8est_connectivity_destroy(cube);
    sc_finalize();
    return seconds;
}

#else

double sn_bench_p4est(MPI_Comm comm, int level, int64_t *leaves)
{
    (void)comm, (void)level;
    *leaves = 0;
    return NAN;
}

#endif
