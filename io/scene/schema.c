#include "io/scene/schema.h"

#include "curve/octant.h"

#include <stddef.h>

/* One row: the key's name, the member that it fills, its type, its meaning, and whatever else the
 * row has to say. */
#define NAMED_KEY(struct_type, key, member, key_type, meaning, ...)                                \
    {                                                                                              \
        .name = #key, .help = meaning, .type = SN_TYPE_##key_type,                                 \
        .offset = offsetof(struct_type, member), __VA_ARGS__                                       \
    }
/* One that is called as its member. */
#define KEY(struct_type, member, key_type, meaning, ...)                                           \
    NAMED_KEY(struct_type, member, member, key_type, meaning, __VA_ARGS__)
/* A section of keys that fill members here and there in the same struct: keys that a reader of the
 * scene finds together, for several modules. */
#define SPREAD_KEY(key, meaning, table)                                                            \
    {                                                                                              \
        .name = #key, .help = meaning, .type = SN_TYPE_SECTION, .section = &(table)                \
    }
#define REQUIRED .required = true
#define DEFAULT(text) .fallback = text
#define ONE_OF(...)                                                                                \
    .choices = (const char *const[])                                                               \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define NAMED(...)                                                                                 \
    .names = (const sn_named_real[])                                                               \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            NULL, 0                                                                                \
        }                                                                                          \
    }
#define VECTOR .count = 3
#define KEYS_OF(table) .section = &(table)

/* One table; `given_offset` as in sn_section. */
#define SECTION(struct_type, section_name, rows, given_offset, check_function)                     \
    {                                                                                              \
        .name = section_name, .keys = rows, .n_keys = sizeof rows / sizeof *rows,                  \
        .size = sizeof(struct_type), .given = given_offset, .check = check_function                \
    }
#define ALWAYS SN_NOT_STORED

_Static_assert(sizeof(sn_shape_kind) == sizeof(int), "enums are read and written as int");

/* Motions are looked at in every substep of every frame before a shot starts: half a day of film,
 * and as many steps as anybody takes. */
enum { MOST_FRAMES = 999999, MOST_SUBSTEPS = 10000, MOST_PREROLL = 9999 };

static const sn_schema_key frames_keys[] = {
    KEY(sn_frames, first, INTEGER, "number of the first frame", DEFAULT("1"),
        SN_FROM_TO(0, MOST_FRAMES)),
    KEY(sn_frames, last, INTEGER, "number of the last frame, not before the first", DEFAULT("1"),
        SN_FROM_TO(0, MOST_FRAMES)),
    KEY(sn_frames, fps, REAL, "frames a second", DEFAULT("24"), SN_ABOVE(0)),
    KEY(sn_frames, substeps, INTEGER, "time steps a frame", DEFAULT("1"),
        SN_FROM_TO(1, MOST_SUBSTEPS)),
    KEY(sn_frames, preroll, INTEGER,
        "frames before the first in which bones, pins and colliders go from their rest poses to "
        "those of the first frame, smoothly; solved, and not written but by output.preroll",
        DEFAULT("0"), SN_FROM_TO(0, MOST_PREROLL)),
};
static const sn_section frames = SECTION(sn_frames, "frames", frames_keys, ALWAYS, sn_check_frames);

/* Turns, and where meshes are put. */

static const sn_schema_key rotation_keys[] = {
    KEY(sn_rotation, axis, REALS, "axis of the turn, of any length", VECTOR, REQUIRED,
        .nonzero = true),
    KEY(sn_rotation, degrees, REAL, "angle, right-handed, may be more than a full turn", REQUIRED),
    KEY(sn_rotation, about, REALS, "a point on the axis", VECTOR, DEFAULT("[0, 0, 0]")),
};
static const sn_section rotation =
    SECTION(sn_rotation, "a rotation", rotation_keys, offsetof(sn_rotation, given), NULL);

