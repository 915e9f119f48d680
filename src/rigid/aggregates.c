#include "rigid/aggregates.h"

#include "base/array.h"
#include "base/sort.h"
#include "partition/records.h"
#include "partition/sort.h"
#include "rigid/joined.h"
#include "transfer/containers.h"

#include <string.h>

static void fill_ghosts(sn_octree *tree, sn_key *of_nodes)
{
    sn_exchange_begin(&tree->exchange, of_nodes, sizeof *of_nodes);
    sn_exchange_end(&tree->exchange);
}

/* Owners of nodes have all elements around them. */
static sn_local *find_hosts(const sn_octree *tree)
{
    sn_local *host = SN_NEW(sn_local, tree->n_nodes);
    for (sn_local n = 0; n < tree->n_nodes; n++)
        host[n] = SN_NONE;
    sn_leaves elements = sn_octree_elements(tree);
    for (sn_local e = 0; e < tree->n_elements + tree->n_ghost_elements; e++)
        for (int c = 0; c < 8; c++) {
            sn_local n = tree->conforming[e][c];
            if (n < tree->n_nodes &&
                (host[n] == SN_NONE || elements.key[e] > elements.key[host[n]]))
                host[n] = e;
        }
    sn_leaves_free(&elements);
    return host;
}

sn_status sn_aggregates_create(sn_octree *tree, const uint8_t *pinned, sn_aggregates *a)
{
    *a = (sn_aggregates){.tree = tree};
    SN_TRY(sn_element_exchange_create(tree, &a->elements));
    a->host = find_hosts(tree);
    a->aggregate = sn_octree_node_keys(tree);
    for (sn_local n = 0; n < tree->n_nodes; n++)
        if (pinned[n])
            a->aggregate[n] = SN_NO_AGGREGATE;
    fill_ghosts(tree, a->aggregate);
    return SN_OK;
}

void sn_aggregates_free(sn_aggregates *a)
{
    sn_element_exchange_free(&a->elements);
    sn_free(a->host);
    sn_free(a->aggregate);
    *a = (sn_aggregates){0};
}

/* ---- What contains what. ---- */

/* Of all local elements. */
static sn_status containers_of_elements(sn_aggregates *a, const sn_octree *coarser, int height,
                                        sn_key **container)
{
    const sn_octree *tree = a->tree;
    sn_containers found;
    SN_TRY(sn_containers_find(tree, coarser, &found));
    *container = SN_NEW_ZERO(sn_key, tree->n_elements + tree->n_ghost_elements);
    for (sn_local e = 0; e < tree->n_elements; e++)
        (*container)[e] = sn_key_ancestor(found.container[found.of_element[e]].key, height);
    sn_containers_free(&found);
    sn_element_exchange_begin(&a->elements, *container, sizeof **container);
    sn_element_exchange_end(&a->elements);
    return SN_OK;
}

/* Of all local nodes. */
static sn_key *containers_of_nodes(sn_aggregates *a, const sn_key *of_element)
{
    sn_octree *tree = a->tree;
    sn_key *container = SN_NEW(sn_key, tree->n_nodes + tree->n_ghost_nodes);
    for (sn_local n = 0; n < tree->n_nodes; n++)
        container[n] = of_element[a->host[n]];
    fill_ghosts(tree, container);
    return container;
}

/* ---- What is joined. ---- */

typedef SN_VECTOR(sn_link) link_list;

/* The first of an element's nodes inside its own container is joined to the others there. */
static void join_nodes(const sn_aggregates *a, sn_local element, sn_key container,
                       const sn_key *of_node, link_list *bonds)
{
    sn_key first = SN_NO_AGGREGATE;
    for (int c = 0; c < 8; c++) {
        sn_local n = a->tree->conforming[element][c];
        sn_key one = a->aggregate[n];
        if (one == SN_NO_AGGREGATE || of_node[n] != container)
            continue;
        if (first == SN_NO_AGGREGATE)
            first = one;
        else if (one != first)
            sn_push(bonds, ((sn_link){container, first, one}));
    }
}

