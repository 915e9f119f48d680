/* Making a set of springs, on the finest level or from a finer one. */
#include "springs/springs.h"

#include "base/sort.h"
#include "base/threads.h"
#include "partition/records.h"
#include "springs/set.h"

#include <math.h>
#include <string.h>

/* ---- Is it a spring? ---- */

static bool all_finite(const double v[3])
{
    return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

static sn_status check(const sn_bodies *bodies, const sn_spring *s)
{
    unsigned long long number = s->number;
    for (int end = 0; end < 2; end++) {
        const sn_flesh_point *p = &s->point[end];
        if (p->body >= bodies->n || p->body < (end == 0 ? 0 : -1))
            return SN_FAIL(SN_MACHINE, "internal error: spring %llu is tied to body %d of %d",
                           number, p->body, bodies->n);
        if (p->body >= 0 && !all_finite(p->at))
            return SN_FAIL(SN_INACCURATE, "spring %llu rests at no finite place", number);
    }
    for (int k = 0; k < 3 && s->on_triangle; k++)
        if (!all_finite(s->flat.corner[k]) || !isfinite(s->flat.weight[k]))
            return SN_FAIL(SN_INACCURATE, "spring %llu is tied to no finite triangle", number);
    if (!all_finite(s->target) || !all_finite(s->normal) || !all_finite(s->round.axis) ||
        !all_finite(s->round.aside) || !isfinite(s->round.radius))
        return SN_FAIL(SN_INACCURATE, "spring %llu has no finite target", number);
    if (!(s->normal_stiffness >= 0 && isfinite(s->normal_stiffness)) ||
        !(s->tangential_stiffness >= 0 && isfinite(s->tangential_stiffness)) || !(s->friction >= 0))
        return SN_FAIL(SN_INACCURATE, "spring %llu has stiffness %g and %g, friction %g", number,
                       s->normal_stiffness, s->tangential_stiffness, s->friction);
    return SN_OK;
}

static sn_status check_all(const sn_bodies *bodies, const sn_spring *springs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        SN_TRY(check(bodies, &springs[i]));
    return SN_OK;
}

/* Springs with the same number at other homes go unseen here: the nodes' rows see those that
 * share a node. */
static sn_status check_numbers(const sn_spring_records *records)
{
    for (size_t i = 1; i < records->count; i++)
        if (records->data[i].spring.number == records->data[i - 1].spring.number)
            return SN_FAIL(SN_MACHINE, "internal error: two springs have the number %llu",
                           (unsigned long long)records->data[i].spring.number);
    return SN_OK;
}

/* ---- Finding the elements of both ends ---- */

/* Question and answer about a point of a spring. */
typedef struct {
    uint64_t place;
    uint64_t index;
    int32_t home, point;
} question;

typedef struct {
    uint64_t index, point;
    sn_host_element host;
} answer;

typedef SN_VECTOR(question) question_list;

/* For all points but the first. */
static question_list questions(const sn_octree *tree, const sn_spring_records *records)
{
    question_list asked = {0};
    int me;
    MPI_Comm_rank(tree->comm, &me);
    for (size_t i = 0; i < records->count; i++)
        for (int k = 1; k < SN_SPRING_POINTS; k++) {
            sn_spring_point p = sn_spring_point_of(&records->data[i].spring, k);
            if (p.weight != 0)
                sn_push(&asked, ((question){sn_host_cell(tree->bodies, &p.at), i, me, k}));
        }
    return asked;
}

static sn_status find_second_points(const sn_locator *l, sn_spring_records *records)
{
    const sn_octree *tree = l->tree;
    question_list asked = questions(tree, records);
    void *found = NULL;
    size_t n;
    sn_status status = sn_locate(l, sizeof(question), asked.data, asked.count, &found, &n);
    sn_vector_free(&asked);
    SN_TRY(status);
    const question *q = found;
    answer *answers = SN_NEW(answer, n);
    int *destination = SN_NEW(int, n);
    for (size_t i = 0; i < n; i++) {
        answers[i] = (answer){q[i].index, (uint64_t)q[i].point, sn_host_element_of(l, q[i].place)};
        destination[i] = q[i].home;
    }
    sn_inbox in = sn_records_send(tree->comm, sizeof *answers, answers, destination, n);
    const answer *arrived = in.data;
    for (size_t i = 0; i < in.n; i++)
        records->data[arrived[i].index].host[arrived[i].point] = arrived[i].host;
    sn_inbox_free(&in);
    sn_free(found);
    sn_free(answers);
    sn_free(destination);
    return SN_OK;
}

static void sort_by_number(sn_spring_records *records)
{
    for (size_t i = 0; i < records->count; i++)
        records->data[i].place = records->data[i].spring.number;
    sn_sort_records(records->data, sizeof(sn_spring_record), records->count);
}

/* Brings springs to the owners of their first points' elements, in any order. */
static sn_status send_home(const sn_locator *l, sn_spring_records *records)
{
    for (size_t i = 0; i < records->count; i++)
        records->data[i].place = sn_host_cell(l->tree->bodies, &records->data[i].spring.point[0]);
    void *found = NULL;
    size_t n;
    sn_status status =
        sn_locate(l, sizeof(sn_spring_record), records->data, records->count, &found, &n);
    sn_vector_free(records);
    SN_TRY(status);
    records->data = found;
    records->count = records->capacity = n;
    for (size_t i = 0; i < n; i++)
        records->data[i].host[0] = sn_host_element_of(l, records->data[i].place);
    return SN_OK;
}

/* Once they are there: by number, with both host elements. */
static sn_status settle_at_home(const sn_locator *l, sn_spring_records *records)
{
    sort_by_number(records);
    SN_TRY(sn_agree(l->tree->comm, check_numbers(records)));
    return find_second_points(l, records);
}

static int64_t count_everywhere(MPI_Comm comm, size_t n)
{
    int64_t count = (int64_t)n;
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, comm);
    return count;
}

