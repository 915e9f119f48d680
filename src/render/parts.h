/* What a picture is made of, as picture.c collects it, cast.c intersects it, and draw.c and
 * studio.c sample it. Private to this folder; all lengths are in view coordinates (camera.h). */
#ifndef SN_RENDER_PARTS_H
#define SN_RENDER_PARTS_H

#include "render/picture.h"

/* Beyond the last element of arrays that Embree reads it loads up to 16 bytes. */
enum { SN_EMBREE_PADDING = 16 };

typedef struct {
    sn_vector3 *vertex;
    uint32_t (*triangle)[3];
    sn_vector3 *normal; /* three a triangle, one for each corner */
    int64_t n_vertices, n_triangles;
    sn_vector3 light;         /* the colour, linear */
    sn_vector3 *vertex_light; /* or that of each vertex; NULL: all have the one */
    sn_substance substance;
    bool cut;
} sn_mesh_part;

/* The cross-section of a cell: flat, in the cutting plane. */
typedef struct {
    float min[3], max[3];
    float edge; /* of the whole cell */
    sn_colour colour;
} sn_picture_box;

typedef struct {
    bool present, keeps_above; /* the part that stays has the larger coordinates */
    int axis;
    double scene_offset;
    float offset;
} sn_cutting_plane;

typedef struct {
    bool present;
    sn_vector3 point, normal;
    float reach;
} sn_ground_part;

struct sn_picture {
    int width, height;
    sn_view view;
    sn_background background;
    sn_cutting_plane plane;
    sn_ground_part ground;
    SN_VECTOR(sn_mesh_part) mesh;
    SN_VECTOR(sn_picture_box) box;
};

/* A sample of the picture is one number, so that the nearest hit is the smallest number: the
 * bits of the depth (positive, so they sort as integers do) above those of the colour. */
typedef uint64_t sn_sample;
#define SN_EMPTY_SAMPLE UINT64_MAX

sn_sample sn_sample_pack(float depth, sn_colour colour);
float sn_sample_depth(sn_sample s);
sn_colour sn_sample_colour(sn_sample s);

/* What this rank's rays are cast against: the meshes that are inside, or all the rest. */
typedef struct sn_caster sn_caster;
SN_CHECKED sn_status sn_caster_create(const sn_picture *picture, bool inside, sn_caster **out);
void sn_caster_free(sn_caster *c);

/* What the ray through a point of the picture (x, y from -1 to 1) hits first. Thread-safe. */
sn_sample sn_caster_cast(const sn_caster *c, float x, float y);

/* The triangle that a ray meets first; of several at the same depth, the one that was added
 * first. Normals are of length 1 and on the side that the ray comes from. */
typedef struct {
    float depth; /* INFINITY: none, and nothing else has a meaning */
    sn_vector3 face, normal;
    sn_vector3 light; /* the colour, linear */
    /* From the triangle to the smooth surface that it stands for, which is where rays to the
     * lights begin: else triangles shade their neighbours where light only grazes them. */
    sn_vector3 to_smooth;
} sn_hit;

/* For pictures of meshes only. Thread-safe. */
sn_hit sn_caster_hit(const sn_caster *c, sn_vector3 origin, sn_vector3 direction);
/* How far it is to the first triangle that is not sheer. */
float sn_caster_solid_depth(const sn_caster *c, sn_vector3 origin, sn_vector3 direction);
bool sn_caster_is_blocked(const sn_caster *c, sn_vector3 origin, sn_vector3 direction, float reach);

/* The background in a row of the picture, linear. */
sn_vector3 sn_background_light(const sn_picture *picture, int row);

#endif
