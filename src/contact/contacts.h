/* All contacts of a shot: with colliders, between bodies, and of a body with itself.
 *
 * Joins colliders/colliders.h and self/contacts.h into the one source of contacts that a step asks
 * (solve/contact_source.h), and into one answer to how deep anything is inside something else.
 *
 * This is where ghosts are filled: whoever asks sets a field's own nodes, each call here fills the
 * ghosts once and works out once where this rank's vertices are, and both kinds of contacts get the
 * same positions to read. */
#ifndef SN_CONTACT_CONTACTS_H
#define SN_CONTACT_CONTACTS_H

#include "contact/colliders/colliders.h"
#include "contact/self/contacts.h"
#include "solve/contact_source.h"

typedef struct {
    const sn_scene *scene;         /* the caller's, as the next two */
    sn_octree *tree;               /* the finest level */
    const sn_embedding *embedding; /* of the surface in it */
    double (*position)[3]; /* of this rank's vertices: for the call under way and nobody else */
    sn_colliders colliders;
    sn_self_contacts flesh; /* if the scene enables it */
    sn_contact_source source;
} sn_contacts;

/* A vertex deeper than so many of its body's finest cells is not a contact that springs have
 * resolved: the frame is inaccurate. */
#define SN_MOST_PENETRATED_CELLS 2.0

/* Collective. Then call sn_contacts_start. The contacts must not move. Failures name the scene's
 * line; after one there is nothing to free. */
SN_CHECKED sn_status sn_contacts_create(const sn_scene *scene, sn_octree *tree,
                                        const sn_embedding *embedding, sn_contacts *contacts);
void sn_contacts_free(sn_contacts *contacts);

/* Collective. The shot begins, or goes on, at `time` with the nodes at x; ghosts are filled if
 * there are colliders. */
SN_CHECKED sn_status sn_contacts_start(sn_contacts *contacts, double time, double *x);

/* Could there be any? Without, a step need not ask. */
bool sn_contacts_possible(const sn_contacts *contacts);

/* Not collective. Bytes that this rank holds beside its contacts: for its vertices (`surface`), its
 * elements, and for colliders, which each rank has whole. */
typedef struct {
    size_t surface, elements, colliders;
} sn_contacts_memory;

sn_contacts_memory sn_contacts_memory_of(const sn_contacts *contacts);

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
