#include "base/array.h"
#include "base/sort.h"
#include "base/timer.h"
#include "octree/parts.h"
#include "octree/parts_body.h"
#include "octree/touches.h"
#include "partition/records.h"

#include <omp.h>
#include <string.h>

typedef struct {
    sn_key key;
    int32_t triangle, part;
} keyed_triangle;

typedef struct {
    sn_key key;
    sn_part_joint joint;
} keyed_joint;

typedef struct {
    sn_key key;
    sn_part_measure measure;
} keyed_measure;

/* A cell with faces that are not open. */
typedef struct {
    sn_key key;
    uint64_t open;
} keyed_faces;

/* What was found, ready to travel: each piece with its cell's key, in the cell's order. */
typedef struct {
    SN_VECTOR(sn_parts_cell) cell;
    SN_VECTOR(keyed_triangle) triangle;
    SN_VECTOR(keyed_joint) joint;
    SN_VECTOR(keyed_measure) measure;
    SN_VECTOR(keyed_faces) faces; /* stays where it is */
    int64_t crowded;              /* cells with too many parts */
} findings;

struct sn_parts_search {
    MPI_Comm comm;
    findings found;
    const sn_solid *solids;
    bool any; /* is there a cell that is not plain, on any rank? */
};

static void free_findings(findings *f)
{
    sn_vector_free(&f->cell);
    sn_vector_free(&f->triangle);
    sn_vector_free(&f->joint);
    sn_vector_free(&f->measure);
    sn_vector_free(&f->faces);
}

static void keep(findings *f, sn_key key, const int32_t *triangle, int32_t n,
                 const sn_cell_parts *p)
{
    sn_parts_cell cell = {
        .key = key, .n_parts = p->n_parts, .n_triangles = n, .corner_winding = p->corner_winding};
    int32_t joints = 0;
    for (int c = 0; c < 8; c++)
        cell.corner[c] = p->corner[c];
    for (int face = 0; face < SN_CELL_FACES; face++)
        joints += cell.n_joints[face] = p->n_joints[face];
    sn_push(&f->cell, cell);
    for (int32_t i = 0; i < n; i++)
        sn_push(&f->triangle, ((keyed_triangle){key, triangle[i], p->part[i]}));
    for (int32_t i = 0; i < joints; i++)
        sn_push(&f->joint, ((keyed_joint){key, p->joint[i]}));
    for (int32_t i = 0; i < p->n_parts; i++)
        sn_push(&f->measure, ((keyed_measure){key, p->measure[i]}));
}

/* The cells of one thread, and what it found. */
typedef struct {
    const sn_bodies *bodies;
    const sn_solid *solids;
    bool with_open;
    sn_parts_work *work;
    sn_touched touched; /* cells of the cube that is looked at */
    findings found;
} finder;

static void find_in_cell(finder *f, sn_key key, const int32_t *triangle, int32_t n)
{
    sn_parts_body body = sn_parts_body_of(f->bodies, f->solids, sn_key_body(key));
    int32_t at[3];
    sn_parts_cell_place(key, at);
    uint8_t faces = f->with_open ? sn_touched_beyond(&f->touched, key) : 0;
    sn_cell_parts p = sn_cell_parts_find(f->work, &body, at, triangle, n, faces);
    f->found.crowded += p.crowded;
    if (p.open != SN_ALL_FACES)
        sn_push(&f->found.faces, ((keyed_faces){key, p.open}));
    if (!p.plain)
        keep(&f->found, key, triangle, n, &p);
}

#define APPEND(to, from)                                                                           \
    do {                                                                                           \
        sn_reserve(to, (to)->count + (from)->count);                                               \
        for (size_t i_ = 0; i_ < (from)->count; i_++)                                              \
            (to)->data[(to)->count++] = (from)->data[i_];                                          \
    } while (0)

static void append_findings(findings *all, const findings *some)
{
    APPEND(&all->cell, &some->cell);
    APPEND(&all->triangle, &some->triangle);
    APPEND(&all->joint, &some->joint);
    APPEND(&all->measure, &some->measure);
    APPEND(&all->faces, &some->faces);
    all->crowded += some->crowded;
}

/* The pieces of a cell come from one thread or one rank: their order stays. */
static void sort_findings(findings *f)
{
    sn_sort_records(f->cell.data, sizeof *f->cell.data, f->cell.count);
    sn_sort_records(f->triangle.data, sizeof *f->triangle.data, f->triangle.count);
    sn_sort_records(f->joint.data, sizeof *f->joint.data, f->joint.count);
    sn_sort_records(f->measure.data, sizeof *f->measure.data, f->measure.count);
    sn_sort_records(f->faces.data, sizeof *f->faces.data, f->faces.count);
}

/* The end of what begins at i and is of the same cell, or of the same cube. */
static size_t end_of_cell(const sn_touches *t, size_t i)
{
    size_t end = i + 1;
    while (end < t->n && t->key[end] == t->key[i])
        end++;
    return end;
}

