#include "transfer/containers.h"

#include "base/array.h"
#include "base/sort.h"
#include "partition/records.h"

typedef SN_VECTOR(sn_container) container_list;
typedef SN_VECTOR(int) rank_list;

/* An element goes once to each rank that owns fine keys inside it. */
static void address(const sn_owners *fine, const sn_container *c, container_list *sent,
                    rank_list *destination)
{
    sn_key last = c->key + sn_key_span(c->height) - 1;
    size_t start = destination->count;
    for (int i = sn_owners_interval(fine, c->key); i < fine->n && fine->first[i] <= last; i++) {
        bool told = false;
        for (size_t d = start; d < destination->count; d++)
            told = told || destination->data[d] == fine->rank[i];
        if (told)
            continue;
        sn_push(sent, *c);
        sn_push(destination, fine->rank[i]);
    }
}

static void push_coarse_elements(const sn_octree *fine, const sn_octree *coarse,
                                 sn_containers *containers)
{
    container_list sent = {0};
    rank_list destination = {0};
    sn_leaves elements = sn_octree_elements(coarse);
    for (size_t e = 0; e < (size_t)coarse->n_elements; e++) {
        sn_container c = {elements.key[e], elements.height[e], coarse->hanging[e], {0}};
        address(&fine->owners, &c, &sent, &destination);
    }
    sn_leaves_free(&elements);
    sn_inbox in =
        sn_records_send(fine->comm, sizeof(sn_container), sent.data, destination.data, sent.count);
    sn_vector_free(&sent);
    sn_vector_free(&destination);
    containers->container = sn_inbox_take(&in, &containers->n);
    sn_sort_records(containers->container, sizeof(sn_container), containers->n);
}

/* Both lists are along the curve: one walk. */
static sn_status match(const sn_octree *fine, sn_containers *containers)
{
    sn_leaves elements = sn_octree_elements(fine);
    containers->of_element = SN_NEW(sn_local, fine->n_elements);
    sn_status status = SN_OK;
    size_t c = 0;
    for (size_t e = 0; e < (size_t)fine->n_elements && status == SN_OK; e++) {
        while (c + 1 < containers->n && containers->container[c + 1].key <= elements.key[e])
            c++;
        const sn_container *at = &containers->container[c];
        containers->of_element[e] = (sn_local)c;
        if (c >= containers->n || at->height < elements.height[e] ||
            sn_key_ancestor(elements.key[e], at->height) != at->key)
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
