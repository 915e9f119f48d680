/* Frames of a run as meshes, and which of them are wanted. */
#ifndef SN_RENDER_RUN_FRAMES_H
#define SN_RENDER_RUN_FRAMES_H

#include "io/frames/surface_read.h"
#include "io/scene/scene.h"
#include "mesh/mesh.h"

/* The frames that a run directory has, ascending, the same on all ranks. */
typedef struct {
    int *number;
    int n;
} sn_frame_list;

/* Collective. Fails if there is none. */
SN_CHECKED sn_status sn_frame_list_read(MPI_Comm comm, const char *run_dir, sn_frame_list *list);
void sn_frame_list_free(sn_frame_list *list);

/* Those that a text such as "7" or "1:48,60" asks for (io/frames/frame_set.h); all if it is NULL. A
 * frame that the scene would write and that is not there is a failure. */
SN_CHECKED sn_status sn_frame_list_choose(const sn_frame_list *there, const sn_scene *scene,
                                          const char *wanted, sn_frame_list *chosen);

/* Not collective. One mesh for each body of the frame; faces are cut into triangles, and have no
 * numbers. */
typedef struct {
    sn_mesh *body;
    int n_bodies;
    float **value; /* of each body's vertices (colouring.h); NULL: there are none */
} sn_frame_meshes;

SN_CHECKED sn_status sn_frame_meshes_read(const char *run_dir, int frame, sn_frame_meshes *meshes);
void sn_frame_meshes_free(sn_frame_meshes *meshes);

#endif