static const sn_schema_key placement_keys[] = {
    KEY(sn_placement, scale, REAL, "lengths are multiplied by this", DEFAULT("1"), SN_ABOVE(0)),
    KEY(sn_placement, rotate, SECTION, "turn, after the scaling", KEYS_OF(rotation)),
    KEY(sn_placement, translate, REALS, "shift, after the turn", VECTOR, DEFAULT("[0, 0, 0]")),
};
static const sn_section placement =
    SECTION(sn_placement, "a place", placement_keys, offsetof(sn_placement, given), NULL);

/* Shapes and regions. */

static const sn_schema_key box_keys[] = {
    KEY(sn_shape_box, min, REALS, "lowest corner", VECTOR, REQUIRED),
    KEY(sn_shape_box, max, REALS, "highest corner, above the lowest in x, y and z", VECTOR,
        REQUIRED),
};
static const sn_section box = SECTION(sn_shape_box, "a box", box_keys, ALWAYS, sn_check_box);

static const sn_schema_key sphere_keys[] = {
    KEY(sn_shape_sphere, center, REALS, "centre", VECTOR, REQUIRED),
    KEY(sn_shape_sphere, radius, REAL, "radius", SN_ABOVE(0), REQUIRED),
};
static const sn_section sphere = SECTION(sn_shape_sphere, "a sphere", sphere_keys, ALWAYS, NULL);

static const sn_schema_key round_keys[] = {
    KEY(sn_shape_round, a, REALS, "one end of the axis", VECTOR, REQUIRED),
    KEY(sn_shape_round, b, REALS, "the other end", VECTOR, REQUIRED),
    KEY(sn_shape_round, radius, REAL, "radius around the axis", SN_ABOVE(0), REQUIRED),
};
static const sn_section capsule = SECTION(sn_shape_round, "a capsule", round_keys, ALWAYS, NULL);
static const sn_section cylinder =
    SECTION(sn_shape_round, "a cylinder", round_keys, ALWAYS, sn_check_cylinder);

static const sn_schema_key plane_keys[] = {
    KEY(sn_shape_plane, point, REALS, "a point of the plane", VECTOR, DEFAULT("[0, 0, 0]")),
    KEY(sn_shape_plane, normal, REALS, "points out of the half space, of any length", VECTOR,
        REQUIRED, .nonzero = true),
};
static const sn_section plane = SECTION(sn_shape_plane, "a plane", plane_keys, ALWAYS, NULL);

static const sn_schema_key shape_keys[] = {
    KEY(sn_shape, box, SECTION, "a box along the axes", KEYS_OF(box), .alternative = SN_SHAPE_BOX),
    KEY(sn_shape, sphere, SECTION, "a ball", KEYS_OF(sphere), .alternative = SN_SHAPE_SPHERE),
    KEY(sn_shape, capsule, SECTION, "a cylinder with round ends", KEYS_OF(capsule),
        .alternative = SN_SHAPE_CAPSULE),
    KEY(sn_shape, cylinder, SECTION, "a cylinder with flat ends", KEYS_OF(cylinder),
        .alternative = SN_SHAPE_CYLINDER),
    KEY(sn_shape, plane, SECTION, "the half space under a plane", KEYS_OF(plane),
        .alternative = SN_SHAPE_PLANE),
    KEY(sn_shape, mesh, TEXT, "inside a mesh, at best a closed one: a path, or builtin:NAME",
        .alternative = SN_SHAPE_MESH),
    KEY(sn_shape, place, SECTION, "where the mesh is put; left out: as it is", KEYS_OF(placement),
        .goes_with = 1u << SN_SHAPE_MESH),
    KEY(sn_shape, invert, BOOLEAN, "inside and outside change places", DEFAULT("false")),
};
static const sn_section shape =
    SECTION(sn_shape, "a shape", shape_keys, offsetof(sn_shape, kind), NULL);

/* Motions. A file's first frame stands at the scene's first frame, and its pose is held after its
 * last; what is moved goes from its place in the rest pose to that in the pose of the moment. */

