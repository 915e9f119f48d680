/* How keys of glTF files are joined, against what the specification says. Files are written here
 * in all their forms, with one node whose shift, turn or stretch is sampled.
 *
 * Splines: over every span the values are a cubic of its own, and tangents are its derivatives
 * there. A cubic is what the spline must give back, at every time. */
#include "helpers/base64.h"
#include "helpers/motion_files.h"

#include "base/pi.h"
#include "io/motion/read.h"

enum { N_KEYS = 4, TEXT_BYTES = 4096, MOST_NUMBERS = 64 };
static const double TOLERANCE = 1e-5; /* the file has floats */
static const float key_time[N_KEYS] = {0.25f, 0.5f, 1.5f, 2};

typedef struct {
    const char *way, *interpolation;
    size_t width, n_rows;
    float value[MOST_NUMBERS];
} sampler;

/* How the buffer is found: its text in the JSON. */
typedef enum { IN_TEXT, BESIDE, BINARY, N_FORMS } form;

static size_t make_buffer(const sampler *s, char *buffer)
{
    size_t bytes = s->n_rows * s->width * sizeof *s->value;
    memcpy(buffer, key_time, sizeof key_time);
    memcpy(buffer + sizeof key_time, s->value, bytes);
    return sizeof key_time + bytes;
}

static void make_json(const sampler *s, form how, char text[TEXT_BYTES])
{
    char buffer[(MOST_NUMBERS + N_KEYS) * sizeof(float)];
    size_t bytes = make_buffer(s, buffer);
    int length = snprintf(
        text, TEXT_BYTES,
        "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0]}],\n"
        "\"nodes\": [{\"name\": \"N\", \"translation\": [1, 2, 3], \"rotation\": [0, 0, 1, 0],\n"
        "\t\"scale\": [2, 2, 2]}],\n"
        "\"animations\": [{\"channels\": [{\"sampler\": 0, \"target\": {\"node\": 0, \"path\": "
        "\"%s\"}}],\n"
        "\t\"samplers\": [{\"input\": 0, \"output\": 1, \"interpolation\": \"%s\"}]}],\n"
        "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": %d, \"type\": "
        "\"SCALAR\"},\n"
        "\t{\"bufferView\": 1, \"componentType\": 5126, \"count\": %zu, \"type\": \"VEC%zu\"}],\n"
        "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": %zu},\n"
        "\t{\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu}],\n"
        "\"buffers\": [{\"byteLength\": %zu%s",
        s->way, s->interpolation, N_KEYS, s->n_rows, s->width, sizeof key_time, sizeof key_time,
        bytes - sizeof key_time, bytes,
        how == IN_TEXT  ? ", \"uri\": \"data:application/octet-stream;base64,"
        : how == BESIDE ? ", \"uri\": \"n.bin\""
                        : "");
    CHECK(length < TEXT_BYTES / 2, "the text is too long");
    if (how == IN_TEXT) {
        append_base64(text, buffer, bytes);
        strcat(text, "\"");
    }
    strcat(text, "}]}");
}

/* The parts of a binary file must be of whole words. */
static void write_glb(const sampler *s)
{
    char text[TEXT_BYTES], file[2 * TEXT_BYTES], buffer[(MOST_NUMBERS + N_KEYS) * sizeof(float)];
    make_json(s, BINARY, text);
    while (strlen(text) % 4 != 0)
        strcat(text, " ");
    unsigned json = (unsigned)strlen(text), numbers = (unsigned)make_buffer(s, buffer);
    unsigned header[5] = {0x46546C67, 2, 28 + json + numbers, json, 0x4E4F534A};
    unsigned next[2] = {numbers, 0x004E4942};
    memcpy(file, header, sizeof header);
    memcpy(file + 20, text, json);
    memcpy(file + 20 + json, next, sizeof next);
    memcpy(file + 28 + json, buffer, numbers);
    write_bytes("n.glb", file, header[2]);
}

static void write_files(const sampler *s)
{
    char text[TEXT_BYTES], buffer[(MOST_NUMBERS + N_KEYS) * sizeof(float)];
    make_json(s, IN_TEXT, text);
    write_text("n.gltf", text);
    make_json(s, BESIDE, text);
    write_text("beside.gltf", text);
    write_bytes("n.bin", buffer, make_buffer(s, buffer));
    write_glb(s);
}

/* What the samplers are of. A span's numbers are a cubic in the time; where two spans meet they
 * have the same value, but not the same slope. */
