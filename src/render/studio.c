/* Traced light: what a rank that has all geometry can draw.
 *
 * Each sample of a pixel sends a few rays to points of the key light, which is a disc, and a few
 * to the sky. Their directions are points of a low-discrepancy sequence. Which ones depends on
 * the sample and the pixel alone: they are evenly spread over a pixel's samples, and more so over
 * a block of 4 by 4, so that there is a fine grain and no bands. */
#include "base/array.h"
#include "render/parts.h"
#include "render/shade.h"

#include <assert.h>

enum {
    TILE = 16,    /* pixels along the side of what a thread draws at a time */
    KEY_RAYS = 3, /* a sample */
    SKY_RAYS = 2,
};
static const float key_radius = 0.11f; /* of the disc, at distance 1 */
/* Rays leave a surface this far above it, as a part of the depth: more than rounding, less than
 * can be seen. */
static const float lift = 4e-5f;
/* How clear what is sheer is at most. What is inside fades with its depth under it, so that it is
 * seen to be near or far: to a third at half of what the picture shows. */
static const float clearest = 0.8f;
/* The ground is gone at this many times its reach. */
static const float ground_end = 3.5f;
static const float two_pi = 6.28318530718f;

typedef struct {
    const sn_picture *picture;
    const sn_caster *caster, *inside; /* NULL: nothing is inside */
    int samples;
    sn_vector3 key, key_right, key_up; /* to the disc's middle, and across it */
    float half_picture; /* half of what it shows; what is farther does not hide the sky */
} studio;

/* A point of the unit square. */
typedef struct {
    float x, y;
} point2;

/* Neighbouring numbers become unlike ones. */
static uint32_t mix_bits(uint32_t a)
{
    const uint32_t golden = 0x9e3779b1u; /* odd, near 2^32 divided by the golden ratio */
    for (int round = 0; round < 3; round++) {
        a = (a + 1) * golden;
        a ^= a >> 15;
    }
    return a;
}

static float unit_interval(uint32_t bits)
{
    return (float)(bits >> 8) * 0x1p-24f;
}

/* Point i of the sequence in steps of 1/g and 1/g^2, g the real root of g^3 = g + 1. */
static point2 sequence(uint32_t i)
{
    const uint32_t step_x = 3242174889u, step_y = 2447445414u, half = 1u << 31;
    return (point2){unit_interval(half + i * step_x), unit_interval(half + i * step_y)};
}

/* The number of a pixel's first sample. The pixels of a block follow each other in an order in
 * which neighbours are far apart; where the block itself begins is as good as random. */
