/* The box-triangle test against an oracle of another kind: the two meet exactly when an edge of
 * the triangle crosses the box or an edge of the box crosses the triangle, each decided in
 * rational numbers. The rasteriser against the test, cell by cell. */
#include "curve/morton.h"
#include "helpers/check.h"
#include "mesh/overlap.h"

#include <stdlib.h>

typedef __int128 wide;

enum { ONE = 1 << SN_GRID_FRACTION_BITS };

static unsigned long long seed = 1;

static int32_t random_below(int32_t n)
{
    return (int32_t)(test_random(&seed) * n);
}

/* ---- the oracle ---- */

/* Clips t in [t0, t1], as fractions num/den with den > 0, to where low <= p + t e <= high. */
typedef struct {
    int64_t num, den;
} fraction;

static bool fraction_less(fraction a, fraction b)
{
    return (wide)a.num * b.den < (wide)b.num * a.den;
}

static bool segment_meets_box(const int32_t from[3], const int32_t to[3], const int64_t low[3],
                              const int64_t high[3])
{
    fraction t0 = {0, 1}, t1 = {1, 1};
    for (int d = 0; d < 3; d++) {
        int64_t e = (int64_t)to[d] - from[d], below = low[d] - from[d], above = high[d] - from[d];
        if (e == 0) {
            if (below > 0 || above < 0)
                return false;
            continue;
        }
        fraction enter = {e > 0 ? below : -above, llabs(e)};
        fraction leave = {e > 0 ? above : -below, llabs(e)};
        t0 = fraction_less(t0, enter) ? enter : t0;
        t1 = fraction_less(leave, t1) ? leave : t1;
    }
    return !fraction_less(t1, t0);
}

static int64_t turn(const int32_t a[3], const int32_t b[3], int u, int v, int64_t x, int64_t y)
{
    int64_t area = ((int64_t)b[u] - a[u]) * (y - a[v]) - ((int64_t)b[v] - a[v]) * (x - a[u]);
    return (area > 0) - (area < 0);
}

/* The line along axis d through (x, y) of the other two axes, from low to high: does it cross
 * the triangle? Triangles that the axis lies in are left to the other axes and the edges. */
static bool line_meets_triangle(const sn_grid_triangle *t, int d, int64_t x, int64_t y, int64_t low,
                                int64_t high)
{
    int u = (d + 1) % 3, v = (d + 2) % 3;
    int64_t normal[3];
    wide level = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        const int32_t(*p)[3] = t->p;
        normal[i] = ((int64_t)p[1][j] - p[0][j]) * ((int64_t)p[2][k] - p[0][k]) -
                    ((int64_t)p[1][k] - p[0][k]) * ((int64_t)p[2][j] - p[0][j]);
        level += (wide)normal[i] * p[0][i];
    }
    if (normal[d] == 0)
        return false;
    int64_t side = normal[d] > 0 ? 1 : -1;
    for (int c = 0; c < 3; c++)
        if (side * turn(t->p[c], t->p[(c + 1) % 3], u, v, x, y) < 0)
            return false;
    wide crossing = (level - (wide)normal[u] * x - (wide)normal[v] * y) * side;
    wide scale = (wide)normal[d] * side;
    return scale * low <= crossing && crossing <= scale * high;
}

static bool oracle(const sn_grid_triangle *t, const int32_t anchor[3], int height)
{
    int64_t low[3], high[3];
    for (int d = 0; d < 3; d++) {
        low[d] = (int64_t)anchor[d] * ONE;
        high[d] = low[d] + ((int64_t)ONE << height);
    }
    for (int c = 0; c < 3; c++)
        if (segment_meets_box(t->p[c], t->p[(c + 1) % 3], low, high))
            return true;
    for (int d = 0; d < 3; d++) {
        int u = (d + 1) % 3, v = (d + 2) % 3;
        for (int corner = 0; corner < 4; corner++)
            if (line_meets_triangle(t, d, corner & 1 ? high[u] : low[u],
                                    corner & 2 ? high[v] : low[v], low[d], high[d]))
                return true;
    }
    return false;
}

/* ---- random triangles of every kind ---- */

enum { KINDS = 8 };

