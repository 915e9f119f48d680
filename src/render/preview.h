/* A picture of the deformed surface, for those who wait for a run.
 *
 * Each rank draws its share of the triangles; normals come from the whole mesh, so there are no
 * seams. The camera is set once, and frames the rest pose, and stays: what moves in the pictures
 * moves in the scene. */
#ifndef SN_RENDER_PREVIEW_H
#define SN_RENDER_PREVIEW_H

#include "io/scene/scene.h"
#include "render/picture.h"
#include "surface/deformed.h"

typedef struct {
    int width, height;
    sn_camera camera;
} sn_preview;

/* The scene's camera; where the scene leaves it open it frames the box, with some room around it
 * for the motion. */
sn_preview sn_preview_of(const sn_scene *scene, sn_box box, int width, int height);

/* Collective. Writes a PNG file, which appears only when it is whole. */
SN_CHECKED sn_status sn_preview_draw(const sn_preview *preview, const sn_deformed *deformed,
                                     const char *path);

#endif