static link_list find_bonds(const sn_aggregates *a, const sn_key *of_element, const sn_key *of_node)
{
    link_list bonds = {0};
    for (sn_local e = 0; e < a->tree->n_elements; e++)
        join_nodes(a, e, of_element[e], of_node, &bonds);
    bonds.count = sn_links_unique(bonds.data, bonds.count);
    return bonds;
}

/* Owned nodes learn their new aggregates, and so do ghosts. */
static void regroup(sn_aggregates *a, const sn_owners *owners, const sn_key *of_node,
                    const link_list *bonds)
{
    sn_local n = a->tree->n_nodes;
    sn_link *member = SN_NEW(sn_link, n);
    size_t count = 0;
    for (sn_local i = 0; i < n; i++)
        if (a->aggregate[i] != SN_NO_AGGREGATE)
            member[count++] = (sn_link){of_node[i], a->aggregate[i], a->aggregate[i]};
    sn_key *found = SN_NEW(sn_key, count);
    sn_joined_find(a->tree->comm, owners, bonds->data, bonds->count, member, count, found);
    count = 0;
    for (sn_local i = 0; i < n; i++)
        if (a->aggregate[i] != SN_NO_AGGREGATE)
            a->aggregate[i] = found[count++];
    fill_ghosts(a->tree, a->aggregate);
    sn_free(member);
    sn_free(found);
}

/* ---- Who has what. ---- */

static sn_unknowns unknowns_of(const sn_aggregates *a, const sn_owners *owners)
{
    sn_local n = a->tree->n_nodes;
    sn_key *keys = SN_NEW(sn_key, n);
    size_t count = 0;
    for (sn_local i = 0; i < n; i++)
        if (a->aggregate[i] != SN_NO_AGGREGATE)
            keys[count++] = a->aggregate[i];
    keys = sn_unique_on_owners(a->tree->comm, owners, keys, &count);
    return (sn_unknowns){
        .comm = a->tree->comm, .owners = owners, .n = (sn_local)count, .key = keys};
}

typedef struct {
    sn_key member, parent;
} membership;

/* What became of each of the unknowns `before`: nodes tell the owners of what they were in. */
static sn_key *parents_of(const sn_aggregates *a, const sn_key *was, const sn_unknowns *before)
{
    sn_local n = a->tree->n_nodes;
    membership *told = SN_NEW(membership, n);
    int *destination = SN_NEW(int, n);
    size_t count = 0;
    for (sn_local i = 0; i < n; i++) {
        bool again = i > 0 && was[i] == was[i - 1];
        if (was[i] == SN_NO_AGGREGATE || again)
            continue;
        told[count] = (membership){was[i], a->aggregate[i]};
        destination[count++] = sn_owner_of(before->owners, was[i]);
    }
    sn_inbox in = sn_records_send(a->tree->comm, sizeof *told, told, destination, count);
    sn_free(told);
    sn_free(destination);
    membership *here = sn_inbox_take(&in, &count);
    sn_sort_records(here, sizeof *here, count);
    sn_key *parent = SN_NEW(sn_key, before->n);
    size_t at = 0;
    for (sn_local i = 0; i < before->n; i++) {
        while (at < count && here[at].member < before->key[i])
            at++;
        bool known = at < count && here[at].member == before->key[i];
        parent[i] = known ? here[at].parent : SN_NO_AGGREGATE;
    }
    sn_free(here);
    return parent;
}

sn_status sn_aggregates_grow(sn_aggregates *a, const sn_octree *coarser, int height,
                             const sn_unknowns *before, sn_unknowns *unknowns, sn_key **parent)
{
    sn_key *of_element;
    SN_TRY(containers_of_elements(a, coarser, height, &of_element));
    sn_key *of_node = containers_of_nodes(a, of_element);
    link_list bonds = find_bonds(a, of_element, of_node);
    size_t n = (size_t)a->tree->n_nodes;
    sn_key *was = SN_NEW(sn_key, n);
    if (n)
        memcpy(was, a->aggregate, n * sizeof *was);
    regroup(a, &coarser->owners, of_node, &bonds);
    *unknowns = unknowns_of(a, &coarser->owners);
    *parent = parents_of(a, was, before);
    sn_vector_free(&bonds);
    sn_free(of_element);
    sn_free(of_node);
    sn_free(was);
    return SN_OK;
}
