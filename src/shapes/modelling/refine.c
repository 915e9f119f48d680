#include "shapes/modelling/refine.h"

enum { NOT_CUT = -1 };

/* From a cut edge to the vertex in its middle: open addressing, keys 0 are free. */
typedef struct {
    size_t mask;
    uint64_t *key;
    int32_t *middle;
} edge_table;

static edge_table table_for(size_t n_edges)
{
    size_t slots = 16;
    while (slots < 2 * n_edges)
        slots *= 2;
    return (edge_table){slots - 1, SN_NEW_ZERO(uint64_t, slots), SN_NEW(int32_t, slots)};
}

static void table_free(edge_table *table)
{
    sn_free(table->key);
    sn_free(table->middle);
}

/* Never 0, because the higher end comes first and there is a lower one. */
static uint64_t edge_key(int32_t a, int32_t b)
{
    uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
    return high << 32 | low;
}

static size_t first_slot(const edge_table *table, uint64_t key)
{
    const uint64_t golden_ratio = 0x9e3779b97f4a7c15u;
    return (size_t)((key * golden_ratio) >> 32) & table->mask;
}

static int32_t middle_of(const sn_refiner *refiner, edge_table *table, int32_t a, int32_t b)
{
    if (!refiner->is_too_long(refiner->state, a, b))
        return NOT_CUT;
    uint64_t key = edge_key(a, b);
    size_t slot = first_slot(table, key);
    while (table->key[slot] && table->key[slot] != key)
        slot = (slot + 1) & table->mask;
    if (!table->key[slot]) {
        table->key[slot] = key;
        table->middle[slot] = refiner->middle(refiner->state, a, b);
    }
    return table->middle[slot];
}

static void add_quad(const sn_refiner *refiner, sn_surface *surface, const int32_t q[4])
{
    double one = refiner->length(refiner->state, q[0], q[2]);
    double other = refiner->length(refiner->state, q[1], q[3]);
    int s = other < one;
    sn_surface_triangle(surface, q[s], q[s + 1], q[s + 2]);
    sn_surface_triangle(surface, q[s], q[s + 2], q[(s + 3) % 4]);
}

/* The pieces of one triangle; m[i] is the middle of the edge from corner i to the next. */
static void add_pieces(const sn_refiner *refiner, sn_surface *surface, const int32_t c[3],
                       const int32_t m[3])
{
    int n_cut = (m[0] >= 0) + (m[1] >= 0) + (m[2] >= 0);
    if (n_cut == 0) {
        sn_surface_triangle(surface, c[0], c[1], c[2]);
    } else if (n_cut == 3) {
        for (int i = 0; i < 3; i++)
            sn_surface_triangle(surface, c[i], m[i], m[(i + 2) % 3]);
        sn_surface_triangle(surface, m[0], m[1], m[2]);
    } else if (n_cut == 1) {
        int i = m[0] >= 0 ? 0 : m[1] >= 0 ? 1 : 2;
        sn_surface_triangle(surface, c[i], m[i], c[(i + 2) % 3]);
        sn_surface_triangle(surface, m[i], c[(i + 1) % 3], c[(i + 2) % 3]);
    } else {
        int i = m[0] < 0 ? 0 : m[1] < 0 ? 1 : 2, j = (i + 1) % 3, k = (i + 2) % 3;
        sn_surface_triangle(surface, m[j], c[k], m[k]);
        add_quad(refiner, surface, (int32_t[4]){c[i], c[j], m[j], m[k]});
    }
}

bool sn_refine_once(const sn_refiner *refiner, sn_surface *surface)
{
    size_t n_before = surface->triangles.count;
    edge_table table = table_for(n_before * 3 / 2);
    sn_surface refined = {0};
    for (size_t t = 0; t < n_before; t++) {
        const int32_t *c = surface->triangles.data[t].corner;
        int32_t m[3];
        for (int i = 0; i < 3; i++)
            m[i] = middle_of(refiner, &table, c[i], c[(i + 1) % 3]);
        add_pieces(refiner, &refined, c, m);
    }
    table_free(&table);
    sn_vector_free(&surface->triangles);
    surface->triangles.data = refined.triangles.data;
    surface->triangles.count = refined.triangles.count;
    surface->triangles.capacity = refined.triangles.capacity;
    return surface->triangles.count != n_before;
}
