#include "shot/checkpoint/rows.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

/* A row with the widths of a table. */
typedef struct {
    uint64_t frame;
    double time;
    int64_t newton, linear;
    double residual, elastic_energy, kinetic_energy, min_det_f;
    int64_t inverted;
    double volume, max_penetration, bone_error, seconds;
    uint64_t digest;
    double penetrated_cells;
    double friction_excess, contact_energy;
} record;

static const sn_state_field FIELDS[] = {
    {"frame", SN_STATE_U64, 1},
    {"time", SN_STATE_F64, 1},
    {"newton", SN_STATE_I64, 1},
    {"linear", SN_STATE_I64, 1},
    {"residual", SN_STATE_F64, 1},
    {"elastic_energy", SN_STATE_F64, 1},
    {"kinetic_energy", SN_STATE_F64, 1},
    {"min_det_f", SN_STATE_F64, 1},
    {"inverted", SN_STATE_I64, 1},
    {"volume", SN_STATE_F64, 1},
    {"max_penetration", SN_STATE_F64, 1},
    {"bone_error", SN_STATE_F64, 1},
    {"seconds", SN_STATE_F64, 1},
    {"digest", SN_STATE_U64, 1},
    {"penetrated_cells", SN_STATE_F64, 1},
    {"friction_excess", SN_STATE_F64, 1},
    {"contact_energy", SN_STATE_F64, 1},
};
enum { N_FIELDS = sizeof FIELDS / sizeof *FIELDS, NEWER_FIELDS = 2 };

static_assert(sizeof(record) == 8 * N_FIELDS, "a record has no padding");

static record record_of(const sn_frame_row *r)
{
    return (record){.frame = (uint64_t)(int64_t)r->frame,
                    .time = r->time,
                    .newton = r->newton,
                    .linear = r->linear,
                    .residual = r->residual,
                    .elastic_energy = r->elastic_energy,
                    .kinetic_energy = r->kinetic_energy,
                    .min_det_f = r->min_det_f,
                    .inverted = r->inverted,
                    .volume = r->volume,
                    .max_penetration = r->max_penetration,
                    .bone_error = r->bone_error,
                    .seconds = r->seconds,
                    .digest = r->digest,
                    .penetrated_cells = r->penetrated_cells,
                    .friction_excess = r->friction_excess,
                    .contact_energy = r->contact_energy};
}

/* What an int cannot be becomes -1, which nothing counts to. */
static int narrowed(int64_t value)
{
    return value >= 0 && value <= INT_MAX ? (int)value : -1;
}

/* Frames of a preroll may be below 0. */
static int frame_of(int64_t value)
{
    return value >= INT_MIN && value <= INT_MAX ? (int)value : INT_MIN;
}

static sn_frame_row row_of(const record *r)
{
    return (sn_frame_row){.frame = frame_of((int64_t)r->frame),
                          .time = r->time,
                          .newton = narrowed(r->newton),
                          .linear = narrowed(r->linear),
                          .residual = r->residual,
                          .elastic_energy = r->elastic_energy,
                          .kinetic_energy = r->kinetic_energy,
                          .min_det_f = r->min_det_f,
                          .inverted = r->inverted,
                          .volume = r->volume,
                          .max_penetration = r->max_penetration,
                          .bone_error = r->bone_error,
                          .seconds = r->seconds,
                          .digest = r->digest,
                          .penetrated_cells = r->penetrated_cells,
                          .friction_excess = r->friction_excess,
                          .contact_energy = r->contact_energy};
}

static sn_state_table table_of(record *records, size_t n)
{
    return (sn_state_table){"/frames", FIELDS, N_FIELDS, NEWER_FIELDS, sizeof *records, records, n};
}

/* Rank 0 gives them for all. */
void sn_write_frame_rows(sn_h5_file *file, const sn_frame_rows *rows)
{
    int rank;
    MPI_Comm_rank(file->comm, &rank);
    size_t n = rank == 0 ? rows->count : 0;
    record *records = SN_NEW(record, n);
    for (size_t i = 0; i < n; i++)
        records[i] = record_of(&rows->data[i]);
    sn_state_table table = table_of(records, n);
    sn_state_write_table(file, &table);
    sn_free(records);
}

/* The table has them by their numbers as unsigned ones, those below 0 last. */
static int by_frame(const void *a, const void *b)
{
    int x = ((const sn_frame_row *)a)->frame, y = ((const sn_frame_row *)b)->frame;
    return (x > y) - (x < y);
}

sn_status sn_read_frame_rows(sn_h5_source *source, int64_t most_rows, sn_frame_rows *rows)
{
    sn_state_table table = table_of(NULL, 0);
    SN_TRY(sn_state_read_whole_table(source, &table, most_rows));
    const record *records = table.data;
    rows->count = 0;
    for (size_t i = 0; i < table.n; i++)
        sn_push(rows, row_of(&records[i]));
    if (rows->count > 0)
        qsort(rows->data, rows->count, sizeof *rows->data, by_frame);
    sn_free(table.data);
    return SN_OK;
}
