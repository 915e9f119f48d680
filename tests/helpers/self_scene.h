/* Bodies whose flesh touches flesh, for tests of what contact finds and remembers. */
#ifndef SN_TESTS_SELF_SCENE_H
#define SN_TESTS_SELF_SCENE_H

#include "contact/self/contacts.h"
#include "helpers/embedded.h"

extern const sn_self_collision SELF_SETTINGS;

typedef struct {
    test_embedded e;
    sn_self_record_list memory;
    sn_self_contacts contacts;
    sn_spring_list springs;
} self_scene;

/* What the tests stand on: without it they can't go on. */
void self_scene_must(sn_status status);

/* Collective. Does not move. */
void self_scene_open(self_scene *scene, const test_bodies *bodies, MPI_Comm comm,
                     sn_partition_method method);
void self_scene_close(self_scene *scene);

/* Collective. The nodes move, and contact is looked for: `springs` are those of this rank. */
void self_scene_find(self_scene *scene, test_motion *motion);

/* Collective: over all ranks; and of all ranks' springs. */
int64_t self_scene_total(MPI_Comm comm, size_t n);
uint64_t self_scene_digest(const self_scene *scene);

sn_mesh self_scene_moved(sn_mesh mesh, double x, double y, double z);

/* A motion: what rests beyond x = 0.75 comes nearer by so much. */
extern double self_scene_approach;
test_motion self_scene_together;

#endif