static const sn_schema_key motion_key_keys[] = {
    KEY(sn_motion_key, frame, REAL, "frame of the scene", REQUIRED),
    KEY(sn_motion_key, translate, REALS, "shift from the rest position", VECTOR,
        DEFAULT("[0, 0, 0]")),
    KEY(sn_motion_key, rotate, SECTION, "turn, before the shift", KEYS_OF(rotation)),
    KEY(sn_motion_key, affine, REALS, "a 3x4 matrix instead of translate and rotate", .count = 12,
        .row = 4),
};
static const sn_section motion_key =
    SECTION(sn_motion_key, "a key frame", motion_key_keys, ALWAYS, sn_check_motion_key);

#define WITH(kind) (1u << SN_MOTION_##kind)
#define WITH_FILES (WITH(BVH) | WITH(GLTF) | WITH(CSV) | WITH(SEQUENCE))

static const sn_schema_key motion_keys[] = {
    KEY(sn_motion, keys, LIST, "key frames, ascending", KEYS_OF(motion_key), SN_AT_LEAST(1),
        .alternative = SN_MOTION_KEYS),
    KEY(sn_motion, bvh, TEXT, "a BVH file", .alternative = SN_MOTION_BVH),
    KEY(sn_motion, gltf, TEXT, "a glTF file, or another with nodes: FBX, Collada",
        .alternative = SN_MOTION_GLTF),
    KEY(sn_motion, csv, TEXT, "a file with the 12 numbers of a 3x4 matrix a line, one line a frame",
        .alternative = SN_MOTION_CSV),
    KEY(sn_motion, sequence, TEXT,
        "meshes, one a frame: a path with a # for each digit, as in cloth_####.obj",
        .alternative = SN_MOTION_SEQUENCE),
    KEY(sn_motion, builtin, TEXT,
        "a built-in motion: creature_walk or creature_walk_forward, optionally with "
        ",period=SECONDS "
        "and ,start=SECONDS",
        .alternative = SN_MOTION_BUILTIN),
    KEY(sn_motion, ease, CHOICE,
        "between two keys: linear: at one speed; smooth: from standing on one to standing on the "
        "next",
        ONE_OF("linear", "smooth"), DEFAULT("linear"), .goes_with = WITH(KEYS)),
    KEY(sn_motion, offset, REAL,
        "frames of the scene by which it begins later; below 0: earlier, so that its beginning is "
        "left out",
        DEFAULT("0"), SN_FROM_TO(-MOST_FRAMES, MOST_FRAMES)),
    KEY(sn_motion, speed, REAL, "it goes so many times as fast, from the scene's first frame on",
        DEFAULT("1"), SN_FROM_TO(1e-6, 1e6)),
    KEY(sn_motion, joint, TEXT, "joint that moves it; left out: the one called as the thing moved",
        .goes_with = WITH(BVH) | WITH(BUILTIN)),
    KEY(sn_motion, node, TEXT, "node that moves it; left out: the one called as the thing moved",
        .goes_with = WITH(GLTF)),
    KEY(sn_motion, animation, TEXT, "which animation of the file; left out: the first",
        .goes_with = WITH(GLTF)),
    KEY(sn_motion, positions, CHOICE, "position channels: added to OFFSET, or instead of it",
        ONE_OF("added", "instead"), DEFAULT("added"), .goes_with = WITH(BVH)),
    KEY(sn_motion, scale, REAL, "lengths of the file are multiplied by this", DEFAULT("1"),
        SN_ABOVE(0), .goes_with = WITH_FILES | WITH(BUILTIN)),
    KEY(sn_motion, up, CHOICE, "the axis that points up in the file, turned to y",
        ONE_OF("x", "y", "z"), DEFAULT("y"), .goes_with = WITH_FILES),
    KEY(sn_motion, fps, REAL, "frames a second in the file; left out: its own, or the scene's",
        SN_ABOVE(0), .goes_with = WITH_FILES),
    KEY(sn_motion, rest_frame, REAL,
        "frame of the file with the rest pose, from 1; 0 in BVH and glTF files: the hierarchy's "
        "own "
        "pose, unturned and unanimated; left out: that of the scene's first frame",
        .goes_with = WITH(BVH) | WITH(GLTF) | WITH(CSV) | WITH(BUILTIN)),
};
static const sn_section motion =
    SECTION(sn_motion, "a motion", motion_keys, offsetof(sn_motion, kind), sn_check_motion);

