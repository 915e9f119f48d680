#include "render/look.h"

#include "base/vec3.h"

/* From the middle to the eye: to the right, up and to the front. */
static const double from_right = 0.75, from_above = 0.35, from_front = 1.0;

static const double margin = 1.3; /* air for shadows and for what moves */

static const sn_colour body_colours[] = {
    {0xd6, 0xa8, 0x8f}, {0x8f, 0xa9, 0xc0}, {0xb9, 0xb3, 0x7f},
    {0xa8, 0x8f, 0xb8}, {0x86, 0xb0, 0x9a}, {0xc9, 0x8a, 0x84},
};
enum { BODY_COLOURS = sizeof body_colours / sizeof *body_colours };

sn_colour sn_body_colour(int body)
{
    return body_colours[body % BODY_COLOURS];
}

static bool is_given(const double point[3])
{
    return !isnan(point[0]);
}

void sn_scene_up(const sn_scene *scene, double up[3])
{
    sn_vec direction = sn_vec_scale(sn_vec_load(scene->gravity), -1);
    if (is_given(scene->camera.up))
        direction = sn_vec_load(scene->camera.up);
    if (!(sn_vec_length(direction) > 0))
        direction = (sn_vec){0, 1, 0};
    sn_vec_store(sn_vec_unit(direction), up);
}

static sn_vec default_direction(sn_vec up)
{
    sn_vec z = {0, 0, 1}, y = {0, 1, 0};
    sn_vec front = sn_vec_sub(z, sn_vec_scale(up, up.z));
    if (sn_vec_length(front) < 0.5) /* z is up, or down */
        front = sn_vec_sub(sn_vec_scale(up, up.y), y);
    front = sn_vec_unit(front);
    sn_vec right = sn_vec_cross(up, front);
    return sn_vec_add(sn_vec_scale(up, from_above),
                      sn_vec_add(sn_vec_scale(right, from_right), sn_vec_scale(front, from_front)));
}

sn_framing sn_scene_framing(const sn_scene *scene, double aspect)
{
    double up[3], from[3];
    sn_scene_up(scene, up);
    sn_vec_store(default_direction(sn_vec_load(up)), from);
    return sn_framing_begin(from, up, scene->camera.fov, aspect, margin);
}

sn_camera sn_scene_camera(const sn_scene *scene, const sn_framing *framing)
{
    const sn_camera_settings *given = &scene->camera;
    sn_camera camera = sn_framing_camera(framing);
    if (is_given(given->target)) {
        sn_vec target = sn_vec_load(given->target);
        sn_vec shift = sn_vec_sub(target, sn_vec_load(camera.target));
        sn_vec_store(target, camera.target);
        sn_vec_store(sn_vec_add(sn_vec_load(camera.eye), shift), camera.eye);
    }
    if (is_given(given->eye))
        sn_vec_store(sn_vec_load(given->eye), camera.eye);
    return camera;
}

sn_camera sn_scene_camera_for_box(const sn_scene *scene, sn_box box, double aspect)
{
    sn_framing framing = sn_scene_framing(scene, aspect);
    for (int corner = 0; corner < 8; corner++) {
        double point[3];
        for (int d = 0; d < 3; d++)
            point[d] = corner >> d & 1 ? box.max[d] : box.min[d];
        sn_framing_add(&framing, point);
    }
    return sn_scene_camera(scene, &framing);
}
