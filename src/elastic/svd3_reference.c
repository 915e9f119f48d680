#include "elastic/svd3_reference.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MOST_SWEEPS = 60 };

static double column_dot(double m[3][3], int a, int b)
{
    return m[0][a] * m[0][b] + m[1][a] * m[1][b] + m[2][a] * m[2][b];
}

static void rotate_columns(double m[3][3], int p, int q, double c, double s)
{
    for (int i = 0; i < 3; i++) {
        double a = m[i][p], b = m[i][q];
        m[i][p] = c * a - s * b;
        m[i][q] = s * a + c * b;
    }
}

/* Rotates columns p and q of B and V so that those of B become orthogonal; false if they
 * were so already. */
static bool orthogonalise(double b[3][3], double v[3][3], int p, int q)
{
    double pp = column_dot(b, p, p), qq = column_dot(b, q, q), pq = column_dot(b, p, q);
    if (fabs(pq) <= DBL_EPSILON / 4 * sqrt(pp) * sqrt(qq))
        return false;
    double zeta = (qq - pp) / (2 * pq);
    double tangent = copysign(1 / (fabs(zeta) + hypot(1, zeta)), zeta);
    double c = 1 / hypot(1, tangent), s = tangent * c;
    rotate_columns(b, p, q, c, s);
    rotate_columns(v, p, q, c, s);
    return true;
}

/* A quarter turn of columns p and q where q is the longer: keeps det V = 1. */
static void order(double b[3][3], double v[3][3], int p, int q)
{
    if (column_dot(b, p, p) < column_dot(b, q, q)) {
        rotate_columns(b, p, q, 0, -1);
        rotate_columns(v, p, q, 0, -1);
    }
}

static void set_column(double m[3][3], int column, const double value[3])
{
    for (int i = 0; i < 3; i++)
        m[i][column] = value[i];
}

static void cross(const double a[3], const double b[3], double result[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        result[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static double normalise(double a[3])
{
    double length = hypot(hypot(a[0], a[1]), a[2]);
    for (int i = 0; i < 3; i++)
        a[i] /= length;
    return length;
}

/* The axis along which `a` is shortest, less its part along a. */
static void any_perpendicular(const double a[3], double result[3])
{
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(a[i]) < fabs(a[least]))
            least = i;
    for (int i = 0; i < 3; i++)
        result[i] = (i == least) - a[least] * a[i];
    normalise(result);
}

/* U and sigma of a matrix with orthogonal columns, longest first. */
static void split_columns(double b[3][3], double u[3][3], double sigma[3])
{
    double first[3] = {b[0][0], b[1][0], b[2][0]}, second[3] = {b[0][1], b[1][1], b[2][1]};
    double third[3];
    sigma[0] = sqrt(column_dot(b, 0, 0));
    sigma[1] = sqrt(column_dot(b, 1, 1));
    if (sigma[0] > 0)
        normalise(first);
    else
        memcpy(first, (double[3]){1, 0, 0}, sizeof first);
    if (sigma[1] > DBL_EPSILON * DBL_EPSILON * sigma[0])
        normalise(second);
    else
        any_perpendicular(first, second);
    cross(first, second, third);
    normalise(third); /* also makes up for what orthogonality the other two lack */
    cross(third, first, second);
    sigma[2] = third[0] * b[0][2] + third[1] * b[1][2] + third[2] * b[2][2];
    set_column(u, 0, first);
    set_column(u, 1, second);
    set_column(u, 2, third);
}

void sn_svd3_reference(const double f[3][3], double u[3][3], double sigma[3], double v[3][3])
{
    double b[3][3], largest = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            largest = fmax(largest, fabs(f[i][j]));
    int exponent = largest > 0 ? ilogb(largest) : 0; /* squares must neither over- nor underflow */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            b[i][j] = ldexp(f[i][j], -exponent);
            v[i][j] = i == j;
        }
    bool moved = true;
    for (int sweep = 0; moved && sweep < MOST_SWEEPS; sweep++) {
        moved = orthogonalise(b, v, 0, 1);
        moved |= orthogonalise(b, v, 0, 2);
        moved |= orthogonalise(b, v, 1, 2);
    }
    order(b, v, 0, 1);
    order(b, v, 0, 2);
    order(b, v, 1, 2);
    split_columns(b, u, sigma);
    for (int i = 0; i < 3; i++)
        sigma[i] = ldexp(sigma[i], exponent);
}