static double cubic(size_t span, size_t component, double t, double *slope)
{
    double c = 1 + (double)component, a = key_time[span], b = key_time[span + 1];
    double bump = c * ((double)span - 1.5);
    *slope = c * (0.5 - t + 0.75 * t * t) + bump * (2 * t - a - b);
    return 1 + c * t * (0.5 - 0.5 * t + 0.25 * t * t) + bump * (t - a) * (t - b);
}

static sampler make_spline(const char *way, size_t width)
{
    const float unused = 1e6f; /* the slopes before the first key and after the last */
    sampler s = {way, "CUBICSPLINE", width, 3 * N_KEYS, {0}};
    for (size_t k = 0; k < N_KEYS; k++)
        for (size_t i = 0; i < width; i++) {
            float *row = s.value + 3 * k * width + i;
            double before = unused, after = unused, value = 0, t = (double)key_time[k];
            if (k > 0)
                value = cubic(k - 1, i, t, &before);
            if (k + 1 < N_KEYS)
                value = cubic(k, i, t, &after);
            row[0] = (float)before, row[width] = (float)value, row[2 * width] = (float)after;
        }
    return s;
}

static void spline_by_hand(double time, size_t width, double row[4])
{
    double t = fmin(fmax(time, key_time[0]), key_time[N_KEYS - 1]), slope;
    size_t span = t < key_time[1] ? 0 : t < key_time[2] ? 1 : 2;
    for (size_t i = 0; i < width; i++)
        row[i] = cubic(span, i, t, &slope);
}

/* Other samplers have these rows. */
static const double turned[N_KEYS] = {0, 80, 200, 170}; /* degrees about z */

static void key_by_hand(size_t key, size_t width, double row[4])
{
    double half = turned[key] * SN_PI / 360;
    double turn[4] = {0, 0, sin(half), cos(half)};
    for (size_t i = 0; i < width; i++)
        row[i] = width == 4 ? turn[i] : (double)(key * key + i + 1) / 4;
}

static sampler make_keys(const char *way, const char *interpolation, size_t width)
{
    sampler s = {way, interpolation, width, N_KEYS, {0}};
    for (size_t k = 0; k < N_KEYS; k++) {
        double row[4];
        key_by_hand(k, width, row);
        for (size_t i = 0; i < width; i++)
            s.value[k * width + i] = (float)((k == 1 ? -1 : 1) * (width == 4 ? 1 : -1) * row[i]);
    }
    return s;
}

static size_t key_before(double time)
{
    size_t key = 0;
    while (key + 1 < N_KEYS && (double)key_time[key + 1] <= time)
        key++;
    return key;
}

static void step_by_hand(const sampler *s, double time, double row[4])
{
    for (size_t i = 0; i < s->width; i++)
        row[i] = (double)s->value[key_before(time) * s->width + i];
}

/* Angles about one axis go linearly; that the second key has the other sign changes nothing. */
static void linear_by_hand(const sampler *s, double time, double row[4])
{
    size_t k = key_before(time);
    double a = key_time[k], b = key_time[k + 1 < N_KEYS ? k + 1 : k];
    double t = time <= a || b <= a ? 0 : (time - a) / (b - a);
    const float *from = s->value + k * s->width, *to = t > 0 ? from + s->width : from;
    for (size_t i = 0; i < s->width; i++)
        row[i] = (1 - t) * (double)from[i] + t * (double)to[i];
    if (s->width < 4)
        return;
    double half = (turned[k] + t * (turned[t > 0 ? k + 1 : k] - turned[k])) * SN_PI / 360;
    row[0] = row[1] = 0, row[2] = sin(half), row[3] = cos(half);
}

/* The node's place from its numbers, of which one is sampled, by the book. */
static sn_affine pose_by_hand(const char *way, const double row[4])
{
    double shift[3] = {1, 2, 3}, turn[4] = {0, 0, 1, 0}, stretch[3] = {2, 2, 2}, length = 0;
    double *sampled = way[0] == 't' ? shift : way[0] == 'r' ? turn : stretch;
    memcpy(sampled, row, (way[0] == 'r' ? 4 : 3) * sizeof *row);
    for (int i = 0; i < 4; i++)
        length += turn[i] * turn[i];
    double x = turn[0], y = turn[1], z = turn[2], w = turn[3], n = 2 / length;
    double m[3][3] = {{1 - n * (y * y + z * z), n * (x * y - z * w), n * (x * z + y * w)},
                      {n * (x * y + z * w), 1 - n * (x * x + z * z), n * (y * z - x * w)},
                      {n * (x * z - y * w), n * (y * z + x * w), 1 - n * (x * x + y * y)}};
    sn_affine pose;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            pose.row[i][j] = j < 3 ? m[i][j] * stretch[j] : shift[i];
    return pose;
}

