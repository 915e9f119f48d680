#include "shot/checkpoint/checkpoint.h"

#include "base/timer.h"
#include "io/hdf5/seal.h"
#include "io/hdf5/state.h"
#include "partition/curve_order.h"
#include "partition/numbers.h"
#include "shot/checkpoint/contacts.h"
#include "shot/checkpoint/rows.h"
#include "shot/checkpoint/trust.h"

#include <math.h>
#include <string.h>

enum { NAME_BYTES = 64 };

/* ---- Orders ---- */

static sn_curve_order node_order(const sn_octree *tree)
{
    sn_key *keys = sn_octree_node_keys(tree);
    sn_curve_order order =
        sn_curve_order_create(tree->comm, &tree->owners, keys, (size_t)tree->n_nodes);
    sn_free(keys);
    return order;
}

static sn_curve_order octant_order(const sn_octree *tree)
{
    sn_key *keys = sn_octree_octant_keys(tree);
    sn_curve_order order =
        sn_curve_order_create(tree->comm, &tree->owners, keys, (size_t)tree->n_octants);
    sn_free(keys);
    return order;
}

static sn_curve_order element_order(const sn_octree *tree)
{
    sn_leaves elements = sn_octree_elements(tree);
    sn_curve_order order =
        sn_curve_order_create(tree->comm, &tree->owners, elements.key, (size_t)tree->n_elements);
    sn_leaves_free(&elements);
    return order;
}

static sn_slab slab_of(const sn_curve_order *order)
{
    return (sn_slab){order->first, (int64_t)order->n};
}

static size_t row_bytes(hid_t type, int columns)
{
    return H5Tget_size(type) * (size_t)(columns > 0 ? columns : 1);
}

/* `values` has this rank's rows in its own order. */
static void write_rows(sn_h5_file *file, const sn_curve_order *order, const char *name, hid_t type,
                       int columns, const void *values)
{
    void *slab = sn_curve_order_out(order, row_bytes(type, columns), values);
    sn_state_write_array(file, name, type, order->rows, columns, slab_of(order), slab);
    sn_free(slab);
}

static sn_status read_rows(sn_h5_source *source, const sn_curve_order *order, const char *name,
                           hid_t type, int columns, void *values)
{
    size_t bytes = row_bytes(type, columns);
    char *slab = SN_NEW(char, order->n *bytes);
    sn_status status =
        sn_state_read_array(source, name, type, order->rows, columns, slab_of(order), slab);
    if (status == SN_OK) {
        void *mine = sn_curve_order_in(order, bytes, slab);
        if (order->out.n_before)
            memcpy(values, mine, order->out.n_before * bytes);
        sn_free(mine);
    }
    sn_free(slab);
    return status;
}

/* ---- The octree ---- */

static void write_octants(sn_h5_file *file, const sn_octree *tree, const sn_curve_order *order)
{
    size_t n = (size_t)tree->n_octants;
    uint16_t(*anchor)[3] = SN_NEW(uint16_t[3], n), *body = SN_NEW(uint16_t, n);
    uint16_t *copy = SN_NEW(uint16_t, n);
    uint8_t *height = SN_NEW(uint8_t, n), *flags = SN_NEW(uint8_t, n);
    for (size_t i = 0; i < n; i++) {
        sn_octant o = tree->octant[i];
        memcpy(anchor[i], o.anchor, sizeof anchor[i]);
        height[i] = (uint8_t)o.height;
        flags[i] = (uint8_t)(o.is_element | o.is_node << 1);
        body[i] = (uint16_t)sn_octree_body_of(tree, (sn_local)i);
        copy[i] = o.copy;
    }
    write_rows(file, order, "/octree/anchor", H5T_STD_U16LE, 3, anchor);
    write_rows(file, order, "/octree/height", H5T_STD_U8LE, 0, height);
    write_rows(file, order, "/octree/flags", H5T_STD_U8LE, 0, flags);
    write_rows(file, order, "/octree/body", H5T_STD_U16LE, 0, body);
    write_rows(file, order, "/octree/copy", H5T_STD_U16LE, 0, copy);
    sn_free(anchor);
    sn_free(height);
    sn_free(flags);
    sn_free(body);
    sn_free(copy);
}

