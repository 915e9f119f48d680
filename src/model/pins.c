#include "model/pins.h"

#include "base/threads.h"
#include "base/timer.h"
#include "model/near_flesh.h"
#include "motion/sane.h"
#include "octree/positions.h"
#include "region/region.h"

#include <string.h>

/* All local nodes, owned and then ghosts, for asking regions. */
typedef struct {
    sn_local n, n_owned;
    sn_key *key;
    double (*rest)[3];
    uint8_t *inside;
    int32_t *pin;         /* that each belongs to so far, or SN_NONE */
    sn_near_points flesh; /* of nodes that share their place */
} node_points;

static node_points points_of(const sn_model *model)
{
    const sn_octree *tree = &model->forest.level[0];
    sn_local n = tree->n_nodes + tree->n_ghost_nodes;
    node_points points = {.n = n,
                          .n_owned = tree->n_nodes,
                          .key = sn_octree_node_keys(tree),
                          .rest = SN_NEW(double[3], n),
                          .inside = SN_NEW(uint8_t, n),
                          .pin = SN_NEW(int32_t, n),
                          .flesh = sn_near_flesh_find(model)};
    sn_octree_node_positions(tree, points.rest);
    for (sn_local i = 0; i < n; i++)
        points.pin[i] = SN_NONE;
    return points;
}

static void free_points(node_points *points)
{
    sn_free(points->key);
    sn_free(points->rest);
    sn_free(points->inside);
    sn_free(points->pin);
    sn_vector_free(&points->flesh);
}

/* Owned nodes that share their place stay inside with their flesh only. */
static void ask_flesh(const sn_region *region, node_points *points)
{
    uint8_t *with_flesh = SN_NEW(uint8_t, points->n_owned);
    memset(with_flesh, 1, (size_t)points->n_owned);
    for (size_t i = 0; i < points->flesh.count; i++)
        with_flesh[points->flesh.data[i].node] = 0;
    for (size_t i = 0; i < points->flesh.count; i++)
        with_flesh[points->flesh.data[i].node] |=
            sn_region_contains(region, points->flesh.data[i].place);
    for (sn_local i = 0; i < points->n_owned; i++)
        points->inside[i] &= with_flesh[i];
    sn_free(with_flesh);
}

/* Collective. */
static sn_status claim_nodes(const sn_scene *scene, MPI_Comm comm, size_t p, node_points *points)
{
    const sn_pin *pin = &scene->pins.data[p];
    int body = sn_scene_find_body(scene, pin->body);
    sn_region region;
    SN_TRY(sn_region_create(comm, &scene->origin, sn_key_path("pins[%zu].region", p).text,
                            &pin->region, &region));
    sn_region_mark(&region, (const double(*)[3])points->rest, (size_t)points->n, points->inside);
    ask_flesh(&region, points);
    sn_region_free(&region);
    int64_t claimed = 0; /* counted before a later pin takes some away */
    for (sn_local i = 0; i < points->n; i++)
        if (points->inside[i] && sn_key_body(points->key[i]) == body) {
            points->pin[i] = (int32_t)p;
            claimed += i < points->n_owned;
        }
    MPI_Allreduce(MPI_IN_PLACE, &claimed, 1, MPI_INT64_T, MPI_SUM, comm);
    if (claimed == 0)
        return sn_origin_fail(&scene->origin, sn_key_path("pins[%zu]", p).text,
                              "no node of body '%.80s' lies in its region", pin->body);
    return SN_OK;
}

/* Collective. */
static sn_status load_motions(const sn_scene *scene, MPI_Comm comm, sn_pins *pins)
{
    pins->moving = SN_NEW_ZERO(sn_moving, pins->n);
    sn_motion_source source = {.origin = &scene->origin, .frames = &scene->frames};
    sn_status status = SN_OK;
    for (size_t p = 0; p < pins->n && status == SN_OK; p++) {
        sn_path path = sn_key_path("pins[%zu].motion", p);
        const sn_pin *pin = &scene->pins.data[p];
        status = sn_motion_load(comm, &source, path.text, &pin->motion, &pins->moving[p]);
        if (status == SN_OK)
            status = sn_moving_check(&pins->moving[p], &source, path.text,
                                     sn_scene_reach(scene, pin->body));
    }
    sn_motion_source_free(&source);
    return status;
}

static void keep_pinned(const node_points *points, sn_pins *pins)
{
    pins->pinned = SN_NEW(uint8_t, points->n);
    for (sn_local i = 0; i < points->n; i++) {
        pins->pinned[i] = points->pin[i] != SN_NONE;
        pins->n_pinned += i < points->n_owned && pins->pinned[i];
    }
    pins->node = SN_NEW(sn_local, pins->n_pinned);
    pins->pin = SN_NEW(int32_t, pins->n_pinned);
    pins->rest = SN_NEW(double[3], pins->n_pinned);
    sn_local kept = 0;
    for (sn_local i = 0; i < points->n_owned; i++)
        if (pins->pinned[i]) {
            pins->node[kept] = i;
            pins->pin[kept] = points->pin[i];
            for (int d = 0; d < 3; d++)
                pins->rest[kept][d] = points->rest[i][d];
            kept++;
        }
}

/* Collective. Owners know of the flesh at their nodes. */
static void bring_ghosts(sn_octree *tree, int32_t *pin)
{
    if (!tree->has_copies)
        return;
    sn_exchange_begin(&tree->exchange, pin, sizeof *pin);
    sn_exchange_end(&tree->exchange);
}

sn_status sn_pins_create(const sn_scene *scene, sn_model *model, sn_pins *pins)
{
    sn_octree *tree = &model->forest.level[0];
    sn_phase_begin("model/pins");
    *pins = (sn_pins){.n = scene->pins.count};
    node_points points = points_of(model);
    sn_status status = load_motions(scene, tree->comm, pins);
    for (size_t p = 0; p < scene->pins.count && status == SN_OK; p++)
        status = claim_nodes(scene, tree->comm, p, &points);
    if (status == SN_OK) {
        bring_ghosts(tree, points.pin);
        keep_pinned(&points, pins);
    } else {
        sn_pins_free(pins);
    }
    free_points(&points);
    sn_phase_end("model/pins");
    return status;
}

void sn_pins_free(sn_pins *pins)
{
    for (size_t p = 0; p < pins->n; p++)
        sn_moving_free(&pins->moving[p]);
    sn_free(pins->moving);
    sn_free(pins->pinned);
    sn_free(pins->node);
    sn_free(pins->pin);
    sn_free(pins->rest);
    *pins = (sn_pins){0};
}

void sn_pins_targets(const sn_pins *pins, double frame, double (*target)[3])
{
    sn_affine *pose = SN_NEW(sn_affine, pins->n);
    for (size_t p = 0; p < pins->n; p++)
        pose[p] = sn_moving_at(&pins->moving[p], frame);
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)pins->n_pinned))
    for (sn_local i = 0; i < pins->n_pinned; i++)
        sn_affine_apply(&pose[pins->pin[i]], pins->rest[i], target[i]);
    sn_free(pose);
}
