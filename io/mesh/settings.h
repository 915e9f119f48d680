/* What a scene says about where a mesh is put. */
#ifndef SN_IO_MESH_SETTINGS_H
#define SN_IO_MESH_SETTINGS_H

/* A turn about an axis of any length through a point. */
typedef struct {
    int given;
    double axis[3], degrees, about[3];
} sn_rotation;

/* Where a mesh is put: scaled about the origin, then turned, then shifted. */
typedef struct {
    int given;
    double scale;
    sn_rotation rotate;
    double translate[3];
} sn_placement;

#endif
