#include "contact/self/regions.h"

#include "base/array.h"
#include "partition/records.h"

#include <stdlib.h>

enum { OUTSIDE = -1 };

/* A point that is reached by the flood of a label; or, in pairs, one label for another. */
typedef struct {
    int64_t label, point;
} reached;

typedef SN_VECTOR(reached) reached_list;
typedef SN_VECTOR(size_t) index_list;
typedef SN_VECTOR(sn_self_candidate) candidate_list;

/* Asks the owner of `point` whether it lies in a region, on behalf of region `label`. */
typedef struct {
    int64_t point, label;
    int64_t
        same_edge; /* is it the other end of an edge that passes inward, or a triangle's corner */
} question;

typedef SN_VECTOR(question) question_list;

/* `target` is a partner of `label`; the label itself: the region leaks. */
typedef struct {
    int64_t label, target;
} partnership;

typedef SN_VECTOR(partnership) partner_list;

typedef struct {
    const sn_self_surface *surface;
    const sn_crossing_list *crossings;
    int64_t *label; /* of each of this rank's points, but for those at home in an open patch */
    bool *seed;
    bool *closed; /* of each patch: an edge is cut there, or it is not this rank's alone */
    int64_t *label_of_patch; /* of one that is open: of all its points */
    index_list stack, patch_stack;
    reached_list elsewhere; /* points of other ranks, not yet told */
    partner_list partners;  /* on all ranks, ascending */
} flood;

static int two_numbers(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    if (a[0] != b[0])
        return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

/* Pairs of numbers, ascending and each once; returns how many are left. */
static size_t sort_pairs(void *pairs, size_t n)
{
    int64_t(*p)[2] = pairs;
    size_t kept = 0;
    if (n > 0)
        qsort(p, n, sizeof *p, two_numbers);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || two_numbers(p[i], p[kept - 1]) != 0) {
            p[kept][0] = p[i][0];
            p[kept++][1] = p[i][1];
        }
    return kept;
}

/* ---- Edges that pass through something ---- */

