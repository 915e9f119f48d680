#include "run/missing.h"

#include "io/frames/files.h"
#include "io/frames/surface_write.h"
#include "run/directory.h"
#include "shot/output/frames.h"

#include <unistd.h>

static void add_if_missing(const sn_scene *scene, const char *kind, int frame, sn_name_list *list)
{
    sn_frame_file file = sn_frame_file_of(kind, frame);
    if (access(sn_run_file(scene, file.text).path, F_OK) != 0)
        sn_name_list_add(list, file.text);
}

sn_name_list sn_missing_files(const sn_scene *scene, int after, int upto)
{
    sn_name_list list = {{0}};
    int first = scene->frames.first, least = first;
    if (scene->output.preroll)
        least = sn_frames_start(&scene->frames);
    for (int frame = after + 1 > least ? after + 1 : least; frame <= upto; frame++) {
        if ((frame - first) % scene->output.every != 0)
            continue;
        add_if_missing(scene, SN_SURFACE_FRAMES, frame, &list);
        if (scene->output.octree)
            add_if_missing(scene, SN_OCTREE_FRAMES, frame, &list);
    }
    return list;
}
