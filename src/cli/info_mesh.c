#include "cli/info_mesh.h"

#include "cli/json.h"
#include "shapes/shape.h"
#include "survey/survey.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const double GIGABYTE = 1e9;

bool sn_info_is_mesh(const char *path)
{
    static const char *const endings[] = {"obj", "ply", "stl", "gltf", "glb", "fbx", "dae",
                                          "3ds", "off", "x",   "lwo",  "ac",  "ms3d"};
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++)
        if (strcasecmp(ending + 1, endings[i]) == 0)
            return true;
    return sn_builtin_asked_for(path);
}

/* ---- For people ---- */

static void print_place(const double place[3])
{
    printf("(%.5g, %.5g, %.5g)", place[0], place[1], place[2]);
}

static void print_crossings_of(const sn_mesh_crossings *c)
{
    printf("%s%" PRId64 " pair%s of triangles, first faces %" PRId32 " and %" PRId32 " at ",
           c->more ? "more than " : "", c->pairs, c->pairs == 1 ? "" : "s", c->face[0], c->face[1]);
    print_place(c->place);
}

void sn_info_print_crossings(const char *name, const sn_mesh *mesh)
{
    sn_mesh_crossings c = sn_mesh_find_crossings(mesh);
    if (c.pairs == 0)
        return;
    printf("\n%s passes through itself: ", name);
    print_crossings_of(&c);
    printf("\n");
}

static void print_box(const sn_survey *s)
{
    const sn_box *box = &s->report.bounds;
    printf("%-20s ", "box");
    print_place(box->min);
    printf(" to ");
    print_place(box->max);
    printf(", sides %.5g, %.5g, %.5g\n", box->max[0] - box->min[0], box->max[1] - box->min[1],
           box->max[2] - box->min[2]);
    printf("%-20s %s, if it is a character: %.3g m along its longest side\n", "unit", s->unit.name,
           sn_survey_longest_side(s) * s->unit.metres);
}

static void print_part(const char *what, const sn_thin_part *part, const char *about)
{
    if (!isfinite(part->distance)) {
        printf("%-20s none\n", what);
        return;
    }
    printf("%-20s %.4g, as at ", what, part->distance);
    print_place(part->place);
    printf("%s\n", about);
}

static void print_shape(const sn_survey *s)
{
    printf("%-20s %.6g, %.6g\n", "area, volume", s->report.area, s->report.volume);
    printf("%-20s %" PRId64 "\n", "components", s->report.components);
    print_part("thinnest part", &s->thickness.thinnest,
               " (a hundredth of its surface is over flesh as thin)");
    if (isfinite(s->thickness.usual))
        printf("%-20s %.4g\n", "usual thickness", s->thickness.usual);
    print_part("closest parts", &s->thickness.closest,
               " (a hundredth of its surface faces other parts as near)");
    printf("%-20s ", "self-intersections");
    if (s->crossings.pairs == 0)
        printf("none");
    else
        print_crossings_of(&s->crossings);
    printf("\n");
}

static const char *note_of(const sn_survey *s, int i)
{
    static char note[64];
    double bytes = sn_least_bytes(sn_least_cells(s->report.area, s->cell[i]));
    if (bytes > s->memory)
        return "  does not fit here: it is refused";
    if (s->cost[i].bytes <= s->memory)
        return "";
    snprintf(note, sizeof note, "  more than the %.3g GB here", s->memory / GIGABYTE);
    return note;
}

/* They are known no better. */
static double two_digits(double x)
{
    double unit = pow(10, fmax(floor(log10(x)) - 1, 0));
    return unit * round(x / unit);
}

static void print_cells(const sn_survey *s)
{
    printf("\n%10s %12s %10s\n", "cell", "elements", "GB");
    for (int i = 0; i < SN_SURVEY_CELLS; i++)
        printf("%10.4g %12.0f %10.2g%s\n", s->cell[i], two_digits(s->cost[i].elements),
               s->cost[i].bytes / GIGABYTE, note_of(s, i));
    printf("about; 'sinew plan' of a scene tells more\n");
}

