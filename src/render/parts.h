/* What a picture is made of, as picture.c collects it, cast.c intersects it and draw.c
 * samples it. Private to this folder; all lengths are in view coordinates (camera.h). */
#ifndef SN_RENDER_PARTS_H
#define SN_RENDER_PARTS_H

#include "render/picture.h"

/* Beyond the last element of arrays that Embree reads it loads up to 16 bytes. */
enum { EMBREE_PADDING = 16 };

typedef struct {
    sn_vector3 *vertex, *normal;
    uint32_t (*triangle)[3];
    int64_t n_vertices, n_triangles;
    sn_vector3 light; /* the colour, linear */
    bool cut;
} mesh_part;

typedef struct {
    float min[3], max[3];
    float edge; /* of the whole cell, before it was cut */
    sn_colour colour;
    bool section; /* its face in the cutting plane is a cross-section: not shaded */
} box;

typedef struct {
    bool present, keeps_above; /* the part that stays has the larger coordinates */
    int axis;
    double scene_offset;
    float offset;
} cutting_plane;

struct sn_picture {
    int width, height;
    sn_view view;
    sn_background background;
    cutting_plane plane;
    SN_VECTOR(mesh_part) mesh;
    SN_VECTOR(box) box;
};

/* A sample of the picture is one number, so that the nearest hit is the smallest number: the
 * bits of the depth (positive, so they sort as integers do) above those of the colour. */
typedef uint64_t sample;
#define EMPTY_SAMPLE UINT64_MAX

sample sample_pack(float depth, sn_colour colour);
float sample_depth(sample s);
sn_colour sample_colour(sample s);

/* What this rank's rays are cast against. */
typedef struct caster caster;
SN_CHECKED sn_status caster_create(const sn_picture *picture, caster **out);
void caster_free(caster *c);

/* What the ray through a point of the picture (x, y from -1 to 1) hits first. Thread-safe. */
sample caster_cast(const caster *c, float x, float y);

#endif
