/* The model: what a scene describes, loaded and built. Its bodies' meshes and winding trees
 * are held once a node, its octrees are distributed.
 *
 * Cells that the surface cuts count by the fraction that is inside (octree/fraction.h), or as
 * whole ones where the scene says so (cut_cells). An open mesh that encloses next to nothing of its
 * cells, a sheet, has no inside to weigh: it gets whole cells, and a warning. */
#ifndef SN_MODEL_MODEL_H
#define SN_MODEL_MODEL_H

#include "io/mesh/load.h"
#include "io/scene/scene.h"
#include "octree/fraction.h"
#include "octree/hierarchy.h"

typedef struct {
    sn_shared_mesh *mesh;  /* of each body */
    sn_mesh_asset **asset; /* on rank 0 as its file has it; NULL on others, and if it is built in */
    sn_mesh_report *report;   /* what was found about it */
    sn_shared_block *winding; /* tree of its winding numbers */
    sn_solid *solid;
    sn_bodies bodies;
    sn_hierarchy forest;
    /* Of each local element of the finest level: the part that is inside, and its centroid. */
    double *fraction;
    float (*centroid)[3];
} sn_model;

/* Collective. Failures name the scene's file, line and key. After one there is nothing to
 * free. The model does not move: its parts point at each other. */
SN_CHECKED sn_status sn_model_create(MPI_Comm comm, const sn_scene *scene, sn_model *model);
void sn_model_free(sn_model *model);

/* Collective: the volume of a body's elements on the finest level, of cut ones what counts. */
double sn_model_volume(const sn_model *model, int body);

#endif
