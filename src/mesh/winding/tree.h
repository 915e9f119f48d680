/* The layout of a winding tree: inside knowledge of winding.c, build.c and order.c.
 *
 *     head | leaves: 8 triangles each | groups: 8 nodes each, level 0 first, the root last
 *
 * The triangles are in the order of a k-d tree whose cuts fall on multiples of 8 * 2^j, so the
 * hierarchy needs no links: lane l of group g is node 8g + l of its level, and its children are
 * group 8g + l one level below, or leaf 8g + l below level 0.
 *
 * Positions are scaled to a mesh of extent 1. Numbers are single precision, but each leaf and
 * group has its own double precision origin: errors are relative to the size of the
 * neighbourhood, not to that of the mesh.
 *
 * A node stands for its triangles at distance. With p its centre of area, R = p - q and x = p + d
 * on the surface, the solid angle is the integral of n . K(R + d), where K(R) = R / |R|^3 is the
 * gradient of -1 / |R|. Three terms of the expansion of K in d give
 *
 *     (D(R) + Q(R, R) / |R|^2 + O(R, R, R) / |R|^4) / |R|^3
 *
 * with D the integral of n, Q that of -3 n d and O that of 15/2 n d d. Derivatives of 1 / |R| are
 * symmetric and without trace, so Q and O may be too: they are kept as polynomials in x, y, z. */
#ifndef SN_MESH_WINDING_TREE_H
#define SN_MESH_WINDING_TREE_H

#include "mesh/winding/winding.h"

enum {
    SN_WINDING_LANES = 8,
    SN_WINDING_MAX_LEVELS = 20,
};

/* A node is used as a whole from further away than this many times its radius. */
#define SN_WINDING_OPENING 2.0

typedef struct {
    double origin[3], unused;
    float corner[3][3][SN_WINDING_LANES]; /* [which][x, y or z] */
} sn_winding_leaf;

/* The monomials of the quadratic and the cubic polynomial. */
enum { SN_XX, SN_XY, SN_XZ, SN_YY, SN_YZ, SN_ZZ, SN_QUADRATIC };
enum { SN_XXX, SN_XXY, SN_XXZ, SN_XYY, SN_XYZ, SN_XZZ, SN_YYY, SN_YYZ, SN_YZZ, SN_ZZZ, SN_CUBIC };

typedef struct {
    double origin[3], unused;
    float centre[3][SN_WINDING_LANES];
    float opening2[SN_WINDING_LANES]; /* squared distance from which the node is used */
    float dipole[3][SN_WINDING_LANES];
    float quadrupole[SN_QUADRATIC][SN_WINDING_LANES];
    float octupole[SN_CUBIC][SN_WINDING_LANES];
} sn_winding_group;

struct sn_winding_tree {
    int64_t n_triangles, n_leaves;
    int64_t n_levels;
    int64_t n_nodes[SN_WINDING_MAX_LEVELS];     /* of a level */
    int64_t first_group[SN_WINDING_MAX_LEVELS]; /* of a level, among all groups */
    double centre[3], scale;                    /* scaled = (position - centre) * scale */
};

static inline const sn_winding_leaf *sn_winding_leaves(const sn_winding_tree *tree)
{
    return (const sn_winding_leaf *)(tree + 1);
}

static inline const sn_winding_group *sn_winding_groups(const sn_winding_tree *tree)
{
    return (const sn_winding_group *)(sn_winding_leaves(tree) + tree->n_leaves);
}

/* A triangle to be ordered. */
typedef struct {
    double centroid[3];
    int64_t triangle;
} sn_winding_item;

/* Sorts into the tree's order; ties are broken by the triangle's number. */
void sn_winding_order(sn_winding_item *items, int64_t n);

#endif
