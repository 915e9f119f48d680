/* Damping of the corotational law, one element in a lane: strain and energy against the reference,
 * forces against differences of the reference's energy; no net force, no torque, and nothing at all
 * from rigid motions. */
#include "helpers/elastic_cases.h"

#include "elastic/laws/corotated.h"
#include "elastic/laws/corotated_reference.h"
#include "elastic/reference.h"
#include "elastic/svd3_reference.h"

#define SN_LAW_FILE "elastic/laws/corotated.inc"
#include "elastic/kernels.h"

enum { ROUNDS = 400, REALS = 24 };

static const double FACTOR = 0.37; /* rate times damping */

typedef struct {
    sn_corotated_cell cell;
    double x[8][3], before[8][3];
} sample;

static sample random_sample(random_state *random, gradient_kind kind)
{
    sample s = {.cell = {.edge = between(random, 0.1, 2),
                         .mu = between(random, 0.5, 2),
                         .lambda = between(random, 0, 20)}};
    s.cell.bending = s.cell.mu * between(random, 0.05, 1);
    s.cell.assumed = test_random(random) < 0.3 ? 0 : s.cell.mu;
    for (int d = 0; d < 3; d++)
        s.cell.point[d] = (double)(float)between(random, -1, 1);
    double f[3][3], g[3][3];
    random_gradient(random, kind, f);
    random_gradient(random, NEAR_ROTATION, g);
    positions(random, s.cell.edge, f, 0.2, s.x);
    positions(random, s.cell.edge, g, 0.2, s.before);
    return s;
}

/* ---- The kernels, with the same element in all lanes. ---- */

typedef struct {
    sn_local node[SN_LANES_F64][8];
    uint8_t hanging[SN_LANES_F64], child[SN_LANES_F64];
    double x[REALS + SN_FIELD_SLACK];
    float point[3][SN_POINT_STRIDE];
    sn_lanes lanes;
    sn_cells_f64 cells;
} element;

static void put(element *e, const sn_corotated_cell *cell, double x[8][3])
{
    const double parameter[] = {[SN_COROTATED_MU] = cell->mu,
                                [SN_COROTATED_LAMBDA] = cell->lambda,
                                [SN_COROTATED_BENDING] = cell->bending,
                                [SN_COROTATED_ASSUMED] = cell->assumed};
    *e = (element){0};
    for (int lane = 0; lane < SN_LANES_F64; lane++) {
        e->cells.edge[lane] = cell->edge;
        for (int p = 0; p < SN_LAW_PARAMETERS; p++)
            e->cells.parameter[p][lane] = parameter[p];
        for (int a = 0; a < 8; a++)
            e->node[lane][a] = a;
        for (int d = 0; d < 3; d++)
            e->point[d][lane] = (float)cell->point[d];
    }
    memcpy(e->x, x, REALS * sizeof(double));
    e->lanes = (sn_lanes){e->node, e->hanging, e->child, SN_LANES_F64, e->point[0]};
}

static sn_strain_f64 strain_of(const sn_corotated_cell *cell, double x[8][3])
{
    element e;
    sn_strain_f64 strain;
    put(&e, cell, x);
    double share = sn_batch_strain_f64(&e.cells, &e.lanes, e.x, &strain)[1];
    double expected = sn_corotated_damping_share(cell, x);
    CHECK(fabs(share - expected) <= 1e-12, "share %g, not %g", share, expected);
    return strain;
}

static double energy_and_force(const sample *s, double x[8][3], const sn_strain_f64 *before,
                               double force[8][3])
{
    element e;
    sn_batch_f64 batch;
    sn_deformation_f64 deformation;
    sn_pack_f64 factor = sn_splat_f64(FACTOR);
    sn_shares_f64 shares;
    sn_modes_f64 at_x, stress = {0};
    put(&e, &s->cell, x);
    sn_gather_modes_f64(e.x, &e.lanes, &at_x);
    sn_batch_update_f64(&e.cells, &at_x, &batch, &deformation);
    sn_pack_f64 energy =
        sn_batch_damping_stress_f64(&e.cells, &batch, &at_x, before, factor, &stress);
    sn_batch_force_f64(&e.lanes, &stress, &shares);
    for (int i = 0; i < REALS; i++)
        force[i / 3][i % 3] = sn_share_f64(&shares, SN_LANES_F64 - 1, i / 3)[i % 3];
    double alone = sn_batch_damping_energy_f64(&e.cells, &batch, &at_x, before, factor)[1];
    CHECK(energy[1] == alone, "with forces the energy is %g, not %g", energy[1], alone);
    return alone;
}

/* ---- Against the reference. ---- */

static void compare_strain(const sample *s, const sn_strain_f64 *got,
                           const sn_corotated_strain *expected, double bound)
{
    static const int row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1};
    double off = 0;
    for (int k = 0; k < 6; k++)
        off = fmax(off, fabs(got->stretch[k][0] / (4 * s->cell.edge) -
                             expected->stretch[row[k]][column[k]]));
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++)
            off = fmax(off, fabs(got->bent[i][c][0] - expected->hourglass[i][c]));
        off = fmax(off, fabs(got->rest[c][0] - expected->hourglass[3][c]));
    }
    CHECK(off < bound, "strain off by %g", off);
}

