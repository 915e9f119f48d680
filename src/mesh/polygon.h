/* Polygons into triangles.
 *
 * The directed edges of the triangles add up to those of the polygon, whatever its shape, so
 * that a closed surface of polygons gives a closed surface of triangles. Planar simple
 * polygons, concave ones too, give triangles of one orientation. The same polygon starting
 * at another corner gives the same triangles wherever a fan from its lowest vertex number
 * will do, so that duplicate faces stay duplicates. */
#ifndef SN_MESH_POLYGON_H
#define SN_MESH_POLYGON_H

#include <stdint.h>

/* Writes n - 2 triangles; n is at least 3. */
void sn_polygon_triangulate(const double (*vertex)[3], const int32_t *corner, int64_t n,
                            int32_t (*triangle)[3]);

#endif
