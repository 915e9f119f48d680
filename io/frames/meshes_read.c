#include "base/array.h"
#include "io/frames/meshes.h"
#include "io/frames/source.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, LEAST_CORNERS = 3 };

/* ---- The file ---- */

static bool read_vertices(const sn_frame_source *f, sn_meshes *m)
{
    int64_t ends = 0;
    m->vertex_point = sn_frame_integers(f, "/sinew/vertex_point", &m->n_vertices);
    m->first_vertex = sn_frame_integers(f, "/sinew/first_vertex", &ends);
    if (!m->vertex_point || !m->first_vertex || ends < 2 || ends > INT_MAX)
        return false;
    m->n_bodies = (int)ends - 1;
    return sn_frame_are_ends(m->first_vertex, ends, m->n_bodies, m->n_vertices);
}

static bool read_polygons(const sn_frame_source *f, sn_meshes *m, int64_t *corners)
{
    int64_t firsts = 0, bodies = 0;
    m->corner = sn_frame_integers(f, "/sinew/corner", corners);
    m->first_corner = sn_frame_integers(f, "/sinew/first_corner", &firsts);
    m->first_polygon = sn_frame_integers(f, "/sinew/first_polygon", &bodies);
    m->n_polygons = firsts - 1;
    return m->corner && sn_frame_are_ends(m->first_corner, firsts, m->n_polygons, *corners) &&
           sn_frame_are_ends(m->first_polygon, bodies, m->n_bodies, m->n_polygons);
}

/* Corners of a polygon are vertices of its own body, and at least three. */
static bool polygons_are_good(const sn_meshes *m)
{
    for (int b = 0; b < m->n_bodies; b++)
        for (int64_t p = m->first_polygon[b]; p < m->first_polygon[b + 1]; p++) {
            if (m->first_corner[p + 1] - m->first_corner[p] < LEAST_CORNERS)
                return false;
            for (int64_t c = m->first_corner[p]; c < m->first_corner[p + 1]; c++)
                if (m->corner[c] < m->first_vertex[b] || m->corner[c] >= m->first_vertex[b + 1])
                    return false;
        }
    return true;
}

static bool read_uvs(const sn_frame_source *f, sn_meshes *m, int64_t corners)
{
    int64_t rows = 0;
    if (!sn_frame_has(f, "/sinew/uv"))
        return true;
    m->uv = sn_frame_values(f, "/sinew/uv", H5T_NATIVE_DOUBLE, sizeof(double), 2, &m->n_uvs);
    m->uv_corner = sn_frame_integers(f, "/sinew/uv_corner", &rows);
    if (!m->uv || !m->uv_corner || rows != corners)
        return false;
    for (int64_t i = 0; i < m->n_uvs; i++)
        if (!isfinite(m->uv[i][0]) || !isfinite(m->uv[i][1]))
            return false;
    for (int64_t c = 0; c < corners; c++)
        if (m->uv_corner[c] < -1 || m->uv_corner[c] >= m->n_uvs)
            return false;
    return true;
}

static sn_status read_file(const sn_frame_source *f, sn_meshes *m)
{
    int64_t corners = 0;
    if (!read_vertices(f, m))
        return sn_frame_broken(f, "its vertices cannot be read");
    if (!read_polygons(f, m, &corners) || !polygons_are_good(m))
        return sn_frame_broken(f, "its polygons cannot be read");
    if (!read_uvs(f, m, corners))
        return sn_frame_broken(f, "its places in the texture cannot be read");
    m->name = sn_frame_names(f, m->n_bodies);
    return m->name ? SN_OK : sn_frame_broken(f, "its names cannot be read");
}

sn_status sn_meshes_read(const char *run_dir, bool *exists, sn_meshes *meshes)
{
    char path[PATH_BYTES];
    sn_frame_source f;
    *meshes = (sn_meshes){0};
    snprintf(path, sizeof path, "%s/" SN_MESHES_FILE, run_dir);
    *exists = access(path, F_OK) == 0;
    if (!*exists)
        return SN_OK;
    SN_TRY(sn_frame_open(path, "file of meshes", &f));
    sn_status status = read_file(&f, meshes);
    sn_frame_close(&f);
    if (status != SN_OK)
        sn_meshes_free(meshes);
    return status;
}

void sn_meshes_free(sn_meshes *m)
{
    for (int b = 0; m->name && b < m->n_bodies; b++)
        sn_free(m->name[b]);
    sn_free(m->name);
    sn_free(m->first_vertex);
    sn_free(m->first_polygon);
    sn_free(m->vertex_point);
    sn_free(m->first_corner);
    sn_free(m->corner);
    sn_free(m->uv);
    sn_free(m->uv_corner);
    *m = (sn_meshes){0};
}

/* ---- A frame of the vertices ---- */

/* The bodies are the same, and vertices are points of their own bodies. */
static bool fit(const sn_meshes *m, const sn_surface_frame *frame)
{
    if (m->n_bodies != frame->n_bodies)
        return false;
    for (int b = 0; b < m->n_bodies; b++) {
        const sn_surface_body_range *body = &frame->body[b];
        if (strcmp(m->name[b], body->name) != 0)
            return false;
        for (int64_t v = m->first_vertex[b]; v < m->first_vertex[b + 1]; v++)
            if (m->vertex_point[v] < body->first_point ||
                m->vertex_point[v] - body->first_point >= body->n_points)
                return false;
    }
    return true;
}

static int64_t *copy_of(const int64_t *values, int64_t n)
{
    int64_t *copy = SN_NEW(int64_t, n);
    if (n > 0)
        memcpy(copy, values, (size_t)n * sizeof *values);
    return copy;
}

static void split_points(const sn_meshes *m, sn_surface_frame *frame)
{
    double(*point)[3] = SN_NEW(double[3], m->n_vertices);
    for (int64_t v = 0; v < m->n_vertices; v++)
        memcpy(point[v], frame->point[m->vertex_point[v]], sizeof point[v]);
    sn_free(frame->point);
    frame->point = point;
    frame->n_points = m->n_vertices;
}

static void take_polygons(const sn_meshes *m, sn_surface_frame *frame)
{
    sn_free(frame->corner);
    sn_free(frame->first_corner);
    frame->n_faces = m->n_polygons;
    frame->first_corner = copy_of(m->first_corner, m->n_polygons + 1);
    frame->corner = copy_of(m->corner, m->first_corner[m->n_polygons]);
    frame->n_uvs = m->n_uvs;
    frame->uv = (const double(*)[2])m->uv;
    frame->uv_corner = m->uv_corner;
    for (int b = 0; b < m->n_bodies; b++)
        frame->body[b] = (sn_surface_body_range){
            frame->body[b].name, m->first_vertex[b], m->first_vertex[b + 1] - m->first_vertex[b],
            m->first_polygon[b], m->first_polygon[b + 1] - m->first_polygon[b]};
}

sn_status sn_meshes_split_frame(const sn_meshes *m, const char *run_dir, sn_surface_frame *frame)
{
    if (!fit(m, frame))
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: " SN_MESHES_FILE " and frame %d are not of the same meshes", run_dir,
                       frame->frame);
    split_points(m, frame);
    take_polygons(m, frame);
    return SN_OK;
}
