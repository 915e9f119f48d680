/* Springs in the system: replacing them, and what Newton's method asks of them. */
#include "multigrid/multigrid.h"

static bool any_anywhere(const sn_multigrid *mg, size_t n)
{
    int any = n > 0;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, mg->level[0].tree->comm);
    return any;
}

static void make_locators(sn_multigrid *mg)
{
    for (int l = 0; l < mg->n_levels && !mg->locator[l].tree; l++)
        mg->locator[l] = sn_locator_create(mg->level[l].tree);
}

/* The largest eigenvalue may belong to a spring that was not there before: what is known of its
 * vector is no place to start from. */
static void forget_eigenvalues(sn_multigrid *mg)
{
    for (int l = 0; l < mg->n_levels; l++)
        mg->level[l].largest = mg->level[l].largest_of_cycle = 0;
}

static sn_status replace(sn_multigrid *mg, sn_spring_family *family, const sn_spring *springs,
                         size_t n)
{
    bool had_some = family->n_levels > 0, has_some = any_anywhere(mg, n);
    if (had_some || has_some)
        forget_eigenvalues(mg);
    sn_spring_family_free(family);
    if (!has_some)
        return SN_OK;
    make_locators(mg);
    return sn_spring_family_create(mg->locator, mg->n_levels, springs, n, family);
}

sn_status sn_multigrid_set_ties(sn_multigrid *mg, const sn_spring *springs, size_t n)
{
    return replace(mg, &mg->ties, springs, n);
}

sn_status sn_multigrid_set_contacts(sn_multigrid *mg, const sn_spring *springs, size_t n)
{
    return replace(mg, &mg->contacts, springs, n);
}

bool sn_multigrid_has_springs(const sn_multigrid *mg)
{
    return !sn_spring_family_is_empty(&mg->ties) || !sn_spring_family_is_empty(&mg->contacts);
}

double sn_multigrid_spring_energy(sn_multigrid *mg, const double *x)
{
    return sn_spring_set_energy(&mg->ties.level[0], x) +
           sn_spring_set_energy(&mg->contacts.level[0], x);
}

void sn_multigrid_spring_force_add(sn_multigrid *mg, const double *x, double *f)
{
    sn_spring_set_force_add(&mg->ties.level[0], x, f);
    sn_spring_set_force_add(&mg->contacts.level[0], x, f);
}
