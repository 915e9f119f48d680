/* The look that all pictures of a scene share: paper, flesh, and where they are taken from. */
#ifndef SN_RENDER_LOOK_H
#define SN_RENDER_LOOK_H

#include "io/scene/scene.h"
#include "render/picture.h"

static const sn_background SN_PAPER = {{0xf1, 0xf3, 0xf5}, {0xc9, 0xce, 0xd5}};
static const sn_colour SN_BONE_IVORY = {0xef, 0xe6, 0xcd};
static const sn_colour SN_COLLIDER_GREY = {0x93, 0x97, 0x9b};

/* Flesh for the first body; later ones are told apart. */
sn_colour sn_body_colour(int body);

/* Of length 1: the camera's up, or against gravity, or y. */
void sn_scene_up(const sn_scene *scene, double up[3]);

/* How the scene's camera frames what it must see, where the scene leaves it open: from above and
 * in front, that is along z where y is up, along y where z is. */
sn_framing sn_scene_framing(const sn_scene *scene, double aspect);

/* The scene's camera: the framing's, but for what the scene says. */
sn_camera sn_scene_camera(const sn_scene *scene, const sn_framing *framing);

/* The same for a box that must be seen. */
sn_camera sn_scene_camera_for_box(const sn_scene *scene, sn_box box, double aspect);

#endif
