/* The batch kernels of the corotational law in both precisions: equal to the reference to rounding,
 * the same bits in any lane and beside any neighbours, and never a NaN. */
#include "helpers/elastic_cases.h"
#include "helpers/von_mises.h"

#include "elastic/laws/corotated.h"
#include "elastic/laws/corotated_reference.h"
#include "elastic/reference.h"
#include "elastic/svd3_reference.h"

#define SN_LAW_FILE "elastic/laws/corotated.inc"
#include "elastic/kernels.h"

enum { ROUNDS = 3000 };

/* An element, given by its conforming nodes. */
typedef struct {
    hanging_case hanging;
    sn_corotated_cell cell;
    double x[8][3], u[8][3];
} sample;

static sample random_sample(random_state *random, gradient_kind kind, hanging_case hanging)
{
    sample s = {.hanging = hanging,
                .cell = {.edge = between(random, 0.1, 2),
                         .mu = between(random, 0.5, 2),
                         .lambda = test_random(random) < 0.2 ? 0 : between(random, 0, 20)}};
    s.cell.bending = s.cell.mu * between(random, 0.05, 1);
    s.cell.assumed = test_random(random) < 0.3 ? 0 : s.cell.mu;
    bool cut = test_random(random) < 0.5;
    for (int d = 0; cut && d < 3; d++)
        s.cell.point[d] = between(random, -1, 1);
    double f[3][3];
    random_gradient(random, kind, f);
    positions(random, s.cell.edge, f, kind == ZERO ? 0 : 0.2, s.x);
    for (int i = 0; i < 24; i++)
        s.u[i / 3][i % 3] = between(random, -1, 1);
    return s;
}

/* What the reference makes of it. */
typedef struct {
    double f[3][3], energy, force[8][3], change[8][3], diagonal[8][3];
    double von_mises, pressure;
    double size, pair, reach, largest_l; /* |F|, least pair sum, |x| / h, |L_aux| */
} expectation;

static expectation expected_of(sample *s)
{
    expectation e = {.reach = 1};
    double w[8][8], x[8][3], u[8][3], result[8][3], left[3][3], sigma[3], right[3][3];
    sn_reference_weights(s->hanging.child, s->hanging.hanging, w);
    sn_reference_gather(w, s->x, x);
    sn_reference_gather(w, s->u, u);
    sn_reference_gradient(s->cell.edge, s->cell.point, x, e.f);
    e.energy = sn_corotated_energy(&s->cell, x);
    sn_corotated_force(&s->cell, x, result);
    sn_reference_scatter(w, result, e.force);
    sn_corotated_state state;
    sn_corotated_linearise(&s->cell, e.f, true, &state);
    sn_corotated_differential(&s->cell, &state, u, result);
    sn_reference_scatter(w, result, e.change);
    sn_corotated_diagonal(&s->cell, &state, w, e.diagonal);
    double stress[3];
    sn_corotated_principal_stress(&s->cell, e.f, stress);
    e.von_mises = von_mises_of(stress);
    e.pressure = pressure_of(stress);
    sn_svd3_reference(e.f, left, sigma, right);
    e.size = frobenius(e.f);
    e.pair = sigma[1] + sigma[2];
    for (int i = 0; i < 24; i++)
        e.reach = fmax(e.reach, fabs(s->x[i / 3][i % 3]) / s->cell.edge);
    e.largest_l = frobenius(state.l_aux);
    return e;
}

#define SN_PRECISION 32
#include "helpers/corotated.inc"
#define SN_PRECISION 64
#include "helpers/corotated.inc"

static void narrowing(void)
{
    sn_batch_f64 wide[SN_BATCHES_TO_NARROW];
    sn_batch_f32 narrow;
    double *number = (double *)wide;
    size_t in_batch = sizeof wide[0] / sizeof *number;
    for (size_t i = 0; i < SN_BATCHES_TO_NARROW * in_batch; i++)
        number[i] = 1.0 / (double)(i + 3);
    for (int part = 0; part < SN_BATCHES_TO_NARROW; part++)
        sn_batch_narrow(&wide[part], part, &narrow);
    for (size_t pack = 0; pack < in_batch / SN_LANES_F64; pack++)
        for (size_t lane = 0; lane < SN_LANES_F32; lane++) {
            size_t from =
                lane / SN_LANES_F64 * in_batch + pack * SN_LANES_F64 + lane % SN_LANES_F64;
            float got = ((float *)&narrow)[pack * SN_LANES_F32 + lane];
            CHECK(got == (float)number[from], "pack %zu lane %zu", pack, lane);
        }
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    run_f32();
    run_f64();
    narrowing();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
