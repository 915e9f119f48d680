/* What sixteen triangles are told apart by before the snap: against exact arithmetic after it. */
#include "contact/self/leaf.h"
#include "helpers/check.h"

#include <stdbool.h>
#include <string.h>

enum { POINTS = 24 };

static unsigned long long seed = 23;

/* Corners of triangles, few enough that many are common ones. */
typedef struct {
    double at[POINTS][3];
    int corner[2][SN_SELF_LEAF][3];
} soup;

static double random_place(int kind)
{
    double one = test_random(&seed);
    if (kind == 0) /* anywhere */
        return one;
    if (kind == 1) /* in special positions: touching, in each other's planes */
        return (double)(int)(one * 4) / 4;
    return 0.5 + 1e-6 * one; /* as small as what cannot be told */
}

static void make_soup(soup *s, int kind)
{
    for (int p = 0; p < POINTS; p++)
        for (int d = 0; d < 3; d++)
            s->at[p][d] = random_place(kind);
    for (int side = 0; side < 2; side++)
        for (int t = 0; t < SN_SELF_LEAF; t++) {
            int *corner = s->corner[side][t];
            corner[0] = (int)(test_random(&seed) * POINTS);
            corner[1] = (corner[0] + 1 + (int)(test_random(&seed) * 2)) % POINTS;
            corner[2] = (corner[0] + 3 + (int)(test_random(&seed) * 4)) % POINTS;
        }
}

static int64_t number_of(int corner)
{
    return (INT64_C(1) << 31) - POINTS / 2 + corner;
}

/* The last lane stays empty. */
static void fill(const soup *s, const sn_exact_grid *grid, int side, sn_self_leaf *leaf)
{
    sn_self_leaf_clear(leaf);
    for (int t = 0; t < SN_SELF_LEAF - 1; t++) {
        const double *at[3];
        int64_t number[3];
        for (int c = 0; c < 3; c++) {
            at[c] = s->at[s->corner[side][t][c]];
            number[c] = number_of(s->corner[side][t][c]);
        }
        sn_self_leaf_set(leaf, t, grid, at, number);
    }
}

static bool has(const int corner[3], int point)
{
    return corner[0] == point || corner[1] == point || corner[2] == point;
}

/* Does an edge of a pass through b, neither of whose ends is b's corner? */
static bool passes(const soup *s, const sn_exact_grid *grid, const int a[3], const int b[3])
{
    sn_exact_point p[3], t[3];
    for (int c = 0; c < 3; c++) {
        p[c] = sn_exact_snap(grid, s->at[a[c]], number_of(a[c]));
        t[c] = sn_exact_snap(grid, s->at[b[c]], number_of(b[c]));
    }
    for (int e = 0; e < 3; e++)
        if (!has(b, a[e]) && !has(b, a[(e + 1) % 3]) && sn_exact_passes(&p[e], &p[(e + 1) % 3], t))
            return true;
    return false;
}

typedef struct {
    int crossing, apart, beside;
} tally;

static void check_soup(const soup *s, const sn_exact_grid *grid, tally *count)
{
    sn_self_leaf leaf[2];
    fill(s, grid, 0, &leaf[0]);
    fill(s, grid, 1, &leaf[1]);
    for (int i = 0; i < SN_SELF_LEAF - 1; i++) {
        sn_small_box box = sn_self_leaf_box(&leaf[0], i);
        unsigned all = (1u << SN_SELF_LEAF) - 1, meeting = sn_self_leaf_meeting(&leaf[1], &box);
        unsigned crossing = sn_self_leaf_crossing(&leaf[0], i, &leaf[1], all);
        CHECK(meeting >> (SN_SELF_LEAF - 1) == 0, "an empty lane meets something");
        CHECK(sn_self_leaf_crossing(&leaf[0], i, &leaf[1], meeting) == (crossing & meeting),
              "more than was asked for");
        for (int j = 0; j < SN_SELF_LEAF - 1; j++) {
            const int *a = s->corner[0][i], *b = s->corner[1][j];
            bool pass = passes(s, grid, a, b) || passes(s, grid, b, a);
            bool told = meeting & crossing & 1u << j;
            CHECK(told || !pass, "triangles %d and %d cross", i, j);
            count->crossing += pass;
            count->apart += !(meeting >> j & 1);
            count->beside += (int)((meeting & ~crossing) >> j & 1);
        }
    }
}

static void run(int argc, char **argv)
{
    int cases = argc > 1 && strcmp(argv[1], "few") == 0 ? 300 : 5000;
    sn_box bounds = {{0, 0, 0}, {1, 1, 1}};
    sn_exact_grid grid = sn_exact_grid_around(&bounds);
    for (int kind = 0; kind < 3; kind++) {
        tally count = {0};
        for (int i = 0; i < cases; i++) {
            soup s;
            make_soup(&s, kind);
            check_soup(&s, &grid, &count);
        }
        int pairs = cases * (SN_SELF_LEAF - 1) * (SN_SELF_LEAF - 1);
        CHECK(count.crossing > pairs / 50, "kind %d: only %d cross", kind, count.crossing);
        CHECK(kind == 2 || (count.apart > pairs / 50 && count.beside > pairs / 50),
              "kind %d: of %d pairs only %d are apart, %d beside", kind, pairs, count.apart,
              count.beside);
    }
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
