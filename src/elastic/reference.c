#include "elastic/reference.h"

#include <math.h>
#include <string.h>

/* ---- Hanging corners. ---- */

/* A corner that differs from the child's own number in one axis is the middle of a parent's
 * edge, in two the middle of a face; the nodes around it are the conforming nodes of the
 * corners in between. */
void sn_reference_weights(int child, uint8_t hanging, double w[8][8])
{
    memset(w, 0, 64 * sizeof(double));
    for (int corner = 0; corner < 8; corner++) {
        if (!(hanging >> corner & 1)) {
            w[corner][corner] = 1;
            continue;
        }
        int apart = corner ^ child, ends = 0;
        for (int part = 0; part < 8; part++)
            ends += (part & ~apart) == 0;
        for (int part = 0; part < 8; part++)
            if ((part & ~apart) == 0)
                w[corner][child ^ part] = 1.0 / ends;
    }
}

void sn_reference_gather(double w[8][8], double conforming[8][3], double primary[8][3])
{
    for (int a = 0; a < 8; a++)
        for (int i = 0; i < 3; i++) {
            primary[a][i] = 0;
            for (int b = 0; b < 8; b++)
                primary[a][i] += w[a][b] * conforming[b][i];
        }
}

void sn_reference_scatter(double w[8][8], double primary[8][3], double conforming[8][3])
{
    for (int b = 0; b < 8; b++)
        for (int i = 0; i < 3; i++) {
            conforming[b][i] = 0;
            for (int a = 0; a < 8; a++)
                conforming[b][i] += w[a][b] * primary[a][i];
        }
}

/* ---- One point (4.1.1). ---- */

static double side(int axis, int a)
{
    return a >> axis & 1 ? 1 : -1;
}

double sn_reference_shape_gradient(double edge, const double point[3], int axis, int a)
{
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    return side(axis, a) * (1 + side(b, a) * point[b] + side(c, a) * point[c]) / (4 * edge);
}

void sn_reference_gradient(double edge, const double point[3], double x[8][3], double f[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            f[i][j] = 0;
            for (int a = 0; a < 8; a++)
                f[i][j] += x[a][i] * sn_reference_shape_gradient(edge, point, j, a);
        }
}

void sn_reference_add_stress(double edge, const double point[3], double stress[3][3],
                             double force[8][3])
{
    double volume = pow(edge, 3);
    for (int a = 0; a < 8; a++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                force[a][i] -=
                    volume * stress[i][j] * sn_reference_shape_gradient(edge, point, j, a);
}
