#include "shot/frames.h"

#include "base/array.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

/* The text of scene.yaml; memory is all that this can run out of. */
static char *scene_text(const sn_scene *scene)
{
    char *written = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&written, &bytes);
    if (!stream || sn_scene_write(scene, stream) != SN_OK || fclose(stream) != 0)
        sn_abort(SN_MACHINE, __FILE__, __LINE__, "out of memory: the text of the scene");
    char *text = SN_NEW(char, bytes + 1);
    memcpy(text, written, bytes + 1);
    free(written);
    return text;
}

void sn_shot_frames_create(const sn_shot *shot, sn_shot_frames *frames)
{
    const sn_scene *scene = shot->scene;
    int n = (int)scene->bodies.count;
    *frames = (sn_shot_frames){shot, scene_text(scene), SN_NEW(sn_surface_body, n), {0}};
    for (int b = 0; b < n; b++)
        frames->body[b] = (sn_surface_body){scene->bodies.data[b].name, shot->model.solid[b].mesh};
    frames->surface = (sn_surface_source){.comm = shot->embedding.tree->comm,
                                          .run_dir = scene->output.dir,
                                          .scene = frames->scene,
                                          .first_frame = scene->frames.first,
                                          .fps = scene->frames.fps,
                                          .body = frames->body,
                                          .n_bodies = n,
                                          .vertex = shot->embedding.vertex,
                                          .n = shot->embedding.n};
}

void sn_shot_frames_free(sn_shot_frames *frames)
{
    sn_free(frames->scene);
    sn_free(frames->body);
    *frames = (sn_shot_frames){0};
}

sn_status sn_shot_frames_write(const sn_shot_frames *frames, int frame)
{
    const sn_scene *scene = frames->shot->scene;
    if ((frame - scene->frames.first) % scene->output.every != 0)
        return SN_OK;
    return sn_surface_write(&frames->surface, frame, (const double(*)[3])frames->shot->vertex);
}
