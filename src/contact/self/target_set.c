#include "contact/self/target_set.h"

#include "base/array.h"
#include "mesh/triangle.h"

#include <math.h>
#include <stddef.h>

/* Boxes are larger than their triangles by this share of the whole surface, so that a place in
 * single precision is not farther from the box than the triangle is in double. */
static const double box_slack = 0x1p-19;

static double slack_within(const sn_box *bounds)
{
    double farthest = 0;
    for (int d = 0; d < 3; d++)
        farthest = fmax(farthest, fmax(fabs(bounds->min[d]), fabs(bounds->max[d])));
    return box_slack * farthest;
}

static sn_self_target_triangle make_triangle(const sn_self_surface *s, const sn_mesh *shape,
                                             const sn_self_candidate *candidate, double slack)
{
    sn_self_target_triangle a = {.t = sn_self_triangle_of(s, candidate->triangle),
                                 .label = candidate->label};
    a.box = sn_self_box(s, shape, &a.t);
    sn_self_corners(s, shape, &a.t, a.corner);
    a.normal = sn_vec_scale(sn_vec_unit(sn_triangle_normal(a.corner)), s->outward[a.t.body]);
    for (int d = 0; d < 3; d++) {
        a.box.min[d] -= slack;
        a.box.max[d] += slack;
    }
    return a;
}

static void bounds_of_triangle(const struct RTCBoundsFunctionArguments *arguments)
{
    const sn_self_target_triangle *a =
        (const sn_self_target_triangle *)arguments->geometryUserPtr + arguments->primID;
    *arguments->bounds_o = sn_embree_bounds(&a->box);
}

void sn_self_target_set_create(const sn_self_surface *s, const sn_mesh *shape, const sn_box *bounds,
                               RTCDevice device, const sn_self_regions *regions,
                               sn_self_target_set *set)
{
    size_t n = regions->n_candidates;
    double slack = slack_within(bounds);
    sn_self_target_triangle *triangle = SN_NEW(sn_self_target_triangle, n);
#pragma omp parallel for
    for (size_t i = 0; i < n; i++)
        triangle[i] = make_triangle(s, shape, &regions->candidate[i], slack);
    *set = (sn_self_target_set){.triangle = triangle, .n = n, .slack = slack};
    set->blocks = sn_self_blocks_share(
        s->embedding->tree->comm, (const char *)triangle + offsetof(sn_self_target_triangle, box),
        sizeof *triangle, n);
    if (n > 0)
        set->scene = sn_self_scene(device, triangle, n, bounds_of_triangle);
}

void sn_self_target_set_free(sn_self_target_set *set)
{
    if (set->scene)
        rtcReleaseScene(set->scene);
    sn_self_blocks_free(&set->blocks);
    sn_free(set->triangle);
    *set = (sn_self_target_set){0};
}
