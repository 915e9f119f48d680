/* Which levels have systems of their own, and where unknowns that can turn take over. */
#include "multigrid/multigrid.h"

#include "base/array.h"
#include "octree/thin.h"

/* Levels with systems, if rigid motions are asked for and nothing else is said. */
enum { USUAL_SYSTEMS = 2 };

/* A level serves a body if few of its elements are thin, and those at the surface more than half
 * full; and one that is so small costs nothing, whatever it is like. Spheres, cubes and the
 * creature have levels that do, down to this size, at any size of cells. Of a comb whose teeth
 * are 4.7 cells wide those of level 2 are half full: with systems on all levels it took 40
 * iterations, and 16 in two thirds of the time with rigid motions from there on. */
static const double MOST_THIN = 0.25, LEAST_FULL = 0.55;
enum { SMALL = 500 };

/* Spikes on a head are not worth it, though they ask for it: more of the volume than this is in
 * elements that are larger than those of the last level that serves. Rigid motions took fewer
 * iterations there, but no less time. Of combs it is a quarter, of spikes from 0.4 on. */
static const double MOST_DEEP = 1.0 / 3;

static bool serves(const sn_level_shape *s)
{
    return s->elements <= SMALL ||
           ((double)s->thin <= MOST_THIN * (double)s->elements && s->full >= LEAST_FULL);
}

/* The first level below the finest that does not serve a body, found from coarse to fine. */
static int look_at(int level, const sn_level_shape *s, int first_so_far, int none)
{
    if (level > 0 && !serves(s))
        return level;
    bool is_last_to_serve = first_so_far == level + 1;
    return is_last_to_serve && s->deep > MOST_DEEP ? none : first_so_far;
}

/* For each body the level from which on it should have rigid motions; the number of all if there is
 * none. */
static int *first_bad_levels(sn_hierarchy *forest)
{
    int n = forest->bodies->n, none = forest->n_levels, *first = SN_NEW(int, n);
    sn_level_shape *shape = SN_NEW(sn_level_shape, n);
    for (int b = 0; b < n; b++)
        first[b] = none;
    for (int level = none - 1; level >= 0; level--) {
        sn_level_shapes(forest, level, shape);
        for (int b = 0; b < n; b++)
            first[b] = look_at(level, &shape[b], first[b], none);
    }
    sn_free(shape);
    return first;
}

/* Levels are those of all bodies: rigid motions take over where the first of the thin ones asks for
 * it, if these have the larger part of the elements. */
static int best_for_most(sn_hierarchy *forest)
{
    int n = forest->bodies->n, *first = first_bad_levels(forest), level = forest->n_levels;
    sn_level_shape *finest = SN_NEW(sn_level_shape, n);
    sn_level_shapes(forest, 0, finest);
    int64_t thin = 0, all = 0;
    for (int b = 0; b < n; b++) {
        all += finest[b].elements;
        thin += first[b] < forest->n_levels ? finest[b].elements : 0;
        level = first[b] < level ? first[b] : level;
    }
    sn_free(finest);
    sn_free(first);
    return 2 * thin > all ? level : forest->n_levels;
}

static int chosen(const sn_multigrid_settings *settings, sn_hierarchy *forest)
{
    if (settings->coarse == SN_COARSE_GEOMETRIC)
        return forest->n_levels;
    if (settings->coarse == SN_COARSE_AUTO)
        return best_for_most(forest);
    return settings->geometric_levels > 0 ? settings->geometric_levels : USUAL_SYSTEMS;
}

int sn_multigrid_systems(const sn_multigrid_settings *settings, sn_hierarchy *forest)
{
    int n = chosen(settings, forest);
    return n < forest->n_levels ? n : forest->n_levels;
}
