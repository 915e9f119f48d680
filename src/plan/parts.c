#include "plan/parts.h"

#include "base/array.h"
#include "base/sort.h"
#include "elastic/operator.h"
#include "octree/repartition.h"
#include "partition/split.h"

typedef SN_VECTOR(sn_key) key_list;

/* Parts are intervals of the curve, so their octants, elements and nodes are as well. */
typedef struct {
    const sn_octree *whole;
    sn_leaves elements; /* of the whole level */
    sn_owners owners;
    int n;                                               /* parts */
    sn_local *octant_first, *element_first, *node_first; /* n + 1 of each */

    sn_local *ghost_first; /* n + 1: into ghost_element */
    sn_local *ghost_element;

    int *seen_by;       /* the last part that had a node as a ghost */
    sn_local *numbered; /* as this one */
    key_list pairs;     /* of parts that exchange nodes: the receiver above, the sender below */
} cutting;

static uint8_t *weights_of(const sn_octree *whole)
{
    uint8_t *weight = SN_NEW(uint8_t, whole->n_octants);
    for (sn_local i = 0; i < whole->n_octants; i++)
        weight[i] = whole->octant[i].is_element ? SN_ELEMENT_WEIGHT : SN_BOUNDARY_NODE_WEIGHT;
    return weight;
}

static void find_intervals(cutting *c, const sn_key *keys)
{
    const sn_octree *whole = c->whole;
    c->octant_first = SN_NEW(sn_local, c->n + 1);
    c->element_first = SN_NEW(sn_local, c->n + 1);
    c->node_first = SN_NEW(sn_local, c->n + 1);
    sn_local element = 0, node = 0;
    int part = 0;
    for (sn_local i = 0; i <= whole->n_octants; i++) {
        bool end = i == whole->n_octants;
        while (part <= c->n && (end || (part < c->n && keys[i] >= c->owners.first[part]))) {
            c->octant_first[part] = i;
            c->element_first[part] = element;
            c->node_first[part++] = node;
        }
        if (!end) {
            element += whole->octant[i].is_element;
            node += whole->octant[i].is_node;
        }
    }
}

static bool has_node(const cutting *c, int part, sn_local node)
{
    return node >= c->node_first[part] && node < c->node_first[part + 1];
}

