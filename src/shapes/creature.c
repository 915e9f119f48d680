#include "shapes/creature.h"

#include "base/pi.h"
#include "shapes/creature_parts.h"
#include "shapes/modelling/polygonise.h"

static const double DEGREE = SN_PI / 180;
static const double LENGTH = 2.0;         /* that `detail` cells span, at size 1 */
static const double SOLE_ROUNDING = 0.02; /* at the edge where a foot meets the ground */
static const double MIRROR_ROUNDING = 0.015;
static const double STEEPNESS = 1.6; /* measured: 1.25 */
/* The value of a part may be smaller than the distance to it: for flat ellipsoids by this. */
static const double DISTANCE_TRUST = 0.5;
static const sn_vec LOW = {-1.05, -0.05, -0.6}, HIGH = {1.15, 1.15, 0.6};

typedef struct {
    const part *part;
    bool is_pair;
    sn_ellipsoid ellipsoid;
    sn_vec centre; /* and radius of a ball around the part */
    double radius;
} ready_part;

struct sn_creature {
    ready_part parts[N_CREATURE_PARTS];
};

static ready_part make_ready(const part *p)
{
    ready_part ready = {.part = p, .is_pair = p->a.z > 0};
    if (p->kind == PART_ELLIPSOID) {
        ready.ellipsoid = (sn_ellipsoid){p->a, p->b, cos(p->tilt * DEGREE), sin(p->tilt * DEGREE)};
        ready.centre = p->a;
        ready.radius = fmax(p->b.x, fmax(p->b.y, p->b.z));
    } else {
        ready.centre = sn_vec_between(p->a, p->b, 0.5);
        ready.radius = sn_vec_length(sn_vec_sub(p->a, p->b)) / 2 + fmax(p->radius_a, p->radius_b);
    }
    return ready;
}

sn_creature *sn_creature_new(void)
{
    sn_creature *creature = SN_NEW(sn_creature, 1);
    for (int p = 0; p < N_CREATURE_PARTS; p++)
        creature->parts[p] = make_ready(&CREATURE_PARTS[p]);
    return creature;
}

void sn_creature_free(sn_creature *creature)
{
    sn_free(creature);
}

static double part_value(const ready_part *ready, sn_vec at)
{
    const part *p = ready->part;
    return p->kind == PART_ELLIPSOID ? sn_ellipsoid_value(at, &ready->ellipsoid)
                                     : sn_round_cone(at, p->a, p->radius_a, p->b, p->radius_b);
}

/* Whether the part is too far away to change a blend that has `value` so far. */
static bool is_out_of_reach(const ready_part *ready, sn_vec at, double value)
{
    double distance = sn_vec_length(sn_vec_sub(at, ready->centre)) - ready->radius;
    double reach = ready->part->blend + (ready->part->is_cut ? -value : value);
    return DISTANCE_TRUST * distance > fmax(0, reach);
}

double sn_creature_value(const sn_creature *creature, sn_vec at)
{
    /* Both of a pair are seen from one side. Rounding off |z| avoids a crease at z = 0 where the
     * two would meet. */
    sn_vec folded = {at.x, at.y, hypot(at.z, MIRROR_ROUNDING)};
    double value = INFINITY;
    for (int p = 0; p < N_CREATURE_PARTS; p++) {
        const ready_part *ready = &creature->parts[p];
        sn_vec seen = ready->is_pair ? folded : at;
        if (is_out_of_reach(ready, seen, value))
            continue;
        double other = part_value(ready, seen);
        value = ready->part->is_cut ? sn_blend_cut(value, other, ready->part->blend)
                                    : sn_blend_union(value, other, ready->part->blend);
    }
    return sn_blend_cut(value, at.y, SOLE_ROUNDING);
}

static double implicit_value(const void *shape, sn_vec at)
{
    return sn_creature_value(shape, at);
}

sn_implicit sn_creature_implicit(const sn_creature *creature)
{
    return (sn_implicit){implicit_value, creature, STEEPNESS, LOW, HIGH};
}

void sn_make_creature(double size, int detail, sn_surface *surface)
{
    sn_creature *creature = sn_creature_new();
    sn_implicit implicit = sn_creature_implicit(creature);
    sn_polygonise(&implicit, LENGTH / detail, surface);
    for (size_t v = 0; v < surface->vertices.count; v++)
        surface->vertices.data[v] = sn_vec_scale(surface->vertices.data[v], size);
    sn_creature_free(creature);
}
