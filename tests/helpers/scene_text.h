/* For tests of the scene reader: the complete example of the design, and reading from text. */
#ifndef SN_TESTS_SCENE_TEXT_H
#define SN_TESTS_SCENE_TEXT_H

#include "base/status.h"
#include "io/scene/scene.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
static const char example_scene[] =
    "name: creature-walk\n"
    "frames: {first: 1, last: 48, fps: 24, substeps: 1}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - name: flesh\n"
    "    mesh: builtin:creature        # or a path: OBJ, PLY, STL, glTF ...\n"
    "    cell: 0.02                    # edge of the finest cell, at the surface\n"
    "    coarsest: 0.32                # optional: no cell larger than this\n"
    "    material: {young: 2.0e4, poisson: 0.45, density: 1000, damping: 0.02}\n"
    "bones:                            # flesh is tied to these by springs\n"
    "  - {name: pelvis, body: flesh, mesh: pelvis.obj, motion: {bvh: walk.bvh, joint: Hips}, stiffness: 1.0e6}\n"
    "pins:                             # nodes in a region, moved exactly (Dirichlet)\n"
    "  - {name: base, body: flesh, region: {box: {min: [0,0,0], max: [1,1,0.1]}}, motion: {keys: [{frame: 1}, {frame: 24, translate: [0,0,1]}]}}\n"
    "colliders:\n"
    "  - {name: floor, shape: {plane: {point: [0,0,0], normal: [0,1,0]}}, stiffness: 1.0e5, friction: 0.3}\n"
    "self_collision: {enabled: true, stiffness: 1.0e5, friction: 0.2}\n"
    "solver:\n"
    "  mode: dynamic                   # or quasistatic\n"
    "  integrator: backward_euler      # or the second-order one\n"
    "  newton: {max: 10, tolerance: 1.0e-3}\n"
    "  linear: {method: mgpcg, max: 3, tolerance: 1.0e-2}    # or mg, cg\n"
    "partition: {method: curve}        # or parmetis\n"
    "output: {dir: run, every: 1, octree: false, checkpoint: {every: 10, keep: 2}}\n";
/* clang-format on */

enum { SCENE_NAME_BYTES = 64 };

/* The name of a file for the text: the same on all ranks, another in every process group. */
static inline void scene_file_name(MPI_Comm comm, char name[SCENE_NAME_BYTES])
{
    snprintf(name, SCENE_NAME_BYTES, "/tmp/sinew_test_%ld.yaml", (long)getpid());
    MPI_Bcast(name, SCENE_NAME_BYTES, MPI_BYTE, 0, comm);
}

/* Collective: reads a scene from a text through a file that is gone afterwards. */
static inline sn_status read_scene_text(MPI_Comm comm, const char *text, size_t length,
                                        const char *const *overrides, int n_overrides,
                                        sn_scene *scene)
{
    int rank;
    char name[SCENE_NAME_BYTES];
    MPI_Comm_rank(comm, &rank);
    scene_file_name(comm, name);
    if (rank == 0) {
        FILE *file = fopen(name, "wb");
        fwrite(text, 1, length, file);
        fclose(file);
    }
    sn_status status = sn_scene_read(comm, name, overrides, n_overrides, scene);
    if (rank == 0)
        remove(name);
    return status;
}

/* The scene as it is written; to be freed with free(). */
static inline char *scene_as_text(const sn_scene *scene, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    sn_scene_write(scene, out);
    if (fclose(out) != 0)
        *length = 0;
    return text;
}

#endif
