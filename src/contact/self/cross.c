#include "contact/self/cross.h"

#include "contact/self/blocks.h"
#include "partition/records.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

/* Surfaces cross along curves: a triangle has some crossings, most have none. One that is crumpled
 * into a point crosses itself everywhere, and its crossings are the square of its triangles. So
 * many may there be on the whole surface, and so many more for each of its triangles. */
enum { MOST_OF_ANY = 1 << 16, MOST_A_TRIANGLE = 32 };
/* An edge is met with each triangle beside it, two as a rule; beyond this nothing is noted. */
enum { MET_AT_MOST = 8 };

/* A triangle made ready to be compared with others. */
typedef struct {
    sn_self_triangle t;
    sn_exact_point corner[3];
    sn_exact_plane plane;
    sn_box box;
} probe;

typedef struct {
    const sn_self_surface *surface;
    const probe *of[2];      /* of the two scenes that are compared */
    pthread_mutex_t mutex;   /* Embree calls from its own threads */
    size_t most;             /* that are noted */
    sn_crossing_list *found; /* in any order */
} comparison;

typedef SN_VECTOR(int64_t) number_list;
typedef SN_VECTOR(int) rank_list;

static size_t most_crossings(const sn_self_surface *s)
{
    int bodies = s->embedding->tree->bodies->n;
    return MOST_OF_ANY + MOST_A_TRIANGLE * (size_t)s->triangle_first[bodies];
}

/* ---- Two triangles ---- */

static void note(comparison *c, int64_t from, int64_t to, const probe *through, int along_normal)
{
    int inward = c->surface->outward[through->t.body] < 0 ? along_normal : -along_normal;
    pthread_mutex_lock(&c->mutex);
    if (c->found->count <= c->most) {
        sn_push(c->found, ((sn_crossing){to, from, through->t.number, inward}));
        sn_push(c->found, ((sn_crossing){from, to, through->t.number, -inward}));
    }
    pthread_mutex_unlock(&c->mutex);
}

/* Do a's corners lie on both sides of b's plane? Where they share a corner, it lies on none. */
static bool straddles(const probe *a, const probe *b)
{
    bool front = false, back = false;
    for (int c = 0; c < 3; c++) {
        if (sn_self_has_corner(&b->t, a->t.corner[c]))
            continue;
        int side = sn_exact_side_of_plane(&b->plane, &a->corner[c]);
        front |= side >= 0;
        back |= side < 0;
    }
    return front && back;
}

static void pass_edges(comparison *c, const probe *a, const probe *b)
{
    for (int e = 0; e < 3; e++) {
        const sn_exact_point *from = &a->corner[e], *to = &a->corner[(e + 1) % 3];
        if (sn_self_has_corner(&b->t, from->number) || sn_self_has_corner(&b->t, to->number))
            continue;
        int along_normal = sn_exact_passes(from, to, b->corner);
        if (along_normal != 0)
            note(c, from->number, to->number, b, along_normal);
    }
}

static void compare(comparison *c, const probe *a, const probe *b)
{
    int shared = 0;
    for (int corner = 0; corner < 3; corner++)
        shared += sn_self_has_corner(&b->t, a->t.corner[corner]);
    if (shared >= 2) /* then every edge of one ends at a corner of the other */
        return;
    /* Where an edge of one passes through the other they are in each other's planes. */
    if (straddles(a, b) && straddles(b, a)) {
        pass_edges(c, a, b);
        pass_edges(c, b, a);
    }
}

/* ---- All pairs ---- */

static void on_pairs(void *user, struct RTCCollision *pairs, unsigned n)
{
    comparison *c = user;
    bool same = c->of[0] == c->of[1]; /* then Embree gives each pair both ways */
    for (unsigned i = 0; i < n; i++)
        if (!same || pairs[i].primID0 < pairs[i].primID1)
            compare(c, &c->of[0][pairs[i].primID0], &c->of[1][pairs[i].primID1]);
}

static void bounds_of_probe(const struct RTCBoundsFunctionArguments *arguments)
{
    const probe *p = (const probe *)arguments->geometryUserPtr + arguments->primID;
    *arguments->bounds_o = sn_embree_bounds(&p->box);
}

