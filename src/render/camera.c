#include "render/camera.h"

#include "base/vec3.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double box_margin = 1.06;
static const double radians = 0.017453292519943295; /* in a degree */
/* An orthographic camera stands this many sizes of the scene away: far enough for what sticks
 * out. */
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

sn_framing sn_framing_begin(const double from[3], const double up[3], double field_of_view,
                            double aspect, double margin)
{
    axes a = camera_axes(sn_vec_load(from), sn_vec_load(up));
    sn_framing framing = {.field_of_view = field_of_view, .aspect = aspect, .margin = margin};
    sn_vec_store(a.right, framing.axis[0]);
    sn_vec_store(a.up, framing.axis[1]);
    sn_vec_store(a.back, framing.axis[2]);
    sn_vec_store(a.sky, framing.sky);
    for (int i = 0; i < 6; i++)
        framing.reach[i] = -INFINITY;
    return framing;
}

/* How much wider (0) or higher (1) the picture's half gets a unit of length farther away. */
static double slope_of(const sn_framing *framing, int axis)
{
    if (!(framing->field_of_view > 0))
        return 0;
    double upward = tan(framing->field_of_view * radians / 2) / framing->margin;
    return axis == 0 ? upward * framing->aspect : upward;
}

/* The planes through the eye and an edge of the picture have all points on one side: those that
 * lie farthest out decide where each plane is. */
void sn_framing_add(sn_framing *framing, const double point[3])
{
    sn_vec p = sn_vec_load(point);
    double back = sn_vec_dot(p, sn_vec_load(framing->axis[2]));
    for (int d = 0; d < 2; d++) {
        double along = sn_vec_dot(p, sn_vec_load(framing->axis[d]));
        double widening = slope_of(framing, d) * back;
        framing->reach[2 * d] = fmax(framing->reach[2 * d], widening + along);
        framing->reach[2 * d + 1] = fmax(framing->reach[2 * d + 1], widening - along);
    }
    framing->reach[4] = fmax(framing->reach[4], back);
    framing->reach[5] = fmax(framing->reach[5], -back);
}

static sn_framing unit_cube(const sn_framing *like)
{
    sn_framing framing = *like;
    for (int corner = 0; corner < 8; corner++) {
        double point[3] = {corner & 1, corner >> 1 & 1, corner >> 2 & 1};
        sn_framing_add(&framing, point);
    }
    return framing;
}

static sn_vec from_axes(const sn_framing *framing, double right, double up, double back)
{
    return sn_vec_add(sn_vec_scale(sn_vec_load(framing->axis[0]), right),
                      sn_vec_add(sn_vec_scale(sn_vec_load(framing->axis[1]), up),
                                 sn_vec_scale(sn_vec_load(framing->axis[2]), back)));
}

sn_camera sn_framing_camera(const sn_framing *given)
{
    sn_framing framing = isinf(given->reach[4]) ? unit_cube(given) : *given;
    sn_camera camera = {.field_of_view = framing.field_of_view};
    const double *reach = framing.reach;
    double width = reach[0] + reach[1], height = reach[2] + reach[3]; /* at depth 0 */
    double depth = reach[4] + reach[5], middle = (reach[4] - reach[5]) / 2, eye;
    if (framing.field_of_view > 0) {
        eye = fmax(width / (2 * slope_of(&framing, 0)), height / (2 * slope_of(&framing, 1)));
        if (!(eye > middle)) /* a point */
            eye = middle + 1;
    } else {
        camera.height = fmax(height, width / framing.aspect) * framing.margin;
        if (!(camera.height > 0))
            camera.height = depth > 0 ? depth : 1;
        eye = middle + orthographic_distance * (depth + camera.height);
    }
    double right = (reach[0] - reach[1]) / 2, up = (reach[2] - reach[3]) / 2;
    sn_vec_store(from_axes(&framing, right, up, eye), camera.eye);
    sn_vec_store(from_axes(&framing, right, up, middle), camera.target);
    memcpy(camera.up, framing.sky, sizeof camera.up);
    return camera;
}

sn_camera sn_camera_frame(sn_box box, const double from[3], const double up[3],
                          double field_of_view, double aspect)
{
    sn_framing framing = sn_framing_begin(from, up, field_of_view, aspect, box_margin);
    bool empty = false;
    for (int d = 0; d < 3; d++)
        empty = empty || !(box.min[d] <= box.max[d]);
    for (int corner = 0; corner < 8 && !empty; corner++) {
        double point[3];
        for (int d = 0; d < 3; d++)
            point[d] = corner >> d & 1 ? box.max[d] : box.min[d];
        sn_framing_add(&framing, point);
    }
    return sn_framing_camera(&framing);
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
