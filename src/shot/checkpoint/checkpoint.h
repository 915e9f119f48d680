/* Checkpoints: the whole state of a shot in one file.
 *
 * A shot that was read from a checkpoint goes on bit for bit as the one that wrote it, on any
 * number of ranks and threads and with either partition. Rows are in the order of the curve:
 * body, then Morton order. Arrays are checksummed by HDF5 and, but for those of nodes, compressed;
 * each has a `digest` (base/digest.h), and a seal (io/hdf5/seal.h) covers every byte.
 *
 *     /                 frame      the frame that was reached, or of which `substep` of the
 *                                  scene's substeps are done if `whole` is 0
 *                       time, version, whole, substep, forest (digest of all octrees)
 *     /octree           origin (bodies x 3) and cell (bodies)
 *     /octree/anchor    octants x 3, uint16; in finest cells from the origin
 *     /octree/height    uint8; the edge is 2^height finest cells
 *     /octree/flags     uint8; bit 0 element, bit 1 node
 *     /octree/body      uint16
 *     /octree/copy      uint16; 0 where there is one at its place (octree/bonds.h)
 *     /node/x, /node/v  float64, a row for each octant that is a node, in the same order
 *     /node/x_before, /node/v_before         the step before, for BDF2
 *     /element/young, /element/poisson, /element/fraction
 *                       float64, a row for each octant that is an element; the last is the part
 *                       of it that counts: follows from scene and mesh, and is for other readers
 *     /element/conforming                    elements x 8, uint64: rows of /node, by corner
 *     /element/hanging  uint8; bit c: corner c hangs, its row is that of the parent's corner
 *     /stepper, /progress                    attributes: last_step; what the row will say;
 *                                            the steps to come of a substep that was given up
 *     /contact/colliders, /contact/flesh     contacts and friction, by point of the contact
 *                       surface; attribute: points, how many it has
 *     /frames           the rows of frames.csv so far, keyed by frame
 *     /scene, /inputs   texts: the scene as used, and digests of the files that it names */
#ifndef SN_SHOT_CHECKPOINT_CHECKPOINT_H
#define SN_SHOT_CHECKPOINT_CHECKPOINT_H

#include "shot/shot.h"

typedef SN_VECTOR(sn_frame_row) sn_frame_rows;

/* Collective, as all below. All ranks have the rows of the frames so far. The file appears under
 * its name when it is whole and on the disk. */
SN_CHECKED sn_status sn_checkpoint_write(const sn_shot *shot, const sn_frame_rows *rows,
                                         const char *path);

/* SN_MACHINE if the file is not whole; SN_BAD_INPUT if it was written by another version, or for
 * a scene or input files that would give other frames, with the reason; with `may_change`, only for
 * one that cannot take the other's place here (sn_scene_check_changes). */
SN_CHECKED sn_status sn_checkpoint_check(MPI_Comm comm, const char *path, const sn_scene *scene,
                                         bool may_change);

/* The rows alone. */
SN_CHECKED sn_status sn_checkpoint_read_rows(MPI_Comm comm, const char *path, const sn_scene *scene,
                                             sn_frame_rows *rows);

/* Replaces the state of a shot of the same scene, which need only be open, by the checkpoint's, and
 * builds the shot from it. After a failure the shot can't be used any more, but be given another
 * checkpoint. */
SN_CHECKED sn_status sn_checkpoint_read(sn_shot *shot, sn_frame_rows *rows, const char *path);

#endif
