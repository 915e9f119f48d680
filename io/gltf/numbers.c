/* From an accessor to its numbers: the accessor names a view, the view a part of a buffer. */
#include "io/gltf/gltf.h"
#include "io/text/byte_order.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

enum { MOST_STRIDE = 252 }; /* the specification's: bytes from a row to the next */

static sn_status fail(const sn_gltf *g, const sn_gltf_object *of, const char *problem)
{
    return SN_FAIL(SN_BAD_INPUT, "%s: %s: %s", g->path, of->name, problem);
}

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Four digits are three bytes; what is behind them, padding above all, is not looked at. */
static sn_whole_file from_base64(const char *text)
{
    sn_whole_file file = {.data = SN_NEW(char, strlen(text) / 4 * 3 + 3)};
    unsigned bits = 0;
    int n_bits = 0;
    for (int digit; (digit = base64_digit(*text)) >= 0; text++) {
        bits = bits << 6 | (unsigned)digit;
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            file.data[file.bytes++] = (char)(bits >> n_bits & 255);
        }
    }
    return file;
}

static sn_status read_beside(const sn_gltf *g, const char *name, sn_whole_file *file)
{
    char path[PATH_MAX];
    const char *slash = strrchr(g->path, '/');
    int folder = slash ? (int)(slash + 1 - g->path) : 0;
    if (snprintf(path, sizeof path, "%.*s%s", folder, g->path, name) >= (int)sizeof path)
        return SN_FAIL(SN_BAD_INPUT, "%s: the name of a buffer is too long", g->path);
    return sn_whole_file_read(path, file);
}

static sn_status load_buffer(const sn_gltf *g, const sn_gltf_object *object, sn_gltf_buffer *buffer)
{
    size_t bytes;
    const char *uri = sn_gltf_text(object, "uri", NULL), *comma = uri ? strchr(uri, ',') : NULL;
    buffer->owned = uri != NULL;
    if (!uri)
        buffer->file = g->binary;
    else if (strncmp(uri, "data:", 5) == 0 && comma && comma - uri > 7 &&
             strncmp(comma - 7, ";base64", 7) == 0)
        buffer->file = from_base64(comma + 1);
    else
        SN_TRY(read_beside(g, uri, &buffer->file));
    SN_TRY(sn_gltf_index(g, object, "byteLength", &bytes));
    if (bytes > buffer->file.bytes)
        return SN_FAIL(SN_BAD_INPUT, "%s: %s: expected %zu bytes, got %zu", g->path, object->name,
                       bytes, buffer->file.bytes);
    return SN_OK;
}

static sn_status find_buffer(sn_gltf *g, size_t index, const sn_whole_file **file)
{
    sn_gltf_object root = sn_gltf_root(g), object;
    SN_TRY(sn_gltf_entry(g, &root, "buffers", index, &object));
    while (g->buffers.count <= index)
        sn_push(&g->buffers, (sn_gltf_buffer){0});
    sn_gltf_buffer *buffer = &g->buffers.data[index];
    if (!buffer->file.data)
        SN_TRY(load_buffer(g, &object, buffer));
    *file = &buffer->file;
    return SN_OK;
}

/* A part of a buffer; 0 for the stride: rows without a gap. */
typedef struct {
    const char *data;
    size_t bytes, stride;
} view;

static sn_status find_view(sn_gltf *g, size_t index, view *v)
{
    sn_gltf_object root = sn_gltf_root(g), object;
    const sn_whole_file *file;
    size_t buffer, at;
    SN_TRY(sn_gltf_entry(g, &root, "bufferViews", index, &object));
    SN_TRY(sn_gltf_index(g, &object, "buffer", &buffer));
    SN_TRY(sn_gltf_index_or(g, &object, "byteOffset", 0, &at));
    SN_TRY(sn_gltf_index(g, &object, "byteLength", &v->bytes));
    SN_TRY(sn_gltf_index_or(g, &object, "byteStride", 0, &v->stride));
    SN_TRY(find_buffer(g, buffer, &file));
    if (at > file->bytes || v->bytes > file->bytes - at)
        return fail(g, &object, "goes on after the end of its buffer");
    if (v->stride > MOST_STRIDE)
        return fail(g, &object, "has rows that are too far apart");
    v->data = file->data + at;
    return SN_OK;
}

/* How one number is written. Integers stand for fractions of the largest one, or for themselves. */
typedef struct {
    size_t code;
    int bytes;
    bool is_signed;
    double largest; /* 0: a float */
} component;

static const component components[] = {{5120, 1, true, 127},         {5121, 1, false, 255},
                                       {5122, 2, true, 32767},       {5123, 2, false, 65535},
                                       {5125, 4, false, 4294967295}, {5126, 4, true, 0}};

/* The rows of an accessor, all of them inside of their view. */
typedef struct {
    const char *data;
    const component *component;
    size_t n, stride;
} rows;

