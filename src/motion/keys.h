/* Key frames: where a thing is at a frame, as an affine map of its rest position.
 *
 * Knows how keys are joined. Before the first key and after the last it holds still; on a
 * key it has exactly the key's pose; and between two keys
 *   - a shift goes linearly, or as the motion's `ease` says; so does all below;
 *   - turns about one axis (either way around) have their angle go linearly, so that 720 degrees
 *     are two turns; turns about different axes go the shortest way (spherical interpolation of
 *     quaternions), and whole turns are lost; the point that is turned about moves linearly.
 *     A key without a turn, or of 0 degrees, turns about the other key's axis and point.
 *     All of it is rigid at every frame;
 *   - if either key is affine, both are taken as matrices whose entries go linearly, which is
 *     rigid only on the keys. */
#ifndef SN_MOTION_KEYS_H
#define SN_MOTION_KEYS_H

#include "base/affine.h"
#include "motion/settings.h"

/* The pose at a frame of the scene, which need not be whole; the identity for a motion that is
 * not of keys. */
sn_affine sn_motion_at(const sn_motion *motion, double frame);

#endif
