/* How much flesh is around a line in a body: where along it, and how thick. Rank 0's alone, and
 * serial. */
#ifndef SN_MODEL_FLESH_AROUND_H
#define SN_MODEL_FLESH_AROUND_H

#include "base/status.h"
#include "base/vec3.h"
#include "mesh/mesh.h"

typedef struct sn_flesh_around sn_flesh_around;

/* The mesh must stay. */
SN_CHECKED sn_status sn_flesh_around_create(const sn_mesh *mesh, sn_flesh_around **flesh);
void sn_flesh_around_free(sn_flesh_around *flesh);

/* The longest part of the line from a to b that is inside; `nearest` is how near to any point of it
 * the surface is. What is thin at its ends is left off. False if none of it is inside. */
bool sn_flesh_around_line(const sn_flesh_around *flesh, sn_vec *a, sn_vec *b, double *nearest);

#endif
