#include "model/stays.h"

#include "base/array.h"
#include "base/timer.h"

#include <math.h>

/* An element by how full it is. */
typedef struct {
    double fraction;
    sn_key key;
} filled;

/* Less than any element. */
static const filled EMPTY = {-1, UINT64_MAX};

static bool is_fuller(filled a, filled b)
{
    return a.fraction != b.fraction ? a.fraction > b.fraction : a.key < b.key;
}

static bool is_full(filled f)
{
    return f.fraction >= SN_FULL_FRACTION;
}

/* What a node could be tied to. */
typedef struct {
    int64_t distance; /* of the corner a, squared, in finest cells */
    filled full;      /* r */
    sn_local sliver;  /* that has both n and a */
} hold;

static const hold NO_HOLD = {INT64_MAX, {-1, UINT64_MAX}, SN_NONE};

/* What is known while stays are looked for. */
typedef struct {
    sn_octree *tree;
    const double *fraction, *young;
    sn_leaves element; /* all local ones */
    sn_key *node;      /* all local ones */
    filled *fullest;   /* element of each local node */
    hold *best;        /* of each owned node */
} search;

/* ---- The fullest element of each node ---- */

static void offer_to_nodes(search *s, size_t e)
{
    filled f = {s->fraction[e], s->element.key[e]};
    for (int c = 0; c < 8; c++) {
        sn_local n = s->tree->conforming[e][c];
        if (n < s->tree->n_nodes && is_fuller(f, s->fullest[n]))
            s->fullest[n] = f;
    }
}

static void find_fullest(search *s)
{
    sn_octree *tree = s->tree;
    for (sn_local n = 0; n < tree->n_nodes; n++)
        s->fullest[n] = EMPTY;
    for (size_t e = 0; e < s->element.n; e++)
        offer_to_nodes(s, e);
    sn_exchange_begin(&tree->exchange, s->fullest, sizeof *s->fullest);
    sn_exchange_end(&tree->exchange);
}

/* ---- What a node is tied to ---- */

static int64_t squared_distance(sn_key a, sn_key b)
{
    uint32_t from[3], to[3];
    int64_t sum = 0;
    sn_key_anchor(a, from);
    sn_key_anchor(b, to);
    for (int d = 0; d < 3; d++) {
        int64_t way = (int64_t)to[d] - from[d];
        sum += way * way;
    }
    return sum;
}

/* Of several that are equal the first sliver along the curve counts: local numbers depend on ranks.
 */
static bool is_better(const search *s, const hold *a, const hold *b)
{
    if (a->distance != b->distance)
        return a->distance < b->distance;
    if (a->full.key != b->full.key)
        return is_fuller(a->full, b->full);
    return s->element.key[a->sliver] < s->element.key[b->sliver];
}

/* Corner c of an element is a node of slivers alone: would another corner do? */
static void offer_holds(search *s, size_t e, int c)
{
    sn_local n = s->tree->conforming[e][c];
    for (int other = 0; other < 8; other++) {
        sn_local a = s->tree->conforming[e][other];
        hold one = {squared_distance(s->node[n], s->node[a]), s->fullest[a], (sn_local)e};
        if (is_full(s->fullest[a]) && is_better(s, &one, &s->best[n]))
            s->best[n] = one;
    }
}

static void find_holds(search *s)
{
    const sn_octree *tree = s->tree;
    for (sn_local n = 0; n < tree->n_nodes; n++)
        s->best[n] = NO_HOLD;
    for (size_t e = 0; e < s->element.n; e++)
        for (int c = 0; c < 8; c++) {
            sn_local n = tree->conforming[e][c];
            bool hangs = tree->hanging[e] >> c & 1; /* then n is no corner of e */
            if (n < tree->n_nodes && !hangs && !is_full(s->fullest[n]))
                offer_holds(s, e, c);
        }
}

/* ---- Springs ---- */

/* A place that an element carries along, lie it where it may. */
static sn_flesh_point carried(const sn_body *body, sn_key node, sn_key element)
{
    sn_flesh_point p = {.body = sn_key_body(node), .carrier = element + 1};
    uint32_t at[3];
    sn_key_anchor(node, at);
    for (int d = 0; d < 3; d++)
        p.at[d] = body->origin[d] + body->cell * at[d];
    return p;
}

/* What slivers that are so full lack, as far as what holds them has it to give: in a body that is
 * thinner than a cell no element is a rock, and stays would only stiffen it. */
static double stiffness_part(double held, double holding)
{
    return (1 - held / SN_FULL_FRACTION) * holding * holding;
}

static sn_spring stay_of(const search *s, sn_local n)
{
    const hold *h = &s->best[n];
    sn_key node = s->node[n];
    const sn_body *body = &s->tree->bodies->body[sn_key_body(node)];
    double part = stiffness_part(s->fullest[n].fraction, h->full.fraction);
    double stiffness = SN_STAY_STIFFNESS * part * s->young[h->sliver] * body->cell;
    return (sn_spring){
        .number = node,
        .point = {carried(body, node, s->element.key[h->sliver]), carried(body, node, h->full.key)},
        .normal = {1, 0, 0},
        .normal_stiffness = stiffness,
        .tangential_stiffness = stiffness,
        .friction = INFINITY};
}

static sn_spring_list springs_of(const search *s)
{
    sn_spring_list springs = {0};
    size_t count = 0;
    for (sn_local n = 0; n < s->tree->n_nodes; n++)
        count += s->best[n].sliver != SN_NONE;
    sn_reserve(&springs, count);
    for (sn_local n = 0; n < s->tree->n_nodes; n++)
        if (s->best[n].sliver != SN_NONE)
            sn_push(&springs, stay_of(s, n));
    return springs;
}

/* Collective; the caller frees them. */
static sn_spring_list find_stays(sn_octree *tree, const double *fraction, const double *young)
{
    search s = {.tree = tree,
                .fraction = fraction,
                .young = young,
                .element = sn_octree_elements(tree),
                .node = sn_octree_node_keys(tree),
                .fullest = SN_NEW(filled, tree->n_nodes + tree->n_ghost_nodes),
                .best = SN_NEW(hold, tree->n_nodes)};
    find_fullest(&s);
    find_holds(&s);
    sn_spring_list springs = springs_of(&s);
    sn_leaves_free(&s.element);
    sn_free(s.node);
    sn_free(s.fullest);
    sn_free(s.best);
    return springs;
}

sn_status sn_stays_tie(sn_system *system, int slot, const double *fraction, const double *young)
{
    sn_phase_begin("model/stays");
    sn_spring_list springs = find_stays(system->tree, fraction, young);
    sn_status status = sn_system_take_springs(system, slot, &springs);
    sn_vector_free(&springs);
    sn_phase_end("model/stays");
    return status;
}
