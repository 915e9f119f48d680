/* How often does a triangle soup wind around a point? 1 inside a closed mesh, 0 outside, and
 * something in between near holes: inside is where it is above one half. Overlapping parts add
 * up, flipped ones count negative.
 *
 * Knows the sum of solid angles, plainly (the reference) and with a tree whose far clusters are
 * replaced by their first moments. Hides the tree: one flat block of bytes without
 * pointers, so that it can be built once a node in shared memory. The block depends on the mesh
 * alone, and an answer on the block and the point alone: not on the batch the point came in.
 *
 * The tree's error is below SN_WINDING_ERROR for each layer of surface (on scanned meshes 1e-3 is
 * typical and 6e-3 the worst seen), wherever the point is not nearer to a triangle than a
 * ten-thousandth of that triangle's size: corners are kept in single precision, relative to
 * their neighbourhood. On the surface itself the answer is finite, but either side is right. */
#ifndef SN_MESH_WINDING_WINDING_H
#define SN_MESH_WINDING_WINDING_H

#include "mesh/mesh.h"

#include <stddef.h>
#include <stdint.h>

#define SN_WINDING_ERROR 1e-2

/* Every triangle's exact solid angle: slow, simple, and what the tree is held to. A point in a
 * triangle's plane gets 0 from it, also inside the triangle (the mean of both sides). */
double sn_winding_reference(const sn_mesh *mesh, const double q[3]);

/* The head of a built block. */
typedef struct sn_winding_tree sn_winding_tree;

/* Bytes of the block for a mesh of so many triangles: some 54 for each. */
size_t sn_winding_tree_bytes(int64_t n_triangles);

/* Fills `block`, aligned to 8 bytes, which then is a sn_winding_tree. The mesh may go away.
 * Uses the OpenMP threads; the bytes do not depend on their number. */
void sn_winding_tree_build(const sn_mesh *mesh, void *block);

double sn_winding(const sn_winding_tree *tree, const double q[3]);

/* The same for n points, bit for bit; fastest when neighbours in space follow each other.
 * Serial: the caller's threads take a batch each. */
void sn_winding_batch(const sn_winding_tree *tree, const double (*q)[3], size_t n, double *w);

#endif
