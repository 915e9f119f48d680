#define _GNU_SOURCE /* qsort_r */
#include "io/hdf5/state.h"

#include "base/array.h"
#include "base/digest.h"
#include "partition/migrate.h"
#include "partition/sort.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Arrays ---- */

static size_t row_bytes(hid_t type, int columns)
{
    return H5Tget_size(type) * (size_t)(columns > 0 ? columns : 1);
}

static uint64_t digest_of(MPI_Comm comm, hid_t type, int columns, sn_slab slab, const void *values)
{
    uint64_t mine = 0;
    sn_digest_add_array(&mine, (uint64_t)slab.first, values, row_bytes(type, columns),
                        (size_t)slab.n);
    return sn_digest_allreduce(comm, mine);
}

void sn_state_write_array(sn_h5_file *file, const char *name, hid_t type, int64_t rows, int columns,
                          sn_slab slab, const void *values)
{
    uint64_t digest = digest_of(file->comm, type, columns, slab, values);
    sn_h5_array(file, name, type, rows, columns, slab, values);
    sn_h5_attribute(file, name, "digest", H5T_STD_U64LE, 1, &digest);
}

sn_status sn_state_read_array(sn_h5_source *source, const char *name, hid_t type, int64_t rows,
                              int columns, sn_slab slab, void *values)
{
    int64_t found;
    uint64_t digest;
    SN_TRY(sn_h5_read_rows(source, name, columns, &found));
    if (found != rows)
        return SN_FAIL(SN_MACHINE, "%s: %s has %lld rows instead of %lld", source->path, name,
                       (long long)found, (long long)rows);
    SN_TRY(sn_h5_read_array(source, name, type, columns, slab, values));
    SN_TRY(sn_h5_read_attribute(source, name, "digest", H5T_STD_U64LE, 1, &digest));
    if (digest != digest_of(source->comm, type, columns, slab, values))
        return SN_FAIL(SN_MACHINE, "%s: %s is damaged: its digest differs", source->path, name);
    return SN_OK;
}

/* ---- Tables ---- */

enum { VALUE_BYTES = 8 };

static hid_t value_type(sn_state_type type)
{
    return type == SN_STATE_U64   ? H5T_STD_U64LE
           : type == SN_STATE_I64 ? H5T_STD_I64LE
                                  : H5T_IEEE_F64LE;
}

static size_t bytes_of_fields(const sn_state_table *t, int n_fields)
{
    size_t bytes = 0;
    for (int i = 0; i < n_fields; i++)
        bytes += VALUE_BYTES * (size_t)t->field[i].count;
    return bytes;
}

/* Of the first fields. The caller closes it. */
static hid_t record_type(const sn_state_table *t, int n_fields)
{
    hid_t record = H5Tcreate(H5T_COMPOUND, bytes_of_fields(t, n_fields));
    size_t offset = 0;
    for (int i = 0; i < n_fields; i++) {
        const sn_state_field *f = &t->field[i];
        hsize_t count = (hsize_t)f->count;
        hid_t type = f->count > 1 ? H5Tarray_create2(value_type(f->type), 1, &count)
                                  : H5Tcopy(value_type(f->type));
        H5Tinsert(record, f->name, offset, type);
        H5Tclose(type);
        offset += VALUE_BYTES * (size_t)f->count;
    }
    return record;
}

static uint64_t key_of(const void *record)
{
    uint64_t key;
    memcpy(&key, record, sizeof key);
    return key;
}

static uint64_t *keys_of(const sn_state_table *t)
{
    uint64_t *keys = SN_NEW(uint64_t, t->n);
    for (size_t i = 0; i < t->n; i++)
        keys[i] = key_of((const char *)t->data + i * t->record_bytes);
    return keys;
}

static int compare_bytes(const void *a, const void *b, void *bytes)
{
    return memcmp(a, b, *(size_t *)bytes);
}

/* Records with equal keys have met on one rank; which came first depends on the ranks. */
static void order_equal_keys(char *records, size_t bytes, size_t n)
{
    for (size_t from = 0, to; from < n; from = to) {
        to = from + 1;
        while (to < n && key_of(records + to * bytes) == key_of(records + from * bytes))
            to++;
        if (to - from > 1)
            qsort_r(records + from * bytes, to - from, bytes, compare_bytes, &bytes);
    }
}