/* Within `cells` cells of `centre`: any corners, corners on cell planes, on quarter cells, in a
 * plane of cells, segments, points, slivers, and two corners that agree. */
static sn_grid_triangle random_triangle(int kind, const int32_t centre[3], int32_t cells)
{
    static const int32_t quantum[KINDS] = {1, ONE, ONE / 4, 1, 1, 1, 1, ONE / 2};
    int32_t q = quantum[kind];
    sn_grid_triangle t;
    for (int c = 0; c < 3; c++)
        for (int d = 0; d < 3; d++)
            t.p[c][d] = centre[d] + (random_below(2 * cells * ONE / q + 1) - cells * ONE / q) * q;
    int flat = random_below(3);
    for (int d = 0; d < 3; d++) {
        if (kind == 3 && d == flat) /* in a plane of cells */
            t.p[0][d] = t.p[1][d] = t.p[2][d] = t.p[0][d] / ONE * ONE;
        if (kind == 4) /* collinear, possibly outside the segment of the first two */
            t.p[2][d] = 2 * t.p[1][d] - t.p[0][d];
        if (kind == 5) /* a point */
            t.p[1][d] = t.p[2][d] = t.p[0][d];
        if (kind == 6) /* a sliver */
            t.p[2][d] = t.p[1][d] + random_below(3) - 1;
        if (kind == 7) /* two equal corners */
            t.p[1][d] = t.p[0][d];
    }
    return t;
}

static void overlap_equals_oracle(int32_t grid, int32_t cells, int boxes, int rounds)
{
    int hits = 0, misses = 0;
    for (int i = 0; i < rounds; i++) {
        int32_t centre[3];
        for (int d = 0; d < 3; d++)
            centre[d] = random_below(grid) * ONE + (i & 1 ? random_below(ONE) : 0);
        sn_grid_triangle t = random_triangle(i % KINDS, centre, cells);
        for (int b = 0; b < boxes; b++) {
            int height = random_below(4);
            int32_t reach = cells + (1 << height), anchor[3];
            for (int d = 0; d < 3; d++)
                anchor[d] =
                    (centre[d] / ONE + random_below(2 * reach + 1) - reach) & -(1 << height);
            bool expected = oracle(&t, anchor, height);
            CHECK(sn_triangle_overlaps_box(&t, anchor, height) == expected,
                  "kind %d, box %d %d %d height %d: expected %d", i % KINDS, anchor[0], anchor[1],
                  anchor[2], height, expected);
            hits += expected;
            misses += !expected;
        }
    }
    CHECK(hits > rounds / 4 && misses > rounds / 4, "one-sided: %d hits, %d misses", hits, misses);
}

/* Triangles that meet one cell in a single point: at a corner, from each of the 8 directions. */
static void touching_at_a_corner(void)
{
    int32_t cell[3] = {5, 6, 7};
    for (int o = 0; o < 8; o++) {
        sn_grid_triangle t;
        for (int d = 0; d < 3; d++) {
            int32_t corner = (cell[d] + (o >> d & 1)) * ONE, out = o >> d & 1 ? 1 : -1;
            t.p[0][d] = corner;
            t.p[1][d] = corner + out * (d == 0 ? 3 * ONE : 7);
            t.p[2][d] = corner + out * (d == 1 ? 3 * ONE : 5);
        }
        CHECK(sn_triangle_overlaps_box(&t, cell, 0), "corner %d touches", o);
        for (int d = 0; d < 3; d++) /* one unit further out it does not */
            for (int c = 0; c < 3; c++)
                t.p[c][d] += o >> d & 1 ? 1 : -1;
        CHECK(!sn_triangle_overlaps_box(&t, cell, 0), "corner %d is missed", o);
    }
}

/* At the far ends of the grid, where the numbers are largest. */
static void extremes(void)
{
    int32_t end = 65536 * ONE;
    sn_grid_triangle t = {{{0, 0, 0}, {end, end, 1}, {end, 0, end}}};
    for (int i = 0; i < 20000; i++) {
        int height = random_below(17);
        int32_t anchor[3];
        for (int d = 0; d < 3; d++)
            anchor[d] = random_below(65536) & -(1 << height);
        if (i & 1) /* near the plane through the corners, x = y + z */
            anchor[0] = (anchor[1] + anchor[2]) & 0xffff & -(1 << height);
        CHECK(sn_triangle_overlaps_box(&t, anchor, height) == oracle(&t, anchor, height),
              "extreme triangle, box %d %d %d height %d", anchor[0], anchor[1], anchor[2], height);
    }
}