static uint32_t first_sample(int column, int row, int samples)
{
    static const uint32_t order[4][4] = {
        {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    uint32_t block = mix_bits((uint32_t)(column / 4) + 0x10000u * (uint32_t)(row / 4));
    return block + order[row % 4][column % 4] * (uint32_t)samples;
}

/* Two directions of length 1, across a third and each other. */
static void across(sn_vector3 a, sn_vector3 *first, sn_vector3 *second)
{
    sn_vector3 other = fabsf(a.x) < 0.6f ? (sn_vector3){1, 0, 0} : (sn_vector3){0, 1, 0};
    *first = sn_unit3(sn_cross3(other, a));
    *second = sn_cross3(a, *first);
}

/* From the square to the unit disc, evenly. */
static point2 on_disc(point2 p)
{
    float radius = sqrtf(p.x), angle = two_pi * p.y;
    return (point2){radius * cosf(angle), radius * sinf(angle)};
}

/* A place that light is wanted at. */
typedef struct {
    sn_vector3 from;         /* where rays to the lights start */
    sn_vector3 face, normal; /* of the triangle, and of the smooth surface */
    uint32_t sample;         /* number in the block of pixels */
    const sn_caster *around; /* what can stand before the lights */
} place;

static float key_visible(const studio *s, const place *p)
{
    int seen = 0;
    for (uint32_t i = 0; i < KEY_RAYS; i++) {
        point2 d = on_disc(sequence(p->sample * KEY_RAYS + i));
        sn_vector3 to_light =
            sn_unit3(sn_add3(s->key, sn_add3(sn_scale3(key_radius * d.x, s->key_right),
                                             sn_scale3(key_radius * d.y, s->key_up))));
        if (sn_dot3(to_light, p->normal) > 0)
            seen += !sn_caster_is_blocked(p->around, p->from, to_light, INFINITY);
    }
    return (float)seen / KEY_RAYS;
}

/* As the cosine of the angle to the normal has it. */
static float sky_visible(const studio *s, const place *p)
{
    sn_vector3 right, up;
    across(p->normal, &right, &up);
    int seen = 0;
    for (uint32_t i = 0; i < SKY_RAYS; i++) {
        point2 d = on_disc(sequence(p->sample * SKY_RAYS + i));
        float height = sqrtf(fmaxf(1 - d.x * d.x - d.y * d.y, 0));
        sn_vector3 to_sky = sn_add3(sn_scale3(height, p->normal),
                                    sn_add3(sn_scale3(d.x, right), sn_scale3(d.y, up)));
        float above = sn_dot3(to_sky, p->face);
        if (above < 0) /* into the triangle, which the smooth surface is not: out of it instead */
            to_sky = sn_add3(to_sky, sn_scale3(-2 * above, p->face));
        seen += !sn_caster_is_blocked(p->around, p->from, to_sky, s->half_picture);
    }
    return (float)seen / SKY_RAYS;
}

static sn_visibility visibility(const studio *s, const place *p)
{
    bool faces_key = sn_dot3(p->normal, s->key) > -key_radius;
    return (sn_visibility){faces_key ? key_visible(s, p) : 0, sky_visible(s, p)};
}

static float ground_depth(const sn_ground_part *ground, sn_vector3 origin, sn_vector3 direction)
{
    float towards = -sn_dot3(direction, ground->normal);
    float height = sn_dot3(sn_add3(origin, sn_scale3(-1, ground->point)), ground->normal);
    return ground->present && towards > 0 && height > 0 ? height / towards : INFINITY;
}

/* 1 within the ground's reach, 0 beyond its end, smooth between. */
static float ground_presence(const sn_ground_part *ground, sn_vector3 point)
{
    sn_vector3 from_middle = sn_add3(point, sn_scale3(-1, ground->point));
    float distance = sqrtf(sn_dot3(from_middle, from_middle)) / ground->reach;
    float t = fminf(fmaxf((ground_end - distance) / (ground_end - 1), 0), 1);
    return t * t * (3 - 2 * t);
}

static sn_vector3 ground_light(const studio *s, place *p, sn_vector3 point, float depth,
                               sn_vector3 background)
{
    const sn_ground_part *ground = &s->picture->ground;
    float presence = ground_presence(ground, point);
    if (!(presence > 0))
        return background;
    p->face = p->normal = ground->normal;
    p->from = sn_add3(point, sn_scale3(lift * depth, ground->normal));
    float received = sn_shade_ground(&s->picture->view, ground->normal, visibility(s, p));
    return sn_scale3(1 - presence * (1 - received), background);
}

static sn_vector3 surface_light(const studio *s, place *p, sn_vector3 point, const sn_hit *hit,
                                sn_vector3 to_eye)
{
    p->face = hit->face;
    p->normal = hit->normal;
    p->from = sn_add3(sn_add3(point, hit->to_smooth), sn_scale3(lift * hit->depth, hit->face));
    return sn_shade(&s->picture->view, hit->light, hit->normal, to_eye, visibility(s, p));
}

typedef struct {
    sn_vector3 origin, direction;
    float ground; /* depth */
} sight;

static sn_vector3 along(const sight *ray, float depth)
{
    return sn_add3(ray->origin, sn_scale3(depth, ray->direction));
}

/* What is inside, on the way that some light came without it, from the depth of `front`. */
static sn_vector3 with_inside(const studio *s, const sight *ray, place p, float front,
                              sn_vector3 light)
{
    sn_hit hit = sn_caster_hit(s->inside, ray->origin, ray->direction);
    if (isinf(hit.depth) || hit.depth > ray->ground ||
        hit.depth > sn_caster_solid_depth(s->caster, ray->origin, ray->direction))
        return light;
    p.around = s->inside;
    sn_vector3 own =
        surface_light(s, &p, along(ray, hit.depth), &hit, sn_scale3(-1, ray->direction));
    float under = hit.depth - front;
    float share = under > 0 ? clearest * expf(-under / s->half_picture) : 1;
    return sn_add3(sn_scale3(1 - share, light), sn_scale3(share, own));
}

static sn_vector3 without_inside(const studio *s, const sight *ray, place *p, const sn_hit *hit,
                                 sn_vector3 background)
{
    float depth = fminf(hit->depth, ray->ground);
    if (isinf(depth))
        return background;
    sn_vector3 point = along(ray, depth);
    return hit->depth <= ray->ground
               ? surface_light(s, p, point, hit, sn_scale3(-1, ray->direction))
               : ground_light(s, p, point, depth, background);
}

static sn_vector3 sample_light(const studio *s, float x, float y, place *p, sn_vector3 background)
{
    sight ray;
    sn_view_ray(&s->picture->view, x, y, &ray.origin, &ray.direction);
    ray.ground = ground_depth(&s->picture->ground, ray.origin, ray.direction);
    sn_hit hit = sn_caster_hit(s->caster, ray.origin, ray.direction);
    sn_vector3 light = without_inside(s, &ray, p, &hit, background);
    return s->inside ? with_inside(s, &ray, *p, hit.depth, light) : light;
}

static sn_colour pixel_colour(const studio *s, int column, int row)
{
    const sn_picture *picture = s->picture;
    sn_vector3 background = sn_background_light(picture, row), sum = {0, 0, 0};
    uint32_t first = first_sample(column, row, s->samples);
    for (uint32_t i = 0; i < (uint32_t)s->samples; i++) {
        point2 inside = sequence(i);
        float x = 2 * ((float)column + inside.x) / (float)picture->width - 1;
        float y = 1 - 2 * ((float)row + inside.y) / (float)picture->height;
        place p = {.sample = first + i, .around = s->caster};
        sum = sn_add3(sum, sample_light(s, x, y, &p, background));
    }
    uint32_t pixel = (uint32_t)row * (uint32_t)picture->width + (uint32_t)column;
    return sn_light_to_dithered(sn_scale3(1 / (float)s->samples, sum),
                                unit_interval(mix_bits(pixel)));
}

static void draw_tile(const studio *s, int left, int top, sn_image *image)
{
    int right = left + TILE < image->width ? left + TILE : image->width;
    int bottom = top + TILE < image->height ? top + TILE : image->height;
    for (int row = top; row < bottom; row++)
        for (int column = left; column < right; column++) {
            sn_colour colour = pixel_colour(s, column, row);
            uint8_t *rgba = image->rgba + 4 * ((size_t)row * (size_t)image->width + (size_t)column);
            rgba[0] = colour.r;
            rgba[1] = colour.g;
            rgba[2] = colour.b;
            rgba[3] = 255;
        }
}

static void draw_tiles(const studio *s, sn_image *image)
{
    int columns = (image->width + TILE - 1) / TILE, rows = (image->height + TILE - 1) / TILE;
#pragma omp parallel for schedule(dynamic, 1)
    for (int tile = 0; tile < columns * rows; tile++)
        draw_tile(s, tile % columns * TILE, tile / columns * TILE, image);
}

/* Half of what the picture shows around the target. */
static float half_picture(const sn_view *view)
{
    return view->perspective ? view->half_height : 0.5f;
}

static void draw(const sn_picture *picture, const sn_caster *caster, const sn_caster *inside,
                 int samples, sn_image *image)
{
    size_t pixels = (size_t)picture->width * (size_t)picture->height;
    *image = (sn_image){picture->width, picture->height, SN_NEW(uint8_t, 4 * pixels), NULL};
    studio s = {.picture = picture,
                .caster = caster,
                .inside = inside,
                .samples = samples,
                .key = sn_key_direction(&picture->view),
                .half_picture = half_picture(&picture->view)};
    across(s.key, &s.key_right, &s.key_up);
    draw_tiles(&s, image);
}

static bool has_inside(const sn_picture *picture)
{
    for (size_t m = 0; m < picture->mesh.count; m++)
        if (picture->mesh.data[m].substance == SN_INSIDE)
            return true;
    return false;
}

sn_status sn_picture_render(const sn_picture *picture, int samples, sn_image *image)
{
    assert(samples > 0 && picture->box.count == 0);
    *image = (sn_image){0};
    sn_caster *outside, *inside = NULL;
    sn_status status = sn_caster_create(picture, false, &outside);
    if (status == SN_OK && has_inside(picture))
        status = sn_caster_create(picture, true, &inside);
    if (status == SN_OK)
        draw(picture, outside, inside, samples, image);
    if (inside)
        sn_caster_free(inside);
    sn_caster_free(outside);
    return status;
}
