#include "model/room.h"

#include "base/memory.h"

#include <math.h>

/* A plane cuts a cell in at most the square root of two of its faces, so each triangle meets at
 * least so many cells for a cell's face of its area. Where sheets lie closer than cells some are
 * met several times, but each triangle finds them for itself, and they are there until they are
 * sorted. */
static const double CELLS_A_FACE = 0.7071;

/* A cell's octants, nodes and ghosts on all levels, at least. */
static const double LEAST_BYTES = 300;

static double cells_of(const sn_scene *scene, const sn_mesh_report *report, size_t b)
{
    double cell = scene->bodies.data[b].cell;
    return CELLS_A_FACE * report[b].area / (cell * cell);
}

sn_status sn_require_room(MPI_Comm comm, const sn_scene *scene, const sn_mesh_report *report)
{
    double cells = 0, there = sn_machine_memory(comm);
    size_t most = 0;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        double own = cells_of(scene, report, b);
        cells += own;
        most = own > cells_of(scene, report, most) ? b : most;
    }
    double wanted = LEAST_BYTES * cells;
    if (wanted <= there)
        return SN_OK;
    double cell = scene->bodies.data[most].cell;
    return sn_origin_fail(
        &scene->origin, sn_key_path("bodies[%zu].cell", most).text,
        "cells of %g are too small: surfaces pass through %.2g of them, which take "
        "%.3g GB at least, and there are %.3g GB (a cell of %.2g might do)",
        cell, cells, wanted * 1e-9, there * 1e-9, cell * sqrt(wanted / there));
}
