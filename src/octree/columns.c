#include "octree/columns.h"

#include "base/array.h"
#include "base/sort.h"
#include "mesh/overlap.h"
#include "mesh/pieces.h"
#include "partition/records.h"

#include <math.h>
#include <omp.h>

/* Areas and moments are whole numbers of these: a million pieces in a column still fit. */
static const int64_t ONE = INT64_C(1) << 40;

/* How far a sum may be from where it must be. Vertices of a crack that is no wider than that are
 * as good as one. */
static const double CLEAN = 1e-3;

/* Of a smaller fraction it is not told where it is. */
static const double LEAST_WITH_PLACE = 1e-6;

enum { COORDINATE_BITS = 16, TOP = 0xffff, FEW_CELLS = 1 << 14 };

/* What the pieces of a cell add up to. Its place orders cells by body, column and height, the
 * highest first. */
typedef struct {
    uint64_t place;
    int64_t sum[SN_PIECE_SUMS];
} stack_cell;

typedef SN_VECTOR(stack_cell) stack_cells;

static uint64_t place_of(int body, uint32_t x, uint32_t y, uint32_t z)
{
    uint64_t column = ((uint64_t)body << COORDINATE_BITS | x) << COORDINATE_BITS | y;
    return column << COORDINATE_BITS | (TOP - z);
}

static uint64_t column_of(const stack_cell *cell)
{
    return cell->place >> COORDINATE_BITS;
}

static int body_of(const stack_cell *cell)
{
    return (int)(cell->place >> 3 * COORDINATE_BITS);
}

static void coordinates_of(const stack_cell *cell, uint32_t xyz[3])
{
    xyz[0] = (uint32_t)(cell->place >> 2 * COORDINATE_BITS) & TOP;
    xyz[1] = (uint32_t)(cell->place >> COORDINATE_BITS) & TOP;
    xyz[2] = TOP - ((uint32_t)cell->place & TOP);
}

/* ---- From triangles to cells ---- */

/* Cells that are on the surface for the octree, by fixed-point corners: they are there even if the
 * triangle has no shadow in them. */
static void add_touched(const sn_mesh *mesh, const sn_body *body, int b, int64_t t, sn_keys *keys,
                        stack_cells *cells)
{
    sn_grid_triangle triangle;
    for (int corner = 0; corner < 3; corner++)
        sn_grid_snap(mesh->vertex[mesh->triangle[t][corner]], body->origin, body->cell,
                     triangle.p[corner]);
    keys->count = 0;
    sn_triangle_rasterise(&triangle, body->cells, keys);
    for (size_t i = 0; i < keys->count; i++) {
        uint32_t c[3];
        sn_morton_decode(keys->data[i], c);
        sn_push(cells, ((stack_cell){.place = place_of(b, c[0], c[1], c[2])}));
    }
}

static void add_pieces(const sn_mesh *mesh, const sn_body *body, int b, int64_t t,
                       sn_pieces *pieces, stack_cells *cells)
{
    double corner[3][3];
    for (int c = 0; c < 3; c++)
        sn_grid_place(mesh->vertex[mesh->triangle[t][c]], body->origin, body->cell, body->cells,
                      corner[c]);
    pieces->count = 0;
    sn_triangle_cut((const double(*)[3])corner, body->cells, pieces);
    for (size_t i = 0; i < pieces->count; i++) {
        const sn_piece *p = &pieces->data[i];
        stack_cell cell = {
            .place = place_of(b, (uint32_t)p->cell[0], (uint32_t)p->cell[1], (uint32_t)p->cell[2])};
        for (int s = 0; s < SN_PIECE_SUMS; s++)
            cell.sum[s] = llrint(p->sum[s] * (double)ONE);
        sn_push(cells, cell);
    }
}

/* Sorts, and makes one of those at the same place. */
static void merge(stack_cells *cells)
{
    sn_sort_records(cells->data, sizeof *cells->data, cells->count);
    size_t kept = 0;
    for (size_t i = 0; i < cells->count; i++) {
        const stack_cell *next = &cells->data[i];
        if (kept > 0 && cells->data[kept - 1].place == next->place) {
            for (int s = 0; s < SN_PIECE_SUMS; s++)
                cells->data[kept - 1].sum[s] += next->sum[s];
        } else {
            cells->data[kept++] = *next;
        }
    }
    cells->count = kept;
}

