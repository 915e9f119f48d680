#include "region/region.h"

#include "base/vec3.h"
#include "io/mesh/load.h"
#include "mesh/winding/shared.h"

/* A winding number above this is inside (Jacobson et al. 2013). */
static const double INSIDE = 0.5;

static sn_status load_winding(MPI_Comm comm, const sn_origin *origin, const char *key_path,
                              sn_region *region)
{
    sn_shared_mesh mesh;
    sn_mesh_report report;
    sn_path mesh_path = sn_key_path("%.200s.mesh", key_path);
    SN_TRY(sn_mesh_load_named(comm, origin, mesh_path.text, region->shape.mesh,
                              &region->shape.place, &mesh, &report));
    region->winding = sn_winding_tree_share(comm, &mesh.view, &region->block);
    sn_shared_mesh_free(&mesh);
    return SN_OK;
}

sn_status sn_region_create(MPI_Comm comm, const sn_origin *origin, const char *key_path,
                           const sn_shape *shape, sn_region *region)
{
    *region = (sn_region){.shape = *shape};
    return shape->kind == SN_SHAPE_MESH ? load_winding(comm, origin, key_path, region) : SN_OK;
}

void sn_region_free(sn_region *region)
{
    if (region->winding)
        sn_shared_block_free(&region->block);
    *region = (sn_region){0};
}

static bool in_box(const sn_shape_box *box, const double p[3])
{
    for (int d = 0; d < 3; d++)
        if (!(box->min[d] <= p[d] && p[d] <= box->max[d]))
            return false;
    return true;
}

static bool in_sphere(const sn_shape_sphere *sphere, const double p[3])
{
    sn_vec r = sn_vec_sub(sn_vec_load(p), sn_vec_load(sphere->center));
    return sn_vec_dot(r, r) <= sphere->radius * sphere->radius;
}

/* Not farther from the segment than the radius. */
static bool in_capsule(const sn_shape_round *round, const double p[3])
{
    sn_vec a = sn_vec_load(round->a), axis = sn_vec_sub(sn_vec_load(round->b), a);
    sn_vec r = sn_vec_sub(sn_vec_load(p), a);
    double along = sn_vec_dot(r, axis), whole = sn_vec_dot(axis, axis);
    double t = along <= 0 ? 0 : along >= whole ? 1 : along / whole;
    sn_vec from_nearest = sn_vec_sub(r, sn_vec_scale(axis, t));
    return sn_vec_dot(from_nearest, from_nearest) <= round->radius * round->radius;
}

/* Between the planes through the ends, and not farther from the axis than the radius. */
static bool in_cylinder(const sn_shape_round *round, const double p[3])
{
    sn_vec a = sn_vec_load(round->a), axis = sn_vec_sub(sn_vec_load(round->b), a);
    sn_vec r = sn_vec_sub(sn_vec_load(p), a);
    double along = sn_vec_dot(r, axis), whole = sn_vec_dot(axis, axis);
    if (!(0 <= along && along <= whole))
        return false;
    sn_vec moment = sn_vec_cross(r, axis); /* as long as the distance times the axis */
    return sn_vec_dot(moment, moment) <= round->radius * round->radius * whole;
}

static bool in_half_space(const sn_shape_plane *plane, const double p[3])
{
    sn_vec r = sn_vec_sub(sn_vec_load(p), sn_vec_load(plane->point));
    return sn_vec_dot(r, sn_vec_load(plane->normal)) <= 0;
}

static bool in_plain_shape(const sn_region *region, const double p[3])
{
    const sn_shape *shape = &region->shape;
    switch (shape->kind) {
    case SN_SHAPE_BOX:
        return in_box(&shape->box, p);
    case SN_SHAPE_SPHERE:
        return in_sphere(&shape->sphere, p);
    case SN_SHAPE_CAPSULE:
        return in_capsule(&shape->capsule, p);
    case SN_SHAPE_CYLINDER:
        return in_cylinder(&shape->cylinder, p);
    case SN_SHAPE_PLANE:
        return in_half_space(&shape->plane, p);
    case SN_SHAPE_MESH:
        return fabs(sn_winding(region->winding, p)) > INSIDE;
    case SN_SHAPE_NONE:
        break;
    }
    return false;
}

bool sn_region_contains(const sn_region *region, const double point[3])
{
    return in_plain_shape(region, point) != region->shape.invert;
}

enum { BATCH = 256 }; /* points that go through the winding tree together */

static void mark_in_mesh(const sn_region *region, const double (*point)[3], size_t n,
                         uint8_t *inside)
{
    double winding[BATCH];
    sn_winding_batch(region->winding, point, n, winding);
    for (size_t i = 0; i < n; i++)
        inside[i] = (fabs(winding[i]) > INSIDE) != region->shape.invert;
}

void sn_region_mark(const sn_region *region, const double (*point)[3], size_t n, uint8_t *inside)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (size_t first = 0; first < n; first += BATCH) {
        size_t end = first + BATCH < n ? first + BATCH : n;
        if (region->winding)
            mark_in_mesh(region, point + first, end - first, inside + first);
        else
            for (size_t i = first; i < end; i++)
                inside[i] = sn_region_contains(region, point[i]);
    }
}
