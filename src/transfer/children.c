#include "transfer/children.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/threads.h"
#include "partition/finder.h"
#include "partition/records.h"

enum { MOST_CHILDREN = 8 * SN_MOST_COPIES };

/* In the order of coarse elements, and then along the curve. */
typedef struct {
    sn_key coarse, key;
    uint64_t height;
} child_record;

typedef SN_VECTOR(child_record) child_list;
typedef SN_VECTOR(sn_key) key_list;
typedef SN_VECTOR(int) rank_list;

static void sort_children(child_list *list)
{
    child_record *c = list->data;
    sn_sort_records(c, sizeof *c, list->count);
    for (size_t i = 1; i < list->count; i++) { /* those of one coarse element are few */
        child_record moved = c[i];
        size_t at = i;
        for (; at > 0 && c[at - 1].coarse == moved.coarse && c[at - 1].key > moved.key; at--)
            c[at] = c[at - 1];
        c[at] = moved;
    }
}

/* Every fine element goes to the owner of its coarse element; returns those for this rank, along
 * the curve. */
static child_list children_to_owners(const sn_octree *fine, const sn_octree *coarse,
                                     const sn_leaves *elements, const sn_containers *containers,
                                     int me)
{
    child_list mine = {0}, sent = {0};
    rank_list destination = {0};
    for (sn_local e = 0; e < fine->n_elements; e++) {
        const sn_container *c = &containers->container[containers->of_element[e]];
        int owner = sn_owner_of(&coarse->owners, c->key);
        child_record child = {c->key, elements->key[e], elements->height[e]};
        if (owner == me) {
            sn_push(&mine, child);
        } else {
            sn_push(&sent, child);
            sn_push(&destination, owner);
        }
    }
    sn_inbox in =
        sn_records_send(fine->comm, sizeof(child_record), sent.data, destination.data, sent.count);
    sn_vector_free(&sent);
    sn_vector_free(&destination);
    const child_record *arrived = in.data;
    for (size_t i = 0; i < in.n; i++)
        sn_push(&mine, arrived[i]);
    sn_inbox_free(&in);
    sort_children(&mine);
    return mine;
}

/* Both levels are along the curve: one walk. */
static sn_status match(const child_list *list, const sn_leaves *coarse, sn_children *children)
{
    size_t at = 0;
    for (sn_local c = 0; c < children->n; c++) {
        size_t first = at;
        while (at < list->count && list->data[at].coarse == coarse->key[c])
            at++;
        children->first[c + 1] = (sn_local)at;
        if (at == first || at - first > MOST_CHILDREN)
            return SN_FAIL(SN_MACHINE, "internal error: %zu children of the element at %llx",
                           at - first, (unsigned long long)coarse->key[c]);
        children->same[c] = list->data[first].height == coarse->height[c];
    }
    return SN_OK;
}

static sn_status number(const sn_octree *fine, const child_list *list, const sn_leaves *elements,
                        int me, sn_children *children)
{
    key_list wanted = {0};
    for (size_t i = 0; i < list->count; i++)
        if (sn_owner_of(&fine->owners, list->data[i].key) != me)
            sn_push(&wanted, list->data[i].key);
    size_t n = sn_exchange_order_ghosts(&fine->owners, wanted.data, wanted.count);
    size_t n_own = (size_t)fine->n_elements;
    sn_status status = sn_exchange_create(fine->comm, &fine->owners, elements->key, n_own,
                                          wanted.data, n, &children->exchange);
    sn_finder finder = sn_finder_create(elements->key, n_own, wanted.data, n);
    sn_finder_memory memory = {0};
    for (size_t i = 0; i < list->count; i++) /* each is own or wanted, so it is found */
        children->child[i] = sn_finder_find(&finder, &memory, list->data[i].key);
    sn_finder_free(&finder);
    sn_vector_free(&wanted);
    return status;
}

sn_status sn_children_create(const sn_octree *fine, const sn_octree *coarse,
                             const sn_containers *containers, sn_children *children)
{
    int me;
    MPI_Comm_rank(fine->comm, &me);
    sn_leaves fine_elements = sn_octree_elements(fine);
    sn_leaves coarse_elements = sn_octree_elements(coarse);
    child_list list = children_to_owners(fine, coarse, &fine_elements, containers, me);
    *children = (sn_children){.n = coarse->n_elements,
                              .first = SN_NEW_ZERO(sn_local, coarse->n_elements + 1),
                              .child = SN_NEW(sn_local, list.count),
                              .same = SN_NEW_ZERO(uint8_t, coarse->n_elements)};
    sn_status status = sn_agree(fine->comm, match(&list, &coarse_elements, children));
    if (status == SN_OK)
        status = number(fine, &list, &fine_elements, me, children);
    sn_leaves_free(&fine_elements);
    sn_leaves_free(&coarse_elements);
    sn_vector_free(&list);
    if (status != SN_OK)
        sn_children_free(children);
    return status;
}

void sn_children_free(sn_children *children)
{
    sn_free(children->first);
    sn_free(children->child);
    sn_free(children->same);
    sn_exchange_free(&children->exchange);
    *children = (sn_children){0};
}

static sn_law_parameters coarsened(const sn_children *children, sn_law_kind law, sn_local c,
                                   const sn_law_parameters *fine)
{
    sn_law_parameters child[MOST_CHILDREN];
    int n = 0;
    for (sn_local i = children->first[c]; i < children->first[c + 1]; i++)
        child[n++] = fine[children->child[i]];
    return children->same[c] ? child[0] : sn_law_coarsened(law, child, n);
}

void sn_coarsen_parameters(sn_children *children, sn_law_kind law, sn_law_parameters *fine,
                           sn_law_parameters *coarse)
{
    sn_exchange_begin(&children->exchange, fine, sizeof *fine);
    sn_exchange_end(&children->exchange);
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)children->n))
    for (sn_local c = 0; c < children->n; c++)
        coarse[c] = coarsened(children, law, c, fine);
}

/* Of one number of a coarse element's children; summed in double precision. */
static float mean_of_children(const sn_children *children, sn_local c, int reals, int r,
                              const float *fine)
{
    double sum = 0;
    for (sn_local i = children->first[c]; i < children->first[c + 1]; i++)
        sum += (double)fine[(size_t)reals * (size_t)children->child[i] + (size_t)r];
    return (float)(sum / sn_children_count(children, c));
}

void sn_coarsen_gradient(sn_children *children, int reals, float *fine, float *coarse)
{
    sn_exchange_begin(&children->exchange, fine, (size_t)reals * sizeof *fine);
    sn_exchange_end(&children->exchange);
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)children->n))
    for (sn_local c = 0; c < children->n; c++)
        for (int r = 0; r < reals; r++)
            coarse[(size_t)reals * (size_t)c + (size_t)r] =
                mean_of_children(children, c, reals, r, fine);
}

size_t sn_children_memory(const sn_children *children)
{
    size_t n_children = children->first ? (size_t)children->first[children->n] : 0;
    return ((size_t)children->n + 1) * sizeof *children->first +
           n_children * sizeof *children->child + (size_t)children->n * sizeof *children->same +
           sn_exchange_memory(&children->exchange);
}
