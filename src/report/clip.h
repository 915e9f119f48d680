/* A mesh that moves, packed for the page: what does not change once, and 16 bits for each
 * coordinate and each value of a field in every frame, over the frame's own range.
 *
 *     <script id="surface-mesh">     triangles: three numbers of points each, 32 bits
 *     <script id="surface-0"> ...    frame by frame: points, then field after field
 *
 * all in base64; what they mean is written by sn_clip_describe as JSON, when all frames are there.
 * A value that is not a number is SN_NO_VALUE. Hides the packing; page/clips.js undoes it. */
#ifndef SN_REPORT_CLIP_H
#define SN_REPORT_CLIP_H

#include "base/array.h"
#include "io/frames/frame_fields.h"

#include <stdio.h>

enum { SN_NO_VALUE = 65535, SN_MOST_CODE = 65534, SN_CLIP_FIELDS = 24 };

typedef struct {
    double low, high; /* of codes 0 and SN_MOST_CODE; both NAN if there is no value */
} sn_code_range;

typedef struct {
    char name[SN_FIELD_NAME_BYTES], units[SN_FIELD_NAME_BYTES];
} sn_clip_field;

typedef struct {
    int frame;
    double time;
    sn_code_range box[3], field[SN_CLIP_FIELDS];
} sn_clip_frame;

typedef struct {
    FILE *out;       /* the caller's */
    const char *id;  /* the caller's: a word */
    size_t n_points; /* of each frame */
    size_t a_value;  /* so many points have one value of a field in common: 1, or a face's 4 */
    size_t n_triangles;
    sn_clip_field field[SN_CLIP_FIELDS];
    int n_fields;
    SN_VECTOR(sn_clip_frame) frames;
} sn_clip;

sn_clip sn_clip_begin(FILE *out, const char *id, size_t n_points, size_t a_value);
void sn_clip_add_field(sn_clip *clip, const char *name, const char *units);
void sn_clip_put_mesh(sn_clip *clip, const uint32_t (*triangle)[3], size_t n);

/* `value` has an array for each field, or NULL where this frame has none of it. */
void sn_clip_put_frame(sn_clip *clip, int frame, double time, const double (*point)[3],
                       const float *const *value);

/* An object without its last brace, so that more can be said. */
void sn_clip_describe(const sn_clip *clip, FILE *out);
void sn_clip_free(sn_clip *clip);

#endif
