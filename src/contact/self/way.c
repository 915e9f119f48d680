/* Flesh that is fast: whether it passes through other flesh on its way through a step. */
#include "base/array.h"
#include "base/timer.h"
#include "contact/self/contacts.h"
#include "contact/self/detect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In finest cells: how far points go from one look to the next, so that what is three cells thick
 * is not passed unseen; and how deep contacts may be at the most: what was less deep on its way has
 * not passed through anything, and normals say little there. */
static const double stride = 1, deep = 0.5;
enum { MOST_LOOKS = 64 }; /* where bodies may meet on a longer way, the step is too long */

/* What was seen of a point on its way. */
typedef struct {
    double deepest; /* 0: it was never inside */
    sn_vec entered; /* the normal of the flesh that it was first seen in */
} sight;

typedef struct {
    sn_self_contacts *contacts;
    const double (*before)[3]; /* all vertices, by number, where the step began */
    const double (*to)[3];     /* this rank's, where it ends, */
    double (*between)[3];      /* and at a look */
    sight *seen;               /* of this rank's points */
} journey;

static MPI_Comm comm_of(const journey *j)
{
    return j->contacts->embedding->tree->comm;
}

static const double *from_of(const journey *j, size_t i)
{
    return j->before[j->contacts->embedding->vertex[i]];
}

static sn_vec way_of(const journey *j, size_t i)
{
    return sn_vec_sub(sn_vec_load(j->to[i]), sn_vec_load(from_of(j, i)));
}

/* What all flesh does together: the middle between the least and the most, in each direction. */
static sn_vec middle_way(const journey *j)
{
    double low[6]; /* the least, and the most negated */
    for (int d = 0; d < 6; d++)
        low[d] = INFINITY;
#pragma omp parallel for schedule(static) reduction(min : low)
    for (size_t i = 0; i < j->contacts->embedding->n; i++) {
        double way[3];
        sn_vec_store(way_of(j, i), way);
        for (int d = 0; d < 3; d++) {
            low[d] = way[d] < low[d] ? way[d] : low[d];
            low[d + 3] = -way[d] < low[d + 3] ? -way[d] : low[d + 3];
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, low, 6, MPI_DOUBLE, MPI_MIN, comm_of(j));
    return (sn_vec){(low[0] - low[3]) / 2, (low[1] - low[4]) / 2, (low[2] - low[5]) / 2};
}

/* How many strides it is from start to end, or more than can be looked at. What all flesh does
 * together needs no looks. */
static int strides(const journey *j, sn_vec together)
{
    const sn_self_contacts *c = j->contacts;
    double longest = 0;
#pragma omp parallel for schedule(static) reduction(max : longest)
    for (size_t i = 0; i < c->embedding->n; i++)
        longest = fmax(longest, sn_vec_length(sn_vec_sub(way_of(j, i), together)));
    MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_DOUBLE, MPI_MAX, comm_of(j));
    return (int)fmin(ceil(longest / (stride * c->surface.cell)), MOST_LOOKS + 1);
}

/* Puts the deformed surface at a share of the way. */
static void go_to(const journey *j, double share)
{
    sn_self_contacts *c = j->contacts;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < c->embedding->n; i++) {
        const double *from = from_of(j, i);
        for (int d = 0; d < 3; d++)
            j->between[i][d] = (1 - share) * from[d] + share * j->to[i][d];
    }
    sn_deformed_update(&c->deformed, (const double(*)[3])j->between);
}

/* ---- Ways that are too long for looks ---- */

static void widen(sn_box *box, const sn_box *other, const double shift[3])
{
    for (int d = 0; d < 3; d++) {
        box->min[d] = fmin(box->min[d], other->min[d] + shift[d]);
        box->max[d] = fmax(box->max[d], other->max[d] + shift[d]);
    }
}

/* Of each body, where it could have been, seen from what all flesh does together; the caller frees
 * them. */
static sn_box *swept_boxes(const journey *j, sn_vec middle)
{
    const sn_mesh *shape = j->contacts->deformed.body;
    int bodies = j->contacts->embedding->tree->bodies->n;
    double together[3];
    sn_vec_store(middle, together);
    sn_box *box = SN_NEW(sn_box, bodies);
    go_to(j, 1);
    for (int b = 0; b < bodies; b++)
        box[b] = sn_mesh_bounds(&shape[b]);
    go_to(j, 0);
    for (int b = 0; b < bodies; b++) {
        sn_box start = sn_mesh_bounds(&shape[b]);
        widen(&box[b], &start, together);
    }
    return box;
}

