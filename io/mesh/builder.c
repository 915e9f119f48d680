#include "io/mesh/builder.h"

#include "mesh/polygon.h"
#include "mesh/weld.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Vertices, faces and triangles are numbered by 32-bit integers. */
static const size_t MOST_ITEMS = INT32_MAX;

sn_mesh_builder sn_mesh_builder_open(const char *name, sn_place_kind kind, int first_index)
{
    return (sn_mesh_builder){.name = name, .place_kind = kind, .first_index = first_index};
}

/* Of a very long path the end: the line number after it must not be lost. */
static const char *end_of_name(const char *name)
{
    enum { MOST_SHOWN = SN_MESH_FILE_PLACE_BYTES - 64 };
    size_t length = strlen(name);
    return length > MOST_SHOWN ? name + length - MOST_SHOWN : name;
}

sn_mesh_file_place sn_mesh_builder_place(const sn_mesh_builder *builder, int64_t place)
{
    const char *name = end_of_name(builder->name);
    sn_mesh_file_place out;
    switch (builder->place_kind) {
    case SN_PLACE_LINE:
        snprintf(out.text, sizeof out.text, "%s:%" PRId64, name, place);
        break;
    case SN_PLACE_BYTE:
        snprintf(out.text, sizeof out.text, "%s: byte %" PRId64, name, place);
        break;
    default:
        snprintf(out.text, sizeof out.text, "%s", name);
    }
    return out;
}

static sn_status too_many(const sn_mesh_builder *builder, int64_t place, const char *what)
{
    return SN_FAIL(SN_BAD_INPUT, "%s: more than %zu %s", sn_mesh_builder_place(builder, place).text,
                   MOST_ITEMS, what);
}

sn_status sn_mesh_builder_vertex(sn_mesh_builder *builder, int64_t place, const double xyz[3])
{
    if (builder->vertex.count == MOST_ITEMS)
        return too_many(builder, place, "vertices");
    if (!isfinite(xyz[0]) || !isfinite(xyz[1]) || !isfinite(xyz[2]))
        return SN_FAIL(SN_BAD_INPUT, "%s: vertex %zu is not finite: (%g, %g, %g)",
                       sn_mesh_builder_place(builder, place).text,
                       builder->vertex.count + (size_t)builder->first_index, xyz[0], xyz[1],
                       xyz[2]);
    sn_reserve(&builder->vertex, builder->vertex.count + 1);
    double *v = builder->vertex.data[builder->vertex.count++];
    for (int d = 0; d < 3; d++)
        v[d] = xyz[d];
    return SN_OK;
}

sn_status sn_mesh_builder_face(sn_mesh_builder *builder, int64_t place)
{
    if (builder->face.count == MOST_ITEMS)
        return too_many(builder, place, "faces");
    sn_builder_face face = {place, builder->corner.count};
    sn_push(&builder->face, face);
    return SN_OK;
}

sn_status sn_mesh_builder_corner(sn_mesh_builder *builder, int64_t place, int64_t vertex)
{
    if (vertex < builder->first_index)
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: face %zu uses vertex %" PRId64 ", but vertices are numbered from %d",
                       sn_mesh_builder_place(builder, place).text, builder->face.count, vertex,
                       builder->first_index);
    if (vertex >= INT32_MAX)
        return SN_FAIL(
            SN_BAD_INPUT, "%s: face %zu uses vertex %" PRId64 ", but a mesh has at most %zu",
            sn_mesh_builder_place(builder, place).text, builder->face.count, vertex, MOST_ITEMS);
    sn_push(&builder->corner, (int32_t)(vertex - builder->first_index));
    return SN_OK;
}

void sn_mesh_builder_uv(sn_mesh_builder *builder, const double uv[2])
{
    sn_reserve(&builder->uv, builder->uv.count + 1);
    double *to = builder->uv.data[builder->uv.count++];
    for (int d = 0; d < 2; d++)
        to[d] = isfinite(uv[d]) ? uv[d] : 0;
}

void sn_mesh_builder_uv_corner(sn_mesh_builder *builder, int64_t uv)
{
    while (builder->uv_corner.count + 1 < builder->corner.count)
        sn_push(&builder->uv_corner, -1);
    sn_push(&builder->uv_corner, uv >= 0 && uv < INT32_MAX ? (int32_t)uv : -1);
}

void sn_mesh_builder_uv_face(sn_mesh_builder *builder, size_t first_uv)
{
    while (builder->uv_corner.count < builder->face.data[builder->face.count - 1].first_corner)
        sn_push(&builder->uv_corner, -1);
    while (builder->uv_corner.count < builder->corner.count)
        sn_push(&builder->uv_corner, (int32_t)first_uv++);
}

