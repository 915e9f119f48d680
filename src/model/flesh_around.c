#include "model/flesh_around.h"

#include "contact/colliders/mesh.h"
#include "mesh/winding/winding.h"

enum { SAMPLES = 33 };

/* What is thinner than this part of the thickest place of a line does not count, at its ends. */
static const double THIN = 0.4;

struct sn_flesh_around {
    sn_collider_mesh *surface;
    sn_winding_tree *winding;
    double size; /* of the body */
};

sn_status sn_flesh_around_create(const sn_mesh *mesh, sn_flesh_around **flesh)
{
    sn_collider_mesh *surface;
    SN_TRY(sn_collider_mesh_create(mesh, 1, &surface));
    sn_box box = sn_mesh_bounds(mesh);
    sn_vec across = sn_vec_sub(sn_vec_load(box.max), sn_vec_load(box.min));
    *flesh = SN_NEW_ZERO(sn_flesh_around, 1);
    size_t words = sn_winding_tree_bytes(mesh->n_triangles) / sizeof(double) + 1;
    double *block = SN_NEW(double, words);
    sn_winding_tree_build(mesh, block);
    **flesh = (sn_flesh_around){surface, (sn_winding_tree *)block, sn_vec_length(across)};
    return SN_OK;
}

void sn_flesh_around_free(sn_flesh_around *flesh)
{
    if (!flesh)
        return;
    sn_collider_mesh_free(flesh->surface);
    sn_free(flesh->winding);
    sn_free(flesh);
}

/* How far the surface is from a point that is inside; 0 outside. */
static double depth_at(const sn_flesh_around *flesh, sn_vec point)
{
    double at[3];
    sn_surface_point nearest;
    sn_vec_store(point, at);
    if (!(fabs(sn_winding(flesh->winding, at)) > 0.5) || /* the mesh may be inside out */
        !sn_collider_mesh_nearest(flesh->surface, point, flesh->size, &nearest))
        return 0;
    return fabs(nearest.distance);
}

/* The longest run of samples that are inside. */
static bool find_run(const double depth[SAMPLES], int *first, int *last)
{
    int best = 0;
    for (int i = 0; i < SAMPLES; i++) {
        int end = i;
        while (end < SAMPLES && depth[end] > 0)
            end++;
        if (end - i > best) {
            best = end - i;
            *first = i;
            *last = end - 1;
        }
    }
    return best > 0;
}

static void leave_off_thin_ends(const double depth[SAMPLES], int *first, int *last)
{
    double most = 0;
    for (int i = *first; i <= *last; i++)
        most = fmax(most, depth[i]);
    while (depth[*first] < THIN * most)
        ++*first;
    while (depth[*last] < THIN * most)
        --*last;
}

bool sn_flesh_around_line(const sn_flesh_around *flesh, sn_vec *a, sn_vec *b, double *nearest)
{
    double depth[SAMPLES];
    int first = 0, last = 0;
    sn_vec from = *a, to = *b;
    for (int i = 0; i < SAMPLES; i++)
        depth[i] = depth_at(flesh, sn_vec_between(from, to, (double)i / (SAMPLES - 1)));
    if (!find_run(depth, &first, &last))
        return false;
    leave_off_thin_ends(depth, &first, &last);
    *nearest = depth[first];
    for (int i = first; i <= last; i++)
        *nearest = fmin(*nearest, depth[i]);
    *a = sn_vec_between(from, to, (double)first / (SAMPLES - 1));
    *b = sn_vec_between(from, to, (double)last / (SAMPLES - 1));
    return true;
}
