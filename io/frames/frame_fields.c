#include "io/frames/frame_fields.h"

#include "io/frames/files.h"
#include "io/text/utf8.h"
#include "io/text/whole_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096 };
static const char *const GROUPS[] = {"/VTKHDF/CellData", "/VTKHDF/PointData"};

typedef struct {
    sn_frame_fields *fields;
    bool of_points;
} gathering;

/* A field's place in the file. */
typedef struct {
    char text[SN_FIELD_NAME_BYTES + 32];
} inside;

static inside place_of(bool of_points, const char *name)
{
    inside path;
    snprintf(path.text, sizeof path.text, "%s/%s", GROUPS[of_points], name);
    return path;
}

static bool has_numbers(hid_t set)
{
    hid_t type = H5Dget_type(set);
    H5T_class_t class = H5Tget_class(type);
    H5Tclose(type);
    return class == H5T_FLOAT || class == H5T_INTEGER;
}

/* Fields of later versions may have other units, or none: they only go on to the reader. */
static void take_units(sn_frame_fields *f, const char *place, sn_frame_field *field)
{
    char *text = NULL;
    if (!sn_h5_has_attribute(&f->source, place, "units") ||
        sn_h5_read_attribute_text(&f->source, place, "units", &text) != SN_OK)
        return;
    size_t length = strlen(text);
    if (length < sizeof field->units && sn_utf8_span(text, length, "") == length)
        memcpy(field->units, text, length + 1);
    sn_free(text);
}

static bool look_at(sn_frame_fields *f, sn_frame_field *field)
{
    inside place = place_of(field->of_points, field->name);
    hid_t set = H5Dopen2(f->source.file, place.text, H5P_DEFAULT);
    if (set < 0)
        return false;
    field->rows = sn_h5_rows_of(set, field->columns = 0);
    if (field->rows < 0)
        field->rows = sn_h5_rows_of(set, field->columns = SN_FIELD_COLUMNS);
    bool good =
        field->rows >= 0 && has_numbers(set) && sn_h5_has_room(set, field->columns, field->rows);
    H5Dclose(set);
    if (good)
        take_units(f, place.text, field);
    return good;
}

static herr_t add_field(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    (void)group, (void)info;
    const gathering *g = context;
    sn_frame_field field = {.of_points = g->of_points};
    size_t length = strlen(name);
    if (length >= sizeof field.name || sn_utf8_span(name, length, "") != length)
        return 0;
    memcpy(field.name, name, length + 1);
    if (look_at(g->fields, &field))
        sn_push(&g->fields->list, field);
    return 0;
}

/* Links to other files are not followed: H5Dopen2 would, so only hard links are looked at. */
static herr_t add_own_field(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    return info->type == H5L_TYPE_HARD ? add_field(group, name, info, context) : 0;
}

static bool gather(sn_frame_fields *f, bool of_points)
{
    gathering g = {f, of_points};
    hid_t group = H5Gopen2(f->source.file, GROUPS[of_points], H5P_DEFAULT);
    if (group < 0)
        return false;
    bool done = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_own_field, &g) >= 0;
    H5Gclose(group);
    return done;
}

sn_status sn_frame_fields_open(const char *run_dir, const char *kind, int frame, sn_frame_fields *f)
{
    char path[PATH_BYTES];
    *f = (sn_frame_fields){.source = {.file = H5I_INVALID_HID}};
    snprintf(path, sizeof path, "%s/%s", run_dir, sn_frame_file_of(kind, frame).text);
    SN_TRY(sn_whole_file_check(path));
    SN_TRY(sn_h5_open(MPI_COMM_SELF, path, &f->source));
    if (gather(f, true) && gather(f, false))
        return SN_OK;
    sn_frame_fields_close(f);
    return SN_FAIL(SN_BAD_INPUT, "%s: is no frame: it has no fields", path);
}

void sn_frame_fields_close(sn_frame_fields *f)
{
    sn_h5_close(&f->source);
    sn_vector_free(&f->list);
}

const sn_frame_field *sn_frame_fields_find(const sn_frame_fields *f, const char *name)
{
    for (size_t i = 0; i < f->list.count; i++)
        if (strcmp(f->list.data[i].name, name) == 0)
            return &f->list.data[i];
    return NULL;
}

sn_status sn_frame_field_read(sn_frame_fields *f, const sn_frame_field *field, float **values)
{
    inside place = place_of(field->of_points, field->name);
    size_t columns = field->columns > 0 ? (size_t)field->columns : 1;
    *values = SN_NEW(float, (size_t)field->rows *columns + 1);
    sn_status status = sn_h5_read_array(&f->source, place.text, H5T_NATIVE_FLOAT, field->columns,
                                        (sn_slab){0, field->rows}, *values);
    if (status != SN_OK) {
        sn_free(*values);
        *values = NULL;
    }
    return status;
}

sn_status sn_frame_field_sizes(sn_frame_fields *f, const sn_frame_field *field, float **values)
{
    SN_TRY(sn_frame_field_read(f, field, values));
    float *v = *values;
    for (int64_t i = 0; i < field->rows && field->columns == SN_FIELD_COLUMNS; i++)
        v[i] =
            sqrtf(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]);
    return SN_OK;
}