/* Bodies. Material rows are the same for a body and a region of it, but for the defaults. */

#define YOUNG_HELP "Young's modulus, in force per area"
#define POISSON_HELP "Poisson's ratio, without a unit"
#define DENSITY_HELP "in mass per volume"
#define DAMPING_HELP                                                                               \
    "of the rate of strain, in seconds: swings of frequency w die by damping w^2 / 2 a second"

static const sn_schema_key region_keys[] = {
    KEY(sn_material_region, region, SECTION, "where", KEYS_OF(shape), REQUIRED),
    KEY(sn_material_region, young, REAL, YOUNG_HELP, SN_ABOVE(0)),
    KEY(sn_material_region, poisson, REAL, POISSON_HELP, SN_BETWEEN(-1, 0.5)),
    KEY(sn_material_region, density, REAL, DENSITY_HELP, SN_ABOVE(0)),
    KEY(sn_material_region, damping, REAL, DAMPING_HELP, SN_AT_LEAST(0)),
};
static const sn_section material_region =
    SECTION(sn_material_region, "a part with another material", region_keys, ALWAYS, NULL);

#define LAW_NAME(NAME, name) #name,
const char *const sn_law_names[] = {SN_LAWS(LAW_NAME) NULL};

static const sn_schema_key material_keys[] = {
    KEY(sn_material, law, CHOICE, "constitutive law, the same for all bodies",
        .choices = sn_law_names, DEFAULT("corotated")),
    KEY(sn_material, young, REAL, YOUNG_HELP, DEFAULT("2e4"), SN_ABOVE(0)),
    KEY(sn_material, poisson, REAL, POISSON_HELP, DEFAULT("0.45"), SN_BETWEEN(-1, 0.5)),
    KEY(sn_material, density, REAL, DENSITY_HELP, DEFAULT("1000"), SN_ABOVE(0)),
    KEY(sn_material, damping, REAL, DAMPING_HELP, DEFAULT("0"), SN_AT_LEAST(0)),
    KEY(sn_material, regions, LIST, "parts with another material; a later one counts",
        KEYS_OF(material_region)),
};
static const sn_section material = SECTION(sn_material, "a material", material_keys, ALWAYS, NULL);

static const sn_schema_key velocity_keys[] = {
    KEY(sn_body_velocity, linear, REALS, "of its centre of mass, in length per second", VECTOR,
        DEFAULT("[0, 0, 0]")),
    KEY(sn_body_velocity, angular, REALS,
        "about its centre of mass: along the axis, in radians a second, right-handed", VECTOR,
        DEFAULT("[0, 0, 0]")),
};
static const sn_section velocity =
    SECTION(sn_body_velocity, "a velocity", velocity_keys, ALWAYS, NULL);

