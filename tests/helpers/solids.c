#include "helpers/solids.h"

#include "helpers/check.h"

#include <string.h>

test_solid test_solid_of(sn_mesh mesh, bool closed)
{
    test_solid s = {.mesh = mesh};
    s.winding = SN_NEW(char, sn_winding_tree_bytes(mesh.n_triangles));
    sn_winding_tree_build(&mesh, s.winding);
    s.solid =
        (sn_solid){.winding = s.winding, .closed = closed, .inside_out = sn_mesh_volume(&mesh) < 0};
    return s;
}

void test_solid_free(test_solid *s)
{
    sn_mesh_free(&s->mesh);
    sn_free(s->winding);
}

static sn_mesh mesh_of_size(int64_t n_vertices, int64_t n_triangles)
{
    sn_mesh mesh = {.n_vertices = n_vertices, .n_triangles = n_triangles};
    mesh.vertex = SN_NEW(double[3], n_vertices);
    mesh.triangle = SN_NEW(int32_t[3], n_triangles);
    mesh.face = SN_NEW(int32_t, n_triangles);
    for (int64_t t = 0; t < n_triangles; t++)
        mesh.face[t] = (int32_t)t + 1;
    return mesh;
}

static double signed_volume(double (*v)[3])
{
    double e[3][3];
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 3; d++)
            e[i][d] = v[i + 1][d] - v[0][d];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
           e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

sn_mesh test_tetrahedra(unsigned long long *seed, int parts, bool open)
{
    static const int32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    sn_mesh mesh = mesh_of_size(4 * parts, 4 * parts);
    int64_t n = 0;
    for (int p = 0; p < parts; p++) {
        double(*v)[3] = mesh.vertex + 4 * p;
        for (int i = 0; i < 4; i++)
            for (int d = 0; d < 3; d++)
                v[i][d] = test_random(seed);
        if (signed_volume(v) < 0) {
            double swap[3];
            memcpy(swap, v[0], sizeof swap);
            memcpy(v[0], v[1], sizeof swap);
            memcpy(v[1], swap, sizeof swap);
        }
        bool lose_one = open && test_random(seed) < 0.5;
        for (int f = lose_one; f < 4; f++, n++)
            for (int c = 0; c < 3; c++)
                mesh.triangle[n][c] = faces[f][c] + 4 * p;
    }
    mesh.n_triangles = n;
    return mesh;
}

sn_mesh test_box(const double min[3], const double max[3])
{
    static const int32_t triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                             {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                             {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    sn_mesh mesh = mesh_of_size(8, 12);
    for (int v = 0; v < 8; v++)
        for (int d = 0; d < 3; d++)
            mesh.vertex[v][d] = v >> d & 1 ? max[d] : min[d];
    memcpy(mesh.triangle, triangles, sizeof triangles);
    return mesh;
}

sn_mesh test_meshes_joined(sn_mesh a, sn_mesh b)
{
    sn_mesh both = {.n_vertices = a.n_vertices + b.n_vertices,
                    .n_triangles = a.n_triangles + b.n_triangles};
    both.vertex = SN_NEW(double[3], both.n_vertices);
    both.triangle = SN_NEW(int32_t[3], both.n_triangles);
    both.face = SN_NEW(int32_t, both.n_triangles);
    for (int64_t v = 0; v < both.n_vertices; v++)
        for (int d = 0; d < 3; d++)
            both.vertex[v][d] = v < a.n_vertices ? a.vertex[v][d] : b.vertex[v - a.n_vertices][d];
    for (int64_t t = 0; t < both.n_triangles; t++) {
        both.face[t] = (int32_t)t + 1;
        for (int c = 0; c < 3; c++)
            both.triangle[t][c] = t < a.n_triangles
                                      ? a.triangle[t][c]
                                      : b.triangle[t - a.n_triangles][c] + (int32_t)a.n_vertices;
    }
    sn_mesh_free(&a);
    sn_mesh_free(&b);
    return both;
}