void sn_mesh_builder_uv_vertices(sn_mesh_builder *builder)
{
    builder->uv_corner.count = 0;
    for (size_t c = 0; c < builder->corner.count; c++)
        sn_push(&builder->uv_corner, builder->corner.data[c]);
}

/* Returns which point each vertex has become. */
static int32_t *weld(sn_mesh_builder *builder)
{
    size_t count = builder->vertex.count;
    sn_point *vertex = builder->vertex.data;
    int32_t *point = SN_NEW(int32_t, count);
    builder->vertex.count = (size_t)sn_weld((const double(*)[3])vertex, (int64_t)count, point);
    size_t next = 0;
    for (size_t v = 0; v < count; v++)
        if ((size_t)point[v] == next) {
            for (int d = 0; d < 3; d++)
                vertex[next][d] = vertex[v][d];
            next++;
        }
    for (size_t c = 0; c < builder->corner.count; c++)
        if ((size_t)builder->corner.data[c] < count)
            builder->corner.data[c] = point[builder->corner.data[c]];
    return point;
}

void sn_mesh_builder_weld_corners(sn_mesh_builder *builder)
{
    sn_free(weld(builder));
}

void sn_mesh_builder_weld_split(sn_mesh_builder *builder)
{
    size_t bytes = builder->corner.count * sizeof *builder->corner.data;
    builder->n_split_vertices = builder->vertex.count;
    builder->split_corner = SN_NEW(int32_t, builder->corner.count);
    if (bytes > 0)
        memcpy(builder->split_corner, builder->corner.data, bytes);
    builder->point = weld(builder);
}

static size_t corners_end(const sn_mesh_builder *builder, size_t face)
{
    return face + 1 < builder->face.count ? builder->face.data[face + 1].first_corner
                                          : builder->corner.count;
}

/* Checks all indices and counts the triangles that the faces give at most. */
static sn_status check_faces(const sn_mesh_builder *builder, size_t *most_triangles)
{
    *most_triangles = 0;
    if (builder->face.count == 0)
        return SN_FAIL(SN_BAD_INPUT, "%s: empty mesh: the file has no faces", builder->name);
    for (size_t f = 0; f < builder->face.count; f++) {
        int64_t place = builder->face.data[f].place;
        size_t first = builder->face.data[f].first_corner, end = corners_end(builder, f);
        for (size_t c = first; c < end; c++)
            if ((size_t)builder->corner.data[c] >= builder->vertex.count)
                return SN_FAIL(
                    SN_BAD_INPUT, "%s: face %zu uses vertex %" PRId64 ", but the file has only %zu",
                    sn_mesh_builder_place(builder, place).text, f + 1,
                    (int64_t)builder->corner.data[c] + builder->first_index, builder->vertex.count);
        *most_triangles += end - first > 2 ? end - first - 2 : 0;
        if (*most_triangles > MOST_ITEMS)
            return too_many(builder, place, "triangles");
    }
    return SN_OK;
}

/* The part of a polygon that goes somewhere: without corners that repeat the one before, and
 * without detours to a corner and straight back, whose edges cancel. */
static int32_t *without_duplicates(int32_t *corner, size_t n, int64_t *kept_corners)
{
    int64_t first = 0, end = 0;
    for (size_t i = 0; i < n; i++)
        if (end > 0 && corner[i] == corner[end - 1])
            continue;
        else if (end > 1 && corner[i] == corner[end - 2])
            end--;
        else
            corner[end++] = corner[i];
    /* The same where the last corner meets the first. */
    while (end - first > 2)
        if (corner[end - 1] == corner[first] || corner[end - 2] == corner[first])
            end--;
        else if (corner[end - 1] == corner[first + 1])
            first++;
        else
            break;
    *kept_corners = end - first;
    return corner + first;
}

static bool distinct(const int32_t t[3])
{
    return t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
}

/* Adds one face's triangles; those with a repeated vertex have no area and edges that cancel. */
static void triangulate_face(sn_mesh_builder *builder, size_t f, sn_mesh *mesh)
{
    size_t first = builder->face.data[f].first_corner, end = corners_end(builder, f);
    int64_t n = 0;
    int32_t *corner = NULL;
    if (end > first)
        corner = without_duplicates(builder->corner.data + first, end - first, &n);
    int64_t before = mesh->n_triangles;
    if (n >= 3) {
        int32_t(*fresh)[3] = mesh->triangle + before;
        sn_polygon_triangulate((const double(*)[3])mesh->vertex, corner, n, fresh);
        for (int64_t i = 0; i < n - 2; i++)
            if (distinct(fresh[i])) {
                int32_t *to = mesh->triangle[mesh->n_triangles];
                to[0] = fresh[i][0], to[1] = fresh[i][1], to[2] = fresh[i][2];
                mesh->face[mesh->n_triangles++] = (int32_t)(f + 1);
            }
    }
    if (mesh->n_triangles == before && mesh->n_empty_faces++ == 0)
        mesh->first_empty_face = (int32_t)(f + 1);
}

