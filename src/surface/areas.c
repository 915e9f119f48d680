#include "base/shared.h"
#include "base/vec3.h"
#include "surface/embed.h"

#include <string.h>

static void add_areas(const sn_mesh *mesh, double *area)
{
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        const int32_t *corner = mesh->triangle[t];
        sn_vec p[3];
        for (int k = 0; k < 3; k++)
            p[k] = sn_vec_load(mesh->vertex[corner[k]]);
        sn_vec twice = sn_vec_cross(sn_vec_sub(p[1], p[0]), sn_vec_sub(p[2], p[0]));
        double share = sn_vec_length(twice) / 6;
        for (int k = 0; k < 3; k++)
            area[corner[k]] += share;
    }
}

/* Once a node, so that sums go in the triangles' order. */
void sn_embedding_areas(const sn_embedding *e, const sn_mesh *shape, double *area)
{
    sn_shared_block block;
    size_t bytes = (size_t)sn_embedding_vertices(e) * sizeof *area;
    double *all = sn_shared_block_create(e->tree->comm, bytes, &block);
    if (block.is_leader && bytes > 0) {
        memset(all, 0, bytes);
        for (int b = 0; b < e->tree->bodies->n; b++)
            add_areas(shape ? &shape[b] : e->solids[b].mesh, all + e->body_first[b]);
    }
    sn_shared_block_fence(&block);
    for (size_t i = 0; i < e->n; i++)
        area[i] = all[e->vertex[i]];
    sn_shared_block_free(&block);
}
