#include "mesh/winding/winding.h"

#include "base/pi.h"
#include "base/vec3.h"

#include <math.h>

/* Half the solid angle of a triangle whose corners are a, b, c from the point
 * (Van Oosterom and Strackee 1983). */
static double half_solid_angle(sn_vec a, sn_vec b, sn_vec c)
{
    double volume = sn_vec_dot(a, sn_vec_cross(sn_vec_sub(b, a), sn_vec_sub(c, a)));
    double la = sn_vec_length(a), lb = sn_vec_length(b), lc = sn_vec_length(c);
    double below =
        la * lb * lc + sn_vec_dot(a, b) * lc + sn_vec_dot(b, c) * la + sn_vec_dot(c, a) * lb;
    return volume == 0 ? 0 : atan2(volume, below);
}

double sn_winding_reference(const sn_mesh *mesh, const double q[3])
{
    double sum = 0;
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        sn_vec p[3];
        for (int c = 0; c < 3; c++)
            p[c] = sn_vec_sub(sn_vec_load(mesh->vertex[mesh->triangle[t][c]]), sn_vec_load(q));
        sum += half_solid_angle(p[0], p[1], p[2]);
    }
    return sum / (2 * SN_PI);
}
