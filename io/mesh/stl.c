#include "io/mesh/builder.h"
#include "io/mesh/formats.h"
#include "io/text/byte_order.h"
#include "io/text/text.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* Binary: 80 bytes of anything, a 32-bit count, then for each facet twelve little-endian
 * floats (the normal, three corners) and two bytes of anything. */
enum {
    HEADER_BYTES = 80,
    PREFIX_BYTES = HEADER_BYTES + 4,
    NORMAL_BYTES = 12,
    FACET_BYTES = 50,
};

/* Each corner is a vertex of its own until the weld at the end. */
static sn_status add_corner(sn_mesh_builder *builder, int64_t place, const double xyz[3])
{
    int64_t vertex = (int64_t)builder->vertex.count;
    SN_TRY(sn_mesh_builder_vertex(builder, place, xyz));
    return sn_mesh_builder_corner(builder, place, vertex);
}

static sn_status read_binary(sn_mesh_builder *builder, const char *data, size_t bytes)
{
    if (bytes < PREFIX_BYTES)
        return SN_FAIL(SN_BAD_INPUT, "%s: truncated: %zu bytes, but an STL file begins with %d",
                       builder->name, bytes, PREFIX_BYTES);
    uint32_t count = sn_read_u32(data + HEADER_BYTES, SN_LITTLE_ENDIAN);
    if (count > (bytes - PREFIX_BYTES) / FACET_BYTES)
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: truncated: %" PRIu32 " facets announced at byte %d, but the file's %zu "
                       "bytes hold only %zu",
                       builder->name, count, HEADER_BYTES, bytes,
                       (bytes - PREFIX_BYTES) / FACET_BYTES);
    for (uint32_t f = 0; f < count; f++) {
        size_t at = PREFIX_BYTES + (size_t)f * FACET_BYTES;
        SN_TRY(sn_mesh_builder_face(builder, (int64_t)at));
        at += NORMAL_BYTES;
        for (int corner = 0; corner < 3; corner++) {
            double xyz[3];
            for (int d = 0; d < 3; d++, at += sizeof(float))
                xyz[d] = (double)sn_read_f32(data + at, SN_LITTLE_ENDIAN);
            SN_TRY(add_corner(builder, (int64_t)at - NORMAL_BYTES, xyz));
        }
    }
    return SN_OK;
}

static sn_status expected(const sn_mesh_builder *builder, const sn_text *text, const char *what)
{
    return SN_FAIL(SN_BAD_INPUT, "%s: expected %s, found \"%s\"",
                   sn_mesh_builder_place(builder, text->line).text, what,
                   sn_text_excerpt(text).text);
}

static sn_status read_text_vertex(sn_mesh_builder *builder, sn_text *text)
{
    double xyz[3];
    for (int d = 0; d < 3; d++)
        if (!sn_text_number(text, &xyz[d]))
            return expected(builder, text, "three coordinates after \"vertex\"");
    return add_corner(builder, text->line, xyz);
}

/* Words that carry nothing; what follows them on the line (a name, a normal) is skipped. */
static bool is_decoration(sn_word keyword)
{
    static const char *const words[] = {"solid", "endsolid", "outer", "endloop"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (sn_word_is_nocase(keyword, words[i]))
            return true;
    return false;
}

static sn_status read_text(sn_mesh_builder *builder, sn_text *text)
{
    bool in_facet = false;
    while (sn_text_more(text)) {
        sn_text before = *text;
        sn_word keyword = sn_text_word(text);
        if (sn_word_is_nocase(keyword, "facet") && !in_facet) {
            in_facet = true;
            SN_TRY(sn_mesh_builder_face(builder, text->line));
        } else if (sn_word_is_nocase(keyword, "vertex") && in_facet) {
            SN_TRY(read_text_vertex(builder, text));
        } else if (sn_word_is_nocase(keyword, "endfacet") && in_facet) {
            in_facet = false;
        } else if (!is_decoration(keyword)) {
            return expected(builder, &before,
                            in_facet ? "\"vertex\" or \"endfacet\"" : "\"facet\" or \"endsolid\"");
        }
        sn_text_next_line(text);
    }
    return in_facet ? expected(builder, text, "\"endfacet\"") : SN_OK;
}

/* Binary files may begin with "solid" too: their size gives them away, or, when they are cut
 * short, a zero byte near the start. */
static bool is_text(const char *data, size_t bytes)
{
    static const char magic[] = "solid";
    enum { ZERO_SEARCH_BYTES = 512 };
    if (bytes >= PREFIX_BYTES) {
        uint64_t count = sn_read_u32(data + HEADER_BYTES, SN_LITTLE_ENDIAN);
        if (bytes == PREFIX_BYTES + count * FACET_BYTES)
            return false;
    }
    sn_text text = sn_text_open(data, bytes, false);
    if (!sn_text_more(&text) || strncasecmp(text.at, magic, strlen(magic)) != 0)
        return false;
    return !memchr(data, 0, bytes < ZERO_SEARCH_BYTES ? bytes : ZERO_SEARCH_BYTES);
}

sn_status sn_mesh_parse_stl(const char *data, size_t bytes, const char *name, sn_mesh *mesh)
{
    bool is_ascii = is_text(data, bytes);
    sn_mesh_builder builder =
        sn_mesh_builder_open(name, is_ascii ? SN_PLACE_LINE : SN_PLACE_BYTE, 0);
    sn_text text = sn_text_open(data, bytes, false);
    sn_status status = is_ascii ? read_text(&builder, &text) : read_binary(&builder, data, bytes);
    if (status == SN_OK)
        sn_mesh_builder_weld_corners(&builder);
    return sn_mesh_builder_finish(&builder, status, mesh);
}
