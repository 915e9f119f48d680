/* Pins: which nodes they pin and where they put them, against a brute force over all nodes and
 * against the same scene on one rank alone, bit for bit; of fingers that share cells, the one that
 * is meant, against a flood; and pins that pin nothing. */
#include "helpers/overlapping_bodies.h"

#include "model/pins.h"
#include "motion/motion.h"
#include "octree/positions.h"

#include <math.h>

static const double FRAME = 2.75;

typedef struct {
    sn_model model;
    const sn_octree *tree;
    sn_pins pins;
    sn_key *node_key;
    double (*target)[3];
} made;

static void make(MPI_Comm comm, const sn_scene *scene, made *m)
{
    m->tree = make_model(comm, scene, &m->model);
    sn_status status = sn_pins_create(scene, &m->model, &m->pins);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    m->node_key = sn_octree_node_keys(m->tree);
    m->target = SN_NEW(double[3], m->pins.n_pinned);
    sn_pins_targets(&m->pins, FRAME, m->target);
}

static void free_made(made *m)
{
    sn_pins_free(&m->pins);
    sn_free(m->node_key);
    sn_free(m->target);
    sn_model_free(&m->model);
}

static int pin_by_definition(int body, const double p[3])
{
    if (body == BALL)
        return hypot(hypot(p[0], p[1]), p[2]) <= 0.25 ? CORE : SN_NONE;
    return p[0] <= -0.4 ? LEFT : p[1] <= -0.3 ? LOW : SN_NONE;
}

static void check_pinned(const made *m, const sn_scene *scene, sn_local h, const double rest[3])
{
    sn_affine pose = sn_motion_at(&scene->pins.data[m->pins.pin[h]].motion, FRAME);
    double expected[3];
    sn_affine_apply(&pose, rest, expected);
    for (int d = 0; d < 3; d++)
        CHECK(m->target[h][d] == expected[d] && m->pins.rest[h][d] == rest[d], "node %d of pin %d",
              m->pins.node[h], m->pins.pin[h]);
}

