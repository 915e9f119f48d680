/* Bodies that move when a shot starts: momentum, angular momentum and energy of a rigid body, nodes
 * that pins hold, the same bits as on one rank alone, and nothing of it once a shot has begun. */
#include "helpers/overlapping_bodies.h"

#include "base/exact_sum.h"
#include "base/vec3.h"
#include "shot/shot.h"

#include <math.h>

/* clang-format off */
static const char thrown[] =
    "gravity: [0, 0, 0]\n"
    "frames: {last: 3}\n"
    "bodies:\n"
    "  - {name: brick, mesh: 'builtin:cube,x=0.9,y=0.5,z=0.3', cell: 0.1,\n"
    "     place: {translate: [3, -2, 1], rotate: {axis: [1, 2, 3], degrees: 40}},\n"
    "     velocity: {linear: [1, -2, 0.5], angular: [3, -4, 2]}}\n"
    "  - {name: ball, mesh: 'builtin:sphere,radius=0.3,detail=8', cell: 0.11,\n"
    "     velocity: {angular: [0, 5, 0]}}\n"
    "  - {name: held, mesh: 'builtin:cube,size=0.5', cell: 0.1, place: {translate: [9, 0, 0]},\n"
    "     velocity: {linear: [0, 0, 7]}}\n"
    "  - {name: still, mesh: 'builtin:cube,size=0.5', cell: 0.2, place: {translate: [9, 9, 0]}}\n"
    "pins:\n"
    "  - {name: pin, body: held, region: {plane: {point: [9, 0, 0], normal: [1, 0, 0]}}}\n";
/* clang-format on */
enum { BRICK, ROUND, HELD, STILL, BODIES };

static void must(sn_status status)
{
    if (status != SN_OK)
        sn_abort(status, __FILE__, __LINE__, "%s", sn_failure_message());
}

/* Sums over the nodes of a body. */
typedef struct {
    double mass, energy;
    sn_vec centre, momentum, angular; /* about the centre */
    double inertia[3][3];
} moments;

enum { MASS, ENERGY, FIRST, MOMENTUM = FIRST + 3, ANGULAR = MOMENTUM + 3, SECOND = ANGULAR + 3 };
enum { SUMS = SECOND + 9 };

static void add_node(sn_sum *sum, double m, sn_vec x, sn_vec v)
{
    double at[3], p[3], l[3];
    sn_vec_store(x, at);
    sn_vec_store(sn_vec_scale(v, m), p);
    sn_vec_store(sn_vec_cross(x, sn_vec_scale(v, m)), l);
    sn_sum_add(&sum[MASS], m);
    sn_sum_add(&sum[ENERGY], 0.5 * m * sn_vec_dot(v, v));
    for (int i = 0; i < 3; i++) {
        sn_sum_add(&sum[FIRST + i], m * at[i]);
        sn_sum_add(&sum[MOMENTUM + i], p[i]);
        sn_sum_add(&sum[ANGULAR + i], l[i]);
        for (int j = 0; j < 3; j++) {
            double square = i == j ? sn_vec_dot(x, x) : 0;
            sn_sum_add(&sum[SECOND + 3 * i + j], m * (square - at[i] * at[j]));
        }
    }
}

/* About a point. */
static moments moments_about(const sn_shot *shot, int body, sn_vec point)
{
    const sn_octree *tree = &shot->model.forest.level[0];
    sn_key *key = sn_octree_node_keys(tree);
    sn_sum sum[SUMS] = {0};
    for (sn_local i = 0; i < tree->n_nodes; i++)
        if (sn_key_body(key[i]) == body)
            add_node(sum, shot->built.system.mass[i],
                     sn_vec_sub(sn_vec_load(shot->state.nodes.x + 3 * i), point),
                     sn_vec_load(shot->state.nodes.v + 3 * i));
    sn_free(key);
    sn_sum_allreduce(tree->comm, sum, SUMS);
    double value[SUMS];
    for (int i = 0; i < SUMS; i++)
        value[i] = sn_sum_value(&sum[i]);
    moments m = {.mass = value[MASS],
                 .energy = value[ENERGY],
                 .centre =
                     sn_vec_add(point, sn_vec_scale(sn_vec_load(value + FIRST), 1 / value[MASS])),
                 .momentum = sn_vec_load(value + MOMENTUM),
                 .angular = sn_vec_load(value + ANGULAR)};
    memcpy(m.inertia, value + SECOND, sizeof m.inertia);
    return m;
}

