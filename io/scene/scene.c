#include "io/scene/scene.h"

#include "base/log.h"
#include "io/scene/schema.h"
#include "io/text/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILE_BYTES = 1 << 26 };

/* Collective: the bytes of the file on every rank. */
static sn_status share_file(MPI_Comm comm, const char *path, sn_whole_file *text)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_status status = SN_OK;
    if (rank == 0)
        status = sn_whole_file_read_up_to(path, MOST_FILE_BYTES, text);
    SN_TRY(sn_agree(comm, status));
    int bytes = (int)text->bytes;
    MPI_Bcast(&bytes, 1, MPI_INT, 0, comm);
    if (rank != 0)
        *text = (sn_whole_file){SN_NEW(char, bytes + 1), (size_t)bytes};
    MPI_Bcast(text->data, bytes + 1, MPI_BYTE, 0, comm);
    return SN_OK;
}

static sn_status parse(sn_yaml_tree *tree, const sn_whole_file *text, sn_origin *origin,
                       sn_yaml **root)
{
    sn_yaml_error error;
    if (!sn_yaml_parse(tree, text->data, text->bytes, 0, root, &error))
        return sn_origin_fail_at(origin, error.place, "", "%s", error.message);
    if (!*root || sn_yaml_is_null(*root))
        return sn_origin_fail_at(origin, (sn_text_place){1, 1, 0}, "",
                                 "the file is empty, expected a scene with at least \"bodies\"");
    return SN_OK;
}

static sn_status read_tree(sn_yaml_tree *tree, const sn_whole_file *text, sn_scene *scene)
{
    sn_yaml *root;
    SN_TRY(parse(tree, text, &scene->origin, &root));
    SN_TRY(sn_scene_override(tree, root, &scene->origin));
    scene->multigrid = SN_MULTIGRID_DEFAULTS; /* most of it has no key */
    SN_TRY(sn_section_read(&sn_scene_section, root, &scene->origin, scene));
    return sn_scene_complete(scene);
}

static void start_origin(sn_origin *origin, const char *path, const char *const *overrides,
                         int n_overrides)
{
    origin->file = sn_copy_text(path);
    for (int i = 0; i < n_overrides; i++)
        sn_push(&origin->overrides, ((sn_override){sn_copy_text(overrides[i]), NULL}));
}

sn_status sn_scene_read(MPI_Comm comm, const char *path, const char *const *overrides,
                        int n_overrides, sn_scene *scene)
{
    memset(scene, 0, sizeof *scene);
    sn_whole_file text = {0};
    sn_status status = share_file(comm, path, &text);
    if (status == SN_OK) {
        sn_yaml_tree tree = {0};
        start_origin(&scene->origin, path, overrides, n_overrides);
        status = sn_agree(comm, read_tree(&tree, &text, scene));
        sn_yaml_tree_free(&tree);
    }
    sn_whole_file_free(&text);
    if (status != SN_OK)
        sn_scene_free(scene);
    return status;
}

sn_status sn_scene_read_text(const char *name, const char *text, size_t n, sn_scene *scene)
{
    memset(scene, 0, sizeof *scene);
    sn_whole_file copy = {SN_NEW_ZERO(char, n + 1), n};
    memcpy(copy.data, text, n);
    sn_yaml_tree tree = {0};
    start_origin(&scene->origin, name, NULL, 0);
    sn_status status = read_tree(&tree, &copy, scene);
    sn_yaml_tree_free(&tree);
    sn_whole_file_free(&copy);
    if (status != SN_OK)
        sn_scene_free(scene);
    return status;
}

void sn_scene_free(sn_scene *scene)
{
    sn_origin_free(&scene->origin);
    sn_section_free(&sn_scene_section, scene);
}

void sn_scene_write(const sn_scene *scene, FILE *out)
{
    sn_section_write(&sn_scene_section, scene, out);
}

char *sn_scene_text(const sn_scene *scene)
{
    char *text = NULL;
    size_t count = 0;
    FILE *out = open_memstream(&text, &count);
    if (out)
        sn_section_write(&sn_scene_section, scene, out);
    bool whole = out && !ferror(out);
    if (!out || fclose(out) != 0 || !whole)
        sn_abort(SN_MACHINE, __FILE__, __LINE__, "out of memory for the text of a scene");
    char *copy = sn_copy_text(text);
    free(text);
    return copy;
}

void sn_scene_describe(FILE *out)
{
    fputs(
        "# Lengths and masses are in units of your choice, times in seconds; force is mass times\n"
        "# length per second squared. The defaults suit metres and kilograms.\n",
        out);
    sn_section_describe(&sn_scene_section, out);
}

sn_status sn_scene_describe_part(const char *path, FILE *out)
{
    return sn_section_describe_part(&sn_scene_section, path, out);
}
