#include "contact/self/facets.h"

#include "mesh/triangle.h"

/* Triangles whose normals have at least this product look the same way. */
static const double same_way = 0.9;

/* Of all area around a point: less is met edgewise. A corner of a box shows a third. */
static const double least_facing = 0.2;

/* The area of a triangle at rest that is one corner's. */
static double share_at_rest(const sn_self_surface *s, const sn_self_triangle *t)
{
    sn_vec corner[3];
    sn_self_corners_at_rest(s, t, corner);
    return sn_vec_length(sn_triangle_normal(corner)) / 6;
}

static int facet_for(const sn_self_facets *f, sn_vec normal)
{
    int best = -1;
    double most = -2;
    for (int i = 0; i < f->n; i++) {
        double product = sn_vec_dot(sn_vec_unit(sn_vec_load(f->area[i])), normal);
        if (product > most) {
            most = product;
            best = i;
        }
    }
    return most >= same_way || f->n == SN_SELF_MOST_FACETS ? best : (int)f->n;
}

static void add(sn_self_facets *f, sn_vec normal, double area)
{
    int i = facet_for(f, normal);
    sn_vec sum = sn_vec_scale(normal, area);
    if (i < f->n)
        sum = sn_vec_add(sum, sn_vec_load(f->area[i]));
    else
        f->n++;
    sn_vec_store(sum, f->area[i]);
}

sn_self_facets sn_self_facets_of(const sn_self_surface *s, const sn_mesh *shape, size_t point)
{
    sn_self_facets f = {0};
    for (size_t i = s->first[point]; i < s->first[point + 1]; i++) {
        sn_self_triangle t = sn_self_triangle_of(s, s->around[i]);
        sn_vec normal = sn_vec_unit(sn_self_twice_area(s, shape, &t));
        if (sn_vec_dot(normal, normal) > 0)
            add(&f, sn_vec_scale(normal, s->outward[t.body]), share_at_rest(s, &t));
    }
    return f;
}

double sn_self_facing(const sn_self_facets *f, sn_vec direction)
{
    double facing = 0;
    for (int i = 0; i < f->n; i++)
        facing += fmax(0, -sn_vec_dot(sn_vec_load(f->area[i]), direction));
    return facing;
}

bool sn_self_faces(const sn_self_facets *f, sn_vec direction)
{
    double all = 0;
    for (int i = 0; i < f->n; i++)
        all += sn_vec_length(sn_vec_load(f->area[i]));
    return sn_self_facing(f, direction) > least_facing * all;
}
