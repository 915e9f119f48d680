#include "render/legend.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
    COLUMNS = 5,
    ROWS = 7,
    ENTRIES_A_SIDE = 32, /* of the picture's smaller side */
    LEAST_SIZE = ROWS + 2
};
static const sn_colour INK = {0x40, 0x40, 0x40}, PAPER = {0xff, 0xff, 0xff};

static const char CHARACTERS[] = "0123456789+-.e";

/* Rows from the top, the highest bit of five leftmost. */
static const uint8_t DOTS[sizeof CHARACTERS - 1][ROWS] = {
    {14, 17, 19, 21, 25, 17, 14}, /* 0 */
    {4, 12, 4, 4, 4, 4, 14},      /* 1 */
    {14, 17, 1, 2, 4, 8, 31},     /* 2 */
    {31, 2, 4, 2, 1, 17, 14},     /* 3 */
    {2, 6, 10, 18, 31, 2, 2},     /* 4 */
    {31, 16, 30, 1, 1, 17, 14},   /* 5 */
    {6, 8, 16, 30, 17, 17, 14},   /* 6 */
    {31, 1, 2, 4, 8, 8, 8},       /* 7 */
    {14, 17, 17, 14, 17, 17, 14}, /* 8 */
    {14, 17, 17, 15, 1, 2, 12},   /* 9 */
    {0, 4, 4, 31, 4, 4, 0},       /* + */
    {0, 0, 0, 31, 0, 0, 0},       /* - */
    {0, 0, 0, 0, 0, 12, 12},      /* . */
    {0, 0, 14, 17, 31, 16, 14},   /* e */
};

/* What of the rectangle is in the picture. */
static void fill(sn_image *image, int left, int top, int width, int height, sn_colour colour)
{
    int right = left + width < image->width ? left + width : image->width;
    int bottom = top + height < image->height ? top + height : image->height;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            uint8_t *rgba = image->rgba + 4 * ((size_t)y * (size_t)image->width + (size_t)x);
            memcpy(rgba, (uint8_t[]){colour.r, colour.g, colour.b, 255}, 4);
        }
}

static void draw_character(sn_image *image, char c, int left, int top, int dot)
{
    const char *at = strchr(CHARACTERS, c);
    for (int row = 0; at && row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            if (DOTS[at - CHARACTERS][row] >> (COLUMNS - 1 - column) & 1)
                fill(image, left + column * dot, top + row * dot, dot, dot, INK);
}

void sn_image_add_label(sn_image *image, const char *label, int left, int top, int size)
{
    int dot = size / (ROWS + 2), step = (COLUMNS + 1) * dot;
    fill(image, left, top, (int)strlen(label) * step + 2 * dot, size, PAPER);
    for (int i = 0; label[i]; i++)
        draw_character(image, label[i], left + dot + i * step, top + (size - ROWS * dot) / 2, dot);
}

void sn_image_add_legend(sn_image *image, const sn_legend_entry *entry, int n)
{
    int smaller_side = image->width < image->height ? image->width : image->height;
    int size = smaller_side / ENTRIES_A_SIDE, gap = size; /* from the picture's edges */
    size = size > LEAST_SIZE ? size : LEAST_SIZE;
    if (!image->rgba || n <= 0 || gap + n * size + 1 > image->height || gap + size > image->width)
        return;
    for (int i = 0; i < n; i++) {
        int top = image->height - gap - (i + 1) * size;
        fill(image, gap, top, size, size + (i == 0), INK);
        fill(image, gap + 1, top + 1, size - 2, size - 1, entry[i].colour);
        sn_image_add_label(image, entry[i].label, gap + size, top, size);
    }
}
