#include "run/faults.h"

#include "io/text/part_file.h"
#include "io/text/utf8.h"
#include "io/text/whole_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 26, COLUMNS = 12, LONGEST_SHOWN = 300, MOST_SUBSTEPS = 10000 };

#define HEADER "frame,fault,body,count,least_det_f,x,y,z,nearest,distance,way_a_substep,cell"

static const char *const KIND[SN_FAULT_KINDS] = {"inverted", "unsolved"};

/* Flesh that is pushed farther than that, in parts of a cell a substep, may fold. */
static const double FAR = 0.5;
/* What is so many cells away has nothing to do with it. */
static const double NEAR = 3;

/* ---- The file ---- */

void sn_fault_name(char to[SN_FAULT_NAME_BYTES], const char *kind, const char *name)
{
    snprintf(to, SN_FAULT_NAME_BYTES, "%s%s%s", kind, kind[0] ? " " : "", name);
    to[sn_utf8_span(to, strlen(to), "")] = '\0'; /* it may have been cut within a character */
    for (char *c = to; *c; c++)
        if (*c == ',')
            *c = ' ';
}

static void write_row(FILE *out, const sn_fault *f)
{
    fprintf(out, "%d,%s,%s,%" PRId64 ",%.9g,%.9g,%.9g,%.9g,%s,%.9g,%.9g,%.9g\n", f->frame,
            KIND[f->kind], f->body, f->count, f->least, f->place[0], f->place[1], f->place[2],
            f->nearest, f->distance, f->way, f->cell);
}

sn_status sn_faults_write(const char *path, const sn_fault_list *faults)
{
    sn_part_file file;
    SN_TRY(sn_part_file_open(path, &file));
    fputs(HEADER "\n", file.stream);
    for (size_t i = 0; i < faults->count; i++)
        write_row(file.stream, &faults->data[i]);
    return sn_part_file_finish(&file, SN_OK);
}

/* Cuts a line at its commas; how many parts there are. */
static int split(char *line, char *part[COLUMNS])
{
    int n = 0;
    for (char *at = line; at && n <= COLUMNS; n++) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma++ = '\0';
        if (n < COLUMNS)
            part[n] = at;
        at = comma;
    }
    return n;
}

static bool to_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0';
}

static bool to_name(const char *text, char name[SN_FAULT_NAME_BYTES])
{
    size_t length = strlen(text);
    bool fits = length < SN_FAULT_NAME_BYTES && sn_utf8_span(text, length, "") == length;
    if (fits)
        memcpy(name, text, length + 1);
    return fits;
}

static bool to_kind(const char *text, sn_fault_kind *kind)
{
    for (int k = 0; k < SN_FAULT_KINDS; k++)
        if (strcmp(text, KIND[k]) == 0) {
            *kind = (sn_fault_kind)k;
            return true;
        }
    return false;
}

static bool read_row(char *line, sn_fault *f)
{
    static const double MOST = 1e15;
    char *part[COLUMNS];
    double frame, count;
    *f = (sn_fault){0};
    if (split(line, part) != COLUMNS || !to_number(part[0], &frame) ||
        !to_number(part[3], &count) || !to_kind(part[1], &f->kind) || !to_name(part[2], f->body) ||
        !to_name(part[8], f->nearest) || !to_number(part[4], &f->least) ||
        !to_number(part[9], &f->distance) || !to_number(part[10], &f->way) ||
        !to_number(part[11], &f->cell))
        return false;
    for (int d = 0; d < 3; d++)
        if (!to_number(part[5 + d], &f->place[d]))
            return false;
    if (!(fabs(frame) <= 1e6) || !(count >= 0 && count <= MOST))
        return false;
    f->frame = (int)frame;
    f->count = (int64_t)count;
    return true;
}

static sn_status read_rows(const char *path, char *text, sn_fault_list *faults)
{
    int number = 1;
    char *line = strtok_r(text, "\n", &text);
    bool good = line && strcmp(line, HEADER) == 0;
    for (; good && (line = strtok_r(NULL, "\n", &text)); number++) {
        sn_fault fault;
        good = read_row(line, &fault);
        if (good)
            sn_push(faults, fault);
    }
    return good ? SN_OK
                : SN_FAIL(SN_BAD_INPUT, "%.*s:%d: not the diagnosis that a run writes",
                          LONGEST_SHOWN, path, number);
}

sn_status sn_faults_read(const char *path, sn_fault_list *faults)
{
    sn_whole_file file;
    *faults = (sn_fault_list){0};
    if (access(path, F_OK) != 0)
        return SN_OK;
    SN_TRY(sn_whole_file_read_up_to(path, MOST_BYTES, &file));
    sn_status status = read_rows(path, file.data, faults);
    sn_whole_file_free(&file);
    if (status != SN_OK)
        sn_vector_free(faults);
    return status;
}

/* ---- Words ---- */

static void add(sn_fault_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(sn_fault_text *t, const char *format, ...)
{
    size_t used = strlen(t->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t->text + used, sizeof t->text - used, format, arguments);
    va_end(arguments);
}

sn_fault_text sn_fault_words(const sn_fault *f)
{
    sn_fault_text t = {""};
    if (f->count > 0)
        add(&t, "%" PRId64 " %s of body '%s' %s inverted, the worst (det F %.3g) at (%g, %g, %g)",
            f->count, f->count == 1 ? "element" : "elements", f->body, f->count == 1 ? "is" : "are",
            f->least, f->place[0], f->place[1], f->place[2]);
    else
        add(&t, "body '%s' is most deformed (det F %.3g) at (%g, %g, %g)", f->body, f->least,
            f->place[0], f->place[1], f->place[2]);
    if (f->nearest[0])
        add(&t, ", %.3g (%.1f cells) from %s, which moves %.2g cells a substep there", f->distance,
            f->distance / f->cell, f->nearest, f->way / f->cell);
    return t;
}

static bool is_near(const sn_fault *f)
{
    return f->nearest[0] && f->distance <= NEAR * f->cell;
}

sn_fault_text sn_fault_advice(const sn_fault *f, int substeps)
{
    sn_fault_text t = {""};
    double times = ceil(f->way / (FAR * f->cell));
    if (is_near(f) && times > 1 && times * substeps <= MOST_SUBSTEPS)
        add(&t,
            "frames.substeps: %d, so that it moves half a cell at most; or a slower start "
            "(frames.preroll); or ",
            (int)times * substeps);
    else if (f->kind == SN_FAULT_UNSOLVED)
        add(&t, "frames.substeps: %d; or ", 2 * substeps);
    add(&t, "a smaller cell, such as %.3g", f->cell / 2);
    if (is_near(f) && strncmp(f->nearest, "bone", 4) == 0)
        add(&t, "; or a bone that is thinner, or tied more softly (stiffness), there");
    else if (f->count > 0)
        add(&t, "; or stiffer flesh");
    return t;
}
