/* The look that all pictures of a scene share: paper, flesh, and where they are taken from. */
#ifndef SN_RENDER_LOOK_H
#define SN_RENDER_LOOK_H

#include "io/scene.h"
#include "render/picture.h"

static const sn_background SN_PAPER = {{0xf1, 0xf3, 0xf5}, {0xc9, 0xce, 0xd5}};
static const sn_colour SN_COLLIDER_GREY = {0x93, 0x97, 0x9b};

/* Flesh for the first body; later ones are told apart. */
sn_colour sn_body_colour(int body);

/* Of length 1: the camera's up, or against gravity, or y. */
void sn_scene_up(const sn_scene *scene, double up[3]);

/* The scene's camera. Where the scene leaves it open, it sees all of the box, from above and in
 * front: along z where y is up, along y where z is. */
sn_camera sn_scene_camera(const sn_scene *scene, sn_box box, double aspect);

#endif
