#include "shapes/modelling/surface.h"

int32_t sn_surface_vertex(sn_surface *surface, sn_vec position)
{
    sn_push(&surface->vertices, position);
    return (int32_t)(surface->vertices.count - 1);
}

void sn_surface_triangle(sn_surface *surface, int32_t a, int32_t b, int32_t c)
{
    sn_corners corners = {{a, b, c}};
    sn_push(&surface->triangles, corners);
}

void sn_surface_quad(sn_surface *surface, int32_t a, int32_t b, int32_t c, int32_t d)
{
    const sn_vec *at = surface->vertices.data;
    sn_vec ac = sn_vec_sub(at[a], at[c]), bd = sn_vec_sub(at[b], at[d]);
    /* A tie up to rounding goes to ac, so that the choice is the same on every machine. */
    const double clearly_shorter = 1 - 1e-9;
    if (sn_vec_dot(bd, bd) < clearly_shorter * sn_vec_dot(ac, ac)) {
        sn_surface_triangle(surface, a, b, d);
        sn_surface_triangle(surface, b, c, d);
    } else {
        sn_surface_triangle(surface, a, b, c);
        sn_surface_triangle(surface, a, c, d);
    }
}

void sn_surface_to_mesh(sn_surface *surface, sn_mesh *mesh)
{
    size_t n_vertices = surface->vertices.count, n_triangles = surface->triangles.count;
    *mesh = (sn_mesh){.n_vertices = (int64_t)n_vertices, .n_triangles = (int64_t)n_triangles};
    mesh->vertex = SN_NEW(mesh->vertex[0], n_vertices);
    mesh->triangle = SN_NEW(mesh->triangle[0], n_triangles);
    mesh->face = SN_NEW(int32_t, n_triangles);
    for (size_t v = 0; v < n_vertices; v++) {
        sn_vec at = surface->vertices.data[v];
        mesh->vertex[v][0] = at.x;
        mesh->vertex[v][1] = at.y;
        mesh->vertex[v][2] = at.z;
    }
    for (size_t t = 0; t < n_triangles; t++) {
        for (int c = 0; c < 3; c++)
            mesh->triangle[t][c] = surface->triangles.data[t].corner[c];
        mesh->face[t] = (int32_t)t + 1;
    }
    sn_vector_free(&surface->vertices);
    sn_vector_free(&surface->triangles);
}
