#include "io/mesh/builder.h"
#include "io/mesh/formats.h"
#include "io/mesh/ply_header.h"
#include "io/text/text.h"

#include <inttypes.h>
#include <math.h>

/* The rows after the header; ASCII files use `text`, binary ones only its ends. */
typedef struct {
    const sn_ply_header *header;
    const char *start; /* of the file */
    sn_text text;
    sn_mesh_builder builder;
    size_t first_uv; /* of the face that is being read */
} body;

static int64_t place_of(const body *b)
{
    return b->header->is_ascii ? b->text.line : (int64_t)(b->text.at - b->start);
}

static size_t bytes_left(const body *b)
{
    return (size_t)(b->text.end - b->text.at);
}

static const char *kind_name(sn_ply_kind kind)
{
    return kind == SN_PLY_VERTEX ? "vertex" : kind == SN_PLY_FACE ? "face" : "another element";
}

static sn_status truncated(const body *b)
{
    return SN_FAIL(SN_BAD_INPUT,
                   "%s: truncated: the file ends after %zu vertices and %zu faces, but more are "
                   "announced",
                   sn_mesh_builder_place(&b->builder, place_of(b)).text, b->builder.vertex.count,
                   b->builder.face.count);
}

static sn_status read_ascii(body *b, double *value)
{
    if (!sn_text_more(&b->text))
        return truncated(b);
    if (!sn_text_number(&b->text, value))
        return SN_FAIL(SN_BAD_INPUT, "%s: expected a number, found \"%s\"",
                       sn_mesh_builder_place(&b->builder, place_of(b)).text,
                       sn_text_excerpt(&b->text).text);
    return SN_OK;
}

static double decode(const char *at, sn_ply_type type, sn_byte_order order)
{
    if (type.number == SN_PLY_FLOAT)
        return type.bytes == sizeof(float) ? (double)sn_read_f32(at, order)
                                           : sn_read_f64(at, order);
    int64_t value = (int64_t)sn_read_unsigned(at, type.bytes, order);
    int64_t half = INT64_C(1) << (8 * type.bytes - 1);
    return (double)(type.number == SN_PLY_SIGNED && value >= half ? value - 2 * half : value);
}

static sn_status read_value(body *b, sn_ply_type type, double *value)
{
    if (b->header->is_ascii)
        return read_ascii(b, value);
    if (bytes_left(b) < (size_t)type.bytes)
        return truncated(b);
    *value = decode(b->text.at, type, b->header->order);
    b->text.at += type.bytes;
    return SN_OK;
}

/* Counts and indices; a file may well store them as floats. */
static sn_status read_integer(body *b, sn_ply_type type, const char *what, int64_t *value)
{
    const double most_exact_integer = 0x1p53;
    double number;
    SN_TRY(read_value(b, type, &number));
    if (!(fabs(number) <= most_exact_integer) || number != floor(number))
        return SN_FAIL(SN_BAD_INPUT, "%s: expected %s, found %g",
                       sn_mesh_builder_place(&b->builder, place_of(b)).text, what, number);
    *value = (int64_t)number;
    return SN_OK;
}

static sn_status read_corners(body *b, const sn_ply_property *property, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t corner, place = place_of(b);
        SN_TRY(read_integer(b, property->type, "a vertex index", &corner));
        SN_TRY(sn_mesh_builder_corner(&b->builder, place, corner));
    }
    return SN_OK;
}

static sn_status read_uvs(body *b, const sn_ply_property *property, int64_t n)
{
    double uv[2];
    b->first_uv = b->builder.uv.count;
    for (int64_t i = 0; i < n; i++) {
        SN_TRY(read_value(b, property->type, &uv[i % 2]));
        if (i % 2 == 1)
            sn_mesh_builder_uv(&b->builder, uv);
    }
    return SN_OK;
}

static sn_status skip_values(body *b, const sn_ply_property *property, int64_t n)
{
    double skipped;
    for (int64_t i = 0; i < n; i++)
        SN_TRY(read_value(b, property->type, &skipped));
    return SN_OK;
}

