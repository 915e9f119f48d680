/* The surface that may collide with itself: all bodies' triangles, and who looks after which part.
 *
 * Vertices and triangles are numbered over all bodies, one after another. Vertices at the same
 * place at rest are one point, which has the lowest of their numbers: so triangles that touch there
 * are neighbours, whether the file shares vertices or splits them. Triangles with fewer than three
 * different points, and points without triangles, are left out.
 *
 * Held once a node: for each vertex its point, the rank that owns the element which it follows,
 * which copy of it that is, and where that rank has the point.
 * Held by a rank: its own points with the triangles at each, and its own triangles (those whose
 * lowest point is its own), cut into patches along the curve (patches.h). Where vertices are, at
 * rest or deformed, is read from tables that are held once a node too, the `shape` of the functions
 * below. */
#ifndef SN_CONTACT_SELF_SURFACE_H
#define SN_CONTACT_SELF_SURFACE_H

#include "base/shared.h"
#include "base/vec3.h"
#include "contact/self/patches.h"
#include "surface/embed.h"

#define SN_NO_HOME UINT32_MAX

typedef struct sn_self_surface {
    const sn_embedding *embedding; /* the caller's */
    int64_t *triangle_first;       /* bodies + 1: number of each body's first triangle */
    const double *outward;         /* the caller's, as in surface/deformed.h */
    double cell;                   /* edge of the smallest finest cell of all bodies */
    int rank;                      /* this one */

    sn_shared_block block;
    int32_t *owner; /* of each vertex: its rank */
    int32_t *point; /* of each vertex: its point, counted within its body */
    int32_t *slot;  /* of each vertex: which of its rank's points it is, or -1 */
    uint8_t *copy;  /* of each vertex */

    size_t n_points;  /* this rank's */
    int64_t *number;  /* of each, ascending */
    uint32_t *place;  /* of each: where in the embedding */
    uint32_t *first;  /* n_points + 1: where each one's triangles start */
    uint32_t *around; /* numbers of triangles, ascending at each point */

    size_t n_triangles; /* this rank's, patch by patch */
    uint32_t *triangle;
    sn_self_patches patches;
    uint32_t *home; /* of each point: a patch of only inner points that has it; SN_NO_HOME */
} sn_self_surface;

/* All triangles, of all bodies and ranks together: their numbers have 32 bits. */
#define SN_SELF_MOST_TRIANGLES ((int64_t)UINT32_MAX)

/* Collective. There are no more triangles than that. */
void sn_self_surface_create(const sn_embedding *embedding, const double *outward,
                            sn_self_surface *surface);
void sn_self_surface_free(sn_self_surface *surface);

typedef struct {
    int64_t number;
    int body;
    int64_t corner[3]; /* numbers of points */
} sn_self_triangle;

sn_self_triangle sn_self_triangle_of(const sn_self_surface *surface, int64_t number);

static inline bool sn_self_has_corner(const sn_self_triangle *t, int64_t point)
{
    return t->corner[0] == point || t->corner[1] == point || t->corner[2] == point;
}

/* Where a point of a body is. `shape` has the bodies' meshes, at rest or deformed. */
static inline const double *sn_self_at(const sn_self_surface *s, const sn_mesh *shape, int body,
                                       int64_t point)
{
    return shape[body].vertex[point - s->embedding->body_first[body]];
}

/* Which of this rank's points has a number; n_points if none. */
size_t sn_self_find_point(const sn_self_surface *surface, int64_t number);

/* The corners of a triangle, and where they are at rest; and a vector along its normal, that is as
 * long as twice its area. */
void sn_self_corners(const sn_self_surface *surface, const sn_mesh *shape,
                     const sn_self_triangle *t, sn_vec corner[3]);
void sn_self_corners_at_rest(const sn_self_surface *surface, const sn_self_triangle *t,
                             sn_vec corner[3]);
sn_vec sn_self_twice_area(const sn_self_surface *surface, const sn_mesh *shape,
                          const sn_self_triangle *t);

/* The box around a triangle. */
sn_box sn_self_box(const sn_self_surface *surface, const sn_mesh *shape, const sn_self_triangle *t);

/* Collective: the box around the whole surface, in this shape; infinite if a position is not
 * finite. */
sn_box sn_self_bounds(const sn_self_surface *surface, const sn_mesh *shape);

/* Bytes that this rank holds beside the tables of the node. */
size_t sn_self_surface_memory(const sn_self_surface *surface);

#endif