/* The first crossing of the edges at `inner` whose other end is at least `outer`. */
static size_t find_crossing(const sn_crossing_list *list, int64_t inner, int64_t outer)
{
    size_t low = 0, high = list->count;
    int64_t wanted[2] = {inner, outer};
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int64_t have[2] = {list->data[middle].inner, list->data[middle].outer};
        if (two_numbers(have, wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_cut(const sn_crossing_list *list, int64_t inner, int64_t outer)
{
    size_t at = find_crossing(list, inner, outer);
    return at < list->count && list->data[at].inner == inner && list->data[at].outer == outer;
}

/* The crossings of one edge from `from` on; returns where they end, and how many more of them
 * pass inward than outward. */
static size_t edge_end(const sn_crossing_list *list, size_t from, int64_t *inward)
{
    size_t to = from;
    *inward = 0;
    for (; to < list->count && list->data[to].inner == list->data[from].inner &&
           list->data[to].outer == list->data[from].outer;
         to++)
        *inward += list->data[to].inward;
    return to;
}

/* ---- Patches ----
 *
 * A flood that leaks is one of nearly the whole surface. Where nothing is cut it goes on from patch
 * to patch: the points of one hang together, and what one of them is reached by all are. */

static bool is_at_home(const flood *f, size_t point)
{
    uint32_t home = f->surface->home[point];
    return home != SN_NO_HOME && !f->closed[home];
}

static int64_t label_of(const flood *f, size_t point)
{
    return is_at_home(f, point) ? f->label_of_patch[f->surface->home[point]] : f->label[point];
}

/* The patches at a point, and all around one of them. */
static void close_around(flood *f, size_t point)
{
    const sn_self_patches *p = &f->surface->patches;
    uint32_t home = f->surface->home[point];
    if (home == SN_NO_HOME)
        return;
    f->closed[home] = true;
    for (uint32_t i = p->first[home]; i < p->first[home + 1]; i++)
        f->closed[p->ring[i] & SN_PATCH_NUMBER] = true;
}

static void open_patches(flood *f)
{
    const sn_self_patches *p = &f->surface->patches;
    f->closed = SN_NEW(bool, p->n);
    f->label_of_patch = SN_NEW(int64_t, p->n);
    for (size_t i = 0; i < p->n; i++) {
        f->closed[i] = !p->patch[i].is_inner;
        f->label_of_patch[i] = OUTSIDE;
    }
    for (size_t i = 0; i < f->crossings->count; i++)
        close_around(f, sn_self_find_point(f->surface, f->crossings->data[i].inner));
}

/* ---- The flood ---- */

static bool lower(int64_t *label, int64_t to)
{
    if (*label != OUTSIDE && *label <= to)
        return false;
    *label = to;
    return true;
}

static void reach_patch(flood *f, uint32_t patch, int64_t label)
{
    if (lower(&f->label_of_patch[patch], label))
        sn_push(&f->patch_stack, patch);
}

static void reach(flood *f, size_t point, int64_t label)
{
    if (is_at_home(f, point))
        reach_patch(f, f->surface->home[point], label);
    else if (lower(&f->label[point], label))
        sn_push(&f->stack, point);
}

static void spread_from(flood *f, size_t p)
{
    const sn_self_surface *s = f->surface;
    int64_t from = s->number[p], label = label_of(f, p);
    size_t at = find_crossing(f->crossings, from, INT64_MIN);
    bool has_cuts = at < f->crossings->count && f->crossings->data[at].inner == from;
    for (size_t i = s->first[p]; i < s->first[p + 1]; i++) {
        sn_self_triangle t = sn_self_triangle_of(s, s->around[i]);
        for (int c = 0; c < 3; c++) {
            int64_t to = t.corner[c];
            if (to == from || (has_cuts && is_cut(f->crossings, from, to)))
                continue;
            if (s->owner[to] == s->rank)
                reach(f, sn_self_find_point(s, to), label);
            else
                sn_push(&f->elsewhere, ((reached){label, to}));
        }
    }
}

/* To open patches around as a whole; where there are others, point by point. */
static void spread_from_patch(flood *f, size_t patch)
{
    const sn_self_surface *s = f->surface;
    const sn_self_patch *p = &s->patches.patch[patch];
    int64_t label = f->label_of_patch[patch];
    bool ends_here = false;
    for (uint32_t i = s->patches.first[patch]; i < s->patches.first[patch + 1]; i++) {
        uint32_t other = s->patches.ring[i] & SN_PATCH_NUMBER;
        if (f->closed[other])
            ends_here = true;
        else
            reach_patch(f, other, label);
    }
    int64_t base = s->embedding->body_first[p->body];
    for (int i = 0; i < p->n_vertices && ends_here; i++) {
        size_t point = sn_self_find_point(s, base + p->vertex[i]);
        if (is_at_home(f, point))
            spread_from(f, point);
        else /* in a patch around that is closed */
            reach(f, point, label);
    }
}

static void spread_all(flood *f)
{
    while (f->stack.count > 0 || f->patch_stack.count > 0)
        if (f->stack.count > 0)
            spread_from(f, f->stack.data[--f->stack.count]);
        else
            spread_from_patch(f, f->patch_stack.data[--f->patch_stack.count]);
}

/* Low labels first: each point is then reached once, and what others send corrects little. */
static void spread(flood *f, reached_list *start)
{
    start->count = sort_pairs(start->data, start->count);
    for (size_t i = 0; i < start->count; i++) {
        reach(f, sn_self_find_point(f->surface, start->data[i].point), start->data[i].label);
        spread_all(f);
    }
}

static reached_list find_seeds(flood *f)
{
    reached_list seeds = {0};
    int64_t inward;
    for (size_t i = 0, end; i < f->crossings->count; i = end) {
        end = edge_end(f->crossings, i, &inward);
        int64_t point = f->crossings->data[i].inner;
        size_t p = sn_self_find_point(f->surface, point);
        if (inward > 0 && !f->seed[p]) {
            f->seed[p] = true;
            sn_push(&seeds, ((reached){point, point}));
        }
    }
    return seeds;
}

/* Tells other ranks what was reached of theirs; false if nothing was, anywhere. */
static bool exchange(flood *f, reached_list *arrived)
{
    MPI_Comm comm = f->surface->embedding->tree->comm;
    f->elsewhere.count = sort_pairs(f->elsewhere.data, f->elsewhere.count);
    int64_t n = (int64_t)f->elsewhere.count;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, comm);
    if (n == 0)
        return false;
    int *destination = SN_NEW(int, f->elsewhere.count);
    for (size_t i = 0; i < f->elsewhere.count; i++)
        destination[i] = f->surface->owner[f->elsewhere.data[i].point];
    sn_inbox in =
        sn_records_send(comm, sizeof(reached), f->elsewhere.data, destination, f->elsewhere.count);
    sn_free(destination);
    f->elsewhere.count = 0;
    sn_vector_free(arrived);
    arrived->data = sn_inbox_take(&in, &arrived->count);
    arrived->capacity = arrived->count;
    return true;
}

static void run_flood(flood *f)
{
    reached_list start = find_seeds(f);
    do
        spread(f, &start);
    while (exchange(f, &start));
    sn_vector_free(&start);
}

/* ---- Partners ---- */

/* About the other ends of edges that pass inward, and the corners of the triangles there. */
static question_list questions(const flood *f)
{
    question_list list = {0};
    const sn_crossing *crossing = f->crossings->data;
    int64_t inward;
    for (size_t i = 0, end; i < f->crossings->count; i = end) {
        end = edge_end(f->crossings, i, &inward);
        if (inward <= 0)
            continue;
        int64_t label = label_of(f, sn_self_find_point(f->surface, crossing[i].inner));
        sn_push(&list, ((question){crossing[i].outer, label, true}));
        for (size_t k = i; k < end; k++) {
            sn_self_triangle t = sn_self_triangle_of(f->surface, crossing[k].triangle);
            for (int c = 0; c < 3; c++)
                sn_push(&list, ((question){t.corner[c], label, false}));
        }
    }
    return list;
}

static void answer(flood *f, const question *q, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t label = label_of(f, sn_self_find_point(f->surface, q[i].point));
        if (label != OUTSIDE && (label == q[i].label) == (q[i].same_edge != 0))
            sn_push(&f->partners, ((partnership){q[i].label, label}));
    }
    f->partners.count = sort_pairs(f->partners.data, f->partners.count);
}

/* The number of regions that touch is small: all ranks may know all partners. */
static void share_partners(flood *f)
{
    MPI_Comm comm = f->surface->embedding->tree->comm;
    int size, mine = (int)f->partners.count, all = 0;
    MPI_Comm_size(comm, &size);
    int *count = SN_NEW(int, size), *first = SN_NEW(int, size);
    MPI_Allgather(&mine, 1, MPI_INT, count, 1, MPI_INT, comm);
    for (int r = 0; r < size; r++) {
        first[r] = all;
        all += count[r];
    }
    partnership *everything = SN_NEW(partnership, all);
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT64_T, &type);
    MPI_Type_commit(&type);
    MPI_Allgatherv(f->partners.data, mine, type, everything, count, first, type, comm);
    MPI_Type_free(&type);
    sn_free(count);
    sn_free(first);
    sn_vector_free(&f->partners);
    f->partners.data = everything;
    f->partners.count = f->partners.capacity = sort_pairs(everything, (size_t)all);
}

