#include "model/bone_pieces.h"

#include "base/array.h"
#include "base/vec3.h"

#include <math.h>

static const int64_t MOST_PIECES = INT64_C(1) << SN_BONE_PIECE_BITS;

static void corners_of(const sn_mesh *mesh, int64_t t, sn_vec corner[3])
{
    for (int k = 0; k < 3; k++)
        corner[k] = sn_vec_load(mesh->vertex[mesh->triangle[t][k]]);
}

/* Into how many parts the edges are cut. */
static double parts_of(const sn_bone_pieces *c, int64_t t)
{
    sn_vec corner[3];
    double longest = 0;
    corners_of(c->mesh, t, corner);
    for (int k = 0; k < 3; k++)
        longest = fmax(longest, sn_vec_length(sn_vec_sub(corner[(k + 1) % 3], corner[k])));
    return fmax(1, ceil(longest / c->longest));
}

bool sn_bone_pieces_number(sn_bone_pieces *c)
{
    int64_t n = c->mesh->n_triangles;
    c->first = SN_NEW_ZERO(int64_t, n + 1);
    for (int64_t t = 0; t < n; t++) {
        double parts = parts_of(c, t);
        if (!(parts * parts + (double)c->first[t] < (double)MOST_PIECES))
            return false;
        c->first[t + 1] = c->first[t] + (int64_t)parts * (int64_t)parts;
    }
    return true;
}

/* Where the middle of a piece is in its triangle: so much of the way down from the first corner to
 * the second, and so much across from the second to the third. */
typedef struct {
    double down, across;
} place;

/* Piece p of a triangle that is cut into m * m: row by row from the first corner, in row r first
 * the r + 1 that point as the triangle does, then the r that point against it. */
static place place_of(int64_t m, int64_t p)
{
    int64_t row = (int64_t)sqrt((double)p);
    while (row * row > p)
        row--;
    while ((row + 1) * (row + 1) <= p)
        row++;
    int64_t along = p - row * row;
    bool against = along > row;
    if (against)
        along -= row + 1;
    /* In steps of a third: where the middle is, down the rows and along its row. */
    return (place){(double)(3 * row + (against ? 1 : 2)) / (double)(3 * m),
                   (double)(3 * along + (against ? 2 : 1)) / (double)(3 * m)};
}

static int64_t cuts_of(const sn_bone_pieces *c, int64_t t)
{
    return llrint(sqrt((double)(c->first[t + 1] - c->first[t])));
}

void sn_bone_piece_of(const sn_bone_pieces *c, int64_t t, int64_t piece, double middle[3],
                      double *area)
{
    sn_vec corner[3];
    corners_of(c->mesh, t, corner);
    int64_t m = cuts_of(c, t);
    place at = place_of(m, piece - c->first[t]);
    sn_vec a = sn_vec_sub(corner[1], corner[0]), b = sn_vec_sub(corner[2], corner[1]);
    *area = 0.5 * sn_vec_length(sn_vec_cross(a, b)) / (double)(m * m);
    sn_vec_store(
        sn_vec_add(corner[0], sn_vec_add(sn_vec_scale(a, at.down), sn_vec_scale(b, at.across))),
        middle);
}

static int64_t triangle_of(const sn_bone_pieces *c, int64_t piece)
{
    int64_t low = 0, high = c->mesh->n_triangles; /* first[low] <= piece < first[high] */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (c->first[middle] <= piece)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void sn_bone_piece_shift(const sn_bone_pieces *c, int64_t piece, const double (*now)[3],
                         double shift[3])
{
    int64_t t = triangle_of(c, piece);
    const int32_t *v = c->mesh->triangle[t];
    place at = place_of(cuts_of(c, t), piece - c->first[t]);
    const double weight[3] = {1 - at.down, at.down - at.across, at.across};
    for (int d = 0; d < 3; d++) {
        shift[d] = 0;
        for (int k = 0; k < 3; k++)
            shift[d] += weight[k] * (now[v[k]][d] - c->mesh->vertex[v[k]][d]);
    }
}
