#include "contact/self/leaf.h"

#include <math.h>

typedef sn_lane_reals reals;
typedef sn_lane_mask mask;

/* Rounding and the snap move a coordinate by less than the first of these, and a difference of two
 * by less than the second. */
static const float hair = 0x1p-23f, moved = 0x1p-22f;

SN_INLINE reals splat(float value)
{
    return value - (reals){0};
}

SN_INLINE reals chosen(mask which, reals a, reals b)
{
    return (reals)((which & (mask)a) | (~which & (mask)b));
}

SN_INLINE reals magnitude(reals a)
{
    return (reals)((mask)a & INT32_MAX);
}

SN_INLINE reals larger(reals a, reals b)
{
    return chosen(a > b, a, b);
}

SN_INLINE reals largest(const reals a[3])
{
    return larger(larger(magnitude(a[0]), magnitude(a[1])), magnitude(a[2]));
}

void sn_self_leaf_clear(sn_self_leaf *leaf)
{
    *leaf = (sn_self_leaf){0};
    for (int d = 0; d < 3; d++) {
        leaf->min[d] = splat(INFINITY);
        leaf->max[d] = splat(-INFINITY);
    }
}

void sn_self_leaf_set(sn_self_leaf *leaf, int lane, const sn_exact_grid *grid,
                      const double *const at[3], const int64_t number[3])
{
    double unit = sn_exact_share(grid);
    for (int c = 0; c < 3; c++) {
        leaf->number[c][lane] = (int32_t)(uint32_t)number[c];
        for (int d = 0; d < 3; d++) {
            float place = (float)((at[c][d] - grid->origin[d]) * unit);
            leaf->at[c][d][lane] = place;
            leaf->min[d][lane] = fminf(leaf->min[d][lane], place - hair);
            leaf->max[d][lane] = fmaxf(leaf->max[d][lane], place + hair);
        }
    }
}

void sn_self_leaf_of_patch(sn_self_leaf *leaf, const sn_self_patch *patch, const reals place[3],
                           mask number)
{
    mask lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    mask filled = lane < patch->n_triangles;
    for (int d = 0; d < 3; d++) {
        leaf->min[d] = splat(INFINITY);
        leaf->max[d] = splat(-INFINITY);
    }
    for (int c = 0; c < 3; c++) {
        mask corner = sn_lanes_of_bytes(patch->corner[c]);
        leaf->number[c] = __builtin_shuffle(number, corner);
        for (int d = 0; d < 3; d++) {
            reals at = __builtin_shuffle(place[d], corner);
            leaf->at[c][d] = at;
            leaf->min[d] = chosen(filled, -larger(-leaf->min[d], hair - at), leaf->min[d]);
            leaf->max[d] = chosen(filled, larger(leaf->max[d], at + hair), leaf->max[d]);
        }
    }
}

sn_small_box sn_self_leaf_box(const sn_self_leaf *leaf, int lane)
{
    return (sn_small_box){{leaf->min[0][lane], leaf->min[1][lane], leaf->min[2][lane]},
                          {leaf->max[0][lane], leaf->max[1][lane], leaf->max[2][lane]}};
}

sn_small_box sn_self_leaf_whole(const sn_self_leaf *leaf)
{
    sn_small_box whole = sn_no_box;
    for (int lane = 0; lane < SN_SELF_LEAF; lane++) {
        sn_small_box box = sn_self_leaf_box(leaf, lane);
        sn_small_box_include(&whole, &box);
    }
    return whole;
}

unsigned sn_self_leaf_meeting(const sn_self_leaf *leaf, const sn_small_box *box)
{
    mask meets = leaf->min[0] <= leaf->max[0];
    for (int d = 0; d < 3; d++)
        meets &= (leaf->min[d] <= box->max[d]) & (leaf->max[d] >= box->min[d]);
    return sn_lanes_bits(meets);
}

/* Where a triangle's corners are. */
typedef const reals (*corners)[3];

/* ---- Along a line ---- */

/* The lowest and highest corner along a direction: of all, and of those that are no common ones. */
typedef struct {
    reals low, high, own_low, own_high;
} extent;

SN_INLINE extent extent_of(corners t, const mask shared[3], const reals direction[3])
{
    reals far = splat(INFINITY);
    extent e = {far, -far, far, -far};
    for (int c = 0; c < 3; c++) {
        reals at = direction[0] * t[c][0] + direction[1] * t[c][1] + direction[2] * t[c][2];
        e.low = -larger(-e.low, -at);
        e.high = larger(e.high, at);
        e.own_low = chosen(shared[c], e.own_low, -larger(-e.own_low, -at));
        e.own_high = chosen(shared[c], e.own_high, larger(e.own_high, at));
    }
    return e;
}

/* Where a plane across the way from one middle to the other surely has the triangles on its two
 * sides, but for a common corner. */
SN_INLINE mask are_apart(corners a, corners b, const mask of_a[3], const mask of_b[3])
{
    reals way[3], size = {0};
    for (int d = 0; d < 3; d++) {
        way[d] = (b[0][d] + b[1][d] + b[2][d]) - (a[0][d] + a[1][d] + a[2][d]);
        size += magnitude(way[d]);
    }
    reals gap = size * 8 * hair; /* twice what rounding and the snap move, and rounding here */
    extent first = extent_of(a, of_a, way), second = extent_of(b, of_b, way);
    return (second.low - first.own_high > gap) & (second.own_low - first.high > gap);
}

