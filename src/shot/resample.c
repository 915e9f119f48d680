#include "shot/resample.h"

#include "base/array.h"
#include "octree/locate.h"
#include "octree/positions.h"
#include "partition/records.h"
#include "surface/embed.h"

#include <math.h>
#include <string.h>

enum { FIELDS = 4, POSITIONS = 2 }; /* the first two are positions, the others velocities */

static void list_fields(const sn_state *s, double *field[FIELDS])
{
    field[0] = s->x;
    field[1] = s->x_before;
    field[2] = s->v;
    field[3] = s->v_before;
}

/* A node that asks, on its way to the old octree. */
typedef struct {
    uint64_t key;       /* of a cell beside it; where it arrives, the number of its element */
    double at[3];       /* the node at rest */
    double material[3]; /* a place in what the asking element holds */
    int32_t rank, node;
    bool same_grid; /* the key has the copy */
} question;

typedef struct {
    int64_t node;
    double value[FIELDS][SN_NODE_REALS];
} answer;

/* ---- Asking. ---- */

/* For each owned node the first element along the curve that has it as a corner of its own. All of
 * them are here, as elements of this rank or as ghosts. */
static sn_local *elements_of_nodes(const sn_octree *tree, const sn_key *key)
{
    sn_local *element = SN_NEW(sn_local, tree->n_nodes);
    for (sn_local n = 0; n < tree->n_nodes; n++)
        element[n] = SN_NONE;
    for (sn_local e = 0; e < tree->n_elements + tree->n_ghost_elements; e++)
        for (int c = 0; c < 8; c++) {
            sn_local node = tree->conforming[e][c];
            if (node < tree->n_nodes && !(tree->hanging[e] >> c & 1) &&
                (element[node] == SN_NONE || key[e] < key[element[node]]))
                element[node] = e;
        }
    return element;
}

/* A point just inside of the element at its corner: borders belong to one side only. Only so far
 * that the side is chosen: cells of the other octree may end anywhere. */
static void step_inside(const double corner[3], const double centre[3], double cell, double in[3])
{
    const double hair = 1e-6;
    for (int d = 0; d < 3; d++)
        in[d] = corner[d] + copysign(hair * cell, centre[d] - corner[d]);
}

/* Have both the same cells, and so the same copies? */
static bool same_grid(const sn_body *a, const sn_body *b)
{
    bool same = a->cell == b->cell && a->welded == b->welded && a->coarsest == b->coarsest;
    for (int d = 0; d < 3; d++)
        same = same && a->origin[d] == b->origin[d] && a->cells[d] == b->cells[d];
    return same;
}

/* Where the material of an element is: `centroid` from the middle, in halves of its edge. */
static void place_of_material(const sn_octree *tree, const sn_leaves *elements, sn_local e,
                              const double centre[3], const float centroid[3], double place[3])
{
    double half =
        0.5 * sn_edge(elements->height[e]) * tree->bodies->body[sn_key_body(elements->key[e])].cell;
    for (int d = 0; d < 3; d++)
        place[d] = centre[d] + half * (double)centroid[d];
}

static question *ask(const sn_bodies *old_bodies, const sn_model *model)
{
    int me;
    const sn_octree *tree = &model->forest.level[0];
    MPI_Comm_rank(tree->comm, &me);
    sn_leaves elements = sn_octree_elements(tree);
    sn_local *element = elements_of_nodes(tree, elements.key);
    sn_local nodes = tree->n_nodes + tree->n_ghost_nodes;
    double(*at)[3] = SN_NEW(double[3], nodes);
    double(*centre)[3] = SN_NEW(double[3], elements.n);
    sn_octree_node_positions(tree, at);
    sn_octree_element_centres(tree, centre);
    question *list = SN_NEW_ZERO(question, tree->n_nodes);
    for (sn_local n = 0; n < tree->n_nodes; n++) {
        sn_local e = element[n];
        int body = sn_key_body(elements.key[e]);
        double inside[3], cell = fmin(old_bodies->body[body].cell, tree->bodies->body[body].cell);
        step_inside(at[n], centre[e], cell, inside);
        list[n].key = sn_locate_cell(old_bodies, body, inside);
        list[n].same_grid = same_grid(&old_bodies->body[body], &tree->bodies->body[body]);
        if (list[n].same_grid)
            list[n].key |= (sn_key)sn_key_copy(elements.key[e]);
        place_of_material(tree, &elements, e, centre[e], model->centroid[e], list[n].material);
        list[n].rank = me;
        list[n].node = n;
        memcpy(list[n].at, at[n], sizeof at[n]);
    }
    sn_leaves_free(&elements);
    sn_free(element);
    sn_free(at);
    sn_free(centre);
    return list;
}

/* ---- Answering. ---- */

