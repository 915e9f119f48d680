#include "octree/leaves.h"

#include "base/array.h"
#include "base/sort.h"
#include "partition/records.h"

#include <string.h>

enum { FIRST_CAPACITY = 64 };

void sn_leaves_push(sn_leaves *leaves, sn_key key, int height)
{
    if (leaves->n == leaves->capacity) {
        leaves->capacity = leaves->capacity ? 2 * leaves->capacity : FIRST_CAPACITY;
        SN_RESIZE(leaves->key, leaves->capacity);
        SN_RESIZE(leaves->height, leaves->capacity);
    }
    leaves->key[leaves->n] = key;
    leaves->height[leaves->n++] = (uint8_t)height;
}

void sn_leaves_free(sn_leaves *leaves)
{
    sn_free(leaves->key);
    sn_free(leaves->height);
    *leaves = (sn_leaves){0};
}

static sn_leaves leaves_of_size(size_t n)
{
    return (sn_leaves){
        .key = SN_NEW(sn_key, n), .height = SN_NEW(uint8_t, n), .n = n, .capacity = n};
}

sn_leaves sn_leaves_merge(sn_leaves a, sn_leaves b)
{
    if (a.n == 0 || b.n == 0) {
        sn_leaves_free(a.n == 0 ? &a : &b);
        return a.n == 0 ? b : a;
    }
    sn_leaves both = leaves_of_size(a.n + b.n);
    size_t i = 0, j = 0;
    for (size_t k = 0; k < both.n; k++) {
        bool from_a = j == b.n || (i < a.n && a.key[i] < b.key[j]);
        both.key[k] = from_a ? a.key[i] : b.key[j];
        both.height[k] = from_a ? a.height[i++] : b.height[j++];
    }
    sn_leaves_free(&a);
    sn_leaves_free(&b);
    return both;
}

typedef struct {
    sn_key key;
    uint64_t height;
} travelling_leaf;

static sn_leaves sorted_leaves(travelling_leaf *arrived, size_t n)
{
    sn_leaves leaves = leaves_of_size(n);
    sn_sort_records(arrived, sizeof *arrived, n);
    for (size_t i = 0; i < n; i++) {
        leaves.key[i] = arrived[i].key;
        leaves.height[i] = (uint8_t)arrived[i].height;
    }
    return leaves;
}

sn_leaves sn_leaves_to_owners(MPI_Comm comm, const sn_owners *owners, sn_leaves leaves)
{
    int me, size;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    if (size == 1)
        return leaves;
    SN_VECTOR(travelling_leaf) away = {0};
    SN_VECTOR(int) destination = {0};
    size_t kept = 0;
    for (size_t i = 0; i < leaves.n; i++) {
        int owner = sn_owner_of(owners, leaves.key[i]);
        if (owner == me) {
            leaves.key[kept] = leaves.key[i];
            leaves.height[kept++] = leaves.height[i];
        } else {
            travelling_leaf leaf = {leaves.key[i], leaves.height[i]};
            sn_push(&away, leaf);
            sn_push(&destination, owner);
        }
    }
    leaves.n = kept;
    sn_inbox in =
        sn_records_send(comm, sizeof(travelling_leaf), away.data, destination.data, away.count);
    sn_vector_free(&away);
    sn_vector_free(&destination);
    sn_leaves arrived = sorted_leaves(in.data, in.n);
    sn_inbox_free(&in);
    return sn_leaves_merge(leaves, arrived);
}
