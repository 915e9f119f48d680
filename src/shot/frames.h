/* What a shot writes of its frames into the run directory: the surface (io/surface_write.h), and
 * the cells if the scene wants them (cells.h). */
#ifndef SN_SHOT_FRAMES_H
#define SN_SHOT_FRAMES_H

#include "io/surface_write.h"
#include "shot/cells.h"
#include "shot/shot.h"

typedef struct {
    sn_shot *shot;         /* the caller's */
    char *scene;           /* its text, as used */
    sn_surface_body *body; /* names and meshes */
    sn_surface_source surface;
    sn_cells cells; /* empty if they are not wanted */
} sn_shot_frames;

/* Collective. The shot must stay where it is. */
void sn_shot_frames_create(sn_shot *shot, sn_shot_frames *frames);
void sn_shot_frames_free(sn_shot_frames *frames);

/* Collective. Writes the frame that the shot has reached, if it is one of those that
 * `output.every` asks for: the first, and every so many after it. */
SN_CHECKED sn_status sn_shot_frames_write(const sn_shot_frames *frames, int frame);

#endif