static void print_reason(const sn_survey *s)
{
    static const char *const why[] = {
        [SN_CELL_FOR_GAPS] = "it keeps the closest parts out of each other's cells",
        [SN_CELL_FOR_THIN_PARTS] = "the thinnest part is two cells thick, or more",
        [SN_CELL_AS_MANY] = "finer ones, as its thin parts ask for, take long"};
    printf("\nto begin with: cell %g: %s\n", s->proposed, why[s->reason]);
}

static void print_survey(const char *path, const sn_survey *s)
{
    printf("mesh %s: %" PRId64 " vertices, %" PRId64 " triangles, %s\n\n", path, s->vertices,
           s->triangles, s->report.closed_chain ? "closed" : "open");
    print_box(s);
    print_shape(s);
    print_cells(s);
    print_reason(s);
}

/* ---- For programs ---- */

static void print_json_vector(const char *name, const double v[3])
{
    printf("\"%s\": [%.17g, %.17g, %.17g]", name, v[0], v[1], v[2]);
}

static void print_json_crossings_of(const sn_mesh_crossings *c)
{
    printf("\"self_intersections\": {\"pairs\": %" PRId64 ", \"more\": %s", c->pairs,
           c->more ? "true" : "false");
    if (c->pairs > 0) {
        printf(", \"faces\": [%" PRId32 ", %" PRId32 "], ", c->face[0], c->face[1]);
        print_json_vector("place", c->place);
    }
    printf("}");
}

void sn_info_print_json_crossings(const sn_mesh *mesh)
{
    sn_mesh_crossings c = sn_mesh_find_crossings(mesh);
    printf(", ");
    print_json_crossings_of(&c);
}

static void print_json_part(const char *name, const sn_thin_part *part)
{
    printf("  \"%s\": ", name);
    if (isfinite(part->distance)) {
        printf("{\"distance\": %.17g, ", part->distance);
        print_json_vector("place", part->place);
        printf("},\n");
    } else {
        printf("null,\n");
    }
}

static void print_json_cells(const sn_survey *s)
{
    printf("  \"cells\": [");
    for (int i = 0; i < SN_SURVEY_CELLS; i++)
        printf("%s\n    {\"cell\": %.17g, \"elements\": %.3g, \"bytes\": %.3g, \"fits\": %s}",
               i ? "," : "", s->cell[i], s->cost[i].elements, s->cost[i].bytes,
               s->cost[i].bytes <= s->memory ? "true" : "false");
    printf("\n  ],\n  \"proposed_cell\": %.17g\n}\n", s->proposed);
}

static void print_json_survey(const char *path, const sn_survey *s)
{
    printf("{\n  \"mesh\": ");
    sn_print_json_text(path);
    printf(",\n  \"vertices\": %" PRId64 ",\n  \"triangles\": %" PRId64 ",\n  \"closed\": %s,\n  ",
           s->vertices, s->triangles, s->report.closed_chain ? "true" : "false");
    print_json_vector("min", s->report.bounds.min);
    printf(",\n  ");
    print_json_vector("max", s->report.bounds.max);
    printf(",\n  \"unit\": \"%s\",\n  \"area\": %.17g,\n  \"volume\": %.17g,\n"
           "  \"components\": %" PRId64 ",\n",
           s->unit.name, s->report.area, s->report.volume, s->report.components);
    print_json_part("thinnest_part", &s->thickness.thinnest);
    print_json_part("closest_parts", &s->thickness.closest);
    printf("  ");
    print_json_crossings_of(&s->crossings);
    printf(",\n");
    print_json_cells(s);
}

sn_status sn_info_mesh(MPI_Comm comm, const char *path, bool json)
{
    int rank;
    sn_survey survey;
    MPI_Comm_rank(comm, &rank);
    SN_TRY(sn_survey_file(comm, path, &survey));
    if (rank == 0)
        (json ? print_json_survey : print_survey)(path, &survey);
    return SN_OK;
}
