/* Checkpoints that somebody forged: whole, with digests and seals that are right, because the
 * program itself wrote them, but of a state that no shot can have. Each is refused with a message
 * that names the file; none crashes, hangs or takes memory without end. */
#include "helpers/check.h"
#include "helpers/scene_text.h"
#include "shot/checkpoint/checkpoint.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* clang-format off */
static const char scene_text[] =
    "frames: {first: 1, last: 9, fps: 24, substeps: 2}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: ball, mesh: 'builtin:sphere,radius=0.5,detail=8', cell: 0.25, place: {translate: [0, 0.5, 0]}}\n"
    "self_collision: {enabled: true}\n"
    "colliders:\n"
    "  - {name: floor, shape: {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}}\n"
    "solver: {newton: {max: 20, tolerance: 1.0e-3}}\n";
/* clang-format on */

static int rank, size;
static char good_path[64], forged_path[64];
static sn_scene scene;
static sn_shot shot;
static sn_frame_rows rows;

static void write_to(const char *path)
{
    sn_status status = sn_checkpoint_write(&shot, &rows, path);
    CHECK(status == SN_OK, "%s", sn_failure_message());
}

static void advance(int frame)
{
    sn_frame_row row;
    sn_status status = sn_shot_advance(&shot, frame, &row);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    sn_push(&rows, row);
}

