/* Stays, which hold the nodes of slivers: what they cost a motion of the nodes. Nothing if it is
 * affine, wherever the grid cuts a body; in a slab exactly the second difference across its
 * surface; no more after a turn, and no push or torque whatever the motion. */
#include "helpers/check.h"
#include "helpers/elastic_body.h"

#include "base/array.h"
#include "model/stays.h"

#include <math.h>
#include <string.h>

enum { SLOT = SN_SPRING_SLOTS - 1 };

static const double CELL = 0.1;
static const test_material MATERIAL = {
    .young = 3, .poisson = 0.3, .density = 1, .cut = true, .offset = 0.37};

static sn_spring_set *stays_of(test_elastic *e)
{
    return sn_system_springs(&e->solver.finest, SLOT);
}

/* ---- Motions ---- */

typedef void motion(const double from[3], double to[3]);

static double *moved(const test_elastic *e, motion *move)
{
    double *x = sn_field_new_f64(e->tree);
    for (sn_local n = 0; n < e->tree->n_nodes; n++)
        move(e->rest + 3 * n, x + 3 * n);
    return x;
}

static void stretch_and_shear(const double p[3], double q[3])
{
    q[0] = 1.3 * p[0] + 0.4 * p[1] + 1;
    q[1] = 0.2 * p[2] - 0.7 * p[1];
    q[2] = 0.9 * p[2] - 0.1 * p[0] + 2;
}

static void wave(const double p[3], double q[3])
{
    q[0] = p[0] + 0.03 * sin(9 * p[1] + 4 * p[2]);
    q[1] = p[1] + 0.03 * sin(11 * p[0]);
    q[2] = p[2] + 0.03 * sin(7 * p[0] + 8 * p[1]);
}

static void turn(const double p[3], double q[3])
{
    q[0] = 0.6 * p[0] - 0.8 * p[1];
    q[1] = 0.8 * p[0] + 0.6 * p[1];
    q[2] = p[2] + 5;
}

static void wave_and_turn(const double p[3], double q[3])
{
    double waved[3];
    wave(p, waved);
    turn(waved, q);
}

/* ---- A turned box: slivers of all kinds ---- */

static sn_mesh turned_box(void)
{
    static const double min[3] = {0, 0, 0}, max[3] = {0.9, 0.51, 0.47};
    sn_mesh box = test_box(min, max);
    for (int64_t i = 0; i < box.n_vertices; i++) {
        double v[3];
        turn(box.vertex[i], v);
        box.vertex[i][0] = v[0];
        box.vertex[i][1] = 5.0 / 13 * v[1] - 12.0 / 13 * v[2];
        box.vertex[i][2] = 12.0 / 13 * v[1] + 5.0 / 13 * v[2];
    }
    return box;
}

static double energy_of(test_elastic *e, motion *move)
{
    double *x = moved(e, move), energy = sn_spring_set_energy(stays_of(e), x);
    sn_free(x);
    return energy;
}

static void nothing_pushes_or_turns(test_elastic *e, motion *move)
{
    double *x = moved(e, move), *f = sn_field_new_f64(e->tree), sum[7] = {0};
    sn_spring_set_force_add(stays_of(e), x, f);
    for (sn_local n = 0; n < e->tree->n_nodes; n++)
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            const double *at = x + 3 * n, *force = f + 3 * n;
            sum[i] += force[i];
            sum[3 + i] += at[j] * force[k] - at[k] * force[j];
            sum[6] += fabs(force[i]);
        }
    MPI_Allreduce(MPI_IN_PLACE, sum, 7, MPI_DOUBLE, MPI_SUM, e->tree->comm);
    for (int i = 0; i < 6; i++)
        CHECK(fabs(sum[i]) < 1e-12 * sum[6], "%g of %g", sum[i], sum[6]);
    sn_free(x);
    sn_free(f);
}

static void a_turned_box(void)
{
    static test_elastic e;
    test_elastic_create(&e, turned_box(), CELL, CELL, MATERIAL, NULL);
    double waved = energy_of(&e, wave), turned = energy_of(&e, wave_and_turn);
    CHECK(stays_of(&e)->n_everywhere > 100, "%ld stays", (long)stays_of(&e)->n_everywhere);
    CHECK(waved > 0 && fabs(turned / waved - 1) < 1e-12, "%g, turned %g", waved, turned);
    CHECK(energy_of(&e, stretch_and_shear) < 1e-24 * waved, "an affine motion strains stays");
    nothing_pushes_or_turns(&e, wave);
    test_elastic_free(&e);
}

/* ---- A slab: the row of each stay is known ---- */

/* Sides along x and y in planes of the grid; z is cut, so that the uppermost cells have this. */
static const double INSIDE = 0.13;
enum { CELLS = 4 };

static sn_mesh slab(void)
{
    const double min[3] = {0, 0, 0}, max[3] = {CELLS * CELL, CELLS * CELL, (CELLS + INSIDE) * CELL};
    return test_box(min, max);
}

/* Along z, at one height of nodes only. */
static double layer;

static void lift_layer(const double p[3], double q[3])
{
    memcpy(q, p, 3 * sizeof *q);
    if (fabs(p[2] - layer * CELL) < 0.1 * CELL)
        q[2] += 0.01 * CELL;
}

/* As if the slab were thicker: bending that goes on across the surface. */
static void bend(const double p[3], double q[3])
{
    memcpy(q, p, 3 * sizeof *q);
    q[0] += 0.2 * p[0] * p[2] - 0.1 * p[1] * p[2];
}

static void a_slab(void)
{
    static test_elastic e;
    test_material m = MATERIAL;
    m.offset = 1; /* the planes of the grid go through the origin */
    test_elastic_create(&e, slab(), CELL, CELL, m, NULL);
    const int64_t nodes = (CELLS + 1) * (CELLS + 1);
    CHECK(stays_of(&e)->n_everywhere == nodes, "%ld stays", (long)stays_of(&e)->n_everywhere);
    double stiffness = SN_STAY_STIFFNESS * (1 - INSIDE / SN_FULL_FRACTION) * MATERIAL.young * CELL;
    double one = (double)nodes * stiffness / 2 * pow(0.01 * CELL, 2);
    static const double weight[] = {1, -2, 1, 0}; /* from above */
    for (int below = 0; below < 4; below++) {
        layer = CELLS + 1 - below;
        double expected = weight[below] * weight[below] * one, found = energy_of(&e, lift_layer);
        CHECK(fabs(found - expected) < 1e-9 * one, "layer %g: %g, not %g", layer, found, expected);
    }
    CHECK(energy_of(&e, bend) < 1e-20 * one, "bending strains stays");
    test_elastic_free(&e);
}

/* ---- Where there is nothing to hold ---- */

static void whole_cells_have_none(void)
{
    static test_elastic e;
    test_material m = MATERIAL;
    m.cut = false;
    test_elastic_create(&e, turned_box(), CELL, CELL, m, NULL);
    CHECK(stays_of(&e)->n_everywhere == 0, "%ld stays", (long)stays_of(&e)->n_everywhere);
    test_elastic_free(&e);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    a_turned_box();
    a_slab();
    whole_cells_have_none();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
