#include "motion/motion.h"

#include "io/motion/read.h"
#include "io/text/name_list.h"
#include "motion/axes.h"

#include <limits.h>
#include <string.h>

static const char *name_of(sn_motion_kind kind)
{
    static const char *const names[] = {
        [SN_MOTION_NONE] = "",           [SN_MOTION_KEYS] = "keys",
        [SN_MOTION_BVH] = "bvh",         [SN_MOTION_GLTF] = "gltf",
        [SN_MOTION_CSV] = "csv",         [SN_MOTION_SEQUENCE] = "sequence",
        [SN_MOTION_BUILTIN] = "builtin",
    };
    return names[kind];
}

static const char *file_of(const sn_motion *motion)
{
    switch (motion->kind) {
    case SN_MOTION_BVH:
        return motion->bvh;
    case SN_MOTION_GLTF:
        return motion->gltf;
    case SN_MOTION_CSV:
        return motion->csv;
    default:
        return NULL;
    }
}

static sn_path key_of(const char *key_path, const char *key)
{
    return sn_key_path("%.200s.%s", key_path, key);
}

/* Files. */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_file(const sn_motion *a, const sn_motion *b)
{
    return a->kind == b->kind && same_text(file_of(a), file_of(b)) &&
           same_text(a->animation, b->animation) && a->positions == b->positions;
}

static sn_status read_file(const sn_origin *origin, const sn_motion *motion, sn_skeleton *skeleton)
{
    char path[PATH_MAX];
    SN_TRY(sn_origin_path(origin, file_of(motion), path, sizeof path));
    if (motion->kind == SN_MOTION_BVH)
        return sn_motion_read_bvh(path, motion->positions, skeleton);
    if (motion->kind == SN_MOTION_CSV)
        return sn_motion_read_csv(path, skeleton);
    return sn_motion_read_gltf(path, motion->animation, skeleton);
}

/* The skeleton stays in the source. */
static sn_status find_file(sn_motion_source *source, const sn_motion *motion,
                           const sn_skeleton **skeleton)
{
    for (size_t f = 0; f < source->files.count; f++)
        if (same_file(source->files.data[f].asked, motion)) {
            *skeleton = &source->files.data[f].skeleton;
            return SN_OK;
        }
    sn_motion_file fresh = {.asked = motion};
    SN_TRY(read_file(source->origin, motion, &fresh.skeleton));
    sn_push(&source->files, fresh);
    *skeleton = &source->files.data[source->files.count - 1].skeleton;
    return SN_OK;
}

void sn_motion_source_free(sn_motion_source *source)
{
    for (size_t f = 0; f < source->files.count; f++)
        sn_skeleton_free(&source->files.data[f].skeleton);
    sn_vector_free(&source->files);
}

static sn_status no_such_joint(const sn_origin *origin, const char *key_path,
                               const sn_motion *motion, const sn_skeleton *skeleton)
{
    bool bvh = motion->kind == SN_MOTION_BVH;
    sn_name_list known = {{0}};
    for (size_t j = 0; j < skeleton->joints.count; j++)
        if (!skeleton->joints.data[j].is_end)
            sn_name_list_add(&known, skeleton->joints.data[j].name);
    return sn_origin_fail(origin, key_of(key_path, bvh ? "joint" : "node").text,
                          "%.200s has no %s \"%.80s\"; it has: %s", file_of(motion),
                          bvh ? "joint" : "node", bvh ? motion->joint : motion->node, known.text);
}

/* On rank 0. */
static sn_status read_chain(sn_motion_source *source, const char *key_path, const sn_motion *motion,
                            sn_skeleton *chain)
{
    const sn_skeleton *skeleton;
    sn_status status = find_file(source, motion, &skeleton);
    if (status != SN_OK)
        return sn_origin_blame(source->origin, key_of(key_path, name_of(motion->kind)).text,
                               status);
    int joint = 0;
    if (motion->kind != SN_MOTION_CSV)
        joint = sn_skeleton_find(skeleton,
                                 motion->kind == SN_MOTION_BVH ? motion->joint : motion->node);
    if (joint < 0)
        return no_such_joint(source->origin, key_path, motion, skeleton);
    *chain = sn_skeleton_chain(skeleton, joint);
    return SN_OK;
}

/* Collective. */
static sn_status load_chain(MPI_Comm comm, sn_motion_source *source, const char *key_path,
                            const sn_motion *motion, sn_moving *moving)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_status status = SN_OK;
    if (rank == 0)
        status = read_chain(source, key_path, motion, &moving->chain);
    SN_TRY(sn_agree(comm, status));
    sn_skeleton_share(comm, &moving->chain);
    double fps = sn_motion_fps(source->frames, motion, moving->chain.fps);
    moving->step = (moving->chain.in_seconds ? 1 : fps) / source->frames->fps;
    return SN_OK;
}

/* Poses. From here on all ranks have the same and come to the same answer. */