/* Pieces are merged from time to time, so that their number follows that of cells. */
static void cut_range(const sn_mesh *mesh, const sn_body *body, int b, int64_t from, int64_t to,
                      stack_cells *cells)
{
    sn_keys keys = {0};
    sn_pieces pieces = {0};
    size_t most = FEW_CELLS;
    for (int64_t t = from; t < to; t++) {
        add_touched(mesh, body, b, t, &keys, cells);
        add_pieces(mesh, body, b, t, &pieces, cells);
        if (cells->count > most) {
            merge(cells);
            most = 2 * (cells->count > FEW_CELLS ? cells->count : FEW_CELLS);
        }
    }
    sn_vector_free(&keys);
    sn_vector_free(&pieces);
}

static void append(stack_cells *all, stack_cells *some)
{
    sn_reserve(all, all->count + some->count);
    for (size_t i = 0; i < some->count; i++)
        all->data[all->count++] = some->data[i];
    sn_vector_free(some);
}

static void cut_body(MPI_Comm comm, const sn_body *body, int b, const sn_mesh *mesh,
                     stack_cells *cells)
{
    stack_cells of_body = {0};
    int64_t from, to;
    sn_surface_share(comm, mesh, body->cell, &from, &to);
#pragma omp parallel
    {
        int64_t threads = omp_get_num_threads(), me = omp_get_thread_num(), n = to - from;
        stack_cells mine = {0};
        cut_range(mesh, body, b, from + n * me / threads, from + n * (me + 1) / threads, &mine);
#pragma omp critical
        append(&of_body, &mine);
    }
    merge(&of_body);
    append(cells, &of_body);
}

/* Deals the columns out, each to one rank. */
static void deal(MPI_Comm comm, stack_cells *cells)
{
    int size;
    MPI_Comm_size(comm, &size);
    if (size == 1)
        return;
    int *to = SN_NEW(int, cells->count);
    for (size_t i = 0; i < cells->count; i++) {
        uint64_t mixed = column_of(&cells->data[i]) * UINT64_C(0x9e3779b97f4a7c15);
        to[i] = (int)((mixed >> 32) % (uint64_t)size);
    }
    sn_inbox in = sn_records_send(comm, sizeof *cells->data, cells->data, to, cells->count);
    sn_free(to);
    sn_vector_free(cells);
    cells->data = sn_inbox_take(&in, &cells->count);
    cells->capacity = cells->count;
    merge(cells);
}

/* ---- From cells to runs ---- */

/* Cells that stand on each other, the highest first. */
typedef struct {
    const stack_cell *cell;
    size_t n;
} run;

/* The run that starts with the first of n cells. */
static run first_run(const stack_cell *cell, size_t n)
{
    run r = {cell, 1};
    while (r.n < n && cell[r.n].place == cell[r.n - 1].place + 1)
        r.n++;
    return r;
}

/* The nearest whole number, as a number of ONE. */
static int64_t whole(int64_t sum)
{
    return ONE * (int64_t)nearbyint((double)sum / (double)ONE);
}

/* The winding number at the centre of the cell that is so many cells above another one. */
static int64_t winding_above(const sn_body *body, const sn_solid *solid, const stack_cell *cell,
                             int up)
{
    uint32_t xyz[3];
    double centre[3];
    coordinates_of(cell, xyz);
    for (int d = 0; d < 3; d++)
        centre[d] = body->origin[d] + body->cell * (xyz[d] + 0.5 + (d == 2 ? up : 0));
    double w = sn_winding(solid->winding, centre);
    return sn_is_inside(w) ? whole((int64_t)((double)ONE * w)) : 0;
}

/* Is a sum within what a cell can have, where the surface has this sense? */
static bool is_fraction(int64_t sum, int sense)
{
    double f = sense * (double)sum / (double)ONE;
    return f >= -CLEAN && f <= 1 + CLEAN;
}

/* From the winding number above a run to that below, through all its cells. */
static bool is_clean(const run *r, int64_t above, int64_t below, int sense)
{
    bool clean = is_fraction(above, sense);
    for (size_t i = 0; i < r->n; i++) {
        clean = clean && is_fraction(above + r->cell[i].sum[SN_BENEATH], sense);
        above += r->cell[i].sum[SN_SHADOW];
        clean = clean && is_fraction(above, sense);
    }
    return clean && fabs((double)(above - below)) <= CLEAN * (double)ONE;
}

