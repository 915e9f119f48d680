#include "mesh/tidy.h"

#include "mesh/weld.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int32_t point[3]; /* from the lowest on, so that only the orientation is left to differ */
    int64_t triangle;
} oriented;

static oriented oriented_triangle(const sn_mesh *mesh, const int32_t *point, int64_t t)
{
    oriented o = {.triangle = t};
    const int32_t *corner = mesh->triangle[t];
    int lowest = 0;
    for (int c = 1; c < 3; c++)
        if (point[corner[c]] < point[corner[lowest]])
            lowest = c;
    for (int c = 0; c < 3; c++)
        o.point[c] = point[corner[(lowest + c) % 3]];
    return o;
}

static int compare_points(const oriented *a, const oriented *b)
{
    for (int c = 0; c < 3; c++)
        if (a->point[c] != b->point[c])
            return a->point[c] < b->point[c] ? -1 : 1;
    return 0;
}

static int compare(const void *first, const void *second)
{
    const oriented *a = first, *b = second;
    int by_points = compare_points(a, b);
    return by_points ? by_points : (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

/* True for every triangle that an earlier one equals. */
static bool *find_duplicates(const sn_mesh *mesh)
{
    int64_t n = mesh->n_triangles;
    int32_t *point = SN_NEW(int32_t, mesh->n_vertices);
    sn_weld((const double(*)[3])mesh->vertex, mesh->n_vertices, point);
    oriented *sorted = SN_NEW(oriented, n);
    for (int64_t t = 0; t < n; t++)
        sorted[t] = oriented_triangle(mesh, point, t);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    bool *is_duplicate = SN_NEW_ZERO(bool, n);
    for (int64_t i = 1; i < n; i++)
        is_duplicate[sorted[i].triangle] = compare_points(&sorted[i - 1], &sorted[i]) == 0;
    sn_free(sorted);
    sn_free(point);
    return is_duplicate;
}

static void drop_duplicates(sn_mesh *mesh)
{
    bool *is_duplicate = find_duplicates(mesh);
    int64_t kept = 0;
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        if (!is_duplicate[t]) {
            memmove(mesh->triangle[kept], mesh->triangle[t], sizeof *mesh->triangle);
            mesh->face[kept++] = mesh->face[t];
        }
    mesh->n_triangles = kept;
    sn_free(is_duplicate);
}

sn_mesh_report sn_mesh_tidy(sn_mesh *mesh)
{
    sn_mesh_report found = sn_mesh_check(mesh);
    if (found.duplicate.count == 0)
        return found;
    drop_duplicates(mesh);
    sn_mesh_report left = sn_mesh_check(mesh);
    left.duplicate = found.duplicate;
    left.degenerate = found.degenerate;
    left.unused_vertices = found.unused_vertices; /* of the file, not for want of a duplicate */
    return left;
}