static double read_number(const char *at, const component *c)
{
    if (c->largest == 0)
        return (double)sn_read_f32(at, SN_LITTLE_ENDIAN);
    double whole = (double)sn_read_unsigned(at, c->bytes, SN_LITTLE_ENDIAN);
    if (c->is_signed && whole > c->largest)
        whole -= ldexp(1, 8 * c->bytes);
    return fmax(whole / c->largest, -1);
}

static sn_status find_component(const sn_gltf *g, const sn_gltf_object *accessor,
                                const component **found)
{
    size_t code;
    SN_TRY(sn_gltf_index(g, accessor, "componentType", &code));
    for (size_t c = 0; c < sizeof components / sizeof *components; c++)
        if (components[c].code == code) {
            *found = &components[c];
            return SN_OK;
        }
    return fail(g, accessor, "has numbers of an unknown type");
}

static bool is_normalized(const sn_gltf_object *accessor)
{
    return strcmp(sn_gltf_text(accessor, "normalized", ""), "true") == 0;
}

static sn_status check_type(const sn_gltf *g, const sn_gltf_object *accessor, size_t width)
{
    const char *type = width == 1    ? "SCALAR"
                       : width == 2  ? "VEC2"
                       : width == 3  ? "VEC3"
                       : width == 16 ? "MAT4"
                                     : "VEC4";
    const char *got = sn_gltf_text(accessor, "type", "");
    if (strcmp(got, type) != 0)
        return SN_FAIL(SN_BAD_INPUT, "%s: %s: expected the type %s, got \"%.20s\"", g->path,
                       accessor->name, type, got);
    if (sn_gltf_member(accessor, "sparse"))
        return fail(g, accessor, "is sparse, which is not read");
    return SN_OK;
}

/* Rows that overlap would be more numbers than the file has bytes for. */
static sn_status check_rows(const sn_gltf *g, const sn_gltf_object *accessor, const view *v,
                            size_t at, size_t row, const rows *r)
{
    if (r->stride < row)
        return fail(g, accessor, "has rows that overlap");
    bool fits = r->n == 0 || (at <= v->bytes && row <= v->bytes - at &&
                              (r->n - 1) <= (v->bytes - at - row) / r->stride);
    return fits ? SN_OK : fail(g, accessor, "goes on after the end of its view");
}

static sn_status find_rows(sn_gltf *g, const sn_gltf_object *accessor, size_t width, rows *r)
{
    size_t view_index, at;
    view v;
    SN_TRY(check_type(g, accessor, width));
    SN_TRY(find_component(g, accessor, &r->component));
    SN_TRY(sn_gltf_index(g, accessor, "count", &r->n));
    SN_TRY(sn_gltf_index_or(g, accessor, "byteOffset", 0, &at));
    SN_TRY(sn_gltf_index(g, accessor, "bufferView", &view_index));
    SN_TRY(find_view(g, view_index, &v));
    size_t row = width * (size_t)r->component->bytes;
    r->stride = v.stride > 0 ? v.stride : row;
    SN_TRY(check_rows(g, accessor, &v, at, row, r));
    r->data = r->n > 0 ? v.data + at : v.data;
    return SN_OK;
}

sn_status sn_gltf_numbers(sn_gltf *gltf, size_t accessor, size_t width, double **numbers,
                          size_t *n_rows)
{
    sn_gltf_object root = sn_gltf_root(gltf), object;
    rows r;
    SN_TRY(sn_gltf_entry(gltf, &root, "accessors", accessor, &object));
    SN_TRY(find_rows(gltf, &object, width, &r));
    if (r.component->largest != 0 && !is_normalized(&object))
        return fail(gltf, &object, "expected floats or normalized integers");
    *n_rows = r.n;
    *numbers = SN_NEW(double, r.n *width);
    for (size_t i = 0; i < r.n * width; i++)
        (*numbers)[i] = read_number(
            r.data + i / width * r.stride + i % width * (size_t)r.component->bytes, r.component);
    return SN_OK;
}

sn_status sn_gltf_indices(sn_gltf *gltf, size_t accessor, uint32_t **indices, size_t *n)
{
    return sn_gltf_whole_numbers(gltf, accessor, 1, indices, n);
}

sn_status sn_gltf_whole_numbers(sn_gltf *gltf, size_t accessor, size_t width, uint32_t **indices,
                                size_t *n)
{
    sn_gltf_object root = sn_gltf_root(gltf), object;
    rows r;
    SN_TRY(sn_gltf_entry(gltf, &root, "accessors", accessor, &object));
    SN_TRY(find_rows(gltf, &object, width, &r));
    if (r.component->is_signed)
        return fail(gltf, &object, "expected unsigned integers");
    *n = r.n;
    *indices = SN_NEW(uint32_t, r.n * width);
    for (size_t i = 0; i < r.n * width; i++)
        (*indices)[i] = (uint32_t)sn_read_unsigned(r.data + i / width * r.stride +
                                                       i % width * (size_t)r.component->bytes,
                                                   r.component->bytes, SN_LITTLE_ENDIAN);
    return SN_OK;
}
