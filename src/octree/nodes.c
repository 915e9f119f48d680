#include "octree/nodes.h"

#include "base/array.h"
#include "base/sort.h"
#include "octree/copies.h"
#include "octree/family.h"
#include "partition/ghost.h"
#include "partition/sort.h"

#include <omp.h>
#include <string.h>

/* All elements that this rank can see: its own and those that touch them. What is at places apart
 * is left to copies.h. */
typedef struct {
    sn_places_apart apart;
    sn_leaves own_and_ghosts; /* empty without ghosts: then `leaves` is used as it is */
    const uint8_t *height;
    sn_lookup lookup;
    bool of_bonds; /* height and lookup are those of the bonds, which have the same leaves */
} surroundings;

static surroundings look_around(MPI_Comm comm, const sn_owners *owners, const sn_bodies *bodies,
                                const sn_leaves *leaves)
{
    uint8_t *root_height = SN_NEW(uint8_t, bodies->n);
    for (int b = 0; b < bodies->n; b++)
        root_height[b] = bodies->body[b].root_height;
    size_t n_ghosts;
    sn_ghost *ghosts = sn_ghosts_of_elements(comm, owners, root_height, leaves->key, leaves->height,
                                             leaves->n, &n_ghosts);
    surroundings s = {.height = leaves->height};
    const sn_key *keys = leaves->key;
    size_t n = leaves->n;
    if (n_ghosts > 0) {
        sn_leaves own = {0}, others = {0};
        for (size_t i = 0; i < leaves->n; i++)
            sn_leaves_push(&own, leaves->key[i], leaves->height[i]);
        for (size_t i = 0; i < n_ghosts; i++)
            sn_leaves_push(&others, ghosts[i].key, ghosts[i].height);
        s.own_and_ghosts = sn_leaves_merge(own, others);
        s.height = s.own_and_ghosts.height;
        keys = s.own_and_ghosts.key;
        n = s.own_and_ghosts.n;
    }
    s.lookup = sn_lookup_create(keys, n);
    sn_free(ghosts);
    sn_free(root_height);
    return s;
}

static surroundings take_surroundings(const sn_bonds *bonds, const sn_bodies *bodies)
{
    return (surroundings){.apart = sn_places_apart_find(bonds, bodies),
                          .height = bonds->around.height,
                          .lookup = bonds->lookup,
                          .of_bonds = true};
}

static void free_surroundings(surroundings *s)
{
    if (!s->of_bonds)
        sn_lookup_free(&s->lookup);
    sn_places_apart_free(&s->apart);
    sn_leaves_free(&s->own_and_ghosts);
}

typedef enum { UNKNOWN, NO, YES } answer;

/* What has been looked up around the current family. */
typedef struct {
    sn_parent parent;
    uint32_t root_edge;
    uint8_t large_neighbour[SN_NEIGHBOURS]; /* is there an element of the parent's size? */
    uint8_t anchored[SN_LATTICE_POINTS];    /* is an element anchored at this point? */
    sn_lookup_memory memory, memory_apart;
} family_view;

static void view_family(family_view *v, const sn_bodies *bodies, sn_key key, int height)
{
    v->parent = sn_parent_of(key, height);
    v->root_edge = sn_edge(bodies->body[v->parent.body].root_height);
    memset(v->large_neighbour, UNKNOWN, sizeof v->large_neighbour);
    memset(v->anchored, UNKNOWN, sizeof v->anchored);
}

static bool has_large_neighbour(family_view *v, const surroundings *s, int neighbour)
{
    uint8_t *known = &v->large_neighbour[neighbour];
    if (*known != UNKNOWN)
        return *known == YES;
    *known = NO;
    const sn_parent *p = &v->parent;
    sn_key key;
    if (!sn_neighbour_key(p->body, p->xyz, sn_edge(p->height), v->root_edge, neighbour, &key))
        return false;
    sn_local at = sn_lookup_find(&s->lookup, &v->memory, key);
    if (at != SN_NONE && s->height[at] == p->height)
        *known = YES;
    return *known == YES;
}

static bool is_anchored(family_view *v, const surroundings *s, int point)
{
    uint8_t *known = &v->anchored[point];
    if (*known == UNKNOWN) {
        sn_key key = sn_lattice_key(&v->parent, point);
        *known = sn_lookup_find(&s->lookup, &v->memory, key) != SN_NONE ? YES : NO;
    }
    return *known == YES;
}

/* The corners of a child that hang. Relative to the child's own number, a corner differs in
 * no axis (the parent's corner), one (middle of an edge along it), two (middle of a face) or
 * three (the parent's centre); only edges and faces can have a large neighbour. */
static uint8_t hanging_corners(family_view *v, const surroundings *s, int child)
{
    int outward[3];
    for (int axis = 0; axis < 3; axis++)
        outward[axis] = (child >> axis & 1 ? 1 : -1) * sn_lattice_step(axis);
    bool face[3], edge[3];
    for (int axis = 0; axis < 3; axis++) {
        int b = (axis + 1) % 3, c = (axis + 2) % 3;
        face[axis] = has_large_neighbour(v, s, SN_NEIGHBOUR_SELF + outward[axis]);
        edge[axis] = has_large_neighbour(v, s, SN_NEIGHBOUR_SELF + outward[b] + outward[c]);
    }
    uint8_t hanging = 0;
    for (int axis = 0; axis < 3; axis++) {
        int b = (axis + 1) % 3, c = (axis + 2) % 3;
        if (face[b] || face[c] || edge[axis])
            hanging |= (uint8_t)(1 << (child ^ 1 << axis));
        if (face[axis])
            hanging |= (uint8_t)(1 << (child ^ 1 << b ^ 1 << c));
    }
    return hanging;
}

