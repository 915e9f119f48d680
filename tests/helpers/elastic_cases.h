/* Elements to try the elastic kernels on: deformation gradients of every kind, positions around
 * them, and every way in which the corners of an element can hang in a 2:1-balanced octree. */
#ifndef SN_TESTS_ELASTIC_CASES_H
#define SN_TESTS_ELASTIC_CASES_H

#include "helpers/check.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef unsigned long long random_state;

static inline double between(random_state *state, double low, double high)
{
    return low + (high - low) * test_random(state);
}

/* ---- 3x3 matrices, [row][column]. ---- */

static inline void multiply(double a[3][3], double b[3][3], double result[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            result[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

static inline double determinant(double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

static inline double frobenius(double m[3][3])
{
    double scale = 0, sum = 0;
    for (int i = 0; i < 9; i++)
        scale = fmax(scale, fabs(m[i / 3][i % 3]));
    for (int i = 0; i < 9 && scale > 0; i++)
        sum += pow(m[i / 3][i % 3] / scale, 2);
    return scale * sqrt(sum);
}

static inline void random_rotation(random_state *state, double r[3][3])
{
    double q[4], length = 0;
    do {
        length = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = between(state, -1, 1);
            length += q[i] * q[i];
        }
    } while (length > 1 || length < 0.01);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r[i][i] = 1 - 2 * (q[j] * q[j] + q[k] * q[k]) / length;
        r[i][j] = 2 * (q[i] * q[j] - q[3] * q[k]) / length;
        r[i][k] = 2 * (q[i] * q[k] + q[3] * q[j]) / length;
    }
}

/* ---- Deformation gradients. ---- */

typedef enum {
    ENTRIES_AT_RANDOM, /* half of them inverted */
    NEAR_ROTATION,
    GIVEN_STRETCHES, /* each from -0.5 to 3 */
    INVERTED,
    EQUAL_STRETCHES, /* two or three singular values the same */
    NEARLY_EQUAL,
    RANK_TWO,
    RANK_ONE,
    BADLY_SCALED, /* singular values over twelve decades */
    SCALED_COLUMNS,
    OPPOSITE_PAIR, /* sigma_1 = -sigma_2: the rotation is not unique */
    NEARLY_OPPOSITE,
    IDENTITY,
    ZERO,
    GRADIENT_KINDS,
} gradient_kind;

static inline void stretches_of_kind(random_state *state, gradient_kind kind, double s[3])
{
    for (int i = 0; i < 3; i++)
        s[i] = between(state, -0.5, 3);
    double tilt = between(state, -1e-7, 1e-7);
    switch (kind) {
    case NEAR_ROTATION:
        for (int i = 0; i < 3; i++)
            s[i] = 1 + between(state, -1e-3, 1e-3);
        break;
    case INVERTED:
        s[0] = fabs(s[0]) + 0.1, s[1] = fabs(s[1]) + 0.1, s[2] = -between(state, 0.05, 2);
        break;
    case EQUAL_STRETCHES:
        s[1] = s[0];
        s[2] = test_random(state) < 0.5 ? s[0] : s[2];
        break;
    case NEARLY_EQUAL:
        s[1] = s[0] * (1 + tilt), s[2] = s[0] * (1 - tilt / 3);
        break;
    case RANK_ONE:
        s[1] = 0, s[2] = 0;
        break;
    case RANK_TWO:
        s[2] = 0;
        break;
    case OPPOSITE_PAIR:
        s[2] = -s[1];
        break;
    case NEARLY_OPPOSITE:
        s[0] = between(state, 1, 20), s[1] = between(state, 0.1, 1), s[2] = -s[1] * 0.9999;
        break;
    case BADLY_SCALED:
        for (int i = 0; i < 3; i++)
            s[i] = pow(10, between(state, -12, 0)) * (test_random(state) < 0.3 ? -1 : 1);
        break;
    default:
        break;
    }
}

static inline void random_gradient(random_state *state, gradient_kind kind, double f[3][3])
{
    double left[3][3], right[3][3], s[3];
    stretches_of_kind(state, kind, s);
    random_rotation(state, left);
    random_rotation(state, right);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            left[i][j] *= s[j];
    multiply(left, right, f);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (kind == ENTRIES_AT_RANDOM)
                f[i][j] = between(state, -1.5, 1.5);
            if (kind == SCALED_COLUMNS)
                f[i][j] = between(state, -1, 1) * pow(10, -4 * j);
            if (kind == IDENTITY || kind == ZERO)
                f[i][j] = kind == IDENTITY && i == j;
        }
}

/* Corners of a cell with this gradient at the centre, bent besides by `bend`. */
static inline void positions(random_state *state, double edge, double f[3][3], double bend,
                             double x[8][3])
{
    double warp[8][3], shift[3];
    for (int a = 0; a < 24; a++)
        warp[a / 3][a % 3] = between(state, -bend, bend) * edge;
    for (int i = 0; i < 3; i++)
        shift[i] = between(state, -1, 1) * edge;
    for (int a = 0; a < 8; a++)
        for (int i = 0; i < 3; i++) {
            x[a][i] = shift[i];
            for (int j = 0; j < 3; j++)
                x[a][i] += f[i][j] * edge * (a >> j & 1);
            /* A point reflection of the warp keeps the gradient at the centre. */
            x[a][i] += (warp[a][i] + warp[7 ^ a][i]) / 2;
        }
}

/* ---- Hanging corners. ---- */

typedef struct {
    int child;
    uint8_t hanging;
} hanging_case;

enum { MOST_HANGING_CASES = 8 * 64 };

/* Which corners hang if the large neighbours across the child's three outward faces and edges
 * are those of the bits in `faces` and `edges` (an edge's axis is the one along it). */
static inline uint8_t hanging_of(int child, int faces, int edges)
{
    uint8_t hanging = 0;
    for (int axis = 0; axis < 3; axis++) {
        int b = (axis + 1) % 3, c = (axis + 2) % 3;
        if ((faces >> b | faces >> c | edges >> axis) & 1)
            hanging |= (uint8_t)(1 << (child ^ 1 << axis));
        if (faces >> axis & 1)
            hanging |= (uint8_t)(1 << (child ^ 1 << b ^ 1 << c));
    }
    return hanging;
}

/* All that differ; returns how many. */
static inline int all_hanging_cases(hanging_case list[MOST_HANGING_CASES])
{
    int n = 0;
    for (int child = 0; child < 8; child++) {
        bool seen[256] = {false};
        for (int neighbours = 0; neighbours < 64; neighbours++) {
            uint8_t hanging = hanging_of(child, neighbours & 7, neighbours >> 3);
            if (!seen[hanging])
                list[n++] = (hanging_case){child, hanging};
            seen[hanging] = true;
        }
    }
    return n;
}

#endif
