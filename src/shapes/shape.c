#include "shapes/shape.h"

#include "shapes/bowl.h"
#include "shapes/comb.h"
#include "shapes/creature.h"
#include "shapes/creature_bones.h"
#include "shapes/hand.h"
#include "shapes/hooks.h"
#include "shapes/lips.h"
#include "shapes/modelling/ring.h"
#include "shapes/solids.h"
#include "shapes/spike.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char PREFIX[] = "builtin:";
static const char BONE_PREFIX[] = "creature/";

enum { MOST_PARAMETERS = 5, SPEC_BYTES = 256, LIST_BYTES = 512 };

typedef struct {
    const char *name;
    double standard; /* NAN: taken from the shape's `size` */
    double least, most;
    bool whole;
    const char *meaning;
} parameter;

typedef struct {
    const char *name, *about;
    void (*make)(const double *value, sn_surface *surface);
    parameter parameters[MOST_PARAMETERS]; /* ends with a NULL name if there are fewer */
} shape;

#define LENGTH(name, standard, meaning)                                                            \
    {                                                                                              \
        name, standard, 1e-6, 1e6, false, meaning                                                  \
    }
#define COUNT(name, standard, least, most, meaning)                                                \
    {                                                                                              \
        name, standard, least, most, true, meaning                                                 \
    }

static void make_cube(const double *value, sn_surface *surface)
{
    double half[3];
    for (int axis = 0; axis < 3; axis++)
        half[axis] = (isnan(value[1 + axis]) ? value[0] : value[1 + axis]) / 2;
    sn_make_box((sn_vec){-half[0], -half[1], -half[2]}, (sn_vec){half[0], half[1], half[2]},
                (int)value[4], surface);
}

static void make_sphere(const double *value, sn_surface *surface)
{
    sn_make_sphere(value[0], (int)value[1], surface);
}

static void make_beam(const double *value, sn_surface *surface)
{
    double length = value[0], height = value[1], width = value[2];
    sn_make_box((sn_vec){0, -height / 2, -width / 2}, (sn_vec){length, height / 2, width / 2},
                (int)value[3], surface);
}

static void make_spike(const double *value, sn_surface *surface)
{
    sn_make_spike(value[0], (int)value[1], (int)value[2], surface);
}

static void make_bowl(const double *value, sn_surface *surface)
{
    sn_make_bowl(value[0], value[1], (int)value[2], surface);
}

static void make_comb(const double *value, sn_surface *surface)
{
    sn_comb comb = {value[0], value[1], value[2], (int)value[3], (int)value[4]};
    sn_make_comb(&comb, surface);
}

static void make_creature(const double *value, sn_surface *surface)
{
    sn_make_creature(value[0], (int)value[1], surface);
}

static void make_hand(const double *value, sn_surface *surface)
{
    sn_make_hand(value[0], value[1], (int)value[2], surface);
}

static void make_hooks(const double *value, sn_surface *surface)
{
    sn_make_hooks(value[0], value[1], (int)value[2], surface);
}

static void make_lips(const double *value, sn_surface *surface)
{
    sn_make_lips(value[0], value[1], (int)value[2], surface);
}

