/* What a shot writes of its frames into the run directory: the surface (io/frames/surface_write.h),
 * the cells if the scene wants them (cells.h), each with the fields that it asks for (fields.h),
 * and beside them series for XDMF readers (io/frames/series.h). */
#ifndef SN_SHOT_OUTPUT_FRAMES_H
#define SN_SHOT_OUTPUT_FRAMES_H

#include "io/frames/series.h"
#include "io/frames/surface_write.h"
#include "shot/output/cells.h"

typedef struct {
    sn_shot *shot;         /* the caller's */
    char *scene;           /* its text, as used */
    sn_surface_body *body; /* names and meshes */
    sn_surface_source surface;
    int surface_fields, cell_fields; /* 1 << sn_field_kind for each */
    sn_leaves element;               /* if cells are written */
    sn_cells cells;                  /* empty if they are not wanted */
    sn_frame_series surfaces, octrees;
} sn_shot_frames;

/* Collective. The shot must stay where it is, the frames too, and so must `run_dir`. */
void sn_shot_frames_create(sn_shot *shot, const char *run_dir, sn_shot_frames *frames);
void sn_shot_frames_free(sn_shot_frames *frames);

/* Collective. Writes the input's meshes as their files have them, whose polygons are then
 * forgotten. Once, before any frame. */
SN_CHECKED sn_status sn_shot_frames_begin(sn_shot_frames *frames);

/* Collective. Writes the frame that the shot has reached and certified, if it is one of those that
 * `output.every` asks for: the first, and every so many after it. */
SN_CHECKED sn_status sn_shot_frames_write(sn_shot_frames *frames, int frame);

/* Collective, the parts of the above: the surface, the cells. */
SN_CHECKED sn_status sn_shot_frames_write_surface(sn_shot_frames *frames, int frame);
SN_CHECKED sn_status sn_shot_frames_write_cells(sn_shot_frames *frames, int frame);

#endif
