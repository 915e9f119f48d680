/* What a frame's time goes into: at each moment it counts for one kind of work, or for none.
 *
 * Works may nest. The outermost one counts: a product within the smoother is smoothing. Sums over
 * all nodes and exchanges between ranks are the exception: they count for themselves anywhere, so
 * that what they cost can be seen. Each kind is a phase (timer.h) of its own name, `work/products`
 * and so on, so that timing.csv has them; their sum is what has a name. Main thread only. */
#ifndef SN_BASE_WORK_H
#define SN_BASE_WORK_H

/* X(NAME, name) for each kind: SN_WORK_NAME is its number. */
#define SN_WORKS(X)                                                                                \
    X(PRODUCTS, "products")        /* with the finest matrix, by conjugate gradients */            \
    X(SMOOTHING, "smoothing")      /* of cycles on the finest level, with its products */          \
    X(TRANSFERS, "transfers")      /* from the finest level to the next and back */                \
    X(COARSE, "coarse levels")     /* of cycles */                                                 \
    X(FOLLOWING, "coarse systems") /* that follow the finest, and the coarsest factor */           \
    X(BOUNDS, "bounds")            /* of smoothers and of cycles */                                \
    X(LINEARISING, "SVD")          /* of elements, springs and the diagonal */                     \
    X(FORCES, "forces")            /* that are to balance */                                       \
    X(LINE_SEARCH, "line search")  /* energies along a direction */                                \
    X(VECTORS, "vectors")          /* added, copied, made */                                       \
    X(SUMS, "sums")                /* over all nodes, anywhere */                                  \
    X(STARTING, "start of steps")  /* bones and pins move; strains that rates are measured from */ \
    X(CONTACT, "contact")          /* searches, ways, friction */                                  \
    X(EXCHANGE, "exchange")        /* between ranks, anywhere */                                   \
    X(OUTPUT, "output")            /* of frames: the surface, its digest, files */

#define SN_WORK_NUMBER(NAME, name) SN_WORK_##NAME,
typedef enum { SN_WORKS(SN_WORK_NUMBER) SN_WORK_KINDS } sn_work_kind;
#undef SN_WORK_NUMBER

void sn_work_begin(sn_work_kind kind);
void sn_work_end(void);

/* The phase of a kind. */
const char *sn_work_phase(sn_work_kind kind);

/* Bytes that a loop reads or writes, by its own account: for limits. They count for the kind that
 * the time counts for now. */
void sn_work_moves(double bytes);
double sn_work_moved(sn_work_kind kind);

#endif
