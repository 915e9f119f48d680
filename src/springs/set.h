/* Inside a set of springs: what its files share. */
#ifndef SN_SPRINGS_SET_H
#define SN_SPRINGS_SET_H

#include "base/threads.h"
#include "springs/host_element.h"
#include "springs/springs.h"

/* What a spring costs, in items of simple loops, and one of its weights. */
enum { SN_ITEMS_OF_SPRING = 16, SN_ITEMS_OF_WEIGHT = 2 };

static inline bool sn_springs_worth_threads(const sn_spring_set *set)
{
    return sn_worth_threads(SN_ITEMS_OF_SPRING * (int64_t)set->n);
}

/* A spring on its way to its home. */
typedef struct {
    uint64_t place; /* see sn_locate */
    sn_spring spring;
    sn_spring_matrix matrix;
    sn_host_element host[SN_SPRING_POINTS]; /* of its points, once they are found */
} sn_spring_record;

typedef SN_VECTOR(sn_spring_record) sn_spring_records;

/* A point that a spring hangs on: the first, the second, or a corner of the second's triangle. Its
 * weight is negative at the second end. Without such a point the weight is 0. */
typedef struct {
    sn_flesh_point at;
    double weight;
} sn_spring_point;

static inline sn_spring_point sn_spring_point_of(const sn_spring *s, int k)
{
    if (k == 0)
        return (sn_spring_point){s->point[0], 1};
    if (s->point[1].body < 0 || (!s->on_triangle && k > 1))
        return (sn_spring_point){0};
    if (!s->on_triangle)
        return (sn_spring_point){s->point[1], -1};
    const double *corner = s->flat.corner[k - 1];
    return (sn_spring_point){
        {s->point[1].body, s->flat.copy[k - 1], {corner[0], corner[1], corner[2]}, 0},
        -s->flat.weight[k - 1]};
}

/* merge.c: springs whose ends lie in the same eighths become one; the list gets shorter. */
void sn_springs_merge(const sn_bodies *bodies, sn_spring_records *records);

/* assemble.c, collective: rows and exchanges of springs that are at home here, by number. The
 * records are used up. */
SN_CHECKED sn_status sn_springs_assemble(sn_spring_set *set, sn_spring_records *records);

/* springs.c: nodes and springs of a set have this room. */
void sn_springs_place_room(sn_spring_set *set, double *room);

/* apply.c, collective: W u for each spring here, of a field in double precision; and
 * field += W^T of three reals for each spring here. */
void sn_springs_pull(sn_spring_set *set, const double *field, double *stretch);
void sn_springs_push_add(sn_spring_set *set, const double *force, double *field);

/* law.c: the matrix that a spring has before any linearisation, and whether it keeps it. */
sn_spring_law sn_spring_law_of(const sn_spring *spring);
bool sn_spring_is_constant(const sn_spring_law *law);
sn_spring_matrix sn_spring_matrix_of(const sn_spring_law *law, double limit, const double d[3],
                                     sn_spring_slope slope);

#endif
