#include "contact/self/aims.h"

#include "base/array.h"

#include <math.h>
#include <stddef.h>

/* Boxes are larger than their triangles by this share of the whole surface, so that a ray in
 * single precision meets the box of each triangle that it meets in double. */
static const double box_slack = 0x1p-19;

static double slack_within(const sn_box *bounds)
{
    double farthest = 0;
    for (int d = 0; d < 3; d++)
        farthest = fmax(farthest, fmax(fabs(bounds->min[d]), fabs(bounds->max[d])));
    return box_slack * farthest;
}

static sn_self_aim make_aim(const sn_self_surface *s, const sn_mesh *shape,
                            const sn_self_candidate *candidate, double slack)
{
    sn_self_aim a = {.t = sn_self_triangle_of(s, candidate->triangle), .label = candidate->label};
    a.outward = s->outward[a.t.body];
    a.box = sn_self_box(s, shape, &a.t);
    for (int c = 0; c < 3; c++)
        a.corner[c] = sn_vec_load(sn_self_at(s, shape, a.t.body, a.t.corner[c]));
    for (int d = 0; d < 3; d++) {
        a.box.min[d] -= slack;
        a.box.max[d] += slack;
    }
    return a;
}

static void bounds_of_aim(const struct RTCBoundsFunctionArguments *arguments)
{
    const sn_self_aim *a = (const sn_self_aim *)arguments->geometryUserPtr + arguments->primID;
    *arguments->bounds_o = sn_embree_bounds(&a->box);
}

void sn_self_aims_create(const sn_self_surface *s, const sn_mesh *shape, const sn_box *bounds,
                         RTCDevice device, const sn_self_regions *regions,
                         RTCIntersectFunctionN on_ray, sn_self_aims *aims)
{
    size_t n = regions->n_candidates;
    double slack = slack_within(bounds);
    sn_self_aim *aim = SN_NEW(sn_self_aim, n);
#pragma omp parallel for
    for (size_t i = 0; i < n; i++)
        aim[i] = make_aim(s, shape, &regions->candidate[i], slack);
    *aims = (sn_self_aims){.aim = aim, .n = n, .slack = slack};
    aims->blocks = sn_self_blocks_share(
        s->embedding->tree->comm, (const char *)aim + offsetof(sn_self_aim, box), sizeof *aim, n);
    if (n > 0)
        aims->scene = sn_self_scene(device, aim, n, bounds_of_aim, on_ray);
}

void sn_self_aims_free(sn_self_aims *aims)
{
    if (aims->scene)
        rtcReleaseScene(aims->scene);
    sn_self_blocks_free(&aims->blocks);
    sn_free(aims->aim);
    *aims = (sn_self_aims){0};
}

sn_inbox sn_self_reply(MPI_Comm comm, const sn_inbox *asked, size_t size, const void *replies)
{
    int *destination = SN_NEW(int, asked->n);
    for (int source = 0; source < asked->sources; source++)
        for (size_t i = asked->first[source]; i < asked->first[source + 1]; i++)
            destination[i] = asked->source[source];
    sn_inbox in = sn_records_send(comm, size, replies, destination, asked->n);
    sn_free(destination);
    return in;
}
