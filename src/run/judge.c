#include "run/judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

sn_frame_faults sn_frame_faults_of(const sn_frame_row *row, const sn_frame_limits *limits)
{
    return (sn_frame_faults){.missed_tolerance = !(row->residual <= limits->residual),
                             .unresolved_contact =
                                 !(row->penetrated_cells <= limits->penetrated_cells),
                             .inverted = row->inverted > 0};
}

/* How many frames have a fault, and the first of them. */
typedef struct {
    int count;
    const sn_frame_row *first;
} tally;

static void count(tally *t, bool at_fault, const sn_frame_row *row)
{
    if (at_fault && t->count++ == 0)
        t->first = row;
}

/* Joins the sentences of a message; what does not fit is cut off. */
static void say(sn_verdict *v, const char *format, ...)
{
    size_t used = strlen(v->message);
    used += (size_t)snprintf(v->message + used, sizeof v->message - used, "%s", used ? "; " : "");
    if (used >= sizeof v->message)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->message + used, sizeof v->message - used, format, arguments);
    va_end(arguments);
    v->status = SN_INACCURATE;
}

sn_verdict sn_judge_frames(const sn_frame_row *row, size_t n, const sn_frame_limits *limits,
                           const char *failure)
{
    tally missed = {0}, deep = {0};
    for (size_t i = 0; i < n; i++) {
        sn_frame_faults faults = sn_frame_faults_of(&row[i], limits);
        count(&missed, faults.missed_tolerance, &row[i]);
        count(&deep, faults.unresolved_contact, &row[i]);
    }
    sn_verdict v = {SN_OK, ""};
    if (missed.count)
        say(&v, "%d frames missed the tolerance of %g, the first is frame %d with a residual of %g",
            missed.count, limits->residual, missed.first->frame, missed.first->residual);
    if (deep.count)
        say(&v,
            "%d frames have contact that is not resolved, deeper than %g finest cells, the first "
            "is frame %d with a depth of %g",
            deep.count, limits->penetrated_cells, deep.first->frame, deep.first->max_penetration);
    if (failure)
        say(&v, "%s", failure);
    return v;
}

sn_frame_line sn_frame_line_of(const sn_frame_row *row, int last_frame, double seconds_left)
{
    sn_frame_line line;
    snprintf(line.text, sizeof line.text,
             "frame %d of %d: newton %d, linear %d, residual %.2e, volume %.6g%s; %.1f s, %d:%02d "
             "left",
             row->frame, last_frame, row->newton, row->linear, row->residual, row->volume,
             row->inverted ? ", inverted elements" : "", row->seconds, (int)seconds_left / 60,
             (int)seconds_left % 60);
    return line;
}
