#include "mesh/asset.h"

#include "base/array.h"
#include "mesh/mesh.h"

#include <string.h>

enum { CORNERS = 3 };

sn_mesh_asset *sn_mesh_asset_of(const sn_mesh *mesh)
{
    sn_mesh_asset *asset = SN_NEW(sn_mesh_asset, 1);
    int64_t n = mesh->n_triangles;
    *asset = (sn_mesh_asset){.n_vertices = mesh->n_vertices,
                             .n_polygons = n,
                             .n_corners = CORNERS * n,
                             .first_corner = SN_NEW(int64_t, n + 1),
                             .corner = SN_NEW(int32_t, CORNERS * n)};
    for (int64_t p = 0; p <= n; p++)
        asset->first_corner[p] = CORNERS * p;
    if (n > 0)
        memcpy(asset->corner, mesh->triangle, (size_t)n * sizeof *mesh->triangle);
    return asset;
}

void sn_mesh_asset_forget_polygons(sn_mesh_asset *asset)
{
    if (!asset)
        return;
    sn_free(asset->first_corner);
    sn_free(asset->corner);
    sn_free(asset->uv);
    sn_free(asset->uv_corner);
    *asset = (sn_mesh_asset){.n_vertices = asset->n_vertices, .point = asset->point};
}

void sn_mesh_asset_free(sn_mesh_asset *asset)
{
    if (!asset)
        return;
    sn_mesh_asset_forget_polygons(asset);
    sn_free(asset->point);
    sn_free(asset);
}
