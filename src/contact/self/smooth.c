#include "contact/self/smooth.h"

#include "base/array.h"
#include "contact/self/lanes.h"

#include <math.h>

typedef sn_lane_reals lanes;
typedef sn_lane_mask whole_lanes;
typedef int16_t short_lanes __attribute__((vector_size(2 * SN_PATCH)));

/* Rounding and the snap move a coordinate by less than this, in sizes of the grid (leaf.h); and
 * rounding one that is seen from a patch's corner by less than this part of the patch. */
static const float hair = 0x1p-23f, rounding = 0x1p-21f;

/* More than rounding takes from sums of squares, and what grains and slimness leave uncertain. */
static const float slack = 1.1f;

/* What has become of a patch, in sizes of the grid for a unit of length. */
typedef struct {
    float map[3][4]; /* F, by columns: of x, y and z; the last row is zero */
    float bend;      /* how far a triangle is from it; infinite: who knows */
    float reach;     /* the same of all in the first ring around */
    float stretch;   /* the least of F */
} change;

SN_INLINE lanes splat(float value)
{
    return value - (lanes){0};
}

/* ---- Where a patch is ---- */

typedef struct {
    lanes at[3];   /* corners, in sizes of the grid; lanes without one have the first */
    lanes seen[3]; /* from the first */
} corners;

SN_INLINE void place_corners(const sn_mesh *shape, const sn_exact_grid *grid,
                             const sn_self_patch *p, corners *c)
{
    double unit = sn_exact_share(grid), first[3];
    const double(*vertex)[3] = (const double(*)[3])shape[p->body].vertex;
    for (int d = 0; d < 3; d++) {
        first[d] = (vertex[p->vertex[0]][d] - grid->origin[d]) * unit;
        c->at[d] = splat((float)first[d]);
        c->seen[d] = splat(0);
    }
    for (int i = 1; i < p->n_vertices; i++)
        for (int d = 0; d < 3; d++) {
            double at = (vertex[p->vertex[i]][d] - grid->origin[d]) * unit;
            c->at[d][i] = (float)at;
            c->seen[d][i] = (float)(at - first[d]);
        }
}

SN_INLINE sn_small_box box_of(const corners *c)
{
    sn_small_box box;
    for (int d = 0; d < 3; d++) {
        box.min[d] = -sn_lanes_most(-c->at[d]) - hair;
        box.max[d] = sn_lanes_most(c->at[d]) + hair;
    }
    return box;
}

/* ---- What has become of it ---- */

SN_INLINE void rest_of(const sn_self_patch *p, lanes rest[3])
{
    for (int d = 0; d < 3; d++) {
        short_lanes grains;
        memcpy(&grains, p->rest[d], sizeof grains);
        rest[d] = __builtin_convertvector(grains, lanes) * p->grain;
    }
}

SN_INLINE float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Along the plane the best fit; the normal goes to the normal, as much longer as lengths along the
 * plane are on average. Columns are in the patch's own directions. */
SN_INLINE void fit(const sn_self_patch *p, const corners *c, const lanes rest[3], float own[3][3],
                   float *stretch)
{
    for (int d = 0; d < 3; d++) {
        float x = sn_lanes_sum(c->seen[d] * rest[0]), y = sn_lanes_sum(c->seen[d] * rest[1]);
        own[0][d] = p->spread[0] * x + p->spread[1] * y;
        own[1][d] = p->spread[1] * x + p->spread[2] * y;
    }
    float normal[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        normal[i] = own[0][j] * own[1][k] - own[0][k] * own[1][j];
    }
    float xx = dot(own[0], own[0]), xy = dot(own[0], own[1]), yy = dot(own[1], own[1]);
    float half = (xx - yy) / 2, mean = (xx + yy) / 2, area = sqrtf(dot(normal, normal));
    float least = mean - sqrtf(half * half + xy * xy);
    for (int d = 0; d < 3; d++)
        own[2][d] = area > 0 ? normal[d] / sqrtf(area) : 0;
    *stretch = least > 0 ? fminf(sqrtf(least), sqrtf(area)) : 0;
}

SN_INLINE lanes picked(lanes from, whole_lanes at)
{
    return __builtin_shuffle(from, at);
}

/* An edge of all triangles from their first corner: at rest, and how far it is from what F says. */
SN_INLINE void edge_of(const corners *c, const lanes rest[3], const float own[3][3],
                       whole_lanes from, whole_lanes to, lanes edge[3], lanes off[3])
{
    for (int d = 0; d < 3; d++)
        edge[d] = picked(rest[d], to) - picked(rest[d], from);
    for (int d = 0; d < 3; d++)
        off[d] = picked(c->seen[d], to) - picked(c->seen[d], from) - own[0][d] * edge[0] -
                 own[1][d] * edge[1] - own[2][d] * edge[2];
}