static void find_partners(flood *f)
{
    question_list asked = questions(f);
    int *destination = SN_NEW(int, asked.count);
    for (size_t i = 0; i < asked.count; i++)
        destination[i] = f->surface->owner[asked.data[i].point];
    sn_inbox in = sn_records_send(f->surface->embedding->tree->comm, sizeof(question), asked.data,
                                  destination, asked.count);
    sn_free(destination);
    sn_vector_free(&asked);
    answer(f, in.data, in.n);
    sn_inbox_free(&in);
    share_partners(f);
}

/* The first partnership of a label. */
static size_t first_partner(const flood *f, int64_t label)
{
    size_t low = 0, high = f->partners.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (f->partners.data[middle].label < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool leaks(const flood *f, int64_t label)
{
    for (size_t i = first_partner(f, label);
         i < f->partners.count && f->partners.data[i].label == label; i++)
        if (f->partners.data[i].target == label)
            return true;
    return false;
}

/* ---- Borders ---- */

/* Asks the owner of `point` which region it lies in, on behalf of crossing `at`: of the other end
 * of its edge, or of a corner of its triangle. */
typedef struct {
    int64_t point, at, other_end, label;
} border_question;

typedef SN_VECTOR(border_question) border_list;

static border_list border_questions(const flood *f)
{
    border_list list = {0};
    for (size_t i = 0; i < f->crossings->count; i++) {
        const sn_crossing *crossing = &f->crossings->data[i];
        sn_self_triangle t = sn_self_triangle_of(f->surface, crossing->triangle);
        sn_push(&list, ((border_question){crossing->outer, (int64_t)i, true, OUTSIDE}));
        for (int c = 0; c < 3; c++)
            sn_push(&list, ((border_question){t.corner[c], (int64_t)i, false, OUTSIDE}));
    }
    return list;
}

/* The questions with their answers, those of regions that leak left out. */
static border_list ask_about_borders(const flood *f)
{
    const sn_self_surface *s = f->surface;
    MPI_Comm comm = s->embedding->tree->comm;
    border_list list = border_questions(f);
    int *destination = SN_NEW(int, list.count);
    for (size_t i = 0; i < list.count; i++)
        destination[i] = s->owner[list.data[i].point];
    sn_inbox in = sn_records_send(comm, sizeof *list.data, list.data, destination, list.count);
    sn_free(destination);
    border_question *q = in.data;
    for (size_t i = 0; i < in.n; i++)
        q[i].label = label_of(f, sn_self_find_point(s, q[i].point));
    sn_inbox answers = sn_records_reply(comm, &in, sizeof *q, q);
    const border_question *a = answers.data;
    list.count = 0;
    for (size_t i = 0; i < answers.n; i++)
        if (a[i].label != OUTSIDE && !leaks(f, a[i].label))
            sn_push(&list, a[i]);
    sn_inbox_free(&in);
    sn_inbox_free(&answers);
    return list;
}

/* Of each of this rank's points: the region that an edge leads into, OUTSIDE if none. */
static int64_t *neighbours(const flood *f, const border_list *borders)
{
    int64_t *label = SN_NEW(int64_t, f->surface->n_points);
    for (size_t p = 0; p < f->surface->n_points; p++)
        label[p] = OUTSIDE;
    for (size_t i = 0; i < borders->count; i++) {
        const border_question *b = &borders->data[i];
        size_t p = sn_self_find_point(f->surface, f->crossings->data[b->at].inner);
        if (b->other_end && (label[p] == OUTSIDE || b->label < label[p]))
            label[p] = b->label;
    }
    return label;
}

/* ---- What comes out ---- */

static void collect_points(const flood *f, const border_list *borders, sn_self_regions *r)
{
    const sn_self_surface *s = f->surface;
    int64_t *next_to = neighbours(f, borders);
    index_list found = {0};
    int64_t asked = OUTSIDE;
    bool leaky = false; /* the region that was asked for last */
    for (size_t p = 0; p < s->n_points; p++) {
        int64_t label = label_of(f, p);
        if (label != OUTSIDE && label != asked) {
            asked = label;
            leaky = leaks(f, label);
        }
        bool inside = label != OUTSIDE && (f->seed[p] || !leaky);
        if (inside || (label == OUTSIDE && next_to[p] != OUTSIDE))
            sn_push(&found, p);
        r->n_inside += inside;
    }
    r->n = found.count;
    r->point = found.data;
    SN_RESIZE(r->point, r->n);
    r->label = SN_NEW(int64_t, r->n);
    r->beside = SN_NEW(bool, r->n);
    for (size_t i = 0; i < r->n; i++) {
        int64_t label = label_of(f, r->point[i]);
        r->beside[i] = label == OUTSIDE;
        r->label[i] = r->beside[i] ? next_to[r->point[i]] : label;
    }
    sn_free(next_to);
}

/* Triangles that edges of a region pass through. */
static void add_passed(const flood *f, candidate_list *list)
{
    int64_t inward;
    for (size_t i = 0, end; i < f->crossings->count; i = end) {
        end = edge_end(f->crossings, i, &inward);
        if (inward <= 0)
            continue;
        int64_t label = label_of(f, sn_self_find_point(f->surface, f->crossings->data[i].inner));
        for (size_t k = i; k < end; k++)
            sn_push(list, ((sn_self_candidate){label, f->crossings->data[k].triangle}));
    }
}

/* Triangles at the points of the regions that are a region's partners. */
static void add_partners(const flood *f, const sn_self_regions *r, candidate_list *list)
{
    const sn_self_surface *s = f->surface;
    for (size_t k = 0; k < r->n; k++) {
        int64_t label = r->label[k];
        if (r->beside[k] || leaks(f, label))
            continue;
        /* Partnerships go both ways: the borders of both are on one curve. */
        for (size_t i = first_partner(f, label);
             i < f->partners.count && f->partners.data[i].label == label; i++)
            for (size_t t = s->first[r->point[k]]; t < s->first[r->point[k] + 1]; t++)
                sn_push(list, ((sn_self_candidate){f->partners.data[i].target, s->around[t]}));
    }
}

/* Triangles whose edges pass through those at a region's points, though no corner of theirs need be
 * inside: an edge may cut through a ridge. */
static void add_borders(const flood *f, const border_list *borders, candidate_list *list)
{
    const sn_self_surface *s = f->surface;
    for (size_t b = 0; b < borders->count; b++) {
        const sn_crossing *edge = &f->crossings->data[borders->data[b].at];
        size_t p = sn_self_find_point(s, edge->inner);
        for (size_t i = s->first[p]; i < s->first[p + 1] && !borders->data[b].other_end; i++) {
            sn_self_triangle t = sn_self_triangle_of(s, s->around[i]);
            if (sn_self_has_corner(&t, edge->outer))
                sn_push(list, ((sn_self_candidate){borders->data[b].label, t.number}));
        }
    }
}

/* A region's border may pass through triangles of its partner without a corner in it, so that
 * only one of the two knows of the other. */
static void both_ways(partner_list *partners)
{
    size_t n = partners->count;
    for (size_t i = 0; i < n; i++)
        sn_push(partners, ((partnership){partners->data[i].target, partners->data[i].label}));
    partners->count = sort_pairs(partners->data, partners->count);
}

void sn_self_find_regions(const sn_self_surface *s, const sn_crossing_list *crossings,
                          sn_self_regions *regions)
{
    flood f = {.surface = s,
               .crossings = crossings,
               .label = SN_NEW(int64_t, s->n_points),
               .seed = SN_NEW_ZERO(bool, s->n_points)};
    for (size_t p = 0; p < s->n_points; p++)
        f.label[p] = OUTSIDE;
    open_patches(&f);
    run_flood(&f);
    find_partners(&f);
    both_ways(&f.partners);
    *regions = (sn_self_regions){0};
    border_list borders = ask_about_borders(&f);
    collect_points(&f, &borders, regions);
    candidate_list list = {0};
    add_passed(&f, &list);
    add_partners(&f, regions, &list);
    add_borders(&f, &borders, &list);
    regions->n_candidates = sort_pairs(list.data, list.count);
    regions->candidate = list.data;
    SN_RESIZE(regions->candidate, regions->n_candidates);
    sn_free(f.label);
    sn_free(f.seed);
    sn_free(f.closed);
    sn_free(f.label_of_patch);
    sn_vector_free(&f.stack);
    sn_vector_free(&f.patch_stack);
    sn_vector_free(&f.elsewhere);
    sn_vector_free(&f.partners);
    sn_vector_free(&borders);
}

void sn_self_regions_free(sn_self_regions *r)
{
    sn_free(r->point);
    sn_free(r->label);
    sn_free(r->beside);
    sn_free(r->candidate);
    *r = (sn_self_regions){0};
}
