/* A scene: everything a run is told, read from a YAML file.
 *
 * This module knows the keys of a scene (schema.c has them all, with their defaults and
 * what they mean) and checks all that can be checked without opening another file. It hides
 * how they are written. Lengths and masses are in the scene's own units, times in seconds, and
 * everything else follows from these: force is mass times length per second squared. The
 * defaults suit metres and kilograms: then Young's modulus is in pascals. Angles are in degrees,
 * and frames are numbers without a unit, `fps` of them a second.
 *
 * Values left out that have no default: reals are NAN, texts NULL, and sections have the kind
 * NONE, or `given` 0. */
#ifndef SN_IO_SCENE_SCENE_H
#define SN_IO_SCENE_SCENE_H

#include "base/array.h"
#include "base/status.h"
#include "io/schema/origin.h"
#include "partition/method.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct {
    int first, last;
    double fps;
    int substeps;
} sn_frames;

typedef struct {
    int given;
    double axis[3], degrees, about[3];
} sn_rotation;

/* Where a mesh is put: scaled about the origin, then turned, then shifted. */
typedef struct {
    int given;
    double scale;
    sn_rotation rotate;
    double translate[3];
} sn_placement;

typedef enum {
    SN_SHAPE_NONE,
    SN_SHAPE_BOX,
    SN_SHAPE_SPHERE,
    SN_SHAPE_CAPSULE,
    SN_SHAPE_CYLINDER,
    SN_SHAPE_PLANE,
    SN_SHAPE_MESH,
} sn_shape_kind;

typedef struct {
    double min[3], max[3];
} sn_shape_box;

typedef struct {
    double center[3], radius;
} sn_shape_sphere;

/* A capsule or a cylinder around the segment from a to b. */
typedef struct {
    double a[3], b[3], radius;
} sn_shape_round;

/* Inside is where the normal does not point. */
typedef struct {
    double point[3], normal[3];
} sn_shape_plane;

/* A region of space or the shape of a collider; only the member of its kind has a meaning. */
typedef struct {
    sn_shape_kind kind;
    sn_shape_box box;
    sn_shape_sphere sphere;
    sn_shape_round capsule, cylinder;
    sn_shape_plane plane;
    char *mesh;
    sn_placement place; /* of the mesh */
    bool invert;        /* inside and outside change places */
} sn_shape;

/* The pose at a frame: either affine (rows of 3x4; affine[0] is NAN if it was not given), or
 * first turned and then translated. */
typedef struct {
    double frame;
    double translate[3];
    sn_rotation rotate;
    double affine[12];
} sn_motion_key;

typedef enum {
    SN_MOTION_NONE, /* held still */
    SN_MOTION_KEYS,
    SN_MOTION_BVH,
    SN_MOTION_GLTF,
    SN_MOTION_CSV,
    SN_MOTION_SEQUENCE,
    SN_MOTION_BUILTIN,
} sn_motion_kind;

typedef enum { SN_UP_X, SN_UP_Y, SN_UP_Z } sn_up_axis;

/* What the position channels of a BVH file are to a joint's OFFSET. */
typedef enum { SN_BVH_ADDED, SN_BVH_INSTEAD } sn_bvh_positions;

typedef struct {
    sn_motion_kind kind;
    SN_VECTOR(sn_motion_key) keys;               /* frames ascend */
    char *bvh, *gltf, *csv, *sequence, *builtin; /* the one of its kind */
    char *joint, *node;                          /* never NULL where they apply */
    char *animation;                             /* of a glTF file; NULL: the first */
    sn_bvh_positions positions;
    double scale;
    sn_up_axis up;
    double fps;        /* of the file; NAN: what the file says, or the scene's */
    double rest_frame; /* of the file, from 1; 0: its hierarchy; NAN: the scene's first frame */
} sn_motion;

/* A part of a body with another material; NAN: as the body, or as an earlier region. */
typedef struct {
    sn_shape region;
    double young, poisson, density, damping;
} sn_material_region;

typedef struct {
    double young, poisson, density, damping;
    SN_VECTOR(sn_material_region) regions; /* where they overlap, a later one counts */
} sn_material;

typedef struct {
    char *name, *mesh;
    sn_placement place;
    double cell, coarsest; /* coarsest NAN: no limit */
    sn_material material;
} sn_body_settings;

typedef struct {
    char *name, *body, *mesh;
    sn_placement place;
    sn_motion motion;
    double stiffness;
} sn_bone;

typedef struct {
    char *name, *body;
    sn_shape region;
    sn_motion motion;
} sn_pin;

typedef struct {
    char *name;
    sn_shape shape; /* NONE only if the motion is a sequence */
    sn_motion motion;
    double stiffness, tangential_stiffness, friction;
} sn_collider;

typedef struct {
    bool enabled;
    double stiffness, tangential_stiffness, friction;
} sn_self_collision;

typedef enum { SN_MODE_DYNAMIC, SN_MODE_QUASISTATIC } sn_solver_mode;
typedef enum { SN_INTEGRATOR_BACKWARD_EULER, SN_INTEGRATOR_BDF2 } sn_integrator;
typedef enum { SN_LINEAR_MGPCG, SN_LINEAR_MG, SN_LINEAR_CG } sn_linear_method;