/* Of a flat triangle's corners the heaviest. */
static int heaviest(const sn_flat_place *flat)
{
    int most = 0;
    for (int k = 1; k < 3; k++)
        if (flat->weight[k] > flat->weight[most])
            most = k;
    return most;
}

/* The ends of a spring as the next coarser level sees them. A place on a triangle is one of its
 * body; where that level has copies it is a corner's, whose copy is known. */
static void keep_ends(const sn_octree *tree, const sn_spring_record *r, sn_flesh_point end[2])
{
    memcpy(end, r->spring.point, sizeof r->spring.point);
    if (!tree->coarse_copy)
        return;
    int corner = r->spring.on_triangle ? heaviest(&r->spring.flat) : 0;
    if (r->spring.on_triangle)
        memcpy(end[1].at, r->spring.flat.corner[corner], sizeof end[1].at);
    for (int i = 0; i < 2; i++) {
        sn_key copy = r->host[i == 0 ? 0 : 1 + corner].coarse_copy;
        end[i].copy = (int32_t)copy;
        if (end[i].carrier)
            end[i].carrier = (sn_key_place(end[i].carrier - 1) | copy) + 1;
    }
}

/* Products with such a matrix have the same bits without it. */
static bool is_isotropic(const sn_spring_matrix *a)
{
    const double *m = a->m;
    return m[1] == 0 && m[2] == 0 && m[4] == 0 && m[0] == m[3] && m[0] == m[5];
}

static bool are_isotropic(const sn_spring_records *records)
{
    for (size_t i = 0; i < records->count; i++)
        if (!is_isotropic(&records->data[i].matrix))
            return false;
    return true;
}

static void keep_springs(sn_spring_set *set, const sn_spring_records *records)
{
    set->n = (sn_local)records->count;
    set->number = SN_NEW(uint64_t, set->n);
    set->end = SN_NEW(sn_flesh_point[2], set->n);
    set->isotropic = set->constant && are_isotropic(records);
    if (set->isotropic)
        set->stiffness = SN_NEW(double, set->n);
    else
        set->matrix = SN_NEW(sn_spring_matrix, set->n);
    for (sn_local i = 0; i < set->n; i++) {
        set->number[i] = records->data[i].spring.number;
        if (set->isotropic)
            set->stiffness[i] = records->data[i].matrix.m[0];
        else
            set->matrix[i] = records->data[i].matrix;
        keep_ends(set->tree, &records->data[i], set->end[i]);
    }
}

