/* The walkers that print: values as YAML, and the tables as a reference. */
#include "io/schema/schema.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 2, MOST_SECTIONS = 64 };

/* With as few digits as bring back the same number. */
void sn_write_real(double real, FILE *out)
{
    char text[32];
    int digits = 6;
    do
        snprintf(text, sizeof text, "%.*g", digits, real);
    while (strtod(text, NULL) != real && ++digits <= 17);
    fputs(text, out);
}

static void write_real_of(const sn_schema_key *key, double real, FILE *out)
{
    const sn_named_real *named = sn_name_of_real(key, real);
    if (named)
        fputs(named->name, out);
    else
        sn_write_real(real, out);
}

static void write_reals(const sn_schema_key *key, const double *reals, FILE *out)
{
    for (int i = 0; i < key->count; i++) {
        fputs(i ? ", " : "[", out);
        sn_write_real(reals[i], out);
    }
    fputc(']', out);
}

static void write_choices(const sn_schema_key *key, int bits, FILE *out)
{
    const char *separator = "";
    fputc('[', out);
    for (int i = 0; key->choices[i]; i++)
        if (bits >> i & 1) {
            fprintf(out, "%s%s", separator, key->choices[i]);
            separator = ", ";
        }
    fputc(']', out);
}

void sn_write_text(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

bool sn_is_left_out(const sn_schema_key *key, const void *member)
{
    switch (key->type) {
    case SN_TYPE_REAL:
    case SN_TYPE_REALS:
        return isnan(*(const double *)member);
    case SN_TYPE_INTEGER:
    case SN_TYPE_CHOICES:
        return *(const int *)member == SN_LEFT_OUT;
    case SN_TYPE_TEXT:
        return !*(char *const *)member;
    case SN_TYPE_SECTION:
        return sn_section_given(key->section, member) == 0;
    default:
        return sn_is_pairs(key) && ((const sn_pairs *)member)->count == 0;
    }
}

void sn_write_scalar(const sn_schema_key *key, const void *member, FILE *out)
{
    switch (key->type) {
    case SN_TYPE_REAL:
        write_real_of(key, *(const double *)member, out);
        break;
    case SN_TYPE_INTEGER:
        fprintf(out, "%d", *(const int *)member);
        break;
    case SN_TYPE_BOOLEAN:
        fputs(*(const bool *)member ? "true" : "false", out);
        break;
    case SN_TYPE_TEXT:
        sn_write_text(*(char *const *)member, out);
        break;
    case SN_TYPE_CHOICE:
        fputs(key->choices[*(const int *)member], out);
        break;
    case SN_TYPE_CHOICES:
        write_choices(key, *(const int *)member, out);
        break;
    case SN_TYPE_REALS:
        write_reals(key, member, out);
        break;
    default:
        sn_pairs_write(key, member, out);
        break;
    }
}

static void write_keys(const sn_section *section, const void *value, int first, int indent,
                       FILE *out);

static void write_list(const sn_schema_key *key, const void *member, int indent, FILE *out)
{
    sn_any_vector list;
    memcpy(&list, member, sizeof list);
    fputs(list.count ? "\n" : " []\n", out);
    for (size_t i = 0; i < list.count; i++) {
        fprintf(out, "%*s- ", indent, "");
        write_keys(key->section, (const char *)list.data + i * key->section->size, 0, indent + STEP,
                   out);
    }
}

/* The first line may stand behind a list's dash, with an indentation of its own. */
static void write_keys(const sn_section *section, const void *value, int first, int indent,
                       FILE *out)
{
    int alternative = sn_section_given(section, value);
    for (int i = 0; i < section->n_keys; i++) {
        const sn_schema_key *key = &section->keys[i];
        const void *member = sn_const_member(key, value);
        if (!sn_key_applies(key, alternative) || sn_is_left_out(key, member))
            continue;
        fprintf(out, "%*s%s:", first, "", key->name);
        first = indent;
        if (key->type == SN_TYPE_LIST) {
            write_list(key, member, indent + STEP, out);
        } else if (key->type == SN_TYPE_SECTION) {
            fputc('\n', out);
            write_keys(key->section, member, indent + STEP, indent + STEP, out);
        } else {
            fputc(' ', out);
            sn_write_scalar(key, member, out);
            fputc('\n', out);
        }
    }
}

void sn_section_write(const sn_section *section, const void *value, FILE *out)
{
    write_keys(section, value, 0, 0, out);
}

/* A section that several others use is explained once. */
typedef struct {
    const sn_section *seen[MOST_SECTIONS];
    int count;
    FILE *out;
} describer;

static bool seen_before(describer *d, const sn_section *section)
{
    for (int i = 0; i < d->count; i++)
        if (d->seen[i] == section)
            return true;
    if (d->count < MOST_SECTIONS)
        d->seen[d->count++] = section;
    return false;
}

static void describe_type(const sn_schema_key *key, FILE *out)
{
    if (key->type == SN_TYPE_SECTION)
        fprintf(out, "%s", key->section->name);
    else if (key->type == SN_TYPE_LIST)
        fprintf(out, "%s, each %s", sn_expected(key).text, key->section->name);
    else
        fprintf(out, "%s", sn_expected(key).text);
    if (key->required)
        fputs("; required", out);
    else if (key->fallback)
        fprintf(out, "; default %s", key->fallback);
    else if (!key->alternative && key->type != SN_TYPE_LIST)
        fputs("; optional", out);
}

static void describe_keys(describer *d, const sn_section *section, int indent);

static void describe_key(describer *d, const sn_section *section, const sn_schema_key *key,
                         int indent)
{
    fprintf(d->out, "%*s%s: <", indent, "", key->name);
    describe_type(key, d->out);
    if (key->goes_with)
        fprintf(d->out, "; goes with %s", sn_companions(section, key).text);
    fprintf(d->out, ">\n%*s  # %s\n", indent, "", key->help);
    if (key->section && seen_before(d, key->section))
        fprintf(d->out, "%*s  # keys: as in %s above\n", indent, "", key->section->name);
    else if (key->section)
        describe_keys(d, key->section, indent + 2 * STEP);
}

static void describe_keys(describer *d, const sn_section *section, int indent)
{
    sn_words alternatives = sn_key_names(section, true);
    if (alternatives.text[0])
        fprintf(d->out, "%*s# exactly one of: %s\n", indent, "", alternatives.text);
    for (int i = 0; i < section->n_keys; i++)
        describe_key(d, section, &section->keys[i], indent);
}

void sn_section_describe(const sn_section *section, FILE *out)
{
    describer d = {.out = out};
    describe_keys(&d, section, 0);
}

static const sn_schema_key *find_key(const sn_section *section, const char *name, size_t length)
{
    for (int i = 0; section && i < section->n_keys; i++)
        if (strlen(section->keys[i].name) == length &&
            memcmp(section->keys[i].name, name, length) == 0)
            return &section->keys[i];
    return NULL;
}

static sn_status no_key(const sn_section *section, const char *path)
{
    const char *nearest = sn_nearest_key(section, path);
    return SN_FAIL(SN_BAD_INPUT, "there is no key '%s' in %s%s%s%s; its keys are %s", path,
                   section->name, nearest ? ": is it '" : "", nearest ? nearest : "",
                   nearest ? "'?" : "", sn_key_names(section, false).text);
}

sn_status sn_section_describe_part(const sn_section *section, const char *path, FILE *out)
{
    size_t length = strcspn(path, ".");
    const sn_schema_key *key = find_key(section, path, length);
    if (!key || (path[length] && !key->section))
        return no_key(section, path);
    if (path[length])
        return sn_section_describe_part(key->section, path + length + 1, out);
    describer d = {.out = out};
    describe_key(&d, section, key, 0);
    return SN_OK;
}
