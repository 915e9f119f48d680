#include "octree/close_parts.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/vec3.h"
#include "mesh/overlap.h"
#include "mesh/parts/gap.h"
#include "octree/parts_body.h"
#include "partition/records.h"

#include <math.h>
#include <string.h>

/* How many cells of each rank come into question, and how many cells places are apart at least. */
enum { CANDIDATES = 64, CELLS_APART = 4 };

typedef struct {
    uint64_t order; /* by distance */
    sn_key key;
    sn_part_gap gap;
} candidate;

typedef SN_VECTOR(candidate) candidates;

typedef struct {
    const sn_bodies *bodies;
    const sn_solid *solids;
    sn_parts own, around; /* this rank's cells, and those next door */
} neighbourhood;

/* ---- Next door ---- */

static bool key_next_door(const sn_bodies *bodies, sn_key key, int face, sn_key *next)
{
    static const int neighbour[SN_CELL_FACES] = {12, 14, 10, 16, 4, 22};
    uint32_t xyz[3];
    int body = sn_key_body(key);
    sn_key_anchor(key, xyz);
    return sn_neighbour_key(body, xyz, 1, sn_edge(bodies->body[body].root_height), neighbour[face],
                            next);
}

static sn_parts ask_next_door(const sn_parts_search *search, const sn_bodies *bodies,
                              const sn_parts *own)
{
    sn_keys keys = {0};
    sn_key next;
    for (size_t i = 0; i < own->n; i++)
        for (int f = 0; f < SN_CELL_FACES; f++)
            if (key_next_door(bodies, own->cell[i].key, f, &next))
                sn_push(&keys, next);
    keys.count = sn_sort_unique_keys(keys.data, keys.count);
    sn_parts around = sn_parts_ask(search, keys.data, keys.count, NULL);
    sn_vector_free(&keys);
    return around;
}

static int32_t root_of(const int32_t *root, int32_t part)
{
    while (root[part] != part)
        part = root[part];
    return part;
}

static void join(int32_t *root, int32_t a, int32_t b)
{
    a = root_of(root, a);
    b = root_of(root, b);
    root[a > b ? a : b] = a < b ? a : b;
}

/* The part of the cell beyond a face that a joint leads to: a plain cell has one. -1: none. */
static int32_t part_beyond(const neighbourhood *h, const sn_parts_cell *cell, int face,
                           uint64_t number)
{
    sn_key key;
    if (!key_next_door(h->bodies, cell->key, face, &key))
        return -1;
    const sn_parts_cell *beyond = sn_parts_cell_at(&h->around, key);
    if (!beyond)
        return 0;
    int32_t n;
    const sn_part_joint *joint = sn_parts_joints(&h->around, beyond, face ^ 1, &n);
    for (int32_t i = 0; i < n; i++)
        if (joint[i].number == number)
            return joint[i].part;
    return -1;
}

/* Joins parts of a cell that lead through a face to the same part of the cell beyond. */
static void join_beyond(const neighbourhood *h, const sn_parts_cell *cell, int face, int32_t *root)
{
    int32_t n, first[SN_MOST_PARTS];
    const sn_part_joint *joint = sn_parts_joints(&h->own, cell, face, &n);
    memset(first, 0xff, sizeof first);
    for (int32_t i = 0; i < n; i++) {
        int32_t beyond = part_beyond(h, cell, face, joint[i].number);
        if (beyond < 0)
            continue;
        if (first[beyond] < 0)
            first[beyond] = joint[i].part;
        join(root, first[beyond], joint[i].part);
    }
}

/* ---- Gaps ---- */

/* The parts of a cell's triangles, with those as one that are joined next door. */
static int32_t *parts_apart(const neighbourhood *h, const sn_parts_cell *cell)
{
    int32_t root[SN_MOST_PARTS], *part = SN_NEW(int32_t, cell->n_triangles);
    for (int32_t p = 0; p < cell->n_parts; p++)
        root[p] = p;
    for (int f = 0; f < SN_CELL_FACES; f++)
        join_beyond(h, cell, f, root);
    for (int32_t i = 0; i < cell->n_triangles; i++) {
        int32_t p = h->own.part[cell->first_triangle + i];
        part[i] = p < 0 ? -1 : root_of(root, p);
    }
    return part;
}