static sn_vec times(const double a[3][3], sn_vec v)
{
    return (sn_vec){sn_vec_dot(sn_vec_load(a[0]), v), sn_vec_dot(sn_vec_load(a[1]), v),
                    sn_vec_dot(sn_vec_load(a[2]), v)};
}

static void is_near(const char *what, sn_vec found, sn_vec expected, double size)
{
    double off = sn_vec_length(sn_vec_sub(found, expected));
    CHECK(off <= 1e-13 * size, "%s off by %g of %g", what, off, size);
}

static void moves_as_a_rigid_body(const sn_shot *shot, int body)
{
    const sn_body_velocity *given = &shot->scene->bodies.data[body].velocity;
    sn_vec linear = sn_vec_load(given->linear), angular = sn_vec_load(given->angular);
    moments m = moments_about(shot, body, (sn_vec){0, 0, 0});
    m = moments_about(shot, body, m.centre);
    sn_vec spin = times((const double(*)[3])m.inertia, angular);
    double energy = 0.5 * m.mass * sn_vec_dot(linear, linear) + 0.5 * sn_vec_dot(angular, spin);
    double speed = sn_vec_length(linear) + sn_vec_length(angular);
    CHECK(m.mass > 0, "no mass");
    is_near("momentum", m.momentum, sn_vec_scale(linear, m.mass), 10 * m.mass * speed);
    is_near("angular momentum", m.angular, spin, 10 * m.mass * speed);
    CHECK(fabs(m.energy - energy) <= 1e-12 * energy, "energy %g, not %g", m.energy, energy);
}

static void pins_keep_their_nodes(const sn_shot *shot)
{
    const sn_octree *tree = &shot->model.forest.level[0];
    sn_key *key = sn_octree_node_keys(tree);
    for (sn_local i = 0; i < tree->n_nodes; i++) {
        double expected = shot->built.pins.pinned[i] ? 0 : 7;
        if (sn_key_body(key[i]) == HELD)
            CHECK(shot->state.nodes.v[3 * i + 2] == expected, "node %d", i);
    }
    sn_free(key);
}

static void same_as_alone(const sn_shot *shot, const sn_shot *alone)
{
    const sn_octree *tree = &shot->model.forest.level[0], *other = &alone->model.forest.level[0];
    sn_key *key = sn_octree_node_keys(tree), *other_key = sn_octree_node_keys(other);
    for (sn_local i = 0; i < tree->n_nodes; i++) {
        sn_local at = find_key(other_key, other->n_nodes, key[i]);
        CHECK(at != SN_NONE && memcmp(shot->state.nodes.v + 3 * i, alone->state.nodes.v + 3 * at,
                                      3 * sizeof(double)) == 0,
              "node %d", i);
    }
    sn_free(key);
    sn_free(other_key);
}

static void building_again_changes_nothing(sn_shot *shot)
{
    sn_frame_row row;
    must(sn_shot_advance(shot, 1, &row));
    must(sn_shot_advance(shot, 2, &row));
    size_t bytes = 3 * (size_t)shot->model.forest.level[0].n_nodes * sizeof(double);
    double *v = SN_NEW(double, bytes / sizeof(double));
    if (bytes)
        memcpy(v, shot->state.nodes.v, bytes);
    must(sn_shot_build(shot));
    CHECK(bytes == 0 || memcmp(v, shot->state.nodes.v, bytes) == 0, "thrown again");
    sn_free(v);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    sn_scene scene = read_scene(thrown, NULL);
    static sn_shot shot, alone;
    must(sn_shot_create(MPI_COMM_WORLD, &scene, &shot));
    must(sn_shot_create(MPI_COMM_SELF, &scene, &alone));
    moves_as_a_rigid_body(&shot, BRICK);
    moves_as_a_rigid_body(&shot, ROUND);
    moves_as_a_rigid_body(&shot, STILL);
    pins_keep_their_nodes(&shot);
    same_as_alone(&shot, &alone);
    building_again_changes_nothing(&shot);
    sn_shot_free(&shot);
    sn_shot_free(&alone);
    sn_scene_free(&scene);
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
