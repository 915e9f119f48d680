#include "solve/state.h"

#include "base/array.h"

sn_state sn_state_create(const sn_octree *tree, const double *x)
{
    sn_state s = {.x = sn_field_new_f64(tree),
                  .v = sn_field_new_f64(tree),
                  .x_before = sn_field_new_f64(tree),
                  .v_before = sn_field_new_f64(tree)};
    sn_field_copy_f64(tree, s.x, x);
    return s;
}

void sn_state_free(sn_state *s)
{
    sn_free(s->x);
    sn_free(s->v);
    sn_free(s->x_before);
    sn_free(s->v_before);
    *s = (sn_state){0};
}

double sn_state_kinetic_energy(const sn_state *s, const sn_octree *tree, const double *mass)
{
    return sn_field_mass_square(tree, 0.5, mass, s->v, NULL);
}