/* ---- The asset ---- */

static bool is_split(const sn_mesh_builder *builder)
{
    return builder->point && builder->n_split_vertices > builder->vertex.count;
}

static int32_t uv_of_corner(const sn_mesh_builder *builder, size_t corner)
{
    int32_t uv = corner < builder->uv_corner.count ? builder->uv_corner.data[corner] : -1;
    return (size_t)uv < builder->uv.count ? uv : -1;
}

/* Polygons are the faces with three corners or more. */
static void add_polygons(const sn_mesh_builder *builder, const int32_t *corner,
                         sn_mesh_asset *asset)
{
    for (size_t f = 0; f < builder->face.count; f++) {
        size_t first = builder->face.data[f].first_corner, end = corners_end(builder, f);
        if (end - first < 3)
            continue;
        for (size_t c = first; c < end; c++) {
            if (asset->uv_corner)
                asset->uv_corner[asset->n_corners] = uv_of_corner(builder, c);
            asset->corner[asset->n_corners++] = corner[c];
        }
        asset->first_corner[++asset->n_polygons] = asset->n_corners;
    }
}

/* Takes what the builder has no more use for. */
static sn_mesh_asset *make_asset(sn_mesh_builder *builder)
{
    sn_mesh_asset *asset = SN_NEW(sn_mesh_asset, 1);
    bool split = is_split(builder), has_uvs = builder->uv_corner.count > 0;
    *asset = (sn_mesh_asset){
        .n_vertices = (int64_t)(split ? builder->n_split_vertices : builder->vertex.count),
        .point = split ? builder->point : NULL,
        .first_corner = SN_NEW(int64_t, builder->face.count + 1),
        .corner = SN_NEW(int32_t, builder->corner.count),
        .n_uvs = has_uvs ? (int64_t)builder->uv.count : 0,
        .uv = has_uvs ? builder->uv.data : NULL,
        .uv_corner = has_uvs ? SN_NEW(int32_t, builder->corner.count) : NULL};
    asset->first_corner[0] = 0;
    if (split)
        builder->point = NULL;
    if (has_uvs)
        builder->uv.data = NULL;
    add_polygons(builder, split ? builder->split_corner : builder->corner.data, asset);
    return asset;
}

static void build(sn_mesh_builder *builder, size_t most_triangles, sn_mesh *mesh)
{
    *mesh = (sn_mesh){.n_vertices = (int64_t)builder->vertex.count, .asset = make_asset(builder)};
    SN_RESIZE(builder->vertex.data, builder->vertex.count);
    mesh->vertex = builder->vertex.data;
    builder->vertex.data = NULL;
    mesh->triangle = SN_NEW(*mesh->triangle, most_triangles);
    mesh->face = SN_NEW(*mesh->face, most_triangles);
    for (size_t f = 0; f < builder->face.count; f++)
        triangulate_face(builder, f, mesh);
    if ((size_t)mesh->n_triangles < most_triangles) {
        SN_RESIZE(mesh->triangle, mesh->n_triangles);
        SN_RESIZE(mesh->face, mesh->n_triangles);
    }
}

static sn_status check_and_build(sn_mesh_builder *builder, sn_mesh *mesh)
{
    size_t most_triangles;
    SN_TRY(check_faces(builder, &most_triangles));
    build(builder, most_triangles, mesh);
    if (mesh->n_triangles > 0)
        return SN_OK;
    sn_mesh_free(mesh);
    return SN_FAIL(SN_BAD_INPUT, "%s: empty mesh: no face has three different corners",
                   builder->name);
}

sn_status sn_mesh_builder_finish(sn_mesh_builder *builder, sn_status status, sn_mesh *mesh)
{
    *mesh = (sn_mesh){0};
    if (status == SN_OK)
        status = check_and_build(builder, mesh);
    sn_vector_free(&builder->vertex);
    sn_vector_free(&builder->face);
    sn_vector_free(&builder->corner);
    sn_vector_free(&builder->uv);
    sn_vector_free(&builder->uv_corner);
    sn_free(builder->point);
    sn_free(builder->split_corner);
    return status;
}