static void write_grids(sn_h5_file *file, const sn_bodies *bodies)
{
    double(*origin)[3] = SN_NEW(double[3], bodies->n), *cell = SN_NEW(double, bodies->n);
    for (int b = 0; b < bodies->n; b++) {
        memcpy(origin[b], bodies->body[b].origin, sizeof origin[b]);
        cell[b] = bodies->body[b].cell;
    }
    sn_h5_attribute_rows(file, "/octree", "origin", H5T_IEEE_F64LE, bodies->n, 3, origin);
    sn_h5_attribute_rows(file, "/octree", "cell", H5T_IEEE_F64LE, bodies->n, 0, cell);
    sn_free(origin);
    sn_free(cell);
}

static void write_octree(sn_h5_file *file, const sn_shot *shot)
{
    const sn_octree *tree = &shot->model.forest.level[0];
    sn_h5_group(file, "/octree");
    write_grids(file, &shot->model.bodies);
    sn_curve_order order = octant_order(tree);
    write_octants(file, tree, &order);
    sn_curve_order_free(&order);
}

/* The rows of /node that each owned element hangs on. */
static uint64_t (*rows_of_nodes(const sn_octree *tree))[8]
{
    size_t n = (size_t)tree->n_nodes + (size_t)tree->n_ghost_nodes;
    sn_key *key = sn_octree_node_keys(tree);
    int64_t *row = SN_NEW(int64_t, n);
    sn_number_along_curve(tree->comm, key, n, row);
    uint64_t(*rows)[8] = SN_NEW(uint64_t[8], tree->n_elements);
    for (sn_local e = 0; e < tree->n_elements; e++)
        for (int c = 0; c < 8; c++)
            rows[e][c] = (uint64_t)row[tree->conforming[e][c]];
    sn_free(key);
    sn_free(row);
    return rows;
}

static void write_connections(sn_h5_file *file, const sn_octree *tree, const sn_curve_order *order)
{
    uint64_t(*rows)[8] = rows_of_nodes(tree);
    write_rows(file, order, "/element/conforming", H5T_STD_U64LE, 8, rows);
    write_rows(file, order, "/element/hanging", H5T_STD_U8LE, 0, tree->hanging);
    sn_free(rows);
}

static void write_value(sn_h5_file *file, const sn_shot *shot, const sn_curve_order *order,
                        const char *name, sn_material_value value)
{
    double *all = sn_materials_of_all(&shot->built.materials, value);
    write_rows(file, order, name, H5T_IEEE_F64LE, 0, all);
    sn_free(all);
}

static void write_elements(sn_h5_file *file, const sn_shot *shot)
{
    sn_h5_group(file, "/element");
    const sn_octree *tree = &shot->model.forest.level[0];
    sn_curve_order order = element_order(tree);
    write_connections(file, tree, &order);
    write_value(file, shot, &order, "/element/young", SN_MATERIAL_YOUNG);
    write_value(file, shot, &order, "/element/poisson", SN_MATERIAL_POISSON);
    write_rows(file, &order, "/element/fraction", H5T_IEEE_F64LE, 0, shot->model.fraction);
    sn_curve_order_free(&order);
}

/* ---- The nodes ---- */

typedef struct {
    const char *name;
    double *values;
} node_field;

enum { NODE_FIELDS = 4, ELEMENT_FIELDS = 3 };

static void list_node_fields(const sn_state *s, node_field fields[NODE_FIELDS])
{
    fields[0] = (node_field){"/node/x", s->x};
    fields[1] = (node_field){"/node/v", s->v};
    fields[2] = (node_field){"/node/x_before", s->x_before};
    fields[3] = (node_field){"/node/v_before", s->v_before};
}

static void write_nodes(sn_h5_file *file, const sn_shot *shot)
{
    node_field fields[NODE_FIELDS];
    list_node_fields(&shot->state.nodes, fields);
    sn_h5_group(file, "/node");
    sn_curve_order order = node_order(&shot->model.forest.level[0]);
    file->hurried = true; /* digits of doubles hardly shrink: deflating takes longer than writing */
    for (int i = 0; i < NODE_FIELDS; i++)
        write_rows(file, &order, fields[i].name, H5T_IEEE_F64LE, SN_NODE_REALS, fields[i].values);
    file->hurried = false;
    sn_curve_order_free(&order);
}

static sn_status read_nodes(sn_h5_source *source, sn_shot *shot)
{
    node_field fields[NODE_FIELDS];
    list_node_fields(&shot->state.nodes, fields);
    sn_curve_order order = node_order(&shot->model.forest.level[0]);
    sn_status status = SN_OK;
    for (int i = 0; i < NODE_FIELDS && status == SN_OK; i++)
        status = read_rows(source, &order, fields[i].name, H5T_IEEE_F64LE, SN_NODE_REALS,
                           fields[i].values);
    sn_curve_order_free(&order);
    return status;
}

