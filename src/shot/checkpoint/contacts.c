#include "shot/checkpoint/contacts.h"

#include "base/array.h"

#include <assert.h>

/* Of all bodies: the product with the number of colliders must still be a number. */
static const int64_t MOST_POINTS = INT64_C(1) << 42;

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

/* A point has one record with each collider at most, and one with flesh. */
static sn_status read_tables(sn_h5_source *source, size_t n_colliders, sn_contact_memory *memory)
{
    sn_state_table table = collider_table(NULL, 0);
    SN_TRY(sn_state_read_table(source, &table, memory->n_points * (int64_t)n_colliders));
    memory->colliders.data = table.data;
    memory->colliders.count = memory->colliders.capacity = table.n;
    table = flesh_table(NULL, 0);
    SN_TRY(sn_state_read_table(source, &table, memory->n_points));
    memory->flesh.data = table.data;
    memory->flesh.count = memory->flesh.capacity = table.n;
    return SN_OK;
}

sn_status sn_read_contacts(sn_h5_source *source, size_t n_colliders, sn_contact_memory *memory)
{
    sn_contact_memory_free(memory);
    SN_TRY(
        sn_h5_read_attribute(source, "/contact", "points", H5T_NATIVE_INT64, 1, &memory->n_points));
    if (memory->n_points < 0 || memory->n_points > MOST_POINTS)
        return SN_FAIL(SN_MACHINE, "%s: is damaged: its contacts are of no surface", source->path);
    return read_tables(source, n_colliders, memory);
}
