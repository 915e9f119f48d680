/* Patches: sixteen triangles or fewer that hang together, of which a rank's surface is made.
 *
 *     +---+---+---+          A patch has its corners in a list, each once, so that a search that
 *     | / | / | / |          wants to know where the surface is reads every place about once. Its
 *     +---+---+---+          triangles look about the same way, and patches stand along the curve.
 *     | / | / | / |
 *     +---+---+---+          Patches with a common corner are a ring around each other.
 *
 * Most of a search would be spent on patches that lie beside each other and do not cross. Where
 * flesh is bent only a little, compared with how it is at rest, they cannot (smooth.h). What that
 * needs to know of the surface at rest is kept here: places as seen from the patch, and how far
 * around its middle the surface is one sheet over a plane.
 *
 * All is worked out from the mesh at rest and depends on nothing else, but on which triangles are
 * this rank's. What is found with patches is found without. */
#ifndef SN_CONTACT_SELF_PATCHES_H
#define SN_CONTACT_SELF_PATCHES_H

#include "base/vec3.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SN_PATCH = 16 }; /* triangles in a patch, and corners, at the most */

/* An entry of a ring: a patch, and whether the sheet around the one, or around the other, holds
 * both. */
#define SN_PATCH_IN_SHEET UINT32_C(0x80000000)
#define SN_PATCH_SHEET_OF_OTHER UINT32_C(0x40000000)
#define SN_PATCH_NUMBER UINT32_C(0x3fffffff)

typedef struct {
    int32_t vertex[SN_PATCH];    /* points, counted within their body */
    uint8_t corner[3][SN_PATCH]; /* of each triangle: which of these */
    int16_t rest[3][SN_PATCH];   /* where they are at rest: seen from their middle, along the
                                    plane's two axes and its normal, in units of `grain` */
    float axis[3][3];            /* these directions */
    float spread[3];             /* inverse of the sum of squares along the plane: xx, xy, yy */
    float grain;
    float slimness; /* how much a moved corner changes a triangle's gradient; infinite: too much */
    float tilt;     /* ways in the sheet are longer than on the plane by this factor */
    uint32_t triangle; /* the first one's place in the surface's list */
    int32_t body;
    uint8_t n_triangles, n_vertices;
    bool in_sheet; /* the sheet around its middle holds all of it */
    bool is_inner; /* all triangles around its corners are this rank's */
} sn_self_patch;

typedef struct {
    size_t n;
    sn_self_patch *patch;
    uint32_t *first, *ring; /* n + 1, and the entries */
} sn_self_patches;

struct sn_self_surface;

/* Not collective. Puts the surface's list of triangles, which are along the curve, in the order of
 * patches. */
void sn_self_patches_create(struct sn_self_surface *surface, sn_self_patches *patches);
void sn_self_patches_free(sn_self_patches *patches);
size_t sn_self_patches_memory(const sn_self_patches *patches);

#endif
