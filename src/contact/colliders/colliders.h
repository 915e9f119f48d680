/* Colliders: things that flesh cannot enter (section 8 of the paper).
 *
 * Knows the colliders of a shot, where they are at a time, and which vertices of the deformed
 * surface touch them; makes one-sided springs of that. Hides shapes and meshes (shapes.h,
 * mesh.h) and how a contact goes on from step to step.
 *
 *          .  v      A vertex inside a collider, or outside but nearer than half a finest cell,
 *      ====+======   gets a spring towards the nearest point of the surface. Its stiffness is how
 *       inside       hard the contact is (contact/stiffness/stiffness.h) times the area around the
 *                    vertex that faces the collider (surface/facing.h) when the contact begins; it
 *                    keeps that as long as it lasts, so that what it stores it gives back. However
 *                    the render mesh is cut, the force is that of the same pressure.
 *
 * Nothing jumps through: the way of each vertex relative to the collider, from the last accepted
 * step to now, is looked at, and a vertex whose way leads into the collider is pushed back to
 * the side that it came from, even if the nearest surface is another, or if it has already come
 * out behind. Shapes and rigid meshes see a straight way in their own frame. Vertices of meshes
 * that change their shape go straight from one place to the next.
 *
 * Contacts that pushed at the last accepted step are remembered (sn_contact_record): on which side
 * the vertex is, and the anchor of its friction (contact/friction/friction.h). Open ones are
 * forgotten, so nothing sticks. These records, the time and the nodes' positions are the whole
 * state.
 *
 * Moving colliders: shapes must move rigidly, which is checked at every substep of the shot.
 * Meshes may be stretched and sheared as well, or be sequences of files: then their vertices are
 * moved one by one.
 *
 * The same bits come out on any number of ranks and threads. */
#ifndef SN_CONTACT_COLLIDERS_COLLIDERS_H
#define SN_CONTACT_COLLIDERS_COLLIDERS_H

#include "contact/colliders/mesh.h"
#include "contact/settings.h"
#include "contact/stiffness/stiffness.h"
#include "mesh/shared.h"
#include "motion/motion.h"
#include "motion/moving_mesh.h"
#include "springs/spring.h"
#include "surface/facing.h"

/* A contact that pushed at the last accepted step. Vectors are in the collider's own frame (where
 * it is at rest), or on a mesh that changes its shape in the frame of one of its triangles: shares
 * of its first two edges, from its first corner, and the height above it. No padding. */
typedef struct {
    int64_t vertex; /* number in the embedding */
    int64_t collider;
    int64_t triangle;        /* -1: the collider's frame */
    double at[3], normal[3]; /* of the surface */
    double anchor[3];        /* of the friction */
    double push;             /* force along the normal */
    double area;             /* of the surface that faced the collider when the contact began */
} sn_contact_record;

typedef SN_VECTOR(sn_contact_record) sn_contact_record_list;

/* How deep vertices were inside colliders at the last accepted step, and the worst place: where it
 * is deepest in finest cells of the vertex's body. */
typedef struct {
    double deepest;      /* anywhere; 0: nothing is inside */
    double depth, cells; /* of the worst place, in scene units and in cells */
    int64_t vertex;      /* -1: there is none */
    int32_t body, collider;
    double position[3];
} sn_penetration;

typedef struct {
    const sn_collider *settings; /* the caller's */
    bool is_sequence, deforms;
    sn_moving motion;      /* unless it is a sequence */
    sn_affine before, now; /* poses at the last accepted step and now; the identity if it deforms */
    sn_shared_mesh mesh;   /* where the shape is a mesh */
    sn_moving_mesh sequence; /* or a sequence of them */
    const sn_mesh *rest;     /* the view of one of these, NULL: no mesh */
    sn_collider_mesh *surface;
    sn_shared_block place[2]; /* its vertices before and now, if it deforms */
} sn_moving_collider;

typedef struct {
    sn_octree *tree;               /* the finest level; the caller's, as the next */
    const sn_embedding *embedding; /* of the surface in it */
    sn_frames frames;              /* of the shot */
    size_t n;
    sn_moving_collider *collider;
    sn_contact_hardness *hardness; /* of each collider against each body, one after the other */
    sn_facing facing;
    double *area;                   /* around each of this rank's vertices, at rest */
    double (*before)[3];            /* where these were at the last accepted step */
    size_t *first;                  /* n vertices + 1: where the records of each begin */
    sn_contact_record_list *memory; /* the caller's: of the last accepted step, by local vertex */
    double time;                    /* that the colliders are at now; NAN: anywhere */
    sn_penetration worst;           /* of this rank */
} sn_colliders;

/* Collective, as all below unless they say otherwise. The settings are those of n colliders and
 * must stay; `source` has where they were written, as colliders[0] and so on, and is needed here
 * only. Failures name the scene's line: an open mesh, a shape that is stretched. After one there is
 * nothing to free. `young` has each body's modulus, and is needed here only. `memory` is where
 * records are kept from step to step; it is the caller's and must stay. Then call
 * sn_colliders_start. */
SN_CHECKED sn_status sn_colliders_create(const sn_collider *settings, size_t n,
                                         sn_motion_source *source, const double *young,
                                         sn_octree *tree, const sn_embedding *embedding,
                                         sn_contact_record_list *memory, sn_colliders *colliders);
void sn_colliders_free(sn_colliders *colliders);

/* These fail only if a file of a sequence can no longer be read. The nodes are at x, whose ghosts
 * the caller has filled, and `position` is where that puts this rank's vertices
 * (sn_embedding_evaluate). Both are read during the call and not kept.
 *
 * The shot begins at `time`: what is inside now is in contact. */
SN_CHECKED sn_status sn_colliders_start(sn_colliders *colliders, double time, const double *x,
                                        const double (*position)[3]);

/* Appends this rank's contact springs at `time`. */
SN_CHECKED sn_status sn_colliders_find(sn_colliders *colliders, double time, const double *x,
                                       const double (*position)[3], sn_spring_list *springs);

/* The step to `time` is accepted, and this is where it ended. */
SN_CHECKED sn_status sn_colliders_commit(sn_colliders *colliders, double time, const double *x,
                                         const double (*position)[3]);

/* The worst of all ranks; of equals that with the lowest vertex and collider. */
sn_penetration sn_colliders_worst(const sn_colliders *colliders);

/* Not collective. Replaces the memory by these records, in any order; all of them are of this
 * rank's vertices. To be called after sn_colliders_start with the time and positions that belong to
 * them.
 */
void sn_colliders_set_records(sn_colliders *colliders, const sn_contact_record *record, size_t n);

/* The digest of all ranks' records. */
uint64_t sn_colliders_digest(const sn_colliders *colliders);

#endif
