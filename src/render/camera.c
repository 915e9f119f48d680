#include "render/camera.h"

#include <math.h>
#include <stdbool.h>

static const double margin = 1.06;                  /* air around the box */
static const double radians = 0.017453292519943295; /* in a degree */
/* An orthographic camera stands this many box diagonals away: far enough for what sticks out. */
static const double orthographic_distance = 4;

typedef struct {
    double right[3], up[3], back[3];
} axes;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

/* False if `a` has no direction. */
static bool normalize(double a[3])
{
    double length = sqrt(dot(a, a));
    if (!(length > 0) || isinf(length))
        return false;
    for (int i = 0; i < 3; i++)
        a[i] /= length;
    return true;
}

static axes camera_axes(const double from[3], const double up[3])
{
    axes a;
    for (int i = 0; i < 3; i++)
        a.back[i] = from[i];
    if (!normalize(a.back)) {
        a.back[0] = a.back[1] = 0;
        a.back[2] = 1;
    }
    double upward[3] = {up[0], up[1], up[2]};
    bool usable = normalize(upward);
    cross(upward, a.back, a.right);
    if (!usable || dot(a.right, a.right) < 1e-12) {
        int smallest = 0;
        for (int i = 1; i < 3; i++)
            if (fabs(a.back[i]) < fabs(a.back[smallest]))
                smallest = i;
        for (int i = 0; i < 3; i++)
            upward[i] = i == smallest;
        cross(upward, a.back, a.right);
    }
    normalize(a.right);
    cross(a.back, a.right, a.up);
    return a;
}

/* How far the eye must be from the box's centre, or how high an orthographic picture is. */
static double needed_to_see(const double half[3], const axes *a, double slope, double aspect)
{
    double needed = 0;
    for (int corner = 0; corner < 8; corner++) {
        double p[3];
        for (int i = 0; i < 3; i++)
            p[i] = corner >> i & 1 ? half[i] : -half[i];
        double across = fmax(fabs(dot(p, a->up)), fabs(dot(p, a->right)) / aspect) * margin;
        double here = slope > 0 ? dot(p, a->back) + across / slope : 2 * across;
        needed = fmax(needed, here);
    }
    return needed;
}

sn_camera sn_camera_frame(sn_box box, const double from[3], const double up[3],
                          double field_of_view, double aspect)
{
    sn_camera camera = {.field_of_view = field_of_view};
    axes a = camera_axes(from, up);
    double half[3], diagonal = 0;
    for (int i = 0; i < 3; i++) {
        if (!(box.min[i] <= box.max[i])) {
            box.min[i] = 0;
            box.max[i] = 1;
        }
        half[i] = (box.max[i] - box.min[i]) / 2;
        camera.target[i] = box.min[i] + half[i];
        diagonal += 4 * half[i] * half[i];
    }
    diagonal = diagonal > 0 ? sqrt(diagonal) : 1;
    double slope = field_of_view > 0 ? tan(field_of_view * radians / 2) : 0;
    double needed = needed_to_see(half, &a, slope, aspect);
    if (!(needed > 0)) /* a point */
        needed = diagonal;
    camera.height = slope > 0 ? 0 : needed;
    double distance = slope > 0 ? needed : orthographic_distance * diagonal;
    for (int i = 0; i < 3; i++) {
        camera.eye[i] = camera.target[i] + distance * a.back[i];
        camera.up[i] = a.up[i];
    }
    return camera;
}

static sn_vector3 to_single(const double v[3])
{
    return (sn_vector3){(float)v[0], (float)v[1], (float)v[2]};
}

sn_view sn_view_of(const sn_camera *camera, int width, int height)
{
    sn_view view = {.perspective = camera->field_of_view > 0};
    double from[3];
    for (int i = 0; i < 3; i++) {
        from[i] = camera->eye[i] - camera->target[i];
        view.centre[i] = camera->target[i];
    }
    double distance = sqrt(dot(from, from));
    double extent = view.perspective || !(camera->height > 0) ? distance : camera->height;
    view.scale = extent > 0 ? 1 / extent : 1;
    axes a = camera_axes(from, camera->up);
    view.right = to_single(a.right);
    view.up = to_single(a.up);
    view.back = to_single(a.back);
    view.eye = sn_scale3((float)(distance * view.scale), view.back);
    view.half_height = view.perspective ? (float)tan(camera->field_of_view * radians / 2) : 0.5f;
    view.half_width = view.half_height * (float)width / (float)height;
    return view;
}

void sn_view_ray(const sn_view *view, float x, float y, sn_vector3 *origin, sn_vector3 *direction)
{
    sn_vector3 across = sn_add3(sn_scale3(x * view->half_width, view->right),
                                sn_scale3(y * view->half_height, view->up));
    sn_vector3 forward = sn_scale3(-1, view->back);
    *origin = view->perspective ? view->eye : sn_add3(view->eye, across);
    *direction = view->perspective ? sn_unit3(sn_add3(forward, across)) : forward;
}

sn_vector3 sn_view_point(const sn_view *view, const double point[3])
{
    double p[3];
    for (int i = 0; i < 3; i++)
        p[i] = (point[i] - view->centre[i]) * view->scale;
    return to_single(p);
}
