/* The legend of a picture: what size of cells, or which value, has which colour.
 *
 *     [ ] 0.08      A column in the lower left corner, the first entry lowest. Numbers are drawn
 *     [ ] 0.04      with dots, five by seven to a character: no font has to be there. */
#ifndef SN_RENDER_LEGEND_H
#define SN_RENDER_LEGEND_H

#include "render/picture.h"

typedef struct {
    sn_colour colour;
    char label[16]; /* digits, and + - . e; others are left blank */
} sn_legend_entry;

/* A text of such characters, dark on white, `size` pixels high. What is out of the picture is cut
 * off. */
void sn_image_add_label(sn_image *image, const char *label, int left, int top, int size);

/* Does nothing to an empty image, or where there is no room. */
void sn_image_add_legend(sn_image *image, const sn_legend_entry *entry, int n);

#endif
