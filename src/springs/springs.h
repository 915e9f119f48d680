/* Springs embedded in one level's octree (section 8).
 *
 * A spring's home is the rank that owns the element of its first point. There it is a row over
 * conforming nodes, of this rank and of others; and every node that springs hang on has, at its
 * owner, a row over springs, of this rank and of others, in the order of the springs' numbers:
 *
 *      nodes  --W-->  springs           d = W x - target
 *      nodes  <--W^T--  springs         f = - W^T dE/dd,       K = W^T M W
 *
 * so every sum has the same bits on any number of ranks and threads. M is a symmetric, positive
 * semidefinite 3x3 matrix for each spring: that of the last linearisation on the finest level, a
 * given one on coarser levels, whose springs have no other law.
 *
 * Fields are those of elastic/operator.h; only owned nodes are read and added to. All calls but
 * `free`, `settle`, `retarget`, those of room and `memory` are collective; without springs on any
 * rank none communicates once the set is made. Nothing here moves with pins or masses: that is for
 * the caller. */
#ifndef SN_SPRINGS_SPRINGS_H
#define SN_SPRINGS_SPRINGS_H

#include "octree/locate.h"
#include "springs/spring.h"

/* At most, that a spring hangs on: eight for each of its points. */
enum { SN_SPRING_NODES = 8 * SN_SPRING_POINTS };

/* xx, xy, xz, yy, yz, zz */
typedef struct {
    double m[6];
} sn_spring_matrix;

/* Of a row: one of the values of this rank and, after them, of others. */
typedef struct {
    sn_local index;
    float weight; /* a whole number of 2^-24, so that the sum of a row's weights is exact */
} sn_spring_entry;

/* Rows of weights in the order in which products read them, which is that of their length: loops
 * over such rows end as expected. */
typedef struct {
    sn_local n_rows;
    sn_local *row;   /* which one is at each place */
    sn_local *first; /* n_rows + 1: into the entries, by place */
    sn_spring_entry *entry;
} sn_spring_rows;

typedef struct {
    const sn_octree *tree; /* the caller's */
    int64_t n_everywhere;  /* springs on all ranks; 0: there is nothing else */
    bool constant;         /* no matrix depends on positions */
    bool isotropic;        /* and here each is a number times the identity */

    sn_local n; /* springs at home here, by number: */
    uint64_t *number;
    sn_flesh_point (*end)[2]; /* both, as the next coarser level sees them; NULL: */
    bool is_settled;          /* no coarser level will ask for them again */
    sn_spring_matrix *matrix; /* NULL in an isotropic set, which has */
    double *stiffness;        /* the numbers */

    /* On the finest level only; NULL on coarse ones, which have matrices and no energy. A set that
     * is settled has those that say anything (sn_spring_set_settle). */
    sn_spring_law *law;
    sn_spring_round *round; /* of the laws that have one */
    size_t n_round;
    double (*aside)[3]; /* what points outside of their elements add to d */
    bool limited;       /* the limits are fixed */
    double *limit;      /* of friction: fixed at the first linearisation, or by relimit */
    double *misfit;     /* of the limits at the last relimit; NULL: there was none */
    double *wanted;     /* limits by the normal forces then */

    sn_spring_rows home;             /* for each spring, over local nodes */
    sn_spring_rows nodes;            /* for each touched node, over local springs */
    sn_local n_touched;              /* owned nodes that springs of any rank hang on */
    sn_local *touched;               /* which they are, ascending */
    sn_key *node_key;                /* of the local nodes: touched ones, then other ranks' */
    sn_exchange node_exchange;       /* touched nodes to other ranks' springs */
    sn_exchange force_exchange;      /* springs to other ranks' nodes */
    double *node_room, *spring_room; /* four reals of each, one behind the other; */
    bool shares_room;                /* they are the caller's */
} sn_spring_set;

/* Springs of any body and any rank, each given on one rank. Fails on numbers that are not finite,
 * negative stiffness, unknown bodies, and springs of one number; after a failure there is nothing
 * to free. The locator may go away, its tree must stay. */
SN_CHECKED sn_status sn_spring_set_create(const sn_locator *locator, const sn_spring *springs,
                                          size_t n, sn_spring_set *set);

/* The same of a list that is freed as soon as all is known of it: what is made of it is larger. */
SN_CHECKED sn_status sn_spring_set_take(const sn_locator *locator, sn_spring_list *springs,
                                        sn_spring_set *set);
void sn_spring_set_free(sn_spring_set *set);
size_t sn_spring_set_memory(const sn_spring_set *set);

