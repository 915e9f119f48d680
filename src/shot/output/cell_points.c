#include "shot/output/cell_points.h"

#include "base/array.h"
#include "base/narrow.h"
#include "base/sort.h"
#include "octree/family.h"
#include "partition/numbers.h"

#include <string.h>

typedef struct {
    sn_key key;
    sn_local between[SN_HANGING_BETWEEN];
} hanging_corner;

typedef SN_VECTOR(hanging_corner) hanging_list;

/* ---- What hangs ---- */

/* The nodes that a hanging corner lies between: its element's conforming nodes at those corners
 * that agree with the child's own number in the axes in which this one does. In their order
 * all elements around the point agree, so that sums come out the same. */
static void find_between(const sn_local conforming[SN_CORNERS], int child, int corner,
                         sn_local between[SN_HANGING_BETWEEN])
{
    int apart = corner ^ child, n = 0;
    for (int c = 0; c < SN_CORNERS; c++)
        if (((c ^ child) & ~apart) == 0)
            between[n++] = conforming[c];
    for (int i = n; i < SN_HANGING_BETWEEN; i++)
        between[i] = between[i - n];
}

static void add_hanging(const sn_octree *tree, const sn_leaves *element, sn_local e,
                        hanging_list *list)
{
    sn_parent parent = sn_parent_of(element->key[e], element->height[e]);
    int child = sn_key_child(element->key[e], element->height[e]);
    for (int c = 0; c < SN_CORNERS; c++) {
        if (!(tree->hanging[e] >> c & 1))
            continue;
        hanging_corner corner = {.key = sn_lattice_key(&parent, sn_lattice_corner(child, c))};
        find_between(tree->conforming[e], child, c, corner.between);
        sn_push(list, corner);
    }
}

static void take_distinct(sn_cell_points *points, const hanging_list *sorted)
{
    points->hanging = SN_NEW(sn_key, sorted->count);
    points->between = SN_NEW(sn_local[SN_HANGING_BETWEEN], sorted->count);
    for (size_t i = 0; i < sorted->count; i++) {
        const hanging_corner *corner = &sorted->data[i];
        if (i > 0 && corner->key == corner[-1].key)
            continue;
        size_t at = points->n_hanging++;
        points->hanging[at] = corner->key;
        memcpy(points->between[at], corner->between, sizeof corner->between);
    }
    SN_RESIZE(points->hanging, points->n_hanging);
    SN_RESIZE(points->between, points->n_hanging);
}

static void find_hanging(sn_cell_points *points, const sn_octree *tree, const sn_leaves *element)
{
    hanging_list list = {0};
    for (sn_local e = 0; e < tree->n_elements; e++)
        if (tree->hanging[e])
            add_hanging(tree, element, e, &list);
    sn_sort_records(list.data, sizeof *list.data, list.count);
    take_distinct(points, &list);
    sn_vector_free(&list);
    points->lookup = sn_lookup_create(points->hanging, points->n_hanging);
}

/* ---- All points ---- */

static void number_points(sn_cell_points *points, const sn_octree *tree)
{
    sn_key *node = sn_octree_node_keys(tree);
    int64_t *hanging = points->number + points->n_nodes;
    int64_t nodes = sn_number_along_curve(tree->comm, node, points->n_nodes, points->number);
    points->n_everywhere =
        nodes + sn_number_along_curve(tree->comm, points->hanging, points->n_hanging, hanging);
    for (size_t i = 0; i < points->n_hanging; i++)
        hanging[i] += nodes;
    sn_free(node);
}

sn_cell_points sn_cell_points_create(const sn_octree *tree, const sn_leaves *element)
{
    sn_cell_points points = {.n_nodes = (size_t)tree->n_nodes + (size_t)tree->n_ghost_nodes};
    find_hanging(&points, tree, element);
    points.number = SN_NEW(int64_t, points.n_nodes + points.n_hanging);
    number_points(&points, tree);
    return points;
}

void sn_cell_points_free(sn_cell_points *points)
{
    sn_free(points->number);
    sn_free(points->hanging);
    sn_free(points->between);
    sn_lookup_free(&points->lookup);
    *points = (sn_cell_points){0};
}

static void correct_hanging(const sn_cell_points *points, sn_lookup_memory *memory, sn_key key,
                            int height, uint8_t hanging, int64_t number[SN_CORNERS])
{
    sn_parent parent = sn_parent_of(key, height);
    int child = sn_key_child(key, height);
    for (int c = 0; c < SN_CORNERS; c++)
        if (hanging >> c & 1) {
            sn_key corner = sn_lattice_key(&parent, sn_lattice_corner(child, c));
            size_t at = (size_t)sn_lookup_find(&points->lookup, memory, corner);
            number[c] = points->number[points->n_nodes + at];
        }
}

void sn_cell_points_at_corners(const sn_cell_points *points, const sn_octree *tree,
                               const sn_leaves *element, size_t first, size_t n,
                               int64_t (*number)[SN_CORNERS])
{
    sn_lookup_memory memory = {0};
    for (size_t i = 0; i < n; i++) {
        size_t e = first + i;
        for (int c = 0; c < SN_CORNERS; c++)
            number[i][c] = points->number[tree->conforming[e][c]];
        if (tree->hanging[e])
            correct_hanging(points, &memory, element->key[e], element->height[e], tree->hanging[e],
                            number[i]);
    }
}

void sn_cell_points_evaluate(const sn_cell_points *points, const double *field, float (*value)[3])
{
#pragma omp parallel for
    for (size_t i = 0; i < points->n_nodes; i++)
        for (size_t d = 0; d < 3; d++)
            value[i][d] = sn_narrow(field[3 * i + d]);
#pragma omp parallel for
    for (size_t i = 0; i < points->n_hanging; i++)
        for (size_t d = 0; d < 3; d++) {
            double at[SN_HANGING_BETWEEN];
            for (int k = 0; k < SN_HANGING_BETWEEN; k++)
                at[k] = field[3 * (size_t)points->between[i][k] + d];
            value[points->n_nodes + i][d] = sn_narrow(0.25 * ((at[0] + at[1]) + (at[2] + at[3])));
        }
}