static bool is_apart(family_view *v, const surroundings *s, sn_key place)
{
    return s->apart.n > 0 && sn_lookup_find(&s->apart.lookup, &v->memory_apart, place) != SN_NONE;
}

/* Corners that no element is anchored at, sorted out by whether they hang. */
static void note_bare_corners(family_view *v, const surroundings *s, int child, uint8_t hanging,
                              sn_place_list *boundary, sn_place_list *bare_hanging)
{
    for (int corner = 1; corner < 8; corner++) { /* corner 0 is the element's own anchor */
        int point = sn_lattice_corner(child, corner);
        if (is_anchored(v, s, point))
            continue;
        sn_place_list *list = hanging >> corner & 1 ? bare_hanging : boundary;
        sn_key place = sn_lattice_key(&v->parent, point);
        if (!is_apart(v, s, place))
            sn_push(list, place);
    }
}

static int64_t examine(const sn_bodies *bodies, const surroundings *s, const sn_leaves *leaves,
                       size_t from, size_t to, uint8_t *hanging, sn_place_list *boundary,
                       sn_place_list *bare_hanging)
{
    int64_t hanging_anchors = 0;
    family_view v = {0};
    for (size_t i = from; i < to; i++) {
        if (i == from || !sn_is_child_of(&v.parent, leaves->key[i], leaves->height[i]))
            view_family(&v, bodies, leaves->key[i], leaves->height[i]);
        int child = sn_key_child(leaves->key[i], leaves->height[i]);
        bool is_root = v.parent.height > bodies->body[v.parent.body].root_height;
        hanging[i] = is_root ? 0 : hanging_corners(&v, s, child);
        note_bare_corners(&v, s, child, hanging[i], boundary, bare_hanging);
        hanging_anchors += hanging[i] & 1 && !is_apart(&v, s, leaves->key[i]);
    }
    boundary->count = sn_sort_unique_keys(boundary->data, boundary->count);
    bare_hanging->count = sn_sort_unique_keys(bare_hanging->data, bare_hanging->count);
    return hanging_anchors;
}

static void add_all(sn_place_list *to, sn_place_list *from)
{
    if (from->count) {
        sn_reserve(to, to->count + from->count);
        memcpy(to->data + to->count, from->data, from->count * sizeof(sn_key));
        to->count += from->count;
    }
    sn_vector_free(from);
}

/* Of places, by geometry alone. */
static void examine_all(const sn_bodies *bodies, const surroundings *s, const sn_leaves *leaves,
                        sn_nodes *nodes, sn_place_list *boundary, sn_place_list *bare_hanging)
{
    int64_t hanging_anchors = 0;
#pragma omp parallel reduction(+ : hanging_anchors)
    {
        size_t threads = (size_t)omp_get_num_threads(), me = (size_t)omp_get_thread_num();
        sn_place_list my_boundary = {0}, my_hanging = {0};
        hanging_anchors +=
            examine(bodies, s, leaves, leaves->n * me / threads, leaves->n * (me + 1) / threads,
                    nodes->hanging, &my_boundary, &my_hanging);
#pragma omp critical
        {
            add_all(boundary, &my_boundary);
            add_all(bare_hanging, &my_hanging);
        }
    }
    nodes->n_hanging = hanging_anchors;
    for (size_t i = 0; i < leaves->n; i++)
        nodes->is_node[i] = !(nodes->hanging[i] & 1);
}

static bool any_anywhere(MPI_Comm comm, bool mine)
{
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_C_BOOL, MPI_LOR, comm);
    return mine;
}

sn_status sn_nodes_find(MPI_Comm comm, const sn_owners *owners, const sn_bodies *bodies,
                        const sn_bonds *bonds, sn_leaves *leaves, sn_nodes *nodes)
{
    *nodes =
        (sn_nodes){.hanging = SN_NEW(uint8_t, leaves->n), .is_node = SN_NEW(uint8_t, leaves->n)};
    surroundings s =
        bonds ? take_surroundings(bonds, bodies) : look_around(comm, owners, bodies, leaves);
    sn_place_list boundary = {0}, bare_hanging = {0};
    examine_all(bodies, &s, leaves, nodes, &boundary, &bare_hanging);
    sn_status status = SN_OK;
    if (bonds && any_anywhere(comm, s.apart.n > 0))
        status = sn_copies_make(comm, owners, bonds, &s.apart, leaves, nodes, &boundary);
    free_surroundings(&s);
    nodes->n_boundary = boundary.count;
    nodes->boundary = sn_unique_on_owners(comm, owners, boundary.data, &nodes->n_boundary);
    bare_hanging.data = sn_unique_on_owners(comm, owners, bare_hanging.data, &bare_hanging.count);
    nodes->n_hanging += (int64_t)bare_hanging.count;
    sn_vector_free(&bare_hanging);
    if (status != SN_OK)
        sn_nodes_free(nodes);
    return status;
}

void sn_nodes_free(sn_nodes *nodes)
{
    sn_free(nodes->hanging);
    sn_free(nodes->is_node);
    sn_free(nodes->boundary);
    sn_free(nodes->copy);
    *nodes = (sn_nodes){0};
}