static const sn_schema_key body_keys[] = {
    KEY(sn_body_settings, name, TEXT, "name", REQUIRED),
    KEY(sn_body_settings, mesh, TEXT,
        "its surface: a path (OBJ, PLY, STL, glTF ...), or builtin:NAME", REQUIRED),
    KEY(sn_body_settings, place, SECTION, "where the mesh is put; left out: as it is",
        KEYS_OF(placement)),
    KEY(sn_body_settings, cell, REAL, "edge of the finest cell, at the surface", SN_ABOVE(0),
        REQUIRED),
    KEY(sn_body_settings, coarsest, REAL, "no cell has a longer edge; left out: no limit",
        SN_ABOVE(0)),
    KEY(sn_body_settings, cut_cells, CHOICE,
        "what counts of a cell that the surface cuts: the fraction of it that is inside, or the "
        "whole cell",
        ONE_OF("fraction", "whole"), DEFAULT("fraction")),
    KEY(sn_body_settings, close_parts, CHOICE,
        "parts of the body that pass through one cell and are not joined there, such as two "
        "fingers: they move apart, or the cell welds them",
        ONE_OF("apart", "weld"), DEFAULT("apart")),
    KEY(sn_body_settings, hourglass, REAL,
        "how cells resist bending and twisting; assumed: as they should; scaled: as they should in "
        "bending, isotropic; paper: far too stiff; a number: times the paper's",
        NAMED({"assumed", SN_HOURGLASS_ASSUMED}, {"scaled", SN_HOURGLASS_SCALED},
              {"paper", SN_HOURGLASS_PAPER}),
        DEFAULT("assumed"), SN_ABOVE(0)),
    KEY(sn_body_settings, material, SECTION, "what it is made of", KEYS_OF(material)),
    KEY(sn_body_settings, velocity, SECTION,
        "how it moves when a dynamic shot starts; pinned nodes go with their pins",
        KEYS_OF(velocity)),
};
static const sn_section body =
    SECTION(sn_body_settings, "a body", body_keys, ALWAYS, sn_check_body);

#define FROM (1u << SN_BONES_FROM)

static const sn_schema_key bone_keys[] = {
    KEY(sn_bone, mesh, TEXT, "its surface: a path, or builtin:NAME", .alternative = SN_BONE_MESH),
    KEY(sn_bone, from, TEXT,
        "a character's file with a skeleton (glTF, BVH, FBX, Collada): a bone for each joint, "
        "called as it is, "
        "as thick as the flesh around it allows",
        .alternative = SN_BONES_FROM),
    KEY(sn_bone, name, TEXT,
        "name; of one bone: as a joint is called, to stand in its place and go as it goes"),
    KEY(sn_bone, body, TEXT, "name of the body that is tied to it; left out: the only one"),
    KEY(sn_bone, skin, TEXT, "which skin of the file; left out: the only one", .goes_with = FROM),
    KEY(sn_bone, skip, TEXTS,
        "patterns for names of joints that are no bones, such as \"*finger*\"", .goes_with = FROM),
    KEY(sn_bone, place, SECTION,
        "where the mesh or the skeleton is put; left out: a mesh as it is, a skeleton as its body",
        KEYS_OF(placement)),
    KEY(sn_bone, motion, SECTION,
        "how it moves; left out: held still, and with from: as the file's first animation",
        KEYS_OF(motion)),
    KEY(sn_bone, retarget, PAIRS,
        "joints of the motion's file for joints here, where they have other names; turns are "
        "taken over, from the motion's rest pose put into that of the skeleton here",
        .goes_with = FROM),
    KEY(sn_bone, stiffness, RULES,
        "of a bone's springs together, in force per length, for a unit of its surface's area; by "
        "patterns for names of joints: a later one counts; left out: 1e7",
        SN_AT_LEAST(0)),
};
static const sn_section bone =
    SECTION(sn_bone, "a bone", bone_keys, offsetof(sn_bone, kind), sn_check_bone);

static const sn_schema_key pin_keys[] = {
    KEY(sn_pin, name, TEXT, "name", REQUIRED),
    KEY(sn_pin, body, TEXT, "name of the body whose nodes are held", REQUIRED),
    KEY(sn_pin, region, SECTION, "where", KEYS_OF(shape), REQUIRED),
    KEY(sn_pin, motion, SECTION, "how it moves; left out: held still", KEYS_OF(motion)),
};
static const sn_section pin = SECTION(sn_pin, "a pin", pin_keys, ALWAYS, NULL);

static const sn_named_real pressure_names[] = {{"auto", SN_PRESSURE_AUTO}, {NULL, 0}};