/* Shadows of all that is above a cell, and their moments: they go through its whole height. */
typedef struct {
    int64_t area, x, y;
} shadows;

/* From the sums of one cell, which are all of one sign. A part of the cell can't be farther from
 * its centre than what it leaves free. */
static sn_cell_fraction measured(const stack_cell *cell, const shadows *above)
{
    const int64_t *sum = cell->sum;
    sn_cell_fraction m;
    uint32_t c[3];
    coordinates_of(cell, c);
    m.key = sn_key_of(body_of(cell), c[0], c[1], c[2]);
    double volume = (double)(above->area + sum[SN_BENEATH]);
    double moment[3] = {(double)(above->x + sum[SN_BENEATH_X]),
                        (double)(above->y + sum[SN_BENEATH_Y]),
                        (double)above->area / 2 + (double)sum[SN_BENEATH_Z]};
    m.fraction = fmin(fabs(volume) / (double)ONE, 1);
    double most = 1 - m.fraction;
    for (int d = 0; d < 3; d++) {
        double from_centre = m.fraction > LEAST_WITH_PLACE ? 2 * moment[d] / volume - 1 : 0;
        m.centroid[d] = fmax(-most, fmin(from_centre, most));
    }
    return m;
}

/* Above a run all is inside, or nothing: the moments are those of whole faces. */
static void set_fractions(const run *r, int64_t above, bool clean, sn_cell_fraction *out)
{
    shadows s = {above, above / 2, above / 2};
    for (size_t i = 0; i < r->n; i++) {
        out[i] = measured(&r->cell[i], &s);
        if (!clean)
            out[i].fraction = NAN;
        s.area += r->cell[i].sum[SN_SHADOW];
        s.x += r->cell[i].sum[SN_SHADOW_X];
        s.y += r->cell[i].sum[SN_SHADOW_Y];
    }
}

static int64_t sum_below(const run *r, int64_t above)
{
    for (size_t i = 0; i < r->n; i++)
        above += r->cell[i].sum[SN_SHADOW];
    return whole(above);
}

/* The cells of one column, or the last of them. */
static void judge_column(const sn_body *body, const sn_solid *solid, const stack_cell *cell,
                         size_t n, sn_cell_fraction *out)
{
    int64_t above = 0, below;
    for (size_t first = 0; first < n;) {
        run r = first_run(cell + first, n - first);
        if (!solid->closed)
            above = winding_above(body, solid, r.cell, 1);
        below =
            solid->closed ? sum_below(&r, above) : winding_above(body, solid, &r.cell[r.n - 1], -1);
        bool clean = is_clean(&r, above, below, 1) || is_clean(&r, above, below, -1);
        set_fractions(&r, above, clean, out + first);
        above = below;
        first += r.n;
    }
}

static sn_cell_fraction *judge_columns(const sn_bodies *bodies, const sn_solid *solids,
                                       const stack_cells *cells)
{
    sn_cell_fraction *out = SN_NEW(sn_cell_fraction, cells->count);
    const stack_cell *cell = cells->data;
#pragma omp parallel for schedule(dynamic, 512)
    for (size_t i = 0; i < cells->count; i++) {
        if (i > 0 && column_of(&cell[i]) == column_of(&cell[i - 1]))
            continue;
        size_t end = i + 1;
        while (end < cells->count && column_of(&cell[end]) == column_of(&cell[i]))
            end++;
        int b = body_of(&cell[i]);
        judge_column(&bodies->body[b], &solids[b], cell + i, end - i, out + i);
    }
    return out;
}

sn_cell_fraction *sn_column_fractions(MPI_Comm comm, const sn_bodies *bodies,
                                      const sn_solid *solids, const bool *wanted, size_t *n)
{
    stack_cells cells = {0};
    for (int b = 0; b < bodies->n; b++)
        if (wanted[b])
            cut_body(comm, &bodies->body[b], b, solids[b].mesh, &cells);
    deal(comm, &cells);
    sn_cell_fraction *out = judge_columns(bodies, solids, &cells);
    *n = cells.count;
    sn_vector_free(&cells);
    return out;
}