static const shape SHAPES[] = {
    {"cube",
     "a box around the origin",
     make_cube,
     {LENGTH("size", 1, "length of the edges"), LENGTH("x", NAN, "length along x"),
      LENGTH("y", NAN, "length along y"), LENGTH("z", NAN, "length along z"),
      COUNT("detail", 16, 1, 2048, "squares along the longest edge")}},
    {"sphere",
     "a ball around the origin",
     make_sphere,
     {LENGTH("radius", 0.5, "radius"),
      COUNT("detail", 32, 1, 2048, "squares along a quarter of a great circle")}},
    {"beam",
     "a bar that runs from the origin along x",
     make_beam,
     {LENGTH("length", 1, "length along x"), LENGTH("height", 0.2, "height along y"),
      LENGTH("width", 0.2, "width along z"),
      COUNT("detail", 40, 1, 2048, "squares along the longest edge")}},
    {"spike",
     "a round head covered with spikes of three sizes, around the origin",
     make_spike,
     {LENGTH("radius", 0.5, "radius of the head without its spikes"),
      COUNT("count", 100, 1, 1000, "number of spikes"),
      COUNT("detail", 10, 8, 64, "triangle edges around a spike")}},
    {"bowl",
     "half a hollow ball, open upward, standing on the ground y = 0",
     make_bowl,
     {LENGTH("radius", 1, "radius of the hollow"), LENGTH("thickness", 0.1, "of the wall"),
      COUNT("detail", 24, 4, SN_BOWL_MOST_DETAIL, "edges along a quarter of a great circle")}},
    {"comb",
     "square teeth in rows and columns on a plate, upward from z = 0",
     make_comb,
     {LENGTH("size", 1, "of the plate along x and y"), LENGTH("plate", 0.25, "its thickness"),
      LENGTH("length", 0.7, "of the teeth"),
      COUNT("teeth", 8, 1, 64, "along a side; gaps are as wide"),
      COUNT("detail", 2, 1, 16, "squares along a tooth's width")}},
    {"creature",
     "a bulky four-legged animal, about 2 m long, on the ground y = 0, facing +x",
     make_creature,
     {LENGTH("size", 1, "scale"), COUNT("detail", 165, 60, 1000, "cells along its length")}},
    {"hand",
     "a hand with closed fingers, about 1 m long, upward from y = 0, its thumb at +x",
     make_hand,
     {LENGTH("size", 1, "scale"), LENGTH("gap", 0.01, "between its fingers"),
      COUNT("detail", 100, 60, 1000, "cells along its length")}},
    {"hooks",
     "two hooks that hold each other at the origin, about 1.5 m long along y",
     make_hooks,
     {LENGTH("size", 1, "scale"), LENGTH("gap", 0.01, "between them"),
      COUNT("detail", 32, 8, SN_RING_MOST, "triangle edges around a hook")}},
    {"lips",
     "a ball of 1 m with a mouth at +z, closed but for a gap",
     make_lips,
     {LENGTH("size", 1, "scale"), LENGTH("gap", 0.01, "between its lips"),
      COUNT("detail", 80, 50, 1000, "cells along its diameter")}},
};
enum { N_SHAPES = sizeof SHAPES / sizeof SHAPES[0] };

/* A bone is placed by the creature's size and has nothing else to choose. */
static const parameter BONE_PARAMETERS[MOST_PARAMETERS] = {LENGTH("size", 1, "scale")};

/* ", "-separated names, cut short with the buffer. */
static void append_name(char *list, const char *name)
{
    size_t used = strlen(list);
    snprintf(list + used, LIST_BYTES - used, "%s%s", used ? ", " : "", name);
}

static int count_parameters(const parameter *parameters)
{
    int n = 0;
    while (n < MOST_PARAMETERS && parameters[n].name)
        n++;
    return n;
}

static sn_status parse_number(const char *spec, const parameter *wanted, const char *text,
                              double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end)
        return SN_FAIL(SN_BAD_INPUT, "'%s': %s needs a number, not '%s'", spec, wanted->name, text);
    if (!(*value >= wanted->least && *value <= wanted->most))
        return SN_FAIL(SN_BAD_INPUT, "'%s': %s must be between %g and %g", spec, wanted->name,
                       wanted->least, wanted->most);
    if (wanted->whole && *value != floor(*value))
        return SN_FAIL(SN_BAD_INPUT, "'%s': %s must be a whole number", spec, wanted->name);
    return SN_OK;
}

static sn_status unknown_parameter(const char *spec, const parameter *parameters, const char *name)
{
    char known[LIST_BYTES] = "";
    for (int p = 0; p < count_parameters(parameters); p++)
        append_name(known, parameters[p].name);
    return SN_FAIL(SN_BAD_INPUT, "'%s': there is no parameter '%s'; there are: %s", spec, name,
                   known);
}

/* One "name=number". */
static sn_status parse_setting(const char *spec, const parameter *parameters, char *setting,
                               double *values)
{
    char *equals = strchr(setting, '=');
    if (!equals)
        return SN_FAIL(SN_BAD_INPUT, "'%s': expected name=number, not '%s'", spec, setting);
    *equals = 0;
    for (int p = 0; p < count_parameters(parameters); p++)
        if (strcmp(parameters[p].name, setting) == 0)
            return parse_number(spec, &parameters[p], equals + 1, &values[p]);
    return unknown_parameter(spec, parameters, setting);
}

