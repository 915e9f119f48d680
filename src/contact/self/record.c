#include "contact/self/record.h"

#include "mesh/triangle.h"

#include <string.h>

sn_vec sn_self_point_in(const sn_self_surface *s, const sn_mesh *shape, int64_t number)
{
    return sn_vec_load(sn_self_at(s, shape, sn_embedding_body_of(s->embedding, number), number));
}

static sn_vec target_in(const sn_self_surface *s, const sn_mesh *shape, const sn_self_record *r)
{
    sn_self_triangle t = sn_self_triangle_of(s, r->triangle);
    sn_weights weights;
    sn_vec corner[3];
    memcpy(weights.of, r->weight, sizeof weights.of);
    sn_self_corners(s, shape, &t, corner);
    return sn_triangle_point(corner, weights);
}

sn_vec sn_self_way_out(const sn_self_surface *s, const sn_mesh *shape, const sn_self_record *r)
{
    return sn_vec_sub(target_in(s, shape, r), sn_self_point_in(s, shape, r->vertex));
}

double sn_self_depth(const sn_self_surface *s, const sn_mesh *shape, const sn_self_record *r)
{
    return sn_vec_dot(sn_self_way_out(s, shape, r), sn_vec_load(r->normal));
}

void sn_self_aim(const sn_self_surface *s, int64_t triangle, const double weight[3],
                 sn_self_record *r)
{
    sn_self_triangle t = sn_self_triangle_of(s, triangle);
    sn_vec corner[3], at = {0, 0, 0};
    sn_self_corners_at_rest(s, &t, corner);
    for (int k = 0; k < 3; k++) {
        at = sn_vec_add(at, sn_vec_scale(corner[k], weight[k]));
        r->weight[k] = weight[k];
    }
    r->body = t.body;
    r->triangle = triangle;
    sn_vec_store(at, r->at);
}

sn_flat_place sn_self_flat_place(const sn_self_surface *s, const sn_self_record *r)
{
    sn_self_triangle t = sn_self_triangle_of(s, r->triangle);
    sn_flat_place flat;
    sn_vec corner[3];
    sn_self_corners_at_rest(s, &t, corner);
    for (int k = 0; k < 3; k++) {
        sn_vec_store(corner[k], flat.corner[k]);
        flat.copy[k] = s->copy[t.corner[k]];
    }
    memcpy(flat.weight, r->weight, sizeof flat.weight);
    return flat;
}
