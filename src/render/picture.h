/* A picture: geometry, seen by a camera, in a common light.
 *
 * There are two ways to draw one. With sn_picture_draw the geometry is spread over the ranks.
 * Every rank makes the same empty picture and adds what it owns. A rank sees its own geometry
 * only: each draws the whole picture, and for each sample the nearest hit of all ranks wins
 * (sort-last compositing); nothing throws a shadow. With sn_picture_render one rank has all of
 * it, and light is traced: soft shadows, a sky that is hidden in places, a ground. Either way the
 * picture is the same, byte for byte, on any number of ranks and threads.
 *
 * Hides Embree, single precision and the shading. Geometry is copied when it is added. */
#ifndef SN_RENDER_PICTURE_H
#define SN_RENDER_PICTURE_H

#include "base/status.h"
#include "render/camera.h"
#include "render/colour.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct sn_picture sn_picture;

typedef struct {
    sn_colour top, bottom; /* blended from the upper to the lower edge */
} sn_background;

sn_picture *sn_picture_create(int width, int height, const sn_camera *camera,
                              sn_background background);
void sn_picture_free(sn_picture *picture);

/* The plane where coordinate `axis` is `offset`. What lies between it and the eye is cut away
 * from geometry that is added later and asks for it. */
void sn_picture_cut(sn_picture *picture, int axis, double offset);

/* What is inside shows through what is sheer, and is otherwise not there: it throws no shadow on
 * the rest. So what is sheer looks solid wherever nothing inside lies behind it. Only
 * sn_picture_render draws what is inside. */
typedef enum { SN_SOLID, SN_SHEER, SN_INSIDE } sn_substance;

typedef struct {
    sn_colour colour;
    bool cut; /* by the picture's plane */
    sn_substance substance;
    const sn_colour
        *of_vertex; /* instead of the one colour, for each vertex of the mesh; or NULL */
} sn_mesh_look;

/* Adds the triangles [first, first + count) of a mesh, shaded smoothly except at creases.
 * Normals come from all its triangles, so ranks that hold the same mesh and add a part of it each
 * leave no seam. */
void sn_picture_add_mesh(sn_picture *picture, const sn_mesh *mesh, int64_t first, int64_t count,
                         const sn_mesh_look *look);

/* An octree cell, or any cube. */
typedef struct {
    double min[3], edge;
    sn_colour colour;
} sn_cell;

/* Adds the cross-sections with the picture's plane: squares in exactly the cell's colour, with
 * dark borders. A cell is cut if min <= offset < min + edge along the axis, so neighbours are
 * not both drawn; cells that are not cut are skipped. */
void sn_picture_add_sections(sn_picture *picture, const sn_cell *cell, int64_t count);

/* The level ground of sn_picture_render: endless, as bright as the background, and taking the
 * shadows of what stands on it. It fades into the background. */
typedef struct {
    double middle[3], normal[3];
    double reach; /* from the middle, to where it begins to fade */
} sn_ground;

void sn_picture_set_ground(sn_picture *picture, const sn_ground *ground);

/* Rows go from top to bottom. */
typedef struct {
    int width, height;
    uint8_t *rgba; /* four bytes a pixel: sRGB, and 255 */
    /* Of sn_picture_draw only: the distance along the ray through the pixel's centre; infinite if
     * it hits nothing. */
    float *depth;
} sn_image;

/* Collective. Rank 0 gets the picture; the others get an empty image. The picture may be added
 * to and drawn again. */
SN_CHECKED sn_status sn_picture_draw(const sn_picture *picture, MPI_Comm comm, sn_image *image);

/* Not collective: draws all that this rank has added, which may be meshes only, with so many
 * samples a pixel. Memory: about 150 bytes a triangle beside the mesh, Embree's tree included. */
SN_CHECKED sn_status sn_picture_render(const sn_picture *picture, int samples, sn_image *image);

void sn_image_free(sn_image *image);

#endif
