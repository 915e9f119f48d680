/* The batched SVD in both precisions against its definition and the plain reference. */
#include "helpers/elastic_cases.h"

#include "elastic/svd3.h"
#include "elastic/svd3_reference.h"

enum { SAMPLES = 20000, MOST_LANES = SN_LANES_F32 };

typedef struct {
    double u[3][3], sigma[3], v[3][3];
} decomposition;

typedef void decompose(double f[MOST_LANES][3][3], decomposition d[MOST_LANES]);

/* What holds for one precision: its lanes, and rounding errors as measured, times two or so. */
typedef struct {
    const char *name;
    decompose *compute;
    int lanes;
    double orthogonality, residual, least_scale, largest_scale;
} precision;

#define DEFINE_DECOMPOSE(name, suffix)                                                             \
    static void name(double f[MOST_LANES][3][3], decomposition d[MOST_LANES])                      \
    {                                                                                              \
        sn_pack##suffix packed[9] = {{0}};                                                         \
        sn_svd3##suffix svd;                                                                       \
        for (int i = 0; i < 9; i++)                                                                \
            for (int lane = 0; lane < (int)(sizeof packed[0] / sizeof packed[0][0]); lane++)       \
                packed[i][lane] = (__typeof__(packed[0][0] + 0))f[lane][i / 3][i % 3];             \
        sn_svd3_compute##suffix(packed, &svd);                                                     \
        for (int lane = 0; lane < (int)(sizeof packed[0] / sizeof packed[0][0]); lane++) {         \
            for (int i = 0; i < 9; i++) {                                                          \
                d[lane].u[i / 3][i % 3] = svd.u[i][lane];                                          \
                d[lane].v[i / 3][i % 3] = svd.v[i][lane];                                          \
                f[lane][i / 3][i % 3] = packed[i][lane]; /* as rounded */                          \
            }                                                                                      \
            for (int i = 0; i < 3; i++)                                                            \
                d[lane].sigma[i] = svd.sigma[i][lane];                                             \
        }                                                                                          \
    }
DEFINE_DECOMPOSE(decompose_f32, _f32)
DEFINE_DECOMPOSE(decompose_f64, _f64)

static const precision precisions[] = {
    {"float", decompose_f32, SN_LANES_F32, 2.5e-6, 1.8e-6, 1e-24, 1e36},
    {"double", decompose_f64, SN_LANES_F64, 6e-15, 4e-15, 1e-294, 1e306},
};

static double distance_from_rotation(double m[3][3])
{
    double worst = fabs(determinant(m) - 1);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double dot = m[0][i] * m[0][j] + m[1][i] * m[1][j] + m[2][i] * m[2][j];
            worst = fmax(worst, fabs(dot - (i == j)));
        }
    return worst;
}

static double residual(double f[3][3], decomposition *d, double size)
{
    double worst = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += d->u[i][k] * (d->sigma[k] / size) * d->v[j][k];
            worst = fmax(worst, fabs(sum - f[i][j] / size));
        }
    return worst;
}

/* R = U V^T against the reference, where it is well defined. */
static double rotation_error(decomposition *d, double u[3][3], double v[3][3])
{
    double worst = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += d->u[i][k] * d->v[j][k] - u[i][k] * v[j][k];
            worst = fmax(worst, fabs(sum));
        }
    return worst;
}

static void check_one(const precision *p, int kind, double f[3][3], decomposition *d)
{
    double off = fmax(distance_from_rotation(d->u), distance_from_rotation(d->v));
    CHECK(off < p->orthogonality, "%s, kind %d: rotations off by %g", p->name, kind, off);
    double size = frobenius(f), u[3][3], sigma[3], v[3][3];
    if (size == 0) {
        CHECK(d->sigma[0] == 0 && d->sigma[1] == 0 && d->sigma[2] == 0, "%s: of zero", p->name);
        return;
    }
    double left = residual(f, d, size), slack = p->residual * size;
    CHECK(left < p->residual, "%s, kind %d: F off by %g", p->name, kind, left);
    CHECK(d->sigma[0] >= d->sigma[1] - slack && d->sigma[1] >= fabs(d->sigma[2]) - slack,
          "%s, kind %d: order %g %g %g", p->name, kind, d->sigma[0], d->sigma[1], d->sigma[2]);
    sn_svd3_reference(f, u, sigma, v);
    for (int i = 0; i < 3; i++)
        CHECK(fabs(d->sigma[i] - sigma[i]) < slack, "%s, kind %d: sigma %g, not %g", p->name, kind,
              d->sigma[i], sigma[i]);
    double pair = (sigma[1] + sigma[2]) / size;
    if (pair > 0)
        CHECK(rotation_error(d, u, v) * pair < 4 * p->residual, "%s, kind %d: rotation off by %g",
              p->name, kind, rotation_error(d, u, v));
}

static void scale_by(double f[3][3], double scale)
{
    for (int i = 0; i < 9; i++)
        f[i / 3][i % 3] *= scale;
}

static void all_kinds(const precision *p, double scale, int samples)
{
    random_state random = 7;
    double f[MOST_LANES][3][3];
    decomposition d[MOST_LANES];
    for (int kind = 0; kind < GRADIENT_KINDS; kind++)
        for (int n = 0; n < samples; n += p->lanes) {
            for (int lane = 0; lane < p->lanes; lane++) {
                random_gradient(&random, (gradient_kind)kind, f[lane]);
                scale_by(f[lane], scale);
            }
            p->compute(f, d);
            for (int lane = 0; lane < p->lanes; lane++)
                check_one(p, kind, f[lane], &d[lane]);
        }
}

/* Small integers: every sign, coincidence and rank. */
static void all_small_integers(const precision *p)
{
    enum { CODES = 19683 }; /* 3^9 */
    double f[MOST_LANES][3][3];
    decomposition d[MOST_LANES];
    for (int first = 0; first < CODES; first += p->lanes) {
        for (int lane = 0; lane < p->lanes; lane++)
            for (int i = 0, code = first + lane; i < 9; i++, code /= 3)
                f[lane][i / 3][i % 3] = code % 3 - 1;
        p->compute(f, d);
        for (int lane = 0; lane < p->lanes; lane++)
            check_one(p, -1, f[lane], &d[lane]);
    }
}

/* An element's bits do not depend on its lane nor on its neighbours. */
static void same_in_every_lane(const precision *p)
{
    random_state random = 8;
    for (int kind = 0; kind < GRADIENT_KINDS; kind++) {
        double f[MOST_LANES][3][3], one[3][3];
        decomposition d[MOST_LANES], first = {0};
        random_gradient(&random, (gradient_kind)kind, one);
        for (int lane = 0; lane < p->lanes; lane++) {
            for (int other = 0; other < p->lanes; other++)
                random_gradient(&random, (gradient_kind)((kind + other) % GRADIENT_KINDS),
                                f[other]);
            memcpy(f[lane], one, sizeof one);
            p->compute(f, d);
            if (lane == 0)
                first = d[0];
            CHECK(memcmp(&d[lane], &first, sizeof first) == 0, "%s: lane %d", p->name, lane);
        }
    }
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (size_t i = 0; i < sizeof precisions / sizeof *precisions; i++) {
        const precision *p = &precisions[i];
        all_kinds(p, 1, SAMPLES);
        all_kinds(p, p->least_scale, SAMPLES / 10);
        all_kinds(p, p->largest_scale, SAMPLES / 10);
        all_small_integers(p);
        same_in_every_lane(p);
    }
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
