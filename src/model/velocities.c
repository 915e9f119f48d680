#include "model/velocities.h"

#include "base/array.h"
#include "base/exact_sum.h"
#include "base/vec3.h"

enum { MASS = 3, MOMENTS }; /* the first three: mass times position */

/* Collective; the caller frees the centres, one for each body. */
static sn_vec *centres_of_mass(const sn_octree *tree, const sn_key *key, const double *mass,
                               const double (*x)[3])
{
    size_t n_bodies = (size_t)tree->bodies->n;
    sn_sum(*moment)[MOMENTS] = SN_NEW_ZERO(sn_sum[MOMENTS], n_bodies);
    for (sn_local i = 0; i < tree->n_nodes; i++) {
        sn_sum *of_body = moment[sn_key_body(key[i])];
        sn_sum_add(&of_body[MASS], mass[i]);
        for (int d = 0; d < 3; d++)
            sn_sum_add(&of_body[d], mass[i] * x[i][d]);
    }
    sn_sum_allreduce(tree->comm, *moment, MOMENTS * tree->bodies->n);
    sn_vec *centre = SN_NEW(sn_vec, n_bodies);
    for (size_t b = 0; b < n_bodies; b++) {
        double all = sn_sum_value(&moment[b][MASS]);
        centre[b] = (sn_vec){sn_sum_value(&moment[b][0]) / all, sn_sum_value(&moment[b][1]) / all,
                             sn_sum_value(&moment[b][2]) / all};
    }
    sn_free(moment);
    return centre;
}

static sn_vec velocity_at(const sn_body_velocity *body, sn_vec from_centre)
{
    sn_vec turning = sn_vec_cross(sn_vec_load(body->angular), from_centre);
    return sn_vec_add(sn_vec_load(body->linear), turning);
}

void sn_initial_velocities(const sn_scene *scene, const sn_octree *tree, const double *mass,
                           const uint8_t *pinned, const double (*x)[3], double (*v)[3])
{
    sn_key *key = sn_octree_node_keys(tree);
    sn_vec *centre = centres_of_mass(tree, key, mass, x);
    for (sn_local i = 0; i < tree->n_nodes; i++) {
        int body = sn_key_body(key[i]);
        sn_vec from_centre = sn_vec_sub(sn_vec_load(x[i]), centre[body]);
        sn_vec moving = velocity_at(&scene->bodies.data[body].velocity, from_centre);
        sn_vec_store(pinned[i] ? (sn_vec){0, 0, 0} : moving, v[i]);
    }
    sn_free(centre);
    sn_free(key);
}
