#include "shot/output/cell_points.h"

#include "base/array.h"
#include "base/narrow.h"
#include "base/sort.h"
#include "octree/family.h"
#include "partition/numbers.h"
#include "partition/records.h"

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

/* A corner that hangs; the first one at its place, if there are several. */
static hanging_corner corner_of(const sn_octree *tree, const sn_leaves *element, size_t e, int c)
{
    sn_parent parent = sn_parent_of(element->key[e], element->height[e]);
    int child = sn_key_child(element->key[e], element->height[e]);
    hanging_corner corner = {.key = sn_lattice_key(&parent, sn_lattice_corner(child, c))};
    find_between(tree->conforming[e], child, c, corner.between);
    return corner;
}

static void add_hanging(const sn_octree *tree, const sn_leaves *element, size_t e,
                        hanging_list *list)
{
    for (int c = 0; c < SN_CORNERS; c++)
        if (tree->hanging[e] >> c & 1)
            sn_push(list, corner_of(tree, element, e, c));
}

/* ---- Which of several at a place ---- */

/* A hanging corner that is not between the first nodes at their places. */
typedef struct {
    sn_key place;
    uint64_t copies; /* of the nodes */
} variant;

static uint64_t copies_between(const sn_key *node, const hanging_corner *corner)
{
    uint64_t copies = 0;
    for (int k = 0; k < SN_HANGING_BETWEEN; k++)
        copies = copies << SN_COPY_BITS | (uint64_t)sn_key_copy(node[corner->between[k]]);
    return copies;
}

static void sort_variants(variant *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i] = (variant){v[i].copies, v[i].place};
    sn_sort_records(v, sizeof *v, n);
    for (size_t i = 0; i < n; i++)
        v[i] = (variant){v[i].copies, v[i].place};
    sn_sort_records(v, sizeof *v, n);
}

/* How many other variants of its place stand before each, and one. */
static void number_variants(void *unused, const void *records, size_t n, void *replies)
{
    (void)unused;
    const variant *asked = records;
    variant *sorted = SN_NEW(variant, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = asked[i];
    sort_variants(sorted, n);
    sn_key *place = SN_NEW(sn_key, n);
    for (size_t i = 0; i < n; i++)
        place[i] = sorted[i].place;
    sn_search search = sn_search_create(place, n);
    for (size_t i = 0; i < n; i++) {
        size_t at = sn_search_lower_bound(&search, asked[i].place);
        sn_key number = 1;
        for (; sorted[at].copies != asked[i].copies; at++)
            number += sorted[at].copies != sorted[at + 1].copies;
        ((sn_key *)replies)[i] = number;
    }
    sn_search_free(&search);
    sn_free(place);
    sn_free(sorted);
}

/* Collective. Corners that hang at one place on parts of the body that are apart are different
 * points. Whoever owns the place tells them apart. */
static void tell_apart(const sn_octree *tree, hanging_list *list)
{
    sn_key *node = sn_octree_node_keys(tree);
    SN_VECTOR(variant) asked = {0};
    SN_VECTOR(size_t) at = {0};
    SN_VECTOR(int) to = {0};
    for (size_t i = 0; i < list->count; i++) {
        uint64_t copies = copies_between(node, &list->data[i]);
        if (copies == 0)
            continue;
        sn_push(&asked, ((variant){list->data[i].key, copies}));
        sn_push(&at, i);
        sn_push(&to, sn_owner_of(&tree->owners, list->data[i].key));
    }
    sn_key *number = SN_NEW(sn_key, asked.count);
    sn_question question = {sizeof(variant), sizeof(sn_key), number_variants, NULL};
    sn_records_ask(tree->comm, &question, asked.data, to.data, asked.count, number);
    for (size_t i = 0; i < asked.count; i++)
        list->data[at.data[i]].key |= number[i];
    sn_free(number);
    sn_free(node);
    sn_vector_free(&asked);
    sn_vector_free(&at);
    sn_vector_free(&to);
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
    for (size_t e = 0; e < (size_t)tree->n_elements; e++)
        if (tree->hanging[e])
            add_hanging(tree, element, e, &list);
    if (tree->has_copies)
        tell_apart(tree, &list);
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

/* Of those at the place, the one between the same nodes. */
static int64_t number_of(const sn_cell_points *points, sn_lookup_memory *memory,
                         const hanging_corner *corner)
{
    sn_local at = SN_NONE;
    for (sn_key number = 0; number < SN_MOST_COPIES; number++) {
        at = sn_lookup_find(&points->lookup, memory, corner->key | number);
        if (at != SN_NONE &&
            memcmp(points->between[at], corner->between, sizeof corner->between) == 0)
            break;
    }
    return points->number[points->n_nodes + (size_t)at];
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
        for (int c = 0; c < SN_CORNERS; c++)
            if (tree->hanging[e] >> c & 1) {
                hanging_corner corner = corner_of(tree, element, e, c);
                number[i][c] = number_of(points, &memory, &corner);
            }
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
