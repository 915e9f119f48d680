#include "contact/colliders/colliders.h"

#include "base/array.h"
#include "base/digest.h"
#include "contact/colliders/parts.h"

#include <stdlib.h>
#include <string.h>

static int by_vertex(const void *a, const void *b)
{
    const sn_contact_record *left = a, *right = b;
    if (left->vertex != right->vertex)
        return left->vertex < right->vertex ? -1 : 1;
    return (left->collider > right->collider) - (left->collider < right->collider);
}

static sn_contact_record *copied(const sn_contact_record *record, size_t n)
{
    sn_contact_record *copy = SN_NEW(sn_contact_record, n);
    if (n > 0)
        memcpy(copy, record, n * sizeof *copy);
    return copy;
}

void sn_colliders_take_records(sn_colliders *c, size_t *first, sn_contact_record *record)
{
    size_t n = first[c->embedding->n];
    sn_free(c->first);
    sn_vector_free(c->memory);
    c->first = first;
    c->memory->data = record;
    c->memory->count = c->memory->capacity = n;
}

/* A vertex's number and where it is among this rank's. */
typedef struct {
    int64_t vertex;
    size_t at;
} numbered;

static int by_number(const void *a, const void *b)
{
    const numbered *left = a, *right = b;
    return (left->vertex > right->vertex) - (left->vertex < right->vertex);
}

void sn_colliders_set_records(sn_colliders *c, const sn_contact_record *record, size_t n)
{
    size_t vertices = c->embedding->n;
    sn_contact_record *sorted = copied(record, n), *placed = SN_NEW(sn_contact_record, n);
    numbered *order = SN_NEW(numbered, vertices);
    size_t *first = SN_NEW_ZERO(size_t, vertices + 1);
    for (size_t i = 0; i < vertices; i++)
        order[i] = (numbered){c->embedding->vertex[i], i};
    if (n > 0)
        qsort(sorted, n, sizeof *sorted, by_vertex);
    if (vertices > 0)
        qsort(order, vertices, sizeof *order, by_number);
    /* Both ascend by vertex: count, and then put each vertex's records in its place. */
    for (int pass = 0; pass < 2; pass++) {
        size_t r = 0;
        for (size_t i = 0; i < vertices; i++) {
            size_t at = order[i].at, begin = r;
            while (r < n && sorted[r].vertex == order[i].vertex)
                r++;
            if (pass == 0)
                first[at + 1] = r - begin;
            else if (r > begin)
                memcpy(placed + first[at], sorted + begin, (r - begin) * sizeof *placed);
        }
        for (size_t i = 0; pass == 0 && i < vertices; i++)
            first[i + 1] += first[i];
    }
    sn_colliders_take_records(c, first, placed);
    sn_free(order);
    sn_free(sorted);
}

uint64_t sn_colliders_digest(const sn_colliders *c)
{
    uint64_t digest = 0;
    for (size_t r = 0; r < c->memory->count; r++) {
        const sn_contact_record *record = &c->memory->data[r];
        uint64_t index = (uint64_t)record->vertex * c->n + (uint64_t)record->collider;
        sn_digest_add(&digest, index, record, sizeof *record);
    }
    return sn_digest_allreduce(c->tree->comm, digest);
}

/* ---- The worst penetration ---- */

bool sn_penetration_is_worse(const sn_penetration *a, const sn_penetration *b)
{
    if (a->cells != b->cells)
        return a->cells > b->cells;
    if (a->vertex != b->vertex)
        return a->vertex < b->vertex;
    return a->collider < b->collider;
}

sn_penetration sn_colliders_worst(const sn_colliders *c)
{
    int size;
    MPI_Comm_size(c->tree->comm, &size);
    sn_penetration *of = SN_NEW(sn_penetration, size), worst;
    MPI_Allgather(&c->worst, sizeof worst, MPI_BYTE, of, sizeof worst, MPI_BYTE, c->tree->comm);
    worst = of[0];
    double deepest = 0;
    for (int rank = 0; rank < size; rank++) {
        deepest = fmax(deepest, of[rank].deepest);
        if (sn_penetration_is_worse(&of[rank], &worst))
            worst = of[rank];
    }
    worst.deepest = deepest;
    sn_free(of);
    return worst;
}
