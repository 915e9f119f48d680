#include "render/shade.h"

/* Directions to the lights: to the right, to the sky, and level to the camera. */
static const sn_vector3 key_direction = {-0.62f, 0.85f, 0.50f};
static const sn_vector3 fill_direction = {0.85f, 0.15f, 0.60f};
static const float key_strength = 0.80f, fill_strength = 0.13f;
static const float sky_strength = 0.34f, ground_strength = 0.12f;
/* Where the sky is hidden, what hides it sends this much of it on, in the surface's colour. */
static const float bounce = 0.45f;
/* Gloss: of skin, in a broad soft light. */
static const float gloss_exponent = 22, gloss_strength = 0.16f;
static const float reflectance = 0.035f; /* looked at straight on */
static const float sheen_strength = 0.30f;

static sn_vector3 direction_to(const sn_view *view, sn_vector3 light)
{
    return sn_unit3(sn_add3(sn_add3(sn_scale3(light.x, view->right), sn_scale3(light.y, view->sky)),
                            sn_scale3(light.z, view->front)));
}

sn_vector3 sn_key_direction(const sn_view *view)
{
    return direction_to(view, key_direction);
}

static float cosine(sn_vector3 a, sn_vector3 b)
{
    return fmaxf(sn_dot3(a, b), 0);
}

/* Of the sky in the open, on a surface that faces some way. */
static float sky_on(const sn_view *view, sn_vector3 normal)
{
    float upward = 0.5f + 0.5f * sn_dot3(normal, view->sky);
    return ground_strength + (sky_strength - ground_strength) * upward;
}

/* Schlick's approximation to what a smooth dielectric reflects. */
static float fresnel(float facing)
{
    float glancing = 1 - facing, squared = glancing * glancing;
    return reflectance + (1 - reflectance) * squared * squared * glancing;
}

static float gloss_of(sn_vector3 to_light, sn_vector3 normal, sn_vector3 to_eye)
{
    sn_vector3 half = sn_unit3(sn_add3(to_light, to_eye));
    float lobe = powf(cosine(half, normal), gloss_exponent) * cosine(to_light, normal);
    return gloss_strength * lobe * fresnel(cosine(half, to_eye)) / reflectance;
}

sn_vector3 sn_shade(const sn_view *view, sn_vector3 surface_light, sn_vector3 normal,
                    sn_vector3 to_eye, sn_visibility visible)
{
    sn_vector3 to_key = sn_key_direction(view), to_fill = direction_to(view, fill_direction);
    float sky = sky_on(view, normal) + fill_strength * cosine(to_fill, normal);
    float direct = key_strength * cosine(to_key, normal) * visible.key + sky * visible.sky;
    float hidden = bounce * sky * (1 - visible.sky);
    float gloss = gloss_of(to_key, normal, to_eye) * visible.key +
                  sheen_strength * fresnel(cosine(normal, to_eye)) * sky * visible.sky;
    sn_vector3 c = surface_light;
    return (sn_vector3){c.x * (direct + hidden * c.x) + gloss,
                        c.y * (direct + hidden * c.y) + gloss,
                        c.z * (direct + hidden * c.z) + gloss};
}

float sn_shade_ground(const sn_view *view, sn_vector3 normal, sn_visibility visible)
{
    float key = key_strength * cosine(sn_key_direction(view), normal), sky = sky_on(view, normal);
    float hidden = bounce * sky * (1 - visible.sky);
    return (key * visible.key + sky * visible.sky + hidden) / (key + sky);
}
