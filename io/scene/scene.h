/* A scene: everything a run is told, read from a YAML file.
 *
 * This module knows the keys of a scene (schema.c has them all, with their defaults and what they
 * mean) and checks all that can be checked without opening another file. It hides how they are
 * written. What the keys fill are structs of the modules that read them, each in its settings.h:
 * who is given one of these need not know what a scene is.
 *
 * Lengths and masses are in the scene's own units, times in seconds, and everything else follows
 * from these: force is mass times length per second squared. The defaults suit metres and
 * kilograms: then Young's modulus is in pascals. Angles are in degrees, angular velocities in
 * radians a second, and frames are numbers without a unit, `fps` of them a second.
 *
 * Values left out that have no default: reals are NAN, texts NULL, and sections have the kind
 * NONE, or `given` 0. */
#ifndef SN_IO_SCENE_SCENE_H
#define SN_IO_SCENE_SCENE_H

#include "base/array.h"
#include "base/status.h"
#include "contact/settings.h"
#include "io/schema/origin.h"
#include "model/settings.h"
#include "motion/settings.h"
#include "multigrid/settings.h"
#include "partition/settings.h"
#include "render/settings.h"
#include "run/settings.h"
#include "shot/output/settings.h"
#include "solve/settings.h"

#include <mpi.h>
#include <stdio.h>

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
    sn_multigrid_settings multigrid; /* keys of solver.linear */
    sn_partition_settings partition;
    sn_output_settings output;
    sn_checkpoint_settings checkpoint; /* the key output.checkpoint */
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

/* Writes every value as used, defaults included, as a scene that reads back as the same. Errors are
 * left in the stream, for who knows its file. */
void sn_scene_write(const sn_scene *scene, FILE *out);

/* The same as a text that ends with a zero, in memory that the caller frees with sn_free. */
char *sn_scene_text(const sn_scene *scene);

/* Fails, naming the key and both values, unless frames of one scene go on as frames of the other:
 * only the name, frames.last, partition and output may differ. Paths must be absolute. */
SN_CHECKED sn_status sn_scene_check_continues(const sn_scene *before, const sn_scene *now);

/* Fails unless one scene can take the other's place at a frame: motions, materials, gravity, what
 * contacts are like and the solver's tolerances may be others, and colliders may be added at the
 * end of their list. What differs is noted in the log, once `before` is known to be right. */
SN_CHECKED sn_status sn_scene_check_changes(const sn_scene *before, const sn_scene *now);

/* Fails if a file that the scene reads is another than when these digests were noted
 * (sn_scene_input_digests) for the file `written`; with `may_change`, unless only motions are read
 * from it, and notes it in the log. Not collective. */
SN_CHECKED sn_status sn_scene_check_inputs(const sn_scene *scene, const char *before,
                                           const char *written, bool may_change);

/* Prints the reference: all keys with their types, defaults and meanings. */
void sn_scene_describe(FILE *out);
/* Of one key, such as bones or bodies.material, and those below it. Fails if there is none. */
SN_CHECKED sn_status sn_scene_describe_part(const char *path, FILE *out);

/* Index of the body with this name, or -1. */
int sn_scene_find_body(const sn_scene *scene, const char *name);
/* How far from the origin things of this body may be (octree/body.h). */
double sn_scene_reach(const sn_scene *scene, const char *body);

/* Makes every path absolute, so that a copy of the scene in another folder means the same files.
 * The ranks must share a current folder. After a failure some are absolute. */
SN_CHECKED sn_status sn_scene_absolute_paths(sn_scene *scene);

/* A line with digest and path for each file that the scene reads, in a fixed order, in memory that
 * the caller frees with sn_free. Not collective; paths must be absolute. */
char *sn_scene_input_digests(const sn_scene *scene);

#endif
