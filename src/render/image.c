#include "base/array.h"
#include "render/picture.h"

void sn_image_free(sn_image *image)
{
    sn_free(image->rgba);
    sn_free(image->depth);
    *image = (sn_image){0};
}

static void fill(sn_image *image, int left, int top, int width, int height, sn_colour colour)
{
    for (int y = top; y < top + height; y++)
        for (int x = left; x < left + width; x++) {
            uint8_t *rgba = image->rgba + 4 * ((size_t)y * (size_t)image->width + (size_t)x);
            rgba[0] = colour.r;
            rgba[1] = colour.g;
            rgba[2] = colour.b;
            rgba[3] = 255;
        }
}

void sn_image_add_swatches(sn_image *image, const sn_colour *colour, int count)
{
    static const sn_colour frame = {0x40, 0x40, 0x40};
    int smaller_side = image->width < image->height ? image->width : image->height;
    int size = smaller_side / 32, gap = size; /* from the picture's edges */
    if (!image->rgba || count <= 0 || size < 3 || gap + count * size + 1 > image->width)
        return;
    int top = image->height - gap - size;
    fill(image, gap, top, count * size + 1, size, frame);
    for (int i = 0; i < count; i++)
        fill(image, gap + i * size + 1, top + 1, size - 1, size - 2, colour[i]);
}
