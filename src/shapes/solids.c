#include "shapes/solids.h"

#include "base/pi.h"
#include "shapes/modelling/ring.h"

#include <stdbool.h>

enum { X, Y, Z };

/* The lattice points on the surface of a box of n[X] by n[Y] by n[Z] squares. The first and the
 * last layer in z are full; between them lie rings. */
typedef struct {
    int n[3];
} lattice;

static int64_t full_layer(const lattice *box)
{
    return ((int64_t)box->n[X] + 1) * ((int64_t)box->n[Y] + 1);
}

static int64_t ring_layer(const lattice *box)
{
    return 2 * ((int64_t)box->n[X] + box->n[Y]);
}

/* Along a ring: y = 0 with x rising, then the two points of each row between, then the top. */
static int64_t place_in_ring(const lattice *box, int i, int j)
{
    if (j == 0)
        return i;
    int64_t row = (int64_t)box->n[X] + 1 + 2 * ((int64_t)j - 1);
    return j == box->n[Y] ? row + i : row + (i > 0);
}

static int32_t point_index(const lattice *box, const int at[3])
{
    int i = at[X], j = at[Y], k = at[Z];
    int64_t in_full = i + (int64_t)j * (box->n[X] + 1);
    if (k == 0)
        return (int32_t)in_full;
    int64_t layers_below = full_layer(box) + (k - 1) * ring_layer(box);
    return (int32_t)(layers_below + (k == box->n[Z] ? in_full : place_in_ring(box, i, j)));
}

/* Every surface point, in the order of point_index. */
static void add_points(const lattice *box, sn_vec low, sn_vec high, sn_surface *surface)
{
    for (int k = 0; k <= box->n[Z]; k++)
        for (int j = 0; j <= box->n[Y]; j++) {
            bool full_row = k == 0 || k == box->n[Z] || j == 0 || j == box->n[Y];
            for (int i = 0; i <= box->n[X]; i += full_row ? 1 : box->n[X]) {
                sn_vec t = {(double)i / box->n[X], (double)j / box->n[Y], (double)k / box->n[Z]};
                sn_vec at = {low.x + t.x * (high.x - low.x), low.y + t.y * (high.y - low.y),
                             low.z + t.z * (high.z - low.z)};
                sn_surface_vertex(surface, at);
            }
        }
}

/* One of the two sides across `axis`. Diagonals alternate, so that no direction is favoured. */
static void add_side(const lattice *box, int axis, bool far_side, sn_surface *surface)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int i = 0; i < box->n[u]; i++)
        for (int j = 0; j < box->n[v]; j++) {
            int32_t q[4];
            for (int c = 0; c < 4; c++) { /* around the square, seen from +axis */
                int at[3];
                at[axis] = far_side ? box->n[axis] : 0;
                at[u] = i + (c == 1 || c == 2);
                at[v] = j + (c >= 2);
                q[far_side ? c : 3 - c] = point_index(box, at);
            }
            int s = (i + j) % 2;
            sn_surface_triangle(surface, q[s], q[s + 1], q[s + 2]);
            sn_surface_triangle(surface, q[s], q[s + 2], q[(s + 3) % 4]);
        }
}

static int squares_along(double length, double longest, int detail)
{
    int squares = (int)lround(length / longest * detail);
    return squares > 1 ? squares : 1;
}

void sn_make_box(sn_vec low, sn_vec high, int detail, sn_surface *surface)
{
    sn_vec size = sn_vec_sub(high, low);
    double longest = fmax(size.x, fmax(size.y, size.z));
    lattice box = {{squares_along(size.x, longest, detail), squares_along(size.y, longest, detail),
                    squares_along(size.z, longest, detail)}};
    add_points(&box, low, high, surface);
    for (int axis = X; axis <= Z; axis++) {
        add_side(&box, axis, false, surface);
        add_side(&box, axis, true, surface);
    }
}

void sn_make_sphere(double radius, int detail, sn_surface *surface)
{
    sn_make_box((sn_vec){-1, -1, -1}, (sn_vec){1, 1, 1}, detail, surface);
    for (size_t v = 0; v < surface->vertices.count; v++) {
        sn_vec *at = &surface->vertices.data[v];
        /* Equal steps of angle instead of equal steps of length: squares at the cube's corners
         * would otherwise come out five times smaller than those at the middle of a side. */
        sn_vec even = {tan(SN_PI / 4 * at->x), tan(SN_PI / 4 * at->y), tan(SN_PI / 4 * at->z)};
        *at = sn_vec_scale(sn_vec_unit(even), radius);
    }
}

/* The rings of both ends, one after the other along the axis: `out` of their ends. */
void sn_make_round(sn_vec a, sn_vec b, double radius, int sectors, int cap_rings,
                   sn_surface *surface)
{
    sn_vec axis = sn_vec_sub(b, a);
    sn_frame frame = sn_frame_around(sn_vec_length(axis) > 0 ? axis : (sn_vec){0, 1, 0});
    int rings = cap_rings > 0 ? cap_rings : 1; /* at each end */
    double bulge = cap_rings > 0 ? radius : 0;
    sn_ring last;
    for (int i = 0; i < 2 * rings; i++) {
        int from_rim = i < rings ? rings - 1 - i : i - rings;
        double angle = SN_PI / 2 * from_rim / rings;
        sn_vec end = i < rings ? a : b;
        double out = (i < rings ? -bulge : bulge) * sin(angle);
        sn_ring ring = sn_ring_add(surface, &frame, sn_vec_add(end, sn_vec_scale(frame.axis, out)),
                                   radius * cos(angle), 1, sectors, 0);
        if (i == 0)
            sn_ring_open(surface, &ring, sn_vec_sub(a, sn_vec_scale(frame.axis, bulge)));
        else
            sn_ring_join(surface, &last, &ring);
        last = ring;
    }
    sn_ring_close(surface, &last, sn_vec_add(b, sn_vec_scale(frame.axis, bulge)));
}