static size_t end_of_cube(const sn_touches *t, size_t i)
{
    size_t end = i + 1;
    while (end < t->n && sn_touches_cube(t->key[end]) == sn_touches_cube(t->key[i]))
        end++;
    return end;
}

static void find_in_cube(finder *f, const sn_touches *t, size_t from, size_t end)
{
    f->touched = (sn_touched){0};
    for (size_t i = from; i < end; i++)
        sn_touched_add(&f->touched, t->key[i]);
    for (size_t i = from, next; i < end; i = next) {
        next = end_of_cell(t, i);
        find_in_cell(f, t->key[i], &t->triangle[i], (int32_t)(next - i));
    }
}

typedef SN_VECTOR(size_t) places;

/* Where each cube begins, and the end of the last one. */
static places begins_of_cubes(const sn_touches *t)
{
    places begin = {0};
    for (size_t i = 0; i < t->n; i = end_of_cube(t, i))
        sn_push(&begin, i);
    sn_push(&begin, t->n);
    return begin;
}

static findings find_in_cells(const sn_bodies *bodies, const sn_solid *solids, const sn_touches *t,
                              bool with_open)
{
    findings all = {0};
    places begin = begins_of_cubes(t);
#pragma omp parallel
    {
        finder mine = {.bodies = bodies, .solids = solids, .with_open = with_open};
        mine.work = sn_parts_work_create();
#pragma omp for schedule(dynamic)
        for (size_t c = 0; c < begin.count - 1; c++)
            find_in_cube(&mine, t, begin.data[c], begin.data[c + 1]);
        sn_parts_work_free(mine.work);
#pragma omp critical
        append_findings(&all, &mine.found);
        free_findings(&mine.found);
    }
    sn_vector_free(&begin);
    sort_findings(&all);
    return all;
}

/* ---- To those who asked ---- */

/* Cells that are asked for, and by whom. */
typedef struct {
    SN_VECTOR(size_t) cell;
    SN_VECTOR(int) rank;
} orders;

/* Collective. What ranks ask for, by those who ask, on the ranks that look at it. */
static sn_inbox send_questions(const sn_parts_search *search, const sn_key *asked, size_t n)
{
    int size;
    MPI_Comm_size(search->comm, &size);
    int *to = SN_NEW(int, n);
    for (size_t i = 0; i < n; i++)
        to[i] = sn_touches_rank(asked[i], size);
    sn_inbox in = sn_records_send(search->comm, sizeof *asked, asked, to, n);
    sn_free(to);
    return in;
}

static orders take_orders(const findings *f, const sn_inbox *in)
{
    orders o = {0};
    const sn_key *key = in->data;
    for (int s = 0; s < in->sources; s++)
        for (size_t i = in->first[s], c = 0; i < in->first[s + 1]; i++) {
            while (c < f->cell.count && f->cell.data[c].key < key[i])
                c++;
            if (c == f->cell.count || f->cell.data[c].key != key[i])
                continue;
            sn_push(&o.cell, c);
            sn_push(&o.rank, in->source[s]);
        }
    return o;
}

/* Collective. Tells of each cell that was asked for which of its faces are open. */
static void tell_faces(const sn_parts_search *search, const sn_inbox *in, size_t n, uint8_t *open)
{
    const keyed_faces *f = search->found.faces.data;
    size_t n_faces = search->found.faces.count;
    const sn_key *key = in->data;
    keyed_faces *answer = SN_NEW(keyed_faces, in->n);
    for (int s = 0; s < in->sources; s++)
        for (size_t i = in->first[s], c = 0; i < in->first[s + 1]; i++) {
            while (c < n_faces && f[c].key < key[i])
                c++;
            bool known = c < n_faces && f[c].key == key[i];
            answer[i] = (keyed_faces){key[i], known ? f[c].open : SN_ALL_FACES};
        }
    sn_inbox back = sn_records_reply(search->comm, in, sizeof *answer, answer);
    sn_free(answer);
    sn_sort_records(back.data, sizeof(keyed_faces), back.n);
    for (size_t i = 0; i < n; i++)
        open[i] = (uint8_t)((keyed_faces *)back.data)[i].open;
    sn_inbox_free(&back);
}

/* Kinds of pieces. */
enum { CELLS, TRIANGLES, JOINTS, PARTS };

static int64_t pieces_of(const sn_parts_cell *cell, int kind)
{
    int64_t joints = 0;
    for (int face = 0; face < SN_CELL_FACES; face++)
        joints += cell->n_joints[face];
    return kind == CELLS       ? 1
           : kind == TRIANGLES ? cell->n_triangles
           : kind == JOINTS    ? joints
                               : cell->n_parts;
}

/* Where each cell's pieces start, with the end of the last one. */
static int64_t *first_pieces(const findings *f, int kind)
{
    int64_t *first = SN_NEW(int64_t, f->cell.count + 1);
    first[0] = 0;
    for (size_t i = 0; i < f->cell.count; i++)
        first[i + 1] = first[i] + pieces_of(&f->cell.data[i], kind);
    return first;
}

/* Collective. Sends a kind of pieces to those who ordered their cells; returns what this rank gets.
 */
