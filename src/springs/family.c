#include "springs/family.h"

static void free_coarse(sn_spring_family *family)
{
    for (int l = 1; l < SN_MAX_LEVELS; l++)
        sn_spring_set_free(&family->level[l]);
}

static sn_status make_coarse(const sn_locator *locators, sn_spring_family *family)
{
    free_coarse(family);
    for (int l = 1; l < family->n_levels; l++)
        SN_TRY(sn_spring_set_coarsen(&family->level[l - 1], &locators[l], &family->level[l]));
    return SN_OK;
}

sn_status sn_spring_family_create(const sn_locator *locators, int n_levels,
                                  const sn_spring *springs, size_t n, sn_spring_family *family)
{
    *family = (sn_spring_family){.n_levels = n_levels};
    SN_TRY(sn_spring_set_create(&locators[0], springs, n, &family->level[0]));
    sn_status status = SN_OK;
    if (family->level[0].constant)
        status = make_coarse(locators, family);
    if (status != SN_OK)
        sn_spring_family_free(family);
    return status;
}

void sn_spring_family_free(sn_spring_family *family)
{
    sn_spring_set_free(&family->level[0]);
    free_coarse(family);
    *family = (sn_spring_family){0};
}

size_t sn_spring_family_memory(const sn_spring_family *family)
{
    size_t bytes = 0;
    for (int l = 0; l < family->n_levels; l++)
        bytes += sn_spring_set_memory(&family->level[l]);
    return bytes;
}

sn_status sn_spring_family_linearise(const sn_locator *locators, sn_spring_family *family,
                                     const double *x)
{
    if (sn_spring_family_is_empty(family) || family->level[0].constant)
        return SN_OK;
    sn_spring_set_linearise(&family->level[0], x, SN_SPRING_STEADY);
    return make_coarse(locators, family);
}