/* ---- Single values ---- */

typedef struct {
    const char *group, *name;
    bool is_real;
    void *value;   /* int or double */
    bool is_newer; /* older files lack it, and it is 0 */
} scalar;

enum { SCALARS = 17 };

static hid_t type_of(const scalar *s)
{
    return s->is_real ? H5T_IEEE_F64LE : H5T_STD_I32LE;
}

/* progress.whole is an int here. */
static void list_scalars(sn_state *s, sn_frame_progress *p, int *whole, scalar scalars[SCALARS])
{
    scalar all[SCALARS] = {
        {"/", "frame", false, &p->frame, false},
        {"/", "time", true, &s->time, false},
        {"/", "substep", false, &p->substeps, false},
        {"/", "whole", false, whole, false},
        {"/stepper", "last_step", true, &s->last_step, false},
        {"/progress", "from", true, &p->from, false},
        {"/progress", "seconds", true, &p->seconds, false},
        {"/progress", "newton", false, &p->result.iterations, false},
        {"/progress", "linear", false, &p->result.inner, false},
        {"/progress", "residual", true, &p->result.residual, false},
        {"/progress", "friction_excess", true, &p->result.friction_excess, true},
        {"/progress", "way", false, &p->way.n, true},
        {"/progress", "way_steps", false, &p->way.steps, true},
        {"/progress", "way_newton", false, &p->way.so_far.iterations, true},
        {"/progress", "way_linear", false, &p->way.so_far.inner, true},
        {"/progress", "way_residual", true, &p->way.so_far.residual, true},
        {"/progress", "way_friction_excess", true, &p->way.so_far.friction_excess, true}};
    memcpy(scalars, all, sizeof all);
}

/* The ends of a way's steps, all of them: those to come are the first. */
static void write_way(sn_h5_file *file, const sn_step_way *way)
{
    double time[SN_MOST_WAY_ENDS];
    int halvings[SN_MOST_WAY_ENDS];
    for (int i = 0; i < SN_MOST_WAY_ENDS; i++) {
        time[i] = i < way->n ? way->end[i].time : 0;
        halvings[i] = i < way->n ? way->end[i].halvings : 0;
    }
    sn_h5_attribute(file, "/progress", "way_times", H5T_NATIVE_DOUBLE, SN_MOST_WAY_ENDS, time);
    sn_h5_attribute(file, "/progress", "way_halvings", H5T_NATIVE_INT, SN_MOST_WAY_ENDS, halvings);
}

/* Times fall towards the next step's end, which lies ahead. */
static bool is_way(const sn_step_way *way, double now)
{
    bool good = way->n >= 0 && way->n <= SN_MOST_WAY_ENDS && way->steps >= 0;
    for (int i = 0; good && i < way->n; i++) {
        double before = i + 1 < way->n ? way->end[i + 1].time : now;
        good = isfinite(way->end[i].time) && way->end[i].time >= before &&
               way->end[i].halvings >= 0 && way->end[i].halvings <= SN_MOST_STEP_HALVINGS;
    }
    return good;
}

static sn_status read_way(sn_h5_source *source, double now, sn_step_way *way)
{
    double time[SN_MOST_WAY_ENDS];
    int halvings[SN_MOST_WAY_ENDS];
    if (!sn_h5_has_attribute(source, "/progress", "way_times"))
        return SN_OK;
    SN_TRY(sn_h5_read_attribute(source, "/progress", "way_times", H5T_NATIVE_DOUBLE,
                                SN_MOST_WAY_ENDS, time));
    SN_TRY(sn_h5_read_attribute(source, "/progress", "way_halvings", H5T_NATIVE_INT,
                                SN_MOST_WAY_ENDS, halvings));
    for (int i = 0; i < SN_MOST_WAY_ENDS; i++)
        way->end[i] = (sn_way_end){time[i], halvings[i]};
    return is_way(way, now)
               ? SN_OK
               : SN_FAIL(SN_MACHINE, "%s: the way of its step makes no sense", source->path);
}

