/* Pictures as a movie, by ffmpeg, if that is on the PATH: it is given PNG files through a pipe, and
 * writes a file that appears when it is whole. Not collective. */
#ifndef SN_RENDER_MOVIE_H
#define SN_RENDER_MOVIE_H

#include "base/status.h"

/* SN_MACHINE, and a message, if there is no ffmpeg: for asking before the pictures are made. */
SN_CHECKED sn_status sn_movie_check(void);

/* The pictures in their order, so many a second. `path` ends with .mp4. */
SN_CHECKED sn_status sn_movie_write(const char *path, double fps, const char *const *picture,
                                    int n);

#endif
