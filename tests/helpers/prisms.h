/* Closed meshes whose parts are known: prisms over polygons, frames with holes, turned and moved.
 */
#ifndef SN_TESTS_PRISMS_H
#define SN_TESTS_PRISMS_H

#include "base/array.h"
#include "mesh/mesh.h"
#include "mesh/polygon.h"

#include <math.h>
#include <string.h>

enum { MOST_OUTLINE = 512 };

/* `outline` goes around counter-clockwise, seen from above. */
static inline sn_mesh test_prism(int n, const double (*outline)[2], double low, double high)
{
    sn_mesh m = {.n_vertices = 2 * n, .n_triangles = 4 * n - 4};
    m.vertex = SN_NEW(double[3], m.n_vertices);
    m.triangle = SN_NEW(int32_t[3], m.n_triangles);
    m.face = SN_NEW(int32_t, m.n_triangles);
    int32_t top[MOST_OUTLINE], bottom[MOST_OUTLINE];
    for (int i = 0; i < n; i++) {
        for (int side = 0; side < 2; side++)
            memcpy(m.vertex[i + side * n],
                   (double[3]){outline[i][0], outline[i][1], side ? high : low},
                   sizeof m.vertex[0]);
        top[i] = i + n;
        bottom[n - 1 - i] = i;
    }
    sn_polygon_triangulate((const double(*)[3])m.vertex, bottom, n, m.triangle);
    sn_polygon_triangulate((const double(*)[3])m.vertex, top, n, m.triangle + n - 2);
    for (int i = 0; i < n; i++) {
        int next = (i + 1) % n;
        int32_t(*t)[3] = m.triangle + 2 * (n - 2 + i);
        memcpy(t[0], (int32_t[3]){i, next, next + n}, sizeof t[0]);
        memcpy(t[1], (int32_t[3]){i, next + n, i + n}, sizeof t[1]);
    }
    for (int64_t t = 0; t < m.n_triangles; t++)
        m.face[t] = (int32_t)t + 1;
    return m;
}

static inline sn_mesh test_turned_inside_out(sn_mesh m)
{
    for (int64_t t = 0; t < m.n_triangles; t++) {
        int32_t swap = m.triangle[t][0];
        m.triangle[t][0] = m.triangle[t][1];
        m.triangle[t][1] = swap;
    }
    return m;
}

/* Turns about the three axes, in radians, about a point, then moves. */
static inline void test_move(sn_mesh *m, const double angle[3], const double about[3],
                             const double by[3])
{
    for (int64_t v = 0; v < m->n_vertices; v++) {
        double *p = m->vertex[v];
        for (int d = 0; d < 3; d++)
            p[d] -= about[d];
        for (int d = 0; d < 3; d++) {
            double c = cos(angle[d]), s = sin(angle[d]), *a = &p[(d + 1) % 3], *b = &p[(d + 2) % 3];
            double turned = c * *a - s * *b;
            *b = s * *a + c * *b;
            *a = turned;
        }
        for (int d = 0; d < 3; d++)
            p[d] += about[d] + by[d];
    }
}

/* A square frame: a box with a square hole through it, from bottom to top. */
static inline sn_mesh test_frame(double low, double high, double hole_low, double hole_high,
                                 double bottom, double top)
{
    sn_mesh m = {.n_vertices = 16, .n_triangles = 32};
    m.vertex = SN_NEW(double[3], m.n_vertices);
    m.triangle = SN_NEW(int32_t[3], m.n_triangles);
    m.face = SN_NEW(int32_t, m.n_triangles);
    for (int i = 0; i < 16; i++) {
        int corner = i % 4, inner = i / 4 % 2;
        double a = inner ? hole_low : low, b = inner ? hole_high : high;
        memcpy(m.vertex[i],
               (double[3]){corner == 1 || corner == 2 ? b : a, corner >= 2 ? b : a,
                           i < 8 ? bottom : top},
               sizeof m.vertex[i]);
    }
    int n = 0;
    for (int i = 0; i < 4; i++) {
        int j = (i + 1) % 4;
        int32_t quad[4][4] = {{i, i + 4, j + 4, j},           /* bottom */
                              {i + 8, j + 8, j + 12, i + 12}, /* top */
                              {i, j, j + 8, i + 8},           /* outside */
                              {i + 4, i + 12, j + 12, j + 4}};
        for (int q = 0; q < 4; q++) {
            memcpy(m.triangle[n++], (int32_t[3]){quad[q][0], quad[q][1], quad[q][2]}, 12);
            memcpy(m.triangle[n++], (int32_t[3]){quad[q][0], quad[q][2], quad[q][3]}, 12);
        }
    }
    for (int t = 0; t < n; t++)
        m.face[t] = t + 1;
    return m;
}

/* A comb: teeth along x that stand on a beam, all from y = 0 to y = depth. */
static inline sn_mesh test_comb(int teeth, double tooth, double gap, double beam, double height,
                                double depth)
{
    double outline[MOST_OUTLINE][2];
    int n = 0;
    outline[n][0] = teeth * tooth + (teeth - 1) * gap, outline[n++][1] = 0;
    for (int i = teeth - 1; i >= 0; i--) {
        double x = i * (tooth + gap);
        outline[n][0] = x + tooth, outline[n][1] = beam + height, n++;
        outline[n][0] = x, outline[n][1] = beam + height, n++;
        if (i > 0) {
            outline[n][0] = x, outline[n][1] = beam, n++;
            outline[n][0] = x - gap, outline[n][1] = beam, n++;
        }
    }
    outline[n][0] = 0, outline[n++][1] = 0;
    return test_prism(n, (const double(*)[2])outline, 0, depth);
}

#endif