static sn_status read_list(body *b, const sn_ply_property *property)
{
    int64_t length, row = place_of(b);
    SN_TRY(read_integer(b, property->count_type, "the length of a list", &length));
    size_t least_bytes = b->header->is_ascii ? 1 : (size_t)property->type.bytes;
    if (length < 0 || (size_t)length > bytes_left(b) / least_bytes)
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: a list of %" PRId64 " values, but %zu bytes are left in the file",
                       sn_mesh_builder_place(&b->builder, place_of(b)).text, length, bytes_left(b));
    if (property->role == SN_PLY_UVS)
        return read_uvs(b, property, length);
    if (property->role != SN_PLY_CORNERS)
        return skip_values(b, property, length);
    SN_TRY(sn_mesh_builder_face(&b->builder, row));
    return read_corners(b, property, length);
}

/* A face whose corners all have a place in the texture. */
static void end_face(body *b)
{
    size_t n = b->builder.uv.count - b->first_uv;
    const sn_builder_face *face = &b->builder.face.data[b->builder.face.count - 1];
    if (n > 0 && n == b->builder.corner.count - face->first_corner)
        sn_mesh_builder_uv_face(&b->builder, b->first_uv);
}

static sn_status read_row(body *b, const sn_ply_element *element)
{
    double at[5] = {0}, value; /* x, y, z, u, v */
    b->first_uv = b->builder.uv.count;
    if (b->header->is_ascii)
        (void)sn_text_more(&b->text); /* the place is that of the row */
    int64_t place = place_of(b);
    for (size_t i = 0; i < element->n_properties; i++) {
        const sn_ply_property *property = &b->header->property.data[element->first_property + i];
        if (property->is_list) {
            SN_TRY(read_list(b, property));
            continue;
        }
        SN_TRY(read_value(b, property->type, &value));
        if (property->role != SN_PLY_SKIP)
            at[property->role - SN_PLY_X] = value;
    }
    if (element->kind == SN_PLY_FACE)
        end_face(b);
    if (element->kind != SN_PLY_VERTEX)
        return SN_OK;
    if (b->header->uvs_of_vertices)
        sn_mesh_builder_uv(&b->builder, at + SN_PLY_U - SN_PLY_X);
    return sn_mesh_builder_vertex(&b->builder, place, at);
}

/* In text, a digit a value; a list may be empty but has its length. */
static size_t least_row_bytes(const sn_ply_header *header, const sn_ply_element *element)
{
    size_t sum = 0;
    for (size_t i = 0; i < element->n_properties; i++) {
        const sn_ply_property *property = &header->property.data[element->first_property + i];
        sn_ply_type first = property->is_list ? property->count_type : property->type;
        sum += header->is_ascii ? 1 : (size_t)first.bytes;
    }
    return sum;
}

static sn_status read_element(body *b, const sn_ply_element *element)
{
    size_t row_bytes = least_row_bytes(b->header, element);
    if (row_bytes == 0)
        return SN_OK; /* rows of nothing */
    if ((uint64_t)element->count > bytes_left(b) / row_bytes)
        return SN_FAIL(SN_BAD_INPUT,
                       "%s:%" PRId64 ": truncated: %" PRId64 " rows of %s announced, but %zu bytes "
                       "are left in the file",
                       b->builder.name, element->line, element->count, kind_name(element->kind),
                       bytes_left(b));
    for (int64_t i = 0; i < element->count; i++)
        SN_TRY(read_row(b, element));
    return SN_OK;
}

static sn_status read_elements(body *b)
{
    for (size_t e = 0; e < b->header->element.count; e++)
        SN_TRY(read_element(b, &b->header->element.data[e]));
    return SN_OK;
}

sn_status sn_mesh_parse_ply(const char *text, size_t bytes, const char *name, sn_mesh *mesh)
{
    sn_ply_header header;
    *mesh = (sn_mesh){0};
    SN_TRY(sn_ply_header_read(text, bytes, name, &header));
    body b = {.header = &header,
              .start = text,
              .text = sn_text_open(text + header.bytes, bytes - header.bytes, false),
              .builder =
                  sn_mesh_builder_open(name, header.is_ascii ? SN_PLACE_LINE : SN_PLACE_BYTE, 0)};
    b.text.line = header.lines + 1;
    sn_status status = read_elements(&b);
    if (status == SN_OK && header.uvs_of_vertices)
        sn_mesh_builder_uv_vertices(&b.builder);
    sn_ply_header_free(&header);
    return sn_mesh_builder_finish(&b.builder, status, mesh);
}
