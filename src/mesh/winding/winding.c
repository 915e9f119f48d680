#include "mesh/winding/tree.h"

#include "base/pi.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

/* Vectors are passed between inlined functions only. */
#pragma GCC diagnostic ignored "-Wpsabi"
#define INLINE static inline __attribute__((always_inline))

enum { LANES = SN_WINDING_LANES };

typedef float float8 __attribute__((vector_size(32)));
typedef int32_t mask8 __attribute__((vector_size(32))); /* all ones or all zeros in a lane */

/* Further away than so many extents of the mesh its winding number is less than any rounding. */
static const double NOWHERE = 1e9;

/* ---- eight lanes ---- */

INLINE float8 load(const float *x)
{
    float8 v;
    memcpy(&v, x, sizeof v);
    return v;
}

INLINE float8 all(float x)
{
    return (float8){x, x, x, x, x, x, x, x};
}

INLINE float8 where(mask8 mask, float8 yes, float8 no)
{
    return (float8)(((mask8)yes & mask) | ((mask8)no & ~mask));
}

INLINE float8 magnitude(float8 x)
{
    return (float8)((mask8)x & INT32_MAX);
}

INLINE float8 square_root(float8 x)
{
#ifdef __AVX__
    return _mm256_sqrt_ps(x);
#else
    for (int lane = 0; lane < LANES; lane++)
        x[lane] = sqrtf(x[lane]);
    return x;
#endif
}

/* One bit a lane. */
INLINE unsigned bits_of(mask8 mask)
{
#ifdef __AVX__
    return (unsigned)_mm256_movemask_ps((float8)mask);
#else
    unsigned bits = 0;
    for (int lane = 0; lane < LANES; lane++)
        bits |= (unsigned)(mask[lane] & 1) << lane;
    return bits;
#endif
}

/* atan2, but 0 where y is 0. A polynomial through the Chebyshev nodes of [0, 1]; its error is
 * 4e-7. No library call: those need not give the same bits on two machines. */
INLINE float8 angle_of(float8 y, float8 x)
{
    static const float term[] = {1,
                                 -0.333332673f,
                                 0.199934679f,
                                 -0.141764298f,
                                 0.103942618f,
                                 -0.0668908063f,
                                 0.0298522633f,
                                 -0.00634397411f};
    float8 ax = magnitude(x), ay = magnitude(y);
    mask8 steep = ay > ax;
    float8 large = where(steep, ay, ax), small = where(steep, ax, ay);
    float8 t = small / where(large > 0, large, all(1)), t2 = t * t;
    float8 sum = all(term[7]);
    for (int i = 6; i >= 0; i--)
        sum = sum * t2 + term[i];
    float8 angle = sum * t;
    angle = where(steep, (float)(SN_PI / 2) - angle, angle);
    angle = where(x < 0, (float)SN_PI - angle, angle);
    angle = (float8)((mask8)angle | ((mask8)y & INT32_MIN));
    return (float8)((mask8)angle & (y != 0));
}

