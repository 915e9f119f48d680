#include "rigid/tentative.h"

#include "base/array.h"
#include "base/sort.h"
#include "partition/records.h"
#include "rigid/aggregates.h"

#include <string.h>

/* A member on its way to its aggregate's owner. */
typedef struct {
    sn_key parent, key;
    sn_rigid_unknown motion;
} member_record;

/* Which records belong together, and in which order: by parent, then by key. */
static uint32_t *order_members(const member_record *m, size_t n)
{
    uint32_t *order = SN_NEW(uint32_t, n);
    sn_key *key = SN_NEW(sn_key, n);
    for (size_t i = 0; i < n; i++)
        key[i] = m[i].key;
    sn_sort_keys_with_order(key, order, n);
    for (size_t i = 0; i < n; i++)
        key[i] = m[order[i]].parent;
    sn_sort_keys_with(key, order, n);
    sn_free(key);
    return order;
}

typedef struct {
    int reals;
    const sn_unknowns *coarse;
    sn_rigid_unknown *coarse_motion;
} answering;

/* One aggregate: members order[first] to order[end - 1]. */
static sn_rigid_unknown answer_aggregate(int reals, const member_record *m, const uint32_t *order,
                                         size_t n, sn_rigid_share *replies)
{
    const sn_rigid_unknown **member = SN_NEW(const sn_rigid_unknown *, n);
    sn_rigid_share **share = SN_NEW(sn_rigid_share *, n);
    for (size_t i = 0; i < n; i++) {
        member[i] = &m[order[i]].motion;
        share[i] = &replies[order[i]];
    }
    sn_rigid_unknown found = sn_rigid_orthonormal(reals, member, n, share);
    sn_free(member);
    sn_free(share);
    return found;
}

static void answer(void *context, const void *records, size_t n, void *replies)
{
    const answering *a = context;
    const member_record *m = records;
    uint32_t *order = order_members(m, n);
    size_t first = 0;
    for (sn_local i = 0; i < a->coarse->n; i++) {
        size_t end = first;
        while (end < n && m[order[end]].parent == a->coarse->key[i])
            end++;
        a->coarse_motion[i] = answer_aggregate(a->reals, m, order + first, end - first, replies);
        first = end;
    }
    sn_free(order);
}

/* The shares of all unknowns that are in an aggregate, in their order. */
static sn_rigid_share *ask_owners(const sn_unknowns *fine, const sn_key *parent,
                                  const sn_rigid_unknown *motion, answering *a)
{
    member_record *sent = SN_NEW_ZERO(member_record, fine->n);
    int *destination = SN_NEW(int, fine->n);
    size_t n = 0;
    for (sn_local i = 0; i < fine->n; i++)
        if (parent[i] != SN_NO_AGGREGATE) {
            sent[n] = (member_record){parent[i], fine->key[i], motion[i]};
            destination[n++] = sn_owner_of(a->coarse->owners, parent[i]);
        }
    sn_rigid_share *share = SN_NEW_ZERO(sn_rigid_share, n);
    sn_question question = {sizeof *sent, sizeof *share, answer, a};
    sn_records_ask(fine->comm, &question, sent, destination, n, share);
    sn_free(sent);
    sn_free(destination);
    return share;
}

/* One block in each row of an unknown that is in an aggregate. */
static sn_local *find_pattern(const sn_unknowns *fine, const sn_key *parent, sn_key *key)
{
    sn_local *first = SN_NEW_ZERO(sn_local, fine->n + 1);
    for (sn_local i = 0; i < fine->n; i++) {
        bool is_in_one = parent[i] != SN_NO_AGGREGATE;
        if (is_in_one)
            key[first[i]] = parent[i];
        first[i + 1] = first[i] + is_in_one;
    }
    return first;
}

sn_status sn_tentative_create(const sn_unknowns *fine, int reals, const sn_key *parent,
                              const sn_rigid_unknown *motion, const sn_unknowns *coarse,
                              sn_rigid_unknown *coarse_motion, sn_sparse *t)
{
    sn_key *key = SN_NEW(sn_key, fine->n);
    sn_local *first = find_pattern(fine, parent, key);
    sn_status status = sn_sparse_create(fine, coarse, reals, SN_MODES, first, key, t);
    sn_free(key);
    SN_TRY(status);
    answering a = {reals, coarse, coarse_motion};
    sn_rigid_share *share = ask_owners(fine, parent, motion, &a);
    for (sn_local k = 0; k < sn_sparse_blocks(t); k++)
        memcpy(sn_sparse_block(t, k), share[k].of, sn_sparse_block_reals(t) * sizeof(double));
    sn_free(share);
    return SN_OK;
}
