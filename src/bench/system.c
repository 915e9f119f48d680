#include "bench/system.h"

#include "base/array.h"
#include "base/digest.h"
#include "base/timer.h"
#include "model/materials.h"
#include "model/stays.h"
#include "octree/positions.h"

#include <math.h>

static const sn_law_kind LAW = SN_LAW_COROTATED;

static double middle(const sn_box *bounds)
{
    return (bounds->min[0] + bounds->max[0]) / 2;
}

/* Of all local elements. */
typedef struct {
    double *fraction, *young;
    float (*centroid)[3]; /* the system's */
    sn_law_parameters *parameters;
} materials;

static materials make_room(const sn_octree *tree, float (*centroid)[3])
{
    sn_local n = tree->n_elements + tree->n_ghost_elements;
    return (materials){.fraction = SN_NEW(double, n),
                       .young = SN_NEW(double, n),
                       .centroid = centroid,
                       .parameters = SN_NEW(sn_law_parameters, n)};
}

static void free_materials(materials *m)
{
    sn_free(m->fraction);
    sn_free(m->young);
    sn_free(m->parameters);
}

/* Cut cells as scenes have them. */
static sn_status fill_materials(const sn_hierarchy *forest, const sn_bench_solid *solid,
                                sn_bench_material m, materials *to)
{
    const sn_octree *tree = &forest->level[0];
    sn_local n = tree->n_elements + tree->n_ghost_elements;
    double(*centre)[3] = SN_NEW(double[3], n);
    sn_octree_element_centres(tree, centre);
    sn_status status =
        sn_element_fractions(forest, &solid->solid, &(bool){true}, to->fraction, to->centroid);
    for (sn_local e = 0; e < n; e++) {
        to->young[e] = centre[e][0] < middle(&solid->report.bounds) ? 1 : m.stiffness_jump;
        sn_law_parameters whole = sn_law_parameters_of(LAW, to->young[e], m.poisson, m.hourglass);
        to->parameters[e] = sn_cut_parameters(LAW, whole, to->fraction[e], to->centroid[e]);
    }
    sn_free(centre);
    return status;
}

/* Within a cell of one end of the bounds in all directions. */
static bool at_corner(const sn_box *bounds, double cell, const double x[3])
{
    const double reach = 1.25 * cell; /* the octree's cells stick out of the bounds by a part */
    for (int d = 0; d < 3; d++)
        if (x[d] > bounds->min[d] + reach && x[d] < bounds->max[d] - reach)
            return false;
    return true;
}

static bool is_low(const sn_box *bounds, const double x[3])
{
    const double held_part = 0.1;
    return x[2] < bounds->min[2] + held_part * (bounds->max[2] - bounds->min[2]);
}

static void fill_pins(const sn_octree *tree, const sn_bench_solid *solid, bool on_its_base,
                      double (*rest)[3], uint8_t *pinned)
{
    const sn_box *bounds = &solid->report.bounds;
    int corners = 0;
    for (sn_local n = 0; n < tree->n_nodes; n++)
        corners += pinned[n] = !on_its_base && at_corner(bounds, solid->body.cell, rest[n]);
    MPI_Allreduce(MPI_IN_PLACE, &corners, 1, MPI_INT, MPI_SUM, tree->comm);
    for (sn_local n = 0; corners == 0 && n < tree->n_nodes; n++)
        pinned[n] = is_low(bounds, rest[n]);
}

static sn_status create_finest(sn_bench_solid *solid, sn_bench_material m, sn_bench_system *s,
                               double (*rest)[3])
{
    sn_octree *tree = &s->forest.level[0];
    double *mass = SN_NEW_ZERO(double, tree->n_nodes);
    uint8_t *pinned = SN_NEW(uint8_t, tree->n_nodes);
    s->centroid = SN_NEW(float[3], tree->n_elements + tree->n_ghost_elements);
    materials made = make_room(tree, s->centroid);
    sn_status status = fill_materials(&s->forest, solid, m, &made);
    fill_pins(tree, solid, m.on_its_base, rest, pinned);
    if (status == SN_OK)
        status = sn_system_create(tree, LAW, made.parameters, mass, pinned, NULL,
                                  sn_multigrid_is_single(&m.multigrid), &s->finest);
    if (status == SN_OK) {
        sn_operator_set_points(&s->finest.op, (const float(*)[3])s->centroid);
        status = sn_stays_tie(&s->finest, 0, made.fraction, made.young);
    }
    free_materials(&made);
    sn_free(mass);
    sn_free(pinned);
    return status;
}

static sn_status create_multigrid(sn_bench_solid *solid, sn_bench_material m, sn_bench_system *s)
{
    double *x = sn_field_new_f64(&s->forest.level[0]);
    sn_octree_node_positions(&s->forest.level[0], (double(*)[3])x);
    sn_status status = create_finest(solid, m, s, (double(*)[3])x);
    sn_level_groups groups = sn_multigrid_groups(&m.multigrid, &s->forest);
    if (status == SN_OK)
        status = sn_levels_create(&s->forest, &groups, &s->finest, &s->levels);
    if (status == SN_OK)
        status = sn_multigrid_create(&s->forest, &s->levels, m.multigrid, &s->mg);
    if (status == SN_OK) {
        s->preconditioner = sn_multigrid_preconditioner(&s->mg);
        sn_system_linearise(&s->finest, x, 1, 0, NULL);
        s->prepare_seconds = -sn_timer_elapsed();
        status = sn_multigrid_prepare(&s->mg, x);
        s->prepare_seconds += sn_timer_elapsed();
    }
    sn_free(x);
    return status;
}

sn_status sn_bench_system_create(MPI_Comm comm, sn_bench_solid *solid, sn_bench_material material,
                                 sn_bench_system *s)
{
    *s = (sn_bench_system){.bodies = {1, &solid->body}};
    sn_hierarchy_options options = {0};
    SN_TRY(sn_hierarchy_create(comm, &s->bodies, &solid->solid, &options, &s->forest));
    sn_status status = create_multigrid(solid, material, s);
    if (status != SN_OK)
        sn_bench_system_free(s);
    return status;
}

void sn_bench_system_free(sn_bench_system *s)
{
    sn_multigrid_free(&s->mg);
    sn_levels_free(&s->levels);
    sn_system_free(&s->finest);
    sn_hierarchy_free(&s->forest);
    sn_free(s->centroid);
    s->centroid = NULL;
}

double *sn_bench_system_random(const sn_bench_system *s)
{
    const sn_octree *tree = &s->forest.level[0];
    double *u = sn_field_new_f64(tree);
    sn_key *keys = sn_octree_node_keys(tree);
    for (sn_local n = 0; n < tree->n_nodes; n++)
        for (uint64_t d = 0; d < SN_NODE_REALS; d++) {
            uint64_t words[2] = {keys[n], d};
            double value = (double)(sn_digest_bytes(words, sizeof words) >> 11) * 0x1p-52 - 1;
            u[SN_NODE_REALS * (size_t)n + d] = s->finest.pinned[n] ? 0 : value;
        }
    sn_free(keys);
    return u;
}
