#include "shapes/hand.h"

#include "shapes/modelling/polygonise.h"
#include "shapes/modelling/squeeze.h"

#include <stdbool.h>

/* Positions and radii in metres at size 1; x is that of the finger. */
typedef struct {
    double radius, knuckle, tip; /* heights of the ends of its axis */
    double wrist;                /* where its bone starts in the wrist: a part of its own x */
} finger;

enum { LITTLE, RING, MIDDLE, INDEX, THUMB, N_FINGERS };
static const finger FINGERS[N_FINGERS] = {{0.042, 0.45, 0.74, 0.7},
                                          {0.049, 0.48, 0.89, 0.7},
                                          {0.050, 0.49, 0.95, 0.7},
                                          {0.049, 0.48, 0.88, 0.7},
                                          {0.058, 0.27, 0.50, 0.3}};

static const double SPREAD = 0.05;       /* between fingers while they are modelled */
static const double WRIST = 0.05;        /* height of the bones' lower ends */
static const double PALM_RADIUS = 0.049; /* half its thickness: it does not reach into gaps */
static const double WEB_BLEND = 0.02;    /* width of rounded seams; less than fingers are spread */

static const double MARGIN = 0.02; /* around all of it */

typedef struct {
    double x[N_FINGERS];
} sn_hand;

/* Fingers side by side, the middle one at x = 0. */
static sn_hand spread_by(double gap)
{
    sn_hand hand = {{0}};
    for (int f = 1; f < N_FINGERS; f++)
        hand.x[f] = hand.x[f - 1] + FINGERS[f - 1].radius + gap + FINGERS[f].radius;
    double middle = hand.x[MIDDLE];
    for (int f = 0; f < N_FINGERS; f++)
        hand.x[f] -= middle;
    return hand;
}

static sn_vec wrist_of(const sn_hand *hand, int f)
{
    return (sn_vec){FINGERS[f].wrist * hand->x[f], WRIST, 0};
}

static sn_vec knuckle_of(const sn_hand *hand, int f)
{
    return (sn_vec){hand->x[f], FINGERS[f].knuckle, 0};
}

static sn_vec tip_of(const sn_hand *hand, int f)
{
    return (sn_vec){hand->x[f], FINGERS[f].tip, 0};
}

/* A flat solid, rounded at its border, between the outer ends of the wrist and the knuckles. */
static double palm_value(const sn_hand *hand, sn_vec at)
{
    sn_vec corner[] = {wrist_of(hand, LITTLE), wrist_of(hand, INDEX), knuckle_of(hand, INDEX),
                       knuckle_of(hand, LITTLE), wrist_of(hand, LITTLE)};
    double to_border = INFINITY;
    bool within = true;
    for (int c = 0; c < 4; c++) {
        sn_vec along = sn_vec_sub(corner[c + 1], corner[c]), offset = sn_vec_sub(at, corner[c]);
        within &= along.x * offset.y - along.y * offset.x > 0;
        to_border =
            fmin(to_border, sn_round_cone(at, corner[c], PALM_RADIUS, corner[c + 1], PALM_RADIUS));
    }
    return within ? fabs(at.z) - PALM_RADIUS : to_border;
}

static double fingers_value(const sn_hand *hand, sn_vec at)
{
    double value = sn_round_cone(at, wrist_of(hand, THUMB), PALM_RADIUS, knuckle_of(hand, THUMB),
                                 FINGERS[THUMB].radius);
    for (int f = 0; f < N_FINGERS; f++)
        value = fmin(value, sn_round_cone(at, knuckle_of(hand, f), FINGERS[f].radius,
                                          tip_of(hand, f), FINGERS[f].radius));
    return value;
}

static double hand_value(const void *shape, sn_vec at)
{
    return sn_blend_union(palm_value(shape, at), fingers_value(shape, at), WEB_BLEND);
}

static sn_implicit implicit_of(const sn_hand *hand)
{
    double low = hand->x[LITTLE] - FINGERS[LITTLE].radius;
    double high = hand->x[THUMB] + FINGERS[THUMB].radius;
    return (sn_implicit){hand_value,
                         hand,
                         1,
                         {low - MARGIN, WRIST - PALM_RADIUS - MARGIN, -PALM_RADIUS - MARGIN},
                         {high + MARGIN, 1 + MARGIN, PALM_RADIUS + MARGIN}};
}

/* Along x: fingers keep their width, what is between them gets that of the gap. */
static sn_squeeze closing(const sn_hand *from, const sn_hand *to)
{
    sn_squeeze squeeze = {0};
    for (int f = 0; f < N_FINGERS; f++)
        for (int side = -1; side <= 1; side += 2)
            sn_squeeze_knot(&squeeze, from->x[f] + side * FINGERS[f].radius,
                            to->x[f] + side * FINGERS[f].radius);
    return squeeze;
}

void sn_make_hand(double size, double gap, int detail, sn_surface *surface)
{
    sn_hand spread = spread_by(SPREAD), closed = spread_by(gap / size);
    sn_implicit implicit = implicit_of(&spread);
    sn_polygonise(&implicit, 1.0 / detail, surface);
    sn_squeeze squeeze = closing(&spread, &closed);
    for (size_t v = 0; v < surface->vertices.count; v++) {
        sn_vec *at = &surface->vertices.data[v];
        at->x = sn_squeezed(&squeeze, at->x);
        *at = sn_vec_scale(*at, size);
    }
}
