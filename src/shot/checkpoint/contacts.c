#include "shot/checkpoint/contacts.h"

#include "base/array.h"

#include <assert.h>

static const sn_state_field COLLIDER_FIELDS[] = {
    {"vertex", SN_STATE_I64, 1}, {"collider", SN_STATE_I64, 1}, {"triangle", SN_STATE_I64, 1},
    {"at", SN_STATE_F64, 3},     {"normal", SN_STATE_F64, 3},   {"anchor", SN_STATE_F64, 3},
    {"push", SN_STATE_F64, 1},   {"area", SN_STATE_F64, 1},
};
static const sn_state_field FLESH_FIELDS[] = {
    {"vertex", SN_STATE_I64, 1}, {"body", SN_STATE_I64, 1}, {"triangle", SN_STATE_I64, 1},
    {"weight", SN_STATE_F64, 3}, {"at", SN_STATE_F64, 3},   {"normal", SN_STATE_F64, 3},
    {"anchor", SN_STATE_F64, 3}, {"push", SN_STATE_F64, 1}, {"area", SN_STATE_F64, 1},
    {"free", SN_STATE_F64, 1},
};
static_assert(sizeof(sn_contact_record) == 14 * 8, "a record has no padding");
static_assert(sizeof(sn_self_record) == 18 * 8, "a record has no padding");

static sn_state_table collider_table(sn_contact_record *records, size_t n)
{
    return (sn_state_table){"/contact/colliders",
                            COLLIDER_FIELDS,
                            sizeof COLLIDER_FIELDS / sizeof *COLLIDER_FIELDS,
                            1 /* the area */,
                            sizeof *records,
                            records,
                            n};
}

static sn_state_table flesh_table(sn_self_record *records, size_t n)
{
    return (sn_state_table){"/contact/flesh",
                            FLESH_FIELDS,
                            sizeof FLESH_FIELDS / sizeof *FLESH_FIELDS,
                            2 /* area and free depth */,
                            sizeof *records,
                            records,
                            n};
}

void sn_write_contacts(sn_h5_file *file, const sn_contact_memory *memory)
{
    sn_h5_group(file, "/contact");
    sn_h5_attribute(file, "/contact", "points", H5T_NATIVE_INT64, 1, &memory->n_points);
    sn_state_table table = collider_table(memory->colliders.data, memory->colliders.count);
    sn_state_write_table(file, &table);
    table = flesh_table(memory->flesh.data, memory->flesh.count);
    sn_state_write_table(file, &table);
}

/* The numbers of an equal part of the points. */
static uint64_t *numbers_of_part(MPI_Comm comm, int64_t points, size_t *n)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int64_t first = points * rank / size, end = points * (rank + 1) / size;
    *n = (size_t)(end - first);
    uint64_t *numbers = SN_NEW(uint64_t, *n);
    for (size_t i = 0; i < *n; i++)
        numbers[i] = (uint64_t)first + i;
    return numbers;
}

static sn_status read_tables(sn_h5_source *source, const uint64_t *wanted, size_t n,
                             sn_contact_memory *memory)
{
    sn_state_table table = collider_table(NULL, 0);
    SN_TRY(sn_state_read_table(source, &table, wanted, n));
    memory->colliders.data = table.data;
    memory->colliders.count = memory->colliders.capacity = table.n;
    table = flesh_table(NULL, 0);
    SN_TRY(sn_state_read_table(source, &table, wanted, n));
    memory->flesh.data = table.data;
    memory->flesh.count = memory->flesh.capacity = table.n;
    return SN_OK;
}

sn_status sn_read_contacts(sn_h5_source *source, sn_contact_memory *memory)
{
    size_t n;
    sn_contact_memory_free(memory);
    SN_TRY(
        sn_h5_read_attribute(source, "/contact", "points", H5T_NATIVE_INT64, 1, &memory->n_points));
    uint64_t *wanted = numbers_of_part(source->comm, memory->n_points, &n);
    sn_status status = read_tables(source, wanted, n, memory);
    sn_free(wanted);
    return status;
}