/* ---- the rasteriser ---- */

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool has_key(const sn_keys *keys, uint64_t key)
{
    return keys->count && bsearch(&key, keys->data, keys->count, sizeof key, compare_keys);
}

static void check_raster(const sn_grid_triangle *t, const int32_t grid[3], sn_keys *keys)
{
    size_t expected = 0;
    keys->count = 0;
    sn_triangle_rasterise(t, grid, keys);
    if (keys->count)
        qsort(keys->data, keys->count, sizeof *keys->data, compare_keys);
    int32_t c[3];
    for (c[2] = 0; c[2] < grid[2]; c[2]++)
        for (c[1] = 0; c[1] < grid[1]; c[1]++)
            for (c[0] = 0; c[0] < grid[0]; c[0]++) {
                bool hit = sn_triangle_overlaps_box(t, c, 0);
                uint64_t key = sn_morton((uint32_t)c[0], (uint32_t)c[1], (uint32_t)c[2]);
                CHECK(hit == has_key(keys, key), "cell %d %d %d", c[0], c[1], c[2]);
                expected += hit;
            }
    CHECK(keys->count == expected, "%zu keys, %zu cells", keys->count, expected);
}

static void raster_equals_test(void)
{
    sn_keys keys = {0};
    const int32_t sizes[] = {1, 1, 2, 4, 9};
    for (int i = 0; i < 1000; i++) {
        int32_t grid[3], centre[3];
        for (int d = 0; d < 3; d++) {
            grid[d] = 1 + random_below(14);
            centre[d] = random_below(grid[d] * ONE);
        }
        sn_grid_triangle t = random_triangle(i % KINDS, centre, sizes[i / KINDS % 5]);
        if (i % 3 == 0) /* most triangles of a fine mesh are smaller than a cell */
            for (int c = 1; c < 3; c++)
                for (int d = 0; d < 3; d++)
                    t.p[c][d] = t.p[0][d] + (t.p[c][d] - t.p[0][d]) / 8;
        check_raster(&t, grid, &keys);
    }
    sn_vector_free(&keys);
}

/* A large triangle in the far corner of the grid: every cell passes the test, each comes once,
 * and the count is that of the plane's own cells. */
static void raster_in_the_far_corner(void)
{
    sn_keys keys = {0};
    int32_t grid[3] = {65536, 65536, 65536}, end = 65536 * ONE, edge = 256 * ONE;
    sn_grid_triangle t = {{{end - edge, end - edge, end - ONE / 2},
                           {end, end - edge, end - ONE / 2},
                           {end - edge, end, end - ONE / 2}}};
    sn_triangle_rasterise(&t, grid, &keys);
    /* The diagonal's cells and those it touches at a corner, one row more on the two far sides. */
    size_t inner = 256 * 257 / 2 + 255, sides = 2 * 257 - 1 + 2;
    CHECK(keys.count >= inner && keys.count <= inner + sides, "%zu cells", keys.count);
    qsort(keys.data, keys.count, sizeof *keys.data, compare_keys);
    for (size_t i = 0; i < keys.count; i++) {
        uint32_t c[3];
        sn_morton_decode(keys.data[i], c);
        int32_t cell[3] = {(int32_t)c[0], (int32_t)c[1], (int32_t)c[2]};
        CHECK(oracle(&t, cell, 0), "cell %d %d %d", cell[0], cell[1], cell[2]);
        CHECK(i == 0 || keys.data[i - 1] < keys.data[i], "key %zu twice", i);
    }
    sn_vector_free(&keys);
}

static void outside_the_grid(void)
{
    sn_keys keys = {0};
    int32_t grid[3] = {4, 4, 4};
    sn_grid_triangle out = {{{5 * ONE, 0, 0}, {9 * ONE, 0, 0}, {5 * ONE, 4 * ONE, 0}}};
    sn_triangle_rasterise(&out, grid, &keys);
    CHECK(keys.count == 0, "%zu cells", keys.count);
    sn_grid_triangle negative = {{{-1, -1, -1}, {-ONE, -1, -1}, {-1, -ONE, -5}}};
    sn_triangle_rasterise(&negative, grid, &keys);
    CHECK(keys.count == 0, "%zu cells", keys.count);
}

