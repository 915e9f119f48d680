#include "io/motion/read.h"

#include "io/schema/origin.h"
#include "io/text/text.h"
#include "io/text/whole_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { N_NUMBERS = 12 };

/* Matrices this near to rigid ones were meant to be rigid. */
static const double RIGID = 1e-4;

typedef SN_VECTOR(sn_affine) matrices;

/* So that blanks are all there is between numbers, and comments are blank. */
static void blank_out(char *text, size_t bytes)
{
    bool comment = false;
    for (size_t i = 0; i < bytes; i++) {
        bool line_end = text[i] == '\n' || text[i] == '\r';
        comment = !line_end && (comment || text[i] == '#');
        if (comment || text[i] == ',' || text[i] == ';')
            text[i] = ' ';
    }
}

/* Names; a number that is misspelt is not one. */
static bool is_header(const sn_text *text)
{
    sn_text ahead = *text;
    double ignored;
    return !sn_text_number(&ahead, &ignored) &&
           (isalpha((unsigned char)*text->at) || *text->at == '_' || *text->at == '"');
}

static sn_status read_matrix(sn_text *text, const char *name, sn_affine *matrix)
{
    for (int i = 0; i < N_NUMBERS; i++) {
        double *number = &matrix->row[i / 4][i % 4];
        if (!sn_text_more_on_line(text))
            return SN_FAIL(SN_BAD_INPUT, "%s:%" PRId64 ": expected %d numbers, got %d", name,
                           text->line, N_NUMBERS, i);
        sn_excerpt found = sn_text_excerpt(text);
        if (!sn_text_number(text, number) || !isfinite(*number))
            return SN_FAIL(SN_BAD_INPUT,
                           "%s:%" PRId64 ": number %d: expected a finite number, "
                           "got \"%s\"",
                           name, text->line, i + 1, found.text);
    }
    if (sn_text_more_on_line(text))
        return SN_FAIL(SN_BAD_INPUT, "%s:%" PRId64 ": expected %d numbers, got more", name,
                       text->line, N_NUMBERS);
    sn_text_next_line(text);
    return SN_OK;
}

static sn_status read_matrices(sn_text *text, const char *name, matrices *frames)
{
    if (sn_text_more(text) && is_header(text))
        sn_text_next_line(text);
    while (sn_text_more(text)) {
        sn_affine matrix;
        SN_TRY(read_matrix(text, name, &matrix));
        sn_push(frames, matrix);
    }
    if (frames->count == 0)
        return SN_FAIL(SN_BAD_INPUT, "%s: has no frames, expected lines of %d numbers", name,
                       N_NUMBERS);
    return SN_OK;
}

static bool all_rigid(const matrices *frames)
{
    for (size_t f = 0; f < frames->count; f++)
        if (!(sn_affine_not_rigid(&frames->data[f]) <= RIGID))
            return false;
    return true;
}

static void keep_rigid(const matrices *frames, sn_joint *joint)
{
    sn_track *shift = &joint->track[SN_TRACK_SHIFT], *turn = &joint->track[SN_TRACK_TURN];
    shift->n = turn->n = frames->count;
    shift->value = SN_NEW(double, 3 * frames->count);
    turn->value = SN_NEW(double, 4 * frames->count);
    for (size_t f = 0; f < frames->count; f++) {
        const sn_affine *matrix = &frames->data[f];
        sn_quaternion q = sn_affine_turn(matrix);
        turn->value[4 * f] = q.w;
        sn_vec_store(q.v, turn->value + 4 * f + 1);
        for (int i = 0; i < 3; i++)
            shift->value[3 * f + (size_t)i] = matrix->row[i][3];
    }
}

static void keep_matrices(const matrices *frames, sn_joint *joint)
{
    sn_track *track = &joint->track[SN_TRACK_MATRIX];
    track->n = frames->count;
    track->value = SN_NEW(double, N_NUMBERS * frames->count);
    memcpy(track->value, frames->data, frames->count * sizeof *frames->data);
}

sn_status sn_motion_parse_csv(char *text, size_t bytes, const char *name, sn_skeleton *skeleton)
{
    *skeleton = (sn_skeleton){.fps = NAN};
    blank_out(text, bytes);
    sn_text cursor = sn_text_open(text, bytes, false);
    matrices frames = {0};
    sn_status status = read_matrices(&cursor, name, &frames);
    if (status == SN_OK) {
        sn_joint joint = {.name = sn_copy_text(""), .parent = -1, .rest = SN_IDENTITY};
        if (all_rigid(&frames))
            keep_rigid(&frames, &joint);
        else
            keep_matrices(&frames, &joint);
        skeleton->last = (double)(frames.count - 1);
        sn_push(&skeleton->joints, joint);
    }
    sn_vector_free(&frames);
    return status;
}

sn_status sn_motion_read_csv(const char *path, sn_skeleton *skeleton)
{
    sn_whole_file file;
    SN_TRY(sn_whole_file_read(path, &file));
    sn_status status = sn_motion_parse_csv(file.data, file.bytes, path, skeleton);
    sn_whole_file_free(&file);
    return status;
}
