#include "shot/checkpoint/contacts.h"

#include <assert.h>

static const sn_state_field COLLIDER_FIELDS[] = {
    {"vertex", SN_STATE_I64, 1}, {"collider", SN_STATE_I64, 1}, {"triangle", SN_STATE_I64, 1},
    {"at", SN_STATE_F64, 3},     {"normal", SN_STATE_F64, 3},   {"anchor", SN_STATE_F64, 3},
    {"push", SN_STATE_F64, 1},
};
static const sn_state_field FLESH_FIELDS[] = {
    {"vertex", SN_STATE_I64, 1}, {"body", SN_STATE_I64, 1}, {"triangle", SN_STATE_I64, 1},
    {"weight", SN_STATE_F64, 3}, {"at", SN_STATE_F64, 3},   {"normal", SN_STATE_F64, 3},
    {"anchor", SN_STATE_F64, 3}, {"push", SN_STATE_F64, 1},
};
static_assert(sizeof(sn_contact_record) == 13 * 8, "a record has no padding");
static_assert(sizeof(sn_self_record) == 16 * 8, "a record has no padding");

static sn_state_table collider_table(sn_contact_record *records, size_t n)
{
    return (sn_state_table){
        "/contact/colliders", COLLIDER_FIELDS, sizeof COLLIDER_FIELDS / sizeof *COLLIDER_FIELDS,
        sizeof *records,      records,         n};
}

static sn_state_table flesh_table(sn_self_record *records, size_t n)
{
    return (sn_state_table){
        "/contact/flesh", FLESH_FIELDS, sizeof FLESH_FIELDS / sizeof *FLESH_FIELDS,
        sizeof *records,  records,      n};
}

void sn_write_contacts(sn_h5_file *file, const sn_contact_memory *memory)
{
    sn_h5_group(file, "/contact");
    sn_state_table table = collider_table(memory->colliders.data, memory->colliders.count);
    sn_state_write_table(file, &table);
    table = flesh_table(memory->flesh.data, memory->flesh.count);
    sn_state_write_table(file, &table);
}

sn_status sn_read_contacts(sn_h5_source *source, const sn_embedding *embedding,
                           sn_contact_memory *memory)
{
    const uint64_t *wanted = (const uint64_t *)embedding->vertex;
    sn_contact_memory_free(memory);
    sn_state_table table = collider_table(NULL, 0);
    SN_TRY(sn_state_read_table(source, &table, wanted, embedding->n));
    memory->colliders.data = table.data;
    memory->colliders.count = memory->colliders.capacity = table.n;
    table = flesh_table(NULL, 0);
    SN_TRY(sn_state_read_table(source, &table, wanted, embedding->n));
    memory->flesh.data = table.data;
    memory->flesh.count = memory->flesh.capacity = table.n;
    return SN_OK;
}