static void write_scalars(sn_h5_file *file, const sn_shot *shot)
{
    sn_state state = shot->state.nodes;
    sn_frame_progress progress = shot->state.progress;
    int whole = progress.whole;
    scalar scalars[SCALARS];
    list_scalars(&state, &progress, &whole, scalars);
    sn_h5_group(file, "/stepper");
    sn_h5_group(file, "/progress");
    for (int i = 0; i < SCALARS; i++)
        sn_h5_attribute(file, scalars[i].group, scalars[i].name, type_of(&scalars[i]), 1,
                        scalars[i].value);
    write_way(file, &progress.way);
}

static sn_status read_scalar(sn_h5_source *source, const scalar *s)
{
    if (s->is_newer && !sn_h5_has_attribute(source, s->group, s->name))
        return SN_OK;
    return sn_h5_read_attribute(source, s->group, s->name, type_of(s), 1, s->value);
}

static sn_status read_scalars(sn_h5_source *source, sn_shot *shot)
{
    sn_frame_progress *p = &shot->state.progress;
    *p = (sn_frame_progress){0};
    int whole = 0;
    scalar scalars[SCALARS];
    list_scalars(&shot->state.nodes, p, &whole, scalars);
    for (int i = 0; i < SCALARS; i++)
        SN_TRY(read_scalar(source, &scalars[i]));
    p->whole = whole != 0;
    return read_way(source, shot->state.nodes.time, &p->way);
}

/* ---- The texts ---- */

static void write_inputs(sn_h5_file *file, const sn_scene *scene)
{
    int rank;
    MPI_Comm_rank(file->comm, &rank);
    char *inputs = rank == 0 ? sn_scene_input_digests(scene) : NULL;
    int bytes = inputs ? (int)strlen(inputs) + 1 : 0;
    MPI_Bcast(&bytes, 1, MPI_INT, 0, file->comm);
    if (!inputs)
        inputs = SN_NEW(char, bytes);
    MPI_Bcast(inputs, bytes, MPI_CHAR, 0, file->comm);
    sn_h5_text(file, "/inputs", inputs);
    sn_free(inputs);
}

static void write_texts(sn_h5_file *file, const sn_scene *scene)
{
    char *text = sn_scene_text(scene);
    sn_h5_text(file, "/scene", text);
    sn_free(text);
    write_inputs(file, scene);
}

static sn_status check_version(sn_h5_source *source)
{
    char *version;
    SN_TRY(sn_h5_read_attribute_text(source, "/", "version", &version));
    sn_status status = strcmp(version, SINEW_VERSION) == 0
                           ? SN_OK
                           : SN_FAIL(SN_BAD_INPUT, "%s: written by sinew %s, and this is %s",
                                     source->path, version, SINEW_VERSION);
    sn_free(version);
    return status;
}

static sn_status check_scene(sn_h5_source *source, const sn_scene *scene, bool may_change)
{
    char *text;
    SN_TRY(sn_h5_read_text(source, "/scene", &text));
    sn_scene before;
    sn_status status = sn_scene_read_text(source->path, text, strlen(text), &before);
    sn_free(text);
    if (status == SN_OK) {
        status = may_change ? sn_scene_check_changes(&before, scene)
                            : sn_scene_check_continues(&before, scene);
        sn_scene_free(&before);
    }
    return status;
}

static sn_status check_inputs(sn_h5_source *source, const sn_scene *scene, bool may_change)
{
    int rank;
    MPI_Comm_rank(source->comm, &rank);
    char *before;
    SN_TRY(sn_h5_read_text(source, "/inputs", &before));
    sn_status status = SN_OK;
    if (rank == 0)
        status = sn_scene_check_inputs(scene, before, source->path, may_change);
    sn_free(before);
    return sn_agree(source->comm, status);
}

sn_status sn_checkpoint_check(MPI_Comm comm, const char *path, const sn_scene *scene,
                              bool may_change)
{
    SN_TRY(sn_seal_check(comm, path));
    sn_h5_source source;
    SN_TRY(sn_h5_open(comm, path, &source));
    sn_status status = check_version(&source);
    if (status == SN_OK)
        status = sn_agree(comm, check_scene(&source, scene, may_change));
    if (status == SN_OK)
        status = check_inputs(&source, scene, may_change);
    sn_h5_close(&source);
    return status;
}

/* ---- The whole ---- */