typedef struct {
    int max;
    double tolerance;
} sn_newton_settings;

typedef enum { SN_SMOOTH_CHEBYSHEV, SN_SMOOTH_JACOBI } sn_smoother;
typedef enum { SN_PRECISION_AUTO, SN_PRECISION_SINGLE, SN_PRECISION_DOUBLE } sn_precision;

typedef struct {
    sn_linear_method method;
    int max;
    double tolerance;
    sn_smoother smoother;
    int degree;
    sn_precision precision;
} sn_linear_settings;

typedef struct {
    sn_solver_mode mode;
    sn_integrator integrator;
    sn_newton_settings newton;
    sn_linear_settings linear;
} sn_solver_settings;

typedef struct {
    sn_partition_method method;
} sn_partition_settings;

typedef struct {
    int every, keep;
} sn_checkpoint_settings;

/* What frames may have beside positions; shot/output/fields.h says what each is. */
typedef enum {
    SN_FIELD_DISPLACEMENT,
    SN_FIELD_VELOCITY,
    SN_FIELD_DET_F,
    SN_FIELD_STRESS,
    SN_FIELD_CONTACT_PRESSURE,
    SN_FIELD_MATERIAL,
    SN_FIELD_OWNER,
    SN_FIELD_KINDS
} sn_field_kind;

typedef struct {
    char *dir;
    int every;
    bool octree;
    int fields; /* 1 << sn_field_kind for each; negative: left out, all in cells only */
    sn_checkpoint_settings checkpoint;
} sn_output_settings;

/* Where pictures are taken from; NAN: what frames the shot. */
typedef struct {
    double eye[3], target[3], up[3];
    double fov; /* vertical */
} sn_camera_settings;

typedef enum { SN_GROUND_AUTO, SN_GROUND_NONE } sn_ground_choice;

typedef struct {
    int width, height, samples;
    bool bones; /* seen through the flesh */
    sn_ground_choice ground;
    double ground_height; /* along up; NAN: found in the scene */
} sn_render_settings;

typedef struct {
    char *name;
    sn_frames frames;
    double gravity[3];
    SN_VECTOR(sn_body_settings) bodies; /* at least one; names are unique in each list */
    SN_VECTOR(sn_bone) bones;
    SN_VECTOR(sn_pin) pins;
    SN_VECTOR(sn_collider) colliders;
    sn_self_collision self_collision;
    sn_solver_settings solver;
    sn_partition_settings partition;
    sn_output_settings output;
    sn_camera_settings camera;
    sn_render_settings render;
    sn_origin origin; /* which file, and where in it each value stands */
} sn_scene;

/* Collective. Rank 0 reads the file, all ranks get the same scene or the same failure. The
 * overrides are `key=value` texts as after -P: the key a path such as bodies[0].cell,
 * bodies.0.cell, bodies.flesh.cell or bodies[flesh].cell, the value in YAML. After a failure
 * there is nothing to free. */
SN_CHECKED sn_status sn_scene_read(MPI_Comm comm, const char *path, const char *const *overrides,
                                   int n_overrides, sn_scene *scene);

/* Not collective. The same from a text, which messages call `name`. */
SN_CHECKED sn_status sn_scene_read_text(const char *name, const char *text, size_t bytes,
                                        sn_scene *scene);
void sn_scene_free(sn_scene *scene);

/* Writes every value as used, defaults included, as a scene that reads back as the same. */
SN_CHECKED sn_status sn_scene_write(const sn_scene *scene, FILE *out);

/* The same as a text that ends with a zero, in memory that the caller frees with sn_free. */
char *sn_scene_text(const sn_scene *scene);

/* Fails, naming the key and both values, unless frames of one scene go on as frames of the other:
 * only the name, frames.last, partition and output may differ. Paths must be absolute. */
SN_CHECKED sn_status sn_scene_check_continues(const sn_scene *before, const sn_scene *now);

/* Prints the reference: all keys with their types, defaults and meanings. */
void sn_scene_describe(FILE *out);

/* Fails with SN_BAD_INPUT and a message that names file, line, column and key path:
 *     return sn_scene_fail(scene, sn_key_path("bodies[%zu].mesh", i).text, "has no faces"); */
sn_status sn_scene_fail(const sn_scene *scene, const char *key_path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Where the value of a key path, or what is nearest around it, was written. */
sn_place sn_scene_place(const sn_scene *scene, const char *key_path);

/* Index of the body with this name, or -1. */
int sn_scene_find_body(const sn_scene *scene, const char *name);

/* The path of a file that the scene names: relative to the scene's own folder, unless it is
 * absolute or starts with `builtin:`. Fails if it does not fit. */
SN_CHECKED sn_status sn_scene_path(const sn_scene *scene, const char *relative, char *out,
                                   size_t size);

/* Makes every path absolute, so that a copy of the scene in another folder means the same files.
 * The ranks must share a current folder. After a failure some are absolute. */
SN_CHECKED sn_status sn_scene_absolute_paths(sn_scene *scene);

/* A line with digest and path for each file that the scene reads, in a fixed order, in memory that
 * the caller frees with sn_free. Not collective; paths must be absolute. */
char *sn_scene_input_digests(const sn_scene *scene);

#endif
