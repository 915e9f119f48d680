#include "mesh/mesh.h"

#include "base/vec3.h"

#include <math.h>

void sn_mesh_free(sn_mesh *mesh)
{
    sn_free(mesh->vertex);
    sn_free(mesh->triangle);
    sn_free(mesh->face);
    sn_mesh_asset_free(mesh->asset);
    *mesh = (sn_mesh){0};
}

sn_box sn_mesh_bounds(const sn_mesh *mesh)
{
    sn_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        for (int corner = 0; corner < 3; corner++) {
            const double *v = mesh->vertex[mesh->triangle[t][corner]];
            for (int d = 0; d < 3; d++) {
                box.min[d] = fmin(box.min[d], v[d]);
                box.max[d] = fmax(box.max[d], v[d]);
            }
        }
    return box;
}

double sn_mesh_volume(const sn_mesh *mesh)
{
    if (mesh->n_triangles == 0)
        return 0;
    /* Relative to one of its own vertices, so that a mesh far from the origin loses nothing. */
    sn_vec o = sn_vec_load(mesh->vertex[mesh->triangle[0][0]]), p[3];
    double six_volumes = 0;
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        for (int corner = 0; corner < 3; corner++)
            p[corner] = sn_vec_sub(sn_vec_load(mesh->vertex[mesh->triangle[t][corner]]), o);
        six_volumes += sn_vec_dot(p[0], sn_vec_cross(p[1], p[2]));
    }
    return six_volumes / 6;
}