static void check_times(const sampler *s, const sn_skeleton *skeleton, const char *file)
{
    for (int i = 0; i <= 72; i++) { /* every key is among them, and times outside */
        double time = i / 32.0, row[4] = {0};
        if (s->interpolation[0] == 'C')
            spline_by_hand(time, s->width, row);
        else if (s->interpolation[0] == 'S')
            step_by_hand(s, time, row);
        else
            linear_by_hand(s, time, row);
        sn_affine expected = pose_by_hand(s->way, row), got = sn_skeleton_pose(skeleton, 0, time);
        CHECK(pose_difference(&expected, &got) < TOLERANCE, "%s, %s, %s at %g: %g off", file,
              s->way, s->interpolation, time, pose_difference(&expected, &got));
    }
}

static void check_sampler(const sampler *s)
{
    static const char *const files[N_FORMS] = {"n.gltf", "beside.gltf", "n.glb"};
    write_files(s);
    for (int f = 0; f < N_FORMS; f++) {
        sn_skeleton skeleton, shared;
        sn_status status = sn_motion_read_gltf(file_in_folder(files[f]).text, NULL, &skeleton);
        CHECK(status == SN_OK, "%s", sn_failure_message());
        if (status == SN_OK) {
            CHECK(skeleton.last == 2, "ends at %g", skeleton.last);
            check_times(s, &skeleton, files[f]);
            shared = sn_skeleton_chain(&skeleton, 0);
            sn_skeleton_share(MPI_COMM_WORLD, &shared);
            check_times(s, &shared, "a copy");
            sn_skeleton_free(&shared);
            sn_skeleton_free(&skeleton);
        }
        remove_file(files[f]);
    }
    remove_file("n.bin");
}

/* The first `old`. */
static void replace(char text[TEXT_BYTES], const char *old, const char *fresh)
{
    char changed[TEXT_BYTES];
    char *at = strstr(text, old);
    CHECK(at, "no %s", old);
    if (!at)
        return;
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, fresh, at + strlen(old));
    strcpy(text, changed);
}

/* Turns in 16 bits, as exporters pack them. */
static void packed_turns(void)
{
    sampler s = make_keys("rotation", "LINEAR", 4);
    short packed[4 * N_KEYS];
    char text[TEXT_BYTES];
    for (int i = 0; i < 4 * N_KEYS; i++)
        packed[i] = (short)lrint(32767 * (double)s.value[i]);
    make_json(&s, BESIDE, text);
    replace(text, "5126, \"count\": 4, \"type\": \"V",
            "5122, \"normalized\": true, \"count\": 4, \"type\": \"V");
    write_text("short.gltf", text);
    char buffer[sizeof key_time + sizeof s.value];
    size_t bytes = make_buffer(&s, buffer);
    memcpy(buffer + sizeof key_time, packed, sizeof packed);
    write_bytes("n.bin", buffer, bytes);
    sn_skeleton skeleton;
    sn_status status = sn_motion_read_gltf(file_in_folder("short.gltf").text, NULL, &skeleton);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    for (int k = 0; status == SN_OK && k < N_KEYS; k++) {
        double row[4];
        step_by_hand(&s, key_time[k], row);
        sn_affine expected = pose_by_hand(s.way, row),
                  got = sn_skeleton_pose(&skeleton, 0, key_time[k]);
        CHECK(pose_difference(&expected, &got) < 3e-4, "key %d: %g off", k,
              pose_difference(&expected, &got));
    }
    if (status == SN_OK)
        sn_skeleton_free(&skeleton);
    remove_file("short.gltf");
    remove_file("n.bin");
}

/* With the first `old` in the file replaced. */
static void refuse(const sampler *s, const char *old, const char *fresh, const char *message)
{
    char text[TEXT_BYTES];
    make_json(s, IN_TEXT, text);
    replace(text, old, fresh);
    write_text("bad.gltf", text);
    sn_skeleton skeleton;
    sn_status status = sn_motion_read_gltf(file_in_folder("bad.gltf").text, NULL, &skeleton);
    CHECK(status == SN_BAD_INPUT && strstr(sn_failure_message(), "bad.gltf: ") &&
              strstr(sn_failure_message(), message),
          "%s: status %d: %s", message, status, sn_failure_message());
    if (status == SN_OK)
        sn_skeleton_free(&skeleton);
    remove_file("bad.gltf");
}

