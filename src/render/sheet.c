#include "render/sheet.h"

#include "base/array.h"
#include "render/legend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GAP = 4, LABEL = 23 };
static const uint8_t PAPER[4] = {0xf1, 0xf3, 0xf5, 0xff};

bool sn_sheet_takes(int i, int n)
{
    return i % ((n + SN_SHEET_MOST - 1) / SN_SHEET_MOST) == 0;
}

/* The mean of the pixels from..to, in each channel. */
static void mean(const sn_image *image, const int from[2], const int to[2], uint8_t rgba[4])
{
    int sum[4] = {0}, n = (to[0] - from[0]) * (to[1] - from[1]);
    for (int y = from[1]; y < to[1]; y++)
        for (int x = from[0]; x < to[0]; x++)
            for (int c = 0; c < 4; c++)
                sum[c] +=
                    image->rgba[4 * ((size_t)y * (size_t)image->width + (size_t)x) + (size_t)c];
    for (int c = 0; c < 4; c++)
        rgba[c] = (uint8_t)((sum[c] + n / 2) / n);
}

static int scaled(int at, int to, int from)
{
    return (int)((int64_t)at * from / to);
}

sn_image sn_sheet_small(const sn_image *image)
{
    sn_image small = {.width = image->width < SN_SHEET_WIDTH ? image->width : SN_SHEET_WIDTH};
    small.height = scaled(image->height, image->width, small.width);
    small.height = small.height > 0 ? small.height : 1;
    small.rgba = SN_NEW(uint8_t, 4 * small.width * small.height);
    for (int y = 0; y < small.height; y++)
        for (int x = 0; x < small.width; x++) {
            int from[2] = {scaled(x, small.width, image->width),
                           scaled(y, small.height, image->height)};
            int to[2] = {scaled(x + 1, small.width, image->width),
                         scaled(y + 1, small.height, image->height)};
            mean(image, from, to, small.rgba + 4 * ((size_t)y * (size_t)small.width + (size_t)x));
        }
    return small;
}

static void place(sn_image *sheet, const sn_image *small, int left, int top)
{
    for (int y = 0; y < small->height; y++)
        memcpy(sheet->rgba + 4 * ((size_t)(top + y) * (size_t)sheet->width + (size_t)left),
               small->rgba + 4 * (size_t)y * (size_t)small->width, 4 * (size_t)small->width);
}

sn_image sn_sheet_of(const sn_image *small, const int *frame, int n)
{
    int columns = (int)ceil(sqrt((double)n)), rows = (n + columns - 1) / columns;
    sn_image sheet = {.width = columns * (small[0].width + GAP) + GAP,
                      .height = rows * (small[0].height + GAP) + GAP};
    size_t pixels = (size_t)sheet.width * (size_t)sheet.height;
    sheet.rgba = SN_NEW(uint8_t, 4 * pixels);
    for (size_t i = 0; i < pixels; i++)
        memcpy(sheet.rgba + 4 * i, PAPER, sizeof PAPER);
    for (int i = 0; i < n; i++) {
        int left = GAP + i % columns * (small[0].width + GAP);
        int top = GAP + i / columns * (small[0].height + GAP);
        char number[16];
        place(&sheet, &small[i], left, top);
        snprintf(number, sizeof number, "%d", frame[i]);
        sn_image_add_label(&sheet, number, left, top, LABEL);
    }
    return sheet;
}
