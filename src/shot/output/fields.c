#include "shot/output/fields.h"

#include "base/array.h"
#include "base/narrow.h"

#include <stddef.h>
#include <string.h>

/* ---- Arrays ---- */

typedef struct {
    sn_field_kind kind;
    const char *name, *units;
    int columns;
    bool is_integer, hurried; /* digits that differ everywhere hardly shrink */
    size_t offset;            /* in sn_field_values */
} field_array;

#define ARRAY(kind, member, units, columns, is_integer, hurried)                                   \
    {                                                                                              \
        SN_FIELD_##kind, #member, units, columns, is_integer, hurried,                             \
            offsetof(sn_field_values, member)                                                      \
    }
#define STRESS "mass/(length s^2)"

static const field_array ARRAYS[] = {
    ARRAY(DISPLACEMENT, displacement, "length", 3, false, true),
    ARRAY(VELOCITY, velocity, "length/s", 3, false, true),
    ARRAY(DET_F, det_f, "1", 0, false, true),
    ARRAY(STRESS, von_mises, STRESS, 0, false, true),
    ARRAY(STRESS, pressure, STRESS, 0, false, true),
    ARRAY(CONTACT_PRESSURE, contact_pressure, STRESS, 0, false, false),
    ARRAY(MATERIAL, young, STRESS, 0, false, false),
    ARRAY(MATERIAL, poisson, "1", 0, false, false),
    ARRAY(OWNER, owner, "1", 0, true, false),
    ARRAY(FRACTION, fraction, "1", 0, false, false),
};
enum { N_ARRAYS = sizeof ARRAYS / sizeof *ARRAYS };
_Static_assert((int)N_ARRAYS <= (int)SN_MOST_FIELD_ARRAYS, "all arrays fit");
_Static_assert(sizeof(float) == sizeof(int32_t), "all numbers are of one size");

static void *values_of(const sn_field_values *values, const field_array *array)
{
    void *data;
    memcpy(&data, (const char *)values + array->offset, sizeof data);
    return data;
}

sn_field_values sn_field_values_new(int kinds, size_t n)
{
    sn_field_values values = {.kinds = kinds};
    for (int i = 0; i < N_ARRAYS; i++)
        if (sn_has_field(kinds, ARRAYS[i].kind)) {
            void *data = SN_NEW(float, n *(size_t)(ARRAYS[i].columns > 0 ? ARRAYS[i].columns : 1));
            memcpy((char *)&values + ARRAYS[i].offset, &data, sizeof data);
        }
    return values;
}

void sn_field_values_free(sn_field_values *values)
{
    for (int i = 0; i < N_ARRAYS; i++)
        sn_free(values_of(values, &ARRAYS[i]));
    *values = (sn_field_values){0};
}

int sn_field_arrays(const sn_field_values *values, sn_frame_array arrays[SN_MOST_FIELD_ARRAYS])
{
    int n = 0;
    for (int i = 0; i < N_ARRAYS; i++) {
        const field_array *a = &ARRAYS[i];
        hid_t type = a->is_integer ? H5T_NATIVE_INT32 : H5T_NATIVE_FLOAT;
        if (sn_has_field(values->kinds, a->kind)) /* without rows there are no values */
            arrays[n++] = (sn_frame_array){a->name,    a->units,   type,
                                           a->columns, a->hurried, values_of(values, a)};
    }
    return n;
}

/* ---- Deformation ---- */

/* `weight` is what the operator multiplies the material's stiffness by in this element. */
static void set_measure(const sn_element_measure *measure, double weight, const sn_field_values *v,
                        size_t at)
{
    if (v->det_f)
        v->det_f[at] = sn_narrow(measure->determinant);
    if (!v->von_mises)
        return;
    v->von_mises[at] = sn_narrow(measure->von_mises / weight);
    v->pressure[at] = sn_narrow(measure->pressure / weight);
}

static void set_deformations(const sn_shot *shot, const sn_local *of, size_t n,
                             const sn_field_values *v)
{
    enum { AT_ONCE = 64 };
    const sn_operator *op = &shot->built.system.op;
#pragma omp parallel for
    for (size_t first = 0; first < n; first += AT_ONCE) {
        size_t count = n - first < AT_ONCE ? n - first : AT_ONCE;
        sn_element_measure measure[AT_ONCE];
        sn_operator_measure(op, shot->state.nodes.x, of + first, count, measure);
        for (size_t i = 0; i < count; i++)
            set_measure(&measure[i], sn_cut_stiffness(shot->model.fraction[of[first + i]]), v,
                        first + i);
    }
}

/* ---- Elements ---- */

void sn_fields_of_elements(const sn_shot *shot, const sn_local *of, size_t n,
                           const sn_field_values *v)
{
    int rank;
    MPI_Comm_rank(shot->model.forest.level[0].comm, &rank);
    const sn_materials *m = &shot->built.materials;
    if (v->det_f || v->von_mises)
        set_deformations(shot, of, n, v);
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) {
        if (v->young) {
            v->young[i] = sn_narrow(sn_material_at(m, SN_MATERIAL_YOUNG, (size_t)of[i]));
            v->poisson[i] = sn_narrow(sn_material_at(m, SN_MATERIAL_POISSON, (size_t)of[i]));
        }
        if (v->owner)
            v->owner[i] = rank;
        if (v->fraction)
            v->fraction[i] = sn_narrow(shot->model.fraction[of[i]]);
    }
}
