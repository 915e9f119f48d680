/* One parent and the 3x3x3 lattice of points that its children's corners lie on.
 *
 *      6---7---8      child c's corner k is lattice point c + k, added in each direction;
 *      |   |   |      points with coordinates 0 and 2 only are the parent's own corners, to
 *      3---4---5      which the hanging corners of its children point (section 3.2).
 *      |   |   |
 *      0---1---2
 *
 * Children of one parent share their searches by walking the elements family by family. */
#ifndef SN_OCTREE_FAMILY_H
#define SN_OCTREE_FAMILY_H

#include "curve/octant.h"

enum { SN_LATTICE_POINTS = 27 };

typedef struct {
    sn_key key; /* of the parent */
    int height; /* of the parent */
    int body;
    uint32_t xyz[3]; /* the parent's anchor */
} sn_parent;

static inline sn_parent sn_parent_of(sn_key child_key, int child_height)
{
    sn_parent p = {.key = sn_key_ancestor(child_key, child_height + 1),
                   .height = child_height + 1,
                   .body = sn_key_body(child_key)};
    sn_key_anchor(p.key, p.xyz);
    return p;
}

static inline bool sn_is_child_of(const sn_parent *p, sn_key key, int height)
{
    return height + 1 == p->height && sn_key_ancestor(key, p->height) == p->key;
}

/* 1, 3, 9 for axis 0, 1, 2: a step to the next lattice point. */
static inline int sn_lattice_step(int axis)
{
    return axis == 0 ? 1 : axis == 1 ? 3 : 9;
}

/* The lattice point at the corner of a child. */
static inline int sn_lattice_corner(int child, int corner)
{
    int point = 0;
    for (int axis = 0; axis < 3; axis++)
        point += sn_lattice_step(axis) * ((child >> axis & 1) + (corner >> axis & 1));
    return point;
}

/* The lattice point of the node that a child's corner stands for: its own, or the parent's
 * corner of the same number where it hangs. */
static inline int sn_lattice_conforming(int child, int corner, uint8_t hanging)
{
    int own = sn_lattice_corner(child, corner);
    return hanging >> corner & 1 ? sn_lattice_corner(corner, corner) : own;
}

static inline sn_key sn_lattice_key(const sn_parent *p, int point)
{
    int half = p->height - 1;
    return sn_key_of(p->body, p->xyz[0] + ((uint32_t)(point % 3) << half),
                     p->xyz[1] + ((uint32_t)(point / 3 % 3) << half),
                     p->xyz[2] + ((uint32_t)(point / 9) << half));
}

#endif