static void snapping(void)
{
    double origin[3] = {1, -2, 0.5}, cell = 0.25;
    double v[3] = {1 + 0.25 * 3, -2 + 0.25 * (2 + 0.6 / ONE), 0.5 + 0.25 * (7 - 0.4 / ONE)};
    int32_t p[3];
    sn_grid_snap(v, origin, cell, p);
    CHECK(p[0] == 3 * ONE && p[1] == 2 * ONE + 1 && p[2] == 7 * ONE, "%d %d %d", p[0], p[1], p[2]);
}

static void morton_keys(void)
{
    for (int i = 0; i < 100000; i++) {
        uint32_t c[3], back[3], portable[3];
        uint64_t expected = 0;
        for (int d = 0; d < 3; d++) {
            c[d] = i == 0 ? 0xffff : (uint32_t)random_below(65536);
            for (int bit = 0; bit < 16; bit++)
                expected |= (uint64_t)(c[d] >> bit & 1) << (3 * bit + d);
        }
        uint64_t key = sn_morton(c[0], c[1], c[2]);
        CHECK(key == expected && key == sn_morton_portable(c[0], c[1], c[2]), "%u %u %u", c[0],
              c[1], c[2]);
        sn_morton_decode(key, back);
        sn_morton_decode_portable(key, portable);
        for (int d = 0; d < 3; d++)
            CHECK(back[d] == c[d] && portable[d] == c[d], "%u %u %u", c[0], c[1], c[2]);
    }
}

/* Two corners and a third of a square across axis `d`, at a plane; its normal points up. */
static sn_grid_triangle square_half(int d, int32_t plane)
{
    sn_grid_triangle t;
    for (int c = 0; c < 3; c++) {
        t.p[c][d] = plane * ONE;
        t.p[c][(d + 1) % 3] = c == 1 ? 5 * ONE : 2 * ONE;
        t.p[c][(d + 2) % 3] = c == 2 ? 5 * ONE : 2 * ONE;
    }
    return t;
}

static int64_t cells_needed(const sn_grid_triangle *t, int sense, int d, int32_t layer)
{
    static const int32_t grid[3] = {8, 8, 8};
    int64_t needed = 0;
    for (int32_t i = 0; i < 8 * 8 * 8; i++) {
        int32_t cell[3] = {i % 8, i / 8 % 8, i / 64};
        if (!sn_triangle_overlaps_box(t, cell, 0) || !sn_triangle_needs_cell(t, cell, grid, sense))
            continue;
        needed++;
        CHECK(cell[d] == layer, "cell %d, not %d", cell[d], layer);
    }
    return needed;
}

/* In a plane a triangle needs the layer behind it, or what the grid has of it; a hair away from the
 * plane, and however it is turned, the cells that it is in. */
static void needed_cells(void)
{
    enum { MET = 6 }; /* half of a square of three cells, with its diagonal */
    for (int d = 0; d < 3; d++)
        for (int sense = -1; sense <= 1; sense += 2) {
            for (int32_t plane = 0; plane <= 8; plane++) {
                sn_grid_triangle t = square_half(d, plane);
                int32_t behind = sense > 0 ? plane - 1 : plane;
                behind = behind < 0 ? 0 : behind > 7 ? 7 : behind;
                CHECK(cells_needed(&t, sense, d, behind) == MET, "plane %d", plane);
            }
            sn_grid_triangle t = square_half(d, 4);
            for (int c = 0; c < 3; c++)
                t.p[c][d]++;
            CHECK(cells_needed(&t, sense, d, 4) == MET, "between planes");
        }
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    needed_cells();
    morton_keys();
    snapping();
    overlap_equals_oracle(16, 1, 40, 8000);
    overlap_equals_oracle(64, 3, 40, 8000);
    overlap_equals_oracle(65000, 30, 100, 4000);
    touching_at_a_corner();
    extremes();
    raster_equals_test();
    raster_in_the_far_corner();
    outside_the_grid();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
