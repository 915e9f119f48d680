#include "elastic/law.h"

#include "elastic/loops.h"

const sn_law *sn_law_of(sn_law_kind law)
{
#define SN_ADDRESS_OF_LAW(NAME, name) &sn_law_##name,
    static const sn_law *const all[] = {SN_LAWS(SN_ADDRESS_OF_LAW)};
    return all[law];
}

sn_law_parameters sn_law_parameters_of(sn_law_kind law, double young, double poisson,
                                       double hourglass)
{
    return sn_law_of(law)->parameters_of(young, poisson, hourglass);
}

bool sn_law_is_isotropic(sn_law_kind law, sn_law_parameters parameters)
{
    return sn_law_of(law)->is_isotropic(parameters);
}

sn_law_parameters sn_law_slimmed(sn_law_kind law, sn_law_parameters parameters, double part)
{
    return sn_law_of(law)->slimmed(parameters, part);
}

sn_law_parameters sn_law_weighted(sn_law_kind law, sn_law_parameters parameters, double weight)
{
    return sn_law_of(law)->weighted(parameters, weight);
}

sn_law_parameters sn_law_coarsened(sn_law_kind law, const sn_law_parameters *child, int n)
{
    return sn_law_of(law)->coarsened(child, n);
}

double sn_law_stiffness(sn_law_kind law, sn_law_parameters parameters)
{
    return sn_law_of(law)->stiffness(parameters);
}
