/* Which levels have systems of their own, and where unknowns that can turn take over. */
#include "multigrid/multigrid.h"

/* Levels with systems, if rigid motions are asked for. */
enum { USUAL_SYSTEMS = 2 };

int sn_multigrid_systems(const sn_multigrid_settings *settings, sn_hierarchy *forest)
{
    if (settings->coarse != SN_COARSE_RIGID)
        return forest->n_levels;
    int wanted = settings->geometric_levels > 0 ? settings->geometric_levels : USUAL_SYSTEMS;
    return wanted < forest->n_levels ? wanted : forest->n_levels;
}