static bool is_held(const sn_motion *motion)
{
    return motion->kind == SN_MOTION_NONE || motion->kind == SN_MOTION_KEYS;
}

static int last_joint(const sn_moving *moving)
{
    return (int)moving->chain.joints.count - 1;
}

double sn_motion_frame(const sn_motion *motion, const sn_frames *frames, double frame)
{
    if (motion->offset == 0 && motion->speed == 1)
        return frame;
    return frames->first + (frame - frames->first - motion->offset) * motion->speed;
}

/* By the motion's own clock. */
static double time_at(const sn_moving *moving, double frame)
{
    double own = sn_motion_frame(moving->settings, moving->frames, frame);
    return (own - moving->frames->first) * moving->step;
}

/* By the motion's own clock, in the scene's axes and lengths. */
static sn_affine pose_at(const sn_moving *moving, double time)
{
    if (moving->settings->kind == SN_MOTION_BUILTIN)
        return sn_builtin_motion_at(&moving->builtin, time);
    sn_affine pose = sn_skeleton_pose(&moving->chain, last_joint(moving), time);
    return sn_motion_axes_pose(moving->settings, &pose);
}

static bool has_hierarchy(const sn_motion *motion)
{
    return motion->kind == SN_MOTION_BVH || motion->kind == SN_MOTION_GLTF;
}

/* As the file's hierarchy stands when nothing moves it. */
static sn_affine pose_of_hierarchy(const sn_moving *moving)
{
    sn_affine pose = sn_skeleton_rest(&moving->chain, last_joint(moving));
    return sn_motion_axes_pose(moving->settings, &pose);
}

/* The time of the rest frame by the motion's clock. */
static sn_status rest_time(const sn_motion_source *source, const char *key_path,
                           const sn_moving *moving, double *time)
{
    const sn_motion *motion = moving->settings;
    bool builtin = motion->kind == SN_MOTION_BUILTIN;
    double fps = sn_motion_fps(source->frames, motion, moving->chain.fps);
    double a_frame = builtin || moving->chain.in_seconds ? 1 / fps : 1;
    double last = builtin ? INFINITY : moving->chain.last / a_frame + 1;
    /* seconds may be those of floats: rounding must not lose the last frame */
    if (motion->rest_frame < 1 || motion->rest_frame > last * (1 + 1e-6))
        return sn_origin_fail(
            source->origin, key_of(key_path, "rest_frame").text,
            "expected a frame of the %s, 1 to %g,%s got %g", builtin ? "motion" : "file", last,
            has_hierarchy(motion) ? " or 0 for its hierarchy," : "", motion->rest_frame);
    *time = (motion->rest_frame - 1) * a_frame;
    return SN_OK;
}

static sn_status rest_pose(const sn_motion_source *source, const char *key_path, sn_moving *moving)
{
    const sn_motion *motion = moving->settings;
    bool given = !isnan(motion->rest_frame);
    double time = time_at(moving, source->frames->first);
    moving->rest_time = NAN;
    if (!given && motion->kind == SN_MOTION_BUILTIN)
        return SN_OK; /* as its meshes stand */
    if (given && motion->rest_frame == 0 && has_hierarchy(motion)) {
        moving->rest = pose_of_hierarchy(moving);
        return SN_OK;
    }
    if (given)
        SN_TRY(rest_time(source, key_path, moving, &time));
    moving->rest_time = time;
    moving->rest = pose_at(moving, time);
    return SN_OK;
}

static sn_status find_rest(const sn_motion_source *source, const char *key_path, sn_moving *moving)
{
    const sn_motion *motion = moving->settings;
    SN_TRY(rest_pose(source, key_path, moving));
    if (!sn_affine_is_finite(&moving->rest) || !sn_affine_invert(&moving->rest, &moving->from_rest))
        return sn_origin_fail(
            source->origin,
            key_of(key_path, isnan(motion->rest_frame) ? name_of(motion->kind) : "rest_frame").text,
            "the rest pose flattens space and cannot be undone");
    return SN_OK;
}

static sn_status check_poses(const sn_motion_source *source, const char *key_path,
                             const sn_moving *moving)
{
    for (int frame = sn_frames_start(source->frames); frame <= source->frames->last; frame++) {
        sn_affine pose = sn_moving_at(moving, frame);
        if (!sn_affine_is_finite(&pose))
            return sn_origin_fail(source->origin,
                                  key_of(key_path, name_of(moving->settings->kind)).text,
                                  "the pose of frame %d is too large to be computed", frame);
    }
    return SN_OK;
}

static sn_status load_builtin(const sn_motion_source *source, const char *key_path,
                              sn_moving *moving)
{
    const sn_motion *motion = moving->settings;
    bool wrong_joint;
    moving->step = 1 / source->frames->fps;
    sn_status status = sn_builtin_motion_parse(motion->builtin, motion->joint, motion->scale,
                                               &moving->builtin, &wrong_joint);
    if (status == SN_OK)
        return SN_OK;
    return sn_origin_blame(source->origin, key_of(key_path, wrong_joint ? "joint" : "builtin").text,
                           status);
}

