#include "cli/arguments.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Readers ---- */

sn_status sn_read_flag(const char *command, const sn_option *option, const char *text, void *to)
{
    (void)command, (void)option, (void)text;
    *(bool *)to = true;
    return SN_OK;
}

sn_status sn_read_text(const char *command, const sn_option *option, const char *text, void *to)
{
    if (!*text)
        return SN_FAIL(SN_BAD_INPUT, "%s: %s needs a value; see 'sinew %s --help'", command,
                       option->name, command);
    *(const char **)to = text;
    return SN_OK;
}

bool sn_parse_whole(const char *text, int most, int *value, const char **rest)
{
    char *end;
    long number = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : 0;
    if (number < 1 || number > most)
        return false;
    *value = (int)number;
    *rest = end;
    return true;
}

sn_status sn_read_whole(const char *command, const sn_option *option, const char *text, void *to)
{
    const char *rest;
    if (!sn_parse_whole(text, option->most, to, &rest) || *rest)
        return SN_FAIL(SN_BAD_INPUT, "%s: %s needs a number from 1 to %d, not '%s'", command,
                       option->name, option->most, text);
    return SN_OK;
}

static bool parse_real(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

sn_status sn_read_positive(const char *command, const sn_option *option, const char *text, void *to)
{
    if (!parse_real(text, to) || !(*(double *)to > 0))
        return SN_FAIL(SN_BAD_INPUT, "%s: %s needs a number greater than 0, not '%s'", command,
                       option->name, text);
    return SN_OK;
}

sn_status sn_read_from_zero(const char *command, const sn_option *option, const char *text,
                            void *to)
{
    if (!parse_real(text, to) || !(*(double *)to >= 0))
        return SN_FAIL(SN_BAD_INPUT, "%s: %s needs a number from 0 on, not '%s'", command,
                       option->name, text);
    return SN_OK;
}

sn_status sn_read_override(const char *command, const sn_option *option, const char *text, void *to)
{
    if (!*text)
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: %s needs a key and a value, as in -P partition.method=parmetis",
                       command, option->name);
    sn_overrides_add(to, "%s", text);
    return SN_OK;
}

bool sn_parse_pixels(const char *text, int *width, int *height)
{
    char rest;
    return sscanf(text, "%6dx%6d%c", width, height, &rest) == 2;
}

/* ---- Help ---- */

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

/* As wide as an option with its value is printed. */
static int width_of(const sn_option *option)
{
    return (int)strlen(option->name) + (option->value ? 1 + (int)strlen(option->value) : 0);
}

/* Text at a margin, after as many columns as are taken already. */
static void print_at(int margin, int taken, const char *text)
{
    for (const char *end; *text; text = end, taken = 0) {
        end = strchr(text, '\n');
        end = end ? end + 1 : text + strlen(text);
        printf("%*s%.*s", margin - taken, "", (int)(end - text), text);
    }
}

static void print_option(const sn_option *option, int widest)
{
    enum { INDENT = 2, GAP = 2 };
    printf("%*s%s%s%s", INDENT, "", option->name, option->value ? " " : "",
           option->value ? option->value : "");
    print_at(INDENT + widest + GAP, INDENT + width_of(option), option->help);
    if (option->unless != 0)
        printf("; %g if not given", option->unless);
    printf("\n");
}

static void print_help(const sn_command_line *line)
{
    static const char first[] = "usage: ";
    printf("%s", first);
    print_at((int)strlen(first), (int)strlen(first), line->usage);
    printf("\n\n%s\n\n", line->about);
    int widest = 0;
    for (int i = 0; i < line->n_options; i++)
        widest = width_of(&line->option[i]) > widest ? width_of(&line->option[i]) : widest;
    for (int i = 0; i < line->n_options; i++)
        print_option(&line->option[i], widest);
    if (line->notes)
        printf("\n%s\n", line->notes);
    if (line->print_more)
        line->print_more();
}

/* ---- The line ---- */

static const sn_option *find_option(const sn_command_line *line, const char *name)
{
    for (int i = 0; i < line->n_options; i++)
        if (strcmp(line->option[i].name, name) == 0)
            return &line->option[i];
    return NULL;
}

/* argv ends with a NULL: where a value is missing there is nothing behind it. */
static sn_status take_option(const sn_command_line *line, char **argv, int *i, char *arguments)
{
    const sn_option *option = find_option(line, argv[*i]);
    if (!option)
        return SN_FAIL(SN_BAD_INPUT, "%s: unknown option '%s'; see 'sinew %s --help'", line->name,
                       argv[*i], line->name);
    const char *text = NULL;
    if (option->value) {
        text = argv[*i + 1] ? argv[*i + 1] : "";
        *i += argv[*i + 1] != NULL;
    }
    return option->read(line->name, option, text, arguments + option->to);
}

static sn_status take_plain(const sn_command_line *line, const char *text, char *arguments)
{
    const char **plain = (const char **)(void *)(arguments + line->plain_to);
    if (*plain && line->second) {
        plain = (const char **)(void *)(arguments + line->second_to);
        if (*plain)
            return SN_FAIL(SN_BAD_INPUT, "%s: one %s, not '%s' and '%s'", line->name, line->second,
                           *plain, text);
    }
    if (*plain)
        return SN_FAIL(SN_BAD_INPUT, "%s: one %s, not '%s' and '%s'", line->name, line->plain,
                       *plain, text);
    *plain = text;
    return SN_OK;
}

sn_status sn_require_plain(const sn_command_line *line, const char *given)
{
    return given ? SN_OK
                 : SN_FAIL(SN_BAD_INPUT, "%s: which %s? see 'sinew %s --help'", line->name,
                           line->plain, line->name);
}

sn_status sn_command_line_run(const sn_command_line *line, MPI_Comm comm, int argc, char **argv,
                              void *arguments)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (asks_for_help(argc, argv)) {
        if (rank == 0)
            print_help(line);
        return SN_OK;
    }
    for (int i = 1; i < argc; i++)
        SN_TRY(argv[i][0] == '-' ? take_option(line, argv, &i, arguments)
                                 : take_plain(line, argv[i], arguments));
    return line->act(comm, arguments);
}

/* ---- Values for keys of a scene ---- */

void sn_overrides_add(sn_overrides *o, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t bytes = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    char *text = SN_NEW(char, bytes);
    vsnprintf(text, bytes, format, again);
    va_end(again);
    va_end(arguments);
    sn_push(&o->list, text);
}

void sn_overrides_free(sn_overrides *o)
{
    for (size_t i = 0; i < o->list.count; i++)
        sn_free((void *)o->list.data[i]);
    sn_vector_free(&o->list);
}

sn_status sn_overrides_read_scene(MPI_Comm comm, const char *path, const sn_overrides *o,
                                  sn_scene *scene)
{
    return sn_scene_read(comm, path, o->list.data, (int)o->list.count, scene);
}