SN_INLINE lanes product(const lanes a[3], const lanes b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The most that the gradient of a triangle differs from F, squared: for edges e and f and what is
 * off of them, the square of (off)(e f)^-1. Lanes without a triangle have no edges, and differ in
 * nothing. */
SN_INLINE float square_off(const sn_self_patch *p, const corners *c, const lanes rest[3],
                           const float own[3][3])
{
    whole_lanes first = sn_lanes_of_bytes(p->corner[0]);
    lanes e[3], f[3], off_e[3], off_f[3];
    edge_of(c, rest, own, first, sn_lanes_of_bytes(p->corner[1]), e, off_e);
    edge_of(c, rest, own, first, sn_lanes_of_bytes(p->corner[2]), f, off_f);
    lanes ee = product(e, e), ef = product(e, f), ff = product(f, f);
    lanes square =
        product(off_e, off_e) * ff - 2 * ef * product(off_e, off_f) + product(off_f, off_f) * ee;
    lanes spanned = ee * ff - ef * ef;
    whole_lanes is_triangle = spanned > 0;
    lanes quotient = square / (lanes)((is_triangle & (whole_lanes)spanned) |
                                      (~is_triangle & (whole_lanes)splat(1)));
    return sn_lanes_most((lanes)(is_triangle & (whole_lanes)quotient));
}

/* What rounding, grains and the snap move a corner by. */
SN_INLINE float moved_by(const sn_self_patch *p, const corners *c, const float own[3][3])
{
    float size = 0, stretch = 0;
    for (int d = 0; d < 3; d++) {
        size += sn_lanes_most(c->seen[d]) - -sn_lanes_most(-c->seen[d]);
        stretch += sqrtf(dot(own[d], own[d]));
    }
    return 4 * (2 * hair + rounding * size + p->grain * stretch);
}

/* In the directions of all patches. */
SN_INLINE void turn_back(const sn_self_patch *p, const float own[3][3], float map[3][4])
{
    for (int column = 0; column < 3; column++)
        for (int d = 0; d < 3; d++)
            map[column][d] = own[0][d] * p->axis[0][column] + own[1][d] * p->axis[1][column] +
                             own[2][d] * p->axis[2][column];
}

static change change_of(const sn_self_patch *p, const corners *c)
{
    lanes rest[3];
    float own[3][3];
    change now = {.reach = 0};
    rest_of(p, rest);
    fit(p, c, rest, own, &now.stretch);
    now.bend = slack * sqrtf(fmaxf(0, square_off(p, c, rest, (const float(*)[3])own))) +
               p->slimness * moved_by(p, c, (const float(*)[3])own);
    turn_back(p, (const float(*)[3])own, now.map);
    return now;
}

/* ---- Those around it ---- */

SN_INLINE float difference(const change *a, const change *b)
{
    sn_lane_quarter one[3], other[3], square = {0};
    memcpy(one, a->map, sizeof one);
    memcpy(other, b->map, sizeof other);
    for (int column = 0; column < 3; column++)
        square += (one[column] - other[column]) * (one[column] - other[column]);
    return slack * sqrtf((square[0] + square[1]) + square[2]);
}

/* NAN, which is not larger than anything, counts as infinite. */
static float larger(float a, float b)
{
    return b <= a ? a : b > a ? b : INFINITY;
}

/* Notes how far apart the maps of a patch and of each in its ring are. */
static float reach_of(const sn_self_patches *p, const change *all, size_t i, float *apart)
{
    float reach = larger(0, all[i].bend);
    for (uint32_t k = p->first[i]; k < p->first[i + 1]; k++) {
        const change *other = &all[p->ring[k] & SN_PATCH_NUMBER];
        apart[k] = difference(&all[i], other);
        reach = larger(reach, apart[k] + other->bend);
    }
    return reach;
}

static bool is_smooth(const sn_self_patches *p, const change *all, size_t i, const float *apart)
{
    float reach = all[i].reach;
    if (!p->patch[i].in_sheet)
        return false;
    for (uint32_t k = p->first[i]; k < p->first[i + 1]; k++)
        reach = larger(reach, apart[k] + all[p->ring[k] & SN_PATCH_NUMBER].reach);
    return slack * reach * p->patch[i].tilt < all[i].stretch;
}

bool *sn_self_smooth_patches(const sn_self_surface *s, const sn_mesh *shape,
                             const sn_exact_grid *grid, sn_box_tree *boxes)
{
    const sn_self_patches *p = &s->patches;
    bool *smooth = SN_NEW(bool, p->n);
    change *all = SN_NEW(change, p->n);
    float *apart = SN_NEW(float, p->n > 0 ? p->first[p->n] : 0);
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (size_t i = 0; i < p->n; i++) {
            corners c;
            place_corners(shape, grid, &p->patch[i], &c);
            sn_box_tree_set(boxes, i, box_of(&c));
            all[i] = change_of(&p->patch[i], &c);
        }
#pragma omp for schedule(static)
        for (size_t i = 0; i < p->n; i++)
            all[i].reach = reach_of(p, all, i, apart);
#pragma omp for schedule(static)
        for (size_t i = 0; i < p->n; i++)
            smooth[i] = is_smooth(p, all, i, apart);
    }
    sn_free(all);
    sn_free(apart);
    return smooth;
}

/* ---- What follows for two of them ---- */

static bool sheet_holds(const sn_self_patches *p, uint32_t patch, uint32_t other)
{
    if (patch == other)
        return true;
    for (uint32_t i = p->first[patch]; i < p->first[patch + 1]; i++)
        if ((p->ring[i] & SN_PATCH_NUMBER) == other)
            return (p->ring[i] & SN_PATCH_IN_SHEET) != 0;
    return false;
}

bool sn_self_are_smooth(const sn_self_patches *p, const bool *smooth, uint32_t a, uint32_t b)
{
    if (smooth[a] && sheet_holds(p, a, b))
        return true;
    for (uint32_t i = p->first[a]; i < p->first[a + 1]; i++) {
        uint32_t middle = p->ring[i] & SN_PATCH_NUMBER;
        if (smooth[middle] && (p->ring[i] & SN_PATCH_SHEET_OF_OTHER) && sheet_holds(p, middle, b))
            return true;
    }
    return false;
}
