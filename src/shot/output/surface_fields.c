#include "shot/output/surface_fields.h"

#include "base/narrow.h"

static void set_displacement(const sn_shot *shot, size_t i, float displacement[3])
{
    const sn_embedding *e = &shot->built.embedding;
    int body = sn_embedding_body_of(e, e->vertex[i]);
    const double *rest = e->solids[body].mesh->vertex[e->vertex[i] - e->body_first[body]];
    for (int d = 0; d < 3; d++)
        displacement[d] = sn_narrow(shot->built.vertex[i][d] - rest[d]);
}

static void set_velocity(const sn_shot *shot, size_t i, float velocity[3])
{
    const sn_embedding *e = &shot->built.embedding;
    double v[3];
    sn_embedded_place(e->tree, e->element[i], e->child[i], e->local[i], shot->state.nodes.v, v);
    for (int d = 0; d < 3; d++)
        velocity[d] = sn_narrow(v[d]);
}

sn_field_values sn_surface_fields(const sn_shot *shot, int kinds, const double *press)
{
    const sn_embedding *embedding = &shot->built.embedding;
    sn_field_values values = sn_field_values_new(kinds, embedding->n);
    if (!kinds)
        return values;
#pragma omp parallel for
    for (size_t i = 0; i < embedding->n; i++) {
        if (values.displacement)
            set_displacement(shot, i, values.displacement[i]);
        if (values.velocity)
            set_velocity(shot, i, values.velocity[i]);
        if (values.contact_pressure)
            values.contact_pressure[i] = sn_narrow(press[i]);
    }
    sn_fields_of_elements(shot, embedding->element, embedding->n, &values);
    return values;
}
