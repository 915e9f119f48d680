#include "octree/repartition.h"

#include "base/array.h"
#include "partition/migrate.h"
#include "partition/split.h"

sn_owners sn_octree_split_curve(const sn_octree *tree, const sn_key *keys, int parts)
{
    uint8_t *weight = SN_NEW(uint8_t, tree->n_octants);
    for (sn_local i = 0; i < tree->n_octants; i++)
        weight[i] = tree->octant[i].is_element ? SN_ELEMENT_WEIGHT : SN_BOUNDARY_NODE_WEIGHT;
    sn_owners owners = sn_split_by_weight(tree->comm, keys, weight, (size_t)tree->n_octants, parts);
    sn_free(weight);
    return owners;
}

/* Numbers that follow from the octants. */
static void count(sn_octree *tree, const sn_key *keys)
{
    tree->n_elements = tree->n_nodes = tree->n_boundary_nodes = 0;
    for (sn_local i = 0; i < tree->n_octants; i++) {
        tree->n_elements += tree->octant[i].is_element;
        tree->n_nodes += tree->octant[i].is_node;
        tree->n_boundary_nodes += !tree->octant[i].is_element;
    }
    sn_free(tree->body_first);
    tree->body_first = SN_NEW_ZERO(sn_local, tree->bodies->n + 1);
    for (sn_local i = 0; i < tree->n_octants; i++)
        tree->body_first[sn_key_body(keys[i]) + 1] = i + 1;
    for (int b = 0; b < tree->bodies->n; b++) /* a body without octants here is an empty range */
        if (tree->body_first[b + 1] < tree->body_first[b])
            tree->body_first[b + 1] = tree->body_first[b];
}

static sn_key *element_keys(const sn_octree *tree, const sn_key *keys)
{
    sn_key *elements = SN_NEW(sn_key, tree->n_elements);
    sn_local e = 0;
    for (sn_local i = 0; i < tree->n_octants; i++)
        if (tree->octant[i].is_element)
            elements[e++] = keys[i];
    return elements;
}

void sn_octree_repartition(sn_octree *tree, sn_key *keys, sn_owners owners)
{
    int size;
    MPI_Comm_size(tree->comm, &size);
    if (size > 1) {
        sn_key *elements = element_keys(tree, keys);
        sn_migration of_elements =
            sn_migration_create(tree->comm, elements, (size_t)tree->n_elements, &owners);
        uint8_t *hanging = sn_migrate(&of_elements, sizeof *hanging, tree->hanging);
        if (tree->has_copies) {
            uint8_t(*copy)[8] = sn_migrate(&of_elements, sizeof *copy, tree->node_copy);
            sn_free(tree->node_copy);
            tree->node_copy = copy;
        }
        sn_migration_free(&of_elements);
        sn_free(elements);
        sn_free(tree->hanging);
        tree->hanging = hanging;

        sn_migration of_octants =
            sn_migration_create(tree->comm, keys, (size_t)tree->n_octants, &owners);
        sn_octant *octant = sn_migrate(&of_octants, sizeof *octant, tree->octant);
        sn_free(tree->octant);
        tree->octant = octant;
        tree->n_octants = (sn_local)of_octants.n_after;
        sn_free(keys);
        keys = of_octants.keys;
        of_octants.keys = NULL;
        sn_migration_free(&of_octants);
    }
    sn_owners_free(&tree->owners);
    tree->owners = owners;
    count(tree, keys);
    sn_free(keys);
}
