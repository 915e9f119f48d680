#include "mesh/check.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/vec3.h"
#include "mesh/weld.h"

#include <math.h>

/* A triangle counts as of no area when it is this much narrower than long: rounding alone
 * gives such heights. */
static const double DEGENERATE_HEIGHT = 1e-12;

/* The mesh with vertices at the same position made one. */
typedef struct {
    const sn_mesh *mesh;
    int32_t *point;
    int64_t n_points;
} welded_mesh;

static void find(sn_mesh_finding *finding, int32_t face)
{
    if (finding->count++ == 0 || face < finding->first_face)
        finding->first_face = face;
}

static void points_of(const welded_mesh *welded, int64_t t, int32_t p[3])
{
    for (int c = 0; c < 3; c++)
        p[c] = welded->point[welded->mesh->triangle[t][c]];
}

static bool distinct(const int32_t p[3])
{
    return p[0] != p[1] && p[1] != p[2] && p[2] != p[0];
}

static double triangle_area(const sn_mesh *mesh, int64_t t, bool *degenerate)
{
    sn_vec p[3], edge[3];
    double longest = 0;
    for (int c = 0; c < 3; c++)
        p[c] = sn_vec_load(mesh->vertex[mesh->triangle[t][c]]);
    for (int c = 0; c < 3; c++) {
        edge[c] = sn_vec_sub(p[(c + 1) % 3], p[c]);
        longest = fmax(longest, sn_vec_length(edge[c]));
    }
    double twice_area = sn_vec_length(sn_vec_cross(edge[0], edge[1]));
    *degenerate = twice_area <= DEGENERATE_HEIGHT * longest * longest;
    return twice_area / 2;
}

/* A face is degenerate when all of its triangles are; those without any were left out. */
static void measure_faces(const sn_mesh *mesh, sn_mesh_report *report)
{
    report->degenerate.count = mesh->n_empty_faces;
    report->degenerate.first_face = mesh->first_empty_face;
    for (int64_t t = 0; t < mesh->n_triangles;) {
        int32_t face = mesh->face[t];
        bool all_degenerate = true;
        for (; t < mesh->n_triangles && mesh->face[t] == face; t++) {
            bool degenerate;
            report->area += triangle_area(mesh, t, &degenerate);
            all_degenerate &= degenerate;
        }
        if (all_degenerate)
            find(&report->degenerate, face);
    }
    report->bounds = sn_mesh_bounds(mesh);
    report->volume = sn_mesh_volume(mesh);
}

static void sort3(int32_t p[3])
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (p[j] > p[j + 1]) {
                int32_t swap = p[j];
                p[j] = p[j + 1];
                p[j + 1] = swap;
            }
}

static uint64_t pair_key(int32_t a, int32_t b)
{
    return (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
}

/* Triangles sorted by their three points, whatever their order around the triangle. */
static uint32_t *sorted_triangles(const welded_mesh *welded, size_t *count)
{
    const sn_mesh *mesh = welded->mesh;
    uint32_t *order = SN_NEW(uint32_t, mesh->n_triangles);
    uint64_t *keys = SN_NEW(uint64_t, mesh->n_triangles);
    int32_t p[3];
    *count = 0;
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        points_of(welded, t, p);
        sort3(p);
        if (distinct(p)) {
            keys[*count] = (uint32_t)p[2];
            order[(*count)++] = (uint32_t)t;
        }
    }
    sn_sort_keys_with(keys, order, *count);
    for (size_t i = 0; i < *count; i++) {
        points_of(welded, order[i], p);
        sort3(p);
        keys[i] = pair_key(p[0], p[1]);
    }
    sn_sort_keys_with(keys, order, *count);
    sn_free(keys);
    return order;
}

