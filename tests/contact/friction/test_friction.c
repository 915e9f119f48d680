/* Friction of a point: its anchor against the law of a slider. */
#include "helpers/check.h"

#include "contact/friction/friction.h"

#include <math.h>

/* One slider against the law in one dimension: the force follows the way, cut at its limit. The
 * same with an anchor in flesh that is stretched to twice its length. */
static void slider(void)
{
    sn_friction_law law = {.stiffness = 50, .tangential_stiffness = 30, .friction = 0.4};
    sn_vec normal = {0.6, 0, 0.8}, along = {0.8, 0, -0.6}, anchor = {0, 0, 0}, rest = anchor;
    double force = 0, last = 0;
    int slipped = 0;
    for (int i = 1; i <= 400; i++) {
        double way = 0.3 * sin(0.05 * i) + 0.1 * sin(0.31 * i), depth = 0.1 + 0.05 * sin(0.2 * i);
        double limit = law.friction * law.stiffness * depth;
        sn_vec at = sn_vec_scale(along, way - 0.01); /* any point of the plane will do */
        sn_vec x = sn_vec_sub(sn_vec_scale(along, way), sn_vec_scale(normal, depth));
        anchor = sn_friction_drag(&law, x, at, normal, anchor);
        force += law.tangential_stiffness * (way - last);
        slipped += fabs(force) > limit;
        force = fmin(fmax(force, -limit), limit);
        last = way;
        sn_vec pull = sn_vec_sub(x, sn_friction_target(at, normal, anchor));
        CHECK(fabs(law.tangential_stiffness * sn_vec_dot(pull, along) - force) < 1e-12,
              "force %g, expected %g", law.tangential_stiffness * sn_vec_dot(pull, along), force);
        CHECK(fabs(sn_vec_dot(pull, normal) + depth) < 1e-14 && fabs(pull.y) < 1e-14, "aside");
        double slid = fabs(way - 2 * sn_vec_dot(rest, along));
        rest = sn_friction_drag_at_rest(&law, depth, slid, sn_vec_scale(along, way / 2), rest);
        slid = way - 2 * sn_vec_dot(rest, along);
        CHECK(fabs(law.tangential_stiffness * slid - force) < 1e-12, "%g behind, stretched", slid);
    }
    CHECK(slipped > 50 && slipped < 350, "slipped %d times of 400", slipped);
}

static void nothing_without_friction(void)
{
    sn_friction_law law = {.stiffness = 50, .tangential_stiffness = 30};
    sn_vec x = {1, 2, -1}, up = {0, 0, 1}, zero = {0, 0, 0};
    sn_vec pull = sn_vec_sub(x, sn_friction_drag(&law, x, zero, up, zero));
    CHECK(pull.x == 0 && pull.y == 0, "no friction, no force");
    sn_vec free = sn_friction_drag_at_rest(&law, 1, 2, x, zero);
    CHECK(free.x == x.x && free.y == x.y && free.z == x.z, "no friction, no anchor");
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    slider();
    nothing_without_friction();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
