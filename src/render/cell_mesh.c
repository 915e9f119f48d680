#include "render/cell_mesh.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { FACES = 6, SIDES = 4 };

/* Around each face, seen from outside, in VTK's corners. */
static const int FACE[FACES][SIDES] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                       {2, 3, 7, 6}, {1, 2, 6, 5}, {0, 4, 7, 3}};

typedef struct {
    int64_t corner[SIDES]; /* ascending: what two cells that share it have in common */
    int64_t cell;
    int face;
} cell_face;

static int compare_corners(const cell_face *a, const cell_face *b)
{
    for (int i = 0; i < SIDES; i++)
        if (a->corner[i] != b->corner[i])
            return a->corner[i] < b->corner[i] ? -1 : 1;
    return 0;
}

static int compare_faces(const void *a, const void *b)
{
    const cell_face *x = a, *y = b;
    int order = compare_corners(x, y);
    return order ? order : (x->cell > y->cell) - (x->cell < y->cell);
}

static cell_face face_of(const sn_octree_frame *frame, int64_t cell, int face)
{
    cell_face f = {.cell = cell, .face = face};
    for (int i = 0; i < SIDES; i++) {
        int64_t corner = frame->corner[cell][FACE[face][i]];
        int at = i;
        for (; at > 0 && f.corner[at - 1] > corner; at--)
            f.corner[at] = f.corner[at - 1];
        f.corner[at] = corner;
    }
    return f;
}

/* Sorted, so that shared ones are neighbours. */
static cell_face *all_faces(const sn_octree_frame *frame)
{
    cell_face *face = SN_NEW(cell_face, FACES * frame->n_cells + 1);
    for (int64_t i = 0; i < frame->n_cells; i++)
        for (int f = 0; f < FACES; f++)
            face[FACES * i + f] = face_of(frame, i, f);
    if (frame->n_cells > 0)
        qsort(face, (size_t)(FACES * frame->n_cells), sizeof *face, compare_faces);
    return face;
}

static void add_face(const sn_octree_frame *frame, const cell_face *face, const float *value,
                     bool of_points, sn_mesh *mesh, float *vertex_value)
{
    int32_t first = (int32_t)mesh->n_vertices;
    for (int i = 0; i < SIDES; i++) {
        int64_t point = frame->corner[face->cell][FACE[face->face][i]];
        vertex_value[mesh->n_vertices] = value[of_points ? point : face->cell];
        for (int d = 0; d < 3; d++)
            mesh->vertex[mesh->n_vertices][d] = (double)frame->point[point][d];
        mesh->n_vertices++;
    }
    int32_t two[2][3] = {{first, first + 1, first + 2}, {first, first + 2, first + 3}};
    memcpy(mesh->triangle[mesh->n_triangles], two, sizeof two);
    mesh->n_triangles += 2;
}

void sn_cell_mesh(const sn_octree_frame *frame, const float *value, bool of_points, sn_mesh *mesh,
                  float **vertex_value)
{
    cell_face *face = all_faces(frame);
    int64_t n = FACES * frame->n_cells;
    *mesh = (sn_mesh){.vertex = SN_NEW(double[3], SIDES *n + 1),
                      .triangle = SN_NEW(int32_t[3], 2 * n + 1)};
    *vertex_value = SN_NEW(float, SIDES *n + 1);
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && compare_corners(&face[i], &face[end]) == 0;)
            end++;
        if (end == i + 1)
            add_face(frame, &face[i], value, of_points, mesh, *vertex_value);
    }
    sn_free(face);
}