/* How hard contact of a collider, or of flesh with flesh, is. */
#define CONTACT_KEYS(struct_type)                                                                  \
    NAMED_KEY(struct_type, pressure, law.pressure, REAL,                                           \
              "against penetration, for a unit of depth; auto, which is also what is meant when "  \
              "it is left out: by Young's modulus and cell of the flesh",                          \
              .names = pressure_names, SN_AT_LEAST(0)),                                            \
        NAMED_KEY(struct_type, stiffness, law.stiffness, REAL,                                     \
                  "in place of pressure: force for a unit of depth, on the area of a finest "      \
                  "cell's face",                                                                   \
                  SN_AT_LEAST(0)),                                                                 \
        NAMED_KEY(struct_type, tangential_pressure, law.tangential_pressure, REAL,                 \
                  "against sliding, for a unit of way; left out: a tenth of that against "         \
                  "penetration",                                                                   \
                  SN_AT_LEAST(0)),                                                                 \
        NAMED_KEY(struct_type, tangential_stiffness, law.tangential_stiffness, REAL,               \
                  "the same as a force on the area of a finest cell's face", SN_AT_LEAST(0)),      \
        NAMED_KEY(struct_type, friction, law.friction, REAL, "coefficient of friction",            \
                  DEFAULT("0"), SN_AT_LEAST(0))

static const sn_schema_key collider_keys[] = {
    KEY(sn_collider, name, TEXT, "name", REQUIRED),
    KEY(sn_collider, shape, SECTION, "what it is; may be left out when the motion is a sequence",
        KEYS_OF(shape)),
    KEY(sn_collider, motion, SECTION, "how it moves; left out: held still", KEYS_OF(motion)),
    CONTACT_KEYS(sn_collider),
};
static const sn_section collider =
    SECTION(sn_collider, "a collider", collider_keys, ALWAYS, sn_check_collider);

static const sn_schema_key self_collision_keys[] = {
    KEY(sn_self_collision, enabled, BOOLEAN, "whether bodies collide with themselves and others",
        DEFAULT("false")),
    CONTACT_KEYS(sn_self_collision),
};
static const sn_section self_collision = SECTION(
    sn_self_collision, "self-collision", self_collision_keys, ALWAYS, sn_check_self_collision);

/* The solver. */

static const sn_schema_key newton_keys[] = {
    KEY(sn_newton_settings, max, INTEGER, "most iterations a step", DEFAULT("10"), SN_AT_LEAST(1)),
    KEY(sn_newton_settings, tolerance, REAL, "residual to reach, relative; 0: always max",
        DEFAULT("1e-3"), SN_FROM_UP_TO(0, 1)),
};
static const sn_section newton = SECTION(sn_newton_settings, "Newton", newton_keys, ALWAYS, NULL);

#define LINEAR_NAME(NAME, name, meaning) #name,
#define LINEAR_HELP(NAME, name, meaning) "; " #name ": " meaning
static const char *const linear_names[] = {SN_LINEAR_METHODS(LINEAR_NAME) NULL};

