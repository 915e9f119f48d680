/* A contact sheet: the frames of a shot as small pictures, side by side, each with its number. */
#ifndef SN_RENDER_SHEET_H
#define SN_RENDER_SHEET_H

#include "render/picture.h"

enum { SN_SHEET_MOST = 64, SN_SHEET_WIDTH = 320 /* of a small picture */ };

/* Which of so many pictures are on it: evenly spread, at most SN_SHEET_MOST. */
bool sn_sheet_takes(int i, int n);

/* Not collective: a picture made as wide as the sheet's are, by means over what each pixel covers;
 * one that is narrower stays as it is. */
sn_image sn_sheet_small(const sn_image *image);

/* Not collective: small pictures of one size, in rows of about as many as there are rows. */
sn_image sn_sheet_of(const sn_image *small, const int *frame, int n);

#endif
