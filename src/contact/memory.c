#include "contact/memory.h"

#include "base/array.h"
#include "partition/records.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void sn_contact_memory_free(sn_contact_memory *memory)
{
    sn_vector_free(&memory->colliders);
    sn_vector_free(&memory->flesh);
}

/* Neither side knows the other: whoever has a vertex and whoever has its records both tell the rank
 * that answers for it. */
static int answering_rank(const sn_embedding *e, int64_t vertex)
{
    int size;
    MPI_Comm_size(e->tree->comm, &size);
    return (int)(vertex * size / sn_embedding_vertices(e));
}

/* Where a vertex is. */
typedef struct {
    int64_t vertex;
    int64_t rank;
} whereabouts;

static int by_vertex(const void *a, const void *b)
{
    const whereabouts *left = a, *right = b;
    return (left->vertex > right->vertex) - (left->vertex < right->vertex);
}

/* Of all vertices that this rank answers for, by vertex. */
static whereabouts *collect_whereabouts(const sn_embedding *e, size_t *n)
{
    int me;
    MPI_Comm_rank(e->tree->comm, &me);
    whereabouts *own = SN_NEW(whereabouts, e->n);
    int *to = SN_NEW(int, e->n);
    for (size_t i = 0; i < e->n; i++) {
        own[i] = (whereabouts){e->vertex[i], me};
        to[i] = answering_rank(e, e->vertex[i]);
    }
    sn_inbox in = sn_records_send(e->tree->comm, sizeof *own, own, to, e->n);
    sn_free(own);
    sn_free(to);
    whereabouts *all = sn_inbox_take(&in, n);
    if (*n > 0)
        qsort(all, *n, sizeof *all, by_vertex);
    return all;
}

/* A record of any kind begins with its vertex. */
static int64_t vertex_of(const void *records, size_t bytes, size_t i)
{
    int64_t vertex;
    memcpy(&vertex, (const char *)records + i * bytes, sizeof vertex);
    return vertex;
}

static void *send_to_answering(const sn_embedding *e, size_t bytes, const void *records, size_t *n)
{
    int *to = SN_NEW(int, *n);
    for (size_t i = 0; i < *n; i++)
        to[i] = answering_rank(e, vertex_of(records, bytes, i));
    sn_inbox in = sn_records_send(e->tree->comm, bytes, records, to, *n);
    sn_free(to);
    return sn_inbox_take(&in, n);
}

static void *send_home(const sn_embedding *e, const whereabouts *all, size_t n_all, size_t bytes,
                       const void *records, size_t *n)
{
    int *to = SN_NEW(int, *n);
    for (size_t i = 0; i < *n; i++) {
        whereabouts wanted = {.vertex = vertex_of(records, bytes, i)};
        const whereabouts *at = bsearch(&wanted, all, n_all, sizeof wanted, by_vertex);
        assert(at && "every vertex is somewhere");
        to[i] = (int)at->rank;
    }
    sn_inbox in = sn_records_send(e->tree->comm, bytes, records, to, *n);
    sn_free(to);
    return sn_inbox_take(&in, n);
}

/* Replaces an array of records by those of this rank's vertices. */
static void deal(const sn_embedding *e, const whereabouts *all, size_t n_all, size_t bytes,
                 void **records, size_t *n)
{
    void *passing = send_to_answering(e, bytes, *records, n);
    sn_free(*records);
    *records = send_home(e, all, n_all, bytes, passing, n);
    sn_free(passing);
}

void sn_deal_by_vertex(const sn_embedding *embedding, size_t bytes, void **records, size_t *n)
{
    size_t n_all;
    whereabouts *all = collect_whereabouts(embedding, &n_all);
    deal(embedding, all, n_all, bytes, records, n);
    sn_free(all);
}

void sn_contact_memory_number(sn_contact_memory *m, const sn_embedding *embedding)
{
    int64_t n = sn_embedding_vertices(embedding);
    if (m->n_points != 0 && m->n_points != n)
        m->colliders.count = m->flesh.count = 0;
    m->n_points = n;
}

void sn_contact_memory_deal(sn_contact_memory *m, const sn_embedding *embedding)
{
    size_t n;
    whereabouts *all = collect_whereabouts(embedding, &n);
    deal(embedding, all, n, sizeof *m->colliders.data, (void **)&m->colliders.data,
         &m->colliders.count);
    deal(embedding, all, n, sizeof *m->flesh.data, (void **)&m->flesh.data, &m->flesh.count);
    m->colliders.capacity = m->colliders.count;
    m->flesh.capacity = m->flesh.count;
    sn_free(all);
}
