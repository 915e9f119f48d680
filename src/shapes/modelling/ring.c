#include "shapes/modelling/ring.h"

#include "base/pi.h"

static const double TURN = 2 * SN_PI;

sn_frame sn_frame_around(sn_vec axis)
{
    /* The coordinate axis that is furthest from `axis` gives the best conditioned sides. */
    sn_vec helper = fabs(axis.z) < fabs(axis.x) || fabs(axis.z) < fabs(axis.y) ? (sn_vec){0, 0, 1}
                                                                               : (sn_vec){1, 0, 0};
    sn_frame frame = {.axis = sn_vec_unit(axis)};
    frame.side = sn_vec_unit(sn_vec_cross(helper, frame.axis));
    frame.other_side = sn_vec_cross(frame.axis, frame.side);
    return frame;
}

sn_ring sn_ring_add(sn_surface *surface, const sn_frame *frame, sn_vec centre, double radius,
                    double squash, int count, double start)
{
    sn_ring ring = {.count = count};
    for (int i = 0; i < count; i++) {
        double angle = start + TURN * i / count;
        sn_vec out = sn_vec_add(sn_vec_scale(frame->side, radius * cos(angle)),
                                sn_vec_scale(frame->other_side, squash * radius * sin(angle)));
        ring.angle[i] = angle;
        ring.vertex[i] = sn_surface_vertex(surface, sn_vec_add(centre, out));
    }
    return ring;
}

/* The vertex of `ring` whose angle is nearest to `angle`, give or take full turns; `turns` is
 * what must be added to its angle. */
static int nearest_vertex(const sn_ring *ring, double angle, double *turns)
{
    int nearest = 0;
    double best = INFINITY;
    for (int i = 0; i < ring->count; i++) {
        double shift = TURN * round((angle - ring->angle[i]) / TURN);
        double off = fabs(ring->angle[i] + shift - angle);
        if (off < best) {
            best = off;
            nearest = i;
            *turns = shift;
        }
    }
    return nearest;
}

/* The angle of the vertex `step` steps after `start`, without a jump at the full turn. */
static double angle_after(const sn_ring *ring, int start, int step)
{
    int i = start + step;
    return ring->angle[i % ring->count] + TURN * (i / ring->count);
}

void sn_ring_join(sn_surface *surface, const sn_ring *outer, const sn_ring *inner)
{
    double turns = 0;
    int start = nearest_vertex(inner, outer->angle[0], &turns);
    for (int i = 0, j = 0; i < outer->count || j < inner->count;) {
        int32_t from_outer = outer->vertex[i % outer->count];
        int32_t from_inner = inner->vertex[(start + j) % inner->count];
        double next_outer = angle_after(outer, 0, i + 1) + angle_after(outer, 0, i);
        double next_inner =
            angle_after(inner, start, j + 1) + angle_after(inner, start, j) + 2 * turns;
        /* The edge whose middle comes first makes the next triangle. */
        if (j == inner->count || (i < outer->count && next_outer <= next_inner)) {
            i++;
            sn_surface_triangle(surface, from_outer, outer->vertex[i % outer->count], from_inner);
        } else {
            j++;
            sn_surface_triangle(surface, from_outer, inner->vertex[(start + j) % inner->count],
                                from_inner);
        }
    }
}

void sn_ring_open(sn_surface *surface, const sn_ring *ring, sn_vec apex)
{
    int32_t bottom = sn_surface_vertex(surface, apex);
    for (int i = 0; i < ring->count; i++)
        sn_surface_triangle(surface, ring->vertex[(i + 1) % ring->count], ring->vertex[i], bottom);
}

void sn_ring_close(sn_surface *surface, const sn_ring *ring, sn_vec apex)
{
    int32_t top = sn_surface_vertex(surface, apex);
    for (int i = 0; i < ring->count; i++)
        sn_surface_triangle(surface, ring->vertex[i], ring->vertex[(i + 1) % ring->count], top);
}
