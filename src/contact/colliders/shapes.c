#include "contact/colliders/shapes.h"

static double get(sn_vec a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static sn_vec along_axis(int axis, double length)
{
    return (sn_vec){axis == 0 ? length : 0, axis == 1 ? length : 0, axis == 2 ? length : 0};
}

sn_vec sn_vec_across(sn_vec axis)
{
    double x = fabs(axis.x), y = fabs(axis.y), z = fabs(axis.z);
    int least = x <= y && x <= z ? 0 : y <= z ? 1 : 2;
    sn_vec across = sn_vec_unit(sn_vec_cross(axis, along_axis(least, 1)));
    return sn_vec_dot(across, across) > 0 ? across : along_axis(0, 1);
}

/* The direction of r, or `otherwise` if it has none. Scaled first, so that nothing underflows. */
static sn_vec direction(sn_vec r, sn_vec otherwise)
{
    double largest = fmax(fabs(r.x), fmax(fabs(r.y), fabs(r.z)));
    if (!(largest > 0))
        return otherwise;
    return sn_vec_unit((sn_vec){r.x / largest, r.y / largest, r.z / largest});
}

/* The direction away from an axis that `spoke` stands on. On the axis itself only rounding is left
 * of the spoke, and may point anywhere. */
static sn_vec away_from_axis(sn_vec spoke, sn_vec axis)
{
    sn_vec up = direction(axis, along_axis(2, 1));
    sn_vec across = sn_vec_sub(spoke, sn_vec_scale(up, sn_vec_dot(spoke, up)));
    bool rounding = sn_vec_dot(across, across) < 0.5 * sn_vec_dot(spoke, spoke);
    return rounding ? sn_vec_across(axis) : direction(across, sn_vec_across(axis));
}

/* ---- Each shape ---- */

static sn_surface_point flat(sn_vec at, sn_vec normal, double distance)
{
    return (sn_surface_point){.at = at, .normal = normal, .distance = distance, .triangle = -1};
}

static sn_surface_point nearest_on_plane(const sn_shape_plane *plane, sn_vec p)
{
    sn_vec normal = direction(sn_vec_load(plane->normal), along_axis(2, 1));
    double distance = sn_vec_dot(sn_vec_sub(p, sn_vec_load(plane->point)), normal);
    return flat(sn_vec_sub(p, sn_vec_scale(normal, distance)), normal, distance);
}

/* The face that a point inside is nearest to; of equals the first, of an axis the lower. */
static sn_surface_point nearest_face(const sn_shape_box *box, sn_vec p)
{
    double depth = INFINITY;
    sn_vec normal = {0, 0, 0};
    for (int d = 0; d < 3; d++)
        for (int upper = 0; upper < 2; upper++) {
            double here = upper ? box->max[d] - get(p, d) : get(p, d) - box->min[d];
            if (here < depth) {
                depth = here;
                normal = along_axis(d, upper ? 1 : -1);
            }
        }
    return flat(sn_vec_add(p, sn_vec_scale(normal, depth)), normal, -depth);
}

static sn_surface_point nearest_on_box(const sn_shape_box *box, sn_vec p)
{
    sn_vec at = {fmin(fmax(p.x, box->min[0]), box->max[0]),
                 fmin(fmax(p.y, box->min[1]), box->max[1]),
                 fmin(fmax(p.z, box->min[2]), box->max[2])};
    sn_vec away = sn_vec_sub(p, at);
    double distance = sn_vec_length(away);
    if (!(distance > 0))
        return nearest_face(box, p);
    return flat(at, direction(away, along_axis(2, 1)), distance);
}

static sn_surface_point nearest_on_ball(sn_vec center, double radius, sn_vec p,
                                        sn_vec if_at_the_center)
{
    sn_vec away = sn_vec_sub(p, center), normal = direction(away, if_at_the_center);
    sn_vec at = sn_vec_add(center, sn_vec_scale(normal, radius));
    return (sn_surface_point){at, normal, sn_vec_length(away) - radius, -1, radius, {0, 0, 0}};
}

static sn_surface_point nearest_on_capsule(const sn_shape_round *round, sn_vec p)
{
    sn_vec a = sn_vec_load(round->a), axis = sn_vec_sub(sn_vec_load(round->b), a);
    double along = sn_vec_dot(sn_vec_sub(p, a), axis), whole = sn_vec_dot(axis, axis);
    double t = along <= 0 ? 0 : along >= whole ? 1 : along / whole;
    sn_vec foot = t == 1 ? sn_vec_load(round->b) : sn_vec_add(a, sn_vec_scale(axis, t));
    if (t == 0 || t == 1)
        return nearest_on_ball(foot, round->radius, p, sn_vec_across(axis));
    sn_vec spoke = sn_vec_sub(p, foot), normal = away_from_axis(spoke, axis);
    return (sn_surface_point){sn_vec_add(foot, sn_vec_scale(normal, round->radius)),
                              normal,
                              sn_vec_length(spoke) - round->radius,
                              -1,
                              round->radius,
                              direction(axis, along_axis(2, 1))};
}

/* In the plane through the axis: how far along it, and how far from it. */
static sn_surface_point nearest_on_cylinder(const sn_shape_round *round, sn_vec p)
{
    sn_vec a = sn_vec_load(round->a), axis = sn_vec_sub(sn_vec_load(round->b), a);
    sn_vec up = direction(axis, along_axis(2, 1));
    double length = sn_vec_length(axis), height = sn_vec_dot(sn_vec_sub(p, a), up);
    sn_vec foot = sn_vec_add(a, sn_vec_scale(up, height));
    sn_vec spoke = sn_vec_sub(p, foot), out = away_from_axis(spoke, axis);
    double reach = sn_vec_length(spoke);
    double below = -height, above = height - length, beside = reach - round->radius;
    double past_end = fmax(below, above);
    sn_vec end_normal = sn_vec_scale(up, below >= above ? -1 : 1);
    if (past_end > 0 && beside > 0) { /* the rim */
        sn_vec away = sn_vec_add(sn_vec_scale(end_normal, past_end), sn_vec_scale(out, beside));
        return flat(sn_vec_sub(p, away), direction(away, out), sn_vec_length(away));
    }
    bool end = past_end >= beside;
    sn_vec normal = end ? end_normal : out;
    double distance = end ? past_end : beside;
    sn_vec at = sn_vec_sub(p, sn_vec_scale(normal, distance));
    return end ? flat(at, normal, distance)
               : (sn_surface_point){at, normal, distance, -1, round->radius, up};
}

static sn_surface_point nearest_on_plain(const sn_shape *shape, sn_vec p)
{
    switch (shape->kind) {
    case SN_SHAPE_BOX:
        return nearest_on_box(&shape->box, p);
    case SN_SHAPE_SPHERE:
        return nearest_on_ball(sn_vec_load(shape->sphere.center), shape->sphere.radius, p,
                               along_axis(2, 1));
    case SN_SHAPE_CAPSULE:
        return nearest_on_capsule(&shape->capsule, p);
    case SN_SHAPE_CYLINDER:
        return nearest_on_cylinder(&shape->cylinder, p);
    case SN_SHAPE_PLANE:
        return nearest_on_plane(&shape->plane, p);
    case SN_SHAPE_MESH:
    case SN_SHAPE_NONE:
        break;
    }
    return (sn_surface_point){.at = p, .normal = along_axis(2, 1), .distance = INFINITY};
}

sn_surface_point sn_shape_nearest(const sn_shape *shape, sn_vec p)
{
    sn_surface_point nearest = nearest_on_plain(shape, p);
    if (shape->invert) {
        nearest.normal = sn_vec_scale(nearest.normal, -1);
        nearest.distance = -nearest.distance;
        nearest.radius = -nearest.radius;
    }
    return nearest;
}

/* ---- Crossings ----
 *
 * All these shapes are convex, so the distance is a convex function along a line (a concave one
 * for an inverted shape): a search for its least value either finds a point inside or proves that
 * there is none, and halving then finds the entry. */

/* Both end when the numbers between their bounds do, long before this. */
enum { MOST_HALVINGS = 200 };

static double distance_at(const sn_shape *shape, sn_vec from, sn_vec to, double t)
{
    return sn_shape_nearest(shape, sn_vec_between(from, to, t)).distance;
}

/* Some t with a negative distance, or the one with the least. */
static double deepest(const sn_shape *shape, sn_vec from, sn_vec to)
{
    static const double GOLDEN = 0.61803398874989485;
    double low = 0, high = 1, left = 1 - GOLDEN, right = GOLDEN;
    double at_left = distance_at(shape, from, to, left);
    double at_right = distance_at(shape, from, to, right);
    for (int i = 0; i < MOST_HALVINGS && low < left && right < high && left < right; i++) {
        if (at_left < 0)
            return left;
        if (at_right < 0)
            return right;
        if (at_left <= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - GOLDEN * (high - low);
            at_left = distance_at(shape, from, to, left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + GOLDEN * (high - low);
            at_right = distance_at(shape, from, to, right);
        }
    }
    return left;
}

bool sn_shape_enter(const sn_shape *shape, sn_vec from, sn_vec to, sn_surface_point *entry)
{
    double start = distance_at(shape, from, to, 0);
    if (!(start > 0) || start > sn_vec_length(sn_vec_sub(to, from)))
        return false;
    double outside = 0, inside = 1;
    if (!(distance_at(shape, from, to, 1) < 0)) {
        if (shape->invert || shape->kind == SN_SHAPE_PLANE)
            return false; /* nothing lies deeper than both ends */
        inside = deepest(shape, from, to);
        if (!(distance_at(shape, from, to, inside) < 0))
            return false;
    }
    for (int i = 0; i < MOST_HALVINGS; i++) {
        double middle = outside + (inside - outside) / 2;
        if (middle <= outside || middle >= inside)
            break;
        if (distance_at(shape, from, to, middle) < 0)
            inside = middle;
        else
            outside = middle;
    }
    *entry = sn_shape_nearest(shape, sn_vec_between(from, to, outside));
    return true;
}
