/* A cube hits a floor with an edge, at seven tenths of the speed of sound in it: the slivers along
 * the edge are crushed at once. Every frame must come within its tolerance, and energy, that of
 * contacts included, may only fall: there is no gravity, but damping and friction. The cube is
 * turned in the grid, so its slivers are of all kinds. */
#include "helpers/check.h"
#include "helpers/scene_text.h"
#include "shot/shot.h"

#include <string.h>

enum { FRAMES = 10 };

static const double TOLERANCE = 1e-3;

static const char scene_text[] =
    "name: edge\n"
    "frames: {first: 1, last: 10, fps: 24, substeps: 3}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  - name: cube\n"
    "    mesh: 'builtin:cube,size=0.45,detail=6'\n"
    "    place: {rotate: {axis: [1, 1, 0], degrees: 40}, translate: [0.013, 0.41, 0.021]}\n"
    "    cell: 0.075\n"
    "    velocity: {linear: [0, -4.5, 0]}\n"
    "    material: {young: 4.0e4, poisson: 0.4, density: 1000, damping: 0.01}\n"
    "colliders:\n"
    "  - {name: floor, shape: {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}, friction: 0.3}\n"
    "solver: {newton: {max: 20, tolerance: 1.0e-3}, linear: {max: 30, tolerance: 1.0e-2}}\n"
    "output: {dir: run}\n";

static void must(sn_status status)
{
    if (status != SN_OK)
        sn_abort(status, __FILE__, __LINE__, "%s", sn_failure_message());
}

static double energy_of(const sn_frame_row *row)
{
    return row->elastic_energy + row->kinetic_energy + row->contact_energy;
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    sn_scene scene;
    sn_shot shot;
    sn_frame_row row;
    must(read_scene_text(MPI_COMM_WORLD, scene_text, strlen(scene_text), NULL, 0, &scene));
    must(sn_shot_create(MPI_COMM_WORLD, &scene, &shot));
    must(sn_shot_advance(&shot, 1, &row));
    double before = energy_of(&row), start = before, deepest = 0;
    for (int frame = 2; frame <= FRAMES; frame++) {
        must(sn_shot_advance(&shot, frame, &row));
        double energy = energy_of(&row);
        CHECK(row.residual <= TOLERANCE, "frame %d: residual %g", frame, row.residual);
        CHECK(energy < before, "frame %d: energy %g, %g before", frame, energy, before);
        before = energy;
        deepest = row.penetrated_cells > deepest ? row.penetrated_cells : deepest;
    }
    CHECK(before < 0.5 * start && deepest > 0.1 && deepest < 1, "it has not hit the floor");
    sn_shot_free(&shot);
    sn_scene_free(&scene);
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