static void *send_pieces(const sn_parts_search *s, int kind, const orders *o, const void *pieces,
                         size_t bytes, size_t *n)
{
    int64_t *first = first_pieces(&s->found, kind);
    SN_VECTOR(char) out = {0};
    SN_VECTOR(int) to = {0};
    for (size_t i = 0; i < o->cell.count; i++) {
        size_t from = (size_t)first[o->cell.data[i]], end = (size_t)first[o->cell.data[i] + 1];
        if (from == end)
            continue;
        sn_reserve(&out, out.count + (end - from) * bytes);
        memcpy(out.data + out.count, (const char *)pieces + from * bytes, (end - from) * bytes);
        out.count += (end - from) * bytes;
        for (size_t k = from; k < end; k++)
            sn_push(&to, o->rank.data[i]);
    }
    sn_inbox in = sn_records_send(s->comm, bytes, out.data, to.data, to.count);
    sn_vector_free(&out);
    sn_vector_free(&to);
    sn_free(first);
    return sn_inbox_take(&in, n);
}

static findings deliver(const sn_parts_search *s, const orders *o)
{
    const findings *f = &s->found;
    findings mine = {0};
    mine.cell.data = send_pieces(s, CELLS, o, f->cell.data, sizeof *f->cell.data, &mine.cell.count);
    mine.triangle.data = send_pieces(s, TRIANGLES, o, f->triangle.data, sizeof *f->triangle.data,
                                     &mine.triangle.count);
    mine.joint.data =
        send_pieces(s, JOINTS, o, f->joint.data, sizeof *f->joint.data, &mine.joint.count);
    mine.measure.data =
        send_pieces(s, PARTS, o, f->measure.data, sizeof *f->measure.data, &mine.measure.count);
    sort_findings(&mine);
    return mine;
}

static void number_pieces(findings *f)
{
    int64_t *triangle = first_pieces(f, TRIANGLES), *joint = first_pieces(f, JOINTS);
    int64_t *part = first_pieces(f, PARTS);
    for (size_t i = 0; i < f->cell.count; i++) {
        f->cell.data[i].first_triangle = triangle[i];
        f->cell.data[i].first_joint = joint[i];
        f->cell.data[i].first_part = part[i];
    }
    sn_free(triangle);
    sn_free(joint);
    sn_free(part);
}

static sn_parts table_of(findings *f)
{
    number_pieces(f);
    sn_parts p = {.n = f->cell.count,
                  .cell = f->cell.data,
                  .triangle = SN_NEW(int32_t, f->triangle.count),
                  .part = SN_NEW(int32_t, f->triangle.count),
                  .joint = SN_NEW(sn_part_joint, f->joint.count),
                  .measure = SN_NEW(sn_part_measure, f->measure.count)};
    for (size_t i = 0; i < f->triangle.count; i++) {
        p.triangle[i] = f->triangle.data[i].triangle;
        p.part[i] = f->triangle.data[i].part;
    }
    for (size_t i = 0; i < f->joint.count; i++)
        p.joint[i] = f->joint.data[i].joint;
    for (size_t i = 0; i < f->measure.count; i++)
        p.measure[i] = f->measure.data[i].measure;
    f->cell.data = NULL;
    free_findings(f);
    return p;
}

static bool any_anywhere(MPI_Comm comm, size_t n)
{
    int any = n > 0;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_LOR, comm);
    return any;
}

sn_parts_search *sn_parts_search_create(MPI_Comm comm, const sn_bodies *bodies,
                                        const sn_solid *solids, bool with_open)
{
    sn_phase_begin("octree/parts");
    sn_parts_search *search = SN_NEW_ZERO(sn_parts_search, 1);
    sn_touches cells = sn_touches_find(comm, bodies, solids);
    search->comm = comm;
    search->solids = solids;
    search->found = find_in_cells(bodies, solids, &cells, with_open);
    search->any = any_anywhere(comm, search->found.cell.count);
    sn_touches_free(&cells);
    sn_phase_end("octree/parts");
    return search;
}

void sn_parts_search_free(sn_parts_search *search)
{
    if (!search)
        return;
    free_findings(&search->found);
    sn_free(search);
}

int64_t sn_parts_crowded(const sn_parts_search *search)
{
    int64_t n = search->found.crowded;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, search->comm);
    return n;
}

sn_parts sn_parts_ask(const sn_parts_search *search, const sn_key *asked, size_t n_asked,
                      uint8_t *open)
{
    sn_phase_begin("octree/parts asked for");
    sn_inbox in = send_questions(search, asked, n_asked);
    if (open)
        tell_faces(search, &in, n_asked, open);
    findings mine = {0};
    if (search->any) {
        orders o = take_orders(&search->found, &in);
        mine = deliver(search, &o);
        sn_vector_free(&o.cell);
        sn_vector_free(&o.rank);
    }
    sn_inbox_free(&in);
    sn_parts parts = table_of(&mine);
    parts.solids = search->solids;
    sn_phase_end("octree/parts asked for");
    return parts;
}
