#include "render/colour.h"

static const sn_colour level_colour[SN_LEVEL_COLOURS] = {
    {0x35, 0x4f, 0xa3}, {0x3c, 0x8d, 0xc4}, {0x4c, 0xb8, 0xb0}, {0x8f, 0xd0, 0x8a},
    {0xd8, 0xe2, 0x72}, {0xf9, 0xcf, 0x5b}, {0xf5, 0x9b, 0x45}, {0xe5, 0x60, 0x3a},
    {0xc2, 0x2f, 0x3a}, {0x8f, 0x1d, 0x49}, {0x5e, 0x1a, 0x55}, {0x72, 0x35, 0x70},
    {0x86, 0x51, 0x8a}, {0x9a, 0x70, 0xa1}, {0xae, 0x90, 0xb6}, {0xc3, 0xb1, 0xc9},
    {0xd9, 0xcf, 0xdc},
};

sn_colour sn_level_colour(int height)
{
    int last = SN_LEVEL_COLOURS - 1;
    return level_colour[height < 0 ? 0 : height > last ? last : height];
}

/* The same stops as in report/page/colours.js. */
static const sn_colour rising[] = {{0x20, 0x24, 0x5c}, {0x24, 0x51, 0x8f}, {0x2f, 0x81, 0xa3},
                                   {0x4d, 0xaf, 0x98}, {0x93, 0xcf, 0x7e}, {0xe3, 0xe4, 0x7a},
                                   {0xfd, 0xf6, 0xc8}};
static const sn_colour no_value = {0x80, 0x80, 0x80};

static uint8_t between(uint8_t a, uint8_t b, double part)
{
    return (uint8_t)(a + part * (b - a) + 0.5);
}

sn_colour sn_value_colour(double value)
{
    enum { LAST = sizeof rising / sizeof *rising - 1 };
    if (isnan(value))
        return no_value;
    double at = fmin(fmax(value, 0), 1) * LAST;
    int i = at < LAST ? (int)at : LAST - 1;
    sn_colour a = rising[i], b = rising[i + 1];
    return (sn_colour){between(a.r, b.r, at - i), between(a.g, b.g, at - i),
                       between(a.b, b.b, at - i)};
}

/* The transfer curve of sRGB (IEC 61966-2-1). */
static float decode(uint8_t byte)
{
    float s = (float)byte / 255;
    return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
}

static uint8_t encode(float light, float chance)
{
    if (!(light > 0))
        return 0;
    if (light >= 1)
        return 255;
    float s = light <= 0.0031308f ? 12.92f * light : 1.055f * powf(light, 1 / 2.4f) - 0.055f;
    return (uint8_t)(255 * s + chance);
}

sn_vector3 sn_colour_to_light(sn_colour colour)
{
    return (sn_vector3){decode(colour.r), decode(colour.g), decode(colour.b)};
}

sn_colour sn_light_to_colour(sn_vector3 light)
{
    return sn_light_to_dithered(light, 0.5f); /* to the nearest */
}

sn_colour sn_light_to_dithered(sn_vector3 light, float chance)
{
    return (sn_colour){encode(light.x, chance), encode(light.y, chance), encode(light.z, chance)};
}
