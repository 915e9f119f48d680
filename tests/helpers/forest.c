#include "helpers/forest.h"

#include "base/log.h"

const test_way test_ways[TEST_WAYS] = {
    {"the curve", {.octants_per_rank = 1}},
    {"the curve, coarse levels on few ranks", {0}},
    {"ParMETIS", {.method = SN_PARTITION_PARMETIS, .octants_per_rank = 1}},
    {"ParMETIS, coarse levels on few ranks", {.method = SN_PARTITION_PARMETIS}},
};

void test_forest_add(test_forest *f, sn_mesh mesh, bool closed, double cell)
{
    int b = f->n++;
    f->solid[b] = test_solid_of(mesh, closed);
    f->view[b] = f->solid[b].solid;
    f->view[b].mesh = &f->solid[b].mesh;
    sn_box bounds = sn_mesh_bounds(&f->solid[b].mesh);
    if (sn_body_place("body", &bounds, cell, 0, &f->body[b]) != SN_OK)
        sn_abort(SN_MACHINE, __FILE__, __LINE__, "%s", sn_failure_message());
    f->bodies = (sn_bodies){f->n, f->body};
}

void test_forest_free(test_forest *f)
{
    for (int b = 0; b < f->n; b++)
        test_solid_free(&f->solid[b]);
}

void test_forest_weld(test_forest *f)
{
    for (int b = 0; b < f->n; b++)
        f->body[b].welded = true;
}

sn_status test_forest_build(const test_forest *f, MPI_Comm comm, sn_hierarchy_options options,
                            sn_hierarchy *hierarchy)
{
    return sn_hierarchy_create(comm, &f->bodies, f->view, &options, hierarchy);
}
