#include "render/normals.h"

#include "base/vec3.h"

/* Triangles that meet at a larger angle make a crease. */
static const double crease_cosine = 0.42; /* 65 degrees */

/* A corner of some triangle at a vertex. */
typedef struct {
    sn_vector3 face; /* the triangle's normal, of length 1 */
    float angle;
} corner;

/* The corners at each used vertex, in the order of the triangles. */
typedef struct {
    int64_t *first; /* n_used + 1 of them */
    corner *at;
} corners;

static sn_vec face_normal(const sn_mesh *mesh, int64_t t)
{
    const int32_t *v = mesh->triangle[t];
    sn_vec a = sn_vec_load(mesh->vertex[v[0]]);
    return sn_vec_unit(sn_vec_cross(sn_vec_sub(sn_vec_load(mesh->vertex[v[1]]), a),
                                    sn_vec_sub(sn_vec_load(mesh->vertex[v[2]]), a)));
}

/* Triangles count by their angle at the vertex, so the result does not depend on how a flat face
 * was cut into triangles. */
static double angle_at(const sn_mesh *mesh, int64_t t, int c)
{
    const int32_t *v = mesh->triangle[t];
    sn_vec here = sn_vec_load(mesh->vertex[v[c]]);
    sn_vec a = sn_vec_sub(sn_vec_load(mesh->vertex[v[(c + 1) % 3]]), here);
    sn_vec b = sn_vec_sub(sn_vec_load(mesh->vertex[v[(c + 2) % 3]]), here);
    return atan2(sn_vec_length(sn_vec_cross(a, b)), sn_vec_dot(a, b));
}

static sn_vector3 to_single(sn_vec a)
{
    return (sn_vector3){(float)a.x, (float)a.y, (float)a.z};
}

static corners collect(const sn_mesh *mesh, const int32_t *number, int64_t n_used)
{
    corners all = {.first = SN_NEW_ZERO(int64_t, n_used + 2)};
    int64_t *end = all.first + 1; /* where a vertex's corners end so far */
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        for (int c = 0; c < 3; c++)
            if (number[mesh->triangle[t][c]] >= 0)
                end[number[mesh->triangle[t][c]] + 1]++;
    for (int64_t v = 0; v < n_used; v++)
        end[v + 1] += end[v];
    all.at = SN_NEW(corner, end[n_used]);
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        const int32_t *v = mesh->triangle[t];
        if (number[v[0]] < 0 && number[v[1]] < 0 && number[v[2]] < 0)
            continue;
        sn_vector3 face = to_single(face_normal(mesh, t));
        for (int c = 0; c < 3; c++)
            if (number[v[c]] >= 0)
                all.at[end[number[v[c]]]++] = (corner){face, (float)angle_at(mesh, t, c)};
    }
    return all;
}

static sn_vector3 mean_around(const corners *all, int64_t vertex, sn_vector3 face)
{
    sn_vector3 sum = {0, 0, 0};
    for (int64_t i = all->first[vertex]; i < all->first[vertex + 1]; i++)
        if (sn_dot3(all->at[i].face, face) > (float)crease_cosine)
            sum = sn_add3(sum, sn_scale3(all->at[i].angle, all->at[i].face));
    return sn_dot3(sum, sum) > 0 ? sn_unit3(sum) : face;
}

sn_vector3 *sn_corner_normals(const sn_mesh *mesh, int64_t first, int64_t count,
                              const int32_t *number, int64_t n_used)
{
    corners all = collect(mesh, number, n_used);
    sn_vector3 *normal = SN_NEW(sn_vector3, 3 * count);
#pragma omp parallel for
    for (int64_t t = 0; t < count; t++) {
        sn_vector3 face = to_single(face_normal(mesh, first + t));
        for (int c = 0; c < 3; c++)
            normal[3 * t + c] = mean_around(&all, number[mesh->triangle[first + t][c]], face);
    }
    sn_free(all.first);
    sn_free(all.at);
    return normal;
}