/* Few springs are round: what they are around is kept apart from the laws. */
static void keep_rounds(sn_spring_set *set, size_t n)
{
    for (size_t i = 0; i < n; i++)
        set->n_round += set->law[i].round != NULL;
    set->round = set->n_round > 0 ? SN_NEW(sn_spring_round, set->n_round) : NULL;
    sn_spring_round *next = set->round;
    for (size_t i = 0; i < n; i++) {
        if (!set->law[i].round)
            continue;
        *next = *set->law[i].round;
        set->law[i].round = next++;
    }
}

/* On the finest level. */
static void keep_laws(sn_spring_set *set, const sn_spring_records *records)
{
    set->law = SN_NEW(sn_spring_law, records->count);
    set->limit = SN_NEW(double, records->count);
    int constant = 1;
    for (size_t i = 0; i < records->count; i++) {
        set->law[i] = sn_spring_law_of(&records->data[i].spring);
        set->limit[i] = sn_spring_is_constant(&set->law[i]) ? INFINITY : 0;
        constant = constant && set->limit[i] > 0;
    }
    MPI_Allreduce(MPI_IN_PLACE, &constant, 1, MPI_INT, MPI_MIN, set->tree->comm);
    set->constant = constant;
    keep_rounds(set, records->count);
}

/* Makes the set of springs that are at home here, unless something failed on the way. The records
 * are used up. */
static sn_status complete(sn_spring_set *set, sn_status status, sn_spring_records *records)
{
    if (status == SN_OK) {
        keep_springs(set, records);
        status = sn_springs_assemble(set, records);
    }
#ifndef NDEBUG
    if (status == SN_OK)
        status = sn_spring_set_check(set);
#endif
    sn_vector_free(records);
    if (status != SN_OK)
        sn_spring_set_free(set);
    return status;
}

/* ---- On the finest level ---- */

static sn_spring_records records_of(const sn_spring *springs, size_t n)
{
    sn_spring_records records = {0};
    sn_reserve(&records, n);
    const double nowhere[3] = {0, 0, 0};
    for (size_t i = 0; i < n; i++) {
        sn_spring_record r;
        memset(&r, 0, sizeof r);
        r.spring = springs[i];
        sn_spring_law law = sn_spring_law_of(&r.spring);
        if (sn_spring_is_constant(&law))
            r.matrix = sn_spring_matrix_of(&law, INFINITY, nowhere, SN_SPRING_STEADY);
        sn_push(&records, r);
    }
    return records;
}

static sn_status complete_finest(const sn_locator *locator, sn_spring_set *set,
                                 sn_spring_records *records)
{
    sn_status status = send_home(locator, records);
    if (status == SN_OK)
        status = settle_at_home(locator, records);
    if (status == SN_OK)
        keep_laws(set, records);
    return complete(set, status, records);
}

/* Is there anything to make? */
static sn_status begin(const sn_locator *locator, const sn_spring *springs, size_t n,
                       sn_spring_set *set)
{
    const sn_octree *tree = locator->tree;
    *set = (sn_spring_set){.tree = tree, .constant = true};
    set->n_everywhere = count_everywhere(tree->comm, n);
    return sn_agree(tree->comm, check_all(tree->bodies, springs, n));
}

sn_status sn_spring_set_create(const sn_locator *locator, const sn_spring *springs, size_t n,
                               sn_spring_set *set)
{
    SN_TRY(begin(locator, springs, n, set));
    if (set->n_everywhere == 0)
        return SN_OK;
    sn_spring_records records = records_of(springs, n);
    return complete_finest(locator, set, &records);
}

sn_status sn_spring_set_take(const sn_locator *locator, sn_spring_list *springs, sn_spring_set *set)
{
    SN_TRY(begin(locator, springs->data, springs->count, set));
    if (set->n_everywhere == 0)
        return SN_OK;
    sn_spring_records records = records_of(springs->data, springs->count);
    sn_vector_free(springs);
    return complete_finest(locator, set, &records);
}

