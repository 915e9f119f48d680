#include "init/init.h"

#include "shapes/shape.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* What flesh is like, in metres, kilograms and seconds. */
static const double GRAVITY = 9.81, DENSITY = 1000;
/* Young's modulus over the weight of a column as high as the character: so it sags by a part of it
 * under its own weight. */
static const double STIFF = 10, STIFF_ON_BONES = 3;
/* The springs of bones, over Young's modulus by a cell. */
static const double BONES_STIFF = 50;
enum { FPS = 24, LEAST_FRAMES = 24, MOST_FRAMES = 240 };
/* Joints should not move by more than this part of a cell in a substep. More substeps, or frames of
 * a preroll, than these are not proposed. */
static const double PART_OF_A_CELL = 0.5;
enum { LEAST_SUBSTEPS = 2, MOST_SUBSTEPS = 4, LEAST_PREROLL = 12, MOST_PREROLL = 48 };
static const double GIGABYTE = 1e9;

/* What the scene is written from. */
typedef struct {
    FILE *out;
    const char *character;
    const sn_survey *survey;
    const sn_init_rig *rig;
    int up; /* axis */
    double size;
} init;

static double metres(const init *t)
{
    return t->survey->unit.metres;
}

/* To two digits. */
static double rounded(double x)
{
    double unit = x > 0 ? pow(10, floor(log10(x)) - 1) : 1;
    return unit * round(x / unit);
}

static double side(const init *t, int axis)
{
    const sn_box *box = &t->survey->report.bounds;
    return box->max[axis] - box->min[axis];
}

static double middle(const init *t, int axis)
{
    const sn_box *box = &t->survey->report.bounds;
    return (box->max[axis] + box->min[axis]) / 2;
}

static bool ends_with(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcasecmp(path + n - m, ending) == 0;
}

/* y, as in most files; formats of scanners and printers have z, where that is the longer side. */
int sn_init_axis_up(const char *path, const sn_survey *s)
{
    const sn_box *box = &s->report.bounds;
    bool scanned = ends_with(path, ".ply") || ends_with(path, ".stl");
    return scanned && box->max[2] - box->min[2] > box->max[1] - box->min[1] ? 2 : 1;
}

/* ---- Words ---- */

