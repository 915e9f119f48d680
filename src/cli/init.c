#include "init/init.h"

#include "cli/arguments.h"
#include "cli/command.h"

#include "io/text/utf8.h"

#include <stddef.h>
#include <string.h>

typedef struct {
    const char *character, *motion;
} init_arguments;

#define TO(member) offsetof(init_arguments, member)

static sn_status run(MPI_Comm comm, void *arguments);

static const sn_command_line line = {
    .name = "init",
    .usage = "sinew init CHARACTER [MOTION] > SCENE.yaml",
    .about =
        "Writes a scene to begin with for a character's mesh, in any format, to standard output:\n"
        "commented, with a cell that suits its thin parts, stiffness and gravity in its unit,\n"
        "bones, a floor, a camera, and what it will cost. Bones are those of the character, a "
        "glTF\n"
        "file with a skin, or else of the motion, BVH or glTF, which moves them in either case. "
        "Files are named as given, so keep the scene\n"
        "in the folder that you start this from.",
    .plain = "character",
    .plain_to = TO(character),
    .second = "motion",
    .second_to = TO(motion),
    .act = run,
};

static sn_status write_scene(const init_arguments *a, const sn_survey *survey)
{
    sn_init_rig rig;
    int up = sn_init_axis_up(a->character, survey);
    SN_TRY(sn_init_rig_find(a->character, a->motion, survey, up, &rig));
    sn_init_write(stdout, a->character, survey, &rig);
    return SN_OK;
}

/* Scenes are texts of visible characters, and so are names in them. */
static sn_status check_name(const char *path)
{
    if (!path || sn_utf8_span(path, strlen(path), "") == strlen(path))
        return SN_OK;
    return SN_FAIL(SN_BAD_INPUT, "init: a scene cannot name a file with control characters, or "
                                 "bytes that are not UTF-8, in its name: rename it");
}

static sn_status run(MPI_Comm comm, void *arguments)
{
    const init_arguments *a = arguments;
    int rank;
    sn_survey survey;
    MPI_Comm_rank(comm, &rank);
    SN_TRY(sn_require_plain(&line, a->character));
    SN_TRY(check_name(a->character));
    SN_TRY(check_name(a->motion));
    SN_TRY(sn_survey_file(comm, a->character, &survey));
    return sn_agree(comm, rank == 0 ? write_scene(a, &survey) : SN_OK);
}

sn_status sn_command_init(MPI_Comm comm, int argc, char **argv)
{
    init_arguments arguments = {0};
    return sn_command_line_run(&line, comm, argc, argv, &arguments);
}
