#include "init/rig.h"

#include "io/mesh/read.h"
#include "io/motion/read.h"
#include "io/motion/rig.h"
#include "shapes/shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double NEARLY_ALL = 0.9;
static const double UPRIGHT = 1.5; /* a skeleton stands along an axis that is so much the longest */

static void keep_length(const sn_skeleton *s, sn_init_rig *rig)
{
    rig->fps = s->fps;
    double fps = isnan(s->fps) ? 24 : s->fps;
    rig->seconds = s->in_seconds ? s->last : s->last / fps;
}

static sn_affine pose_of(const sn_skeleton *s, int joint, double time)
{
    return isnan(time) ? sn_skeleton_rest(s, joint) : sn_skeleton_pose(s, joint, time);
}

/* Of a joint, beside what the bone does on which its parent hangs: flesh at the parent bends so. */
static double moved(const sn_skeleton *s, int joint, double from, double to)
{
    int parent = s->joints.data[joint].parent;
    int base = parent < 0 ? -1 : s->joints.data[parent].parent;
    sn_affine back;
    if (base < 0)
        return 0;
    sn_affine stays = pose_of(s, base, from), goes = pose_of(s, base, to);
    sn_affine before = pose_of(s, joint, from), after = pose_of(s, joint, to);
    if (!sn_affine_invert(&goes, &back))
        return 0;
    after = sn_affine_after(&back, &after);
    after = sn_affine_after(&stays, &after);
    double way = 0;
    for (int d = 0; d < 3; d++)
        way = hypot(way, after.row[d][3] - before.row[d][3]);
    return way;
}

static double most_moved(const sn_skeleton *s, double from, double to)
{
    double most = 0;
    for (size_t j = 0; j < s->joints.count; j++)
        most = fmax(most, moved(s, (int)j, from, to));
    return isfinite(most) ? most : 0;
}

/* Looks at the beginning of a long motion only, and not at the first of its frames, which may be a
 * pose for measuring. `scale`: from the skeleton's lengths to the mesh's. */
static void keep_speed(const sn_skeleton *s, double scale, sn_init_rig *rig)
{
    enum { A_SECOND = 24, MOST_STEPS = 240 };
    double clock = s->in_seconds ? 1 : isnan(s->fps) ? 24 : s->fps, step = clock / A_SECOND;
    if (!(s->last > 0))
        return;
    for (int i = 1; i < MOST_STEPS && (i + 1) * step <= s->last; i++)
        rig->speed = fmax(rig->speed, A_SECOND * scale * most_moved(s, i * step, (i + 1) * step));
    rig->start = scale * most_moved(s, NAN, 0);
}

/* Where the joints are at rest, ends included. */
static sn_box box_of(const sn_skeleton *s)
{
    sn_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t j = 0; j < s->joints.count; j++) {
        sn_affine rest = sn_skeleton_rest(s, (int)j);
        for (int d = 0; d < 3; d++) {
            box.min[d] = fmin(box.min[d], rest.row[d][3]);
            box.max[d] = fmax(box.max[d], rest.row[d][3]);
        }
    }
    return box;
}

static double side(const sn_box *box, int axis)
{
    return box->max[axis] - box->min[axis];
}

static double longest_side(const sn_box *box)
{
    return fmax(side(box, 0), fmax(side(box, 1), side(box, 2)));
}

/* The skeleton's box after the turn about x that takes z to y. */
static sn_box turned(const sn_box *b)
{
    return (sn_box){{b->min[0], b->min[2], -b->max[1]}, {b->max[0], b->max[2], -b->min[1]}};
}

/* Of a skeleton that is not the mesh's own: as high as the mesh, on its floor, and with its root,
 * which is the hips as a rule, above or below the centre of mass. */
