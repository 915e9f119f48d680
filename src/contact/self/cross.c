#include "contact/self/cross.h"

#include "contact/self/blocks.h"
#include "contact/self/leaf.h"
#include "contact/self/smooth.h"
#include "partition/records.h"

#include <stdlib.h>

/* Surfaces cross along curves: a triangle has some crossings, most have none. One that is crumpled
 * into a point crosses itself everywhere, and its crossings are the square of its triangles. So
 * many may there be on the whole surface, and so many more for each of its triangles. */
enum { MOST_OF_ANY = 1 << 16, MOST_A_TRIANGLE = 32 };
/* An edge is met with each triangle beside it, two as a rule; beyond this nothing is noted. */
enum { MET_AT_MOST = 8 };

/* Triangles that are searched, leaf by leaf: this rank's patches, or guests. */
typedef struct {
    const uint32_t *number;
    size_t n;
    const sn_self_patches *patches; /* NULL: sixteen by sixteen */
    const bool *smooth;             /* of each patch */
    sn_box_tree tree;               /* of leaves */
} crowd;

/* Leaves that were made last are kept for a while: neighbours are asked for again. */
enum { KEPT = 256 };

typedef struct {
    const crowd *of; /* NULL: nothing */
    size_t number;
    sn_self_leaf leaf;
} kept_leaf;

/* A triangle after the snap. */
typedef struct {
    sn_self_triangle t;
    sn_exact_point corner[3];
} exact_probe;

typedef struct {
    const sn_self_surface *surface;
    const sn_mesh *shape;
    const sn_exact_grid *grid;
    size_t most;            /* that are noted */
    sn_crossing_list found; /* in any order */
    kept_leaf *kept;        /* KEPT of them */
    const crowd *own, *with;
    size_t leaf;       /* of `own`, which is compared with those of `with` */
    kept_leaf *filled; /* that leaf, when it has been asked for */
} comparison;

typedef SN_VECTOR(uint32_t) number_list;
typedef SN_VECTOR(int) rank_list;

static size_t most_crossings(const sn_self_surface *s)
{
    int bodies = s->embedding->tree->bodies->n;
    return MOST_OF_ANY + MOST_A_TRIANGLE * (size_t)s->triangle_first[bodies];
}

/* ---- Two triangles ---- */

static void note(comparison *c, int64_t from, int64_t to, const sn_self_triangle *through,
                 int along_normal)
{
    int inward = c->surface->outward[through->body] < 0 ? along_normal : -along_normal;
    if (c->found.count > c->most)
        return;
    sn_push(&c->found, ((sn_crossing){to, from, through->number, inward}));
    sn_push(&c->found, ((sn_crossing){from, to, through->number, -inward}));
}

static void pass_edges(comparison *c, const exact_probe *a, const exact_probe *b)
{
    for (int e = 0; e < 3; e++) {
        const sn_exact_point *from = &a->corner[e], *to = &a->corner[(e + 1) % 3];
        if (sn_self_has_corner(&b->t, from->number) || sn_self_has_corner(&b->t, to->number))
            continue;
        int along_normal = sn_exact_passes(from, to, b->corner);
        if (along_normal != 0)
            note(c, from->number, to->number, &b->t, along_normal);
    }
}

static exact_probe snapped(const comparison *c, int64_t triangle)
{
    exact_probe e = {.t = sn_self_triangle_of(c->surface, triangle)};
    for (int i = 0; i < 3; i++)
        e.corner[i] = sn_exact_snap(
            c->grid, sn_self_at(c->surface, c->shape, e.t.body, e.t.corner[i]), e.t.corner[i]);
    return e;
}

static void compare(comparison *c, int64_t a, int64_t b)
{
    exact_probe left = snapped(c, a), right = snapped(c, b);
    pass_edges(c, &left, &right);
    pass_edges(c, &right, &left);
}

/* ---- Leaves ---- */

static size_t leaves_of(size_t triangles)
{
    return (triangles + SN_SELF_LEAF - 1) / SN_SELF_LEAF;
}

static size_t first_in(const crowd *all, size_t leaf)
{
    return all->patches ? all->patches->patch[leaf].triangle : leaf * SN_SELF_LEAF;
}

static size_t count_in(const crowd *all, size_t leaf)
{
    size_t left = all->n - first_in(all, leaf);
    if (all->patches)
        return all->patches->patch[leaf].n_triangles;
    return left < SN_SELF_LEAF ? left : SN_SELF_LEAF;
}

static void fill_leaf(const comparison *c, const crowd *all, size_t leaf, sn_self_leaf *filled)
{
    size_t first = first_in(all, leaf), n = count_in(all, leaf);
    sn_self_leaf_clear(filled);
    for (size_t lane = 0; lane < n; lane++) {
        sn_self_triangle t = sn_self_triangle_of(c->surface, all->number[first + lane]);
        const double *at[3];
        for (int k = 0; k < 3; k++)
            at[k] = sn_self_at(c->surface, c->shape, t.body, t.corner[k]);
        sn_self_leaf_set(filled, (int)lane, c->grid, at, t.corner);
    }
}

