#include "io/mesh/builder.h"
#include "io/mesh/formats.h"
#include "io/text/text.h"

#include <inttypes.h>

static const int FIRST_INDEX = 1;

/* v x y z, and perhaps a weight or a colour, which say nothing about the shape. */
static sn_status read_vertex(sn_mesh_builder *builder, sn_text *text)
{
    double xyz[3];
    for (int d = 0; d < 3; d++)
        if (!sn_text_number(text, &xyz[d]))
            return SN_FAIL(SN_BAD_INPUT, "%s: expected coordinate %c of vertex %zu, found \"%s\"",
                           sn_mesh_builder_place(builder, text->line).text, "xyz"[d],
                           builder -> vertex.count + 1, sn_text_excerpt(text).text);
    return sn_mesh_builder_vertex(builder, text->line, xyz);
}

/* vt u v; what is no number says nothing about the shape either. */
static void read_uv(sn_mesh_builder *builder, sn_text *text)
{
    double uv[2] = {0};
    if (sn_text_number(text, &uv[0]))
        (void)sn_text_number(text, &uv[1]);
    sn_mesh_builder_uv(builder, uv);
}

/* One corner is v, v/vt, v//vn or v/vt/vn; the texture (0: none) and normal only have to look
 * right. */
static bool read_corner(sn_text *text, int64_t *index, int64_t *uv)
{
    enum { OTHER_INDICES = 2 };
    sn_text after = *text;
    *uv = 0;
    if (!sn_text_digits(&after, index))
        return false;
    for (int i = 0; i < OTHER_INDICES && after.at < after.end && *after.at == '/'; i++) {
        int64_t normal;
        after.at++;
        (void)sn_text_digits(&after, i == 0 ? uv : &normal);
    }
    if (!sn_text_at_word_end(&after))
        return false;
    *text = after;
    return true;
}

/* A negative index counts back from the last vertex so far. */
static sn_status resolve_index(const sn_mesh_builder *builder, int64_t line, int64_t *index)
{
    if (*index >= 0)
        return SN_OK;
    int64_t so_far = (int64_t)builder->vertex.count;
    if (*index < -so_far)
        return SN_FAIL(
            SN_BAD_INPUT,
            "%s: face %zu uses vertex %" PRId64 ", but only %" PRId64 " vertices come before it",
            sn_mesh_builder_place(builder, line).text, builder->face.count, *index, so_far);
    *index += so_far + FIRST_INDEX;
    return SN_OK;
}

static sn_status read_face(sn_mesh_builder *builder, sn_text *text)
{
    SN_TRY(sn_mesh_builder_face(builder, text->line));
    while (sn_text_more_on_line(text) && *text->at != '#') {
        int64_t index, uv;
        if (!read_corner(text, &index, &uv))
            return SN_FAIL(SN_BAD_INPUT,
                           "%s: expected a corner of face %zu such as 1/2/3, found "
                           "\"%s\"",
                           sn_mesh_builder_place(builder, text->line).text, builder->face.count,
                           sn_text_excerpt(text).text);
        SN_TRY(resolve_index(builder, text->line, &index));
        SN_TRY(sn_mesh_builder_corner(builder, text->line, index));
        if (uv != 0)
            sn_mesh_builder_uv_corner(builder, uv < 0 ? (int64_t)builder->uv.count + uv : uv - 1);
    }
    return SN_OK;
}

static sn_status read_statements(sn_mesh_builder *builder, sn_text *text)
{
    while (sn_text_more(text)) {
        if (*text->at == '#') {
            sn_text_next_line_of_file(text);
            continue;
        }
        sn_word keyword = sn_text_word(text);
        if (sn_word_is(keyword, "v"))
            SN_TRY(read_vertex(builder, text));
        else if (sn_word_is(keyword, "vt"))
            read_uv(builder, text);
        else if (sn_word_is(keyword, "f"))
            SN_TRY(read_face(builder, text));
        sn_text_next_line(text);
    }
    return SN_OK;
}

sn_status sn_mesh_parse_obj(const char *bytes_of_file, size_t bytes, const char *name,
                            sn_mesh *mesh)
{
    sn_text text = sn_text_open(bytes_of_file, bytes, true);
    sn_mesh_builder builder = sn_mesh_builder_open(name, SN_PLACE_LINE, FIRST_INDEX);
    sn_status status = read_statements(&builder, &text);
    return sn_mesh_builder_finish(&builder, status, mesh);
}
