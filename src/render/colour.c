#include "render/colour.h"

static const sn_colour level_colour[SN_LEVEL_COLOURS] = {
    {0x26, 0x30, 0x72}, {0x2e, 0x5a, 0xa8}, {0x2f, 0x8b, 0xbf}, {0x43, 0xb5, 0xae},
    {0x7f, 0xcf, 0x8a}, {0xc5, 0xde, 0x6d}, {0xf5, 0xdc, 0x5e}, {0xf6, 0xa9, 0x44},
    {0xec, 0x74, 0x36}, {0xd6, 0x3f, 0x31}, {0xa8, 0x20, 0x3a}, {0x7d, 0x18, 0x46},
    {0x5e, 0x1a, 0x55}, {0x7a, 0x3d, 0x7a}, {0x9b, 0x6a, 0x9e}, {0xbb, 0x9c, 0xbf},
    {0xd9, 0xcf, 0xdc},
};

sn_colour sn_level_colour(int height)
{
    int last = SN_LEVEL_COLOURS - 1;
    return level_colour[height < 0 ? 0 : height > last ? last : height];
}

/* The transfer curve of sRGB (IEC 61966-2-1). */
static float decode(uint8_t byte)
{
    float s = (float)byte / 255;
    return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
}

static uint8_t encode(float light)
{
    if (!(light > 0))
        return 0;
    if (light >= 1)
        return 255;
    float s = light <= 0.0031308f ? 12.92f * light : 1.055f * powf(light, 1 / 2.4f) - 0.055f;
    return (uint8_t)(255 * s + 0.5f);
}

sn_vector3 sn_colour_to_light(sn_colour colour)
{
    return (sn_vector3){decode(colour.r), decode(colour.g), decode(colour.b)};
}

sn_colour sn_light_to_colour(sn_vector3 light)
{
    return (sn_colour){encode(light.x), encode(light.y), encode(light.z)};
}