static int part_of_node(const cutting *c, sn_local node)
{
    int low = 0, high = c->n; /* node_first[low] <= node < node_first[high] */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (c->node_first[middle] <= node)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The other parts that own a node of an element; those are at most eight. */
static int parts_around(const cutting *c, int part, sn_local element, int others[8])
{
    int n = 0;
    for (int corner = 0; corner < 8; corner++) {
        sn_local node = c->whole->conforming[element][corner];
        if (has_node(c, part, node))
            continue;
        int owner = part_of_node(c, node), i = 0;
        while (i < n && others[i] != owner)
            i++;
        if (i == n)
            others[n++] = owner;
    }
    return n;
}

/* Each part's ghost elements, along the curve: once to count them, once to write them down. */
static void find_ghost_elements(cutting *c, int64_t *sent)
{
    c->ghost_first = SN_NEW_ZERO(sn_local, c->n + 2);
    sn_local *next = c->ghost_first + 1;
    for (int pass = 0; pass < 2; pass++) {
        for (int part = 0; part < c->n; part++)
            for (sn_local e = c->element_first[part]; e < c->element_first[part + 1]; e++) {
                int others[8], n = parts_around(c, part, e, others);
                for (int i = 0; i < n; i++)
                    if (pass == 0)
                        next[others[i] + 1]++;
                    else
                        c->ghost_element[next[others[i]]++] = e;
                sent[part] += pass == 0 ? n : 0;
            }
        if (pass == 0) {
            for (int part = 0; part < c->n; part++)
                next[part + 1] += next[part];
            c->ghost_element = SN_NEW(sn_local, next[c->n]);
        }
    }
}

static cutting begin(const sn_octree *whole, const sn_cut *cut)
{
    cutting c = {.whole = whole, .elements = sn_octree_elements(whole)};
    sn_key *keys = sn_octree_octant_keys(whole);
    uint8_t *weight = weights_of(whole);
    c.owners =
        sn_split_whole_by_weight(keys, weight, (size_t)whole->n_octants, cut->parts, cut->size);
    c.n = c.owners.n;
    find_intervals(&c, keys);
    sn_free(keys);
    sn_free(weight);
    c.seen_by = SN_NEW(int, whole->n_nodes);
    c.numbered = SN_NEW(sn_local, whole->n_nodes);
    for (sn_local n = 0; n < whole->n_nodes; n++)
        c.seen_by[n] = -1;
    return c;
}

static void end(cutting *c)
{
    sn_leaves_free(&c->elements);
    sn_owners_free(&c->owners);
    sn_free(c->octant_first);
    sn_free(c->element_first);
    sn_free(c->node_first);
    sn_free(c->ghost_first);
    sn_free(c->ghost_element);
    sn_free(c->seen_by);
    sn_free(c->numbered);
    sn_vector_free(&c->pairs);
}

static sn_local clamped(sn_local value, sn_local least, sn_local most)
{
    return value < least ? least : value > most ? most : value;
}

/* The octree of one part, as far as an assembly needs it, without conforming nodes. */
static sn_octree view_of(const cutting *c, int part)
{
    const sn_octree *whole = c->whole;
    sn_local first = c->octant_first[part], last = c->octant_first[part + 1];
    sn_octree view = {.bodies = whole->bodies,
                      .owners = c->owners,
                      .n_octants = last - first,
                      .n_elements = c->element_first[part + 1] - c->element_first[part],
                      .n_nodes = c->node_first[part + 1] - c->node_first[part],
                      .octant = whole->octant + first,
                      .coarse_copy =
                          whole->coarse_copy ? whole->coarse_copy + c->element_first[part] : NULL,
                      .body_first = SN_NEW(sn_local, whole->bodies->n + 1),
                      .n_ghost_elements = c->ghost_first[part + 1] - c->ghost_first[part]};
    for (int b = 0; b <= whole->bodies->n; b++)
        view.body_first[b] = clamped(whole->body_first[b], first, last) - first;
    view.ghost_element = SN_NEW(sn_ghost, view.n_ghost_elements);
    for (sn_local g = 0; g < view.n_ghost_elements; g++) {
        sn_local e = c->ghost_element[c->ghost_first[part] + g];
        view.ghost_element[g] = (sn_ghost){.key = c->elements.key[e], //
                                           .height = c->elements.height[e]};
    }
    return view;
}

static void free_view(sn_octree *view)
{
    sn_free(view->body_first);
    sn_free(view->ghost_element);
    sn_free(view->conforming);
}

/* The local number of a node; a new ghost gets the next one. */
static sn_local local_node(cutting *c, int part, sn_octree *view, sn_local node)
{
    if (has_node(c, part, node))
        return node - c->node_first[part];
    if (c->seen_by[node] != part) {
        c->seen_by[node] = part;
        c->numbered[node] = view->n_nodes + view->n_ghost_nodes++;
        sn_push(&c->pairs, (sn_key)part << 32 | (sn_key)part_of_node(c, node));
    }
    return c->numbered[node];
}

static void connect_view(cutting *c, int part, sn_octree *view)
{
    sn_local n = view->n_elements + view->n_ghost_elements;
    view->conforming = SN_NEW(sn_local[8], n);
    for (sn_local i = 0; i < n; i++) {
        sn_local e = i < view->n_elements
                         ? c->element_first[part] + i
                         : c->ghost_element[c->ghost_first[part] + i - view->n_elements];
        for (int corner = 0; corner < 8; corner++)
            view->conforming[i][corner] =
                local_node(c, part, view, c->whole->conforming[e][corner]);
    }
}

/* Ghost nodes are one entry each in `pairs`: what each part sends, and to how many. */
static void count_exchanges(cutting *c, sn_part *part)
{
    for (size_t i = 0; i < c->pairs.count; i++)
        part[(uint32_t)c->pairs.data[i]].sent_nodes++;
    size_t n = sn_sort_unique_keys(c->pairs.data, c->pairs.count);
    key_list both = {0};
    for (size_t i = 0; i < n; i++) {
        sn_key receiver = c->pairs.data[i] >> 32, sender = (uint32_t)c->pairs.data[i];
        part[receiver].receives++;
        part[sender].sends++;
        sn_push(&both, c->pairs.data[i]);
        sn_push(&both, sender << 32 | receiver);
    }
    n = sn_sort_unique_keys(both.data, both.count);
    for (size_t i = 0; i < n; i++)
        part[both.data[i] >> 32].neighbours++;
    sn_vector_free(&both);
}

/* What a part's exchanges hold, of nodes and, with an operator, of elements. */
static int64_t exchange_bytes(const sn_part *p, const sn_cut *cut)
{
    size_t ranks = (size_t)(p->sends + p->receives), entries = (size_t)p->sent_nodes;
    if (!cut->has_operator)
        return (int64_t)sn_exchange_memory_of(ranks, entries, 0);
    size_t nodal = SN_NODE_REALS * sizeof(double);
    size_t each = cut->keeps_gradients ? sizeof(float[9]) : sizeof(double);
    size_t elements = (size_t)p->sent_elements;
    return (int64_t)(sn_exchange_memory_of(ranks, entries, entries * nodal) +
                     sn_exchange_memory_of(ranks, elements, elements * each) +
                     (size_t)p->ghost_elements * sizeof(uint32_t));
}

static void measure(cutting *c, int number, const sn_cut *cut, sn_part *part)
{
    sn_octree view = view_of(c, number);
    connect_view(c, number, &view);
    part->octants = view.n_octants;
    part->elements = view.n_elements;
    part->nodes = view.n_nodes;
    part->ghost_elements = view.n_ghost_elements;
    part->ghost_nodes = view.n_ghost_nodes;
    for (sn_local e = c->element_first[number]; e < c->element_first[number + 1]; e++)
        part->finest_elements += c->elements.height[e] == 0;
    part->bytes = (int64_t)sn_octree_memory(&view);
    if (cut->has_operator) {
        sn_assembly assembly = sn_assembly_create(&view, NULL, cut->threads);
        part->bytes += (int64_t)sn_operator_memory_of(&assembly, cut->law, cut->single);
        sn_assembly_free(&assembly);
    }
    free_view(&view);
}

void sn_cut_level(const sn_octree *whole, const sn_cut *cut, sn_part *rank)
{
    cutting c = begin(whole, cut);
    sn_part *part = SN_NEW_ZERO(sn_part, c.n);
    int64_t *sent = SN_NEW_ZERO(int64_t, c.n);
    find_ghost_elements(&c, sent);
    for (int p = 0; p < c.n; p++) {
        part[p].sent_elements = sent[p];
        measure(&c, p, cut, &part[p]);
    }
    count_exchanges(&c, part);
    for (int r = 0; r < cut->size; r++)
        rank[r] = (sn_part){0};
    for (int p = 0; p < c.n; p++) {
        rank[c.owners.rank[p]] = part[p];
        rank[c.owners.rank[p]].bytes += exchange_bytes(&part[p], cut);
    }
    sn_free(part);
    sn_free(sent);
    end(&c);
}
