#include "octree/touches.h"

#include "base/array.h"
#include "base/sort.h"
#include "mesh/overlap.h"
#include "partition/records.h"

#include <omp.h>

/* A triangle touches a cell. */
typedef struct {
    sn_key key;
    int64_t triangle;
} touch;

typedef SN_VECTOR(touch) touch_list;

static void rasterise_range(const sn_mesh *mesh, const sn_body *body, int b, int64_t from,
                            int64_t to, touch_list *out)
{
    sn_keys keys = {0};
    for (int64_t t = from; t < to; t++) {
        sn_grid_triangle triangle;
        for (int c = 0; c < 3; c++)
            sn_grid_snap(mesh->vertex[mesh->triangle[t][c]], body->origin, body->cell,
                         triangle.p[c]);
        keys.count = 0;
        sn_triangle_rasterise(&triangle, body->cells, &keys);
        for (size_t i = 0; i < keys.count; i++)
            sn_push(out, ((touch){sn_key_of_morton(b, keys.data[i]), t}));
    }
    sn_vector_free(&keys);
}

static void append(touch_list *all, touch_list *some)
{
    sn_reserve(all, all->count + some->count);
    for (size_t i = 0; i < some->count; i++)
        all->data[all->count++] = some->data[i];
    sn_vector_free(some);
}

/* In the order of the triangles, whatever the number of threads. */
static void rasterise_body(MPI_Comm comm, const sn_bodies *bodies, int b, const sn_solid *solid,
                           touch_list *out)
{
    int64_t from, to;
    int most = omp_get_max_threads();
    sn_surface_share(comm, solid->mesh, bodies->body[b].cell, &from, &to);
    touch_list *of_thread = SN_NEW_ZERO(touch_list, most);
#pragma omp parallel num_threads(most)
    {
        int64_t threads = omp_get_num_threads(), me = omp_get_thread_num(), n = to - from;
        rasterise_range(solid->mesh, &bodies->body[b], b, from + n * me / threads,
                        from + n * (me + 1) / threads, &of_thread[me]);
    }
    for (int thread = 0; thread < most; thread++)
        append(out, &of_thread[thread]);
    sn_free(of_thread);
}

int sn_touches_rank(sn_key cell, int size)
{
    uint64_t mixed = sn_touches_cube(cell) * UINT64_C(0x9e3779b97f4a7c15);
    return (int)((mixed >> 32) % (uint64_t)size);
}

/* Brings the triangles of each cell to the rank that looks at it. */
static void deal(MPI_Comm comm, int size, touch_list *t)
{
    int *to = SN_NEW(int, t->count);
    for (size_t i = 0; i < t->count; i++)
        to[i] = sn_touches_rank(t->data[i].key, size);
    sn_inbox in = sn_records_send(comm, sizeof *t->data, t->data, to, t->count);
    sn_free(to);
    sn_vector_free(t);
    t->data = sn_inbox_take(&in, &t->count);
    t->capacity = t->count;
}

/* Takes the touches over. Ranks have ascending triangles, and sorting is stable. */
static sn_touches sort_touches(MPI_Comm comm, touch_list *t)
{
    int size;
    MPI_Comm_size(comm, &size);
    if (size > 1)
        deal(comm, size, t);
    sn_touches c = {t->count, SN_NEW(sn_key, t->count), SN_NEW(int32_t, t->count)};
    for (size_t i = 0; i < t->count; i++) {
        c.key[i] = t->data[i].key;
        c.triangle[i] = (int32_t)t->data[i].triangle;
    }
    sn_vector_free(t);
    sn_sort_keys_with(c.key, (uint32_t *)c.triangle, c.n);
    return c;
}

sn_touches sn_touches_find(MPI_Comm comm, const sn_bodies *bodies, const sn_solid *solids)
{
    touch_list t = {0};
    for (int b = 0; b < bodies->n; b++)
        rasterise_body(comm, bodies, b, &solids[b], &t);
    return sort_touches(comm, &t);
}

void sn_touches_free(sn_touches *t)
{
    sn_free(t->key);
    sn_free(t->triangle);
    *t = (sn_touches){0};
}

/* ---- Next door ---- */

enum {
    ALL_BITS = (1 << 3 * SN_TOUCHES_HEIGHT) - 1,
    BITS_OF_X = 0x249, /* of a cell's place along the curve; those of y and z are the next ones */
};

static unsigned place_of(sn_key cell)
{
    return (unsigned)(cell >> SN_COPY_BITS) & ALL_BITS;
}

static bool is_touched(const sn_touched *touched, unsigned place)
{
    return touched->word[place >> 6] >> (place & 63) & 1;
}

void sn_touched_add(sn_touched *touched, sn_key cell)
{
    unsigned place = place_of(cell);
    touched->word[place >> 6] |= UINT64_C(1) << (place & 63);
}

/* Bits of one axis count as if there were no others between them. */
static bool is_touched_beyond(const sn_touched *touched, unsigned place, int axis, int side)
{
    unsigned own = (unsigned)BITS_OF_X << axis, others = place & ~own;
    if ((place & own) == (side ? own : 0))
        return true;
    unsigned next = side ? (place | ~own) + 1 : (place & own) - 1;
    return is_touched(touched, (next & own) | others);
}

uint8_t sn_touched_beyond(const sn_touched *touched, sn_key cell)
{
    unsigned faces = 0, place = place_of(cell);
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++)
            if (is_touched_beyond(touched, place, axis, side))
                faces |= 1u << (2 * axis + side);
    return (uint8_t)faces;
}
