#include "bench/solid.h"

#include "mesh/winding/shared.h"

#include <math.h>
#include <stdio.h>

static double longest_side(const sn_box *box)
{
    double longest = 0;
    for (int d = 0; d < 3; d++)
        longest = fmax(longest, box->max[d] - box->min[d]);
    return longest;
}

sn_status sn_bench_solid_load(MPI_Comm comm, const char *name, double cell, int cells,
                              sn_bench_solid *s)
{
    SN_TRY(sn_mesh_load(comm, name, NULL, &s->mesh, &s->report));
    if (cell == 0)
        cell = longest_side(&s->report.bounds) / cells;
    SN_TRY(sn_body_place(name, &s->report.bounds, cell, 0, &s->body));
    const sn_winding_tree *tree = sn_winding_tree_share(comm, &s->mesh.view, &s->winding);
    s->solid = (sn_solid){&s->mesh.view, tree, s->report.closed_chain, s->report.volume < 0};
    return SN_OK;
}

void sn_bench_solid_free(sn_bench_solid *s)
{
    sn_shared_block_free(&s->winding);
    sn_shared_mesh_free(&s->mesh);
}

sn_status sn_bench_cube(MPI_Comm comm, int cells, sn_bench_solid *s)
{
    char name[96];
    snprintf(name, sizeof name, "builtin:cube,size=%g,detail=%d", cells - 0.5, 64);
    return sn_bench_solid_load(comm, name, 1, 0, s);
}

sn_status sn_bench_cube_cells(const sn_bench *bench, const char *name, int usual, int *cells)
{
    *cells = bench->size ? (int)bench->size : usual;
    if (*cells < 4 || *cells > 32768 || (*cells & (*cells - 1)))
        return SN_FAIL(SN_BAD_INPUT,
                       "bench %s: --size is the cells along a side of a cube: a power of two from "
                       "4 to 32768, not %d",
                       name, *cells);
    return SN_OK;
}