/* A shot in contact, in the middle of its third frame. */
static void write_good(void)
{
    sn_status status =
        read_scene_text(MPI_COMM_WORLD, scene_text, strlen(scene_text), NULL, 0, &scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    status = sn_shot_create(MPI_COMM_WORLD, &scene, &shot);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    advance(1);
    advance(2);
    status = sn_shot_step(&shot, 3);
    CHECK(status == SN_OK && !shot.state.progress.whole, "%s", sn_failure_message());
    write_to(good_path);
}

static void read_good(void)
{
    sn_status status = sn_checkpoint_read(&shot, &rows, good_path);
    CHECK(status == SN_OK, "%s", sn_failure_message());
}

/* What is in memory now is written, and must not be read. */
static void refuse(const char *what, const char *message)
{
    write_to(forged_path);
    sn_status status = sn_checkpoint_check(MPI_COMM_WORLD, forged_path, &scene, false);
    CHECK(status == SN_OK, "%s: %s", what, sn_failure_message());
    status = sn_checkpoint_read(&shot, &rows, forged_path);
    CHECK(status == SN_MACHINE && strstr(sn_failure_message(), forged_path) &&
              strstr(sn_failure_message(), message),
          "%s: status %d: %s", what, status, sn_failure_message());
    read_good();
}

/* Writing together is slow: several ranks try some of them only, and one tries all. */
static bool is_due(void)
{
    enum { STEP = 5 };
    static int n;
    return size == 1 || n++ % STEP == 0;
}

#define FORGE(change, message)                                                                     \
    do {                                                                                           \
        if (!is_due())                                                                             \
            break;                                                                                 \
        change;                                                                                    \
        refuse(#change, message);                                                                  \
    } while (0)

static void forged_progress(void)
{
    sn_frame_progress *p = &shot.state.progress;
    const char *no_frame = "its frame is none of the scene", *no_time = "not that of its frame",
               *rows_differ = "rows", *cannot_be = "frame under way cannot be";
    FORGE(p->frame = INT_MIN, rows_differ);
    FORGE(p->frame = -1, rows_differ);
    FORGE(p->frame = INT_MAX, "");
    FORGE(p->substeps = -1, no_frame);
    FORGE(p->substeps = 3, no_frame);
    FORGE(p->from = NAN, no_time);
    FORGE(p->result.residual = NAN, cannot_be);
    FORGE(p->result.residual = INFINITY, cannot_be);
    FORGE(p->result.friction_excess = NAN, cannot_be);
    FORGE(p->result.iterations = -1, cannot_be);
    FORGE(p->seconds = -INFINITY, cannot_be);
    FORGE(shot.state.nodes.time = 1e300, no_time);
    FORGE(shot.state.nodes.time = NAN, no_time);
    FORGE(shot.state.nodes.last_step = NAN, no_time);
}

/* Of one rank that has nodes: all must notice. */
static void forged_nodes(void)
{
    sn_state *s = &shot.state.nodes;
    bool mine = shot.model.forest.level[0].n_nodes > 0;
    FORGE(if (mine) s->x[0] = NAN, "a node is nowhere");
    FORGE(if (mine) s->x[2] = 1e300, "a node is nowhere");
    FORGE(if (mine) s->x_before[1] = -INFINITY, "a node is nowhere");
    FORGE(if (mine) s->v[0] = NAN, "no velocity");
    FORGE(if (mine) s->v_before[0] = 1e200, "no velocity");
}

static void forged_rows(void)
{
    const char *cannot_be = "a row of its frames cannot be";
    FORGE(rows.count = 1, "one row for each of its frames");
    FORGE(rows.count = 0, "one row for each of its frames");
    FORGE(sn_push(&rows, rows.data[1]); sn_push(&rows, rows.data[1]), "rows");
    FORGE(rows.data[1].frame = 7, cannot_be);
    FORGE(rows.data[0].frame = -1, cannot_be);
    FORGE(rows.data[1].residual = NAN, cannot_be);
    FORGE(rows.data[1].volume = INFINITY, cannot_be);
    FORGE(rows.data[0].newton = -5, cannot_be);
}

/* One record on the lowest rank that has any; or one out of nothing on rank 0. */
static sn_contact_record *some_collider_record(void)
{
    sn_contact_record_list *list = &shot.state.contacts.colliders;
    static sn_contact_record nobody;
    return list->count > 0 ? &list->data[0] : &nobody;
}

static void add_flesh_record(sn_self_record record)
{
    if (rank == 0)
        sn_push(&shot.state.contacts.flesh, record);
}

static void forged_contacts(void)
{
    const char *no_collider = "no collider of the scene", *no_flesh = "no flesh of the scene";
    int any = shot.state.contacts.colliders.count > 0;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(any, "the ball does not touch the floor");
    FORGE(some_collider_record()->triangle = 0, no_collider); /* a plane has none */
    FORGE(some_collider_record()->triangle = -2, no_collider);
    FORGE(some_collider_record()->collider = 1, no_collider);
    FORGE(some_collider_record()->collider = -1, no_collider);
    FORGE(some_collider_record()->vertex = INT64_MAX, no_collider);
    FORGE(some_collider_record()->at[1] = NAN, no_collider);
    FORGE(some_collider_record()->push = NAN, no_collider);
    FORGE(add_flesh_record((sn_self_record){.triangle = 1 << 30}), no_flesh);
    FORGE(add_flesh_record((sn_self_record){.triangle = -1}), no_flesh);
    FORGE(add_flesh_record((sn_self_record){.body = 1}), no_flesh);
    FORGE(add_flesh_record((sn_self_record){.vertex = -1}), no_flesh);
    FORGE(add_flesh_record((sn_self_record){.anchor = {0, NAN, 0}}), no_flesh);
    FORGE(shot.state.contacts.n_points = -1, "of no surface");
    FORGE(shot.state.contacts.n_points = INT64_MAX, "of no surface");
    FORGE(shot.state.contacts.n_points += 1, "of another surface");
    FORGE(shot.state.contacts.n_points = 1, "can have 1 at most");
}

/* ---- At random ---- */

static size_t pick(unsigned long long *state, size_t count)
{
    return (size_t)(test_random(state) * (double)count);
}

static double any_real(unsigned long long *state)
{
    const double reals[] = {0,       -1,   NAN,  INFINITY, 1e300,
                            -1e-300, 1e12, 0.04, 1,        test_random(state)};
    return reals[pick(state, sizeof reals / sizeof *reals)];
}

static int64_t any_integer(unsigned long long *state)
{
    const int64_t integers[] = {0, -1, 1, 2, 7, INT_MAX, INT_MIN, 1 << 20, INT64_MAX, INT64_MIN};
    return integers[pick(state, sizeof integers / sizeof *integers)];
}

/* The same draws on all ranks, wherever they end up. */
static void forge_a_scalar(unsigned long long *state)
{
    sn_frame_progress *p = &shot.state.progress;
    sn_state *s = &shot.state.nodes;
    double *reals[] = {&s->time, &s->last_step, &p->from, &p->seconds, &p->result.residual};
    int *integers[] = {&p->frame, &p->substeps, &p->result.iterations, &p->result.inner};
    size_t which = pick(state, 9);
    double real = any_real(state);
    int64_t integer = any_integer(state);
    if (which < 5)
        *reals[which] = real;
    else
        *integers[which - 5] = (int)integer;
}

static void forge_a_node(unsigned long long *state)
{
    sn_state *s = &shot.state.nodes;
    double *fields[] = {s->x, s->v, s->x_before, s->v_before}, *field = fields[pick(state, 4)];
    double at = test_random(state), real = any_real(state);
    sn_local n = 3 * shot.model.forest.level[0].n_nodes;
    if (n > 0)
        field[(sn_local)(at * n)] = real;
}

static void forge_a_contact(unsigned long long *state)
{
    sn_contact_record *r = some_collider_record();
    int64_t *integers[] = {&r->vertex, &r->collider, &r->triangle, &shot.state.contacts.n_points};
    double *reals[] = {&r->at[0], &r->normal[1], &r->anchor[2], &r->push, &r->area};
    size_t which = pick(state, 9);
    int64_t integer = any_integer(state);
    double real = any_real(state);
    if (which < 4)
        *integers[which] = integer;
    else
        *reals[which - 4] = real;
}

static void forge_a_row(unsigned long long *state)
{
    sn_frame_row *row = &rows.data[pick(state, rows.count)];
    double *reals[] = {&row->time, &row->residual, &row->volume, &row->seconds};
    size_t which = pick(state, 5);
    double real = any_real(state);
    int64_t integer = any_integer(state);
    if (which < 4)
        *reals[which] = real;
    else
        row->frame = (int)integer;
}

static void forge_once(unsigned long long *state)
{
    static void (*const forgers[])(unsigned long long *) = {forge_a_scalar, forge_a_node,
                                                            forge_a_contact, forge_a_row};
    forgers[pick(state, 4)](state);
}

/* Read or refused, but nothing else. SINEW_FUZZ_SECONDS makes it longer (see tests/fuzz/run). */
static void forged_at_random(void)
{
    const int usual = size == 1 ? 10 : 2;
    const char *asked = getenv("SINEW_FUZZ_SECONDS"), *seed = getenv("SINEW_FUZZ_SEED");
    unsigned long long state = seed ? strtoull(seed, NULL, 10) : 1;
    double end = MPI_Wtime() + (asked ? atof(asked) : 0);
    int rounds = 0, read = 0, more = 1;
    for (; more; rounds++) {
        for (size_t n = 1 + pick(&state, 3); n > 0; n--)
            forge_once(&state);
        write_to(forged_path);
        sn_status status = sn_checkpoint_read(&shot, &rows, forged_path);
        CHECK(status == SN_OK || status == SN_MACHINE || status == SN_INACCURATE, "status %d: %s",
              status, sn_failure_message());
        read += status == SN_OK;
        read_good();
        more = rounds + 1 < usual || MPI_Wtime() < end;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d checkpoints forged at random, of which %d can be read\n", rounds, read);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(good_path, sizeof good_path, "test_forged_good.%d.h5", size);
    snprintf(forged_path, sizeof forged_path, "test_forged.%d.h5", size);
    write_good();
    forged_progress();
    forged_nodes();
    forged_rows();
    forged_contacts();
    forged_at_random();
    sn_vector_free(&rows);
    sn_shot_free(&shot);
    sn_scene_free(&scene);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        remove(good_path);
        remove(forged_path);
    }
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
