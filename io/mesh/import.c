/* The parent of a mesh's import (io/mesh/import.h). */
#include "io/mesh/builder.h"
#include "io/mesh/formats.h"
#include "io/mesh/import_child.h"
#include "io/mesh/import_stream.h"
#include "io/text/whole_file.h"

typedef struct {
    sn_import_child child;
    sn_mesh_builder builder;
} import;

/* What came to an end too early is told by how the child ended. */
static bool receive(import *i, void *data, size_t bytes)
{
    return sn_import_child_receive(&i->child, data, bytes);
}

static sn_status receive_vertices(import *i, uint64_t n, bool *whole)
{
    double xyz[3];
    for (uint64_t v = 0; v < n && (*whole = receive(i, xyz, sizeof xyz)); v++)
        SN_TRY(sn_mesh_builder_vertex(&i->builder, 0, xyz));
    return SN_OK;
}

static void receive_uvs(import *i, uint64_t n, bool *whole)
{
    double uv[2];
    for (uint64_t v = 0; v < n && (*whole = receive(i, uv, sizeof uv)); v++)
        sn_mesh_builder_uv(&i->builder, uv);
}

static sn_status receive_corners(import *i, uint32_t n, bool *whole)
{
    uint32_t vertex;
    SN_TRY(sn_mesh_builder_face(&i->builder, 0));
    for (uint32_t c = 0; c < n && (*whole = receive(i, &vertex, sizeof vertex)); c++)
        SN_TRY(sn_mesh_builder_corner(&i->builder, 0, vertex));
    return SN_OK;
}

static sn_status receive_faces(import *i, const sn_import_head *head, bool *whole)
{
    uint32_t *count = SN_NEW(uint32_t, head->n_faces);
    sn_status status = SN_OK;
    uint64_t left = head->n_corners;
    *whole = receive(i, count, head->n_faces * sizeof *count);
    for (uint64_t f = 0; f < head->n_faces && *whole && status == SN_OK; f++) {
        *whole = count[f] <= left;
        left -= *whole ? count[f] : 0;
        status = *whole ? receive_corners(i, count[f], whole) : SN_OK;
    }
    sn_free(count);
    return status;
}

static sn_status receive_mesh(import *i, bool *whole)
{
    sn_import_head head;
    *whole = receive(i, &head, sizeof head) && head.n_vertices <= SN_IMPORT_MOST &&
             head.n_faces <= SN_IMPORT_MOST && head.n_corners <= SN_IMPORT_MOST;
    if (!*whole)
        return SN_OK;
    if (head.message_bytes > 0)
        return sn_import_child_message(&i->child, head.message_bytes);
    SN_TRY(receive_vertices(i, head.n_vertices, whole));
    if (*whole && head.has_uvs)
        receive_uvs(i, head.n_vertices, whole);
    SN_TRY(*whole ? receive_faces(i, &head, whole) : SN_OK);
    if (*whole && head.has_uvs)
        sn_mesh_builder_uv_vertices(&i->builder);
    return SN_OK;
}

/* Where there are as many vertices as corners these are Assimp's own, not the file's. */
static void weld(sn_mesh_builder *builder)
{
    if (builder->corner.count == builder->vertex.count)
        sn_mesh_builder_weld_corners(builder);
    else
        sn_mesh_builder_weld_split(builder);
}

sn_status sn_mesh_read_assimp(const char *path, sn_mesh *mesh)
{
    *mesh = (sn_mesh){0};
    SN_TRY(sn_whole_file_check(path));
import i = {.builder = sn_mesh_builder_open(path, SN_PLACE_NONE, 0) };
    SN_TRY(sn_import_child_start(SN_IMPORT_MESH, path, "mesh", (const char *[2]){0}, &i.child));
    bool whole = true;
    sn_status status = receive_mesh(&i, &whole);
    status = sn_import_child_end(&i.child, status, whole);
    if (status == SN_OK)
        weld(&i.builder);
    return sn_mesh_builder_finish(&i.builder, status, mesh);
}