static void fill_patch(const comparison *c, const sn_self_patch *p, sn_self_leaf *filled)
{
    double unit = sn_exact_share(c->grid);
    int64_t base = c->surface->embedding->body_first[p->body];
    const double(*vertex)[3] = (const double(*)[3])c->shape[p->body].vertex;
    sn_lane_reals place[3] = {{0}};
    sn_lane_mask number = {0};
    for (int i = 0; i < p->n_vertices; i++) {
        number[i] = (int32_t)(uint32_t)(base + p->vertex[i]);
        for (int d = 0; d < 3; d++)
            place[d][i] = (float)((vertex[p->vertex[i]][d] - c->grid->origin[d]) * unit);
    }
    sn_self_leaf_of_patch(filled, p, place, number);
}

static const sn_self_leaf *leaf_in(const comparison *c, const crowd *all, size_t leaf,
                                   kept_leaf *kept)
{
    if (kept->of == all && kept->number == leaf)
        return &kept->leaf;
    if (all->patches)
        fill_patch(c, &all->patches->patch[leaf], &kept->leaf);
    else
        fill_leaf(c, all, leaf, &kept->leaf);
    kept->of = all;
    kept->number = leaf;
    return &kept->leaf;
}

static crowd gather_guests(const comparison *c, const uint32_t *number, size_t n)
{
    size_t leaves = leaves_of(n);
    crowd all = {.number = number, .n = n, .tree = sn_box_tree_create(leaves)};
#pragma omp parallel for schedule(static)
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        sn_self_leaf filled;
        fill_leaf(c, &all, leaf, &filled);
        sn_box_tree_set(&all.tree, leaf, sn_self_leaf_whole(&filled));
    }
    sn_box_tree_fill(&all.tree);
    return all;
}

static crowd gather_patches(const comparison *c)
{
    const sn_self_surface *s = c->surface;
    crowd all = {.number = s->triangle,
                 .n = s->n_triangles,
                 .patches = &s->patches,
                 .tree = sn_box_tree_create(s->patches.n)};
    all.smooth = sn_self_smooth_patches(s, c->shape, c->grid, &all.tree);
    sn_box_tree_fill(&all.tree);
    return all;
}

static void compare_leaves(comparison *c, size_t left, size_t right)
{
    bool same = c->own == c->with && left == right;
    const sn_self_leaf *one = leaf_in(c, c->own, left, c->filled);
    const sn_self_leaf *other = leaf_in(c, c->with, right, &c->kept[right % KEPT]);
    sn_small_box around = sn_box_tree_leaf(&c->with->tree, right);
    size_t first = first_in(c->own, left), second = first_in(c->with, right);
    unsigned near = sn_self_leaf_meeting(one, &around);
    for (; near != 0; near &= near - 1) {
        int i = __builtin_ctz(near);
        sn_small_box box = sn_self_leaf_box(one, i);
        unsigned hits = sn_self_leaf_meeting(other, &box);
        if (same)
            hits &= ~((2u << i) - 1);
        if (hits != 0)
            hits = sn_self_leaf_crossing(one, i, other, hits);
        for (; hits != 0; hits &= hits - 1)
            compare(c, c->own->number[first + (size_t)i],
                    c->with->number[second + (size_t)__builtin_ctz(hits)]);
    }
}

/* ---- All pairs ---- */

static bool meet(void *context, size_t leaf)
{
    comparison *c = context;
    if (c->own != c->with ||
        !sn_self_are_smooth(c->own->patches, c->own->smooth, (uint32_t)c->leaf, (uint32_t)leaf))
        compare_leaves(c, c->leaf, leaf);
    return true;
}

/* One leaf against those of a crowd, from `start` on. */
static void compare_leaf(comparison *c, size_t leaf, const crowd *with, size_t start)
{
    sn_small_box box = sn_box_tree_leaf(&c->own->tree, leaf);
    c->leaf = leaf;
    c->with = with;
    sn_box_tree_visit(&with->tree, &box, start, meet, c);
}

static void append(sn_crossing_list *to, const sn_crossing_list *from)
{
    for (size_t i = 0; i < from->count; i++)
        sn_push(to, from->data[i]);
}

static void compare_all(const comparison *how, const crowd *own, const crowd *guests,
                        sn_crossing_list *found)
{
#pragma omp parallel
    {
        comparison c = *how;
        c.own = own;
        c.kept = SN_NEW_ZERO(kept_leaf, KEPT + 1);
        c.filled = c.kept + KEPT;
#pragma omp for schedule(dynamic, 64)
        for (size_t leaf = 0; leaf < own->tree.leaves; leaf++) {
            compare_leaf(&c, leaf, own, leaf);
            if (guests->n > 0)
                compare_leaf(&c, leaf, guests, 0);
        }
#pragma omp critical
        append(found, &c.found);
        sn_vector_free(&c.found);
        sn_free(c.kept);
    }
}