static void pins_by_rest_positions(const made *m, const sn_scene *scene)
{
    const sn_octree *tree = m->tree;
    int64_t pinned[3] = {0};
    sn_local h = 0;
    for (sn_local i = 0; i < tree->n_nodes + tree->n_ghost_nodes; i++) {
        int body = sn_key_body(m->node_key[i]);
        const sn_body *grid = &m->model.bodies.body[body];
        uint32_t anchor[3];
        double rest[3];
        sn_key_anchor(m->node_key[i], anchor);
        for (int d = 0; d < 3; d++)
            rest[d] = grid->origin[d] + grid->cell * anchor[d];
        int pin = pin_by_definition(body, rest);
        CHECK(m->pins.pinned[i] == (pin != SN_NONE), "node %d", i);
        if (i >= tree->n_nodes || pin == SN_NONE)
            continue;
        pinned[pin]++;
        bool listed = h < m->pins.n_pinned && m->pins.node[h] == i && m->pins.pin[h] == pin;
        CHECK(listed, "node %d is pinned by pin %d", i, pin);
        if (listed)
            check_pinned(m, scene, h++, rest);
    }
    CHECK(h == m->pins.n_pinned, "%d of %d pinned nodes", h, m->pins.n_pinned);
    MPI_Allreduce(MPI_IN_PLACE, pinned, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(pinned[LOW] > 50 && pinned[LEFT] > 50 && pinned[CORE] > 5, "%ld, %ld and %ld pinned",
          (long)pinned[LOW], (long)pinned[LEFT], (long)pinned[CORE]);
}

static sn_local find_pinned(const made *m, sn_local node)
{
    for (sn_local h = 0; h < m->pins.n_pinned; h++)
        if (m->pins.node[h] == node)
            return h;
    return SN_NONE;
}

static void same_as_alone(const made *m, const made *alone)
{
    for (sn_local i = 0; i < m->tree->n_nodes; i++) {
        sn_local at = find_key(alone->node_key, alone->tree->n_nodes, m->node_key[i]);
        CHECK(at != SN_NONE && m->pins.pinned[i] == alone->pins.pinned[at], "node %d", i);
    }
    for (sn_local h = 0; h < m->pins.n_pinned; h++) {
        sn_key key = m->node_key[m->pins.node[h]];
        sn_local other = find_pinned(alone, find_key(alone->node_key, alone->tree->n_nodes, key));
        CHECK(other != SN_NONE && m->pins.pin[h] == alone->pins.pin[other] &&
                  memcmp(m->target[h], alone->target[other], sizeof *m->target) == 0,
              "pinned node %d", h);
    }
}

static void a_scene(const char *override)
{
    sn_scene scene = read_scene(overlapping_bodies, override);
    static made together, alone;
    make(MPI_COMM_WORLD, &scene, &together);
    make(MPI_COMM_SELF, &scene, &alone);
    pins_by_rest_positions(&together, &scene);
    same_as_alone(&together, &alone);
    free_made(&together);
    free_made(&alone);
    sn_scene_free(&scene);
}

/* ---- Nodes that share their place ---- */

/* Elements of a rank alone above a height that share nodes have the number of one of them. */
static sn_local *groups_above(const sn_octree *tree, const double (*rest)[3], double height)
{
    sn_local *group = SN_NEW(sn_local, tree->n_elements);
    for (sn_local e = 0; e < tree->n_elements; e++) {
        bool above = true;
        for (int c = 0; c < 8; c++)
            above = above && rest[tree->conforming[e][c]][1] > height;
        group[e] = above ? e : SN_NONE;
    }
    sn_local *of_node = SN_NEW(sn_local, tree->n_nodes);
    for (bool more = true; more;) {
        more = false;
        for (sn_local n = 0; n < tree->n_nodes; n++)
            of_node[n] = SN_LOCAL_MAX;
        for (sn_local e = 0; e < tree->n_elements; e++)
            for (int c = 0; c < 8 && group[e] != SN_NONE; c++)
                if (group[e] < of_node[tree->conforming[e][c]])
                    of_node[tree->conforming[e][c]] = group[e];
        for (sn_local e = 0; e < tree->n_elements; e++)
            for (int c = 0; c < 8 && group[e] != SN_NONE; c++)
                if (of_node[tree->conforming[e][c]] < group[e]) {
                    group[e] = of_node[tree->conforming[e][c]];
                    more = true;
                }
    }
    sn_free(of_node);
    return group;
}

/* The group of the element whose flesh is the nearest to x = 0. */
static sn_local middle_group(const sn_model *model, const sn_local *group)
{
    const sn_octree *tree = &model->forest.level[0];
    double(*centre)[3] = SN_NEW(double[3], tree->n_elements), nearest = INFINITY;
    sn_octree_element_centres(tree, centre);
    sn_local middle = SN_NONE;
    for (sn_local e = 0; e < tree->n_elements; e++) {
        double x =
            fabs(centre[e][0] + (double)model->centroid[e][0] * model->bodies.body[0].cell / 2);
        if (group[e] != SN_NONE && x < nearest) {
            nearest = x;
            middle = group[e];
        }
    }
    sn_free(centre);
    return middle;
}

/* The tip of the middle finger is held, and none of the fingers that share its cells. */
static void a_finger_is_held_alone(const char *cell)
{
    char text[512];
    snprintf(text, sizeof text,
             "bodies:\n"
             "  - {name: hand, mesh: 'builtin:hand,detail=60', cell: %s, close_parts: apart}\n"
             "pins:\n"
             "  - name: tip\n"
             "    body: hand\n"
             "    region: {box: {min: [-0.055, 0.8, -1], max: [0.055, 2, 1]}}\n",
             cell);
    sn_scene scene = read_scene(text, NULL);
    static made together, alone;
    make(MPI_COMM_WORLD, &scene, &together);
    make(MPI_COMM_SELF, &scene, &alone);
    same_as_alone(&together, &alone);
    const sn_octree *tree = alone.tree;
    double(*rest)[3] = SN_NEW(double[3], tree->n_nodes);
    sn_octree_node_positions(tree, rest);
    sn_local *group = groups_above(tree, (const double(*)[3])rest, 0.7);
    sn_local finger = middle_group(&alone.model, group);
    for (sn_local e = 0; e < tree->n_elements; e++)
        for (int c = 0; c < 8 && group[e] != SN_NONE; c++) {
            sn_local node = tree->conforming[e][c];
            bool in = fabs(rest[node][0]) <= 0.055 && rest[node][1] >= 0.8;
            CHECK(alone.pins.pinned[node] == (in && group[e] == finger), "cells of %s: node %d",
                  cell, node);
        }
    sn_free(group);
    sn_free(rest);
    free_made(&together);
    free_made(&alone);
    sn_scene_free(&scene);
}

/* The sphere is inside the other body, but no node of the named one is near. */
static void an_empty_pin_is_an_error(void)
{
    sn_scene scene = read_scene("bodies:\n"
                                "  - {name: flesh, mesh: 'builtin:cube,size=1', cell: 0.25}\n"
                                "  - {name: ball, mesh: 'builtin:sphere,radius=0.1', cell: 0.1}\n"
                                "pins:\n"
                                "  - {name: a, body: flesh, region: {plane: {normal: [0, 1, 0]}}}\n"
                                "  - name: b\n"
                                "    body: ball\n"
                                "    region: {sphere: {center: [0.5, 0.5, 0.5], radius: 0.3}}\n",
                                NULL);
    sn_model model;
    sn_pins pins;
    make_model(MPI_COMM_WORLD, &scene, &model);
    CHECK(sn_pins_create(&scene, &model, &pins) == SN_BAD_INPUT, "an empty pin");
    CHECK(strstr(sn_failure_message(), ":6:5: pins[1]: no node of body 'ball' lies in its region"),
          "%s", sn_failure_message());
    sn_model_free(&model);
    sn_scene_free(&scene);
}

static void no_pins_pin_nothing(void)
{
    sn_scene scene =
        read_scene("bodies: [{name: flesh, mesh: 'builtin:cube,size=1', cell: 0.9}]\n", NULL);
    static made m;
    make(MPI_COMM_WORLD, &scene, &m);
    CHECK(m.pins.n_pinned == 0, "%d pinned", m.pins.n_pinned);
    for (sn_local i = 0; i < m.tree->n_nodes + m.tree->n_ghost_nodes; i++)
        CHECK(m.pins.pinned[i] == 0, "node %d", i);
    free_made(&m);
    sn_scene_free(&scene);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    a_scene(NULL);
    a_scene("partition.method=parmetis");
    a_finger_is_held_alone("0.05");
    a_finger_is_held_alone("0.12");
    an_empty_pin_is_an_error();
    no_pins_pin_nothing();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
