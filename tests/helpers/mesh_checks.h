/* What a test may ask of a triangle mesh, the slow and obvious way. */
#ifndef SN_TESTS_MESH_CHECKS_H
#define SN_TESTS_MESH_CHECKS_H

#include "mesh/mesh.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    int32_t low, high;
    int direction; /* 1 from low to high, -1 back */
} directed_edge;

static inline int compare_edges(const void *a, const void *b)
{
    const directed_edge *e = a, *f = b;
    if (e->low != f->low)
        return e->low < f->low ? -1 : 1;
    return (e->high > f->high) - (e->high < f->high);
}

/* All edges of all triangles, sorted; three a triangle. */
static inline directed_edge *sorted_edges(const sn_mesh *mesh)
{
    directed_edge *edges = SN_NEW(directed_edge, 3 * mesh->n_triangles);
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        for (int i = 0; i < 3; i++) {
            int32_t a = mesh->triangle[t][i], b = mesh->triangle[t][(i + 1) % 3];
            edges[3 * t + i] = a < b ? (directed_edge){a, b, 1} : (directed_edge){b, a, -1};
        }
    qsort(edges, 3 * (size_t)mesh->n_triangles, sizeof *edges, compare_edges);
    return edges;
}

/* Edges that are not used exactly twice, once in each direction. */
static inline int64_t count_bad_edges(const sn_mesh *mesh)
{
    directed_edge *edges = sorted_edges(mesh);
    int64_t bad = 0, n = 3 * mesh->n_triangles;
    for (int64_t first = 0, after; first < n; first = after) {
        int sum = 0;
        for (after = first; after < n && compare_edges(&edges[first], &edges[after]) == 0; after++)
            sum += edges[after].direction;
        bad += after - first != 2 || sum != 0 || edges[first].low == edges[first].high;
    }
    sn_free(edges);
    return bad;
}

/* Vertices - edges + faces; a vertex that no triangle uses counts too, and so shows. */
static inline int64_t euler_characteristic(const sn_mesh *mesh)
{
    directed_edge *edges = sorted_edges(mesh);
    int64_t n_edges = mesh->n_triangles > 0;
    for (int64_t e = 1; e < 3 * mesh->n_triangles; e++)
        n_edges += compare_edges(&edges[e - 1], &edges[e]) != 0;
    sn_free(edges);
    return mesh->n_vertices - n_edges + mesh->n_triangles;
}

static inline int32_t find_root(int32_t *parent, int32_t v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

/* Connected pieces, over shared vertices. */
static inline int64_t count_components(const sn_mesh *mesh)
{
    int32_t *parent = SN_NEW(int32_t, mesh->n_vertices);
    int64_t pieces = mesh->n_vertices;
    for (int32_t v = 0; v < mesh->n_vertices; v++)
        parent[v] = v;
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        for (int i = 1; i < 3; i++) {
            int32_t a = find_root(parent, mesh->triangle[t][0]);
            int32_t b = find_root(parent, mesh->triangle[t][i]);
            pieces -= a != b;
            parent[a] = b;
        }
    sn_free(parent);
    return pieces;
}

static inline double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double determinant3(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Positive for a triangle that turns its back to the origin. */
static inline double solid_angle_from_origin(const sn_mesh *mesh, int64_t t)
{
    const double *a = mesh->vertex[mesh->triangle[t][0]];
    const double *b = mesh->vertex[mesh->triangle[t][1]];
    const double *c = mesh->vertex[mesh->triangle[t][2]];
    double la = sqrt(dot3(a, a)), lb = sqrt(dot3(b, b)), lc = sqrt(dot3(c, c));
    double below = la * lb * lc + dot3(a, b) * lc + dot3(b, c) * la + dot3(c, a) * lb;
    return 2 * atan2(determinant3(a, b, c), below);
}

/* Of all triangles, in radians. */
static inline double smallest_angle(const sn_mesh *mesh)
{
    double smallest = INFINITY;
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        for (int i = 0; i < 3; i++) {
            double u[3], v[3];
            for (int k = 0; k < 3; k++) {
                double at = mesh->vertex[mesh->triangle[t][i]][k];
                u[k] = mesh->vertex[mesh->triangle[t][(i + 1) % 3]][k] - at;
                v[k] = mesh->vertex[mesh->triangle[t][(i + 2) % 3]][k] - at;
            }
            double cosine = dot3(u, v) / sqrt(dot3(u, u) * dot3(v, v));
            smallest = fmin(smallest, acos(fmin(1, fmax(-1, cosine))));
        }
    return smallest;
}

#endif
