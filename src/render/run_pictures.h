/* The frames of a run directory as pictures: render_0001.png ..., a contact sheet, a movie.
 *
 * Ranks share out the frames; a rank holds one frame at a time, and small pictures for the sheet.
 * One camera is for all of them, and one range of colours. */
#ifndef SN_RENDER_RUN_PICTURES_H
#define SN_RENDER_RUN_PICTURES_H

#include "io/scene/scene.h"

typedef struct {
    const char *run_dir;
    const char *frames; /* such as "7" or "1-48,60"; NULL: all */
    const char *output; /* the folder, made if it is not there; NULL: render in the run directory */
    const char *field;  /* what colours them (colouring.h); NULL: bodies have their own colours */
    bool has_range;
    double range[2];   /* what has the first and the last colour, if not all values of the frames */
    bool sheet, movie; /* sheet.png and movie.mp4 beside them */
} sn_render_wanted;

/* Collective. `scene` is the one of the run directory. Frames that were written stay when another
 * one fails. */
SN_CHECKED sn_status sn_render_run(MPI_Comm comm, const sn_scene *scene,
                                   const sn_render_wanted *wanted);

#endif
