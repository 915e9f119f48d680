/* For tests of colliders: a ball of flesh and the colliders of a scene, in place of a shot. */
#ifndef SN_TESTS_COLLIDING_H
#define SN_TESTS_COLLIDING_H

#include "contact/contacts.h"
#include "helpers/embedded.h"
#include "io/scene/scene.h"

#define COLLIDING_BALL "builtin:sphere,radius=0.5,detail=10"
static const double COLLIDING_CELL = 0.1, COLLIDING_FPS = 24, COLLIDING_YOUNG = 3e4;

/* Does not move: its parts point at each other. */
typedef struct {
    sn_scene scene;
    test_bodies bodies;
    test_embedded e;
    sn_contact_record_list memory;
    sn_colliders c;
} test_colliding;

/* Collective, all of them. `colliders` is that part of a scene, from its third line on. */
void test_colliding_create(test_colliding *s, MPI_Comm comm, const char *colliders);
void test_colliding_free(test_colliding *s);

/* The same, where creating the colliders must fail with a message that has both words. */
void test_colliding_refused(const char *colliders, const char *key, const char *reason);

/* At a frame, with the flesh moved. The caller frees the springs. */
sn_spring_list test_colliding_find(test_colliding *s, double frame, test_motion *motion);
void test_colliding_start(test_colliding *s, double frame, test_motion *motion);
void test_colliding_commit(test_colliding *s, double frame, test_motion *motion);

/* The spring between a collider and a vertex of the flesh, or NULL. */
const sn_spring *test_colliding_spring(const sn_spring_list *springs, size_t collider,
                                       int64_t vertex);

/* Files base_01.obj and so on, of a box of which each is 2.2 higher than the one before. It is
 * closed with 12 faces. */
void test_sequence_write(const char *base, int n, int faces);
void test_sequence_remove(const char *base, int n);

#endif
