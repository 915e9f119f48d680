/* What `sinew info` says about a built model. */
#ifndef SN_CLI_INFO_H
#define SN_CLI_INFO_H

#include "model/model.h"

#include <stdbool.h>

/* Collective. Rank 0 writes to standard output: tables for people, or one JSON object. */
void sn_info_print(MPI_Comm comm, const sn_scene *scene, const sn_model *model, bool json);

typedef struct {
    const char *slice_path;   /* --picture: a slice through the octree; NULL for none */
    const char *surface_path; /* --surface: the bodies' surfaces; NULL for none */
    int width, height;        /* of both, in pixels */
    int axis;                 /* of the slice, or -1: the shortest side of the bodies' box */
    double offset;            /* of the slice; NAN: the middle */
} sn_info_pictures;

/* Collective. Whether the pictures' places look writable: asked before the model is built. */
SN_CHECKED sn_status sn_info_check_pictures(MPI_Comm comm, const sn_info_pictures *pictures);

/* Collective. */
SN_CHECKED sn_status sn_info_draw(MPI_Comm comm, const sn_scene *scene, const sn_model *model,
                                  const sn_info_pictures *pictures);

#endif
