#include "model/masses.h"

static double corner_share(const float centroid[3], int corner)
{
    double share = 1.0 / 8;
    for (int d = 0; d < 3; d++)
        share *= corner >> d & 1 ? 1 + (double)centroid[d] : 1 - (double)centroid[d];
    return share;
}

/* The parts of an element's mass that its conforming nodes get: thirty-seconds of a whole one's, so
 * exact. A corner that hangs differs from the element's own number as a child in one axis (the
 * middle of a parent's edge) or two (of a face); it stands between the parent's corners that differ
 * from the child in some of these axes. Those are conforming nodes of this element: on a face with
 * a hanging middle the edges hang too. */
static void shares_of_nodes(int child, uint8_t hanging, const float centroid[3], double share[8])
{
    for (int corner = 0; corner < 8; corner++)
        share[corner] = 0;
    for (int corner = 0; corner < 8; corner++) {
        double own = corner_share(centroid, corner);
        if (!(hanging >> corner & 1)) {
            share[corner] += own;
            continue;
        }
        int axes = corner ^ child;
        double weight = axes & (axes - 1) ? 1.0 / 4 : 1.0 / 2;
        for (int node = 0; node < 8; node++)
            if (((node ^ child) & ~axes) == 0)
                share[node] += weight * own;
    }
}

static void add_element(const sn_octree *tree, const sn_leaves *elements, size_t e, double density,
                        const float centroid[3], double *mass)
{
    sn_key key = elements->key[e];
    int height = elements->height[e];
    double edge = tree->bodies->body[sn_key_body(key)].cell * sn_edge(height), share[8];
    double element_mass = density * (edge * edge * edge);
    shares_of_nodes(sn_key_child(key, height), tree->hanging[e], centroid, share);
    for (int corner = 0; corner < 8; corner++) {
        sn_local node = tree->conforming[e][corner];
        if (node < tree->n_nodes)
            mass[node] += share[corner] * element_mass;
    }
}

/* Owned and ghost elements are two ascending lists; merged, they hold every element that a node
 * of this rank has a share of, in the order of the whole curve. */
void sn_nodal_masses(const sn_octree *tree, const double *density, const double *fraction,
                     const float (*centroid)[3], double *mass)
{
    static const float centre[3];
    for (sn_local i = 0; i < tree->n_nodes; i++)
        mass[i] = 0;
    sn_leaves elements = sn_octree_elements(tree);
    size_t owned = 0, end = (size_t)tree->n_elements, ghost = end;
    while (owned < end || ghost < elements.n) {
        bool own_first =
            ghost == elements.n || (owned < end && elements.key[owned] < elements.key[ghost]);
        size_t e = own_first ? owned++ : ghost++;
        add_element(tree, &elements, e, fraction ? density[e] * fraction[e] : density[e],
                    centroid ? centroid[e] : centre, mass);
    }
    sn_leaves_free(&elements);
}
