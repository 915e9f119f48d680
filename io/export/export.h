/* The surface frames of a run for other programs: caches and meshes that these read.
 *
 * Coordinates are written as they are: which axis is up is the importing program's to say. What
 * is exported is one mesh: a body, or all bodies together. Vertices, polygons and places in the
 * texture are those of the files that the run began with, in their order (io/frames/meshes.h).
 * Files appear when they are whole. Not collective: one rank exports, frame by frame, so that one
 * frame's memory is enough. */
#ifndef SN_IO_EXPORT_EXPORT_H
#define SN_IO_EXPORT_EXPORT_H

#include "base/affine.h"
#include "io/frames/meshes.h"
#include "mesh/mesh.h"

#include <stdio.h>

/* What goes along with the flesh in a stage: a mesh, and where it is at a frame. */
typedef struct {
    const char *group, *name; /* "bones", "shin" */
    const sn_mesh *mesh;
    sn_affine (*at)(const void *context, double frame);
    const void *context;
} sn_export_prop;

typedef struct {
    const char *run_dir;
    const char *body;   /* NULL: all of them, as one mesh */
    const char *output; /* the file; of formats with a file a frame with a # for each digit */
    const char *frames; /* which are wanted (io/frames/frame_set.h); NULL: all */
    /* What USD wants to know: the axis that goes up, 'Y' or 'Z', and a length of 1 in metres. */
    char up;
    double metres;
    const sn_export_prop *prop; /* of USD; those of a group follow each other */
    size_t n_props;
} sn_export;

/* How a format is called, and what the files of its own are called by default. */
typedef struct {
    const char *name, *meaning;
    sn_status (*write)(const sn_export *what);
    int file_a_frame; /* true: OBJ, PLY; false: one file for all */
} sn_export_format;

extern const sn_export_format sn_export_formats[];
extern const int sn_export_format_count;

/* Points and faces of a frame that belong to the body, or all. */
sn_surface_body_range sn_export_part(const sn_export *what, const sn_surface_frame *frame);

/* Whether a body of the frame is exported. */
bool sn_export_has_body(const sn_export *what, const sn_surface_frame *frame, int body);

/* Whether all corners of the part that are at the same vertex have one place in the texture, so
 * that it is the vertex's; if so `uv_of_vertex` (for sn_free) has its number for each, -1: none. */
bool sn_export_uvs_of_vertices(const sn_surface_frame *frame, const sn_surface_body_range *part,
                               int64_t **uv_of_vertex);

/* The parts of the above: the formats. */
SN_CHECKED sn_status sn_export_pc2(const sn_export *what);
SN_CHECKED sn_status sn_export_mdd(const sn_export *what);
SN_CHECKED sn_status sn_export_obj(const sn_export *what);
SN_CHECKED sn_status sn_export_ply(const sn_export *what);
SN_CHECKED sn_status sn_export_usda(const sn_export *what);

/* What the formats are made with: a walk through the frames, which must follow each other evenly
 * and be of one mesh. `visit` is called for each in turn; `index` counts from 0. */
typedef struct {
    int n;
    int *frame;        /* their numbers, ascending */
    int step;          /* from each to the next; 1 if there is only one */
    double *time, fps; /* in seconds, and frames a second */
    int64_t n_points;  /* of what is exported */
    bool has_meshes;
    sn_meshes meshes;
} sn_export_frames;

SN_CHECKED sn_status sn_export_frames_open(const sn_export *what, sn_export_frames *frames);
void sn_export_frames_free(sn_export_frames *frames);

typedef sn_status sn_export_visit(const sn_export *what, const sn_surface_frame *frame, int index,
                                  void *context);
SN_CHECKED sn_status sn_export_each(const sn_export *what, const sn_export_frames *frames,
                                    sn_export_visit *visit, void *context);

#endif
