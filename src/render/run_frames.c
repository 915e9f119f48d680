#include "render/run_frames.h"

#include "io/frames/frame_set.h"

#include "base/array.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

sn_status sn_frame_list_read(MPI_Comm comm, const char *run_dir, sn_frame_list *list)
{
    *list = (sn_frame_list){0};
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_status status = rank == 0 ? sn_surface_frames_list(run_dir, &list->number, &list->n) : SN_OK;
    if (rank == 0 && status == SN_OK && list->n == 0)
        status =
            SN_FAIL(SN_BAD_INPUT, "%.300s: there are no frames here (surface_0001.* ...)", run_dir);
    SN_TRY(sn_agree(comm, status));
    MPI_Bcast(&list->n, 1, MPI_INT, 0, comm);
    if (rank != 0)
        list->number = SN_NEW(int, list->n);
    MPI_Bcast(list->number, list->n, MPI_INT, 0, comm);
    return SN_OK;
}

void sn_frame_list_free(sn_frame_list *list)
{
    sn_free(list->number);
    *list = (sn_frame_list){0};
}

/* ---- Which are wanted ---- */

/* The first frame of a range that the scene would have written and that is not there. */
static bool find_missing(const sn_frame_list *there, const sn_scene *scene, int first, int last,
                         int *missing)
{
    int i = 0, every = first == last ? 1 : scene->output.every;
    for (int frame = first; frame <= last; frame++) {
        while (i < there->n && there->number[i] < frame)
            i++;
        *missing = frame;
        bool is_there = i < there->n && there->number[i] == frame;
        if (!is_there && (frame - scene->frames.first) % every == 0)
            return true;
    }
    return false;
}

/* An end that is left out is that of the frames that are there. */
static sn_status check_there(const sn_frame_list *there, const sn_scene *scene, const char *wanted)
{
    int first, last, missing;
    SN_TRY(sn_frame_set_check("render", wanted));
    for (const char *at = wanted; (at = sn_frame_set_next(at, &first, &last));) {
        first = first == INT_MIN ? there->number[0] : first;
        last = last == INT_MAX ? there->number[there->n - 1] : last;
        if (find_missing(there, scene, first, last, &missing))
            return SN_FAIL(SN_BAD_INPUT, "render: frame %d is not in the run directory", missing);
    }
    return SN_OK;
}

sn_status sn_frame_list_choose(const sn_frame_list *there, const sn_scene *scene,
                               const char *wanted, sn_frame_list *chosen)
{
    *chosen = (sn_frame_list){.number = SN_NEW(int, there->n)};
    sn_status status = check_there(there, scene, wanted);
    for (int i = 0; i < there->n && status == SN_OK; i++)
        if (sn_frame_set_has(wanted, there->number[i]))
            chosen->number[chosen->n++] = there->number[i];
    if (status == SN_OK && chosen->n == 0)
        status = SN_FAIL(SN_BAD_INPUT, "render: none of the frames %.100s was written", wanted);
    if (status != SN_OK)
        sn_frame_list_free(chosen);
    return status;
}

/* ---- A frame as meshes ---- */

/* Fans around the faces' first corners. */
static sn_mesh mesh_of(const sn_surface_frame *frame, const sn_surface_body_range *range)
{
    const int64_t *start = frame->first_corner + range->first_face;
    int64_t corners = start[range->n_faces] - start[0];
    sn_mesh mesh = {.n_vertices = range->n_points,
                    .vertex = SN_NEW(double[3], range->n_points),
                    .triangle = SN_NEW(int32_t[3], corners)};
    if (range->n_points > 0)
        memcpy(mesh.vertex, frame->point + range->first_point,
               (size_t)range->n_points * sizeof *mesh.vertex);
    for (int64_t f = 0; f < range->n_faces; f++)
        for (int64_t c = start[f] + 1; c + 1 < start[f + 1]; c++) {
            int64_t corner[3] = {start[f], c, c + 1};
            for (int i = 0; i < 3; i++)
                mesh.triangle[mesh.n_triangles][i] =
                    (int32_t)(frame->corner[corner[i]] - range->first_point);
            mesh.n_triangles++;
        }
    return mesh;
}

/* Whether faces use points of their own body only, as few as meshes can have. */
static bool is_sound(const sn_surface_frame *frame, const sn_surface_body_range *range)
{
    int64_t low = range->first_point, high = low + range->n_points;
    bool sound = range->n_points <= INT32_MAX;
    for (int64_t c = frame->first_corner[range->first_face];
         c < frame->first_corner[range->first_face + range->n_faces]; c++)
        sound = sound && low <= frame->corner[c] && frame->corner[c] < high;
    return sound;
}

sn_status sn_frame_meshes_read(const char *run_dir, int frame, sn_frame_meshes *meshes)
{
    sn_surface_frame surface;
    SN_TRY(sn_surface_frame_read(run_dir, frame, &surface));
    *meshes = (sn_frame_meshes){SN_NEW_ZERO(sn_mesh, surface.n_bodies), surface.n_bodies, NULL};
    sn_status status = SN_OK;
    for (int b = 0; b < surface.n_bodies && status == SN_OK; b++)
        if (is_sound(&surface, &surface.body[b]))
            meshes->body[b] = mesh_of(&surface, &surface.body[b]);
        else
            status = SN_FAIL(SN_BAD_INPUT,
                             "%.300s: frame %d: body '%.80s' has faces with points "
                             "that are not its own",
                             run_dir, frame, surface.body[b].name);
    sn_surface_frame_free(&surface);
    if (status != SN_OK)
        sn_frame_meshes_free(meshes);
    return status;
}

void sn_frame_meshes_free(sn_frame_meshes *meshes)
{
    for (int b = 0; b < meshes->n_bodies; b++)
        sn_mesh_free(&meshes->body[b]);
    for (int b = 0; b < meshes->n_bodies && meshes->value; b++)
        sn_free(meshes->value[b]);
    sn_free(meshes->value);
    sn_free(meshes->body);
    *meshes = (sn_frame_meshes){0};
}
