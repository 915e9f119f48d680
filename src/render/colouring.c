#include "render/colouring.h"

#include "io/frames/frame_fields.h"
#include "io/frames/octree_read.h"
#include "io/frames/surface_write.h"
#include "io/text/name_list.h"
#include "render/cell_mesh.h"

#include <math.h>
#include <string.h>

/* ---- Which there are ---- */

static bool has_field(const char *run_dir, const char *kind, int frame, const char *name,
                      sn_name_list *names)
{
    sn_frame_fields fields;
    if (sn_frame_fields_open(run_dir, kind, frame, &fields) != SN_OK)
        return false;
    bool surface = strcmp(kind, SN_SURFACE_FRAMES) == 0;
    const sn_frame_field *field = sn_frame_fields_find(&fields, name);
    for (size_t i = 0; i < fields.list.count; i++)
        if ((!surface || fields.list.data[i].of_points) &&
            !strstr(names->text, fields.list.data[i].name))
            sn_name_list_add(names, fields.list.data[i].name);
    bool found = field && (!surface || field->of_points);
    sn_frame_fields_close(&fields);
    return found;
}

static sn_status find(const char *run_dir, int frame, sn_colouring *c)
{
    sn_name_list names = {{0}};
    if (has_field(run_dir, SN_SURFACE_FRAMES, frame, c->field, &names))
        return SN_OK;
    c->in_cells = has_field(run_dir, SN_OCTREE_FRAMES, frame, c->field, &names);
    if (c->in_cells)
        return SN_OK;
    return SN_FAIL(SN_BAD_INPUT,
                   "render: frame %d has no field '%.60s'; %s%s (output.fields says what frames "
                   "have)",
                   frame, c->field, names.text[0] ? "there is " : "there is none", names.text);
}

sn_status sn_colouring_find(MPI_Comm comm, const char *run_dir, int frame, const char *field,
                            sn_colouring *c)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    *c = (sn_colouring){.field = field, .low = NAN, .high = NAN};
    SN_TRY(sn_agree(comm, rank == 0 && field ? find(run_dir, frame, c) : SN_OK));
    MPI_Bcast(&c->in_cells, sizeof c->in_cells, MPI_BYTE, 0, comm);
    return SN_OK;
}

/* ---- Values ---- */

static sn_status read_values(const sn_colouring *c, const char *run_dir, const char *kind,
                             int frame, float **values, int64_t *n, bool *of_points)
{
    sn_frame_fields fields;
    SN_TRY(sn_frame_fields_open(run_dir, kind, frame, &fields));
    const sn_frame_field *field = sn_frame_fields_find(&fields, c->field);
    sn_status status;
    if (field) {
        *n = field->rows;
        *of_points = field->of_points;
        status = sn_frame_field_sizes(&fields, field, values);
    } else
        status = SN_FAIL(SN_BAD_INPUT, "%.300s: frame %d has no field '%.60s'", run_dir, frame,
                         c->field);
    sn_frame_fields_close(&fields);
    return status;
}

static sn_status wrong_number(const char *run_dir, int frame, const char *field)
{
    return SN_FAIL(SN_BAD_INPUT, "%.300s: frame %d: field '%.60s' has not a value for each",
                   run_dir, frame, field);
}

/* Points of all bodies stand one after another, as values do. */
static sn_status add_surface_values(const sn_colouring *c, const char *run_dir, int frame,
                                    sn_frame_meshes *meshes)
{
    float *values = NULL;
    int64_t n = 0, points = 0;
    bool of_points = false;
    for (int b = 0; b < meshes->n_bodies; b++)
        points += meshes->body[b].n_vertices;
    SN_TRY(read_values(c, run_dir, SN_SURFACE_FRAMES, frame, &values, &n, &of_points));
    if (n != points || !of_points) {
        sn_free(values);
        return wrong_number(run_dir, frame, c->field);
    }
    meshes->value = SN_NEW_ZERO(float *, meshes->n_bodies);
    for (int64_t b = 0, first = 0; b < meshes->n_bodies; first += meshes->body[b++].n_vertices) {
        meshes->value[b] = SN_NEW(float, meshes->body[b].n_vertices + 1);
        memcpy(meshes->value[b], values + first,
               (size_t)meshes->body[b].n_vertices * sizeof *values);
    }
    sn_free(values);
    return SN_OK;
}

static sn_status make_cells(const sn_colouring *c, const char *run_dir, int frame,
                            const sn_octree_frame *octree, sn_frame_meshes *meshes)
{
    float *values = NULL;
    int64_t n = 0;
    bool of_points = false;
    SN_TRY(read_values(c, run_dir, SN_OCTREE_FRAMES, frame, &values, &n, &of_points));
    bool fits = n == (of_points ? octree->n_points : octree->n_cells);
    if (fits) {
        *meshes = (sn_frame_meshes){SN_NEW_ZERO(sn_mesh, 1), 1, SN_NEW_ZERO(float *, 1)};
        sn_cell_mesh(octree, values, of_points, &meshes->body[0], &meshes->value[0]);
    }
    sn_free(values);
    return fits ? SN_OK : wrong_number(run_dir, frame, c->field);
}

sn_status sn_coloured_meshes_read(const sn_colouring *c, const char *run_dir, int frame,
                                  sn_frame_meshes *meshes)
{
    sn_status status;
    if (c->field && c->in_cells) {
        sn_octree_frame octree;
        SN_TRY(sn_octree_frame_read(run_dir, frame, &octree));
        status = make_cells(c, run_dir, frame, &octree, meshes);
        sn_octree_frame_free(&octree);
        return status;
    }
    SN_TRY(sn_frame_meshes_read(run_dir, frame, meshes));
    status = c->field ? add_surface_values(c, run_dir, frame, meshes) : SN_OK;
    if (status != SN_OK)
        sn_frame_meshes_free(meshes);
    return status;
}

/* ---- Colours ---- */

void sn_colouring_widen(sn_colouring *c, const sn_frame_meshes *meshes)
{
    for (int b = 0; b < meshes->n_bodies && meshes->value; b++)
        for (int64_t v = 0; v < meshes->body[b].n_vertices; v++) {
            double value = (double)meshes->value[b][v];
            if (!isfinite(value))
                continue;
            c->low = fmin(c->low, value); /* of a number and NAN the number */
            c->high = fmax(c->high, value);
        }
}

void sn_colouring_unite(MPI_Comm comm, sn_colouring *c)
{
    double ends[2] = {isnan(c->low) ? -INFINITY : -c->low, isnan(c->high) ? -INFINITY : c->high};
    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, comm);
    bool any = isfinite(ends[0]) && isfinite(ends[1]);
    c->low = any ? -ends[0] : 0;
    c->high = any && ends[1] > c->low ? ends[1] : c->low + 1;
}

sn_colour *sn_colouring_colours(const sn_colouring *c, const float *values, int64_t n)
{
    sn_colour *colours = SN_NEW(sn_colour, n + 1);
    for (int64_t i = 0; i < n; i++)
        colours[i] = sn_value_colour(((double)values[i] - c->low) / (c->high - c->low));
    return colours;
}