static const sn_schema_key linear_keys[] = {
    NAMED_KEY(sn_scene, method, solver.linear.method, CHOICE,
              "what iterates" SN_LINEAR_METHODS(LINEAR_HELP), .choices = linear_names,
              DEFAULT("mgpcg")),
    NAMED_KEY(sn_scene, max, solver.linear.max, INTEGER, "most iterations a Newton iteration",
              DEFAULT("3"), SN_AT_LEAST(1)),
    NAMED_KEY(
        sn_scene, tolerance, solver.linear.tolerance, REAL,
        "residual to reach, relative, or as near as is of use to Newton's method; 0: always max",
        DEFAULT("1e-2"), SN_FROM_UP_TO(0, 1)),
    NAMED_KEY(sn_scene, smoother, multigrid.smoother, CHOICE,
              "how multigrid smoothes on each level", ONE_OF("chebyshev", "jacobi"),
              DEFAULT("chebyshev")),
    NAMED_KEY(sn_scene, degree, multigrid.degree, INTEGER,
              "of the polynomial, or sweeps, before and after", DEFAULT("2"), SN_AT_LEAST(1)),
    NAMED_KEY(sn_scene, coarse, multigrid.coarse, CHOICE,
              "what multigrid's coarse unknowns are: geometric: nodes of coarser octrees; rigid: "
              "motions of parts that can turn; auto: rigid where parts get thinner than cells",
              ONE_OF("auto", "geometric", "rigid"), DEFAULT("auto")),
    NAMED_KEY(sn_scene, geometric_levels, multigrid.geometric_levels, INTEGER,
              "levels of octrees before coarse: rigid takes over; 0: two", DEFAULT("0"),
              SN_FROM_UP_TO(0, 20)),
    NAMED_KEY(sn_scene, precision, multigrid.precision, CHOICE,
              "inside multigrid; auto: single, the faster one", ONE_OF("auto", "single", "double"),
              DEFAULT("auto")),
};
static const sn_section linear = SECTION(sn_scene, "the linear solver", linear_keys, ALWAYS, NULL);

static const sn_schema_key solver_keys[] = {
    NAMED_KEY(sn_scene, mode, solver.mode, CHOICE, "with inertia, or each frame at rest",
              ONE_OF("dynamic", "quasistatic"), DEFAULT("dynamic")),
    NAMED_KEY(sn_scene, integrator, solver.integrator, CHOICE,
              "bdf2: second order, keeps motion; backward_euler: first order, brakes it",
              ONE_OF("backward_euler", "bdf2"), DEFAULT("bdf2")),
    NAMED_KEY(sn_scene, newton, solver.newton, SECTION, "the nonlinear iteration", KEYS_OF(newton)),
    SPREAD_KEY(linear, "the linear solver inside it", linear),
};
static const sn_section solver = SECTION(sn_scene, "the solver", solver_keys, ALWAYS, NULL);

static const sn_schema_key partition_keys[] = {
    KEY(sn_partition_settings, method, CHOICE, "how the octants are shared out over the ranks",
        ONE_OF("curve", "parmetis"), DEFAULT("curve")),
};
static const sn_section partition =
    SECTION(sn_partition_settings, "the partition", partition_keys, ALWAYS, NULL);

static const sn_schema_key checkpoint_keys[] = {
    KEY(sn_checkpoint_settings, every, INTEGER, "frames between checkpoints; 0: only at the end",
        DEFAULT("10"), SN_AT_LEAST(0)),
    KEY(sn_checkpoint_settings, keep, INTEGER, "how many are kept", DEFAULT("2"), SN_AT_LEAST(1)),
};
static const sn_section checkpoint =
    SECTION(sn_checkpoint_settings, "checkpoints", checkpoint_keys, ALWAYS, NULL);

static const sn_schema_key output_keys[] = {
    NAMED_KEY(sn_scene, dir, output.dir, TEXT, "the run directory, relative to the scene file",
              DEFAULT("run")),
    NAMED_KEY(sn_scene, every, output.every, INTEGER, "frames between written frames", DEFAULT("1"),
              SN_AT_LEAST(1)),
    NAMED_KEY(sn_scene, preroll, output.preroll, BOOLEAN,
              "write the frames of the preroll too, with the numbers before frames.first",
              DEFAULT("false")),
    NAMED_KEY(sn_scene, octree, output.octree, BOOLEAN, "write the cells too", DEFAULT("false")),
    NAMED_KEY(sn_scene, fields, output.fields, CHOICES,
              "what frames have beside positions, in cells and at vertices; left out: all in "
              "cells, nothing at vertices",
              ONE_OF("displacement", "velocity", "det_f", "stress", "contact_pressure", "material",
                     "owner", "fraction")),
    KEY(sn_scene, checkpoint, SECTION, "checkpoints", KEYS_OF(checkpoint)),
};
static const sn_section output = SECTION(sn_scene, "output", output_keys, ALWAYS, NULL);

