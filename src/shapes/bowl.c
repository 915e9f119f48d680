#include "shapes/bowl.h"

#include "base/pi.h"
#include "shapes/modelling/ring.h"

enum { FEWEST_AROUND = 8, RIM_STEPS = 4 };

/* The bowl grows ring by ring along its profile: up the outside, over the rim, down the inside. */
typedef struct {
    sn_surface *surface;
    sn_frame frame;
    double widest;
    int around; /* vertices of the widest ring */
    sn_ring last;
    int rings;
} growth;

static void grow_to(growth *g, double radius, double height)
{
    int count = (int)lround(g->around * radius / g->widest);
    sn_vec centre = {0, height, 0};
    sn_ring ring = sn_ring_add(g->surface, &g->frame, centre, radius, 1,
                               count > FEWEST_AROUND ? count : FEWEST_AROUND, 0);
    if (g->rings++ == 0)
        sn_ring_open(g->surface, &ring, (sn_vec){0, 0, 0});
    else
        sn_ring_join(g->surface, &g->last, &ring);
    g->last = ring;
}

void sn_make_bowl(double radius, double thickness, int detail, sn_surface *surface)
{
    double outer = radius + thickness, rim = thickness / 2;
    growth g = {.surface = surface,
                .frame = sn_frame_around((sn_vec){0, 1, 0}),
                .widest = outer,
                .around = 4 * detail};
    for (int i = 1; i <= detail; i++) {
        double angle = SN_PI / 2 * i / detail; /* from the bottom */
        grow_to(&g, outer * sin(angle), outer * (1 - cos(angle)));
    }
    for (int i = 1; i < RIM_STEPS; i++) {
        double angle = SN_PI * i / RIM_STEPS;
        grow_to(&g, radius + rim + rim * cos(angle), outer + rim * sin(angle));
    }
    for (int i = detail; i >= 1; i--) {
        double angle = SN_PI / 2 * i / detail;
        grow_to(&g, radius * sin(angle), outer - radius * cos(angle));
    }
    sn_ring_close(surface, &g.last, (sn_vec){0, thickness, 0});
}
