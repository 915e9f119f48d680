#include "model/room.h"

#include "base/memory.h"
#include "survey/cost.h"

#include <math.h>

static double cells_of(const sn_scene *scene, const sn_mesh_report *report, size_t b)
{
    double cell = scene->bodies.data[b].cell;
    return sn_least_cells(report[b].area, cell);
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
    double wanted = sn_least_bytes(cells);
    if (wanted <= there)
        return SN_OK;
    double cell = scene->bodies.data[most].cell;
    return sn_origin_fail(
        &scene->origin, sn_key_path("bodies[%zu].cell", most).text,
        "cells of %g are too small: surfaces pass through %.2g of them, which take "
        "%.3g GB at least, and there are %.3g GB (a cell of %.2g might do)",
        cell, cells, wanted * 1e-9, there * 1e-9, cell * sqrt(wanted / there));
}
