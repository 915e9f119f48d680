#include "render/shade.h"

/* Directions to the lights along the camera's right, up and back. */
static const sn_vector3 key_direction = {-0.50f, 0.62f, 0.60f};
static const sn_vector3 fill_direction = {0.85f, 0.10f, 0.50f};
static const float key_strength = 0.72f, fill_strength = 0.16f;
static const float sky_strength = 0.34f, ground_strength = 0.10f;
/* Surfaces seen at a glance get this much less, which draws the outlines. */
static const float glancing_loss = 0.22f;
static const float gloss_strength = 0.05f;

static float lambert(const sn_view *view, sn_vector3 light, sn_vector3 normal)
{
    sn_vector3 direction =
        sn_unit3(sn_add3(sn_add3(sn_scale3(light.x, view->right), sn_scale3(light.y, view->up)),
                         sn_scale3(light.z, view->back)));
    float cosine = sn_dot3(direction, normal);
    return cosine > 0 ? cosine : 0;
}

sn_colour sn_shade(const sn_view *view, sn_vector3 surface_light, sn_vector3 normal,
                   sn_vector3 to_eye)
{
    float facing = fmaxf(sn_dot3(normal, to_eye), 0);
    float upward = 0.5f + 0.5f * sn_dot3(normal, view->up);
    float sky = ground_strength + (sky_strength - ground_strength) * upward;
    float key = lambert(view, key_direction, normal);
    float received =
        sky + key_strength * key + fill_strength * lambert(view, fill_direction, normal);
    received *= 1 - glancing_loss * (1 - facing) * (1 - facing);
    float gloss = gloss_strength * powf(key, 24);
    sn_vector3 light = sn_scale3(received, surface_light);
    return sn_light_to_colour(sn_add3(light, (sn_vector3){gloss, gloss, gloss}));
}
