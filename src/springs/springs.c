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
    if (!all_finite(s->target) || !all_finite(s->normal))
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

/* Brings springs home, by number, with both host elements. */
static sn_status bring_home(const sn_locator *l, sn_spring_records *records)
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

/* Which copies its two ends are part of on the next coarser level. */
static void keep_coarse_copies(const sn_spring_record *r, uint8_t copy[2])
{
    int second = r->spring.on_triangle ? 1 + heaviest(&r->spring.flat) : 1;
    copy[0] = r->host[0].coarse_copy;
    copy[1] = r->host[second].coarse_copy;
}

static void keep_springs(sn_spring_set *set, const sn_spring_records *records)
{
    set->n = (sn_local)records->count;
    set->spring = SN_NEW(sn_spring, set->n);
    set->matrix = SN_NEW(sn_spring_matrix, set->n);
    set->limit = SN_NEW(double, set->n);
    set->coarse_copy = set->tree->coarse_copy ? SN_NEW(uint8_t[2], set->n) : NULL;
    int constant = 1;
    for (sn_local i = 0; i < set->n; i++) {
        if (set->coarse_copy)
            keep_coarse_copies(&records->data[i], set->coarse_copy[i]);
        set->spring[i] = records->data[i].spring;
        set->matrix[i] = records->data[i].matrix;
        set->limit[i] = sn_spring_is_constant(&set->spring[i]) ? INFINITY : 0;
        constant = constant && set->limit[i] > 0;
    }
    MPI_Allreduce(MPI_IN_PLACE, &constant, 1, MPI_INT, MPI_MIN, set->tree->comm);
    set->constant = constant;
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
        if (sn_spring_is_constant(&r.spring))
            r.matrix = sn_spring_matrix_of(&r.spring, INFINITY, nowhere, SN_SPRING_STEADY);
        sn_push(&records, r);
    }
    return records;
}

sn_status sn_spring_set_create(const sn_locator *locator, const sn_spring *springs, size_t n,
                               sn_spring_set *set)
{
    const sn_octree *tree = locator->tree;
    *set = (sn_spring_set){.tree = tree, .constant = true};
    set->n_everywhere = count_everywhere(tree->comm, n);
    if (set->n_everywhere == 0)
        return SN_OK;
    SN_TRY(sn_agree(tree->comm, check_all(tree->bodies, springs, n)));
    sn_spring_records records = records_of(springs, n);
    return complete(set, bring_home(locator, &records), &records);
}

/* ---- On coarser levels ---- */

static bool does_something(const sn_spring_matrix *a)
{
    return a->m[0] + a->m[3] + a->m[5] > 0;
}

/* The ends of a spring as the coarser level sees them. A place on a triangle is one of its body;
 * where that level has copies it is a corner's, whose copy is known. */
static void coarsen_ends(const sn_spring_set *fine, sn_local i, sn_flesh_point point[2])
{
    memcpy(point, fine->spring[i].point, 2 * sizeof *point);
    if (!fine->coarse_copy)
        return;
    const sn_flat_place *flat = &fine->spring[i].flat;
    if (fine->spring[i].on_triangle)
        memcpy(point[1].at, flat->corner[heaviest(flat)], sizeof point[1].at);
    for (int end = 0; end < 2; end++) {
        sn_key copy = fine->coarse_copy[i][end];
        point[end].copy = (int32_t)copy;
        if (point[end].carrier)
            point[end].carrier = (sn_key_place(point[end].carrier - 1) | copy) + 1;
    }
}

static sn_spring_records active_of(const sn_spring_set *fine)
{
    sn_spring_records records = {0};
    for (sn_local i = 0; i < fine->n; i++) {
        if (!does_something(&fine->matrix[i]))
            continue;
        sn_spring_record r;
        memset(&r, 0, sizeof r);
        r.spring.number = fine->spring[i].number;
        coarsen_ends(fine, i, r.spring.point);
        r.spring.friction = INFINITY;
        r.matrix = fine->matrix[i];
        sn_push(&records, r);
    }
    return records;
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
    sn_spring_records records = active_of(fine);
    set->n_everywhere = count_everywhere(coarse->tree->comm, records.count);
    if (set->n_everywhere == 0)
        return SN_OK;
    sn_status status = bring_home(coarse, &records);
    if (status == SN_OK) {
        drop_idle(&records);
        sn_springs_merge(coarse->tree->bodies, &records);
        sort_by_number(&records);
        set->n_everywhere = count_everywhere(coarse->tree->comm, records.count);
    }
    if (status != SN_OK || set->n_everywhere > 0)
        return complete(set, status, &records);
    sn_vector_free(&records);
    return SN_OK;
}

/* ---- Keeping it ---- */

static void free_rows(sn_spring_rows *rows)
{
    sn_free(rows->first);
    sn_free(rows->index);
    sn_free(rows->weight);
}

void sn_spring_set_free(sn_spring_set *set)
{
    sn_free(set->spring);
    sn_free(set->aside);
    sn_free(set->coarse_copy);
    sn_free(set->limit);
    sn_free(set->misfit);
    sn_free(set->wanted);
    sn_free(set->matrix);
    free_rows(&set->home);
    free_rows(&set->nodes);
    sn_free(set->touched);
    sn_free(set->node_key);
    sn_exchange_free(&set->node_exchange);
    sn_exchange_free(&set->force_exchange);
    sn_free(set->node_room);
    sn_free(set->spring_room);
    *set = (sn_spring_set){0};
}

static size_t rows_memory(const sn_spring_rows *rows)
{
    size_t entries = rows->first ? (size_t)rows->first[rows->n_rows] : 0;
    return ((size_t)rows->n_rows + 1) * sizeof *rows->first +
           entries * (sizeof *rows->index + sizeof *rows->weight);
}

size_t sn_spring_set_memory(const sn_spring_set *set)
{
    if (set->n_everywhere == 0)
        return 0;
    size_t each =
        sizeof *set->spring + sizeof *set->aside + sizeof *set->limit + sizeof *set->matrix;
    if (set->wanted)
        each += sizeof *set->wanted + sizeof *set->misfit;
    size_t nodes = (size_t)set->n_touched + (size_t)set->node_exchange.n_ghosts;
    size_t springs = (size_t)set->n + (size_t)set->force_exchange.n_ghosts;
    return (size_t)set->n * each + rows_memory(&set->home) + rows_memory(&set->nodes) +
           (size_t)set->n_touched * sizeof *set->touched + nodes * sizeof *set->node_key +
           4 * (nodes + springs) * sizeof(double) + sn_exchange_memory(&set->node_exchange) +
           sn_exchange_memory(&set->force_exchange);
}

void sn_spring_set_retarget(sn_spring_set *set, sn_spring_target_function *target_of, void *context)
{
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)set->n))
    for (sn_local i = 0; i < set->n; i++) {
        double target[3];
        target_of(context, &set->spring[i], target);
        memcpy(set->spring[i].target, target, sizeof target);
    }
}
