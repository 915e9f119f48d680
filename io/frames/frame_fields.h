/* The fields of a frame, of the surface or of the octree, read back: which there are, and their
 * values.
 *
 * Reads what vtkhdf.h wrote, on one rank alone, and believes nothing: shapes are checked, and
 * arrays that are no field of numbers are passed over. */
#ifndef SN_IO_FRAMES_FRAME_FIELDS_H
#define SN_IO_FRAMES_FRAME_FIELDS_H

#include "base/array.h"
#include "io/hdf5/read.h"

enum { SN_FIELD_NAME_BYTES = 64, SN_FIELD_COLUMNS = 3 };

typedef struct {
    char name[SN_FIELD_NAME_BYTES], units[SN_FIELD_NAME_BYTES]; /* units may be empty */
    bool of_points;                                             /* or of cells */
    int columns;                                                /* 0: one number; 3: a vector */
    int64_t rows;
} sn_frame_field;

typedef struct {
    sn_h5_source source;
    SN_VECTOR(sn_frame_field) list; /* by name, those of points first */
} sn_frame_fields;

/* Not collective, as all below; `kind` as in files.h. After a failure there is nothing to close. */
SN_CHECKED sn_status sn_frame_fields_open(const char *run_dir, const char *kind, int frame,
                                          sn_frame_fields *fields);
void sn_frame_fields_close(sn_frame_fields *fields);

/* NULL if there is none with this name. */
const sn_frame_field *sn_frame_fields_find(const sn_frame_fields *fields, const char *name);

/* All rows as they are; the caller frees them. */
SN_CHECKED sn_status sn_frame_field_read(sn_frame_fields *fields, const sn_frame_field *field,
                                         float **values);

/* One number a row: of a vector its length. */
SN_CHECKED sn_status sn_frame_field_sizes(sn_frame_fields *fields, const sn_frame_field *field,
                                          float **values);

#endif