static candidate candidate_of(const neighbourhood *h, const sn_parts_cell *cell)
{
    sn_parts_body body = sn_parts_body_of(h->bodies, h->solids, sn_key_body(cell->key));
    int32_t at[3], *part = parts_apart(h, cell);
    sn_parts_cell_place(cell->key, at);
    candidate c = {.key = cell->key};
    c.gap = sn_cell_parts_gap(&body, at, h->own.triangle + cell->first_triangle, part,
                              cell->n_triangles);
    sn_free(part);
    return c;
}

/* This rank's cells of more than one part, in the order of the curve. */
static candidates candidates_here(const neighbourhood *h)
{
    candidates all = {0};
    for (size_t i = 0; i < h->own.n; i++)
        if (h->own.cell[i].n_parts > 1)
            sn_push(&all, ((candidate){.key = (sn_key)i}));
#pragma omp parallel for schedule(dynamic, 16)
    for (size_t i = 0; i < all.count; i++)
        all.data[i] = candidate_of(h, &h->own.cell[all.data[i].key]);
    return all;
}

static void drop_joined(candidates *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++)
        if (isfinite(c->data[i].gap.distance))
            c->data[kept++] = c->data[i];
    c->count = kept;
}

/* The closest first, and of equally close ones those of lower keys. */
static void sort_candidates(candidate *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        c[i].order = c[i].key;
    sn_sort_records(c, sizeof *c, n);
    for (size_t i = 0; i < n; i++)
        c[i].order = sn_key_of_double(c[i].gap.distance);
    sn_sort_records(c, sizeof *c, n);
}

static bool is_listed(const sn_bodies *bodies, const sn_close_parts *list, const candidate *c)
{
    bool listed = false;
    int body = sn_key_body(c->key);
    double apart = CELLS_APART * bodies->body[body].cell;
    for (int i = 0; i < list->n; i++) {
        sn_vec way = sn_vec_sub(sn_vec_load(list->place[i].place), sn_vec_load(c->gap.place));
        listed = listed || (list->place[i].body == body && sn_vec_length(way) < apart);
    }
    return listed;
}

static void list_places(const sn_bodies *bodies, const candidate *c, size_t n, sn_close_parts *list)
{
    for (size_t i = 0; i < n && i < CANDIDATES && list->n < SN_CLOSE_PLACES; i++) {
        if (is_listed(bodies, list, &c[i]))
            continue;
        sn_close_place *place = &list->place[list->n++];
        place->body = sn_key_body(c[i].key);
        place->gap = c[i].gap.distance;
        memcpy(place->place, c[i].gap.place, sizeof place->place);
    }
}

static void gather_places(MPI_Comm comm, const sn_bodies *bodies, candidates *here,
                          sn_close_parts *list)
{
    sort_candidates(here->data, here->count);
    size_t few = here->count < CANDIDATES ? here->count : CANDIDATES;
    sn_inbox all = sn_records_gather(comm, sizeof *here->data, here->data, few);
    sort_candidates(all.data, all.n);
    list_places(bodies, all.data, all.n, list);
    sn_inbox_free(&all);
}

sn_close_parts sn_close_parts_find(MPI_Comm comm, const sn_bodies *bodies, const sn_solid *solids,
                                   const sn_key *own, size_t n_own)
{
    sn_parts_search *search = sn_parts_search_create(comm, bodies, solids, false);
    neighbourhood h = {bodies, solids, sn_parts_ask(search, own, n_own, NULL), {0}};
    h.around = ask_next_door(search, bodies, &h.own);
    sn_parts_search_free(search);
    candidates here = candidates_here(&h);
    int64_t counts[2] = {(int64_t)here.count};
    drop_joined(&here);
    counts[1] = (int64_t)here.count;
    MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT64_T, MPI_SUM, comm);
    sn_close_parts list = {.cells = counts[0], .apart = counts[1]};
    gather_places(comm, bodies, &here, &list);
    sn_vector_free(&here);
    sn_parts_free(&h.own);
    sn_parts_free(&h.around);
    return list;
}

double sn_separating_cell(double gap)
{
    /* Points of two cells that touch are two diagonals apart at most. */
    return gap / (2 * sqrt(3));
}