static bool meet(const sn_box *a, const sn_box *b)
{
    for (int d = 0; d < 3; d++)
        if (a->min[d] > b->max[d] || b->min[d] > a->max[d])
            return false;
    return true;
}

/* Could a body have passed through another? The same on all ranks, which see the same surface. */
static bool bodies_may_meet(const journey *j, sn_vec together)
{
    int bodies = j->contacts->embedding->tree->bodies->n;
    sn_box *box = swept_boxes(j, together);
    bool may = false;
    for (int a = 0; a < bodies; a++)
        for (int b = 0; b < a; b++)
            may = may || meet(&box[a], &box[b]);
    sn_free(box);
    return may;
}

/* ---- Looks ---- */

static sn_status look(const journey *j)
{
    sn_self_contacts *c = j->contacts;
    sn_self_regions regions;
    sn_self_target *targets;
    SN_TRY(sn_self_detect(&c->surface, c->deformed.body, c->device, &regions, &targets));
    for (size_t i = 0; i < regions.n; i++) {
        const sn_self_target *t = &targets[i];
        sight *seen = &j->seen[t->point];
        if (t->triangle < 0 || regions.beside[i] || c->overlaps_at_rest[t->point])
            continue;
        if (seen->deepest == 0)
            seen->entered = sn_self_target_normal(&c->surface, c->deformed.body, t->triangle);
        seen->deepest = fmax(seen->deepest, t->distance);
    }
    sn_free(targets);
    sn_self_regions_free(&regions);
    return SN_OK;
}

static int by_vertex(const void *number, const void *record)
{
    int64_t a = *(const int64_t *)number, b = ((const sn_self_record *)record)->vertex;
    return (a > b) - (a < b);
}

static const sn_self_record *find_record(const sn_self_record_list *list, int64_t vertex)
{
    return list->count == 0
               ? NULL
               : bsearch(&vertex, list->data, list->count, sizeof *list->data, by_vertex);
}

/* A point that touched already is held by its contact. Any other one must end at the flesh that it
 * came into, on the side from which it came. */
static bool went_through(const journey *j, size_t point)
{
    const sn_self_contacts *c = j->contacts;
    const sight *seen = &j->seen[point];
    int64_t vertex = c->surface.number[point];
    if (seen->deepest <= deep * c->surface.cell || find_record(c->memory, vertex))
        return false;
    const sn_self_record *now = find_record(&c->current, vertex);
    return !now || sn_vec_dot(sn_vec_load(now->normal), seen->entered) < 0;
}

static sn_status look_often(const journey *j, int n)
{
    for (int k = 1; k < n; k++) {
        if (sn_interrupt_is_asked(j->contacts->interrupt))
            return SN_STOPPED;
        go_to(j, (double)k / n);
        SN_TRY(look(j));
    }
    return SN_OK;
}

static sn_status look_on_the_way(const journey *j, bool *passed)
{
    const sn_self_contacts *c = j->contacts;
    sn_vec together = middle_way(j);
    int n = strides(j, together), any = n > MOST_LOOKS && bodies_may_meet(j, together);
    *passed = any;
    if (any)
        return SN_OK;
    SN_TRY(look_often(j, n < MOST_LOOKS ? n : MOST_LOOKS));
    for (size_t p = 0; p < c->surface.n_points && n > 1; p++)
        any |= went_through(j, p);
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm_of(j));
    *passed = any;
    return SN_OK;
}

static journey begin(sn_self_contacts *c, const double (*to)[3])
{
    return (journey){.contacts = c,
                     .before = (const double(*)[3])c->before.block.data,
                     .to = to,
                     .between = SN_NEW(double[3], c->embedding->n),
                     .seen = SN_NEW_ZERO(sight, c->surface.n_points)};
}

sn_status sn_self_contacts_check_way(sn_self_contacts *c, const double (*position)[3], bool *passed)
{
    sn_phase_begin("contact/way");
    sn_self_contacts_look_back(c, position);
    journey j = begin(c, position);
    sn_status status = look_on_the_way(&j, passed);
    sn_free(j.between);
    sn_free(j.seen);
    sn_phase_end("contact/way");
    return status;
}