static RTCScene scene_of(RTCDevice device, probe *probes, size_t n)
{
    return sn_self_scene(device, probes, n, bounds_of_probe);
}

static probe *make_probes(const sn_self_surface *s, const sn_mesh *shape, const sn_exact_grid *grid,
                          const int64_t *triangle, size_t n)
{
    double slack = SN_EXACT_JITTER / grid->scale; /* what the snap may move */
    probe *probes = SN_NEW(probe, n);
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) {
        probe *p = &probes[i];
        p->t = sn_self_triangle_of(s, triangle[i]);
        for (int c = 0; c < 3; c++)
            p->corner[c] = sn_exact_snap(grid, sn_self_at(s, shape, p->t.body, p->t.corner[c]),
                                         p->t.corner[c]);
        p->plane = sn_exact_plane_of(p->corner);
        p->box = sn_self_box(s, shape, &p->t);
        for (int d = 0; d < 3; d++) {
            p->box.min[d] -= slack;
            p->box.max[d] += slack;
        }
    }
    return probes;
}

static sn_status compare_all(const sn_self_surface *s, RTCDevice device, probe *own, size_t n_own,
                             probe *guests, size_t n_guests, sn_crossing_list *found)
{
    comparison c = {
        .surface = s, .of = {own, own}, .most = MET_AT_MOST * most_crossings(s), .found = found};
    if (n_own == 0)
        return SN_OK;
    pthread_mutex_init(&c.mutex, NULL);
    RTCScene scene = scene_of(device, own, n_own);
    rtcCollide(scene, scene, on_pairs, &c);
    if (n_guests > 0) {
        RTCScene other = scene_of(device, guests, n_guests);
        c.of[1] = guests;
        rtcCollide(scene, other, on_pairs, &c);
        rtcReleaseScene(other);
    }
    rtcReleaseScene(scene);
    pthread_mutex_destroy(&c.mutex);
    return sn_self_embree_status();
}

/* ---- Triangles of other ranks ---- */

/* For each two ranks one sends and the other compares: about half of them each. */
static bool sends_to(int me, int other)
{
    return me != other && (me < other) == ((me + other) % 2 == 0);
}

/* The triangles that others compare with theirs come here. */
static int64_t *receive_guests(const sn_self_surface *s, const probe *own, size_t *n)
{
    MPI_Comm comm = s->embedding->tree->comm;
    int me, size;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    sn_self_blocks blocks = sn_self_blocks_share(comm, (const char *)own + offsetof(probe, box),
                                                 sizeof *own, s->n_triangles);
    number_list numbers = {0};
    rank_list destinations = {0};
    for (int r = 0; r < size; r++) {
        if (!sends_to(me, r) || !sn_self_blocks_meet(&blocks, me, r))
            continue;
        for (size_t i = 0; i < s->n_triangles; i++)
            if (sn_self_box_meets_rank(&blocks, &own[i].box, r)) {
                sn_push(&numbers, own[i].t.number);
                sn_push(&destinations, r);
            }
    }
    sn_self_blocks_free(&blocks);
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
                                 const sn_exact_grid *grid, RTCDevice device,
                                 sn_crossing_list *crossings)
{
    size_t n_guests;
    probe *own = make_probes(s, shape, grid, s->triangle, s->n_triangles);
    int64_t *numbers = receive_guests(s, own, &n_guests);
    probe *guests = make_probes(s, shape, grid, numbers, n_guests);
    sn_free(numbers);
    *crossings = (sn_crossing_list){0};
    sn_status status = compare_all(s, device, own, s->n_triangles, guests, n_guests, crossings);
    sn_free(own);
    sn_free(guests);
    status = sn_agree(s->embedding->tree->comm, status);
    if (status != SN_OK) {
        sn_vector_free(crossings);
        return status;
    }
    sort_unique(crossings);
    bring_to_owners(s, crossings);
    sort_unique(crossings);
    status = check_number(s, crossings);
    if (status != SN_OK)
        sn_vector_free(crossings);
    return status;
}