static void bad_files(void)
{
    sampler spline = make_spline("translation", 3), turn = make_keys("rotation", "STEP", 4);
    refuse(&spline, "\"count\": 12", "\"count\": 11",
           "animations[0].samplers[0]: expected 12 values and tangents for 4 keys, got 11");
    refuse(&spline, "CUBICSPLINE", "LINEAR", "expected 4 values for 4 keys, got 12");
    refuse(&spline, "CUBICSPLINE", "BEZIER", "LINEAR, STEP or CUBICSPLINE, got \"BEZIER\"");
    refuse(&spline, "\"count\": 12", "\"count\": 13", "accessors[1]: goes on after the end");
    refuse(&spline, "\"count\": 12", "\"count\": 1e15", "accessors[1]: goes on after the end");
    refuse(&spline, "\"count\": 12", "\"count\": -1", "accessors[1].count: expected a whole");
    refuse(&spline, "\"byteLength\": 144", "\"byteLength\": 145", "bufferViews[1]: goes on after");
    refuse(&spline, "\"byteLength\": 160", "\"byteLength\": 1600",
           "buffers[0]: expected 1600 bytes, got 160");
    refuse(&spline, "base64,", "base64,AAA*", "buffers[0]: expected 160 bytes, got 2");
    refuse(&spline, "VEC3", "VEC4", "accessors[1]: expected the type VEC3, got \"VEC4\"");
    refuse(&spline, "\"type\"", "\"sparse\": {}, \"type\"", "accessors[0]: is sparse");
    refuse(&spline, "5126", "5123", "accessors[0]: expected floats or normalized");
    refuse(&spline, "\"output\": 1", "\"output\": 7", "accessors[7]: expected an object");
    refuse(&spline, "\"sampler\": 0", "\"sampler\": 1", "samplers[1]: expected an object");
    refuse(&spline, "\"translation\"", "\"matrix\": [1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1], \"x\"",
           "nodes[0] is moved by");
    refuse(&turn, "[1, 2, 3]", "[1, 2]", "nodes[0].translation: expected 3 finite numbers");
    spline.value[7] = NAN;
    refuse(&spline, "N", "N", "samplers[0] has a key that is not finite");
    memset(turn.value + 8, 0, 4 * sizeof *turn.value);
    refuse(&turn, "N", "N", "samplers[0]: key 3 is a rotation without a length");
}

/* Between a turn and its opposite a spline without slopes passes through nothing. */
static void opposite_turns(void)
{
    sampler s = {"rotation", "CUBICSPLINE", 4, 3 * N_KEYS, {0}};
    for (int k = 0; k < N_KEYS; k++)
        s.value[12 * k + 7] = k % 2 == 0 ? 1 : -1;
    char text[TEXT_BYTES];
    make_json(&s, IN_TEXT, text);
    write_text("n.gltf", text);
    sn_skeleton skeleton;
    sn_status status = sn_motion_read_gltf(file_in_folder("n.gltf").text, NULL, &skeleton);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    sn_affine pose = sn_skeleton_pose(&skeleton, 0, 1);
    CHECK(sn_affine_is_finite(&pose), "half-way");
    if (status == SN_OK)
        sn_skeleton_free(&skeleton);
    remove_file("n.gltf");
}

/* A node without a name goes by its place in the list. */
static void nameless(void)
{
    sampler s = make_keys("translation", "LINEAR", 3);
    char text[TEXT_BYTES];
    make_json(&s, IN_TEXT, text);
    replace(text, "\"name\": \"N\", ", "");
    write_text("n.gltf", text);
    sn_skeleton skeleton;
    sn_status status = sn_motion_read_gltf(file_in_folder("n.gltf").text, NULL, &skeleton);
    CHECK(status == SN_OK && sn_skeleton_find(&skeleton, "nodes[0]") == 0, "%s",
          sn_failure_message());
    if (status == SN_OK) {
        check_times(&s, &skeleton, "nameless");
        sn_skeleton_free(&skeleton);
    }
    remove_file("n.gltf");
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    static const char *const ways[] = {"translation", "rotation", "scale"};
    make_folder();
    for (int w = 0; w < 3; w++) {
        size_t width = w == 1 ? 4 : 3;
        sampler spline = make_spline(ways[w], width), step = make_keys(ways[w], "STEP", width),
                linear = make_keys(ways[w], "LINEAR", width);
        check_sampler(&spline);
        check_sampler(&step);
        check_sampler(&linear);
    }
    packed_turns();
    opposite_turns();
    nameless();
    bad_files();
    remove_folder();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
