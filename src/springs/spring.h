/* A spring between two points of the flesh, or from one to a place in space (section 8).
 *
 * Knows nothing of octrees but keys of cells: bones, contacts and stays make such springs, and
 * springs/springs.h embeds them in the elements of every level. With x(p) the deformed position of
 * a point p of a body,
 *
 *     d = x(point[0]) - x(point[1]) - target,      or x(point[0]) - target without a second point,
 *
 * split into its part along the normal, d_n = d . normal, and the rest d_t, the energy is
 *
 *     normal_stiffness/2 d_n^2                     for a one-sided spring only where d_n < 0
 *     tangential_stiffness/2 |d_t|^2               as long as its force is at most the limit of
 *     limit (|d_t| - limit/(2 tangential_stiffness))    friction, and linear beyond it
 *
 * where limit is `friction` times the normal force at the first linearisation (infinite friction
 * means no limit): convex and smooth, so that a line search can trust it. What ties flesh to a bone
 * has one stiffness in all directions, is not one-sided, and holds without limit.
 *
 * What pushes out of something round has as d_n the distance from that (sn_spring_round).
 *
 * The second point may lie on a flat triangle: x is then that of the corners, weighted. In a bent
 * element this is not where the place itself would go, but it is where contacts are found: what a
 * spring stores must be the work that was done. */
#ifndef SN_SPRINGS_SPRING_H
#define SN_SPRINGS_SPRING_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

/* A point of a body, by its place at rest in scene units. It moves with the element that it lies
 * in; or with the one that has a given finest cell, wherever it lies: as if that element were
 * larger. */
typedef struct {
    int32_t body; /* -1: none */
    int32_t copy; /* of the element that it lies in, where it has several */
    double at[3];
    uint64_t carrier; /* 0: where it lies; or the key of a cell and copy, plus one */
} sn_flesh_point;

/* A place of a flat triangle, whose corners are points of the body at rest. */
typedef struct {
    double corner[3][3], weight[3];
    int32_t copy[3]; /* of the corners' elements */
} sn_flat_place;

enum { SN_SPRING_POINTS = 4 }; /* at most, that a spring hangs on: one, and a triangle's corners */

/* What is pushed out of round things slides around them: near the spring's place the surface is one
 * of a cylinder, or of a ball. d_n is then the distance from that surface, and the force along it,
 * wherever the spring goes on its side of the middle; friction keeps to the plane. */
typedef struct {
    double radius;   /* 0: it is flat; negative: it is seen from within */
    double axis[3];  /* of a cylinder, of length 1; of a ball, 0 */
    double aside[3]; /* from the place on the surface to the target, across the normal */
} sn_spring_round;

typedef struct {
    uint64_t number; /* no two springs of a set have the same: sums go in this order */
    sn_flesh_point point[2];
    bool on_triangle; /* the second point, on `flat` */
    bool one_sided;
    sn_flat_place flat;
    double target[3];
    double normal[3]; /* of length 1 */
    double normal_stiffness, tangential_stiffness;
    double friction; /* coefficient; INFINITY: no limit */
    sn_spring_round round;
} sn_spring;

typedef SN_VECTOR(sn_spring) sn_spring_list;

/* Of that, what energy and force follow from once d is known but for the target. */
typedef struct {
    double target[3];
    double normal[3];
    double normal_stiffness, tangential_stiffness;
    double friction;
    const sn_spring_round *round; /* another's; NULL: it is flat */
    bool one_sided;
} sn_spring_law;

#endif
