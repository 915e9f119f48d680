/* What a law supplies: its parameters, and the loops over elements with the law inside.
 *
 * The loops are written once (loops.inc) and compiled for each law in its own file, where the
 * law's kernels are inlined into them; the operator chooses a law's loops once for a product, not
 * for an element. A loop does this rank's part: exchanges before it and reductions after it are
 * the operator's, but for those that go on behind it. */
#ifndef SN_ELASTIC_LOOPS_H
#define SN_ELASTIC_LOOPS_H

#include "elastic/law.h"
#include "elastic/operator.h"

/* What an element costs, in items of simple loops. */
enum { SN_ITEMS_OF_ELEMENT = 64 };

/* A rank's part of a summary; only owned elements count. */
typedef struct {
    sn_sum energy, damping;
    double least_determinant;
    int64_t inverted;
} sn_deformation_tally;

typedef struct {
    size_t packs; /* that a batch of elements keeps */

    /* Products and sums over elements; collective, as the ghosts of what is read are exchanged
     * behind the elements that need none. */
    void (*apply_f32)(sn_operator *op, float *u, float *out);
    void (*apply_f64)(sn_operator *op, double *u, double *out);
    void (*apply_damped)(sn_operator *op, double *u, double *out);
    void (*diagonal)(sn_operator *op, double *diagonal);

    /* About positions or gradients whose ghosts are there. Without `keep` the operator's
     * linearisation stays as it is. */
    void (*update)(sn_operator *op, const double *x, bool keep, sn_deformation_tally *tally);

    /* The same and the forces there; collective, as products are. */
    void (*force)(sn_operator *op, double *x, bool keep, double *f, sn_deformation_tally *tally);

    void (*linearise)(sn_operator *op, float (*gradient)[9]);

    /* F of the owned elements at positions whose ghosts are there. */
    void (*gradients)(sn_operator *op, const double *x, float (*gradient)[9]);

    /* The strains that rates are measured from; the ghosts of positions are there. */
    void (*keep_strains)(sn_operator *op, const sn_strain_mix *mix);

    /* As the operator's functions of these names. */
    void (*measure)(const sn_operator *op, const double *x, const sn_local *element, size_t n,
                    sn_element_measure *measure);
    void (*batch_apply)(const sn_operator *op, sn_local batch, const sn_lanes *lanes,
                        const double *u, sn_shares_f64 *shares);
} sn_law_loops;

typedef struct {
    sn_law_parameters (*parameters_of)(double young, double poisson, double hourglass);
    bool (*is_isotropic)(sn_law_parameters parameters);
    sn_law_parameters (*slimmed)(sn_law_parameters parameters, double part);
    sn_law_parameters (*weighted)(sn_law_parameters parameters, double weight);
    sn_law_parameters (*coarsened)(const sn_law_parameters *child, int n);
    double (*stiffness)(sn_law_parameters parameters);
    const sn_law_loops *loops;
} sn_law;

#define SN_DECLARE_LAW(NAME, name) extern const sn_law sn_law_##name;
SN_LAWS(SN_DECLARE_LAW)
#undef SN_DECLARE_LAW

const sn_law *sn_law_of(sn_law_kind law);

/* Where F is asked for, for the lanes of a group from `lane` on (sn_lanes). */
static inline const float *sn_lane_points(const sn_operator *op, sn_local group, int lane)
{
    sn_local row = op->point_row ? op->point_row[group] : SN_NONE;
    return row == SN_NONE ? NULL : op->points[row][0] + lane;
}

/* Local elements for a batch in double precision, n or as many as there are before an empty lane;
 * empty lanes have an edge and nothing else. */
static inline void sn_load_cells(const sn_operator *op, const sn_local *element, int n,
                                 sn_cells_f64 *cells)
{
    for (int lane = 0; lane < SN_LANES_F64; lane++) {
        bool empty = lane >= n || element[lane] == SN_EMPTY_LANE;
        cells->edge[lane] = empty ? 1 : sn_operator_edge(op, element[lane]);
        for (int p = 0; p < SN_LAW_PARAMETERS; p++)
            cells->parameter[p][lane] = empty ? 0 : (double)op->parameters[element[lane]].of[p];
    }
}

#endif
