#include "model/closeness.h"

#include "base/array.h"
#include "base/log.h"

#include <inttypes.h>

/* Of cells that are larger nothing is cut. Each once, whatever copies it has. */
static sn_key *finest_cells(const sn_octree *tree, bool only_welded, size_t *n)
{
    sn_leaves elements = sn_octree_elements(tree);
    sn_key *key = SN_NEW(sn_key, tree->n_elements);
    *n = 0;
    for (sn_local e = 0; e < tree->n_elements; e++) {
        sn_key cell = elements.key[e];
        bool counts = !only_welded || tree->bodies->body[sn_key_body(cell)].welded;
        if (elements.height[e] == 0 && sn_key_copy(cell) == 0 && counts)
            key[(*n)++] = cell;
    }
    sn_leaves_free(&elements);
    return key;
}

static sn_close_parts find(const sn_model *model, bool only_welded)
{
    const sn_octree *tree = &model->forest.level[0];
    size_t n;
    sn_key *cells = finest_cells(tree, only_welded, &n);
    sn_close_parts close = sn_close_parts_find(tree->comm, &model->bodies, model->solid, cells, n);
    sn_free(cells);
    return close;
}

sn_close_parts sn_model_close_parts(const sn_model *model)
{
    return find(model, false);
}

static void warn(const sn_model *model, const sn_close_parts *close)
{
    const sn_close_place *p = &close->place[0];
    const char *name = model->bodies.body[p->body].name;
    if (close->n == 0 || !(p->gap > 0))
        sn_warn("%" PRId64 " cells hold parts of a body that are not joined, and weld them",
                close->apart);
    else
        sn_warn("%" PRId64 " cells hold parts of a body that are not joined, and weld them: the "
                "closest are those of %s at (%.4g, %.4g, %.4g), %.3g apart, which cells of %.2g "
                "would separate",
                close->apart, name ? name : "a body", p->place[0], p->place[1], p->place[2], p->gap,
                sn_separating_cell(p->gap));
}

static bool any_is_welded(const sn_bodies *bodies)
{
    bool any = false;
    for (int b = 0; b < bodies->n; b++)
        any = any || bodies->body[b].welded;
    return any;
}

void sn_model_warn_of_close_parts(const sn_model *model)
{
    if (!any_is_welded(&model->bodies))
        return;
    int rank;
    sn_close_parts close = find(model, true);
    MPI_Comm_rank(model->forest.level[0].comm, &rank);
    if (rank == 0 && close.apart > 0)
        warn(model, &close);
}