/* The largest difference between the force and what the reference's energy falls by. */
static double off_the_slope(sample *s, const sn_corotated_strain *before, double force[8][3])
{
    double most = 0, step = 1e-5 * s->cell.edge;
    for (int i = 0; i < REALS; i++) {
        double fall = 0, *at = &s->x[i / 3][i % 3], there = *at;
        for (int side = -1; side <= 1; side += 2) {
            *at = there + side * step;
            fall -= side * FACTOR * sn_corotated_damping_energy(&s->cell, s->x, before);
        }
        *at = there;
        most = fmax(most, fabs(fall / (2 * step) - force[i / 3][i % 3]));
    }
    return most;
}

static double largest(double f[8][3])
{
    double most = 0;
    for (int i = 0; i < REALS; i++)
        most = fmax(most, fabs(f[i / 3][i % 3]));
    return most;
}

static void no_force_no_torque(const sample *s, double f[8][3], double size)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double force = 0, torque = 0, reach = 0;
        for (int a = 0; a < 8; a++) {
            force += f[a][i];
            torque += s->x[a][j] * f[a][k] - s->x[a][k] * f[a][j];
            reach = fmax(reach, fabs(s->x[a][j]) + fabs(s->x[a][k]));
        }
        CHECK(fabs(force) <= 1e-13 * size, "force %g of %g", force, size);
        CHECK(fabs(torque) <= 1e-11 * size * reach, "torque %g of %g", torque, size * reach);
    }
}

/* Are any two singular values far from opposite? Elsewhere R turns too fast for differences. */
static bool turns_slowly(const sample *s)
{
    double f[3][3], u[3][3], sigma[3], v[3][3], x[8][3];
    memcpy(x, s->x, sizeof x);
    sn_reference_gradient(s->cell.edge, s->cell.point, x, f);
    sn_svd3_reference(f, u, sigma, v);
    return sigma[1] + sigma[2] > 0.1 * fmax(1, sigma[0]);
}

static void against_the_reference(void)
{
    static const gradient_kind kinds[] = {NEAR_ROTATION,     GIVEN_STRETCHES, INVERTED,
                                          ENTRIES_AT_RANDOM, EQUAL_STRETCHES, IDENTITY};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    random_state random = 3;
    int tried = 0, inverted = 0;
    for (int round = 0; round < ROUNDS; round++) {
        sample s = random_sample(&random, kinds[round % KINDS]);
        double f[8][3];
        if (!turns_slowly(&s))
            continue;
        sn_corotated_strain before = sn_corotated_strain_of(&s.cell, s.before);
        sn_corotated_strain now = sn_corotated_strain_of(&s.cell, s.x);
        sn_strain_f64 kept = strain_of(&s.cell, s.before), strain = strain_of(&s.cell, s.x);
        compare_strain(&s, &kept, &before, 1e-12);
        compare_strain(&s, &strain, &now, 1e-12);
        double expected = FACTOR * sn_corotated_damping_energy(&s.cell, s.x, &before);
        double energy = energy_and_force(&s, s.x, &kept, f), size = largest(f);
        CHECK(fabs(energy - expected) <= 1e-11 * expected, "%g, not %g", energy, expected);
        double off = off_the_slope(&s, &before, f);
        CHECK(off <= 1e-6 * size, "kind %d: force %g, off its energy's slope by %g",
              kinds[round % KINDS], size, off);
        no_force_no_torque(&s, f, size);
        tried++;
        inverted += kinds[round % KINDS] == INVERTED;
    }
    CHECK(tried > ROUNDS / 2 && inverted > 10, "%d tried, %d inverted", tried, inverted);
}

/* Flesh that is inverted where a step begins has no damping in it. */
static void inverted_elements_are_not_damped(void)
{
    random_state random = 5;
    for (int round = 0; round < ROUNDS; round++) {
        sample s = random_sample(&random, INVERTED);
        memset(s.cell.point, 0, sizeof s.cell.point); /* inverted at the centre */
        strain_of(&s.cell, s.x);
        CHECK(sn_corotated_damping_share(&s.cell, s.x) == 0, "inverted, and damped");
    }
}

/* ---- Rigid motions. ---- */

static void move_rigidly(random_state *random, double from[8][3], double to[8][3])
{
    double r[3][3];
    random_rotation(random, r);
    for (int a = 0; a < 8; a++)
        for (int i = 0; i < 3; i++)
            to[a][i] = 3 * i + r[i][0] * from[a][0] + r[i][1] * from[a][1] + r[i][2] * from[a][2];
}

static void rigid_motions_are_not_damped(void)
{
    random_state random = 4;
    for (int round = 0; round < ROUNDS; round++) {
        sample s = random_sample(&random, NEAR_ROTATION);
        double moved[8][3], f[8][3], stiffness = s.cell.edge * (s.cell.mu + s.cell.lambda);
        move_rigidly(&random, s.before, moved);
        sn_strain_f64 kept = strain_of(&s.cell, s.before);
        double energy = energy_and_force(&s, moved, &kept, f);
        CHECK(energy < 1e-26 * stiffness, "energy %g", energy);
        CHECK(largest(f) < 1e-12 * stiffness, "force %g", largest(f));
    }
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    against_the_reference();
    inverted_elements_are_not_damped();
    rigid_motions_are_not_damped();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
