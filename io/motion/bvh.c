#include "io/motion/read.h"

#include "io/schema/origin.h"
#include "io/text/text.h"
#include "io/text/whole_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CHANNELS = 6, MOST_JOINTS = 100000, MOST_FRAMES = 100000000, NAME_BYTES = 128 };

/* Rates this near to a whole number (relatively) are one: frame times are written with few
 * digits. Those of television, 29.97 and 23.976, are five times farther away. */
static const double WHOLE_RATE = 2e-4;

/* A channel is a direction, 0 to 2, of a position or of a turn. */
typedef struct {
    bool turns;
    int axis;
} channel;

typedef struct {
    int n;
    channel channel[MOST_CHANNELS];
    bool shifts; /* any of them is a position */
    sn_vec offset;
} joint_channels;

typedef struct {
    sn_text text;
    const char *name;
    sn_bvh_positions positions;
    sn_skeleton *skeleton;
    SN_VECTOR(joint_channels) channels; /* for each joint */
    int open;                           /* the joint whose braces are open, or -1 */
    int64_t n_frames;
} bvh;

static sn_status fail(const bvh *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static sn_status fail(const bvh *b, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return SN_FAIL(SN_BAD_INPUT, "%s:%" PRId64 ": %s", b->name, b->text.line, message);
}

static sn_status fail_expected(const bvh *b, const char *expected)
{
    sn_excerpt found = sn_text_excerpt(&b->text);
    if (b->text.at == b->text.end)
        return fail(b, "expected %s, but the file ends here", expected);
    return fail(b, "expected %s, got %s%s%s", expected, found.text[0] ? "\"" : "",
                found.text[0] ? found.text : "the end of the line", found.text[0] ? "\"" : "");
}

/* The next word, on this line or a later one, if it is this one. */
static bool take(bvh *b, const char *word)
{
    if (!sn_text_more(&b->text))
        return false;
    sn_text ahead = b->text;
    if (!sn_word_is_nocase(sn_text_word(&ahead), word))
        return false;
    b->text = ahead;
    return true;
}

static sn_status expect(bvh *b, const char *word, const char *expected)
{
    return take(b, word) ? SN_OK : fail_expected(b, expected);
}

static sn_status number(bvh *b, const char *expected, double *value)
{
    sn_text before = b->text;
    if (!sn_text_number(&b->text, value))
        return fail_expected(b, expected);
    if (!isfinite(*value))
        return fail(b, "expected %s, got \"%s\"", expected, sn_text_excerpt(&before).text);
    return SN_OK;
}

static sn_status whole_number(bvh *b, const char *expected, int64_t most, int64_t *value)
{
    sn_text before = b->text;
    sn_text_more_on_line(&b->text);
    if (!sn_text_digits(&b->text, value) || !sn_text_at_word_end(&b->text) || *value < 0 ||
        *value > most) {
        b->text = before;
        sn_text_more_on_line(&b->text);
        return fail_expected(b, expected);
    }
    return SN_OK;
}

/* The rest of the line up to a brace, which may hold blanks. */
static sn_status read_name(bvh *b, char name[NAME_BYTES])
{
    size_t length = 0;
    name[0] = '\0';
    while (sn_text_more_on_line(&b->text)) {
        sn_text ahead = b->text;
        sn_word word = sn_text_word(&ahead);
        if (sn_word_is(word, "{"))
            break;
        if (length + word.length + 2 > NAME_BYTES)
            return fail(b, "the joint's name is too long");
        if (length > 0)
            name[length++] = ' ';
        memcpy(name + length, word.start, word.length);
        length += word.length;
        name[length] = '\0';
        b->text = ahead;
    }
    if (length == 0)
        return fail_expected(b, "a joint's name");
    return SN_OK;
}

static sn_status read_channel(bvh *b, joint_channels *channels)
{
    static const char *const names[MOST_CHANNELS] = {"Xposition", "Yposition", "Zposition",
                                                     "Xrotation", "Yrotation", "Zrotation"};
    sn_text ahead = b->text;
    sn_word word = sn_text_word(&ahead);
    for (int c = 0; c < MOST_CHANNELS; c++)
        if (sn_word_is_nocase(word, names[c])) {
            bool turns = c >= 3;
            for (int i = 0; !turns && i < channels->n; i++)
                if (!channels->channel[i].turns && channels->channel[i].axis == c)
                    return fail(b, "%s is there twice", names[c]);
            channels->channel[channels->n++] = (channel){turns, c % 3};
            channels->shifts = channels->shifts || !turns;
            b->text = ahead;
            return SN_OK;
        }
    return fail_expected(b, "a channel such as Xposition or Zrotation");
}

static sn_status read_offset(bvh *b, sn_joint *joint, joint_channels *channels)
{
    SN_TRY(expect(b, "OFFSET", "OFFSET"));
    double offset[3];
    for (int d = 0; d < 3; d++) {
        SN_TRY(number(b, "three finite numbers for the OFFSET", &offset[d]));
        joint->rest.row[d][3] = offset[d];
    }
    channels->offset = sn_vec_load(offset);
    return SN_OK;
}

static sn_status read_channels(bvh *b, joint_channels *channels)
{
    int64_t n;
    if (!take(b, "CHANNELS"))
        return SN_OK;
    SN_TRY(whole_number(b, "a number of channels from 0 to 6", MOST_CHANNELS, &n));
    for (int64_t c = 0; c < n; c++)
        SN_TRY(read_channel(b, channels));
    return SN_OK;
}

/* From its name to its CHANNELS; it is in the skeleton whatever happens. */
static sn_status read_joint(bvh *b, const char *name, bool is_end)
{
    if (b->skeleton->joints.count >= MOST_JOINTS)
        return fail(b, "more than %d joints", MOST_JOINTS);
    sn_joint fresh = {
        .name = sn_copy_text(name), .parent = b->open, .is_end = is_end, .rest = SN_IDENTITY};
    sn_push(&b->skeleton->joints, fresh);
    sn_push(&b->channels, ((joint_channels){0}));
    b->open = (int)b->skeleton->joints.count - 1;
    SN_TRY(expect(b, "{", "an opening brace"));
    joint_channels *channels = &b->channels.data[b->open];
    SN_TRY(read_offset(b, &b->skeleton->joints.data[b->open], channels));
    return is_end ? SN_OK : read_channels(b, channels);
}

static sn_status read_named_joint(bvh *b)
{
    char name[NAME_BYTES];
    SN_TRY(read_name(b, name));
    return read_joint(b, name, false);
}

static sn_status read_end(bvh *b)
{
    char name[NAME_BYTES + 8];
    SN_TRY(expect(b, "Site", "\"Site\" after \"End\""));
    snprintf(name, sizeof name, "%s.end", b->skeleton->joints.data[b->open].name);
    return read_joint(b, name, true);
}

/* What stands in the braces of a joint after its channels, until the root's are closed. */
static sn_status read_children(bvh *b)
{
    while (b->open >= 0) {
        bool is_end = b->skeleton->joints.data[b->open].is_end;
        if (take(b, "}"))
            b->open = b->skeleton->joints.data[b->open].parent;
        else if (!is_end && take(b, "JOINT"))
            SN_TRY(read_named_joint(b));
        else if (!is_end && take(b, "End"))
            SN_TRY(read_end(b));
        else
            return fail_expected(b,
                                 is_end ? "a closing brace" : "JOINT, End Site or a closing brace");
    }
    return SN_OK;
}

static sn_status read_hierarchy(bvh *b)
{
    SN_TRY(expect(b, "HIERARCHY", "HIERARCHY at the beginning"));
    SN_TRY(expect(b, "ROOT", "ROOT"));
    do {
        SN_TRY(read_named_joint(b));
        SN_TRY(read_children(b));
    } while (take(b, "ROOT"));
    return SN_OK;
}

static double rate_of(double frame_time)
{
    double rate = 1 / frame_time, whole = round(rate);
    return whole > 0 && fabs(rate - whole) < WHOLE_RATE * whole ? whole : rate;
}

static sn_status read_motion_header(bvh *b)
{
    double frame_time;
    SN_TRY(expect(b, "MOTION", "MOTION or another ROOT"));
    SN_TRY(expect(b, "Frames:", "Frames:"));
    SN_TRY(whole_number(b, "a number of frames", MOST_FRAMES, &b->n_frames));
    if (b->n_frames == 0)
        return fail(b, "the motion has no frames");
    if (!take(b, "Frame"))
        return fail_expected(b, "Frame Time:");
    SN_TRY(expect(b, "Time:", "Time: after Frame"));
    SN_TRY(number(b, "the seconds that a frame takes", &frame_time));
    b->skeleton->fps = rate_of(frame_time);
    if (!(frame_time > 0) || !isfinite(b->skeleton->fps))
        return fail(b, "expected a frame time greater than 0, got %g", frame_time);
    b->skeleton->last = (double)(b->n_frames - 1);
    return SN_OK;
}

static void make_tracks(bvh *b)
{
    for (size_t j = 0; j < b->skeleton->joints.count; j++) {
        sn_joint *joint = &b->skeleton->joints.data[j];
        const joint_channels *channels = &b->channels.data[j];
        if (channels->n == 0)
            continue; /* as at rest */
        sn_track *shift = &joint->track[SN_TRACK_SHIFT], *turn = &joint->track[SN_TRACK_TURN];
        shift->n = channels->shifts ? (size_t)b->n_frames : 1;
        shift->value = SN_NEW(double, 3 * shift->n);
        sn_vec_store(channels->offset, shift->value);
        turn->n = (size_t)b->n_frames;
        turn->value = SN_NEW(double, 4 * turn->n);
    }
}

static sn_status read_joint_frame(bvh *b, size_t j, size_t frame, int64_t *n_read, int64_t n_all)
{
    static const sn_vec axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const joint_channels *channels = &b->channels.data[j];
    sn_joint *joint = &b->skeleton->joints.data[j];
    sn_quaternion turn = {.w = 1};
    double shift[3];
    sn_vec_store(channels->offset, shift);
    for (int c = 0; c < channels->n; c++, ++*n_read) {
        double value;
        if (!sn_text_more_on_line(&b->text))
            return fail(b, "frame %zu: expected %" PRId64 " numbers, got %" PRId64, frame + 1,
                        n_all, *n_read);
        SN_TRY(number(b, "a finite number", &value));
        int axis = channels->channel[c].axis;
        if (channels->channel[c].turns)
            turn = sn_quaternion_after(turn, sn_quaternion_by(axes[axis], value));
        else
            shift[axis] = b->positions == SN_BVH_ADDED ? shift[axis] + value : value;
    }
    if (channels->n == 0)
        return SN_OK;
    turn = sn_quaternion_unit(turn);
    double *row = joint->track[SN_TRACK_TURN].value + 4 * frame;
    row[0] = turn.w;
    sn_vec_store(turn.v, row + 1);
    if (channels->shifts)
        memcpy(joint->track[SN_TRACK_SHIFT].value + 3 * frame, shift, sizeof shift);
    return SN_OK;
}

static sn_status read_frame(bvh *b, size_t frame, int64_t n_all)
{
    int64_t n_read = 0;
    for (size_t j = 0; j < b->skeleton->joints.count; j++)
        SN_TRY(read_joint_frame(b, j, frame, &n_read, n_all));
    if (sn_text_more_on_line(&b->text))
        return fail(b, "frame %zu: expected %" PRId64 " numbers, got more", frame + 1, n_all);
    return SN_OK;
}

/* Lines that can still be there: a wrong number of frames must not be believed before. */
static int64_t lines_left(const bvh *b)
{
    int64_t lines = 1;
    for (const char *at = b->text.at; at < b->text.end; at++)
        lines += *at == '\n' || *at == '\r';
    return lines;
}

static sn_status read_frames(bvh *b)
{
    int64_t n_all = 0;
    for (size_t j = 0; j < b->channels.count; j++)
        n_all += b->channels.data[j].n;
    if (n_all == 0)
        return fail(b, "no joint has a channel, so nothing moves");
    if (sn_text_more_on_line(&b->text))
        return fail_expected(b, "the end of the line");
    if (lines_left(b) < b->n_frames)
        return fail(b, "expected %" PRId64 " frames, but only %" PRId64 " lines are left",
                    b->n_frames, lines_left(b) - 1);
    make_tracks(b);
    for (int64_t f = 0; f < b->n_frames; f++) {
        if (!sn_text_more(&b->text))
            return fail(b, "expected %" PRId64 " frames, got %" PRId64, b->n_frames, f);
        SN_TRY(read_frame(b, (size_t)f, n_all));
    }
    if (sn_text_more(&b->text))
        return fail_expected(b, "the end of the file after the last frame");
    return SN_OK;
}

sn_status sn_motion_parse_bvh(const char *text, size_t bytes, const char *name,
                              sn_bvh_positions positions, sn_skeleton *skeleton)
{
    *skeleton = (sn_skeleton){0};
    bvh b = {.text = sn_text_open(text, bytes, false),
             .name = name,
             .positions = positions,
             .skeleton = skeleton,
             .open = -1};
    sn_status status = read_hierarchy(&b);
    if (status == SN_OK)
        status = read_motion_header(&b);
    if (status == SN_OK)
        status = read_frames(&b);
    sn_vector_free(&b.channels);
    if (status != SN_OK)
        sn_skeleton_free(skeleton);
    return status;
}

sn_status sn_motion_read_bvh(const char *path, sn_bvh_positions positions, sn_skeleton *skeleton)
{
    sn_whole_file file;
    SN_TRY(sn_whole_file_read(path, &file));
    sn_status status = sn_motion_parse_bvh(file.data, file.bytes, path, positions, skeleton);
    sn_whole_file_free(&file);
    return status;
}
