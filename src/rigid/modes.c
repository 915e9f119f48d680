#include "rigid/modes.h"

#include "base/array.h"

#include <math.h>

/* A mode of which less than this part is left beside the others is one of them. */
static const double LEFT_OVER = 1e-4;

sn_rigid_unknown sn_rigid_node(const double x[3])
{
    sn_rigid_unknown u = {.centre = {x[0], x[1], x[2]}};
    for (int d = 0; d < 3; d++)
        u.modes[d][d] = 1;
    return u;
}

static void mean_centre(const sn_rigid_unknown *const *member, size_t n, double centre[3])
{
    for (int d = 0; d < 3; d++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += member[i]->centre[d];
        centre[d] = sum / (double)n;
    }
}

/* What a turn about a centre by one unit moves a point at `away` from it. */
static void turn(int axis, const double away[3], double moved[3])
{
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    moved[axis] = 0;
    moved[next] = -away[last];
    moved[last] = away[next];
}

/* What a member's reals do in each of the six motions about another centre. */
static void motions_about(const double centre[3], const sn_rigid_unknown *m, int reals,
                          double (*row)[SN_MODES])
{
    double away[3], moved[3];
    for (int d = 0; d < 3; d++)
        away[d] = m->centre[d] - centre[d];
    for (int r = 0; r < reals; r++)
        for (int axis = 0; axis < 3; axis++) {
            turn(axis, away, moved);
            row[r][axis] = m->modes[r][axis];
            row[r][3 + axis] = m->modes[r][3 + axis];
            for (int d = 0; d < 3; d++)
                row[r][3 + axis] += m->modes[r][d] * moved[d];
        }
}

static double column_dot(double (*rows)[SN_MODES], size_t n, int a, int b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += rows[i][a] * rows[i][b];
    return sum;
}

/* Takes what column q has of column p out of it. Returns how much that was. */
static double take_out(double (*rows)[SN_MODES], size_t n, int p, int q)
{
    double part = column_dot(rows, n, p, q);
    for (size_t i = 0; i < n; i++)
        rows[i][q] -= part * rows[i][p];
    return part;
}

/* Gram-Schmidt, each column twice: rows become Q, and r is such that Q r is what they were. */
static void orthonormalise(double (*rows)[SN_MODES], size_t n, double r[SN_MODES][SN_MODES])
{
    enum { TIMES = 2 };
    for (int q = 0; q < SN_MODES; q++) {
        double before = sqrt(column_dot(rows, n, q, q));
        for (int time = 0; time < TIMES; time++)
            for (int p = 0; p < q; p++)
                r[p][q] += take_out(rows, n, p, q);
        double length = sqrt(column_dot(rows, n, q, q));
        bool is_new = length > LEFT_OVER * before;
        r[q][q] = is_new ? length : 0;
        for (size_t i = 0; i < n; i++)
            rows[i][q] = is_new ? rows[i][q] / length : 0;
    }
}

sn_rigid_unknown sn_rigid_orthonormal(int reals, const sn_rigid_unknown *const *member, size_t n,
                                      sn_rigid_share *const *share)
{
    sn_rigid_unknown aggregate = {0};
    size_t rows = (size_t)reals * n;
    double(*row)[SN_MODES] = SN_NEW(double[SN_MODES], rows);
    mean_centre(member, n, aggregate.centre);
    for (size_t i = 0; i < n; i++)
        motions_about(aggregate.centre, member[i], reals, row + (size_t)reals * i);
    orthonormalise(row, rows, aggregate.modes);
    for (size_t i = 0; i < n; i++)
        for (int q = 0; q < SN_MODES; q++)
            for (int r = 0; r < reals; r++)
                share[i]->of[q * reals + r] = row[(size_t)reals * i + (size_t)r][q];
    sn_free(row);
    return aggregate;
}
