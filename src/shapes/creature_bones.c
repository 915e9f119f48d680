#include "shapes/creature_bones.h"

#include "base/pi.h"
#include "shapes/modelling/ring.h"

#include <string.h>

enum {
    AROUND = 16,     /* vertices of a ring around a bone */
    CAP_RINGS = 4,   /* on each rounded end */
    SHAFT_RINGS = 3, /* between the ends */
    NONE = -1
};

/* At size 1, in the creature's place at rest. The shape is a round cone from a to b, `wide` times
 * as wide in z as it is high. */
typedef struct {
    const char *name;
    int parent;
    sn_vec joint; /* where it meets its parent */
    sn_vec a, b;
    double radius_a, radius_b, wide;
} bone_shape;

enum { PELVIS, SPINE_LOWER, SPINE_UPPER, CHEST, NECK, HEAD };
enum { FIRST_LEG = 8, LEG = 3 }; /* bones before the legs, and bones of a leg */

#define AT(x, y, z)                                                                                \
    {                                                                                              \
        x, y, z                                                                                    \
    }
#define BONE(name, parent, joint, a, radius_a, b, radius_b, wide)                                  \
    {                                                                                              \
        name, parent, joint, a, b, radius_a, radius_b, wide                                        \
    }

/* The legs, for the side where z has the sign `s`. */
#define HIP(s) AT(-0.56, 0.56, s * 0.19)
#define KNEE(s) AT(-0.475, 0.335, s * 0.21)
#define ANKLE(s) AT(-0.595, 0.12, s * 0.205)
#define HIND_HEEL(s) AT(-0.595, 0.10, s * 0.205)
#define HIND_TOES(s) AT(-0.535, 0.05, s * 0.205)
#define SHOULDER(s) AT(0.30, 0.56, s * 0.19)
#define ELBOW(s) AT(0.215, 0.335, s * 0.20)
#define WRIST(s) AT(0.30, 0.115, s * 0.205)
#define FORE_HEEL(s) AT(0.30, 0.10, s * 0.205)
#define FORE_TOES(s) AT(0.36, 0.05, s * 0.205)

static const bone_shape BONES[] = {
    BONE("pelvis", NONE, AT(-0.55, 0.66, 0), AT(-0.64, 0.64, 0), 0.09, AT(-0.48, 0.67, 0), 0.08,
         1.7),
    BONE("spine_lower", PELVIS, AT(-0.42, 0.70, 0), AT(-0.40, 0.70, 0), 0.06, AT(-0.20, 0.72, 0),
         0.06, 1),
    BONE("spine_upper", SPINE_LOWER, AT(-0.18, 0.72, 0), AT(-0.16, 0.72, 0), 0.06,
         AT(0.03, 0.71, 0), 0.06, 1),
    BONE("chest", SPINE_UPPER, AT(0.06, 0.71, 0), AT(0.10, 0.63, 0), 0.15, AT(0.30, 0.60, 0), 0.17,
         1.05),
    BONE("neck", CHEST, AT(0.38, 0.69, 0), AT(0.40, 0.69, 0), 0.075, AT(0.56, 0.71, 0), 0.07, 1.1),
    BONE("head", NECK, AT(0.60, 0.71, 0), AT(0.66, 0.72, 0), 0.085, AT(0.88, 0.65, 0), 0.06, 1.25),
    BONE("jaw", HEAD, AT(0.64, 0.62, 0), AT(0.67, 0.57, 0), 0.03, AT(0.88, 0.55, 0), 0.028, 2.4),
    BONE("tail", PELVIS, AT(-0.77, 0.75, 0), AT(-0.79, 0.735, 0), 0.018, AT(-0.862, 0.635, 0),
         0.014, 1),
    BONE("hind_left_upper", PELVIS, HIP(-1), HIP(-1), 0.055, KNEE(-1), 0.042, 1),
    BONE("hind_left_lower", FIRST_LEG, KNEE(-1), KNEE(-1), 0.042, ANKLE(-1), 0.032, 1),
    BONE("hind_left_foot", FIRST_LEG + 1, ANKLE(-1), HIND_HEEL(-1), 0.034, HIND_TOES(-1), 0.026,
         1.3),
    BONE("fore_left_upper", CHEST, SHOULDER(-1), SHOULDER(-1), 0.050, ELBOW(-1), 0.040, 1),
    BONE("fore_left_lower", FIRST_LEG + LEG, ELBOW(-1), ELBOW(-1), 0.040, WRIST(-1), 0.032, 1),
    BONE("fore_left_foot", FIRST_LEG + LEG + 1, WRIST(-1), FORE_HEEL(-1), 0.034, FORE_TOES(-1),
         0.026, 1.3),
    BONE("hind_right_upper", PELVIS, HIP(1), HIP(1), 0.055, KNEE(1), 0.042, 1),
    BONE("hind_right_lower", FIRST_LEG + 2 * LEG, KNEE(1), KNEE(1), 0.042, ANKLE(1), 0.032, 1),
    BONE("hind_right_foot", FIRST_LEG + 2 * LEG + 1, ANKLE(1), HIND_HEEL(1), 0.034, HIND_TOES(1),
         0.026, 1.3),
    BONE("fore_right_upper", CHEST, SHOULDER(1), SHOULDER(1), 0.050, ELBOW(1), 0.040, 1),
    BONE("fore_right_lower", FIRST_LEG + 3 * LEG, ELBOW(1), ELBOW(1), 0.040, WRIST(1), 0.032, 1),
    BONE("fore_right_foot", FIRST_LEG + 3 * LEG + 1, WRIST(1), FORE_HEEL(1), 0.034, FORE_TOES(1),
         0.026, 1.3),
};
enum { N_BONES = sizeof BONES / sizeof BONES[0] };

