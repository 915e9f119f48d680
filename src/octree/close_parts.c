#include "octree/close_parts.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/vec3.h"
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

static candidate candidate_of(const sn_bodies *bodies, const sn_solid *solids,
                              const sn_parts *parts, const sn_parts_cell *cell)
{
    sn_parts_body body = sn_parts_body_of(bodies, solids, sn_key_body(cell->key));
    int32_t at[3];
    sn_parts_cell_place(cell->key, at);
    candidate c = {.key = cell->key};
    c.gap = sn_cell_parts_gap(&body, at, parts->triangle + cell->first_triangle,
                              parts->part + cell->first_triangle, cell->n_triangles);
    c.order = sn_key_of_double(c.gap.distance);
    return c;
}

/* This rank's, in the order of the curve. */
static candidates candidates_here(const sn_bodies *bodies, const sn_solid *solids,
                                  const sn_parts *parts)
{
    candidates all = {0};
    for (size_t i = 0; i < parts->n; i++)
        if (parts->cell[i].n_parts > 1)
            sn_push(&all, (candidate){.key = (sn_key)i});
#pragma omp parallel for schedule(dynamic, 16)
    for (size_t i = 0; i < all.count; i++)
        all.data[i] = candidate_of(bodies, solids, parts, &parts->cell[all.data[i].key]);
    return all;
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
        if (isinf(c[i].gap.distance) || is_listed(bodies, list, &c[i]))
            continue;
        sn_close_place *place = &list->place[list->n++];
        place->body = sn_key_body(c[i].key);
        place->gap = c[i].gap.distance;
        memcpy(place->place, c[i].gap.place, sizeof place->place);
    }
}

sn_close_parts sn_close_parts_find(MPI_Comm comm, const sn_bodies *bodies, const sn_solid *solids,
                                   const sn_parts *parts)
{
    candidates here = candidates_here(bodies, solids, parts);
    sn_close_parts list = {.cells = (int64_t)here.count};
    MPI_Allreduce(MPI_IN_PLACE, &list.cells, 1, MPI_INT64_T, MPI_SUM, comm);
    sort_candidates(here.data, here.count);
    size_t few = here.count < CANDIDATES ? here.count : CANDIDATES;
    sn_inbox all = sn_records_gather(comm, sizeof *here.data, here.data, few);
    sort_candidates(all.data, all.n);
    list_places(bodies, all.data, all.n, &list);
    sn_inbox_free(&all);
    sn_vector_free(&here);
    return list;
}

double sn_separating_cell(double gap)
{
    /* Points of two cells that touch are two diagonals apart at most. */
    return gap / (2 * sqrt(3));
}
