#include "octree/fraction.h"

#include "base/array.h"
#include "base/exact_sum.h"
#include "base/timer.h"
#include "curve/search.h"
#include "octree/columns.h"
#include "octree/element_exchange.h"
#include "partition/records.h"

#include <math.h>
#include <string.h>

/* Points along an edge of a cell. Where a plane cuts a cell, 5 x 5 x 5 are within 2 % for it, and
 * 2 x 2 x 2 meet a region that is a good part of it. */
enum { FINE_SAMPLES = 5, COARSE_SAMPLES = 2, MOST_SAMPLES = 125 };

/* ---- Samples ---- */

typedef struct {
    const sn_octree *tree;
    const sn_solid *solids;
    const sn_parts *parts;
    sn_leaves elements;
    double *fraction;
    float (*centroid)[3];
} element_work;

/* The winding numbers at n x n x n points in the middles of equal parts of a finest cell. */
static int sample(const element_work *w, size_t e, int n, double winding[MOST_SAMPLES])
{
    sn_key key = w->elements.key[e];
    const sn_body *body = &w->tree->bodies->body[sn_key_body(key)];
    uint32_t xyz[3];
    double point[MOST_SAMPLES][3];
    sn_key_anchor(key, xyz);
    for (int i = 0; i < n * n * n; i++) {
        int part[3] = {i % n, i / n % n, i / (n * n)};
        for (int d = 0; d < 3; d++)
            point[i][d] = body->origin[d] + body->cell * (xyz[d] + (part[d] + 0.5) / n);
    }
    sn_winding_batch(w->solids[sn_key_body(key)].winding, (const double(*)[3])point,
                     (size_t)(n * n * n), winding);
    return n * n * n;
}

static void set_by_samples(const element_work *w, size_t e)
{
    double winding[MOST_SAMPLES];
    int inside = 0, sum[3] = {0}, n = sample(w, e, FINE_SAMPLES, winding);
    for (int i = 0; i < n; i++)
        if (sn_is_inside(winding[i])) {
            int part[3] = {i % FINE_SAMPLES, i / FINE_SAMPLES % FINE_SAMPLES,
                           i / (FINE_SAMPLES * FINE_SAMPLES)};
            inside++;
            for (int d = 0; d < 3; d++)
                sum[d] += 2 * part[d] + 1 - FINE_SAMPLES;
        }
    w->fraction[e] = (double)inside / n;
    for (int d = 0; d < 3 && inside > 0; d++)
        w->centroid[e][d] = (float)sum[d] / (float)(FINE_SAMPLES * inside);
}

static void set_by_triangles(const element_work *w, size_t e, const sn_cell_fraction *cell)
{
    w->fraction[e] = cell->fraction;
    for (int d = 0; d < 3; d++)
        w->centroid[e][d] = (float)cell->centroid[d];
}

/* Does the surface wind around a part of the cell twice? */
static bool overlaps(const element_work *w, size_t e)
{
    double winding[MOST_SAMPLES];
    bool twice = false;
    int n = sample(w, e, COARSE_SAMPLES, winding);
    for (int i = 0; i < n; i++)
        twice = twice || fabs(winding[i]) > 1.5;
    return twice;
}

/* ---- Copies ---- */

/* What the copies of a cell have, all together, is shared out as their parts fill it. */
static void share_out(const element_work *w, size_t e, const sn_parts_cell *cell)
{
    const sn_part_measure *part = &w->parts->measure[cell->first_part];
    double whole = w->fraction[e], sum = 0;
    for (int32_t k = 0; k < cell->n_parts; k++)
        sum += part[k].volume;
    for (int32_t k = 0; k < cell->n_parts; k++) {
        w->fraction[e + (size_t)k] = sum > 0 ? whole * part[k].volume / sum : 0;
        for (int d = 0; d < 3; d++)
            w->centroid[e + (size_t)k][d] = (float)part[k].centroid[d];
    }
}

static void share_out_copies(const element_work *w, const bool *wanted)
{
    for (size_t e = 0; e < (size_t)w->tree->n_elements; e++) {
        sn_key key = w->elements.key[e];
        if (sn_key_copy(key) != 1 || w->elements.height[e] > 0 || !wanted[sn_key_body(key)])
            continue; /* a second copy tells that there are several */
        const sn_parts_cell *cell = sn_parts_cell_at(w->parts, sn_key_place(key));
        if (cell)
            share_out(w, e - 1, cell);
    }
}

/* ---- Elements ---- */

