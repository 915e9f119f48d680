/* Flesh against flesh: collisions of bodies with themselves and with each other (section 8).
 *
 * Knows which points of the deformed surface lie inside other flesh and where they should be
 * instead, and makes one-sided springs of that. Hides how they are found: curves of
 * self-intersection (cross.h), the regions that these bound (regions.h), and the nearest places
 * there that the points face (nearest.h).
 *
 *        ___ target __          A spring goes from the point to its target, by their places at
 *       /      ^ n    \         rest. Its normal points from the point to the target. Where these
 *      /  _____|___    \        are too close to tell, where the target turns out to be deeper,
 *        /   point \            or where the way leads little aside, it is the normal of the
 *       /           \           triangle. How hard it is counts for a unit of area at rest, as
 * with colliders; each of the two surfaces bears half of it.
 *
 * Contact gives back what it was given, and no more. The depth is the distance to the nearest
 * place, or half a percent less, and changes steadily. The spring's second point lies on the flat
 * triangle that was searched, whose corners follow their elements: what is searched, what pushes
 * and what is stored are one. Force and counterforce are along the line between the two. The area
 * is what faces the target (facets.h) when the contact begins, and is kept while it lasts. A point
 * that comes in at a side, and is nearer to the front by then, was never pressed against the front:
 * as deep below it as it was before the step, when there was no contact, it is for free.
 *
 * A contact that was found stays while the point is not farther from its target than half a finest
 * cell: a spring that does not push costs nothing, and is there if the next iterate of Newton's
 * method falls back in. (Two beams that bounce off each other part in a step of 5 iterations;
 * without this it took 39, and steps of a quarter of the length.) Outside it follows the nearest
 * place of its triangle, and does not push. When a step is accepted, contacts that do not push are
 * forgotten.
 *
 * Friction pulls towards an anchor, a place of the target's flesh: the one first touched, dragged
 * along behind the target as far as the limit of friction demands. Its part along the surface
 * is the spring's `target`. A contact that changes to another body, or to another side of it,
 * starts anew.
 *
 * Flesh that overlaps at rest (a mesh may intersect itself) is not in contact: points deeper than
 * a thousandth of a cell at rest never are.
 *
 * The records of the last accepted step are the whole state. The same bits come out on any number
 * of ranks and threads. */
#ifndef SN_CONTACT_SELF_CONTACTS_H
#define SN_CONTACT_SELF_CONTACTS_H

#include "contact/self/nearest.h"
#include "contact/self/record.h"
#include "contact/settings.h"
#include "contact/stiffness/stiffness.h"
#include "mesh/embree.h"
#include "octree/locate.h"
#include "solve/interrupt.h"
#include "springs/spring.h"
#include "surface/deformed.h"

/* Where two surfaces meet both have points in each other, and each bears its half: together they
 * are as hard as flesh against a collider. It is half of the hardness: areas stay those of the
 * surface. */
#define SN_SELF_SHARE 0.5

/* Springs of these contacts have this bit in their number, and the point's number below. */
#define SN_SELF_SPRING_BIT (UINT64_C(1) << 63)

typedef struct {
    const sn_self_collision *settings; /* the caller's, as the next one */
    const sn_embedding *embedding;
    sn_contact_flesh *body; /* each, as its contact sees it */
    sn_deformed deformed;   /* the surface where the last search has put it */
    sn_deformed before;     /* where the last accepted step has put it */
    sn_self_surface surface;
    sn_locator locator;
    RTCDevice device;              /* the rank's (mesh/embree.h) */
    const sn_interrupt *interrupt; /* the caller's, who may set it; NULL: none */
    bool *overlaps_at_rest;        /* each of this rank's points */

    /* All are of this rank's points, by vertex: */
    sn_self_record_list *memory; /* the caller's: of the last accepted step */
    sn_self_record_list current; /* of the last search since; what it has to remember */
    size_t inside;               /* points inside other flesh at the last search */

    /* What the last search saw. A step begins where the one before was accepted, as a rule right
     * where that had searched last: nothing need be searched again there. */
    sn_self_regions regions;
    sn_self_target *targets;
    bool ended_there; /* the step ended there */
    bool seen_before; /* it was of the surface as it is in `before` */

    double deepest;          /* at the last accepted step, over all ranks */
    int64_t deepest_vertex;  /* -1: nothing touched */
    double deepest_place[3]; /* where that is */
} sn_self_contacts;

/* Collective, as all below unless they say otherwise. `memory` is where records are kept from step
 * to step; it is the caller's and must stay. `young` has each body's modulus, and is needed here
 * only. After a failure there is nothing to free.
 * Memory: searches need the whole surface, now and before the step, and have their own, so that
 * nobody else's is overwritten: 48 bytes for each vertex of all bodies, once a node. */
SN_CHECKED sn_status sn_self_contacts_create(const sn_self_collision *settings, const double *young,
                                             const sn_embedding *embedding,
                                             sn_self_record_list *memory,
                                             sn_self_contacts *contacts);
void sn_self_contacts_free(sn_self_contacts *contacts);

/* The shot begins, or goes on, with this rank's vertices here. */
void sn_self_contacts_start(sn_self_contacts *contacts, const double (*position)[3]);

/* Below the nodes are at x, whose ghosts the caller has filled, and `position` is where that puts
 * this rank's vertices (sn_embedding_evaluate). Both are read during the call and not kept.
 *
 * Appends the springs of this rank's points. */
SN_CHECKED sn_status sn_self_contacts_find(sn_self_contacts *contacts, const double *x,
                                           const double (*position)[3], sn_spring_list *springs);

/* Nothing jumps through: while the vertices go straight from where the last accepted step left them
 * to here, with the contacts of the last search at the end, does a point pass through other flesh,
 * or come to be held on its wrong side? Then the step is too long. Looks are taken often enough to
 * see whatever is three finest cells thick; where it takes too many, a step on whose way bodies
 * could meet is too long as well. SN_STOPPED if it was interrupted between two looks. */
SN_CHECKED sn_status sn_self_contacts_check_way(sn_self_contacts *contacts,
                                                const double (*position)[3], bool *passed);

/* Notes whether the last search was right here, before looks go elsewhere. */
void sn_self_contacts_look_back(sn_self_contacts *contacts, const double (*position)[3]);

/* The step is accepted, and this is where it ended. */
SN_CHECKED sn_status sn_self_contacts_commit(sn_self_contacts *contacts, const double *x,
                                             const double (*position)[3]);

/* Not collective. Whatever was found since the last accepted step is forgotten. */
void sn_self_contacts_reset(sn_self_contacts *contacts);

/* Not collective. Replaces the memory by records of this rank's points, in any order; they may be
 * the memory's own. */
void sn_self_contacts_restore(sn_self_contacts *contacts, const sn_self_record *records, size_t n);

/* Not collective. Bytes of what the last search saw. */
size_t sn_self_contacts_seen_memory(const sn_self_contacts *contacts);

/* The digest of all ranks' states. */
uint64_t sn_self_contacts_digest(const sn_self_contacts *contacts);

#endif
