#include "shapes/lips.h"

#include "shapes/modelling/polygonise.h"
#include "shapes/modelling/squeeze.h"

/* In metres at size 1. */
static const double RADIUS = 0.5;
static const double OPEN = 0.06;    /* height of the mouth while it is modelled */
static const double WIDE = 0.2;     /* half its width */
static const double BACK = 0.25;    /* where its flat part ends, behind the lips */
static const double FRONT = 0.7;    /* beyond the lips */
static const double HOLLOW = 0.1;   /* radius of what is behind them */
static const double LIP = 0.07;     /* radius of a lip, */
static const double LIP_AT = 0.445; /* whose axis is so far in front */
static const double LIP_BLEND = 0.08, EDGE_BLEND = 0.02;
static const double MARGIN = 0.1;

static double lip_value(sn_vec at, double side)
{
    double height = side * (OPEN / 2 + LIP);
    return sn_round_cone(at, (sn_vec){-WIDE, height, LIP_AT}, LIP, (sn_vec){WIDE, height, LIP_AT},
                         LIP);
}

/* All that is nearer than half the opening to a flat square. */
static double slit_value(sn_vec at)
{
    double beside = fmax(0, fabs(at.x) - WIDE);
    double behind = fmax(0, fmax(BACK - at.z, at.z - FRONT));
    return sqrt(beside * beside + behind * behind + at.y * at.y) - OPEN / 2;
}

/* The ball is one when the mouth has been closed. */
static double value_at(const void *closing, sn_vec at)
{
    double half = WIDE / 2;
    double head = sn_vec_length((sn_vec){at.x, sn_squeezed(closing, at.y), at.z}) - RADIUS;
    head = sn_blend_union(head, fmin(lip_value(at, 1), lip_value(at, -1)), LIP_BLEND);
    double hollow =
        sn_round_cone(at, (sn_vec){-half, 0, BACK}, HOLLOW, (sn_vec){half, 0, BACK}, HOLLOW);
    return sn_blend_cut(head, fmin(slit_value(at), hollow), EDGE_BLEND);
}

static sn_squeeze closing_to(double gap)
{
    sn_squeeze closing = {0};
    sn_squeeze_knot(&closing, -OPEN / 2, -gap / 2);
    sn_squeeze_knot(&closing, OPEN / 2, gap / 2);
    return closing;
}

void sn_make_lips(double size, double gap, int detail, sn_surface *surface)
{
    sn_squeeze closing = closing_to(gap / size);
    double reach = RADIUS + MARGIN, steepness = fmax(1, gap / size / OPEN);
    sn_implicit implicit = {
        value_at, &closing, steepness, {-reach, -reach, -reach}, {reach, reach, reach}};
    sn_polygonise(&implicit, 1.0 / detail, surface);
    for (size_t v = 0; v < surface->vertices.count; v++) {
        sn_vec *at = &surface->vertices.data[v];
        at->y = sn_squeezed(&closing, at->y);
        *at = sn_vec_scale(*at, size);
    }
}
