/* Frames of the octree's cells, read back: hexahedra and their points.
 *
 * Reads what shot/output/cells.h wrote, on one rank alone. Bad files are reported, never believed.
 */
#ifndef SN_IO_FRAMES_OCTREE_READ_H
#define SN_IO_FRAMES_OCTREE_READ_H

#include "base/status.h"

#include <stdint.h>

/* Their kind, as in files.h. */
#define SN_OCTREE_FRAMES "octree"

enum { SN_HEXAHEDRON_CORNERS = 8 };

/* Which of VTK's corners of a hexahedron is where: its bits are x, y and z. VTK goes around the
 * faces. The same table leads back. */
static const int SN_VTK_CORNER[SN_HEXAHEDRON_CORNERS] = {0, 1, 3, 2, 4, 5, 7, 6};

typedef struct {
    int64_t n_points, n_cells;
    float (*point)[3];
    int64_t (*corner)[SN_HEXAHEDRON_CORNERS]; /* in VTK's order */
} sn_octree_frame;

/* Not collective. SN_BAD_INPUT if there is no such frame, or it is none of Sinew's. After a failure
 * there is nothing to free. */
SN_CHECKED sn_status sn_octree_frame_read(const char *run_dir, int frame, sn_octree_frame *out);
void sn_octree_frame_free(sn_octree_frame *frame);

#endif
