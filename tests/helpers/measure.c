#include "helpers/measure.h"

#include "helpers/check.h"

#include <math.h>

static double inside(const char *name, const sn_hierarchy *forest, const sn_solid *solid)
{
    const sn_octree *tree = &forest->level[0];
    sn_local n = tree->n_elements + tree->n_ghost_elements;
    double *fraction = SN_NEW(double, n);
    float(*centroid)[3] = SN_NEW(float[3], n);
    sn_status status = sn_element_fractions(forest, solid, &(bool){true}, fraction, centroid);
    CHECK(status == SN_OK, "%s: %s", name, sn_failure_message());
    double volume = sn_octree_volume(tree, 0, fraction);
    sn_free(fraction);
    sn_free(centroid);
    return volume;
}

static measured_octree measure_hierarchy(const char *name, const sn_hierarchy *forest,
                                         const sn_solid *solid)
{
    for (int l = 0; l < forest->n_levels; l++)
        CHECK(sn_octree_check(&forest->level[l]) == SN_OK, "%s, level %d: %s", name, l,
              sn_failure_message());
    CHECK(forest->n_levels > 1, "%s: only one level", name);
    return (measured_octree){.volume = sn_octree_volume(&forest->level[0], 0, NULL),
                             .inside = inside(name, forest, solid),
                             .elements = sn_octree_count(&forest->level[0]).elements,
                             .digest = sn_hierarchy_digest(forest)};
}

measured_octree measure_octree(const char *name, const sn_mesh *mesh, const sn_mesh_report *report,
                               double cell)
{
    sn_body body;
    sn_status status = sn_body_place(name, &report->bounds, cell, 0, &body);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    void *winding = SN_NEW(char, sn_winding_tree_bytes(mesh->n_triangles));
    sn_winding_tree_build(mesh, winding);
    sn_solid solid = {mesh, winding, report->closed_chain, report->volume < 0};
    sn_bodies bodies = {1, &body};
    sn_hierarchy forest;
    status =
        sn_hierarchy_create(MPI_COMM_WORLD, &bodies, &solid, &(sn_hierarchy_options){0}, &forest);
    CHECK(status == SN_OK, "%s: %s", name, sn_failure_message());
    measured_octree measured = {0};
    if (status == SN_OK) {
        measured = measure_hierarchy(name, &forest, &solid);
        sn_hierarchy_free(&forest);
    }
    sn_free(winding);
    return measured;
}

double expected_excess(const sn_mesh *mesh, double cell)
{
    double norms = 0;
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        const int32_t *corner = mesh->triangle[t];
        const double *a = mesh->vertex[corner[0]], *b = mesh->vertex[corner[1]],
                     *c = mesh->vertex[corner[2]];
        for (int x = 0; x < 3; x++) {
            int y = (x + 1) % 3, z = (x + 2) % 3;
            norms += fabs((b[y] - a[y]) * (c[z] - a[z]) - (b[z] - a[z]) * (c[y] - a[y])) / 2;
        }
    }
    return norms * cell / 2;
}

double longest_side(const sn_box *box)
{
    double longest = 0;
    for (int d = 0; d < 3; d++)
        longest = fmax(longest, box->max[d] - box->min[d]);
    return longest;
}
