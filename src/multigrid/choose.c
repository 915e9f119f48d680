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
 * iterations there, but from this level on no less time. Of combs it is a quarter, of spikes from
 * 0.4 on. */
static const double MOST_DEEP = 1.0 / 3, ANY_DEPTH = 1;

/* Nor are rigid motions right below the finest level: they take longer than they save. A spike of
 * 32 cells took 34 iterations with them and 31 without, in a third of the time. */
enum { FINEST_RIGID = 2 };

static bool serves(const sn_level_shape *s)
{
    return s->elements <= SMALL ||
           ((double)s->thin <= MOST_THIN * (double)s->elements && s->full >= LEAST_FULL);
}

/* The first level below the finest that does not serve a body, found from coarse to fine. */
static int look_at(int level, const sn_level_shape *s, double most_deep, int first_so_far, int none)
{
    if (level > 0 && !serves(s))
        return level;
    bool is_last_to_serve = first_so_far == level + 1;
    return is_last_to_serve && s->deep > most_deep ? none : first_so_far;
}

/* For each body the first level that its parts are too thin for; the number of all if there is
 * none, or if more of the body than `most_deep` is bulky. */
static int *first_bad_levels(sn_hierarchy *forest, double most_deep)
{
    int n = forest->bodies->n, none = forest->n_levels, *first = SN_NEW(int, n);
    sn_level_shape *shape = SN_NEW(sn_level_shape, n);
    for (int b = 0; b < n; b++)
        first[b] = none;
    for (int level = none - 1; level >= 0; level--) {
        sn_level_shapes(forest, level, shape);
        for (int b = 0; b < n; b++)
            first[b] = look_at(level, &shape[b], most_deep, first[b], none);
    }
    sn_free(shape);
    return first;
}

/* Where all bodies would turn from a level on, but it or the next one is so small, that is solved
 * exactly (exact.h) instead. A comb of 64 teeth took 23 iterations then at 32 cells, in half of the
 * time of 25 with rigid motions, and 13 at 64 cells, in three quarters; set-up a quarter of theirs.
 */
enum { FEW_ENOUGH = 1000 };

static bool is_soon_exact(const sn_hierarchy *forest, int level)
{
    int next = level + 1 < forest->n_levels ? level + 1 : level;
    return sn_octree_count(&forest->level[next]).elements <= FEW_ENOUGH;
}

/* Bodies that turn are a group, with systems down to the first level that is bad for one of them;
 * the others are another, before it. */
static sn_level_groups asked_of_each(sn_hierarchy *forest, bool exact)
{
    int n = forest->bodies->n, none = forest->n_levels, staying = 0, systems = none;
    int *first = first_bad_levels(forest, MOST_DEEP);
    sn_level_groups g = {.n = 2};
    for (int b = 0; b < n; b++) {
        bool turns = first[b] >= FINEST_RIGID && first[b] < none;
        g.of_body[b] = turns;
        staying += !turns;
        systems = turns && first[b] < systems ? first[b] : systems;
    }
    sn_free(first);
    g.systems[0] = none;
    g.systems[1] = systems;
    if (staying == 0 && exact && is_soon_exact(forest, systems))
        return sn_levels_of_all(none);
    return staying == 0 || staying == n ? sn_levels_of_all(systems) : g;
}

static int fewer(int a, int b)
{
    return a < b ? a : b;
}

sn_level_groups sn_multigrid_groups(const sn_multigrid_settings *settings, sn_hierarchy *forest)
{
    int asked = settings->geometric_levels > 0 ? settings->geometric_levels : USUAL_SYSTEMS;
    if (settings->coarse == SN_COARSE_AUTO)
        return asked_of_each(forest, settings->most_exact > 0);
    return sn_levels_of_all(settings->coarse == SN_COARSE_GEOMETRIC
                                ? forest->n_levels
                                : fewer(asked, forest->n_levels));
}

/* The first level that is bad for one of the bodies in group 0, on a head or not, if bodies with
 * such levels have the larger part of the group's elements. */
static int first_bad_level(const sn_level_groups *groups, sn_hierarchy *forest)
{
    int n = forest->bodies->n, level = forest->n_levels;
    int *first = first_bad_levels(forest, ANY_DEPTH);
    sn_level_shape *finest = SN_NEW(sn_level_shape, n);
    sn_level_shapes(forest, 0, finest);
    int64_t thin = 0, all = 0;
    for (int b = 0; b < n; b++) {
        if (groups->of_body[b] != 0)
            continue;
        all += finest[b].elements;
        thin += first[b] < forest->n_levels ? finest[b].elements : 0;
        level = fewer(first[b], level);
    }
    sn_free(finest);
    sn_free(first);
    return 2 * thin > all ? level : forest->n_levels;
}

/* Of a cube the level that is repeated first has a 64th of the elements. Octrees with most of them
 * at the surface get coarser more slowly: with a twentieth repeated three times, and the next level
 * nine times, coarse levels took four fifths of the finest one's time, and saved one of 47
 * iterations. */
enum { FINEST_TO_REPEATED = 50 };

static int first_small_level(sn_hierarchy *forest, int from)
{
    int64_t finest = sn_octree_count(&forest->level[0]).elements;
    while (from + 1 < forest->n_levels &&
           FINEST_TO_REPEATED * sn_octree_count(&forest->level[from]).elements > finest)
        from++;
    return from;
}

/* At the latest from the last level that serves. A spike of 64 cells, whose level 2 does not, took
 * 58 iterations with cycles repeated from level 2 on, and 38 in no more time from level 1 on; a
 * ball 16 and 15, in a third more time. Bulky bodies stop serving far below, where a few hundred
 * elements are left. */
int sn_multigrid_repeats_from(const sn_multigrid_settings *settings, const sn_level_groups *groups,
                              sn_hierarchy *forest)
{
    if (settings->amli_from <= 1)
        return settings->amli_from;
    int bad = first_bad_level(groups, forest), last_good = bad > 1 ? bad - 1 : 1;
    int usual = first_small_level(forest, settings->amli_from);
    return bad < forest->n_levels ? fewer(last_good, usual) : usual;
}
