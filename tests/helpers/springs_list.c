#include "helpers/springs_list.h"

#include "helpers/check.h"

#include <math.h>

const char *const springs_kind_names[SPRINGS_KINDS] = {"ties",     "sticking", "slipping",
                                                       "contacts", "two ends", "mixed"};

/* The box of multigrid_problem.h is the last body, and all of this is within its walls. */
static void place_in_wall(unsigned long long *seed, double at[3])
{
    const double size[3] = {0.6, 0.5, 0.7};
    for (int d = 0; d < 3; d++)
        at[d] = 0.01 + (size[d] - 0.02) * test_random(seed);
    int thin = (int)(3 * test_random(seed)); /* near one face: the cavity is 0.1 away */
    at[thin] = test_random(seed) < 0.5 ? 0.01 + 0.08 * test_random(seed)
                                       : size[thin] - 0.01 - 0.08 * test_random(seed);
}

static void place(unsigned long long *seed, sn_flesh_point *p, bool strictly_inside)
{
    p->body = strictly_inside || test_random(seed) < 0.6 ? 1 : 0;
    if (p->body == 1)
        place_in_wall(seed, p->at);
    else
        for (int d = 0; d < 3; d++) /* many are in no element */
            p->at[d] = test_random(seed);
}

static void turn(unsigned long long *seed, double normal[3])
{
    double length = 0;
    for (int d = 0; d < 3; d++) {
        normal[d] = test_random(seed) - 0.5;
        length += normal[d] * normal[d];
    }
    for (int d = 0; d < 3; d++)
        normal[d] /= sqrt(length);
}

/* The second point on a triangle whose corners are in other elements. */
static void put_on_triangle(unsigned long long *seed, sn_spring *s)
{
    double rest = 1;
    s->on_triangle = true;
    for (int k = 0; k < 3; k++) {
        for (int d = 0; d < 3; d++)
            s->flat.corner[k][d] = s->point[1].at[d] + 0.1 * (test_random(seed) - 0.5);
        s->flat.weight[k] = k < 2 ? 0.5 * test_random(seed) : rest;
        rest -= s->flat.weight[k];
    }
}

static sn_spring spring_of(unsigned long long *seed, springs_kind kind, double stiffness)
{
    sn_spring s = {.point[1].body = -1, .friction = INFINITY};
    bool two = kind == SPRINGS_TWO_ENDS || (kind != SPRINGS_TIES && test_random(seed) < 0.3);
    place(seed, &s.point[0], kind == SPRINGS_TWO_ENDS);
    if (two)
        place(seed, &s.point[1], kind == SPRINGS_TWO_ENDS);
    turn(seed, s.normal);
    s.normal_stiffness = stiffness * (0.5 + test_random(seed));
    s.tangential_stiffness = s.normal_stiffness;
    for (int d = 0; d < 3 && kind != SPRINGS_TWO_ENDS; d++)
        s.target[d] =
            s.point[0].at[d] - (two ? s.point[1].at[d] : 0) + 0.1 * (test_random(seed) - 0.5);
    if (kind == SPRINGS_TIES || kind == SPRINGS_TWO_ENDS)
        return s;
    if (two && test_random(seed) < 0.5)
        put_on_triangle(seed, &s);
    s.tangential_stiffness *= test_random(seed);
    if (kind != SPRINGS_STICKING)
        s.friction = kind == SPRINGS_SLIPPING ? 0.05 : test_random(seed);
    s.one_sided = kind == SPRINGS_CONTACTS;
    return s;
}

sn_spring_list springs_list(MPI_Comm comm, springs_kind kind, int n, double stiffness)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    unsigned long long seed = 77 + (unsigned)kind;
    sn_spring_list list = {0};
    for (int i = 0; i < n; i++) {
        springs_kind which = kind == SPRINGS_MIXED ? (springs_kind)(i % SPRINGS_MIXED) : kind;
        sn_spring s = spring_of(&seed, which, stiffness);
        s.number = (uint64_t)i * 7919 % 100003; /* in no order of space */
        if ((int)(test_random(&seed) * size) == rank)
            sn_push(&list, s);
    }
    return list;
}