static void put_into(const sn_survey *survey, int up, const sn_skeleton *s, sn_init_rig *rig)
{
    const sn_box *mesh = &survey->report.bounds;
    sn_box joints = box_of(s);
    rig->is_placed = true;
    rig->is_turned = up == 1 && side(&joints, 2) > UPRIGHT * side(&joints, 1);
    sn_affine rest = sn_skeleton_rest(s, 0);
    double root[3] = {rest.row[0][3], rest.row[1][3], rest.row[2][3]};
    if (rig->is_turned) {
        joints = turned(&joints);
        root[2] = -root[1]; /* its height does not matter */
    }
    rig->scale = side(mesh, up) / side(&joints, up);
    if (!isfinite(rig->scale)) /* it lies flat */
        rig->scale = longest_side(mesh) / longest_side(&joints);
    for (int d = 0; d < 3; d++)
        rig->translate[d] = d == up ? mesh->min[d] - rig->scale * joints.min[d]
                                    : survey->centre[d] - rig->scale * root[d];
}

/* A skeleton that stands in the mesh as it is has nearly all of its joints in the mesh's box. */
static bool stands_in(const sn_box *mesh, const sn_skeleton *s)
{
    size_t inside = 0;
    for (size_t j = 0; j < s->joints.count; j++) {
        sn_affine rest = sn_skeleton_rest(s, (int)j);
        bool is_inside = true;
        for (int d = 0; d < 3; d++)
            is_inside =
                is_inside && rest.row[d][3] >= mesh->min[d] && rest.row[d][3] <= mesh->max[d];
        inside += is_inside;
    }
    return (double)inside >= NEARLY_ALL * (double)s->joints.count;
}

static int count_bones(const sn_rig *rig)
{
    int n = 0;
    for (size_t j = 0; j < rig->skeleton.joints.count; j++)
        n += rig->is_bone[j];
    return n;
}

/* The skeleton of the character's own file. */
static void find_own(const char *character, sn_init_rig *rig)
{
    sn_rig own;
    if (sn_builtin_asked_for(character) || sn_is_plain_mesh_file(character))
        return;
    if (sn_rig_read(character, NULL, NULL, SN_BVH_ADDED, &own) != SN_OK) {
        snprintf(rig->why_not, sizeof rig->why_not, "%s", sn_failure_message());
        return;
    }
    rig->from = character;
    rig->bones = count_bones(&own);
    keep_length(&own.skeleton, rig);
    keep_speed(&own.skeleton, 1, rig);
    sn_rig_free(&own);
}

static sn_status find_of_motion(const char *motion, const sn_survey *survey, int up,
                                sn_init_rig *rig)
{
    sn_rig other;
    SN_TRY(sn_rig_read(motion, NULL, NULL, SN_BVH_ADDED, &other));
    rig->from = motion;
    rig->bones = count_bones(&other);
    keep_length(&other.skeleton, rig);
    if (!stands_in(&survey->report.bounds, &other.skeleton))
        put_into(survey, up, &other.skeleton, rig);
    keep_speed(&other.skeleton, rig->scale, rig);
    sn_rig_free(&other);
    return SN_OK;
}

static sn_status find_motion(const char *motion, double size_of_mesh, sn_init_rig *rig)
{
    sn_skeleton moves;
    rig->motion_is_bvh = sn_is_bvh_file(motion);
    if (rig->motion_is_bvh)
        SN_TRY(sn_motion_read_bvh(motion, SN_BVH_ADDED, &moves));
    else
        SN_TRY(sn_motion_read_gltf(motion, NULL, &moves));
    rig->motion = motion;
    keep_length(&moves, rig);
    rig->speed = rig->start = 0; /* the other animation's */
    sn_box box = box_of(&moves);
    keep_speed(&moves, size_of_mesh / longest_side(&box), rig);
    sn_skeleton_free(&moves);
    return SN_OK;
}

sn_status sn_init_rig_find(const char *character, const char *motion, const sn_survey *survey,
                           int up, sn_init_rig *rig)
{
    *rig = (sn_init_rig){.asked = motion, .fps = NAN, .scale = 1};
    find_own(character, rig);
    if (!motion)
        return SN_OK;
    return rig->from ? find_motion(motion, sn_survey_longest_side(survey), rig)
                     : find_of_motion(motion, survey, up, rig);
}
