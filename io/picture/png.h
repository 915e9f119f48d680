/* Pictures to PNG files.
 *
 * Hides libpng. The file appears under its name only when it is whole: it is written beside
 * it, as <path>.part, and renamed. */
#ifndef SN_IO_PICTURE_PNG_H
#define SN_IO_PICTURE_PNG_H

#include "base/status.h"

#include <stdint.h>

/* Not collective: the rank that holds the picture calls it. Rows go from top to bottom, four
 * bytes (sRGB and opacity) a pixel. */
SN_CHECKED sn_status sn_png_write(const char *path, int width, int height, const uint8_t *rgba);

/* Whether sn_png_write could put a picture there, as far as that can be told without touching
 * anything, and it is named as one: for asking before hours of work. */
SN_CHECKED sn_status sn_png_check_path(const char *path);

#endif
