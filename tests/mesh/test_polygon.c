/* Triangulated polygons: the edges add up to the polygon's, planar ones keep orientation and
 * area, whatever corner they start at. */
#include "helpers/check.h"

#include "base/array.h"
#include "base/pi.h"
#include "mesh/polygon.h"

#include <math.h>
#include <stdbool.h>

enum { MOST_CORNERS = 40 };

static double twice_area(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Directed edges of the triangles minus those of the polygon: all zero. */
static int edges_left_over(const int32_t *corner, int n, int32_t (*triangle)[3])
{
    int count[MOST_CORNERS][MOST_CORNERS] = {{0}}, wrong = 0;
    for (int i = 0; i < n; i++)
        count[corner[i]][corner[(i + 1) % n]]--;
    for (int t = 0; t < n - 2; t++)
        for (int c = 0; c < 3; c++)
            count[triangle[t][c]][triangle[t][(c + 1) % 3]]++;
    for (int a = 0; a < MOST_CORNERS; a++)
        for (int b = a + 1; b < MOST_CORNERS; b++)
            wrong += count[a][b] != count[b][a];
    return wrong;
}

/* In the plane z = 0, counterclockwise. */
static void check_polygon(const char *name, const double (*vertex)[3], int n, bool is_simple)
{
    double polygon_area = 0;
    for (int i = 1; i + 1 < n; i++)
        polygon_area += twice_area(vertex[0], vertex[i], vertex[i + 1]);
    for (int start = 0; start < n; start++) {
        int32_t corner[MOST_CORNERS], triangle[MOST_CORNERS][3];
        for (int i = 0; i < n; i++)
            corner[i] = (start + i) % n;
        sn_polygon_triangulate(vertex, corner, n, triangle);
        CHECK(edges_left_over(corner, n, triangle) == 0, "%s from %d: edges", name, start);
        double sum = 0, size = 0;
        for (int t = 0; t < n - 2; t++) {
            double area =
                twice_area(vertex[triangle[t][0]], vertex[triangle[t][1]], vertex[triangle[t][2]]);
            sum += area;
            size += fabs(area);
        }
        CHECK(fabs(sum - polygon_area) <= 1e-12 * size, "%s from %d: area", name, start);
        CHECK(!is_simple || size - sum <= 1e-12 * size, "%s from %d: overlap", name, start);
    }
}

static void hand_made_polygons(void)
{
    const double square[][3] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    check_polygon("square", square, 4, true);
    const double dart[][3] = {{0, 0}, {2, -1}, {0.5, 0}, {2, 1}};
    const double arrow[][3] = {{0.5, 0}, {2, 1}, {0, 0}, {2, -1}};
    check_polygon("dart", dart, 4, true);
    check_polygon("arrow", arrow, 4, true);
    const double bow_tie[][3] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
    check_polygon("bow tie", bow_tie, 4, false);
    const double cross[][3] = {{1, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {2, 2},
                               {2, 3}, {1, 3}, {1, 2}, {0, 2}, {0, 1}, {1, 1}};
    check_polygon("cross", cross, 12, true);
    const double straight[][3] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {1, 1}, {0, 1}};
    check_polygon("collinear corners", straight, 6, true);
    const double point[][3] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
    check_polygon("a point", point, 5, true);
    /* A square with a square hole: the bridge's two ends are visited twice. */
    const double ring[][3] = {{0, 0}, {3, 0}, {3, 3}, {0, 3}, {0, 0},
                              {1, 1}, {1, 2}, {2, 2}, {2, 1}, {1, 1}};
    check_polygon("hole", ring, 10, true);
}

/* Star-shaped around the origin, spiky, so mostly far from convex. */
static void random_stars(void)
{
    unsigned long long state = 3;
    for (int round = 0; round < 200; round++) {
        double vertex[MOST_CORNERS][3] = {{0}};
        int n = 5 + (int)(test_random(&state) * (MOST_CORNERS - 5));
        for (int i = 0; i < n; i++) {
            double angle = 2 * SN_PI * (i + 0.8 * test_random(&state)) / n;
            double radius = 0.1 + test_random(&state);
            vertex[i][0] = radius * cos(angle);
            vertex[i][1] = radius * sin(angle);
        }
        check_polygon("star", (const double(*)[3])vertex, n, true);
    }
}

static void a_quad_and_its_copies_share_a_diagonal(void)
{
    const double bent[][3] = {{0, 0, 0}, {1, 0, 0.2}, {1, 1, 0}, {0, 1, 0.2}};
    int32_t corner[4], triangle[2][3];
    for (int start = 0; start < 4; start++)
        for (int direction = 1; direction <= 3; direction += 2) {
            for (int i = 0; i < 4; i++)
                corner[i] = (start + direction * i) % 4;
            sn_polygon_triangulate(bent, corner, 4, triangle);
            CHECK(triangle[0][0] == 0 && triangle[1][0] == 0 && triangle[0][2] == 2, "%d", start);
        }
}

static void a_huge_polygon_takes_no_time(void)
{
    enum { N = 300000 };
    double(*vertex)[3] = SN_NEW(*vertex, N);
    int32_t *corner = SN_NEW(int32_t, N), (*triangle)[3] = SN_NEW(*triangle, N);
    for (int i = 0; i < N; i++) {
        corner[i] = i;
        vertex[i][0] = (i * 79) % 1000, vertex[i][1] = (i * 1047) % 997, vertex[i][2] = 0;
    }
    sn_polygon_triangulate((const double(*)[3])vertex, corner, N, triangle);
    CHECK(triangle[N - 3][2] == N - 1, "a fan");
    sn_free(vertex);
    sn_free(corner);
    sn_free(triangle);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    hand_made_polygons();
    random_stars();
    a_quad_and_its_copies_share_a_diagonal();
    a_huge_polygon_takes_no_time();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
