/* Where a picture is taken from.
 *
 * A camera is a plain value in scene coordinates. sn_view turns it into what the renderer
 * works with: axes of length 1, and a scale that makes the scene about one unit large. */
#ifndef SN_RENDER_CAMERA_H
#define SN_RENDER_CAMERA_H

#include "mesh/mesh.h"
#include "render/vector.h"

typedef struct {
    double eye[3], target[3], up[3];
    double field_of_view; /* vertical, in degrees; 0 for an orthographic camera */
    double height;        /* orthographic: how much of the scene the picture's height shows */
} sn_camera;

/* What a camera that looks in a given direction must see. Points are added one by one; what is
 * kept of them is how far they reach towards the picture's four edges, and in depth. */
typedef struct {
    double axis[3][3]; /* right, up, back */
    double sky[3];
    double field_of_view, aspect;
    double margin;   /* how much larger the picture is than what it must show */
    double reach[6]; /* right, left, up, down, back, front */
} sn_framing;

/* `from` points from the scene to the eye; `aspect` is the picture's width divided by its height.
 * Where `up` runs along `from`, another axis is up in the picture. */
sn_framing sn_framing_begin(const double from[3], const double up[3], double field_of_view,
                            double aspect, double margin);
void sn_framing_add(sn_framing *framing, const double point[3]);

/* The camera that sees all points, those that lie farthest out in opposite directions equally near
 * the edges. Without points it sees the unit cube. */
sn_camera sn_framing_camera(const sn_framing *framing);

/* The same for the corners of a box, with little air; an empty one is replaced by the unit cube. */
sn_camera sn_camera_frame(sn_box box, const double from[3], const double up[3],
                          double field_of_view, double aspect);

typedef struct {
    double centre[3], scale;       /* view coordinates are (scene - centre) * scale */
    sn_vector3 right, up, back;    /* the camera's axes; it looks along -back */
    sn_vector3 sky, front;         /* what is up in the scene, and level from there to the camera */
    sn_vector3 eye;                /* in view coordinates */
    float half_width, half_height; /* of the picture: at distance 1, or everywhere */
    int perspective;
} sn_view;

sn_view sn_view_of(const sn_camera *camera, int width, int height);

/* The ray through a point of the picture; x to the right and y up, both -1 to 1. */
void sn_view_ray(const sn_view *view, float x, float y, sn_vector3 *origin, sn_vector3 *direction);

sn_vector3 sn_view_point(const sn_view *view, const double point[3]);

#endif
