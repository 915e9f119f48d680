#include "io/mesh/ply_header.h"

#include "io/text/text.h"

#include <inttypes.h>

/* The header being read, and where. */
typedef struct {
    const char *name;
    sn_text text;
    sn_ply_header *header;
    bool has_format;
} header_reader;

static sn_status expected(const header_reader *reader, const char *what, sn_word found)
{
    return SN_FAIL(SN_BAD_INPUT, "%s:%" PRId64 ": PLY header: expected %s, found \"%s\"",
                   reader->name, reader->text.line, what, sn_word_excerpt(found).text);
}

static bool read_type(sn_word word, sn_ply_type *type)
{
    static const struct {
        const char *name, *other_name;
        sn_ply_type type;
    } types[] = {
        {"char", "int8", {SN_PLY_SIGNED, 1}},    {"uchar", "uint8", {SN_PLY_UNSIGNED, 1}},
        {"short", "int16", {SN_PLY_SIGNED, 2}},  {"ushort", "uint16", {SN_PLY_UNSIGNED, 2}},
        {"int", "int32", {SN_PLY_SIGNED, 4}},    {"uint", "uint32", {SN_PLY_UNSIGNED, 4}},
        {"float", "float32", {SN_PLY_FLOAT, 4}}, {"double", "float64", {SN_PLY_FLOAT, 8}},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (sn_word_is(word, types[i].name) || sn_word_is(word, types[i].other_name)) {
            *type = types[i].type;
            return true;
        }
    return false;
}

static sn_status read_format(header_reader *reader)
{
    sn_word format = sn_text_word(&reader->text);
    sn_ply_header *header = reader->header;
    reader->has_format = true;
    header->is_ascii = sn_word_is(format, "ascii");
    header->order = sn_word_is(format, "binary_big_endian") ? SN_BIG_ENDIAN : SN_LITTLE_ENDIAN;
    if (!header->is_ascii && !sn_word_is(format, "binary_big_endian") &&
        !sn_word_is(format, "binary_little_endian"))
        return expected(reader, "ascii, binary_little_endian or binary_big_endian", format);
    return SN_OK;
}

static sn_status read_element(header_reader *reader)
{
    sn_ply_header *header = reader->header;
    sn_word name = sn_text_word(&reader->text);
    sn_ply_element element = {.kind = sn_word_is(name, "vertex") ? SN_PLY_VERTEX
                                      : sn_word_is(name, "face") ? SN_PLY_FACE
                                                                 : SN_PLY_OTHER,
                              .line = reader->text.line,
                              .first_property = header->property.count};
    for (size_t i = 0; i < header->element.count; i++)
        if (element.kind != SN_PLY_OTHER && header->element.data[i].kind == element.kind)
            return expected(reader, "each element once", name);
    sn_text_more_on_line(&reader->text);
    sn_text at_count = reader->text;
    if (!sn_text_digits(&reader->text, &element.count) || element.count < 0)
        return expected(reader, "the number of elements", sn_text_word(&at_count));
    sn_push(&header->element, element);
    return SN_OK;
}

/* What programs call the two coordinates of the texture. */
static sn_ply_role role_in_texture(sn_word name)
{
    static const char *const names[][2] = {{"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int d = 0; d < 2; d++)
            if (sn_word_is(name, names[i][d]))
                return d == 0 ? SN_PLY_U : SN_PLY_V;
    return SN_PLY_SKIP;
}

static sn_ply_role role_of(const sn_ply_element *element, bool is_list, sn_word name)
{
    if (element->kind == SN_PLY_VERTEX && !is_list)
        return sn_word_is(name, "x")   ? SN_PLY_X
               : sn_word_is(name, "y") ? SN_PLY_Y
               : sn_word_is(name, "z") ? SN_PLY_Z
                                       : role_in_texture(name);
    if (element->kind == SN_PLY_FACE && is_list &&
        (sn_word_is(name, "vertex_indices") || sn_word_is(name, "vertex_index")))
        return SN_PLY_CORNERS;
    if (element->kind == SN_PLY_FACE && is_list && sn_word_is(name, "texcoord"))
        return SN_PLY_UVS;
    return SN_PLY_SKIP;
}

static bool has_role(const sn_ply_header *header, const sn_ply_element *element, sn_ply_role role)
{
    for (size_t i = 0; i < element->n_properties; i++)
        if (header->property.data[element->first_property + i].role == role)
            return true;
    return false;
}

static sn_status read_property(header_reader *reader)
{
    sn_ply_header *header = reader->header;
    sn_ply_property property = {0};
    sn_word word = sn_text_word(&reader->text);
    if (header->element.count == 0)
        return expected(reader, "an element before its properties", word);
    sn_ply_element *element = &header->element.data[header->element.count - 1];
    property.is_list = sn_word_is(word, "list");
    if (property.is_list) {
        word = sn_text_word(&reader->text);
        if (!read_type(word, &property.count_type) || property.count_type.number == SN_PLY_FLOAT)
            return expected(reader, "an integer type for the length of the list", word);
        word = sn_text_word(&reader->text);
    }
    if (!read_type(word, &property.type))
        return expected(reader, "a type such as float or uchar", word);
    word = sn_text_word(&reader->text);
    if (word.length == 0)
        return expected(reader, "the name of the property", word);
    property.role = role_of(element, property.is_list, word);
    if (has_role(header, element, property.role))
        property.role = SN_PLY_SKIP;
    sn_push(&header->property, property);
    element->n_properties++;
    return SN_OK;
}

/* Reads lines up to and including end_header. */
static sn_status read_lines(header_reader *reader)
{
    sn_text *text = &reader->text;
    sn_word word = sn_text_word(text);
    if (!sn_word_is(word, "ply"))
        return expected(reader, "\"ply\"", word);
    for (;;) {
        sn_text_next_line(text);
        if (!sn_text_more(text))
            return expected(reader, "end_header", sn_text_word(text));
        word = sn_text_word(text);
        if (sn_word_is(word, "format"))
            SN_TRY(read_format(reader));
        else if (sn_word_is(word, "element"))
            SN_TRY(read_element(reader));
        else if (sn_word_is(word, "property"))
            SN_TRY(read_property(reader));
        else if (sn_word_is(word, "end_header"))
            return reader->has_format ? SN_OK : expected(reader, "a format line before this", word);
        else if (!sn_word_is(word, "comment") && !sn_word_is(word, "obj_info"))
            return expected(reader, "element, property or end_header", word);
    }
}

/* Where the header's lines end with a carriage return alone, a line feed after the last one
 * is data already. */
static void find_body(header_reader *reader, const char *start, bool lines_end_in_cr)
{
    sn_text *text = &reader->text;
    sn_text_next_line(text);
    if (lines_end_in_cr && text->at[-1] == '\n' && text->at[-2] == '\r')
        text->at--;
    reader->header->bytes = (size_t)(text->at - start);
    reader->header->lines = text->line - 1;
}

static bool have_role(const sn_ply_header *header, sn_ply_role role)
{
    for (size_t e = 0; e < header->element.count; e++)
        if (has_role(header, &header->element.data[e], role))
            return true;
    return false;
}

static void choose_uvs(sn_ply_header *header)
{
    header->uvs_of_vertices = have_role(header, SN_PLY_U) && have_role(header, SN_PLY_V);
    for (size_t i = 0; i < header->property.count; i++)
        if (header->uvs_of_vertices && header->property.data[i].role == SN_PLY_UVS)
            header->property.data[i].role = SN_PLY_SKIP;
}

static sn_status check_roles(const header_reader *reader)
{
    static const struct {
        sn_ply_kind kind;
        sn_ply_role role;
        const char *what;
    } needed[] = {
        {SN_PLY_VERTEX, SN_PLY_X, "property x of element vertex"},
        {SN_PLY_VERTEX, SN_PLY_Y, "property y of element vertex"},
        {SN_PLY_VERTEX, SN_PLY_Z, "property z of element vertex"},
        {SN_PLY_FACE, SN_PLY_CORNERS, "property list vertex_indices of element face"},
    };
    const sn_ply_header *header = reader->header;
    for (size_t e = 0; e < header->element.count; e++)
        for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
            const sn_ply_element *element = &header->element.data[e];
            if (element->kind == needed[i].kind && !has_role(header, element, needed[i].role))
                return SN_FAIL(SN_BAD_INPUT, "%s:%" PRId64 ": PLY header: %s is missing",
                               reader->name, element->line, needed[i].what);
        }
    return SN_OK;
}

sn_status sn_ply_header_read(const char *text, size_t bytes, const char *name,
                             sn_ply_header *header)
{
    *header = (sn_ply_header){0};
    header_reader reader = {
        .name = name, .text = sn_text_open(text, bytes, false), .header = header};
    sn_text first = reader.text;
    while (first.at < first.end && *first.at != '\r' && *first.at != '\n')
        first.at++;
    bool lines_end_in_cr = *first.at == '\r' && first.at[1] != '\n';
    sn_status status = read_lines(&reader);
    if (status == SN_OK)
        status = check_roles(&reader);
    if (status == SN_OK) {
        choose_uvs(header);
        find_body(&reader, text, lines_end_in_cr);
    } else {
        sn_ply_header_free(header);
    }
    return status;
}

void sn_ply_header_free(sn_ply_header *header)
{
    sn_vector_free(&header->element);
    sn_vector_free(&header->property);
}
