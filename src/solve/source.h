/* Sources of forces: what a step asks of pins, bones, colliders, flesh that touches flesh, and of
 * whoever else pushes.
 *
 * A source moves the nodes that it holds, gives springs, or both. A step goes through its sources
 * like this:
 *
 *     begin      the step to a time is begun, from the last accepted state
 *     find       the springs at these positions, asked until they settle
 *     check_way  may the nodes go from there to here?
 *     commit     the step is accepted               or     reset  it is not, and never was
 *
 * Springs settle. A method asks for those at each of its first SN_MOST_SEARCHES iterates, and then
 * keeps them as they are, so that it converges; only limits of friction follow the normal forces
 * from time to time. Where all forces balance it asks again: if they still do with the springs of
 * that very place, the step is done; if not, it goes on with these, until it balances once more. So
 * at the end of a step no contact is missed, and none pushes from where it was before. After
 * SN_MOST_ROUNDS of that, or when they come no nearer, sources whose springs jump are asked no
 * more. Friction has to be Coulomb's in any case: no step is done while, by the final normal
 * forces, a contact's friction is farther than SN_MOST_FRICTION_ERROR from its limit.
 *
 * Whoever wants to settle should remember until commit or reset what it found since `begin`:
 * springs that do not push cost nothing, and those that come and go never settle.
 *
 * Between two calls of `find` the springs do not change: the step's potential falls. Each source
 * has a slot of the system's springs (system/system.h): who makes them once for all fills it
 * itself. Any member but the context may be NULL. Every call is collective; x is a field of the
 * finest level, of which ghosts are filled for find, check_way and commit. All ranks return the
 * same status; a failure ends the step for good. */
#ifndef SN_SOLVE_SOURCE_H
#define SN_SOLVE_SOURCE_H

#include "system/system.h"

enum { SN_MOST_SEARCHES = 4, SN_MOST_ROUNDS = 3 };

/* In parts of the limit. */
#define SN_MOST_FRICTION_ERROR 0.01

typedef struct {
    void *context;

    /* A step to `time` is begun, or begun again at half its length: moves what the source holds of
     * x to where it is then. */
    sn_status (*begin)(void *context, double time, double *x);

    /* Appends to `springs`, which is empty, those of positions x at `time`, the end of the step.
     * Each is appended on one rank, any rank; numbers are unique over all ranks, and do not depend
     * on them. */
    sn_status (*find)(void *context, double time, const double *x, sn_spring_list *springs);

    /* Would the nodes, on their straight way from the last accepted step to x, pass through
     * something that the springs of the last search do not push them out of? Then the step is
     * tried again as two of half the length. */
    sn_status (*check_way)(void *context, const double *from, const double *x, bool *passed);

    /* The step to `time` is accepted, and x is where it ended: anchors of friction may go along. */
    sn_status (*commit)(void *context, double time, const double *x);

    /* The step was not accepted: all is as it was at `time`, the last accepted step's, and what
     * `begin` and `find` have kept in mind since then is void. */
    void (*reset)(void *context, double time);
} sn_source;

/* Those of a step. Source i fills slot i. */
typedef struct {
    int n;
    sn_source source[SN_SPRING_SLOTS];
} sn_sources;

/* Returns the slot. */
int sn_sources_add(sn_sources *sources, sn_source source);

/* Each asks all sources, in the order of their slots, and stops at the first failure. */
SN_CHECKED sn_status sn_sources_begin(const sn_sources *sources, double time, double *x);
bool sn_sources_can_find(const sn_sources *sources); /* does any? */
SN_CHECKED sn_status sn_sources_find(const sn_sources *sources, sn_system *system, double time,
                                     double *x);
SN_CHECKED sn_status sn_sources_check_way(const sn_sources *sources, sn_octree *tree, double *from,
                                          double *x, bool *passed);
SN_CHECKED sn_status sn_sources_commit(const sn_sources *sources, sn_octree *tree, double time,
                                       double *x);
void sn_sources_reset(const sn_sources *sources, double time);

#endif
