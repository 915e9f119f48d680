#include "mesh/weld.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/vec3.h"

static uint32_t *sorted_by_position(const double (*vertex)[3], int64_t n_vertices)
{
    uint32_t *order = SN_NEW(uint32_t, n_vertices);
    uint64_t *keys = SN_NEW(uint64_t, n_vertices);
    for (int64_t i = 0; i < n_vertices; i++)
        order[i] = (uint32_t)i;
    for (int d = 2; d >= 0; d--) {
        for (int64_t i = 0; i < n_vertices; i++)
            keys[i] = sn_key_of_double(vertex[order[i]][d]);
        sn_sort_keys_with(keys, order, (size_t)n_vertices);
    }
    sn_free(keys);
    return order;
}

int64_t sn_weld(const double (*vertex)[3], int64_t n_vertices, int32_t *point)
{
    uint32_t *order = sorted_by_position(vertex, n_vertices);
    /* The sort is stable: the first of a run of equal points is the first in the file. */
    int64_t first = 0;
    for (int64_t i = 0; i < n_vertices; i++) {
        int64_t v = order[i];
        if (i == 0 || !sn_vec_equal(sn_vec_load(vertex[v]), sn_vec_load(vertex[first])))
            first = v;
        point[v] = (int32_t)first;
    }
    sn_free(order);
    int64_t n_points = 0;
    for (int64_t v = 0; v < n_vertices; v++)
        point[v] = point[v] == v ? (int32_t)n_points++ : point[point[v]];
    return n_points;
}
