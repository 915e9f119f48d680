/* Small meshes made in a test: spheres, holes, random triangles. */
#ifndef SN_TESTS_SOUP_H
#define SN_TESTS_SOUP_H

#include "helpers/check.h"
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

static unsigned long long seed = 7;

static inline double uniform(double low, double high)
{
    return low + (high - low) * test_random(&seed);
}

typedef double position[3];
typedef int32_t corners[3];

typedef struct {
    SN_VECTOR(position) vertex;
    SN_VECTOR(corners) triangle;
} soup;

static inline void add_triangle(soup *s, double p[3][3])
{
    sn_reserve(&s->vertex, s->vertex.count + 3);
    sn_reserve(&s->triangle, s->triangle.count + 1);
    for (int c = 0; c < 3; c++) {
        s->triangle.data[s->triangle.count][c] = (int32_t)s->vertex.count;
        memcpy(s->vertex.data[s->vertex.count++], p[c], sizeof p[c]);
    }
    s->triangle.count++;
}

/* Part of an octant of the unit sphere, split until `depth` is 0, then placed. */
static inline void add_sphere_part(soup *s, double p[3][3], int depth, const double centre[3],
                                   double radius)
{
    if (depth == 0) {
        double placed[3][3];
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 3; d++)
                placed[c][d] = centre[d] + radius * p[c][d];
        add_triangle(s, placed);
        return;
    }
    double m[3][3];
    for (int c = 0; c < 3; c++) {
        double length2 = 0;
        for (int d = 0; d < 3; d++) {
            m[c][d] = p[c][d] + p[(c + 1) % 3][d];
            length2 += m[c][d] * m[c][d];
        }
        for (int d = 0; d < 3; d++)
            m[c][d] /= sqrt(length2);
    }
    for (int c = 0; c < 3; c++) {
        double corner[3][3];
        memcpy(corner[0], p[c], sizeof p[c]);
        memcpy(corner[1], m[c], sizeof m[c]);
        memcpy(corner[2], m[(c + 2) % 3], sizeof m[c]);
        add_sphere_part(s, corner, depth - 1, centre, radius);
    }
    add_sphere_part(s, m, depth - 1, centre, radius);
}

/* 8 * 4^depth triangles with their normals out; a negative radius turns them in. */
static inline void add_sphere(soup *s, double x, double y, double z, double radius, int depth)
{
    double centre[3] = {x, y, z};
    for (int o = 0; o < 8; o++) {
        double p[3][3] = {{0}};
        int flipped = (o & 1) ^ (o >> 1 & 1) ^ (o >> 2 & 1);
        for (int c = 0; c < 3; c++)
            p[flipped ? 2 - c : c][c] = o >> c & 1 ? -1 : 1;
        add_sphere_part(s, p, depth, centre, radius);
    }
}

static inline void remove_above(soup *s, double z)
{
    size_t kept = 0;
    for (size_t t = 0; t < s->triangle.count; t++)
        if (s->vertex.data[s->triangle.data[t][0]][2] <= z)
            memmove(s->triangle.data[kept++], s->triangle.data[t], sizeof s->triangle.data[t]);
    s->triangle.count = kept;
}

static inline void add_random(soup *s, int n, double size)
{
    for (int i = 0; i < n; i++) {
        double p[3][3], centre[3];
        for (int d = 0; d < 3; d++)
            centre[d] = uniform(-1, 1);
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 3; d++)
                p[c][d] = centre[d] + uniform(-size, size);
        add_triangle(s, p);
    }
}

static inline void transform(soup *s, double scale, double shift)
{
    for (size_t v = 0; v < s->vertex.count; v++)
        for (int d = 0; d < 3; d++)
            s->vertex.data[v][d] = scale * s->vertex.data[v][d] + shift;
}

static inline sn_mesh mesh_of(const soup *s)
{
    return (sn_mesh){.n_vertices = (int64_t)s->vertex.count,
                     .n_triangles = (int64_t)s->triangle.count,
                     .vertex = s->vertex.data,
                     .triangle = s->triangle.data};
}

static inline void free_soup(soup *s)
{
    sn_vector_free(&s->vertex);
    sn_vector_free(&s->triangle);
}

#endif
