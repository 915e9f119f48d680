/* The built-in shapes, made from a line of text such as "builtin:sphere,radius=0.5,detail=48".
 *
 * Knows every shape's name and parameters with their defaults and limits, and hides how each is
 * made. The same text gives the same mesh, bit for bit, on every rank. All meshes are closed,
 * two-manifold and oriented outward. y is up; lengths are in metres. */
#ifndef SN_SHAPES_SHAPE_H
#define SN_SHAPES_SHAPE_H

#include "base/status.h"
#include "mesh/mesh.h"

#include <stdbool.h>
#include <stdio.h>

/* Whether a mesh's name asks for a built-in shape rather than a file. */
bool sn_builtin_asked_for(const char *spec);

/* Not collective. Fails with SN_BAD_INPUT, and says what exists, when the text asks for a shape
 * or a parameter that there isn't, or for a value out of range. */
SN_CHECKED sn_status sn_builtin_make(const char *spec, sn_mesh *mesh);

/* The list of shapes and parameters, for people. */
void sn_builtin_describe(FILE *out);

#endif
