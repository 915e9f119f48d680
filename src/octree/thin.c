#include "octree/thin.h"

#include "base/array.h"

static bool hangs(const sn_octree *tree, sn_local element, int corner)
{
    return tree->hanging[element] >> corner & 1;
}

/* How many elements have a corner at each local node: their owners know it of all. */
static uint8_t *meeting_at_nodes(sn_octree *tree)
{
    uint8_t *meeting = SN_NEW_ZERO(uint8_t, tree->n_nodes + tree->n_ghost_nodes);
    for (sn_local e = 0; e < tree->n_elements + tree->n_ghost_elements; e++)
        for (int c = 0; c < 8; c++)
            if (!hangs(tree, e, c))
                meeting[tree->conforming[e][c]]++;
    sn_exchange_begin(&tree->exchange, meeting, sizeof *meeting);
    sn_exchange_end(&tree->exchange);
    return meeting;
}

static bool is_thin(const sn_octree *tree, sn_local element, const uint8_t *meeting)
{
    for (int c = 0; c < 8; c++)
        if (hangs(tree, element, c) || meeting[tree->conforming[element][c]] == 8)
            return false;
    return true;
}

int64_t sn_octree_thin_elements(sn_octree *tree)
{
    uint8_t *meeting = meeting_at_nodes(tree);
    int64_t thin = 0;
    for (sn_local e = 0; e < tree->n_elements; e++)
        thin += is_thin(tree, e, meeting);
    MPI_Allreduce(MPI_IN_PLACE, &thin, 1, MPI_INT64_T, MPI_SUM, tree->comm);
    sn_free(meeting);
    return thin;
}

/* In finest cells: of elements of this height, or of larger ones. */
static int64_t volume_of(const sn_octree *tree, int height, bool larger)
{
    int64_t volume = 0;
    for (sn_local o = 0; o < tree->n_octants; o++) {
        int h = tree->octant[o].height;
        if (tree->octant[o].is_element && (larger ? h > height : h == height))
            volume += INT64_C(1) << 3 * h;
    }
    MPI_Allreduce(MPI_IN_PLACE, &volume, 1, MPI_INT64_T, MPI_SUM, tree->comm);
    return volume;
}

double sn_level_fullness(const sn_hierarchy *forest, int level)
{
    const sn_octree *finest = &forest->level[0], *tree = &forest->level[level];
    int64_t all = volume_of(finest, 0, false) + volume_of(finest, 0, true);
    int64_t room = volume_of(tree, level, false), inside = all - volume_of(tree, level, true);
    return room > 0 ? (double)inside / (double)room : 1;
}
