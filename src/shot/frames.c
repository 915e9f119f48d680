#include "shot/frames.h"

#include "base/array.h"

void sn_shot_frames_create(sn_shot *shot, sn_shot_frames *frames)
{
    const sn_scene *scene = shot->scene;
    int n = (int)scene->bodies.count;
    *frames = (sn_shot_frames){shot, sn_scene_text(scene), SN_NEW(sn_surface_body, n), {0}, {0}};
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
    if (scene->output.octree)
        sn_cells_create(&shot->model.forest.level[0], &frames->cells);
}

void sn_shot_frames_free(sn_shot_frames *frames)
{
    sn_free(frames->scene);
    sn_free(frames->body);
    sn_cells_free(&frames->cells);
    *frames = (sn_shot_frames){0};
}

static sn_status write_cells(const sn_shot_frames *frames, int frame)
{
    enum { PATH_BYTES = 4096 };
    const sn_surface_source *surface = &frames->surface;
    sn_frame_about about = {frame, sn_surface_time(surface, frame), surface->fps, frames->scene};
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/" SN_CELLS_FILE_FORMAT, surface->run_dir, frame);
    return sn_cells_write(&frames->cells, frames->shot, path, &about);
}

sn_status sn_shot_frames_write(const sn_shot_frames *frames, int frame)
{
    const sn_scene *scene = frames->shot->scene;
    if ((frame - scene->frames.first) % scene->output.every != 0)
        return SN_OK;
    if (scene->output.octree)
        SN_TRY(write_cells(frames, frame));
    return sn_surface_write(&frames->surface, frame, (const double(*)[3])frames->shot->vertex);
}