/* `settings` is what follows the shape's name and its comma; NULL if nothing does. */
static sn_status parse_settings(const char *spec, const parameter *parameters, char *settings,
                                double *values)
{
    for (int p = 0; p < count_parameters(parameters); p++)
        values[p] = parameters[p].standard;
    while (settings) {
        char *comma = strchr(settings, ',');
        if (comma)
            *comma = 0;
        SN_TRY(parse_setting(spec, parameters, settings, values));
        settings = comma ? comma + 1 : NULL;
    }
    return SN_OK;
}

static sn_status unknown_shape(const char *spec)
{
    char known[LIST_BYTES] = "";
    for (int s = 0; s < N_SHAPES; s++)
        append_name(known, SHAPES[s].name);
    append_name(known, "creature/BONE");
    return SN_FAIL(SN_BAD_INPUT, "'%s': there is no such built-in shape; there are: %s", spec,
                   known);
}

static sn_status make_bone(const char *spec, const char *name, char *settings, sn_mesh *mesh)
{
    int bone = sn_creature_bone_find(name);
    if (bone < 0) {
        char known[LIST_BYTES] = "";
        for (int b = 0; b < sn_creature_bone_count(); b++)
            append_name(known, sn_creature_bone_name(b));
        return SN_FAIL(SN_BAD_INPUT, "'%s': the creature has no bone '%s'; it has: %s", spec, name,
                       known);
    }
    double values[MOST_PARAMETERS];
    SN_TRY(parse_settings(spec, BONE_PARAMETERS, settings, values));
    sn_surface surface = {0};
    sn_make_creature_bone(bone, values[0], &surface);
    sn_surface_to_mesh(&surface, mesh);
    return SN_OK;
}

bool sn_builtin_asked_for(const char *spec)
{
    return strncmp(spec, PREFIX, strlen(PREFIX)) == 0;
}

sn_status sn_builtin_make(const char *spec, sn_mesh *mesh)
{
    *mesh = (sn_mesh){0};
    if (!sn_builtin_asked_for(spec) || strlen(spec) >= SPEC_BYTES)
        return unknown_shape(spec);
    char name[SPEC_BYTES];
    strcpy(name, spec + strlen(PREFIX));
    char *settings = strchr(name, ',');
    if (settings)
        *settings++ = 0;
    if (strncmp(name, BONE_PREFIX, strlen(BONE_PREFIX)) == 0)
        return make_bone(spec, name + strlen(BONE_PREFIX), settings, mesh);
    for (int s = 0; s < N_SHAPES; s++)
        if (strcmp(SHAPES[s].name, name) == 0) {
            double values[MOST_PARAMETERS];
            SN_TRY(parse_settings(spec, SHAPES[s].parameters, settings, values));
            sn_surface surface = {0};
            SHAPES[s].make(values, &surface);
            sn_surface_to_mesh(&surface, mesh);
            return SN_OK;
        }
    return unknown_shape(spec);
}

static void describe_parameter(FILE *out, const parameter *p)
{
    if (isnan(p->standard))
        fprintf(out, "      %-8s %s (as size)\n", p->name, p->meaning);
    else
        fprintf(out, "      %-8s %s (%g; %g to %g)\n", p->name, p->meaning, p->standard, p->least,
                p->most);
}

void sn_builtin_describe(FILE *out)
{
    fprintf(out, "Built-in shapes, as builtin:NAME or builtin:NAME,parameter=number,...\n");
    for (int s = 0; s < N_SHAPES; s++) {
        fprintf(out, "  %-10s %s\n", SHAPES[s].name, SHAPES[s].about);
        for (int p = 0; p < count_parameters(SHAPES[s].parameters); p++)
            describe_parameter(out, &SHAPES[s].parameters[p]);
    }
    fprintf(out, "  creature/BONE  a bone of the creature; the parameter size as above\n     ");
    for (int b = 0; b < sn_creature_bone_count(); b++)
        fprintf(out, " %s", sn_creature_bone_name(b));
    fputc('\n', out);
}
