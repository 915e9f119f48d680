#include "contact/self/detect.h"

#include <math.h>

sn_status sn_self_detect(const sn_self_surface *surface, const sn_mesh *shape, RTCDevice device,
                         sn_self_regions *regions, sn_self_target **targets)
{
    MPI_Comm comm = surface->embedding->tree->comm;
    *regions = (sn_self_regions){0};
    *targets = NULL;
    sn_box bounds = sn_self_bounds(surface, shape);
    for (int d = 0; d < 3; d++)
        if (isinf(bounds.max[d] - bounds.min[d]) && bounds.min[d] < bounds.max[d])
            return SN_FAIL(SN_MACHINE, "the deformed surface is not finite any more");
    sn_exact_grid grid = sn_exact_grid_around(&bounds);
    sn_crossing_list crossings;
    SN_TRY(sn_self_find_crossings(surface, shape, &grid, &crossings));
    int any = crossings.count > 0;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm);
    sn_status status = SN_OK;
    if (any) {
        sn_self_find_regions(surface, &crossings, regions);
        status = sn_self_find_targets(surface, shape, &bounds, device, regions, targets);
        if (status != SN_OK)
            sn_self_regions_free(regions);
    }
    sn_vector_free(&crossings);
    return status;
}

sn_vec sn_self_target_normal(const sn_self_surface *surface, const sn_mesh *shape, int64_t triangle)
{
    sn_self_triangle t = sn_self_triangle_of(surface, triangle);
    sn_vec normal = sn_self_twice_area(surface, shape, &t);
    return sn_vec_scale(sn_vec_unit(normal), surface->outward[t.body]);
}
