/* How hard contact is, in each unit in which a scene may say it. */
#include "helpers/check.h"

#include "contact/stiffness/stiffness.h"

#include <math.h>

static const sn_contact_flesh SOFT = {2e4, 0.05}, HARD = {1e6, 0.02};

static sn_contact_law law_of(double pressure, double stiffness, double tangential_pressure,
                             double tangential_stiffness)
{
    return (sn_contact_law){pressure, stiffness, tangential_pressure, tangential_stiffness, 0.3};
}

static void check(const char *what, sn_contact_hardness got, double normal, double tangential)
{
    CHECK(fabs(got.normal - normal) < 1e-12 * normal &&
              fabs(got.tangential - tangential) < 1e-12 * normal,
          "%s: %g and %g, not %g and %g", what, got.normal, got.tangential, normal, tangential);
}

/* The force on a finest cell's face is the same in either unit. */
static void units(void)
{
    sn_contact_law given = law_of(3e6, NAN, NAN, NAN), tangential = law_of(3e6, NAN, 4e6, NAN);
    sn_contact_law old = law_of(NAN, 1e5, NAN, NAN), both = law_of(NAN, 1e5, NAN, 2e4);
    check("pressure", sn_contact_hardness_of(&given, SOFT), 3e6, 3e5);
    check("along", sn_contact_hardness_of(&tangential, SOFT), 3e6, 4e6);
    check("stiffness", sn_contact_hardness_of(&old, SOFT), 1e5 / 0.0025, 1e4 / 0.0025);
    check("both", sn_contact_hardness_of(&both, SOFT), 1e5 / 0.0025, 2e4 / 0.0025);
}

/* As the layer of cells behind it, in proportion: half the cell, twice as hard; twice the modulus,
 * too. Depth in cells is then that of the strain. */
static void by_the_flesh(void)
{
    sn_contact_law law = law_of(SN_PRESSURE_AUTO, NAN, NAN, NAN);
    sn_contact_hardness one = sn_contact_hardness_of(&law, SOFT);
    CHECK(one.normal >= SOFT.young / SOFT.cell && one.normal <= 10 * SOFT.young / SOFT.cell,
          "%g for %g", one.normal, SOFT.young / SOFT.cell);
    sn_contact_flesh finer = {SOFT.young, SOFT.cell / 2}, harder = {2 * SOFT.young, SOFT.cell};
    check("finer", sn_contact_hardness_of(&law, finer), 2 * one.normal, 2 * one.tangential);
    check("harder", sn_contact_hardness_of(&law, harder), 2 * one.normal, 2 * one.tangential);
}

/* Both give way under the same pressure. */
static void two_bodies(void)
{
    sn_contact_law law = law_of(SN_PRESSURE_AUTO, NAN, NAN, NAN);
    sn_contact_hardness a = sn_contact_hardness_of(&law, SOFT),
                        b = sn_contact_hardness_of(&law, HARD);
    sn_contact_hardness ab = sn_contact_hardness_between(&law, SOFT, HARD);
    sn_contact_hardness ba = sn_contact_hardness_between(&law, HARD, SOFT);
    check("two bodies", ab, 2 / (1 / a.normal + 1 / b.normal),
          2 / (1 / a.tangential + 1 / b.tangential));
    CHECK(ab.normal == ba.normal && ab.tangential == ba.tangential, "not the same in either order");
    check("one body", sn_contact_hardness_between(&law, SOFT, SOFT), a.normal, a.tangential);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    units();
    by_the_flesh();
    two_bodies();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
