/* Pieces of triangles: each lies in its cell, and together they have the shadow of the triangle,
 * the volume beneath it and the moments of both, wherever it is and however it lies on the planes.
 */
#include "helpers/check.h"

#include "mesh/pieces.h"

#include <math.h>
#include <string.h>

enum { CELLS = 12, TRIANGLES = 2000 };
static const int32_t cells[3] = {CELLS, CELLS, CELLS};
static const double ROUNDING = 1e-12;

/* The sums of a whole triangle, down to height 0: the means over the middles of its sides are exact
 * for products of two coordinates. */
static void sums_of(const double p[3][3], double sum[SN_PIECE_SUMS])
{
    double area =
        ((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0])) / 2;
    memset(sum, 0, SN_PIECE_SUMS * sizeof *sum);
    for (int side = 0; side < 3; side++) {
        double at[3];
        for (int d = 0; d < 3; d++)
            at[d] = (p[side][d] + p[(side + 1) % 3][d]) / 2;
        double here[SN_PIECE_SUMS] = {
            1, at[0], at[1], at[2], at[0] * at[2], at[1] * at[2], at[2] * at[2] / 2};
        for (int k = 0; k < SN_PIECE_SUMS; k++)
            sum[k] += area / 3 * here[k];
    }
}

/* Adds a piece's sums as they are seen from the grid's origin. */
static void add_piece(const sn_piece *piece, double sum[SN_PIECE_SUMS])
{
    const double *s = piece->sum;
    double x = piece->cell[0], y = piece->cell[1], z = piece->cell[2];
    sum[SN_SHADOW] += s[SN_SHADOW];
    sum[SN_SHADOW_X] += s[SN_SHADOW_X] + x * s[SN_SHADOW];
    sum[SN_SHADOW_Y] += s[SN_SHADOW_Y] + y * s[SN_SHADOW];
    sum[SN_BENEATH] += s[SN_BENEATH] + z * s[SN_SHADOW];
    sum[SN_BENEATH_X] +=
        s[SN_BENEATH_X] + x * s[SN_BENEATH] + z * (s[SN_SHADOW_X] + x * s[SN_SHADOW]);
    sum[SN_BENEATH_Y] +=
        s[SN_BENEATH_Y] + y * s[SN_BENEATH] + z * (s[SN_SHADOW_Y] + y * s[SN_SHADOW]);
    sum[SN_BENEATH_Z] += s[SN_BENEATH_Z] + z * s[SN_BENEATH] + z * z * s[SN_SHADOW] / 2;
}

static void check_piece(const sn_piece *piece)
{
    double area = piece->sum[SN_SHADOW], height = piece->sum[SN_BENEATH] / area;
    for (int d = 0; d < 3; d++)
        CHECK(piece->cell[d] >= 0 && piece->cell[d] < CELLS, "cell %d", piece->cell[d]);
    CHECK(fabs(area) < 1 + ROUNDING, "area %g", area);
    CHECK(fabs(area) < 1e-9 || (height > -1e-6 && height < 1 + 1e-6), "height %g", height);
}

static void check_triangle(const double corner[3][3])
{
    sn_pieces pieces = {0};
    double sum[SN_PIECE_SUMS] = {0}, whole[SN_PIECE_SUMS];
    sn_triangle_cut(corner, cells, &pieces);
    for (size_t i = 0; i < pieces.count; i++) {
        check_piece(&pieces.data[i]);
        add_piece(&pieces.data[i], sum);
    }
    sums_of(corner, whole);
    for (int k = 0; k < SN_PIECE_SUMS; k++)
        CHECK(fabs(sum[k] - whole[k]) < ROUNDING * pow(CELLS, 4), "sum %d: %g of %g", k, sum[k],
              whole[k]);
    sn_vector_free(&pieces);
}

/* Anywhere; of some, coordinates are on planes, so that corners, edges and whole triangles are. */
static void random_triangles(void)
{
    unsigned long long seed = 7;
    for (int t = 0; t < TRIANGLES; t++) {
        double corner[3][3], reach = t % 5 == 0 ? 0.3 : CELLS;
        for (int d = 0; d < 3; d++) {
            double from = test_random(&seed) * (CELLS - reach);
            for (int c = 0; c < 3; c++) {
                corner[c][d] = from + reach * test_random(&seed);
                if (test_random(&seed) < t % 4 / 4.0)
                    corner[c][d] = nearbyint(corner[c][d]);
            }
        }
        check_triangle((const double(*)[3])corner);
    }
}

/* What lies in the plane of a floor is in the cell above it, and under the roof of the grid. */
static void on_floors(void)
{
    for (int32_t z = 0; z <= CELLS; z++) {
        double corner[3][3] = {{2, 3, z}, {3, 3, z}, {2, 4, z}};
        sn_pieces pieces = {0};
        sn_triangle_cut((const double(*)[3])corner, cells, &pieces);
        CHECK(pieces.count == 1, "%zu pieces", pieces.count);
        const sn_piece *p = &pieces.data[0];
        int32_t expected = z < CELLS ? z : CELLS - 1;
        CHECK(p->cell[0] == 2 && p->cell[1] == 3 && p->cell[2] == expected, "in %d", p->cell[2]);
        double area = p->sum[SN_SHADOW], volume = p->sum[SN_BENEATH];
        CHECK(area == 0.5 && volume == 0.5 * (z - expected), "%g, %g", area, volume);
        sn_vector_free(&pieces);
    }
}

/* Walls have no shadow. */
static void walls(void)
{
    double corner[3][3] = {{2.5, 1, 1}, {2.5, 6, 1}, {2.5, 6, 9}};
    sn_pieces pieces = {0};
    sn_triangle_cut((const double(*)[3])corner, cells, &pieces);
    CHECK(pieces.count == 0, "%zu pieces", pieces.count);
}

static void places(void)
{
    double origin[3] = {1, -1, 0}, v[3] = {2, -1 - 1e-9, 6 + 1e-9}, at[3];
    sn_grid_place(v, origin, 0.5, cells, at);
    CHECK(at[0] == 2 && at[1] == 0 && at[2] == CELLS, "(%g, %g, %g)", at[0], at[1], at[2]);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    random_triangles();
    on_floors();
    walls();
    places();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
