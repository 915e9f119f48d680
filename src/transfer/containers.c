#include "transfer/containers.h"

#include "base/array.h"
#include "base/sort.h"
#include "partition/records.h"

typedef SN_VECTOR(sn_container) container_list;

/* An element goes once to each rank that owns fine keys inside it. */
static void address(const sn_owners *fine, const sn_container *c, container_list *sent,
                    sn_rank_list *destination)
{
    sn_rank_list holders = {0};
    sn_owners_of_span(fine, sn_key_place(c->key), c->height, &holders);
    for (size_t i = 0; i < holders.count; i++) {
        sn_push(sent, *c);
        sn_push(destination, holders.data[i]);
    }
    sn_vector_free(&holders);
}

static void push_coarse_elements(const sn_octree *fine, const sn_octree *coarse,
                                 sn_containers *containers)
{
    container_list sent = {0};
    sn_rank_list destination = {0};
    sn_leaves elements = sn_octree_elements(coarse);
    sn_key *nodes = sn_octree_node_keys(coarse);
    for (size_t e = 0; e < (size_t)coarse->n_elements; e++) {
        sn_container c = {elements.key[e], elements.height[e], coarse->hanging[e], {0}, {0}};
        for (int corner = 0; corner < 8; corner++)
            c.node_copy[corner] = (uint8_t)sn_key_copy(nodes[coarse->conforming[e][corner]]);
        address(&fine->owners, &c, &sent, &destination);
    }
    sn_leaves_free(&elements);
    sn_free(nodes);
    sn_inbox in =
        sn_records_send(fine->comm, sizeof(sn_container), sent.data, destination.data, sent.count);
    sn_vector_free(&sent);
    sn_vector_free(&destination);
    containers->container = sn_inbox_take(&in, &containers->n);
    sn_sort_records(containers->container, sizeof(sn_container), containers->n);
}

/* Both lists are along the curve: one walk over places. `at` is the first copy at the last one. */
static sn_status match(const sn_octree *fine, sn_containers *containers)
{
    sn_leaves elements = sn_octree_elements(fine);
    containers->of_element = SN_NEW(sn_local, fine->n_elements);
    sn_status status = SN_OK;
    const sn_container *all = containers->container;
    size_t at = 0;
    for (size_t e = 0; e < (size_t)fine->n_elements && status == SN_OK; e++) {
        size_t next = at;
        while (next < containers->n && sn_key_place(all[next].key) <= elements.key[e]) {
            if (sn_key_copy(all[next].key) == 0)
                at = next;
            next++;
        }
        size_t c = at + (fine->coarse_copy ? fine->coarse_copy[e] : 0);
        if (c >= next) /* of a still coarser level: any copy there */
            c = at;
        containers->of_element[e] = (sn_local)c;
        if (c >= containers->n || all[c].height < elements.height[e] ||
            sn_key_ancestor(elements.key[e], all[c].height) != sn_key_place(all[c].key))
            status = SN_FAIL(SN_MACHINE, "internal error: no coarse element around key %llx",
                             (unsigned long long)elements.key[e]);
    }
    sn_leaves_free(&elements);
    return status;
}

sn_status sn_containers_find(const sn_octree *fine, const sn_octree *coarse,
                             sn_containers *containers)
{
    *containers = (sn_containers){0};
    push_coarse_elements(fine, coarse, containers);
    sn_status status = sn_agree(fine->comm, match(fine, containers));
    if (status != SN_OK)
        sn_containers_free(containers);
    return status;
}

void sn_containers_free(sn_containers *containers)
{
    sn_free(containers->container);
    sn_free(containers->of_element);
    *containers = (sn_containers){0};
}
