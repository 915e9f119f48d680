#include "contact/stiffness/stiffness.h"

#include <math.h>

/* Of Young's modulus over the cell. With 1, 3, 10 and 30 bodies that fall into a bowl
 * came 2.7, 1.9, 0.57 and 0.31 cells deep in 164, 172, 182 and 221 of Newton's iterations, feet
 * that walk on a floor 0.15, 0.11, 0.07 and 0.05 cells deep in 22, 23, 25 and 29. */
static const double AUTO_FACTOR = 10;

/* The paper's choice is softer along the surface; a tenth lets Newton's method find its way. */
static const double TANGENTIAL_SHARE = 0.1;

static double face_of(sn_contact_flesh flesh)
{
    return flesh.cell * flesh.cell;
}

static double normal_of(const sn_contact_law *law, sn_contact_flesh flesh)
{
    if (!isnan(law->stiffness))
        return law->stiffness / face_of(flesh);
    return law->pressure == SN_PRESSURE_AUTO ? AUTO_FACTOR * flesh.young / flesh.cell
                                             : law->pressure;
}

static double tangential_of(const sn_contact_law *law, sn_contact_flesh flesh, double normal)
{
    if (!isnan(law->tangential_stiffness))
        return law->tangential_stiffness / face_of(flesh);
    return isnan(law->tangential_pressure) ? TANGENTIAL_SHARE * normal : law->tangential_pressure;
}

sn_contact_hardness sn_contact_hardness_of(const sn_contact_law *law, sn_contact_flesh flesh)
{
    double normal = normal_of(law, flesh);
    return (sn_contact_hardness){normal, tangential_of(law, flesh, normal)};
}

static double in_series(double a, double b)
{
    return a + b > 0 ? 2 * a * b / (a + b) : 0;
}

sn_contact_hardness sn_contact_hardness_between(const sn_contact_law *law, sn_contact_flesh a,
                                                sn_contact_flesh b)
{
    sn_contact_hardness one = sn_contact_hardness_of(law, a),
                        other = sn_contact_hardness_of(law, b);
    return (sn_contact_hardness){in_series(one.normal, other.normal),
                                 in_series(one.tangential, other.tangential)};
}
