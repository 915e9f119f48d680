/* Which frames a user wants, as all commands understand it: `7`, `1:48`, `10:`, `:40`, `-12:0`, and
 * several of them with commas between. A range may have a `-` for the colon, `1-48`. */
#ifndef SN_IO_FRAMES_FRAME_SET_H
#define SN_IO_FRAMES_FRAME_SET_H

#include "base/status.h"

#include <stdbool.h>

/* Fails with a message that says what is expected. NULL is every frame. */
SN_CHECKED sn_status sn_frame_set_check(const char *command, const char *text);

/* Of a text that was checked. */
bool sn_frame_set_has(const char *text, int frame);

/* The next range of a text that was checked, and what follows it; NULL after the last. Where an end
 * is left out it is the least or the highest int. */
const char *sn_frame_set_next(const char *text, int *first, int *last);

#endif
