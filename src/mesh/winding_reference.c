#include "mesh/winding.h"

#include <math.h>

/* Half the solid angle of a triangle whose corners are a, b, c from the point
 * (Van Oosterom and Strackee 1983). */
static double half_solid_angle(const double a[3], const double b[3], const double c[3])
{
    double e[2][3], la = 0, lb = 0, lc = 0, ab = 0, bc = 0, ca = 0, volume = 0;
    for (int d = 0; d < 3; d++) {
        e[0][d] = b[d] - a[d];
        e[1][d] = c[d] - a[d];
        la += a[d] * a[d];
        lb += b[d] * b[d];
        lc += c[d] * c[d];
        ab += a[d] * b[d];
        bc += b[d] * c[d];
        ca += c[d] * a[d];
    }
    for (int d = 0; d < 3; d++) {
        int u = (d + 1) % 3, v = (d + 2) % 3;
        volume += a[d] * (e[0][u] * e[1][v] - e[0][v] * e[1][u]);
    }
    la = sqrt(la), lb = sqrt(lb), lc = sqrt(lc);
    return volume == 0 ? 0 : atan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb);
}

double sn_winding_reference(const sn_mesh *mesh, const double q[3])
{
    double sum = 0;
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        double p[3][3];
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 3; d++)
                p[c][d] = mesh->vertex[mesh->triangle[t][c]][d] - q[d];
        sum += half_solid_angle(p[0], p[1], p[2]);
    }
    return sum / (2 * M_PI);
}
