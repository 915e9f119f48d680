/* Frames coloured by a field: that of the surface's vertices, or else of the octree's cells, which
 * are then seen themselves. */
#ifndef SN_RENDER_COLOURING_H
#define SN_RENDER_COLOURING_H

#include "io/scene/scene.h"
#include "render/colour.h"
#include "render/run_frames.h"

typedef struct {
    const char *field; /* the caller's; NULL: none, bodies have their own colours */
    bool in_cells;     /* the surface has no such field, the octree's frames have */
    double low, high;  /* what has the first and the last colour */
} sn_colouring;

/* Collective. Looks for the field in a frame; if there is none the failure says which there are.
 * Low and high are NAN then. */
SN_CHECKED sn_status sn_colouring_find(MPI_Comm comm, const char *run_dir, int frame,
                                       const char *field, sn_colouring *colouring);

/* Not collective. The frame's meshes with values; without a field just the meshes. Cells are one
 * mesh of the faces that they show, each face with vertices of its own. */
SN_CHECKED sn_status sn_coloured_meshes_read(const sn_colouring *colouring, const char *run_dir,
                                             int frame, sn_frame_meshes *meshes);

/* Not collective: the range grows to hold the values. */
void sn_colouring_widen(sn_colouring *colouring, const sn_frame_meshes *meshes);

/* Collective: becomes that of all ranks together; never empty. */
void sn_colouring_unite(MPI_Comm comm, sn_colouring *colouring);

/* The colours of so many values; the caller frees them. */
sn_colour *sn_colouring_colours(const sn_colouring *colouring, const float *values, int64_t n);

#endif
