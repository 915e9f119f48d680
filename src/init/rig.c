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
    sn_rig_free(&other);
    return SN_OK;
}

static sn_status find_motion(const char *motion, sn_init_rig *rig)
{
    sn_skeleton moves;
    rig->motion_is_bvh = sn_is_bvh_file(motion);
    if (rig->motion_is_bvh)
        SN_TRY(sn_motion_read_bvh(motion, SN_BVH_ADDED, &moves));
    else
        SN_TRY(sn_motion_read_gltf(motion, NULL, &moves));
    rig->motion = motion;
    keep_length(&moves, rig);
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
    return rig->from ? find_motion(motion, rig) : find_of_motion(motion, survey, up, rig);
}
