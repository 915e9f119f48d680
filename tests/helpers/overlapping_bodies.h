/* For tests of the model: a scene with two bodies that overlap in space. */
#ifndef SN_TESTS_OVERLAPPING_BODIES_H
#define SN_TESTS_OVERLAPPING_BODIES_H

#include "helpers/check.h"
#include "helpers/scene_text.h"

#include "curve/octant.h"
#include "model/model.h"

/* clang-format off */
static const char overlapping_bodies[] =
    "bodies:\n"
    "  - name: flesh\n"
    "    mesh: 'builtin:cube,size=1'\n"
    "    cell: 0.07\n"
    "    material:\n"
    "      young: 2.0e4\n"
    "      poisson: 0.4\n"
    "      density: 1000\n"
    "      damping: 0.01\n"
    "      regions:\n"
    "        - {region: {sphere: {center: [0, 0, 0], radius: 0.31}}, young: 5.0e6, density: 300}\n"
    "        - {region: {box: {min: [-1, -1, -1], max: [0, 1, 1]}}, poisson: 0.2, density: 2200}\n"
    "        - {region: {mesh: 'builtin:sphere,radius=0.4,detail=12', invert: true}, damping: 0.5}\n"
    "  - name: ball\n"
    "    mesh: 'builtin:sphere,radius=0.45,detail=12'\n"
    "    cell: 0.11\n"
    "    hourglass: 0.7\n"
    "    material: {density: 700}\n"
    "pins:\n"
    "  - {name: low, body: flesh, region: {plane: {point: [0, -0.3, 0], normal: [0, 1, 0]}}}\n"
    "  - name: left\n"
    "    body: flesh\n"
    "    region: {box: {min: [-1, -1, -1], max: [-0.4, 1, 1]}}\n"
    "    motion: {keys: [{frame: 1}, {frame: 5, rotate: {axis: [1, 1, 0], degrees: 80}, translate: [0, 0, 1]}]}\n"
    "  - {name: core, body: ball, region: {sphere: {center: [0, 0, 0], radius: 0.25}}}\n";
/* clang-format on */
enum { FLESH, BALL };
enum { LOW, LEFT, CORE };

static inline sn_scene read_scene(const char *text, const char *override)
{
    sn_scene scene;
    sn_status status =
        read_scene_text(MPI_COMM_WORLD, text, strlen(text), &override, override ? 1 : 0, &scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    return scene;
}

/* Collective. The model does not move: it is made in place. Returns its finest level. */
static inline const sn_octree *make_model(MPI_Comm comm, const sn_scene *scene, sn_model *model)
{
    CHECK(sn_model_create(comm, scene, model) == SN_OK, "%s", sn_failure_message());
    return &model->forest.level[0];
}

/* Position of a key in ascending ones, or -1. */
static inline sn_local find_key(const sn_key *keys, sn_local n, sn_key key)
{
    sn_local low = 0, high = n;
    while (low < high) {
        sn_local middle = low + (high - low) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && keys[low] == key ? low : SN_NONE;
}

#endif
