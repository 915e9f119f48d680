#include "shot/fields.h"

#include "base/array.h"
#include "curve/octant.h"
#include "elastic/reference.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- Arrays ---- */

typedef struct {
    sn_field_kind kind;
    const char *name, *units;
    int columns;
    bool is_integer;
    size_t offset; /* in sn_field_values */
} field_array;

#define ARRAY(kind, member, units, columns, is_integer)                                            \
    {                                                                                              \
        SN_FIELD_##kind, #member, units, columns, is_integer, offsetof(sn_field_values, member)    \
    }
#define STRESS "mass/(length s^2)"

static const field_array ARRAYS[] = {
    ARRAY(DISPLACEMENT, displacement, "length", 3, false),
    ARRAY(VELOCITY, velocity, "length/s", 3, false),
    ARRAY(DET_F, det_f, "1", 0, false),
    ARRAY(STRESS, von_mises, STRESS, 0, false),
    ARRAY(STRESS, pressure, STRESS, 0, false),
    ARRAY(CONTACT_PRESSURE, contact_pressure, STRESS, 0, false),
    ARRAY(MATERIAL, young, STRESS, 0, false),
    ARRAY(MATERIAL, poisson, "1", 0, false),
    ARRAY(OWNER, owner, "1", 0, true),
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
            arrays[n++] =
                (sn_frame_array){a->name, a->units, type, a->columns, values_of(values, a)};
    }
    return n;
}

/* ---- Elements ---- */

void sn_element_corners(const sn_octree *tree, sn_local e, int child, const double *field,
                        double corner[SN_CORNERS][3])
{
    double w[8][8], conforming[8][3];
    for (int c = 0; c < SN_CORNERS; c++)
        memcpy(conforming[c], field + 3 * (size_t)tree->conforming[e][c], sizeof conforming[c]);
    sn_reference_weights(child, tree->hanging[e], w);
    sn_reference_gather(w, conforming, corner);
}

static double determinant(double f[3][3])
{
    return f[0][0] * (f[1][1] * f[2][2] - f[1][2] * f[2][1]) -
           f[0][1] * (f[1][0] * f[2][2] - f[1][2] * f[2][0]) +
           f[0][2] * (f[1][0] * f[2][1] - f[1][1] * f[2][0]);
}

/* Kirchhoff's stress P F^T, with P of law.h. */
static void stress_of(const sn_reference_cell *cell, double f[3][3], double stress[3][3])
{
    sn_reference_state state;
    double p[3][3], stretch = -3;
    sn_reference_linearise(cell, f, true, &state);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            stretch += state.rotation[i][j] * f[i][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            p[i][j] = 2 * cell->mu * (f[i][j] - state.rotation[i][j]) +
                      cell->lambda * stretch * state.rotation[i][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            stress[i][j] = p[i][0] * f[j][0] + p[i][1] * f[j][1] + p[i][2] * f[j][2];
}

static double von_mises_of(double stress[3][3])
{
    double mean = (stress[0][0] + stress[1][1] + stress[2][2]) / 3, sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double deviator = stress[i][j] - (i == j ? mean : 0);
            sum += deviator * deviator;
        }
    return sqrt(1.5 * sum);
}

static void set_deformation(const sn_shot *shot, sn_local e, sn_key key, int height,
                            const sn_field_values *v, size_t at)
{
    const sn_octree *tree = &shot->model.forest.level[0];
    double edge = tree->bodies->body[sn_key_body(key)].cell * sn_edge(height);
    double x[SN_CORNERS][3], gradient[3][3], stress[3][3];
    sn_element_corners(tree, e, sn_key_child(key, height), shot->stepper.x, x);
    sn_reference_gradient(edge, x, gradient);
    if (v->det_f)
        v->det_f[at] = (float)determinant(gradient);
    if (!v->von_mises)
        return;
    sn_reference_cell cell = {edge, shot->materials.mu[e], shot->materials.lambda[e]};
    stress_of(&cell, gradient, stress);
    v->von_mises[at] = (float)von_mises_of(stress);
    v->pressure[at] = (float)(-(stress[0][0] + stress[1][1] + stress[2][2]) / 3);
}

void sn_fields_of_element(const sn_shot *shot, sn_local e, sn_key key, int height,
                          const sn_field_values *v, size_t at)
{
    if (v->det_f || v->von_mises)
        set_deformation(shot, e, key, height, v, at);
    if (v->young) {
        v->young[at] = (float)shot->materials.young[e];
        v->poisson[at] = (float)shot->materials.poisson[e];
    }
    if (v->owner)
        MPI_Comm_rank(shot->model.forest.level[0].comm, &v->owner[at]);
}
