#include "octree/body.h"

#include <float.h>
#include <math.h>

/* Extents that exceed a whole number of cells by less than this get no cell more. Vertices move as
 * far when they are snapped to the grid (mesh/overlap.h), so that the surface is in the outermost
 * planes then, and the rounding of files in single precision is forgiven. */
static const double WHOLE_CELL_TOLERANCE = 0x1p-13;

/* Positions must tell this part of a cell: strains are differences of them. */
static const double LEAST_PART_OF_CELL = 0x1p-20;

static int root_height_for(const int32_t cells[3])
{
    int height = 1;
    for (int d = 0; d < 3; d++)
        while ((int32_t)sn_edge(height) < cells[d])
            height++;
    return height;
}

/* Coarse elements reach beyond the mesh, up to the next multiple of their edge. In a root
 * cube of 2^16 cells their far corners must still be addressable. */
static int max_height_for(const int32_t cells[3], int root_height)
{
    int height = root_height;
    for (int d = 0; d < 3; d++) {
        while (height > 0) {
            int32_t edge = (int32_t)sn_edge(height);
            if ((cells[d] + edge - 1) / edge * edge <= SN_MAX_COORDINATE)
                break;
            height--;
        }
    }
    return height;
}

double sn_body_reach(double cell)
{
    return cell * LEAST_PART_OF_CELL / DBL_EPSILON;
}

static double farthest_coordinate(const sn_box *bounds)
{
    double farthest = 0;
    for (int d = 0; d < 3; d++)
        farthest = fmax(farthest, fmax(fabs(bounds->min[d]), fabs(bounds->max[d])));
    return farthest;
}

sn_status sn_body_place(const char *what, const sn_box *bounds, double cell, double coarsest,
                        sn_body *body)
{
    double extent[3], largest = 0;
    for (int d = 0; d < 3; d++) {
        extent[d] = bounds->max[d] - bounds->min[d];
        largest = fmax(largest, extent[d]);
    }
    if (!(cell > 0) || !isfinite(cell))
        return SN_FAIL(SN_BAD_INPUT, "%s: a cell of %g is not possible: expected a number above 0",
                       what, cell);
    if (!(cell <= largest))
        return SN_FAIL(SN_BAD_INPUT, "%s: a cell of %g is larger than the mesh, which spans %g",
                       what, cell, largest);
    if (!(largest / cell + 1 < SN_MAX_COORDINATE))
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: cells of %g are too small: the mesh spans %g, and at most %d cells fit "
                       "along an axis (a cell of %g would do)",
                       what, cell, largest, SN_MAX_COORDINATE, largest / (SN_MAX_COORDINATE - 2));
    if (!(farthest_coordinate(bounds) <= sn_body_reach(cell)))
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: cells of %g are too small so far from the origin: numbers near %g are "
                       "%g apart (closer than %g would do)",
                       what, cell, farthest_coordinate(bounds),
                       farthest_coordinate(bounds) * DBL_EPSILON, sn_body_reach(cell));
    *body = (sn_body){.cell = cell};
    for (int d = 0; d < 3; d++) {
        body->cells[d] = (int32_t)fmax(ceil(extent[d] / cell - WHOLE_CELL_TOLERANCE), 1);
        double center = bounds->min[d] + extent[d] / 2;
        body->origin[d] = center - body->cells[d] * cell / 2;
    }
    int root = root_height_for(body->cells);
    body->root_height = (uint8_t)root;
    body->max_height = (uint8_t)max_height_for(body->cells, root);
    body->coarsest = body->max_height;
    if (coarsest > 0)
        while (body->coarsest > 0 &&
               sn_edge(body->coarsest) * cell > coarsest * (1 + WHOLE_CELL_TOLERANCE))
            body->coarsest--;
    return SN_OK;
}

bool sn_bodies_are_welded(const sn_bodies *bodies)
{
    bool welded = true;
    for (int b = 0; b < bodies->n; b++)
        welded = welded && bodies->body[b].welded;
    return welded;
}
