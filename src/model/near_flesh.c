#include "model/near_flesh.h"

#include "octree/positions.h"

#include <math.h>

/* Copies of a place are together on one rank, one after another. */
static uint8_t *find_sharing(const sn_octree *tree)
{
    sn_key *key = sn_octree_node_keys(tree);
    uint8_t *sharing = SN_NEW_ZERO(uint8_t, tree->n_nodes);
    for (sn_local i = 1; i < tree->n_nodes; i++)
        if (sn_key_place(key[i]) == sn_key_place(key[i - 1]))
            sharing[i] = sharing[i - 1] = 1;
    sn_free(key);
    return sharing;
}

/* Half the edges of an element's flesh, in halves of its own: as long as its centroid lets them be,
 * and shorter where that would be more than there is. */
static void half_edges(double fraction, const float centroid[3], double half[3])
{
    double most = 1;
    for (int d = 0; d < 3; d++)
        most *= half[d] = 1 - fabs((double)centroid[d]);
    double shorter = most > fraction ? cbrt(fraction / most) : 1;
    for (int d = 0; d < 3; d++)
        half[d] *= shorter;
}

typedef struct {
    const sn_model *model;
    sn_leaves elements;
    double (*centre)[3], (*rest)[3]; /* of elements and nodes */
    uint8_t *sharing;
    sn_near_points points;
} finding;

static void add_point(finding *f, sn_local element, sn_local node)
{
    double half = 0.5 * f->model->bodies.body[sn_key_body(f->elements.key[element])].cell *
                  sn_edge(f->elements.height[element]);
    const float *centroid = f->model->centroid[element];
    sn_near_point point = {.node = node};
    double reach[3];
    half_edges(f->model->fraction[element], centroid, reach);
    for (int d = 0; d < 3; d++) {
        double low = f->centre[element][d] + half * ((double)centroid[d] - reach[d]);
        double high = f->centre[element][d] + half * ((double)centroid[d] + reach[d]);
        point.place[d] = fmin(high, fmax(low, f->rest[node][d]));
    }
    sn_push(&f->points, point);
}

static void add_points(finding *f, const sn_octree *tree)
{
    for (sn_local e = 0; e < tree->n_elements + tree->n_ghost_elements; e++)
        for (int c = 0; c < 8; c++) {
            sn_local node = tree->conforming[e][c];
            if (node < tree->n_nodes && f->sharing[node])
                add_point(f, e, node);
        }
}

sn_near_points sn_near_flesh_find(const sn_model *model)
{
    const sn_octree *tree = &model->forest.level[0];
    if (!tree->has_copies)
        return (sn_near_points){0};
    finding f = {.model = model,
                 .elements = sn_octree_elements(tree),
                 .centre = SN_NEW(double[3], tree->n_elements + tree->n_ghost_elements),
                 .rest = SN_NEW(double[3], tree->n_nodes + tree->n_ghost_nodes),
                 .sharing = find_sharing(tree)};
    sn_octree_element_centres(tree, f.centre);
    sn_octree_node_positions(tree, f.rest);
    add_points(&f, tree);
    sn_leaves_free(&f.elements);
    sn_free(f.centre);
    sn_free(f.rest);
    sn_free(f.sharing);
    return f.points;
}