/* ---- On coarser levels ---- */

static bool does_something(sn_spring_matrix a)
{
    return a.m[0] + a.m[3] + a.m[5] > 0;
}

static size_t count_active(const sn_spring_set *fine, sn_local from, sn_local to)
{
    size_t count = 0;
    for (sn_local i = from; i < to; i++)
        count += does_something(sn_spring_set_matrix(fine, i));
    return count;
}

static sn_spring_records active_of(const sn_spring_set *fine, sn_local from, sn_local to)
{
    sn_spring_records records = {0};
    sn_reserve(&records, count_active(fine, from, to));
    for (sn_local i = from; i < to; i++) {
        sn_spring_matrix matrix = sn_spring_set_matrix(fine, i);
        if (!does_something(matrix))
            continue;
        sn_spring_record r;
        memset(&r, 0, sizeof r);
        r.spring.number = fine->number[i];
        memcpy(r.spring.point, fine->end[i], sizeof r.spring.point);
        r.spring.friction = INFINITY;
        r.matrix = matrix;
        sn_push(&records, r);
    }
    return records;
}

static void append(sn_spring_records *all, sn_spring_records *part)
{
    size_t before = all->count;
    all->count = all->capacity = before + part->count;
    SN_RESIZE(all->data, all->count);
    if (part->count)
        memcpy(all->data + before, part->data, part->count * sizeof *part->data);
    sn_vector_free(part);
}

/* Some at a time: on their way they are there twice. */
static sn_status bring_active(const sn_spring_set *fine, const sn_locator *coarse,
                              sn_spring_records *records)
{
    enum { PARTS = 4 };
    for (int p = 0; p < PARTS; p++) {
        sn_local from = (sn_local)((int64_t)fine->n * p / PARTS);
        sn_local to = (sn_local)((int64_t)fine->n * (p + 1) / PARTS);
        sn_spring_records part = active_of(fine, from, to);
        SN_TRY(send_home(coarse, &part));
        append(records, &part);
    }
    return settle_at_home(coarse, records);
}

/* One place that one coarse element carries twice: between its children there was something. */
static bool is_idle(const sn_spring_record *r)
{
    const sn_flesh_point *p = r->spring.point;
    return p[0].carrier && p[1].carrier && r->host[0].key == r->host[1].key &&
           memcmp(p[0].at, p[1].at, sizeof p[0].at) == 0;
}

static void drop_idle(sn_spring_records *records)
{
    size_t kept = 0;
    for (size_t i = 0; i < records->count; i++)
        if (!is_idle(&records->data[i]))
            records->data[kept++] = records->data[i];
    records->count = kept;
}

sn_status sn_spring_set_coarsen(const sn_spring_set *fine, const sn_locator *coarse,
                                sn_spring_set *set)
{
    *set = (sn_spring_set){.tree = coarse->tree, .constant = true};
    if (fine->n_everywhere == 0)
        return SN_OK;
    if (fine->is_settled)
        return SN_FAIL(SN_MACHINE, "internal error: springs that have settled are coarsened");
    sn_spring_records records = {0};
    set->n_everywhere = count_everywhere(coarse->tree->comm, count_active(fine, 0, fine->n));
    if (set->n_everywhere == 0)
        return SN_OK;
    sn_status status = bring_active(fine, coarse, &records);
    if (status == SN_OK) {
        drop_idle(&records);
        sn_springs_merge(coarse->tree->bodies, &records);
        records.capacity = records.count;
        SN_RESIZE(records.data, records.count);
        sort_by_number(&records);
        set->n_everywhere = count_everywhere(coarse->tree->comm, records.count);
    }
    if (status != SN_OK || set->n_everywhere > 0)
        return complete(set, status, &records);
    sn_vector_free(&records);
    return SN_OK;
}

/* ---- Room ---- */

static size_t quads_of_nodes(const sn_spring_set *set)
{
    return (size_t)set->n_touched + (size_t)set->node_exchange.n_ghosts;
}

size_t sn_spring_set_room(const sn_spring_set *set)
{
    return 4 * (quads_of_nodes(set) + (size_t)set->n + (size_t)set->force_exchange.n_ghosts);
}

