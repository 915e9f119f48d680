#include "multigrid/exact.h"

#include "base/array.h"
#include "sparse/direct.h"
#include "system/assemble.h"

/* Reals of the factor for each real of the finest level. A spike of 32 cells has a factor
 * of 22 on level 1: instead of 32 iterations at 0.15 us an unknown it took 28 at 0.068. Making it
 * takes as long as those. */
enum { MOST_REALS = 25 };

/* Blocks in a column of the factor, to the third, over nodes that are free. Along thin parts
 * columns get hardly longer with the number of nodes, in bulk with more than its third root: of
 * spikes it was 0.9 to 3.5, of combs 0.3, of a creature 14, of balls and cubes more than 70, of a
 * sheet 21. Coarse levels of bulky bodies are good ones, and cycles there are cheap. */
enum { MOST_LENGTH = 4 };

/* Largest over the ranks; those without rows have none. */
static sn_status count_reals(sn_system *system, const sn_unknowns *unknowns, int64_t *reals)
{
    sn_sparse matrix;
    sn_direct direct;
    sn_system_linearise_at_rest(system);
    SN_TRY(sn_system_assemble(system, unknowns, &matrix));
    sn_direct_create(unknowns, SN_NODE_REALS, &direct);
    *reals = (int64_t)sn_direct_analyse(&direct, &matrix);
    MPI_Allreduce(MPI_IN_PLACE, reals, 1, MPI_INT64_T, MPI_MAX, system->tree->comm);
    sn_direct_free(&direct);
    sn_sparse_free(&matrix);
    return SN_OK;
}

static int64_t count_free(const sn_system *system)
{
    int64_t n = system->tree->n_nodes - system->n_pinned;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, system->tree->comm);
    return n;
}

static bool is_cheap(int64_t reals, int64_t nodes, int64_t finest_nodes)
{
    double length = (double)reals / (double)(SN_NODE_REALS * SN_NODE_REALS * nodes);
    return reals <= MOST_REALS * SN_NODE_REALS * finest_nodes &&
           length * length * length <= MOST_LENGTH * (double)nodes;
}

static sn_status look_at(const sn_levels *levels, int group, int level, int most_nodes, bool *exact)
{
    sn_system *system = sn_levels_of_group(levels, group, level);
    int64_t nodes = count_free(system), reals;
    *exact = false;
    if (nodes == 0 || sn_octree_count(system->tree).nodes > most_nodes)
        return SN_OK;
    sn_unknowns unknowns = sn_system_unknowns(system->tree);
    sn_status status = count_reals(system, &unknowns, &reals);
    sn_free(unknowns.key);
    if (status == SN_OK)
        *exact = is_cheap(reals, nodes, sn_octree_count(levels->finest->tree).nodes);
    return status;
}

/* No group has more levels than the one before. */
static sn_status cut_group(sn_levels *levels, int group, int most_nodes)
{
    const sn_level_groups *g = &levels->groups;
    int fewest = group + 1 < g->n ? g->systems[group + 1] : 2;
    bool exact = false;
    for (int systems = fewest > 2 ? fewest : 2; systems < g->systems[group] && !exact; systems++) {
        SN_TRY(look_at(levels, group, systems - 1, most_nodes, &exact));
        if (exact)
            sn_levels_cut(levels, group, systems);
    }
    return SN_OK;
}

sn_status sn_multigrid_cut(sn_levels *levels, int groups, int most_nodes)
{
    for (int group = 0; group < groups; group++)
        SN_TRY(cut_group(levels, group, most_nodes));
    return SN_OK;
}