int sn_creature_bone_count(void)
{
    return N_BONES;
}

const char *sn_creature_bone_name(int bone)
{
    return BONES[bone].name;
}

int sn_creature_bone_find(const char *name)
{
    for (int b = 0; b < N_BONES; b++)
        if (strcmp(BONES[b].name, name) == 0)
            return b;
    return NONE;
}

int sn_creature_bone_parent(int bone)
{
    return BONES[bone].parent;
}

sn_vec sn_creature_bone_joint(int bone, double size)
{
    return sn_vec_scale(BONES[bone].joint, size);
}

/* Where ring `i` of a bone crosses the upper half plane: along the axis from a, and away from it.
 * The rings go up the first cap, along the shaft and up the second cap. */
static void ring_place(const bone_shape *b, double length, int i, double *along, double *away)
{
    double flank = acos((b->radius_a - b->radius_b) / length); /* of its normal to the axis */
    if (i < CAP_RINGS) {
        double angle = SN_PI + (flank - SN_PI) * (i + 1) / CAP_RINGS;
        *along = b->radius_a * cos(angle);
        *away = b->radius_a * sin(angle);
    } else if (i < CAP_RINGS + SHAFT_RINGS) {
        double t = (i - CAP_RINGS + 1.0) / (SHAFT_RINGS + 1);
        double radius = b->radius_a + t * (b->radius_b - b->radius_a);
        *along = t * length + radius * cos(flank);
        *away = radius * sin(flank);
    } else {
        double angle = flank * (1 - (double)(i - CAP_RINGS - SHAFT_RINGS) / CAP_RINGS);
        *along = length + b->radius_b * cos(angle);
        *away = b->radius_b * sin(angle);
    }
}

void sn_make_creature_bone(int bone, double size, sn_surface *surface)
{
    const bone_shape *b = &BONES[bone];
    sn_vec axis = sn_vec_sub(b->b, b->a);
    double length = sn_vec_length(axis);
    sn_frame frame = sn_frame_around(axis);
    sn_ring below = {0};
    for (int i = 0; i < 2 * CAP_RINGS + SHAFT_RINGS; i++) {
        double along, away;
        ring_place(b, length, i, &along, &away);
        sn_vec centre = sn_vec_add(b->a, sn_vec_scale(frame.axis, along));
        double start = i % 2 * SN_PI / AROUND;
        sn_ring ring = sn_ring_add(surface, &frame, centre, away, b->wide, AROUND, start);
        if (i == 0)
            sn_ring_open(surface, &ring, sn_vec_sub(b->a, sn_vec_scale(frame.axis, b->radius_a)));
        else
            sn_ring_join(surface, &below, &ring);
        below = ring;
    }
    sn_ring_close(surface, &below, sn_vec_add(b->b, sn_vec_scale(frame.axis, b->radius_b)));
    for (size_t v = 0; v < surface->vertices.count; v++)
        surface->vertices.data[v] = sn_vec_scale(surface->vertices.data[v], size);
}
