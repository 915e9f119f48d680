#include "render/camera.h"

#include "base/vec3.h"

#include <math.h>
#include <stdbool.h>

static const double margin = 1.06;                  /* air around the box */
static const double radians = 0.017453292519943295; /* in a degree */
/* An orthographic camera stands this many box diagonals away: far enough for what sticks out. */
static const double orthographic_distance = 4;

typedef struct {
    sn_vec right, up, back;
    sn_vec sky, front; /* as in sn_view */
} axes;

static bool has_direction(sn_vec a)
{
    double length = sn_vec_length(a);
    return length > 0 && !isinf(length);
}

/* The axis that `a` runs along the least. */
static sn_vec most_across(sn_vec a)
{
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    if (x <= y && x <= z)
        return (sn_vec){1, 0, 0};
    return y <= z ? (sn_vec){0, 1, 0} : (sn_vec){0, 0, 1};
}

static axes camera_axes(sn_vec from, sn_vec up)
{
    axes a = {.back = has_direction(from) ? sn_vec_unit(from) : (sn_vec){0, 0, 1}};
    bool usable = has_direction(up);
    if (usable)
        a.right = sn_vec_cross(sn_vec_unit(up), a.back);
    if (!usable || sn_vec_dot(a.right, a.right) < 1e-12)
        a.right = sn_vec_cross(most_across(a.back), a.back);
    else
        a.sky = sn_vec_unit(up);
    a.right = sn_vec_unit(a.right);
    a.up = sn_vec_cross(a.back, a.right);
    if (!has_direction(a.sky))
        a.sky = a.up;
    a.front = sn_vec_cross(a.right, a.sky);
    return a;
}

/* How far the eye must be from the box's centre, or how high an orthographic picture is. */
static double needed_to_see(const double half[3], const axes *a, double slope, double aspect)
{
    double needed = 0;
    for (int corner = 0; corner < 8; corner++) {
        sn_vec p = {corner & 1 ? half[0] : -half[0], corner & 2 ? half[1] : -half[1],
                    corner & 4 ? half[2] : -half[2]};
        double upward = fabs(sn_vec_dot(p, a->up)), sideways = fabs(sn_vec_dot(p, a->right));
        double across = fmax(upward, sideways / aspect) * margin;
        double here = slope > 0 ? sn_vec_dot(p, a->back) + across / slope : 2 * across;
        needed = fmax(needed, here);
    }
    return needed;
}

sn_camera sn_camera_frame(sn_box box, const double from[3], const double up[3],
                          double field_of_view, double aspect)
{
    sn_camera camera = {.field_of_view = field_of_view};
    axes a = camera_axes(sn_vec_load(from), sn_vec_load(up));
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
    sn_vec_store(sn_vec_add(sn_vec_load(camera.target), sn_vec_scale(a.back, distance)),
                 camera.eye);
    sn_vec_store(a.sky, camera.up);
    return camera;
}

static sn_vector3 to_single(sn_vec v)
{
    return (sn_vector3){(float)v.x, (float)v.y, (float)v.z};
}

sn_view sn_view_of(const sn_camera *camera, int width, int height)
{
    sn_view view = {.perspective = camera->field_of_view > 0};
    sn_vec target = sn_vec_load(camera->target),
           from = sn_vec_sub(sn_vec_load(camera->eye), target);
    sn_vec_store(target, view.centre);
    double distance = sn_vec_length(from);
    double extent = view.perspective || !(camera->height > 0) ? distance : camera->height;
    view.scale = extent > 0 ? 1 / extent : 1;
    axes a = camera_axes(from, sn_vec_load(camera->up));
    view.right = to_single(a.right);
    view.up = to_single(a.up);
    view.back = to_single(a.back);
    view.sky = to_single(a.sky);
    view.front = to_single(a.front);
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
    sn_vec from_centre = sn_vec_sub(sn_vec_load(point), sn_vec_load(view->centre));
    return to_single(sn_vec_scale(from_centre, view->scale));
}