/* Pictures. */

static const sn_schema_key camera_keys[] = {
    KEY(sn_camera_settings, eye, REALS, "where it stands; left out: where it sees the whole shot",
        VECTOR),
    KEY(sn_camera_settings, target, REALS, "what it looks at; left out: the middle of the shot",
        VECTOR),
    KEY(sn_camera_settings, up, REALS, "what is up; left out: against gravity, or y without",
        VECTOR, .nonzero = true),
    KEY(sn_camera_settings, fov, REAL, "vertical field of view, in degrees", DEFAULT("28"),
        SN_BETWEEN(0, 180)),
};
static const sn_section camera =
    SECTION(sn_camera_settings, "the camera", camera_keys, ALWAYS, NULL);

static const sn_schema_key render_keys[] = {
    KEY(sn_render_settings, width, INTEGER, "of a picture, in pixels", DEFAULT("1280"),
        SN_FROM_TO(16, 16384)),
    KEY(sn_render_settings, height, INTEGER, "of a picture, in pixels", DEFAULT("720"),
        SN_FROM_TO(16, 16384)),
    KEY(sn_render_settings, samples, INTEGER, "a pixel; more are smoother and slower", DEFAULT("8"),
        SN_FROM_TO(1, 4096)),
    KEY(sn_render_settings, bones, BOOLEAN, "bones are drawn too, seen through the flesh",
        DEFAULT("false")),
    KEY(sn_render_settings, ground, CHOICE, "one that takes shadows, or none",
        ONE_OF("auto", "none"), DEFAULT("auto")),
    KEY(sn_render_settings, ground_height, REAL,
        "along up; left out: the lowest plane collider that faces up, or the shot's lowest point"),
};
static const sn_section render = SECTION(sn_render_settings, "pictures", render_keys, ALWAYS, NULL);

/* A pin is asked about every node of its body, a collider about every point of all of them. Bones
 * and colliders have windows of shared memory, of which an MPI library gives some ten thousands. */
enum { MOST_BONES = 4096, MOST_PINS = 4096, MOST_COLLIDERS = 1024 };

static const sn_schema_key scene_keys[] = {
    KEY(sn_scene, name, TEXT, "name of the shot; left out: that of the file"),
    KEY(sn_scene, frames, SECTION, "which frames, and how fast they go", KEYS_OF(frames)),
    KEY(sn_scene, gravity, REALS, "acceleration, in length per second squared", VECTOR,
        DEFAULT("[0, -9.81, 0]")),
    KEY(sn_scene, bodies, LIST, "flesh", KEYS_OF(body), SN_FROM_TO(1, SN_MOST_BODIES), REQUIRED),
    KEY(sn_scene, bones, LIST, "flesh is tied to these by springs; a single entry needs no list",
        KEYS_OF(bone), SN_FROM_TO(0, MOST_BONES), .lone = true),
    KEY(sn_scene, pins, LIST, "nodes in a region, moved exactly", KEYS_OF(pin),
        SN_FROM_TO(0, MOST_PINS)),
    KEY(sn_scene, colliders, LIST, "things that flesh cannot enter", KEYS_OF(collider),
        SN_FROM_TO(0, MOST_COLLIDERS)),
    KEY(sn_scene, self_collision, SECTION, "contact of flesh with flesh", KEYS_OF(self_collision)),
    SPREAD_KEY(solver, "how each frame is solved", solver),
    KEY(sn_scene, partition, SECTION, "who owns what", KEYS_OF(partition)),
    SPREAD_KEY(output, "what is written, and where", output),
    KEY(sn_scene, camera, SECTION, "where pictures are taken from", KEYS_OF(camera)),
    KEY(sn_scene, render, SECTION, "what 'sinew render' draws", KEYS_OF(render)),
};
const sn_section sn_scene_section = SECTION(sn_scene, "a scene", scene_keys, ALWAYS, NULL);