static bool same_three_points(const welded_mesh *welded, int64_t s, int64_t t)
{
    int32_t p[3], q[3];
    points_of(welded, s, p);
    points_of(welded, t, q);
    sort3(p);
    sort3(q);
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static void find_duplicates(const welded_mesh *welded, sn_mesh_report *report)
{
    const sn_mesh *mesh = welded->mesh;
    size_t count;
    uint32_t *order = sorted_triangles(welded, &count);
    bool *is_duplicate = SN_NEW_ZERO(bool, mesh->n_triangles);
    for (size_t i = 1; i < count; i++)
        if (same_three_points(welded, order[i - 1], order[i]))
            is_duplicate[order[i]] = true;
    for (int64_t t = 0, last_face = 0; t < mesh->n_triangles; t++)
        if (is_duplicate[t] && mesh->face[t] != last_face) {
            find(&report->duplicate, mesh->face[t]);
            last_face = mesh->face[t];
        }
    sn_free(is_duplicate);
    sn_free(order);
}

/* The edges of triangles as pairs of points, the lower one first. */
typedef struct {
    uint64_t *points; /* ascending */
    uint32_t *side;   /* the triangle, doubled, plus one if it runs from the higher point */
    size_t count;
} edge_list;

/* Triangles with two corners at one point are left out: their edges cancel by themselves. */
static edge_list sorted_edges(const welded_mesh *welded)
{
    int64_t n_triangles = welded->mesh->n_triangles;
    edge_list edges = {SN_NEW(uint64_t, 3 * n_triangles), SN_NEW(uint32_t, 3 * n_triangles), 0};
    for (int64_t t = 0; t < n_triangles; t++) {
        int32_t p[3];
        points_of(welded, t, p);
        for (int c = 0; c < 3 && distinct(p); c++) {
            int32_t a = p[c], b = p[(c + 1) % 3];
            edges.points[edges.count] = a < b ? pair_key(a, b) : pair_key(b, a);
            edges.side[edges.count++] = (uint32_t)(2 * t + (a > b));
        }
    }
    sn_sort_keys_with(edges.points, edges.side, edges.count);
    return edges;
}

/* One edge: all the sides of triangles that lie on it. */
static void judge_edge(const sn_mesh *mesh, const uint32_t *sides, size_t total,
                       sn_mesh_report *report)
{
    size_t backward = 0;
    for (size_t i = 0; i < total; i++)
        backward += sides[i] & 1;
    int32_t lowest_face = mesh->face[sides[0] / 2]; /* stable: the first triangle's */
    if (total == 1)
        find(&report->boundary, lowest_face);
    if (total > 2)
        find(&report->nonmanifold, lowest_face);
    if (total == 2 && backward != 1)
        find(&report->misoriented, lowest_face);
    if (2 * backward != total)
        report->closed_chain = false;
}

static void judge_edges(const welded_mesh *welded, sn_mesh_report *report)
{
    edge_list edges = sorted_edges(welded);
    report->closed_chain = true;
    for (size_t first = 0, end; first < edges.count; first = end) {
        for (end = first + 1; end < edges.count && edges.points[end] == edges.points[first];)
            end++;
        judge_edge(welded->mesh, edges.side + first, end - first, report);
    }
    sn_free(edges.points);
    sn_free(edges.side);
}

static int32_t root_of(int32_t *parent, int32_t p)
{
    while (parent[p] != p) {
        parent[p] = parent[parent[p]];
        p = parent[p];
    }
    return p;
}

/* Joins the points of each triangle; what stays apart are the components. */
static void count_components(const welded_mesh *welded, sn_mesh_report *report)
{
    int32_t *parent = SN_NEW(int32_t, welded->n_points);
    bool *used = SN_NEW_ZERO(bool, welded->n_points);
    for (int64_t p = 0; p < welded->n_points; p++)
        parent[p] = (int32_t)p;
    for (int64_t t = 0; t < welded->mesh->n_triangles; t++) {
        int32_t p[3];
        points_of(welded, t, p);
        int32_t root = root_of(parent, p[0]);
        for (int c = 0; c < 3; c++) {
            int32_t other = root_of(parent, p[c]);
            /* The lower number stays: with the halving above this keeps paths short. */
            parent[other > root ? other : root] = other > root ? root : other;
            root = other > root ? root : other;
            used[p[c]] = true;
        }
    }
    for (int64_t p = 0; p < welded->n_points; p++)
        report->components += used[p] && parent[p] == p;
    sn_free(used);
    sn_free(parent);
}

static void count_unused_vertices(const sn_mesh *mesh, sn_mesh_report *report)
{
    bool *used = SN_NEW_ZERO(bool, mesh->n_vertices);
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        for (int c = 0; c < 3; c++)
            used[mesh->triangle[t][c]] = true;
    for (int64_t v = 0; v < mesh->n_vertices; v++)
        report->unused_vertices += !used[v];
    sn_free(used);
}

sn_mesh_report sn_mesh_check(const sn_mesh *mesh)
{
    sn_mesh_report report = {0};
    welded_mesh welded = {.mesh = mesh, .point = SN_NEW(int32_t, mesh->n_vertices)};
    welded.n_points = sn_weld((const double(*)[3])mesh->vertex, mesh->n_vertices, welded.point);
    measure_faces(mesh, &report);
    find_duplicates(&welded, &report);
    judge_edges(&welded, &report);
    count_components(&welded, &report);
    count_unused_vertices(mesh, &report);
    sn_free(welded.point);
    return report;
}