/* As a double-quoted text of YAML. */
static void put_text(const init *t, const char *text)
{
    fputc('"', t->out);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(t->out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(t->out, "\\x%02x", (unsigned)*text);
        else
            fputc(*text, t->out);
    fputc('"', t->out);
}

/* A line of a comment may have any name in it, but for what would end the line. */
static void put_in_comment(const init *t, const char *text)
{
    for (; *text; text++)
        fputc((unsigned char)*text < 0x20 ? '?' : *text, t->out);
}

static void put_vector(const init *t, const double v[3])
{
    fprintf(t->out, "[%.6g, %.6g, %.6g]", v[0], v[1], v[2]);
}

/* The name of the file without folder and ending; of a built-in shape without its parameters. */
static void put_name(const init *t, const char *after)
{
    enum { LONGEST = 255 /* of a file's name */ };
    char name[LONGEST + 16];
    const char *from = t->character;
    if (sn_builtin_asked_for(from))
        from = strchr(from, ':') + 1;
    else if (strrchr(from, '/'))
        from = strrchr(from, '/') + 1;
    int length = (int)strcspn(from, sn_builtin_asked_for(t->character) ? "," : ".");
    snprintf(name, sizeof name, "%.*s%s", length < LONGEST ? length : LONGEST, from, after);
    put_text(t, name[0] ? name : "shot");
}

/* ---- The parts of the scene ---- */

static void put_head(const init *t)
{
    const sn_box *box = &t->survey->report.bounds;
    fprintf(t->out, "# A scene to begin with, made by 'sinew init ");
    put_in_comment(t, t->character);
    put_in_comment(t, t->rig->asked ? " " : "");
    put_in_comment(t, t->rig->asked ? t->rig->asked : "");
    fprintf(t->out, "'. Files are named relative to this one.\n"
                    "#   sinew run SCENE.yaml --dry-run     builds it\n"
                    "#   sinew run SCENE.yaml --preview     simulates it, with a picture a frame\n"
                    "#   sinew info --keys                  says what else a scene can have\n#\n");
    fprintf(t->out, "# Its box is ");
    put_vector(t, box->min);
    fprintf(t->out, " to ");
    put_vector(t, box->max);
    fprintf(
        t->out,
        ".\n# That is taken for %s: %.3g m along its longest side. Masses are in kilograms. If\n"
        "# the unit is another, change gravity, young and density.\n",
        t->survey->unit.name, t->size * metres(t));
    fprintf(t->out, "name: ");
    put_name(t, "");
    fprintf(t->out, "\n\n");
}

/* All of the motion, if that is not long. */
static int last_frame(const init *t)
{
    double frames = 1 + floor(t->rig->seconds * FPS + 1e-6);
    return (int)fmin(fmax(frames, LEAST_FRAMES), MOST_FRAMES);
}

/* By the motion's quickest moment, beside which most of it is slow. */
static int substeps_of(const init *t)
{
    double cells = t->rig->speed / FPS / t->survey->proposed;
    return (int)fmin(fmax(ceil(cells / PART_OF_A_CELL), LEAST_SUBSTEPS), MOST_SUBSTEPS);
}

/* In its middle a preroll is one and a half times as fast as on the whole. */
static int preroll_of(const init *t)
{
    double cells = 1.5 * t->rig->start / t->survey->proposed;
    double frames = ceil(cells / (PART_OF_A_CELL * substeps_of(t)) / 4) * 4;
    return (int)fmin(fmax(frames, LEAST_PREROLL), MOST_PREROLL);
}

static void put_frames(const init *t)
{
    double gravity[3] = {0};
    gravity[t->up] = -GRAVITY / metres(t);
    if (t->rig->from)
        fprintf(
            t->out,
            "# In the frames of the preroll bones come from their rest pose to the first one.\n");
    if (t->rig->from && t->rig->speed > 0)
        fprintf(
            t->out,
            "# At its quickest a bone swings by %.2g cells a frame, and from rest to the first\n"
            "# frame by %.2g: substeps and preroll keep it at half a cell a substep, or near it.\n",
            t->rig->speed / FPS / t->survey->proposed, t->rig->start / t->survey->proposed);
    fprintf(t->out, "frames: {first: 1, last: %d, fps: %d, substeps: %d", last_frame(t), FPS,
            substeps_of(t));
    fprintf(t->out, t->rig->from ? ", preroll: %d}\n\ngravity: " : "}\n\ngravity: ", preroll_of(t));
    put_vector(t, gravity);
    fprintf(t->out, "        # %c is up\n\n", "xyz"[t->up]);
}

/* Whether a cell that is wanted is the scene's, and if not, what it would take. */
static void put_wanted_cell(const init *t, const char *what, double wanted)
{
    const sn_survey *s = t->survey;
    if (!isfinite(wanted))
        return;
    if (s->proposed <= wanted) {
        fprintf(t->out, "    # %s this cell is small enough.\n", what);
        return;
    }
    sn_cost cost = sn_cost_of_cells(s->report.area, s->report.volume, wanted);
    fprintf(t->out,
            "    # %s this cell is too large: it would have to be\n"
            "    # %.2g, with about %.2g elements and %.2g GB.\n",
            what, wanted, cost.elements, cost.bytes / GIGABYTE);
}

static void put_cell(const init *t)
{
    const sn_survey *s = t->survey;
    sn_cost cost = sn_cost_of_cells(s->report.area, s->report.volume, s->proposed);
    fprintf(t->out,
            "    # The edge of cells at the surface: about %.2g elements and %.2g GB. Half of it\n"
            "    # takes four times as much, and the more time.\n",
            cost.elements, cost.bytes / GIGABYTE);
    if (isfinite(s->thickness.thinnest.distance))
        fprintf(
            t->out,
            "    # Thin parts should be two cells thick or more; the thinnest are about %.2g.\n",
            s->thickness.thinnest.distance);
    put_wanted_cell(t, "For that", sn_survey_cell_of_thin_parts(s));
    put_wanted_cell(t, "To keep parts that nearly touch in cells of their own",
                    sn_survey_cell_of_gaps(s));
    if (isfinite(sn_survey_cell_of_gaps(s)))
        fprintf(
            t->out,
            "    # That is told by a hundredth of the surface. 'sinew info SCENE.yaml' says where\n"
            "    # parts are closest; they move apart in one cell, too (close_parts).\n");
    fprintf(t->out, "    cell: %g\n", s->proposed);
}

/* Young's modulus in pascals. */
static double young_of(const init *t)
{
    double stiff = t->rig->from ? STIFF_ON_BONES : STIFF;
    return rounded(stiff * DENSITY * GRAVITY * side(t, t->up) * metres(t));
}

static void put_material(const init *t)
{
    double length = metres(t), young = young_of(t);
    fprintf(
        t->out,
        "    # Young's modulus is %.2g Pa, %s times the weight on a column as high as this: less\n"
        "    # is softer, and sags more. Damping is in seconds.\n",
        young, t->rig->from ? "three" : "ten");
    fprintf(t->out, "    material: {young: %.2e, poisson: 0.45, density: %g, damping: 0.01}\n\n",
            young * length, DENSITY * length * length * length);
}

static void put_body(const init *t)
{
    fprintf(t->out, "bodies:\n  - name: flesh\n    mesh: ");
    put_text(t, t->character);
    fprintf(t->out, "\n");
    put_cell(t);
    put_material(t);
}

static void put_place(const init *t)
{
    fprintf(
        t->out,
        "  # Put into the mesh by the sizes of both: look at it with 'sinew render --bones' and\n"
        "  # mend what is beside the flesh. Joints without flesh around them are no bones. If it\n"
        "  # stands otherwise than the mesh does, make a skeleton that stands in the mesh, and\n"
        "  # give this file as its motion: {bvh: FILE}.\n"
        "  place: {scale: %.5g, ",
        t->rig->scale);
    if (t->rig->is_turned)
        fprintf(t->out, "rotate: {axis: [1, 0, 0], degrees: -90}, ");
    fprintf(t->out, "translate: ");
    put_vector(t, t->rig->translate);
    fprintf(t->out, "}\n");
}

static void put_motion(const init *t)
{
    fprintf(t->out,
            "  # Joints of other names in that file: add retarget: {JOINT HERE: JOINT THERE, ...}\n"
            "  motion: {%s: ",
            t->rig->motion_is_bvh ? "bvh" : "gltf");
    put_text(t, t->rig->motion);
    fprintf(t->out, "}\n");
}

static void put_bones(const init *t)
{
    if (!t->rig->from) {
        fprintf(t->out, "# No bones: nothing holds the flesh but the floor. A skeleton would be\n"
                        "#   bones: {from: FILE}\n");
        if (t->rig->why_not[0]) {
            fprintf(t->out, "# ");
            put_in_comment(t, t->rig->why_not);
            fprintf(t->out, "\n");
        }
        fprintf(t->out, "\n");
        return;
    }
    fprintf(
        t->out,
        "# One for each of %d joints. Fingers and such: skip: [\"*finger*\"].\nbones:\n  from: ",
        t->rig->bones);
    put_text(t, t->rig->from);
    fprintf(t->out, "\n");
    if (t->rig->is_placed)
        put_place(t);
    if (t->rig->motion)
        put_motion(t);
    fprintf(t->out,
            "  # Of their springs, for a unit of area: higher is tighter.\n  stiffness: %.2e\n\n",
            rounded(BONES_STIFF * young_of(t) * metres(t) / t->survey->proposed));
}

static void put_contacts(const init *t)
{
    const sn_mesh_crossings *crossings = &t->survey->crossings;
    double point[3] = {0}, normal[3] = {0};
    point[t->up] = t->survey->report.bounds.min[t->up];
    normal[t->up] = 1;
    fprintf(t->out, "colliders:\n  - {name: floor, shape: {plane: {point: ");
    put_vector(t, point);
    fprintf(t->out, ", normal: ");
    put_vector(t, normal);
    fprintf(t->out, "}}, friction: 0.5}\n\n");
    if (crossings->pairs > 0)
        fprintf(t->out,
                "# The mesh passes through itself in %" PRId64
                " pairs of triangles, the first ones of\n"
                "# faces %" PRId32 " and %" PRId32 ": flesh there would be pushed apart.\n",
                crossings->pairs, crossings->face[0], crossings->face[1]);
    fprintf(t->out, "self_collision: {enabled: %s, friction: 0.2}\n\n",
            crossings->pairs > 0 ? "false" : "true");
}

/* From before and above, on the right, as far as takes all of a ball around the character. */
static void put_camera(const init *t)
{
    static const double way[3] = {0.9, 0.35, 2}, BALLS_AWAY = 2.1;
    double eye[3], target[3], up[3] = {0};
    double radius = hypot(hypot(side(t, 0), side(t, 1)), side(t, 2)) / 2;
    int before = t->up == 1 ? 2 : 1;
    for (int d = 0; d < 3; d++)
        target[d] = middle(t, d);
    memcpy(eye, target, sizeof eye);
    eye[0] += BALLS_AWAY * way[0] * radius;
    eye[t->up] += BALLS_AWAY * way[1] * radius;
    eye[before] += (t->up == 1 ? 1 : -1) * BALLS_AWAY * way[2] * radius;
    up[t->up] = 1;
    fprintf(t->out, "camera: {eye: ");
    put_vector(t, eye);
    fprintf(t->out, ", target: ");
    put_vector(t, target);
    fprintf(t->out, ", up: ");
    put_vector(t, up);
    fprintf(t->out, "}\n\n");
}

static void put_output(const init *t)
{
    fprintf(t->out, "output: {dir: ");
    put_name(t, "_run");
    fprintf(t->out, ", checkpoint: {every: 8, keep: 2}}\n");
}

void sn_init_write(FILE *out, const char *character, const sn_survey *survey,
                   const sn_init_rig *rig)
{
    init t = {.out = out,
              .character = character,
              .survey = survey,
              .rig = rig,
              .up = sn_init_axis_up(character, survey),
              .size = sn_survey_longest_side(survey)};
    put_head(&t);
    put_frames(&t);
    put_body(&t);
    put_bones(&t);
    put_contacts(&t);
    put_camera(&t);
    put_output(&t);
}
