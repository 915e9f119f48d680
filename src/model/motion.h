/* Motions: where a thing is at a frame, as a 3x4 affine map of its rest position.
 *
 * Knows how key frames are joined. Before the first key and after the last it holds still; on a
 * key it has exactly the key's pose; and between two keys
 *   - a shift goes linearly;
 *   - turns about one axis (either way around) have their angle go linearly, so that 720 degrees
 *     are two turns; turns about different axes go the shortest way (spherical interpolation of
 *     quaternions), and whole turns are lost; the point that is turned about moves linearly.
 *     A key without a turn, or of 0 degrees, turns about the other key's axis and point.
 *     All of it is rigid at every frame;
 *   - if either key is affine, both are taken as matrices whose entries go linearly, which is
 *     rigid only on the keys. */
#ifndef SN_MODEL_MOTION_H
#define SN_MODEL_MOTION_H

#include "io/scene.h"

/* Rows of a 3x4 matrix, the shift in the last column. */
typedef struct {
    double row[3][4];
} sn_affine;

void sn_affine_apply(const sn_affine *map, const double point[3], double image[3]);

/* Fails, naming the scene's line, if the motion is of a kind that cannot be evaluated yet:
 * motions from files and built-in ones come with bones. */
SN_CHECKED sn_status sn_motion_require(const sn_scene *scene, const char *key_path,
                                       const sn_motion *motion);

/* The pose at a frame of the scene, which need not be whole. The motion must be one that
 * sn_motion_require accepts; one that is held still is the identity. */
sn_affine sn_motion_at(const sn_motion *motion, double frame);

#endif
