#include "surface/embed.h"

#include "base/array.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/sort.h"
#include "base/timer.h"
#include "base/vec3.h"
#include "octree/locate.h"
#include "surface/vertex_cells.h"

#include <math.h>
#include <string.h>

typedef SN_VECTOR(sn_loose_vertex) loose_list;

/* ---- Making it ---- */

static int64_t *count_vertices(int bodies, const sn_solid *solids)
{
    int64_t *first = SN_NEW(int64_t, bodies + 1);
    first[0] = 0;
    for (int b = 0; b < bodies; b++)
        first[b + 1] = first[b] + solids[b].mesh->n_vertices;
    return first;
}

int sn_embedding_body_of(const sn_embedding *e, int64_t vertex)
{
    int low = 0, high = e->tree->bodies->n; /* body_first[low] <= vertex < body_first[high] */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (e->body_first[middle] <= vertex)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A vertex on its way to its element. */
typedef struct {
    uint64_t place; /* the key of its cell, then the number of the element */
    int64_t vertex;
} traveller;

static const double *rest_of(const sn_embedding *e, int64_t vertex)
{
    int b = sn_embedding_body_of(e, vertex);
    return e->solids[b].mesh->vertex[vertex - e->body_first[b]];
}

void sn_embedding_rest(const sn_embedding *e, int64_t vertex, double place[3])
{
    memcpy(place, rest_of(e, vertex), 3 * sizeof *place);
}

/* This rank's share of the vertices, whatever body they are of. */
static traveller *cells_of_share(const sn_embedding *e, size_t *n)
{
    int rank, size;
    MPI_Comm_rank(e->tree->comm, &rank);
    MPI_Comm_size(e->tree->comm, &size);
    int64_t all = sn_embedding_vertices(e), per_rank = all / size, left = all % size;
    int64_t from = per_rank * rank + (rank < left ? rank : left);
    *n = (size_t)(per_rank + (rank < left));
    traveller *share = SN_NEW(traveller, *n);
    sn_key *cell = SN_NEW(sn_key, *n);
    for (size_t i = 0, of_body; i < *n; i += of_body) {
        int64_t v = from + (int64_t)i;
        int b = sn_embedding_body_of(e, v);
        of_body = (size_t)(e->body_first[b + 1] - v);
        of_body = of_body < *n - i ? of_body : *n - i;
        sn_vertex_cells(e->tree->bodies, b, &e->solids[b], v - e->body_first[b], of_body, cell + i);
    }
    for (size_t i = 0; i < *n; i++)
        share[i] = (traveller){cell[i], from + (int64_t)i};
    sn_free(cell);
    return share;
}

/* Vertices come to the first copy of their element, and go on to that of their part. */
static void choose_copies(const sn_embedding *e, const sn_leaves *elements, traveller *placed)
{
    for (size_t i = 0; i < e->n; i++) {
        sn_key key = elements->key[placed[i].place];
        const sn_parts_cell *cell = sn_parts_cell_at(e->parts, key);
        if (elements->height[placed[i].place] > 0 || !cell)
            continue;
        int64_t vertex = placed[i].vertex - e->body_first[sn_key_body(key)];
        int32_t part = sn_parts_on_surface(e->parts, cell, vertex, rest_of(e, placed[i].vertex));
        placed[i].place += (uint64_t)part;
    }
    sn_sort_records(placed, sizeof *placed, e->n);
}

static void fill(sn_embedding *e, const traveller *placed, const sn_leaves *elements)
{
    loose_list loose = {0};
    for (size_t i = 0; i < e->n; i++) {
        size_t element = placed[i].place;
        sn_key key = elements->key[element];
        int height = elements->height[element];
        sn_loose_vertex if_outside = {.at = i};
        e->vertex[i] = placed[i].vertex;
        e->element[i] = (sn_local)element;
        e->child[i] = (uint8_t)sn_key_child(key, height);
        if (e->copy)
            e->copy[i] = (uint8_t)sn_key_copy(key);
        const sn_body *body = &e->tree->bodies->body[sn_key_body(key)];
        if (!sn_locate_within(body, key, height, rest_of(e, e->vertex[i]), e->local[i],
                              if_outside.offset))
            sn_push(&loose, if_outside);
    }
    e->n_loose = loose.count;
    e->loose = loose.data;
    SN_RESIZE(e->loose, e->n_loose);
}

/* Beyond a hair, which is twice what the grid's snap moves a vertex. */
static bool is_far(const sn_embedding *e, const sn_loose_vertex *loose)
{
    const double hair = 2 * 0x1p-13;
    int b = sn_embedding_body_of(e, e->vertex[loose->at]);
    double far = 0;
    for (int d = 0; d < 3; d++)
        far = fmax(far, fabs(loose->offset[d]));
    return far > hair * e->tree->bodies->body[b].cell;
}

static void report_loose(sn_embedding *e)
{
    e->n_loose_everywhere = 0;
    for (size_t i = 0; i < e->n_loose; i++)
        e->n_loose_everywhere += is_far(e, &e->loose[i]);
    MPI_Allreduce(MPI_IN_PLACE, &e->n_loose_everywhere, 1, MPI_INT64_T, MPI_SUM, e->tree->comm);
    if (e->n_loose_everywhere > 0)
        sn_info("%lld of %lld vertices lie in no cell (no triangle uses them): each follows the "
                "last cell before it",
                (long long)e->n_loose_everywhere, (long long)sn_embedding_vertices(e));
}

sn_status sn_embedding_create(const sn_octree *tree, const sn_solid *solids, const sn_parts *parts,
                              sn_embedding *embedding)
{
    sn_phase_begin("model/embed");
    sn_embedding *e = embedding;
    *e = (sn_embedding){.tree = tree, .solids = solids, .parts = parts};
    e->body_first = count_vertices(tree->bodies->n, solids);
    sn_locator locator = sn_locator_create(tree);
    size_t n_share;
    traveller *share = cells_of_share(e, &n_share);
    void *placed = NULL;
    sn_status status = sn_locate(&locator, sizeof *share, share, n_share, &placed, &e->n);
    sn_free(share);
    if (status == SN_OK) {
        e->vertex = SN_NEW(int64_t, e->n);
        e->element = SN_NEW(sn_local, e->n);
        e->child = SN_NEW(uint8_t, e->n);
        e->local = SN_NEW(double[3], e->n);
        if (tree->has_copies) {
            e->copy = SN_NEW(uint8_t, e->n);
            choose_copies(e, &locator.elements, placed);
        }
        fill(e, placed, &locator.elements);
        sn_free(placed);
        report_loose(e);
    } else {
        sn_embedding_free(e);
    }
    sn_locator_free(&locator);
    sn_phase_end("model/embed");
    return status;
}

void sn_embedding_free(sn_embedding *e)
{
    sn_free(e->body_first);
    sn_free(e->vertex);
    sn_free(e->element);
    sn_free(e->child);
    sn_free(e->copy);
    sn_free(e->local);
    sn_free(e->loose);
    *e = (sn_embedding){0};
}

size_t sn_embedding_memory(const sn_embedding *e)
{
    size_t each = sizeof *e->vertex + sizeof *e->element + sizeof *e->child + sizeof *e->local;
    each += e->copy ? sizeof *e->copy : 0;
    return e->n * each + e->n_loose * sizeof *e->loose +
           ((size_t)e->tree->bodies->n + 1) * sizeof *e->body_first;
}

/* ---- Using it ---- */

/* The corners of an element. A hanging one lies in the middle of an edge or a face of the
 * parent, between the parent's corners: its own number with bits of `child` in all ways put in
 * the place of those that differ. All of these are conforming nodes, because where the middle
 * of a face hangs the middles of its edges do too. */
static void corners_of(const sn_octree *tree, sn_local element, int child, const double *x,
                       sn_vec corner[8])
{
    const sn_local *node = tree->conforming[element];
    int hanging = tree->hanging[element];
    sn_vec conforming[8];
    for (int c = 0; c < 8; c++)
        conforming[c] = sn_vec_load(x + 3 * (size_t)node[c]);
    for (int c = 0; c < 8; c++) {
        corner[c] = conforming[c];
        int between = c ^ child;
        if (!(hanging >> c & 1))
            continue;
        double weight = 1;
        for (int ways = (between - 1) & between;; ways = (ways - 1) & between) {
            corner[c] = sn_vec_add(corner[c], conforming[child ^ ways]);
            weight += 1;
            if (ways == 0)
                break;
        }
        corner[c] = sn_vec_scale(corner[c], 1 / weight); /* of 2 or 4: exact */
    }
}

static sn_vec interpolate(const sn_vec corner[8], const double local[3])
{
    sn_vec edge[4], face[2];
    for (int i = 0; i < 4; i++)
        edge[i] = sn_vec_between(corner[2 * i], corner[2 * i + 1], local[0]);
    for (int i = 0; i < 2; i++)
        face[i] = sn_vec_between(edge[2 * i], edge[2 * i + 1], local[1]);
    return sn_vec_between(face[0], face[1], local[2]);
}

void sn_embedded_place(const sn_octree *tree, sn_local element, int child, const double local[3],
                       const double *x, double position[3])
{
    sn_vec corner[8];
    corners_of(tree, element, child, x, corner);
    sn_vec_store(interpolate(corner, local), position);
}

void sn_embedding_evaluate(const sn_embedding *e, const double *x, double (*position)[3])
{
    /* Neighbours along the curve are in one element. */
#pragma omp parallel
    {
        sn_vec corner[8];
        size_t of = e->n; /* the point that the corners are of */
#pragma omp for schedule(static)
        for (size_t i = 0; i < e->n; i++) {
            if (of == e->n || e->element[i] != e->element[of] || e->child[i] != e->child[of])
                corners_of(e->tree, e->element[i], e->child[i], x, corner);
            of = i;
            sn_vec_store(interpolate(corner, e->local[i]), position[i]);
        }
    }
    for (size_t l = 0; l < e->n_loose; l++)
        for (int d = 0; d < 3; d++)
            position[e->loose[l].at][d] += e->loose[l].offset[d];
}

uint64_t sn_embedding_digest(const sn_embedding *e, const double (*position)[3])
{
    uint64_t digest = 0; /* a sum of whole numbers: no order to depend on */
#pragma omp parallel for reduction(+ : digest)
    for (size_t i = 0; i < e->n; i++)
        sn_digest_add(&digest, (uint64_t)e->vertex[i], position[i], sizeof position[i]);
    return sn_digest_allreduce(e->tree->comm, digest);
}