/* Brings the cells to the owners of their elements. */
static sn_cell_fraction *to_owners(const sn_octree *tree, sn_cell_fraction *cells, size_t *n)
{
    int *to = SN_NEW(int, *n);
#pragma omp parallel for
    for (size_t i = 0; i < *n; i++)
        to[i] = sn_owner_of(&tree->owners, cells[i].key);
    sn_inbox in = sn_records_send(tree->comm, sizeof *cells, cells, to, *n);
    sn_free(to);
    sn_free(cells);
    return sn_inbox_take(&in, n);
}

/* Which owned elements the cells are; those that are none are dropped. */
static size_t find_elements(const element_work *w, sn_cell_fraction *cells, size_t n,
                            sn_local *element)
{
    sn_search search = sn_search_create(w->elements.key, (size_t)w->tree->n_elements);
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        sn_local e = sn_search_find(&search, cells[i].key);
        if (e == SN_NONE || w->elements.height[e] != 0)
            continue;
        cells[found] = cells[i];
        element[found++] = e;
    }
    sn_search_free(&search);
    return found;
}

/* Collective: bodies that have a cell on any rank that is not clean. */
static bool *find_dirty_bodies(const sn_octree *tree, const sn_cell_fraction *cells, size_t n)
{
    bool *dirty = SN_NEW_ZERO(bool, tree->bodies->n);
    for (size_t i = 0; i < n; i++)
        if (isnan(cells[i].fraction))
            dirty[sn_key_body(cells[i].key)] = true;
    MPI_Allreduce(MPI_IN_PLACE, dirty, tree->bodies->n, MPI_C_BOOL, MPI_LOR, tree->comm);
    return dirty;
}

/* In a dirty body parts may overlap in cells that look clean: two halves fill one. */
static void set_fractions(const element_work *w, const sn_cell_fraction *cells,
                          const sn_local *element, size_t n)
{
    bool *dirty = find_dirty_bodies(w->tree, cells, n);
#pragma omp parallel for schedule(dynamic, 64)
    for (size_t i = 0; i < n; i++) {
        size_t e = (size_t)element[i];
        bool sampled =
            isnan(cells[i].fraction) || (dirty[sn_key_body(cells[i].key)] && overlaps(w, e));
        if (sampled)
            set_by_samples(w, e);
        else
            set_by_triangles(w, e, &cells[i]);
    }
    sn_free(dirty);
}

static void fill_owned(const element_work *w, const bool *wanted)
{
    size_t n;
    sn_cell_fraction *cells =
        sn_column_fractions(w->tree->comm, w->tree->bodies, w->solids, wanted, &n);
    cells = to_owners(w->tree, cells, &n);
    sn_local *element = SN_NEW(sn_local, n);
    n = find_elements(w, cells, n, element);
    set_fractions(w, cells, element, n);
    sn_free(element);
    sn_free(cells);
}

static sn_status fill_ghosts(const sn_octree *tree, double *fraction, float (*centroid)[3])
{
    sn_element_exchange exchange;
    SN_TRY(sn_element_exchange_create(tree, &exchange));
    sn_element_exchange_begin(&exchange, fraction, sizeof *fraction);
    sn_element_exchange_end(&exchange);
    sn_element_exchange_begin(&exchange, centroid, sizeof *centroid);
    sn_element_exchange_end(&exchange);
    sn_element_exchange_free(&exchange);
    return SN_OK;
}

sn_status sn_element_fractions(const sn_hierarchy *forest, const sn_solid *solids,
                               const bool *wanted, double *fraction, float (*centroid)[3])
{
    const sn_octree *tree = &forest->level[0];
    sn_phase_begin("octree/fractions");
    element_work w = {tree, solids, &forest->parts, sn_octree_elements(tree), fraction, centroid};
    for (size_t e = 0; e < w.elements.n; e++) {
        fraction[e] = 1;
        memset(centroid[e], 0, sizeof centroid[e]);
    }
    fill_owned(&w, wanted);
    share_out_copies(&w, wanted);
    sn_leaves_free(&w.elements);
    sn_status status = fill_ghosts(tree, fraction, centroid);
    sn_phase_end("octree/fractions");
    return status;
}

double sn_octree_volume(const sn_octree *tree, int body, const double *fraction)
{
    sn_sum cells = {0};
    sn_local e = 0;
    for (sn_local i = 0; i < tree->body_first[body]; i++)
        e += tree->octant[i].is_element;
    for (sn_local i = tree->body_first[body]; i < tree->body_first[body + 1]; i++)
        if (tree->octant[i].is_element) {
            double whole = sn_cells_in(tree->octant[i].height);
            sn_sum_add(&cells, fraction ? fraction[e] * whole : whole);
            e++;
        }
    sn_sum_allreduce(tree->comm, &cells, 1);
    double cell = tree->bodies->body[body].cell;
    return sn_sum_value(&cells) * cell * cell * cell;
}