INLINE float8 dot(const float8 a[3], const float8 b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* From each lane's position to the point `p`, which is rounded only after the difference to the
 * local origin is taken. */
INLINE void from_point(const double p[3], const double origin[3], float8 local[3])
{
    for (int d = 0; d < 3; d++)
        local[d] = all((float)(p[d] - origin[d]));
}

/* Half the solid angles of a leaf's eight triangles. */
INLINE float8 leaf_angles(const sn_winding_leaf *leaf, const double p[3])
{
    float8 q[3], a[3], b[3], c[3], ab[3], ac[3], normal[3];
    from_point(p, leaf->origin, q);
    for (int d = 0; d < 3; d++) {
        float8 v0 = load(leaf->corner[0][d]), v1 = load(leaf->corner[1][d]),
               v2 = load(leaf->corner[2][d]);
        a[d] = v0 - q[d];
        b[d] = v1 - q[d];
        c[d] = v2 - q[d];
        ab[d] = v1 - v0;
        ac[d] = v2 - v0;
    }
    for (int d = 0; d < 3; d++) {
        int u = (d + 1) % 3, v = (d + 2) % 3;
        normal[d] = ab[u] * ac[v] - ab[v] * ac[u];
    }
    float8 la = square_root(dot(a, a)), lb = square_root(dot(b, b)), lc = square_root(dot(c, c));
    float8 lower = (la * lb + dot(a, b)) * lc + dot(b, c) * la + dot(c, a) * lb;
    return angle_of(dot(a, normal), lower);
}

/* A polynomial of a group at r. */
#define TERM(m) load(coefficient[m])
INLINE float8 quadratic(const float coefficient[SN_QUADRATIC][LANES], const float8 r[3])
{
    float8 x = r[0], y = r[1], z = r[2];
    return x * (TERM(SN_XX) * x + TERM(SN_XY) * y + TERM(SN_XZ) * z) +
           y * (TERM(SN_YY) * y + TERM(SN_YZ) * z) + TERM(SN_ZZ) * (z * z);
}

INLINE float8 cubic(const float coefficient[SN_CUBIC][LANES], const float8 r[3])
{
    float8 x = r[0], y = r[1], z = r[2], yy = y * y, yz = y * z, zz = z * z;
    float8 by_x = x * (TERM(SN_XXX) * x + TERM(SN_XXY) * y + TERM(SN_XXZ) * z) +
                  (TERM(SN_XYY) * yy + TERM(SN_XYZ) * yz + TERM(SN_XZZ) * zz);
    float8 by_y = TERM(SN_YYY) * yy + TERM(SN_YYZ) * yz + TERM(SN_YZZ) * zz;
    return x * by_x + y * by_y + TERM(SN_ZZZ) * (zz * z);
}
#undef TERM

/* The solid angles of the nodes of a group that may be used from p; `open` has the others. */
INLINE float8 group_angles(const sn_winding_group *group, const double p[3], unsigned *open)
{
    float8 q[3], r[3], dipole[3];
    from_point(p, group->origin, q);
    for (int d = 0; d < 3; d++) {
        r[d] = load(group->centre[d]) - q[d];
        dipole[d] = load(group->dipole[d]);
    }
    float8 r2 = dot(r, r), inverse2 = 1 / r2;
    mask8 far = r2 > load(group->opening2);
    *open = bits_of(~far);
    float8 second = quadratic(group->quadrupole, r), third = cubic(group->octupole, r);
    float8 sum = dot(dipole, r) + (second + third * inverse2) * inverse2;
    return (float8)((mask8)(sum * (inverse2 * square_root(inverse2))) & far);
}

/* ---- the walk ---- */

/* Up to 64 points go through the tree together, so that their arithmetic overlaps and the tree
 * is read once. Each takes a node or opens it by its own distance alone, and meets groups and
 * leaves in the order in which it would meet them by itself: company never changes an answer. */
enum { CROWD = 64 };

typedef struct {
    double p[CROWD][3];
    float8 whole[CROWD]; /* solid angles of nodes, so far */
    float8 half[CROWD];  /* half the solid angles of triangles */
} crowd;

/* A group to be visited, and the points, one bit each, that opened the node above it. */
typedef struct {
    int64_t level, index;
    uint64_t points;
} place;

#define EACH_BIT(i, set)                                                                           \
    for (uint64_t left_##i = (set); left_##i; left_##i &= left_##i - 1)                            \
        for (int i = __builtin_ctzll(left_##i), once_##i = 1; once_##i; once_##i = 0)

/* Which of the points open each node of a group. */
static void visit_group(const sn_winding_group *group, crowd *c, uint64_t points,
                        uint64_t opened_by[LANES])
{
    memset(opened_by, 0, LANES * sizeof *opened_by);
    EACH_BIT(i, points)
    {
        unsigned open;
        c->whole[i] += group_angles(group, c->p[i], &open);
        EACH_BIT(lane, open) opened_by[lane] |= UINT64_C(1) << i;
    }
}

static void visit_leaf(const sn_winding_leaf *leaf, crowd *c, uint64_t points)
{
    EACH_BIT(i, points) c->half[i] += leaf_angles(leaf, c->p[i]);
}

static void walk(const sn_winding_tree *tree, crowd *c, uint64_t points)
{
    const sn_winding_leaf *leaves = sn_winding_leaves(tree);
    const sn_winding_group *groups = sn_winding_groups(tree);
    place stack[SN_WINDING_MAX_LEVELS * LANES];
    int depth = 0;
    stack[depth++] = (place){tree->n_levels - 1, 0, points};
    while (depth > 0) {
        place at = stack[--depth];
        uint64_t opened_by[LANES];
        visit_group(&groups[tree->first_group[at.level] + at.index], c, at.points, opened_by);
        int64_t first = at.index * LANES, n_nodes = tree->n_nodes[at.level];
        for (int64_t node = first; node < first + LANES && node < n_nodes; node++) {
            uint64_t by = opened_by[node - first];
            if (by && at.level > 0)
                stack[depth++] = (place){at.level - 1, node, by};
            else if (by)
                visit_leaf(&leaves[node], c, by);
        }
    }
}

/* Scales a point; false where the answer is 0 without a walk. */
static bool place_point(const sn_winding_tree *tree, const double q[3], double p[3])
{
    bool near = tree->n_triangles > 0;
    for (int d = 0; d < 3; d++) {
        p[d] = (q[d] - tree->centre[d]) * tree->scale;
        near = near && fabs(p[d]) < NOWHERE;
    }
    return near;
}

/* The lanes are added in a fixed order. */
static double answer(const crowd *c, int i)
{
    float8 angles = c->whole[i] + 2 * c->half[i];
    double sum = 0;
    for (int lane = 0; lane < LANES; lane++)
        sum += (double)angles[lane];
    return sum / (4 * SN_PI);
}

static void wind_crowd(const sn_winding_tree *tree, const double (*q)[3], int n, double *w)
{
    crowd c;
    uint64_t points = 0;
    for (int i = 0; i < n; i++) {
        points |= (uint64_t)place_point(tree, q[i], c.p[i]) << i;
        c.whole[i] = c.half[i] = all(0);
    }
    if (points)
        walk(tree, &c, points);
    for (int i = 0; i < n; i++)
        w[i] = answer(&c, i);
}

void sn_winding_batch(const sn_winding_tree *tree, const double (*q)[3], size_t n, double *w)
{
    for (size_t first = 0; first < n; first += CROWD)
        wind_crowd(tree, q + first, (int)(n - first < CROWD ? n - first : CROWD), w + first);
}

double sn_winding(const sn_winding_tree *tree, const double q[3])
{
    double w;
    wind_crowd(tree, (const double(*)[3])q, 1, &w);
    return w;
}
