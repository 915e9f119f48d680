/* Frames of the deformed surface: surface_0001.vtkhdf and so on in the run directory.
 *
 * A frame is a VTKHDF file of the type UnstructuredGrid, which VTK from 9.1 and ParaView from
 * 5.11 open as a series. No rank gathers anything: embedded vertices are scattered over the ranks,
 * so they are first sent to ranks that hold slabs of the vertex order, and then all write together.
 *
 *     /VTKHDF           what VTK reads: Points (float64: the solver's bits), Connectivity,
 *                       Offsets, Types; CellData/body has each triangle's body, PointData the
 *                       fields that were asked for
 *     /sinew            attributes frame, time, fps, version, units, and the scene as it was used;
 *                       of the bodies name, first_point and first_face; where vertices of an input
 *                       file are one point, split at a seam, vertex_point and first_vertex
 * (meshes.h)
 *
 * Faces are the triangles of the meshes as loaded: the input's, polygons cut up. */
#ifndef SN_IO_FRAMES_SURFACE_WRITE_H
#define SN_IO_FRAMES_SURFACE_WRITE_H

#include "io/frames/vtkhdf.h"
#include "mesh/mesh.h"

/* Their kind, as in files.h. */
#define SN_SURFACE_FRAMES "surface"

typedef struct {
    const char *name;
    const sn_mesh *mesh;        /* all of it, on every rank */
    const sn_mesh_asset *asset; /* on rank 0; only its vertices are needed. NULL on others */
} sn_surface_body;

/* What all frames of a run share; all of it is the caller's and stays. */
typedef struct {
    MPI_Comm comm;
    const char *run_dir;
    const char *scene; /* text of the scene, on every rank */
    int first_frame;   /* which is at time 0 */
    double fps;
    const sn_surface_body *body;
    int n_bodies;
    const int64_t *vertex; /* numbers of this rank's vertices, counted through all bodies */
    size_t n;
} sn_surface_source;

static inline double sn_surface_time(const sn_surface_source *source, int frame)
{
    return (frame - source->first_frame) / source->fps;
}

/* Collective. Writes a frame, of which `position` and the fields have this rank's vertices. A
 * failure leaves no half file. */
SN_CHECKED sn_status sn_surface_write(const sn_surface_source *source, int frame,
                                      const double (*position)[3], const sn_frame_array *fields,
                                      int n_fields);

#endif
