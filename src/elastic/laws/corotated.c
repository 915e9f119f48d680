#include "elastic/laws/corotated.h"

#define SN_LAW_FILE "elastic/laws/corotated.inc"
#include "elastic/loops.inc"

static sn_law_parameters parameters_of(double young, double poisson)
{
    sn_law_parameters p = {{0}}; /* other laws may have more of them */
    p.of[SN_COROTATED_MU] = young / (2 * (1 + poisson));
    p.of[SN_COROTATED_LAMBDA] = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    return p;
}

static sn_law_parameters weighted(sn_law_parameters parameters, double weight)
{
    for (int i = 0; i < SN_LAW_PARAMETERS; i++)
        parameters.of[i] *= weight;
    return parameters;
}

static sn_law_parameters coarsened(const sn_law_parameters *child, int n)
{
    sn_law_parameters mean = {{0}};
    for (int i = 0; i < SN_LAW_PARAMETERS; i++) {
        for (int c = 0; c < n; c++)
            mean.of[i] += child[c].of[i];
        mean.of[i] /= 8;
    }
    return mean;
}

const sn_law sn_law_corotated = {parameters_of, weighted, coarsened, &loops};
