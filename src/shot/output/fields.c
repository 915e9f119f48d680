#include "shot/output/fields.h"

#include "base/array.h"
#include "curve/octant.h"
#include "elastic/assembly.h"

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

/* ---- Deformation, a batch of elements at a time ---- */

typedef struct {
    sn_lane_room room;
    sn_lanes lanes;
    sn_cells_f64 cells;
} element_batch;

static void load_batch(const sn_shot *shot, const sn_leaves *element, const sn_local *of, int count,
                       element_batch *b)
{
    const sn_octree *tree = &shot->model.forest.level[0];
    for (int lane = 0; lane < SN_LANES_F64; lane++) {
        bool empty = lane >= count;
        sn_local e = empty ? of[0] : of[lane];
        sn_key key = element->key[e];
        int height = element->height[e];
        memcpy(b->room.node[lane], tree->conforming[e], sizeof b->room.node[lane]);
        b->room.hanging[lane] = tree->hanging[e];
        b->room.child[lane] = (uint8_t)sn_key_child(key, height);
        b->cells.edge[lane] = tree->bodies->body[sn_key_body(key)].cell * sn_edge(height);
        b->cells.mu[lane] = empty ? 0 : shot->built.materials.mu[e];
        b->cells.lambda[lane] = empty ? 0 : shot->built.materials.lambda[e];
    }
    b->lanes =
        (sn_lanes){(const sn_local(*)[8])b->room.node, b->room.hanging, b->room.child, count};
}

/* Kirchhoff's stress P F^T, with P of elastic/law.h. */
static void stress_of(const sn_cells_f64 *cells, const sn_pack_f64 f[9], const sn_pack_f64 q[4],
                      sn_pack_f64 stress[9])
{
    sn_pack_f64 r[9], p[9];
    sn_rotation_f64(q, r);
    sn_pack_f64 volumetric = cells->lambda * (sn_contract_f64(r, f) - 3);
    for (int i = 0; i < 9; i++)
        p[i] = 2 * cells->mu * (f[i] - r[i]) + volumetric * r[i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            stress[3 * i + j] =
                p[3 * i] * f[3 * j] + p[3 * i + 1] * f[3 * j + 1] + p[3 * i + 2] * f[3 * j + 2];
}

static void von_mises_of(const sn_pack_f64 stress[9], const sn_pack_f64 *mean,
                         sn_pack_f64 *von_mises)
{
    sn_pack_f64 sum = {0};
    for (int i = 0; i < 9; i++) {
        sn_pack_f64 deviator = i % 4 == 0 ? stress[i] - *mean : stress[i];
        sum += deviator * deviator;
    }
    *von_mises = sn_sqrt_f64(1.5 * sum);
}

static void put(const sn_pack_f64 *pack, int count, float *values)
{
    for (int lane = 0; lane < count; lane++)
        values[lane] = (float)(*pack)[lane];
}

static void set_deformation(const sn_shot *shot, const element_batch *b, const sn_field_values *v,
                            size_t at)
{
    sn_batch_f64 batch;
    sn_deformation_f64 deformation;
    sn_pack_f64 stress[9], von_mises;
    sn_batch_update_f64(&b->cells, &b->lanes, shot->state.x, &batch, &deformation);
    if (v->det_f)
        put(&deformation.determinant, b->lanes.count, v->det_f + at);
    if (!v->von_mises)
        return;
    stress_of(&b->cells, deformation.gradient, batch.q, stress);
    sn_pack_f64 mean = (stress[0] + stress[4] + stress[8]) / 3, pressure = -mean;
    von_mises_of(stress, &mean, &von_mises);
    put(&von_mises, b->lanes.count, v->von_mises + at);
    put(&pressure, b->lanes.count, v->pressure + at);
}

static void set_deformations(const sn_shot *shot, const sn_leaves *element, const sn_local *of,
                             size_t n, const sn_field_values *v)
{
#pragma omp parallel for
    for (size_t first = 0; first < n; first += SN_LANES_F64) {
        int count = n - first < SN_LANES_F64 ? (int)(n - first) : SN_LANES_F64;
        element_batch batch;
        load_batch(shot, element, of + first, count, &batch);
        set_deformation(shot, &batch, v, first);
    }
}

/* ---- Elements ---- */

void sn_fields_of_elements(const sn_shot *shot, const sn_leaves *element, const sn_local *of,
                           size_t n, const sn_field_values *v)
{
    int rank;
    MPI_Comm_rank(shot->model.forest.level[0].comm, &rank);
    if (v->det_f || v->von_mises)
        set_deformations(shot, element, of, n, v);
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) {
        if (v->young) {
            v->young[i] = (float)shot->built.materials.young[of[i]];
            v->poisson[i] = (float)shot->built.materials.poisson[of[i]];
        }
        if (v->owner)
            v->owner[i] = rank;
    }
}
