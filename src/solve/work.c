#include "solve/work.h"

#include "base/array.h"

sn_work sn_work_create(const sn_octree *tree)
{
    sn_work work;
    for (int i = 0; i < SN_WORK_FIELDS; i++)
        work.field[i] = sn_field_new_f64(tree);
    return work;
}

void sn_work_free(sn_work *work)
{
    for (int i = 0; i < SN_WORK_FIELDS; i++)
        sn_free(work->field[i]);
    *work = (sn_work){0};
}