sn_status sn_motion_load(MPI_Comm comm, sn_motion_source *source, const char *key_path,
                         const sn_motion *motion, sn_moving *moving)
{
    *moving = (sn_moving){.settings = motion,
                          .frames = source->frames,
                          .rest = SN_IDENTITY,
                          .from_rest = SN_IDENTITY};
    if (is_held(motion))
        return SN_OK;
    if (motion->kind == SN_MOTION_SEQUENCE)
        return sn_origin_fail(source->origin, key_of(key_path, "sequence").text,
                              "a sequence of meshes cannot move another thing");
    if (motion->kind == SN_MOTION_BUILTIN)
        SN_TRY(load_builtin(source, key_path, moving));
    else
        SN_TRY(load_chain(comm, source, key_path, motion, moving));
    sn_status status = find_rest(source, key_path, moving);
    if (status == SN_OK)
        status = check_poses(source, key_path, moving);
    if (status != SN_OK)
        sn_moving_free(moving);
    return status;
}

static sn_status start_joint(const sn_motion_source *source, const char *key_path,
                             const sn_affine *place, sn_moving *moving)
{
    moving->is_placed = true;
    moving->place = *place;
    moving->rest_time = NAN;
    moving->rest = sn_skeleton_rest(&moving->chain, last_joint(moving));
    if (!sn_affine_is_finite(&moving->rest) ||
        !sn_affine_invert(&moving->rest, &moving->from_rest) ||
        !sn_affine_invert(place, &moving->from_place))
        return sn_origin_fail(source->origin, key_path,
                              "the joint \"%.80s\" flattens space where it rests",
                              moving->chain.joints.data[last_joint(moving)].name);
    return check_poses(source, key_path, moving);
}

sn_status sn_motion_of_joint(MPI_Comm comm, sn_motion_source *source, const char *key_path,
                             const sn_motion *settings, const sn_skeleton *skeleton, int joint,
                             const sn_affine *place, sn_moving *moving)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    *moving = (sn_moving){.settings = settings, .frames = source->frames};
    if (rank == 0)
        moving->chain = sn_skeleton_chain(skeleton, joint);
    sn_skeleton_share(comm, &moving->chain);
    double fps = sn_motion_fps(source->frames, settings, moving->chain.fps);
    moving->step = (moving->chain.in_seconds ? 1 : fps) / source->frames->fps;
    sn_status status = start_joint(source, key_path, place, moving);
    if (status != SN_OK)
        sn_moving_free(moving);
    return status;
}

void sn_moving_free(sn_moving *moving)
{
    sn_skeleton_free(&moving->chain);
    *moving = (sn_moving){0};
}

static sn_affine from_rest_to(const sn_moving *moving, const sn_affine *pose)
{
    if (memcmp(pose, &moving->rest, sizeof *pose) == 0)
        return SN_IDENTITY;
    sn_affine map = sn_affine_after(pose, &moving->from_rest);
    if (!moving->is_placed)
        return map;
    map = sn_affine_after(&map, &moving->from_place);
    return sn_affine_after(&moving->place, &map);
}

/* As the motion itself has it. */
static sn_affine moved_at(const sn_moving *moving, double frame)
{
    if (is_held(moving->settings))
        return sn_motion_at(moving->settings,
                            sn_motion_frame(moving->settings, moving->frames, frame));
    sn_affine pose = pose_at(moving, time_at(moving, frame));
    return from_rest_to(moving, &pose);
}

/* Joint by joint. */
static sn_affine lead_skeleton_in(const sn_moving *moving, const sn_lead_in *way)
{
    double first = moving->frames->first;
    sn_skeleton_way joints = {.rest = moving->rest_time,
                              .start = time_at(moving, first),
                              .ahead = time_at(moving, first + way->ahead),
                              .part = way->part};
    sn_affine pose = sn_skeleton_pose_on_way(&moving->chain, last_joint(moving), &joints);
    pose = sn_motion_axes_pose(moving->settings, &pose);
    return from_rest_to(moving, &pose);
}

static sn_affine lead_in(const sn_moving *moving, double frame)
{
    sn_lead_in way = sn_lead_in_at(moving->frames, frame);
    if (moving->chain.joints.count > 0)
        return lead_skeleton_in(moving, &way);
    sn_affine first = moved_at(moving, moving->frames->first);
    sn_affine ahead = moved_at(moving, moving->frames->first + way.ahead);
    return sn_lead_in_pose(&way, &first, &ahead);
}

sn_affine sn_moving_at(const sn_moving *moving, double frame)
{
    if (moving->settings->kind == SN_MOTION_NONE)
        return SN_IDENTITY;
    return sn_is_lead_in(moving->frames, frame) ? lead_in(moving, frame) : moved_at(moving, frame);
}