/* This rank's part of the records of all ranks in their order; the caller frees it. */
static char *sorted_records(MPI_Comm comm, const sn_state_table *t, size_t *n)
{
    sn_owners owners;
    size_t n_keys = t->n;
    sn_free(sn_sort_along_curve(comm, keys_of(t), &n_keys, &owners));
    uint64_t *keys = keys_of(t);
    sn_migration migration = sn_migration_create(comm, keys, t->n, &owners);
    char *records = sn_migrate(&migration, t->record_bytes, t->data);
    *n = migration.n_after;
    order_equal_keys(records, t->record_bytes, *n);
    sn_migration_free(&migration);
    sn_owners_free(&owners);
    sn_free(keys);
    return records;
}

void sn_state_write_table(sn_h5_file *file, const sn_state_table *t)
{
    size_t n;
    char *records = sorted_records(file->comm, t, &n);
    int64_t mine = (int64_t)n, up_to_me, rows;
    MPI_Scan(&mine, &up_to_me, 1, MPI_INT64_T, MPI_SUM, file->comm);
    MPI_Allreduce(&mine, &rows, 1, MPI_INT64_T, MPI_SUM, file->comm);
    hid_t type = record_type(t, t->n_fields);
    sn_state_write_array(file, t->name, type, rows, 0, (sn_slab){up_to_me - mine, mine}, records);
    H5Tclose(type);
    sn_free(records);
}

/* How many of the table's fields the records of a file have. */
static int fields_in_file(sn_h5_source *source, const sn_state_table *t)
{
    hid_t set = H5Dopen2(source->file, t->name, H5P_DEFAULT), type = H5Dget_type(set);
    int n = H5Tget_class(type) == H5T_COMPOUND ? H5Tget_nmembers(type) : 0;
    H5Tclose(type);
    H5Dclose(set);
    return n < t->n_fields && n >= t->n_fields - t->n_newer ? n : t->n_fields;
}

/* From records of fewer bytes to the table's, in place; what is new is 0. */
static void widen(char *records, size_t from, size_t to, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        memmove(records + i * to, records + i * from, from);
        memset(records + i * to + from, 0, to - from);
    }
}

/* A new array with this rank's records. */
static sn_status read_records(sn_h5_source *source, const sn_state_table *t, int64_t rows,
                              sn_slab slab, char **records)
{
    *records = SN_NEW(char, (size_t)slab.n * t->record_bytes);
    int fields = fields_in_file(source, t);
    hid_t type = record_type(t, fields);
    sn_status status = sn_state_read_array(source, t->name, type, rows, 0, slab, *records);
    H5Tclose(type);
    if (status != SN_OK)
        sn_free(*records);
    else
        widen(*records, bytes_of_fields(t, fields), t->record_bytes, (size_t)slab.n);
    return status;
}

static sn_status count_rows(sn_h5_source *source, sn_state_table *t, int64_t most, int64_t *rows)
{
    t->data = NULL;
    t->n = 0;
    SN_TRY(sn_h5_read_rows(source, t->name, 0, rows));
    if (*rows > most)
        return SN_FAIL(SN_MACHINE, "%s: %s has %lld rows, and can have %lld at most", source->path,
                       t->name, (long long)*rows, (long long)most);
    return SN_OK;
}

sn_status sn_state_read_table(sn_h5_source *source, sn_state_table *t, int64_t most_rows)
{
    int64_t rows;
    char *records;
    SN_TRY(count_rows(source, t, most_rows, &rows));
    sn_slab slab = sn_h5_slab(source->comm, rows);
    SN_TRY(read_records(source, t, rows, slab, &records));
    t->data = records;
    t->n = (size_t)slab.n;
    return SN_OK;
}

sn_status sn_state_read_whole_table(sn_h5_source *source, sn_state_table *t, int64_t most_rows)
{
    int rank;
    MPI_Comm_rank(source->comm, &rank);
    int64_t rows, sent_at_once = INT_MAX / (int64_t)t->record_bytes;
    char *records;
    SN_TRY(count_rows(source, t, most_rows < sent_at_once ? most_rows : sent_at_once, &rows));
    SN_TRY(read_records(source, t, rows, (sn_slab){0, rank == 0 ? rows : 0}, &records));
    if (rank != 0)
        SN_RESIZE(records, (size_t)rows * t->record_bytes);
    MPI_Bcast(records, (int)(rows * (int64_t)t->record_bytes), MPI_BYTE, 0, source->comm);
    t->data = records;
    t->n = (size_t)rows;
    return SN_OK;
}
