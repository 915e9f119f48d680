/* What benches are run on: a cube, or a builtin shape. */
#ifndef SN_BENCH_SOLID_H
#define SN_BENCH_SOLID_H

#include "bench/bench.h"
#include "io/mesh/load.h"
#include "octree/hierarchy.h"

typedef struct {
    sn_shared_mesh mesh;
    sn_mesh_report report;
    sn_shared_block winding;
    sn_solid solid;
    sn_body body;
} sn_bench_solid;

/* Collective. A mesh by name, with cells of the given size, or, if that is 0, with so many along
 * the longest side of its bounds. */
SN_CHECKED sn_status sn_bench_solid_load(MPI_Comm comm, const char *name, double cell, int cells,
                                         sn_bench_solid *s);
void sn_bench_solid_free(sn_bench_solid *s);

/* Collective. A cube that fills a root of `cells` = 2^n cells of size 1 a side and is refined at
 * its sides: a complete tree, which p4est can build too. */
SN_CHECKED sn_status sn_bench_cube(MPI_Comm comm, int cells, sn_bench_solid *s);

/* What --size asks for, or `usual`: the cells along a side of such a cube. */
SN_CHECKED sn_status sn_bench_cube_cells(const sn_bench *bench, const char *name, int usual,
                                         int *cells);

#endif
