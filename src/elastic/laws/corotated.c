#include "elastic/laws/corotated.h"

#define SN_LAW_FILE "elastic/laws/corotated.inc"
#include "elastic/loops.inc"

/* The modulus by which bending modes resist: Young's over 12 is that of a beam. */
static double bending_modulus(double young, double mu, double hourglass)
{
    bool by_factor = hourglass > 0;
    return by_factor ? hourglass * mu : young / 12;
}

static sn_law_parameters parameters_of(double young, double poisson, double hourglass)
{
    sn_law_parameters p = {{0}}; /* other laws may have more of them */
    double mu = young / (2 * (1 + poisson));
    p.of[SN_COROTATED_MU] = (float)mu;
    p.of[SN_COROTATED_LAMBDA] = (float)(young * poisson / ((1 + poisson) * (1 - 2 * poisson)));
    p.of[SN_COROTATED_BENDING] = (float)bending_modulus(young, mu, hourglass);
    p.of[SN_COROTATED_ASSUMED] = hourglass == SN_HOURGLASS_ASSUMED ? (float)mu : 0;
    return p;
}

static bool is_isotropic(sn_law_parameters parameters)
{
    return parameters.of[SN_COROTATED_ASSUMED] == 0;
}

static sn_law_parameters slimmed(sn_law_parameters parameters, double part)
{
    parameters.of[SN_COROTATED_BENDING] =
        (float)((double)parameters.of[SN_COROTATED_BENDING] * part);
    return parameters;
}

static sn_law_parameters weighted(sn_law_parameters parameters, double weight)
{
    for (int i = 0; i < SN_LAW_PARAMETERS; i++)
        parameters.of[i] = (float)((double)parameters.of[i] * weight);
    return parameters;
}

static sn_law_parameters coarsened(const sn_law_parameters *child, int n)
{
    sn_law_parameters mean = {{0}};
    for (int i = 0; i < SN_LAW_PARAMETERS; i++) {
        double sum = 0;
        for (int c = 0; c < n; c++)
            sum += (double)child[c].of[i];
        mean.of[i] = (float)(sum / 8);
    }
    return mean;
}

static double stiffness(sn_law_parameters parameters)
{
    return (double)parameters.of[SN_COROTATED_MU];
}

const sn_law sn_law_corotated = {parameters_of, is_isotropic, slimmed, weighted,
                                 coarsened,     stiffness,    &loops};
