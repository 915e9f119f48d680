/* Edges through triangles: against rational arithmetic in general positions, and in special ones by
 * what must add up: how often an edge passes into a closed surface and out of it. */
#include "contact/self/exact.h"
#include "helpers/check.h"

#include <math.h>
#include <string.h>

__extension__ typedef __int128 wide;

static unsigned long long seed = 11;

static int64_t random_integer(int64_t below)
{
    return (int64_t)(test_random(&seed) * (double)below);
}

static sn_exact_point random_point(int64_t number, int64_t below)
{
    sn_exact_point p = {.number = number};
    for (int d = 0; d < 3; d++)
        p.at[d] = random_integer(below);
    return p;
}

static void cross(const wide a[3], const wide b[3], wide c[3])
{
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static wide dot(const wide a[3], const wide b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void between(const int64_t from[3], const int64_t to[3], wide way[3])
{
    for (int d = 0; d < 3; d++)
        way[d] = to[d] - from[d];
}

enum { TOUCHES = 2 };

/* The point where the edge's line meets the plane, as a fraction, and on which sides of the
 * triangle's edges it is there. */
static int oracle(const sn_exact_point *from, const sn_exact_point *to, const sn_exact_point t[3])
{
    wide e1[3], e2[3], n[3], way[3], to_plane[3];
    between(t[0].at, t[1].at, e1);
    between(t[0].at, t[2].at, e2);
    cross(e1, e2, n);
    between(from->at, to->at, way);
    between(from->at, t[0].at, to_plane);
    wide whole = dot(way, n), part = dot(to_plane, n); /* the edge meets it at part / whole */
    if (whole == 0)
        return part == 0 ? TOUCHES : 0;
    int along = whole > 0 ? 1 : -1;
    part *= along;
    whole *= along;
    if (part < 0 || part > whole)
        return 0;
    bool touches = part == 0 || part == whole;
    for (int c = 0; c < 3; c++) {
        wide edge[3], beside[3], turn[3];
        between(t[c].at, t[(c + 1) % 3].at, edge);
        for (int d = 0; d < 3; d++) /* whole times the way from corner c to the meeting point */
            beside[d] = (wide)(from->at[d] - t[c].at[d]) * whole + way[d] * part;
        cross(edge, beside, turn);
        wide side = dot(turn, n);
        if (side < 0)
            return 0;
        touches |= side == 0;
    }
    return touches ? TOUCHES : along;
}

static void against_rationals(int cases)
{
    int met = 0, touching = 0;
    for (int i = 0; i < cases; i++) {
        int64_t below = i % 3 == 0 ? 4 : i % 3 == 1 ? 1000 : 30;
        sn_exact_point p[5];
        for (int k = 0; k < 5; k++)
            p[k] = random_point(k, below);
        int expected = oracle(&p[0], &p[1], p + 2);
        int found = sn_exact_passes(&p[0], &p[1], p + 2);
        if (expected == TOUCHES) {
            touching++;
            continue;
        }
        met += expected != 0;
        CHECK(found == expected, "case %d: %d, not %d", i, found, expected);
        CHECK(sn_exact_passes(&p[1], &p[0], p + 2) == -expected, "case %d, backwards", i);
    }
    CHECK(met > cases / 50 && touching > cases / 50, "%d met, %d touching", met, touching);
}

static const int FACE[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

static bool is_inside(const sn_exact_point corner[4], const sn_exact_point *p)
{
    for (int f = 0; f < 4; f++)
        if (sn_exact_side(corner[FACE[f][0]].at, corner[FACE[f][1]].at, corner[FACE[f][2]].at,
                          p->at) >= 0)
            return false;
    return true;
}

/* Corners and ends on a coarse lattice: edges meet edges and corners, and lie in planes. The snap
 * makes that general. */
static void closed_surfaces(int cases)
{
    sn_box bounds = {{0, 0, 0}, {3, 3, 3}};
    sn_exact_grid grid = sn_exact_grid_around(&bounds);
    int through = 0;
    for (int i = 0; i < cases; i++) {
        sn_exact_point p[6];
        for (int k = 0; k < 6; k++) {
            double at[3];
            for (int d = 0; d < 3; d++)
                at[d] = (double)random_integer(4);
            p[k] = sn_exact_snap(&grid, at, random_integer(1 << 30));
        }
        int facing = sn_exact_side(p[1].at, p[2].at, p[3].at, p[0].at);
        if (facing > 0) { /* faces turn outward if corner 0 is behind the first */
            sn_exact_point swap = p[1];
            p[1] = p[2];
            p[2] = swap;
        }
        int out = 0;
        for (int f = 0; f < 4; f++) {
            sn_exact_point t[3] = {p[FACE[f][0]], p[FACE[f][1]], p[FACE[f][2]]};
            int passes = sn_exact_passes(&p[4], &p[5], t);
            out += passes;
            through += passes != 0;
        }
        int expected = is_inside(p, &p[4]) - is_inside(p, &p[5]);
        CHECK(out == expected, "case %d: out %d times, not %d", i, out, expected);
    }
    CHECK(through > cases / 20, "only %d pass", through);
}

/* Far beyond what doubles can tell. */
static void last_bits(void)
{
    int64_t far = INT64_C(1) << SN_EXACT_BITS;
    /* The plane passes between two neighbours on the grid. */
    int64_t a[3] = {0, 0, 0}, b[3] = {far, far - 1, 1}, c[3] = {far - 1, far, 2};
    int64_t d[3] = {far - 1, far - 1, 1};
    int before = sn_exact_side(a, b, c, d);
    d[2] = 2;
    int after = sn_exact_side(a, b, c, d);
    CHECK(before == -1 && after == 1, "%d and %d", before, after);
    int64_t e[3] = {2 * 3, 2 * 5, 2 * 7}, f[3] = {3, 5, 7}, g[3] = {far, 1, far - 5};
    CHECK(sn_exact_side(a, e, g, f) == 0, "a point of the plane");
}

static void run(int argc, char **argv)
{
    int cases = argc > 1 && strcmp(argv[1], "few") == 0 ? 20000 : 300000;
    against_rationals(cases);
    closed_surfaces(cases);
    last_bits();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
