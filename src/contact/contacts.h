/* All contacts of a shot: with colliders, between bodies, and of a body with itself.
 *
 * Joins colliders/colliders.h and self/contacts.h into one source of forces (solve/source.h), and
 * into one answer to how deep anything is inside something else. Each call works out once where
 * this rank's points are (surface.h), and both kinds of contacts read the same positions. What the
 * parts call vertices are these points. */
#ifndef SN_CONTACT_CONTACTS_H
#define SN_CONTACT_CONTACTS_H

#include "contact/memory.h"
#include "contact/surface.h"
#include "solve/source.h"

/* What contacts are made of: what a scene says about them (settings.h), and where it says so. All
 * is the caller's and must stay, but for what creation alone looks at: origin and young. */
typedef struct {
    const sn_collider *colliders;
    size_t n_colliders;
    const sn_self_collision *flesh;
    const sn_frames *frames;
    const sn_origin *origin;       /* that has the colliders, as colliders[0] and so on */
    const double *young;           /* of each body */
    const sn_interrupt *interrupt; /* NULL: none */
} sn_contact_parts;

typedef struct {
    sn_octree *tree;               /* the finest level; the caller's */
    sn_contact_surface surface;    /* where contact is looked for */
    const sn_embedding *embedding; /* of its points */
    sn_contact_memory *memory;     /* the caller's */
    double (
        *at_end)[3]; /* this rank's points at the end of a way that was just seen, for the commit */
    sn_colliders colliders;
    bool has_flesh; /* self-collision is enabled: */
    sn_self_contacts flesh;
} sn_contacts;

/* A vertex deeper than so many of its body's finest cells is not a contact that springs have
 * resolved: the frame is inaccurate. */
#define SN_MOST_PENETRATED_CELLS 2.0

/* Collective. The embedding is the render mesh's; `memory` is the caller's and must stay. Then call
 * sn_contacts_start or go_on. The contacts must not move. Failures name the scene's line; after one
 * there is nothing to free. */
SN_CHECKED sn_status sn_contacts_create(const sn_contact_parts *parts, sn_octree *tree,
                                        const sn_embedding *embedding, sn_contact_memory *memory,
                                        sn_contacts *contacts);
void sn_contacts_free(sn_contacts *contacts);

/* Collective. The shot begins at `time` with the nodes at x: what is inside something now is in
 * contact. Ghosts of x are filled if there may be any. */
SN_CHECKED sn_status sn_contacts_start(sn_contacts *contacts, double time, double *x);

/* Collective. The same for a shot that goes on: what is in contact is in the memory, in any order
 * and on any ranks. */
SN_CHECKED sn_status sn_contacts_go_on(sn_contacts *contacts, double time, double *x);

/* The source that a step asks. The contacts must stay where they are. */
sn_source sn_contacts_source(sn_contacts *contacts);

/* Could there be any? Without, a step need not ask. */
bool sn_contacts_possible(const sn_contacts *contacts);

/* Not collective. Bytes that this rank holds beside its contacts: for its vertices (`surface`), its
 * elements, and for colliders, which each rank has whole. */
typedef struct {
    size_t surface, elements, colliders;
} sn_contacts_bytes;

sn_contacts_bytes sn_contacts_bytes_of(const sn_contacts *contacts);

/* Collective: the greatest depth of a vertex in a collider, or of a point in other flesh, at the
 * last accepted step. */
double sn_contacts_deepest(const sn_contacts *contacts);

/* Collective: the same in finest cells, of the body that the vertex is of; of flesh in flesh in
 * those of the body with the smallest. */
double sn_contacts_deepest_cells(const sn_contacts *contacts);

/* Collective. Fails with SN_INACCURATE, naming the place, if something is so deep inside something
 * else that springs have not resolved it (SN_MOST_PENETRATED_CELLS). */
SN_CHECKED sn_status sn_contacts_require_resolved(const sn_contacts *contacts);

#endif