/* Nodes lie on a lattice of 2^16 cells: what is that near to one of its points is on it. */
static double on_lattice(double local)
{
    const double points = 65536, rounding = 1e-7;
    double near = nearbyint(local * points) / points;
    return fabs(local - near) < rounding ? near : local;
}

/* The number of the corner at these coordinates, or -1. */
static int corner_at(const double local[3])
{
    int corner = 0;
    for (int d = 0; d < 3; d++) {
        if (local[d] != 0 && local[d] != 1)
            return -1;
        corner |= (local[d] == 1) << d;
    }
    return corner;
}

/* Is a point no farther outside than a hair? */
static bool is_rounding(const double offset[3], double cell)
{
    const double hair = 2e-6;
    return fmax(fabs(offset[0]), fmax(fabs(offset[1]), fabs(offset[2]))) <= hair * cell;
}

/* Where the grids differ, a question comes to the first copy. */
static sn_local element_for(const sn_locator *l, const sn_model *model, const question *q)
{
    sn_local element = (sn_local)q->key;
    const sn_parts *parts = &model->forest.parts;
    const sn_parts_cell *cell = NULL;
    if (l->tree->has_copies && l->elements.height[element] == 0 && !q->same_grid)
        cell = sn_parts_cell_at(parts, l->elements.key[element]);
    return cell ? element + sn_parts_near(parts, &model->bodies, cell, q->material) : element;
}

static answer reply(const sn_locator *l, const sn_model *model, double *const field[FIELDS],
                    const question *q)
{
    const sn_octree *tree = l->tree;
    sn_local element = element_for(l, model, q);
    sn_key key = l->elements.key[element];
    int height = l->elements.height[element];
    double local[3], offset[3];
    bool inside =
        sn_locate_within(&tree->bodies->body[sn_key_body(key)], key, height, q->at, local, offset);
    for (int d = 0; d < 3; d++)
        local[d] = on_lattice(local[d]);
    inside = inside || is_rounding(offset, tree->bodies->body[sn_key_body(key)].cell);
    int corner = corner_at(local);
    bool is_node = corner >= 0 && !(tree->hanging[element] >> corner & 1);
    answer a = {.node = q->node};
    for (int f = 0; f < FIELDS; f++) {
        if (is_node)
            memcpy(a.value[f], field[f] + SN_NODE_REALS * (size_t)tree->conforming[element][corner],
                   sizeof a.value[f]);
        else
            sn_embedded_place(tree, element, sn_key_child(key, height), local, field[f],
                              a.value[f]);
        for (int d = 0; d < 3 && f < POSITIONS && !inside; d++)
            a.value[f][d] += offset[d];
    }
    return a;
}

static void bring_back(MPI_Comm comm, const answer *answers, const int *to, size_t n,
                       double *const field[FIELDS])
{
    sn_inbox in = sn_records_send(comm, sizeof *answers, answers, to, n);
    const answer *back = in.data;
    for (size_t i = 0; i < in.n; i++)
        for (int f = 0; f < FIELDS; f++)
            memcpy(field[f] + SN_NODE_REALS * back[i].node, back[i].value[f],
                   sizeof back[i].value[f]);
    sn_inbox_free(&in);
}

static void answer_all(const sn_locator *l, const sn_model *model, const sn_state *from,
                       const question *asked, size_t n, sn_state *state)
{
    double *old[FIELDS], *new[FIELDS];
    list_fields(from, old);
    list_fields(state, new);
    answer *answers = SN_NEW(answer, n);
    int *to = SN_NEW(int, n);
    for (size_t i = 0; i < n; i++) {
        answers[i] = reply(l, model, old, &asked[i]);
        to[i] = asked[i].rank;
    }
    bring_back(l->tree->comm, answers, to, n, new);
    sn_free(answers);
    sn_free(to);
}

sn_status sn_resample(const sn_state *from, sn_model *from_model, const sn_model *model,
                      sn_state *state)
{
    sn_octree *from_tree = &from_model->forest.level[0];
    const sn_octree *tree = &model->forest.level[0];
    double *field[FIELDS];
    list_fields(from, field);
    for (int f = 0; f < FIELDS; f++)
        sn_field_fill_ghosts(from_tree, field[f]);
    sn_locator locator = sn_locator_create(from_tree);
    question *asked = ask(from_tree->bodies, model);
    void *arrived;
    size_t n;
    sn_status status =
        sn_locate(&locator, sizeof *asked, asked, (size_t)tree->n_nodes, &arrived, &n);
    sn_free(asked);
    if (status == SN_OK) {
        *state = (sn_state){.time = from->time,
                            .last_step = from->last_step,
                            .x = sn_field_new_f64(tree),
                            .v = sn_field_new_f64(tree),
                            .x_before = sn_field_new_f64(tree),
                            .v_before = sn_field_new_f64(tree)};
        answer_all(&locator, from_model, from, arrived, n, state);
        sn_free(arrived);
    }
    sn_locator_free(&locator);
    return status;
}