/* The most that the arrays take, as sn_h5_create wants it. */
static int64_t bytes_of(const sn_shot *shot, const sn_frame_rows *rows)
{
    sn_octree_counts c = sn_octree_count(&shot->model.forest.level[0]);
    int64_t octant = 5 * sizeof(uint16_t) + 2 * sizeof(uint8_t);
    int64_t element = (ELEMENT_FIELDS + 8) * sizeof(double) + sizeof(uint8_t);
    int64_t node = NODE_FIELDS * SN_NODE_REALS * sizeof(double);
    int64_t bytes = c.octants * octant + c.nodes * node + c.elements * element;
    char *text = sn_scene_text(shot->scene);
    bytes += (int64_t)(2 * strlen(text) + rows->count * sizeof *rows->data);
    sn_free(text);
    return bytes;
}

static void write_all(sn_h5_file *file, const sn_shot *shot, const sn_frame_rows *rows)
{
    uint64_t forest = sn_hierarchy_digest(&shot->model.forest);
    sn_h5_attribute_text(file, "/", "version", SINEW_VERSION);
    sn_h5_attribute(file, "/", "forest", H5T_STD_U64LE, 1, &forest);
    write_scalars(file, shot);
    write_texts(file, shot->scene);
    write_octree(file, shot);
    write_nodes(file, shot);
    write_elements(file, shot);
    sn_write_contacts(file, &shot->state.contacts);
    sn_write_frame_rows(file, rows);
}

sn_status sn_checkpoint_write(const sn_shot *shot, const sn_frame_rows *rows, const char *path)
{
    sn_phase_begin("shot/checkpoint");
    sn_h5_file file;
    sn_status status =
        sn_h5_create(shot->model.forest.level[0].comm, path, bytes_of(shot, rows), &file);
    if (status == SN_OK) {
        file.sealed = true;
        write_all(&file, shot, rows);
        status = sn_h5_finish(&file);
    }
    sn_phase_end("shot/checkpoint");
    return status;
}

static sn_status check_forest(sn_h5_source *source, const sn_shot *shot)
{
    uint64_t before, now = sn_hierarchy_digest(&shot->model.forest);
    SN_TRY(sn_h5_read_attribute(source, "/", "forest", H5T_STD_U64LE, 1, &before));
    if (before == now)
        return SN_OK;
    return SN_FAIL(SN_BAD_INPUT, "%s: the octrees were others when it was written", source->path);
}

static sn_status read_all(sn_h5_source *source, sn_shot *shot, sn_frame_rows *rows)
{
    SN_TRY(check_forest(source, shot));
    SN_TRY(read_scalars(source, shot));
    SN_TRY(read_nodes(source, shot));
    SN_TRY(sn_read_contacts(source, shot->scene->colliders.count, &shot->state.contacts));
    int64_t start = sn_frames_start(&shot->scene->frames);
    int64_t frames = shot->state.progress.frame - start + 1;
    SN_TRY(sn_read_frame_rows(source, frames, rows));
    return sn_checkpoint_trust(source->path, shot, rows);
}

/* Points of the contact surface follow from the scene: records of another one mean nothing. */
static sn_status build(sn_shot *shot, const char *path)
{
    sn_contact_memory *contacts = &shot->state.contacts;
    if (contacts->colliders.count == 0 && contacts->flesh.count == 0)
        contacts->n_points =
            0; /* without records any surface will do: there may be new colliders */
    int64_t before = contacts->n_points;
    sn_status status = sn_shot_build(shot);
    if (status == SN_OK && before != 0 && before != shot->state.contacts.n_points)
        status = SN_FAIL(SN_MACHINE, "its contacts are of another surface");
    return status == SN_MACHINE ? SN_FAIL(status, "%s: %s", path, sn_failure_message()) : status;
}

sn_status sn_checkpoint_read(sn_shot *shot, sn_frame_rows *rows, const char *path)
{
    sn_h5_source source;
    SN_TRY(sn_h5_open(shot->model.forest.level[0].comm, path, &source));
    sn_status status = read_all(&source, shot, rows);
    sn_h5_close(&source);
    return status == SN_OK ? build(shot, path) : status;
}

sn_status sn_checkpoint_read_rows(MPI_Comm comm, const char *path, const sn_scene *scene,
                                  sn_frame_rows *rows)
{
    sn_h5_source source;
    int frame;
    SN_TRY(sn_h5_open(comm, path, &source));
    sn_status status = sn_h5_read_attribute(&source, "/", "frame", H5T_STD_I32LE, 1, &frame);
    if (status == SN_OK)
        status =
            sn_read_frame_rows(&source, (int64_t)frame - sn_frames_start(&scene->frames) + 1, rows);
    sn_h5_close(&source);
    return status;
}
