#include "render/picture.h"

#include "base/vec3.h"
#include "render/normals.h"
#include "render/parts.h"

#include <assert.h>
#include <string.h>

sn_picture *sn_picture_create(int width, int height, const sn_camera *camera,
                              sn_background background)
{
    assert(width > 0 && height > 0);
    sn_picture *picture = SN_NEW_ZERO(sn_picture, 1);
    picture->width = width;
    picture->height = height;
    picture->view = sn_view_of(camera, width, height);
    picture->background = background;
    return picture;
}

void sn_picture_free(sn_picture *picture)
{
    if (!picture)
        return;
    for (size_t m = 0; m < picture->mesh.count; m++) {
        sn_free(picture->mesh.data[m].vertex);
        sn_free(picture->mesh.data[m].normal);
        sn_free(picture->mesh.data[m].triangle);
        sn_free(picture->mesh.data[m].vertex_light);
    }
    sn_vector_free(&picture->mesh);
    sn_vector_free(&picture->box);
    sn_free(picture);
}

void sn_picture_cut(sn_picture *picture, int axis, double offset)
{
    const sn_view *view = &picture->view;
    float in_view = (float)((offset - view->centre[axis]) * view->scale);
    float eye_above = view->perspective ? sn_component3(view->eye, axis) - in_view
                                        : sn_component3(view->back, axis);
    picture->plane = (sn_cutting_plane){.present = true,
                                        .keeps_above = eye_above < 0,
                                        .axis = axis,
                                        .scene_offset = offset,
                                        .offset = in_view};
}

/* ---- Meshes ---- */

/* Numbers the vertices that the triangles use, from 0; the others get SN_NONE. */
static int32_t *number_used_vertices(const sn_mesh *mesh, int64_t first, int64_t count,
                                     int64_t *n_used)
{
    int32_t *number = SN_NEW(int32_t, mesh->n_vertices);
    memset(number, 0xff, (size_t)mesh->n_vertices * sizeof *number);
    int32_t next = 0;
    for (int64_t t = first; t < first + count; t++)
        for (int c = 0; c < 3; c++)
            if (number[mesh->triangle[t][c]] < 0)
                number[mesh->triangle[t][c]] = next++;
    *n_used = next;
    return number;
}

static void copy_vertices(sn_mesh_part *part, const sn_view *view, const sn_mesh *mesh,
                          const int32_t *number)
{
    part->vertex = SN_NEW_ZERO(sn_vector3, part->n_vertices + SN_EMBREE_PADDING);
    for (int64_t v = 0; v < mesh->n_vertices; v++)
        if (number[v] >= 0)
            part->vertex[number[v]] = sn_view_point(view, mesh->vertex[v]);
}

static void copy_triangles(sn_mesh_part *part, const sn_mesh *mesh, int64_t first,
                           const int32_t *number)
{
    part->triangle = SN_NEW_ZERO(uint32_t[3], part->n_triangles + SN_EMBREE_PADDING);
    for (int64_t t = 0; t < part->n_triangles; t++)
        for (int c = 0; c < 3; c++)
            part->triangle[t][c] = (uint32_t)number[mesh->triangle[first + t][c]];
}

static void copy_colours(sn_mesh_part *part, const sn_mesh *mesh, const sn_colour *of_vertex,
                         const int32_t *number)
{
    part->vertex_light = SN_NEW(sn_vector3, part->n_vertices);
    for (int64_t v = 0; v < mesh->n_vertices; v++)
        if (number[v] >= 0)
            part->vertex_light[number[v]] = sn_colour_to_light(of_vertex[v]);
}

void sn_picture_add_mesh(sn_picture *picture, const sn_mesh *mesh, int64_t first, int64_t count,
                         const sn_mesh_look *look)
{
    assert(first >= 0 && count >= 0 && first + count <= mesh->n_triangles);
    if (count <= 0)
        return;
    sn_mesh_part part = {.n_triangles = count,
                         .light = sn_colour_to_light(look->colour),
                         .substance = look->substance,
                         .cut = look->cut && picture->plane.present};
    int32_t *number = number_used_vertices(mesh, first, count, &part.n_vertices);
    copy_vertices(&part, &picture->view, mesh, number);
    copy_triangles(&part, mesh, first, number);
    if (look->of_vertex)
        copy_colours(&part, mesh, look->of_vertex, number);
    part.normal = sn_corner_normals(mesh, first, count, number, part.n_vertices);
    sn_push(&picture->mesh, part);
    sn_free(number);
}

void sn_picture_set_ground(sn_picture *picture, const sn_ground *ground)
{
    const sn_view *view = &picture->view;
    sn_vec normal = sn_vec_unit(sn_vec_load(ground->normal));
    picture->ground = (sn_ground_part){
        .present = true,
        .point = sn_view_point(view, ground->middle),
        .normal = {(float)normal.x, (float)normal.y, (float)normal.z},
        .reach = (float)(ground->reach * view->scale),
    };
}

/* ---- Cells ---- */

static sn_picture_box box_of(const sn_view *view, const sn_cell *cell)
{
    double max[3];
    for (int d = 0; d < 3; d++)
        max[d] = cell->min[d] + cell->edge;
    sn_vector3 low = sn_view_point(view, cell->min), high = sn_view_point(view, max);
    return (sn_picture_box){.min = {low.x, low.y, low.z},
                            .max = {high.x, high.y, high.z},
                            .edge = (float)(cell->edge * view->scale),
                            .colour = cell->colour};
}

static bool plane_cuts(const sn_cutting_plane *plane, const sn_cell *cell)
{
    double low = cell->min[plane->axis];
    return plane->present && low <= plane->scene_offset && plane->scene_offset < low + cell->edge;
}

void sn_picture_add_sections(sn_picture *picture, const sn_cell *cell, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (!plane_cuts(&picture->plane, &cell[i]))
            continue;
        sn_picture_box flat = box_of(&picture->view, &cell[i]);
        flat.min[picture->plane.axis] = flat.max[picture->plane.axis] = picture->plane.offset;
        sn_push(&picture->box, flat);
    }
}
