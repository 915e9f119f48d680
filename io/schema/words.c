/* The words of messages and of the reference: what a key expects, what was found instead. */
#include "io/schema/schema.h"
#include "io/text/utf8.h"

#include <stdarg.h>
#include <string.h>

enum { MOST_SHOWN_BYTES = 40, LONGEST_COMPARED = 32 };

__attribute__((format(printf, 2, 3))) static void add(sn_words *words, const char *format, ...)
{
    size_t used = strlen(words->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words->text + used, sizeof words->text - used, format, arguments);
    va_end(arguments);
}

static void add_range(sn_words *words, sn_range range)
{
    if (range.ends & SN_LOW)
        add(words, range.ends & SN_LOW_OPEN ? " greater than %g" : " of at least %g", range.low);
    if (range.ends & SN_LOW && range.ends & SN_HIGH)
        add(words, " and");
    if (range.ends & SN_HIGH)
        add(words, range.ends & SN_HIGH_OPEN ? " less than %g" : " at most %g", range.high);
}

sn_words sn_key_names(const sn_section *section, bool alternatives_only)
{
    sn_words words = {""};
    for (int i = 0; i < section->n_keys; i++)
        if (!alternatives_only || section->keys[i].alternative)
            add(&words, "%s%s", words.text[0] ? ", " : "", section->keys[i].name);
    return words;
}

static void add_choices(sn_words *words, const char *const *choices)
{
    for (int i = 0; choices[i]; i++)
        add(words, "%s%s", i ? ", " : "one of ", choices[i]);
}

sn_words sn_expected(const sn_schema_key *key)
{
    sn_words words = {""};
    switch (key->type) {
    case SN_TYPE_REAL:
        for (const sn_named_real *named = key->names; named && named->name; named++)
            add(&words, "%s%s", named->name, named[1].name ? ", " : " or ");
        add(&words, "a number");
        add_range(&words, key->range);
        break;
    case SN_TYPE_INTEGER:
        add(&words, "an integer");
        add_range(&words, key->range);
        break;
    case SN_TYPE_BOOLEAN:
        add(&words, "true or false");
        break;
    case SN_TYPE_TEXT:
        add(&words, "a text");
        break;
    case SN_TYPE_CHOICE:
        add_choices(&words, key->choices);
        break;
    case SN_TYPE_CHOICES:
        add(&words, "a list, each ");
        add_choices(&words, key->choices);
        break;
    case SN_TYPE_REALS:
        add(&words, "a list of %d numbers", key->count);
        if (key->row)
            add(&words, " or of %d rows of %d", key->count / key->row, key->row);
        if (key->nonzero)
            add(&words, ", not all zero");
        break;
    case SN_TYPE_SECTION:
        add(&words, "a mapping with keys out of %s", sn_key_names(key->section, false).text);
        break;
    case SN_TYPE_LIST:
        add(&words, "a list");
        add_range(&words, key->range);
        break;
    case SN_TYPE_TEXTS:
        add(&words, "a list of texts");
        break;
    case SN_TYPE_PAIRS:
        add(&words, "a mapping from texts to texts");
        break;
    case SN_TYPE_RULES:
        add(&words, "a number");
        add_range(&words, key->range);
        add(&words, ", or a mapping from patterns to such numbers");
        break;
    }
    return words;
}

/* As much of a text as a message can bear, cut between characters. */
static void add_quoted(sn_words *words, const char *before, const char *text, size_t length)
{
    if (sn_utf8_span(text, length, "") < length) {
        add(words, "a text with control characters");
        return;
    }
    size_t shown = length;
    if (shown > MOST_SHOWN_BYTES)
        for (shown = MOST_SHOWN_BYTES; (text[shown] & 0xC0) == 0x80;)
            shown--;
    add(words, "%s\"%.*s%s\"", before, (int)shown, text, shown < length ? "..." : "");
}

sn_words sn_found(const sn_yaml *node)
{
    sn_words words = {""};
    double number;
    if (node->kind == SN_YAML_MAP)
        add(&words, "a mapping");
    else if (node->kind == SN_YAML_LIST)
        add(&words, "a list of %zu", node->count);
    else if (sn_yaml_is_null(node))
        add(&words, "nothing");
    else if (node->plain && sn_text_to_real(node->text, &number) &&
             node->length <= MOST_SHOWN_BYTES)
        add(&words, "%s", node->text);
    else {
        add_quoted(&words, node->plain ? "" : "the text ", node->text, node->length);
    }
    return words;
}

sn_words sn_companions(const sn_section *section, const sn_schema_key *key)
{
    sn_words words = {""};
    for (int i = 0; i < section->n_keys; i++)
        if (section->keys[i].alternative && key->goes_with & 1u << section->keys[i].alternative)
            add(&words, "%s%s", words.text[0] ? ", " : "", section->keys[i].name);
    return words;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

int sn_count_typos(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST_COMPARED || m > LONGEST_COMPARED)
        return LONGEST_COMPARED;
    int typos[LONGEST_COMPARED + 1][LONGEST_COMPARED + 1];
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                typos[i][j] = (int)(i + j);
                continue;
            }
            int changed = typos[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            typos[i][j] = least(changed, 1 + least(typos[i - 1][j], typos[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                typos[i][j] = least(typos[i][j], 1 + typos[i - 2][j - 2]);
        }
    return typos[n][m];
}

const char *sn_nearest_key(const sn_section *section, const char *text)
{
    const char *nearest = NULL;
    int fewest = 3; /* more typos than two and it is another word */
    for (int i = 0; i < section->n_keys; i++) {
        const char *name = section->keys[i].name;
        int typos = sn_count_typos(text, name);
        if (typos < fewest && 2 * (size_t)typos < strlen(name)) {
            fewest = typos;
            nearest = name;
        }
    }
    return nearest;
}