/* ---- Sure signs ---- */

/* Volumes of two edges and ways, (e x f).way. The snap changes them by less than `once`, and `each`
 * times the way's largest coordinate: in six products of three differences, and in rounding. */
typedef struct {
    reals normal[3], once, each;
} volumes;

/* Where a volume is surely positive, and surely negative. */
typedef struct {
    mask plus, minus;
} signs;

SN_INLINE void between(const reals from[3], const reals to[3], reals way[3])
{
    for (int d = 0; d < 3; d++)
        way[d] = to[d] - from[d];
}

SN_INLINE volumes volumes_of(const reals e[3], const reals f[3])
{
    volumes v;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        v.normal[i] = e[j] * f[k] - e[k] * f[j];
    }
    reals a = largest(e) + moved, b = largest(f) + moved;
    v.once = 7 * moved * a * b;
    v.each = 7 * moved * (a + b) + 40 * 0x1p-23f * a * b;
    return v;
}

SN_INLINE signs signs_of(const volumes *v, const reals way[3])
{
    reals volume = v->normal[0] * way[0] + v->normal[1] * way[1] + v->normal[2] * way[2];
    reals error = v->once + v->each * largest(way);
    return (signs){volume > error, volume < -error};
}

/* Where some of the corners may be in front of a triangle's plane, and some behind. Where two
 * triangles share a corner, it lies on no side. */
SN_INLINE mask on_both_sides(corners plane, corners t, const mask shared[3])
{
    reals e[2][3], way[3];
    mask front = {0}, back = {0};
    between(plane[0], plane[1], e[0]);
    between(plane[0], plane[2], e[1]);
    volumes v = volumes_of(e[0], e[1]);
    for (int c = 0; c < 3; c++) {
        between(plane[0], t[c], way);
        signs side = signs_of(&v, way);
        front |= ~shared[c] & ~side.minus;
        back |= ~shared[c] & ~side.plus;
    }
    return front & back;
}

/* Where some edge of one may pass all edges of the other on the same side, as one that passes
 * through does. Those that end at a common corner do not count. */
SN_INLINE mask edges_may_pass(corners a, corners b, const mask of_a[3], const mask of_b[3])
{
    reals of_first[3][3], of_second[3][3], way[3];
    signs past_b[3] = {{{0}, {0}}}, past_a[3] = {{{0}, {0}}}; /* each edge has passed some so */
    for (int c = 0; c < 3; c++) {
        between(a[c], a[(c + 1) % 3], of_first[c]);
        between(b[c], b[(c + 1) % 3], of_second[c]);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            volumes v = volumes_of(of_first[i], of_second[j]);
            between(a[i], b[j], way);
            signs s = signs_of(&v, way);
            past_b[i].plus |= s.plus, past_b[i].minus |= s.minus;
            past_a[j].plus |= s.plus, past_a[j].minus |= s.minus;
        }
    mask may = {0};
    for (int c = 0; c < 3; c++) {
        may |= ~(past_b[c].plus & past_b[c].minus) & ~(of_a[c] | of_a[(c + 1) % 3]);
        may |= ~(past_a[c].plus & past_a[c].minus) & ~(of_b[c] | of_b[(c + 1) % 3]);
    }
    return may;
}

/* One triangle, in all lanes. */
typedef struct {
    reals at[3][3];
    mask number[3];
} everywhere;

SN_INLINE everywhere spread(const sn_self_leaf *leaf, int lane)
{
    everywhere e;
    for (int c = 0; c < 3; c++) {
        e.number[c] = leaf->number[c][lane] - (mask){0};
        for (int d = 0; d < 3; d++)
            e.at[c][d] = splat(leaf->at[c][d][lane]);
    }
    return e;
}

/* Which corners are common ones; and in which lanes there are less than two: otherwise every edge
 * of one ends at a corner of the other. */
SN_INLINE mask common_corners(const mask a[3], const mask b[3], mask of_a[3], mask of_b[3])
{
    mask count = {0};
    for (int c = 0; c < 3; c++) {
        of_a[c] = (a[c] == b[0]) | (a[c] == b[1]) | (a[c] == b[2]);
        of_b[c] = (b[c] == a[0]) | (b[c] == a[1]) | (b[c] == a[2]);
        count -= of_a[c];
    }
    return count < 2;
}

unsigned sn_self_leaf_crossing(const sn_self_leaf *a, int lane, const sn_self_leaf *b,
                               unsigned asked)
{
    everywhere one = spread(a, lane);
    mask of_one[3], of_b[3];
    mask may = common_corners(one.number, b->number, of_one, of_b);
    may &= ~are_apart((corners)one.at, b->at, of_one, of_b);
    if ((sn_lanes_bits(may) & asked) == 0)
        return 0;
    /* Where an edge of one passes through the other they are in each other's planes. */
    may &= on_both_sides((corners)one.at, b->at, of_b);
    if ((sn_lanes_bits(may) & asked) == 0)
        return 0;
    may &= on_both_sides(b->at, (corners)one.at, of_one);
    if ((sn_lanes_bits(may) & asked) == 0)
        return 0;
    may &= edges_may_pass((corners)one.at, b->at, of_one, of_b);
    return sn_lanes_bits(may) & asked;
}
