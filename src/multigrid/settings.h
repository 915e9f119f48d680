/* What the multigrid cycle is told: how it smoothes, how often it visits coarse levels, and in
 * which precision it computes. A scene chooses smoother, degree and precision. */
#ifndef SN_MULTIGRID_SETTINGS_H
#define SN_MULTIGRID_SETTINGS_H

typedef enum { SN_SMOOTH_CHEBYSHEV, SN_SMOOTH_JACOBI } sn_smoother;
typedef enum { SN_PRECISION_AUTO, SN_PRECISION_SINGLE, SN_PRECISION_DOUBLE } sn_precision;

typedef enum { SN_COARSE_AUTO, SN_COARSE_GEOMETRIC, SN_COARSE_RIGID } sn_coarse;

typedef struct {
    sn_smoother smoother;
    int degree;      /* sweeps of Jacobi, or the polynomial's degree at Poisson's ratio 0.3; it is
                      * raised for flesh that is less compressible */
    double damping;  /* of Jacobi */
    double fraction; /* of the spectrum, from above, that Chebyshev smoothes */
    int amli_from;   /* the finest level whose cycle is repeated (amli.h), if it is small, or 1
                      * where parts are thin; 0: none */
    int amli_levels; /* how many levels are, from there on */
    sn_precision precision;
    sn_coarse coarse;     /* what coarse unknowns are: nodes of coarser octrees, or rigid motions */
    int most_exact;       /* nodes of a level of thin parts that may be solved exactly; 0: none is
                           * but the coarsest */
    int geometric_levels; /* of them, before rigid motions take over; 0: it is chosen */
} sn_multigrid_settings;

/* By iterations and processor time to 1e-6 on the cube of section 10.4. At 64 and 128 cells a
 * side, fractions from 0.75 to 0.95, eigenvalues with less margin, and no pins on coarse levels
 * but those at the same place made a difference of one iteration; pinning every coarse node that a
 * pinned one reaches did not converge in 30. Plain V-cycles need more iterations with every level:
 * 12, 15, 18, 21 from 32 to 256 cells (18 at 256 with degree 3, in the same time). With two cycles
 * as one on all levels from 2 on it was 11 at each of these sizes, in 0.56 of the time at 256;
 * from level 1 on it was no fewer, and from level 3 on 13. Three cycles on two levels took
 * as many iterations as two on three, on a cube of 32 cells and on a creature of six levels. Single
 * precision is the faster one: it moves half of the bytes. */
#define SN_MULTIGRID_DEFAULTS                                                                      \
    ((sn_multigrid_settings){.smoother = SN_SMOOTH_CHEBYSHEV,                                      \
                             .degree = 2,                                                          \
                             .damping = 0.3,                                                       \
                             .fraction = 0.92,                                                     \
                             .amli_from = 2,                                                       \
                             .amli_levels = 2,                                                     \
                             .precision = SN_PRECISION_AUTO,                                       \
                             .coarse = SN_COARSE_AUTO,                                             \
                             .most_exact = 3000})

#endif