/* ---- Triangles of other ranks ---- */

/* For each two ranks one sends and the other compares: about half of them each. */
static bool sends_to(int me, int other)
{
    return me != other && (me < other) == ((me + other) % 2 == 0);
}

static sn_box *boxes_of_leaves(const crowd *own)
{
    sn_box *box = SN_NEW(sn_box, own->tree.leaves);
    for (size_t i = 0; i < own->tree.leaves; i++) {
        sn_small_box small = sn_box_tree_leaf(&own->tree, i);
        for (int d = 0; d < 3; d++) {
            box[i].min[d] = small.min[d];
            box[i].max[d] = small.max[d];
        }
    }
    return box;
}

/* The triangles of a leaf are sent. */
static void add_leaf(const crowd *own, size_t leaf, int to, number_list *numbers, rank_list *ranks)
{
    for (size_t i = 0; i < count_in(own, leaf); i++) {
        sn_push(numbers, own->number[first_in(own, leaf) + i]);
        sn_push(ranks, to);
    }
}

/* The triangles that others compare with theirs come here. */
static uint32_t *receive_guests(MPI_Comm comm, const crowd *own, size_t *n)
{
    int me, size;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    sn_box *box = boxes_of_leaves(own);
    size_t leaves = own->tree.leaves;
    sn_self_blocks blocks = sn_self_blocks_share(comm, box, sizeof *box, leaves);
    number_list numbers = {0};
    rank_list destinations = {0};
    for (int r = 0; r < size; r++) {
        if (!sends_to(me, r) || !sn_self_blocks_meet(&blocks, me, r))
            continue;
        for (size_t i = 0; i < leaves; i++)
            if (sn_self_box_meets_rank(&blocks, &box[i], r))
                add_leaf(own, i, r, &numbers, &destinations);
    }
    sn_self_blocks_free(&blocks);
    sn_free(box);
    sn_inbox in =
        sn_records_send(comm, sizeof *numbers.data, numbers.data, destinations.data, numbers.count);
    sn_vector_free(&numbers);
    sn_vector_free(&destinations);
    return sn_inbox_take(&in, n);
}

/* ---- Crossings to the owners of their points ---- */

static int by_ends(const void *left, const void *right)
{
    const sn_crossing *a = left, *b = right;
    if (a->inner != b->inner)
        return a->inner < b->inner ? -1 : 1;
    if (a->outer != b->outer)
        return a->outer < b->outer ? -1 : 1;
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

/* An edge is met with each of its triangles; it counts once. */
static void sort_unique(sn_crossing_list *list)
{
    if (list->count > 0)
        qsort(list->data, list->count, sizeof *list->data, by_ends);
    size_t n = 0;
    for (size_t i = 0; i < list->count; i++)
        if (n == 0 || by_ends(&list->data[i], &list->data[n - 1]) != 0)
            list->data[n++] = list->data[i];
    list->count = n;
}

static void bring_to_owners(const sn_self_surface *s, sn_crossing_list *list)
{
    int *destination = SN_NEW(int, list->count);
    for (size_t i = 0; i < list->count; i++)
        destination[i] = s->owner[list->data[i].inner];
    sn_inbox in = sn_records_send(s->embedding->tree->comm, sizeof *list->data, list->data,
                                  destination, list->count);
    sn_free(destination);
    sn_vector_free(list);
    list->data = sn_inbox_take(&in, &list->count);
    list->capacity = list->count;
}

/* Collective. Whoever has stopped noting has more than all may have: the answer is the same on any
 * ranks. */
static sn_status check_number(const sn_self_surface *s, const sn_crossing_list *crossings)
{
    uint64_t n = crossings->count;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_UINT64_T, MPI_SUM, s->embedding->tree->comm);
    if (n <= 2 * most_crossings(s)) /* each is found from both ends */
        return SN_OK;
    return SN_FAIL(SN_INACCURATE,
                   "flesh is crumpled: its surface passes through itself in more than %zu places",
                   most_crossings(s));
}

sn_status sn_self_find_crossings(const sn_self_surface *s, const sn_mesh *shape,
                                 const sn_exact_grid *grid, sn_crossing_list *crossings)
{
    comparison c = {
        .surface = s, .shape = shape, .grid = grid, .most = MET_AT_MOST * most_crossings(s)};
    size_t n_guests;
    crowd own = gather_patches(&c);
    uint32_t *numbers = receive_guests(s->embedding->tree->comm, &own, &n_guests);
    crowd guests = gather_guests(&c, numbers, n_guests);
    *crossings = (sn_crossing_list){0};
    compare_all(&c, &own, &guests, crossings);
    sn_box_tree_free(&own.tree);
    sn_box_tree_free(&guests.tree);
    sn_free((void *)own.smooth);
    sn_free(numbers);
    sort_unique(crossings);
    bring_to_owners(s, crossings);
    sort_unique(crossings);
    sn_status status = check_number(s, crossings);
    if (status != SN_OK)
        sn_vector_free(crossings);
    return status;
}