/* The springs of a finer level embedded in the next coarser one: those whose matrix is not zero.
 * Springs with both ends in the same eighths of the same elements become one, at their mean place
 * weighted by stiffness, with the sum of their matrices: so a coarse element has no more than a
 * few, and where many lie near each other the cost falls from level to level. Second points on
 * triangles follow their own element there: coarse levels only precondition. */
SN_CHECKED sn_status sn_spring_set_coarsen(const sn_spring_set *fine, const sn_locator *coarse,
                                           sn_spring_set *set);

/* Is everything that this header promises of rows, nodes and exchanges true? Slow, for tests and
 * debug builds; the first rule that is broken is the message of the failure. */
SN_CHECKED sn_status sn_spring_set_check(sn_spring_set *set);

/* The ends of all springs are forgotten: from now on the set can't be coarsened. So are laws, where
 * all springs are plain: constant, of one stiffness in all directions, with targets of zero. Not
 * collective, but to be called on all ranks. */
void sn_spring_set_settle(sn_spring_set *set);

/* What goes on within a call needs room for so many reals. Sets that have no call at the same time
 * may share the room of the largest, which must stay then. Not collective. */
size_t sn_spring_set_room(const sn_spring_set *set);
void sn_spring_set_share_room(sn_spring_set *set, double *room);

/* The matrix of a spring at home here. */
static inline sn_spring_matrix sn_spring_set_matrix(const sn_spring_set *set, sn_local spring)
{
    if (!set->isotropic)
        return set->matrix[spring];
    double k = set->stiffness[spring];
    return (sn_spring_matrix){{k, 0, 0, k, 0, k}};
}

/* Gives every spring at home here, of a set that is not settled, a new target: the one that
 * `target_of` says for its number and the place at rest of its first point, on any thread; no row
 * changes. */
typedef void sn_spring_target_function(void *context, uint64_t number, const double at[3],
                                       double target[3]);
void sn_spring_set_retarget(sn_spring_set *set, sn_spring_target_function *target_of,
                            void *context);

/* What the matrix of a spring that slips is. The tangent, the slope of its force, resists turning
 * but not slipping on: Newton's steps may then jump over the place where it would stick, and back.
 * A secant would go through the force as it is and where it would be none: never too far, but slow.
 * The steady matrix is the tangent with a little of the secant along the way it slips. Of other
 * springs both are the same. */
typedef enum { SN_SPRING_STEADY, SN_SPRING_TANGENT } sn_spring_slope;

/* Makes the matrices: one-sided springs have a normal part only where they push. The first time the
 * limits of friction are fixed by the normal forces at x, for good, so that what is minimised does
 * not change on the way; a spring that does not push then has no friction. */
void sn_spring_set_linearise(sn_spring_set *set, const double *x, sn_spring_slope slope);

/* The energy at x, with the limits of friction of the first linearisation; exact before it is
 * rounded. And f += -dE/dx at x. */
double sn_spring_set_energy(sn_spring_set *set, const double *x);
void sn_spring_set_force_add(sn_spring_set *set, const double *x, double *f);

/* out += K u. */
void sn_spring_set_apply_add_f64(sn_spring_set *set, const double *u, double *out);
void sn_spring_set_apply_add_f32(sn_spring_set *set, const float *u, float *out);

/* diagonal += D, the diagonal of K for a share of 0. A larger one is for smoothers: then share K is
 * no more than D, on however many nodes a spring hangs. For it, an entry is no less than the share
 * of the sum of the absolute values in its row (Baker, Falgout, Kolev and Yang 2011). */
void sn_spring_set_diagonal_add(sn_spring_set *set, double share, double *diagonal);

/* Fixes the limits anew, closer to those of the normal forces at x: what is minimised is another
 * energy then. Whether a limit of its own makes a spring push more or less is learned from one time
 * to the next (Anderson's acceleration, with one step of history): near the angle where a body
 * tips over, limits that only follow the forces take dozens of times. */
void sn_spring_set_relimit(sn_spring_set *set, const double *x);

/* How far friction at x is from Coulomb's law, with the limits as they are and the normal forces at
 * x: the largest, over all springs with a limit, of what
 *
 *     |tangential force| / (friction * normal force)
 *
 * is above 1, and, over those that slip, of what it is below 1. A spring that pushes less than a
 * hundredth of the strongest counts as if it pushed that much: of forces so small the balance of
 * all knows nothing. */
typedef struct {
    double above, below;
} sn_friction_error;

sn_friction_error sn_spring_set_friction_error(sn_spring_set *set, const double *x);

/* The largest |d| of any spring. */
double sn_spring_set_elongation(sn_spring_set *set, const double *x);

#endif
