#include "contact/self/exact.h"

#include <math.h>

__extension__ typedef __int128 wide;

/* Of the products and sums in `volume`, relative to the sum of their magnitudes: twice what
 * rounding can do. */
static const double filter_error = 1e-15;

sn_exact_grid sn_exact_grid_around(const sn_box *bounds)
{
    sn_exact_grid grid;
    double extent = 0;
    for (int d = 0; d < 3; d++) {
        grid.origin[d] = bounds->min[d];
        extent = fmax(extent, bounds->max[d] - bounds->min[d]);
    }
    int exponent = 0;
    if (extent > 0)
        frexp(extent, &exponent); /* extent < 2^exponent */
    grid.scale = ldexp(1, SN_EXACT_BITS - 1 - exponent);
    return grid;
}

/* Bits that look random: a multiply-xor-shift mixer. */
static uint64_t mixed(uint64_t x)
{
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

sn_exact_point sn_exact_snap(const sn_exact_grid *grid, const double at[3], int64_t number)
{
    sn_exact_point p = {.number = number};
    uint64_t bits = mixed((uint64_t)number + 1);
    for (int d = 0; d < 3; d++, bits >>= 20)
        p.at[d] = (int64_t)floor((at[d] - grid->origin[d]) * grid->scale) +
                  (int64_t)(bits % SN_EXACT_JITTER);
    return p;
}

static int sign(wide x)
{
    return (x > 0) - (x < 0);
}

/* The corners relative to d. */
static int exact_volume(const int64_t e[3][3])
{
    wide volume = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        wide minor = (wide)e[1][j] * e[2][k] - (wide)e[1][k] * e[2][j];
        volume += (wide)e[0][i] * minor;
    }
    return sign(volume);
}

int sn_exact_side(const int64_t a[3], const int64_t b[3], const int64_t c[3], const int64_t d[3])
{
    int64_t e[3][3];
    double f[3][3], volume = 0, magnitude = 0;
    for (int i = 0; i < 3; i++) {
        e[0][i] = a[i] - d[i];
        e[1][i] = b[i] - d[i];
        e[2][i] = c[i] - d[i];
        for (int corner = 0; corner < 3; corner++)
            f[corner][i] = (double)e[corner][i]; /* exact */
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double plus = f[1][j] * f[2][k], minus = f[1][k] * f[2][j];
        volume += f[0][i] * (plus - minus);
        magnitude += fabs(f[0][i]) * (fabs(plus) + fabs(minus));
    }
    /* Seen from d in front of it, abc turns to the left: its corners have a negative volume. */
    if (fabs(volume) > filter_error * magnitude)
        return volume < 0 ? 1 : -1;
    return -exact_volume((const int64_t(*)[3])e);
}

/* Which way the line of an edge passes the line from a to b: the same for both triangles there,
 * but for the sign. */
static int passing(const sn_exact_point *from, const sn_exact_point *to, const sn_exact_point *a,
                   const sn_exact_point *b)
{
    if (a->number > b->number)
        return -passing(from, to, b, a);
    int side = sn_exact_side(from->at, to->at, a->at, b->at);
    return side != 0 ? side : 1;
}

int sn_exact_passes(const sn_exact_point *from, const sn_exact_point *to,
                    const sn_exact_point triangle[3])
{
    const sn_exact_point *t = triangle;
    bool from_front = sn_exact_side(t[0].at, t[1].at, t[2].at, from->at) >= 0;
    bool to_front = sn_exact_side(t[0].at, t[1].at, t[2].at, to->at) >= 0;
    if (from_front == to_front)
        return 0;
    /* An edge has one direction, wherever it is met. */
    bool swapped = from->number > to->number;
    const sn_exact_point *p = swapped ? to : from, *q = swapped ? from : to;
    int first = passing(p, q, &t[0], &t[1]);
    if (passing(p, q, &t[1], &t[2]) != first || passing(p, q, &t[2], &t[0]) != first)
        return 0;
    return to_front ? 1 : -1;
}