void sn_springs_place_room(sn_spring_set *set, double *room)
{
    set->node_room = room;
    set->spring_room = room ? room + 4 * quads_of_nodes(set) : NULL;
}

void sn_spring_set_share_room(sn_spring_set *set, double *room)
{
    if (!set->shares_room)
        sn_free(set->node_room);
    set->shares_room = true;
    sn_springs_place_room(set, room);
}

/* ---- Keeping it ---- */

static void free_rows(sn_spring_rows *rows)
{
    sn_free(rows->row);
    sn_free(rows->first);
    sn_free(rows->entry);
}

void sn_spring_set_free(sn_spring_set *set)
{
    sn_free(set->number);
    sn_free(set->end);
    sn_free(set->matrix);
    sn_free(set->stiffness);
    sn_free(set->law);
    sn_free(set->round);
    sn_free(set->aside);
    sn_free(set->limit);
    sn_free(set->misfit);
    sn_free(set->wanted);
    free_rows(&set->home);
    free_rows(&set->nodes);
    sn_free(set->touched);
    sn_free(set->node_key);
    sn_exchange_free(&set->node_exchange);
    sn_exchange_free(&set->force_exchange);
    if (!set->shares_room)
        sn_free(set->node_room);
    *set = (sn_spring_set){0};
}

static size_t rows_memory(const sn_spring_rows *rows)
{
    size_t entries = rows->first ? (size_t)rows->first[rows->n_rows] : 0;
    return ((size_t)rows->n_rows + 1) * (sizeof *rows->first + sizeof *rows->row) +
           entries * sizeof *rows->entry;
}

size_t sn_spring_set_memory(const sn_spring_set *set)
{
    if (set->n_everywhere == 0)
        return 0;
    size_t each = sizeof *set->number;
    each += set->isotropic ? sizeof *set->stiffness : sizeof *set->matrix;
    if (!set->is_settled)
        each += sizeof *set->end;
    if (set->law)
        each += sizeof *set->law + sizeof *set->limit;
    if (set->aside)
        each += sizeof *set->aside;
    if (set->wanted)
        each += sizeof *set->wanted + sizeof *set->misfit;
    size_t nodes = quads_of_nodes(set);
    size_t room = set->shares_room ? 0 : sn_spring_set_room(set) * sizeof *set->node_room;
    return room + (size_t)set->n * each + rows_memory(&set->home) + rows_memory(&set->nodes) +
           set->n_round * sizeof *set->round + (size_t)set->n_touched * sizeof *set->touched +
           nodes * sizeof *set->node_key + sn_exchange_memory(&set->node_exchange) +
           sn_exchange_memory(&set->force_exchange);
}

/* ---- Settling ---- */

static bool is_zero(const double v[3])
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

static bool is_plain(const sn_spring_law *law)
{
    return sn_spring_is_constant(law) && law->normal_stiffness == law->tangential_stiffness &&
           is_zero(law->target) && !law->round && law->normal[0] == 1;
}

static bool are_plain(const sn_spring_set *set)
{
    for (sn_local i = 0; i < set->n; i++)
        if (!is_plain(&set->law[i]) || !is_zero(set->aside[i]))
            return false;
    return set->isotropic;
}

static void forget_laws(sn_spring_set *set)
{
    sn_free(set->law);
    sn_free(set->aside);
    sn_free(set->limit);
    set->law = NULL;
    set->aside = NULL;
    set->limit = NULL;
}

void sn_spring_set_settle(sn_spring_set *set)
{
    set->is_settled = true;
    sn_free(set->end);
    set->end = NULL;
    if (set->law && are_plain(set))
        forget_laws(set);
}

void sn_spring_set_retarget(sn_spring_set *set, sn_spring_target_function *target_of, void *context)
{
#pragma omp parallel for schedule(static) if (sn_springs_worth_threads(set))
    for (sn_local i = 0; i < set->n; i++) {
        double target[3];
        target_of(context, set->number[i], set->end[i][0].at, target);
        memcpy(set->law[i].target, target, sizeof target);
    }
}
