#include "io/mesh/read.h"

#include "io/mesh/formats.h"
#include "io/text/whole_file.h"

#include <assimp/cimport.h>
#include <string.h>
#include <strings.h>

typedef sn_status parser(const char *text, size_t bytes, const char *name, sn_mesh *mesh);

static const struct {
    const char *extension;
    parser *parse;
} own_formats[] = {
    {".obj", sn_mesh_parse_obj},
    {".ply", sn_mesh_parse_ply},
    {".stl", sn_mesh_parse_stl},
};

/* From the last dot of the file's name; "" if it has none. */
static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot : "";
}

static parser *own_parser(const char *extension)
{
    for (size_t i = 0; i < sizeof own_formats / sizeof *own_formats; i++)
        if (strcasecmp(extension, own_formats[i].extension) == 0)
            return own_formats[i].parse;
    return NULL;
}

bool sn_is_plain_mesh_file(const char *path)
{
    return own_parser(extension_of(path));
}

static bool is_gltf(const char *extension)
{
    return strcasecmp(extension, ".gltf") == 0 || strcasecmp(extension, ".glb") == 0;
}

static sn_status parse_whole(const char *path, parser *parse, sn_mesh *mesh)
{
    sn_whole_file file;
    SN_TRY(sn_whole_file_read(path, &file));
    sn_status status = parse(file.data, file.bytes, path, mesh);
    sn_whole_file_free(&file);
    return status;
}

sn_status sn_mesh_read(const char *path, sn_mesh *mesh)
{
    *mesh = (sn_mesh){0};
    const char *extension = extension_of(path);
    parser *parse = own_parser(extension);
    if (parse)
        return parse_whole(path, parse, mesh);
    if (is_gltf(extension))
        return sn_mesh_read_gltf(path, mesh);
    SN_TRY(sn_whole_file_check(path));
    if (*extension == '\0' || !aiIsExtensionSupported(extension))
        return SN_FAIL(SN_BAD_INPUT, "%s: unknown mesh format \"%s\"", path, extension);
    return sn_mesh_read_assimp(path, mesh);
}
