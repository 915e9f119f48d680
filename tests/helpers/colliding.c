#include "helpers/colliding.h"

#include "helpers/check.h"
#include "helpers/scene_text.h"

#include <math.h>
#include <string.h>

static sn_scene scene_of(const char *colliders)
{
    char text[4096];
    int length = snprintf(text, sizeof text,
                          "bodies: [{name: a, mesh: '" COLLIDING_BALL "', cell: 0.1}]\n"
                          "frames: {first: 0, last: 4}\n%s",
                          colliders);
    sn_scene scene;
    sn_status status = read_scene_text(MPI_COMM_WORLD, text, (size_t)length, NULL, 0, &scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    return scene;
}

static sn_status create_colliders(test_colliding *s)
{
    const sn_scene *scene = &s->scene;
    sn_motion_source source = {.origin = &scene->origin, .frames = &scene->frames};
    s->memory = (sn_contact_record_list){0};
    sn_status status =
        sn_colliders_create(scene->colliders.data, scene->colliders.count, &source,
                            &COLLIDING_YOUNG, s->e.tree, &s->e.embedding, &s->memory, &s->c);
    sn_motion_source_free(&source);
    return status;
}

void test_colliding_create(test_colliding *s, MPI_Comm comm, const char *colliders)
{
    s->scene = scene_of(colliders);
    s->bodies = (test_bodies){0};
    test_bodies_add(&s->bodies, test_builtin(COLLIDING_BALL), true, COLLIDING_CELL);
    test_embed(&s->bodies, comm, SN_PARTITION_CURVE, &s->e);
    sn_status status = create_colliders(s);
    CHECK(status == SN_OK, "%s", sn_failure_message());
}

void test_colliding_free(test_colliding *s)
{
    sn_colliders_free(&s->c);
    sn_vector_free(&s->memory);
    test_embedded_free(&s->e);
    test_bodies_free(&s->bodies);
    sn_scene_free(&s->scene);
}

sn_spring_list test_colliding_find(test_colliding *s, double frame, test_motion *motion)
{
    sn_spring_list springs = {0};
    test_embedded_move(&s->e, motion);
    sn_status status =
        sn_colliders_find(&s->c, frame / COLLIDING_FPS, s->e.x, test_positions(&s->e), &springs);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    return springs;
}

void test_colliding_start(test_colliding *s, double frame, test_motion *motion)
{
    test_embedded_move(&s->e, motion);
    sn_status status =
        sn_colliders_start(&s->c, frame / COLLIDING_FPS, s->e.x, test_positions(&s->e));
    CHECK(status == SN_OK, "%s", sn_failure_message());
}

void test_colliding_commit(test_colliding *s, double frame, test_motion *motion)
{
    test_embedded_move(&s->e, motion);
    sn_status status =
        sn_colliders_commit(&s->c, frame / COLLIDING_FPS, s->e.x, test_positions(&s->e));
    CHECK(status == SN_OK, "%s", sn_failure_message());
}

void test_colliding_refused(const char *colliders, const char *key, const char *reason)
{
    test_colliding s;
    s.scene = scene_of(colliders);
    s.bodies = (test_bodies){0};
    test_bodies_add(&s.bodies, test_builtin(COLLIDING_BALL), true, COLLIDING_CELL);
    test_embed(&s.bodies, MPI_COMM_WORLD, SN_PARTITION_CURVE, &s.e);
    sn_status status = create_colliders(&s);
    CHECK(status == SN_BAD_INPUT, "status %d", (int)status);
    const char *message = sn_failure_message();
    CHECK(strstr(message, ":3:") && strstr(message, key) && strstr(message, reason), "%s", message);
    test_embedded_free(&s.e);
    test_bodies_free(&s.bodies);
    sn_scene_free(&s.scene);
}

const sn_spring *test_colliding_spring(const sn_spring_list *springs, size_t collider,
                                       int64_t vertex)
{
    for (size_t i = 0; i < springs->count; i++)
        if (springs->data[i].number == ((uint64_t)collider << 40 | (uint64_t)vertex))
            return &springs->data[i];
    return NULL;
}

/* Files of a box of which each is 2.2 higher than the one before, of so many faces. */
void test_sequence_write(const char *base, int n, int faces)
{
    static const int corner[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                      {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                      {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    for (int i = 0; i < n; i++) {
        char name[2 * SCENE_NAME_BYTES];
        snprintf(name, sizeof name, "%s_%02d.obj", base, i + 1);
        FILE *file = fopen(name, "w");
        for (int v = 0; v < 8; v++)
            fprintf(file, "v %d %.17g %d\n", v & 1 ? 2 : -3, -2 + 2.2 * i - (v & 2 ? 0 : 0.01),
                    v & 4 ? 3 : -2);
        for (int t = 0; t < faces; t++)
            fprintf(file, "f %d %d %d\n", corner[t][0] + 1, corner[t][1] + 1, corner[t][2] + 1);
        fclose(file);
    }
}

void test_sequence_remove(const char *base, int n)
{
    for (int i = 0; i < n; i++) {
        char name[2 * SCENE_NAME_BYTES];
        snprintf(name, sizeof name, "%s_%02d.obj", base, i + 1);
        remove(name);
    }
}
