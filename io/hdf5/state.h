/* The arrays and tables of a saved state, each with a digest.
 *
 * An array has rows in an order that does not depend on the ranks (that of the curve), of which
 * each rank has a slab. A table has records of a fixed size, each with a 64-bit key, on whichever
 * ranks they happen to be; in the file they are sorted by key, records with equal keys by their
 * bytes, and each rank gets an equal part of them back.
 *
 *     typedef struct { uint64_t vertex; double anchor[3]; } anchor;     no padding, the key first
 *     static const sn_state_field fields[] = {{"vertex", SN_STATE_U64, 1}, {"anchor", SN_STATE_F64,
 * 3}}; sn_state_table table = {"/contact/anchor", fields, 2, 0, sizeof(anchor), anchors, n};
 *     sn_state_write_table(file, &table);
 *     ...
 *     SN_TRY(sn_state_read_table(source, &table, most_anchors));
 *
 * The digest (base/digest.h) of rows or records and their numbers is the attribute `digest` of
 * each, and is verified when they are read. */
#ifndef SN_IO_HDF5_STATE_H
#define SN_IO_HDF5_STATE_H

#include "io/hdf5/read.h"
#include "io/hdf5/write.h"

/* Collective, as all below. Rows of `columns` values (0: one-dimensional) of a type that is both
 * that of the memory and of the file. */
void sn_state_write_array(sn_h5_file *file, const char *name, hid_t type, int64_t rows, int columns,
                          sn_slab slab, const void *values);

/* Fails if the array does not have `rows` rows, or not those that were written. */
SN_CHECKED sn_status sn_state_read_array(sn_h5_source *source, const char *name, hid_t type,
                                         int64_t rows, int columns, sn_slab slab, void *values);

typedef enum { SN_STATE_U64, SN_STATE_I64, SN_STATE_F64 } sn_state_type;

typedef struct {
    const char *name;
    sn_state_type type;
    int count; /* of values: 1, or those of a vector */
} sn_state_field;

typedef struct {
    const char *name; /* its groups must exist */
    const sn_state_field *field;
    int n_fields; /* the first is the key */
    int n_newer; /* of them, the last ones: older files lack some or all of these, and they are 0 */
    size_t record_bytes;
    void *data; /* this rank's records */
    size_t n;
} sn_state_table;

void sn_state_write_table(sn_h5_file *file, const sn_state_table *table);

/* Fills data and n with an equal part of the records, which go on from rank to rank, sorted by key.
 * Fails if there are more than `most_rows`. The caller frees data with sn_free. After a failure
 * there are none. */
SN_CHECKED sn_status sn_state_read_table(sn_h5_source *source, sn_state_table *table,
                                         int64_t most_rows);

/* The same for small tables: every rank gets all records. */
SN_CHECKED sn_status sn_state_read_whole_table(sn_h5_source *source, sn_state_table *table,
                                               int64_t most_rows);

#endif
