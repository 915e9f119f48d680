/* Materials: what each element of the finest level is made of.
 *
 * Knows how a scene's materials and their regions reach the elements: an element belongs to a
 * region if its centre lies inside, and takes from it the values that the region gives; of
 * several regions a later one counts, value by value. Regions are known to all ranks, so ghost
 * elements are decided here too, without a message.
 *
 * Of a cell that the surface cuts the part counts that is inside (model.h): its mass and its
 * stiffness are the material's times that fraction. But a cell is never softer than
 * SN_LEAST_STIFFNESS: nodes that hang on slivers alone are still held in place. Its bending modes
 * resist less than that: with the square of how far the material reaches to the sides of its
 * centroid. That is known of a box that has the same centroid, and it is as far from one side of
 * the cell as the centroid is from the centre.
 *
 * Units are the scene's: young in force per area, density in mass per volume, damping in time
 * (elastic/damping.h). */
#ifndef SN_MODEL_MATERIALS_H
#define SN_MODEL_MATERIALS_H

#include "elastic/law.h"
#include "model/model.h"

/* The least part of a whole cell's stiffness that a cut cell has. Without any, nodes of cells that
 * hold nothing would be free. Beams two cells thick that are turned in the grid sag by 1 % less
 * with a fiftieth than with a hundredth, and by 0.5 % more with a thousandth; iterations are the
 * same. */
#define SN_LEAST_STIFFNESS 0.01

/* The least part of a whole cell's resistance to bending that a slim one of the same stiffness has.
 * Below, solves take more iterations; above a half, thin parts of bodies stiffen. */
#define SN_LEAST_SLENDERNESS 0.3

typedef enum {
    SN_MATERIAL_YOUNG,
    SN_MATERIAL_POISSON,
    SN_MATERIAL_DENSITY,
    SN_MATERIAL_DAMPING,
    SN_MATERIAL_VALUES
} sn_material_value;

/* Few elements differ in all of this, so there are kinds of them: each body's own material, and
 * what regions make of it. */
typedef struct {
    size_t n_elements;                 /* local ones: owned, then ghosts */
    sn_local *kind;                    /* of each */
    double *value[SN_MATERIAL_VALUES]; /* of each kind */
    size_t n_kinds;
    const double *fraction;     /* of each element, that is inside: the model's, as */
    const float (*centroid)[3]; /* the centroid of that part */
    sn_law_kind law;
    sn_law_parameters *parameters; /* of all that and the body's hourglass rule, for the law */
} sn_materials;

/* A value of an element, and of all, which the caller frees. */
static inline double sn_material_at(const sn_materials *materials, sn_material_value value,
                                    size_t element)
{
    return materials->value[value][materials->kind[element]];
}
double *sn_materials_of_all(const sn_materials *materials, sn_material_value value);

/* What the stiffness of an element is multiplied by of which this fraction is inside. */
static inline double sn_cut_stiffness(double fraction)
{
    return fraction > SN_LEAST_STIFFNESS ? fraction : SN_LEAST_STIFFNESS;
}

/* The parameters of such an element, from those of a whole one. */
sn_law_parameters sn_cut_parameters(sn_law_kind law, sn_law_parameters whole, double fraction,
                                    const float centroid[3]);

/* The constitutive law of a scene: one for all bodies. */
sn_law_kind sn_materials_law(const sn_scene *scene);

/* Collective. For the finest level of the scene's model, which must stay. Failures name file, line
 * and key; after one there is nothing to free. */
SN_CHECKED sn_status sn_materials_create(const sn_scene *scene, const sn_model *model,
                                         sn_materials *materials);
void sn_materials_free(sn_materials *materials);

/* The law's parameters are not needed any more: the system has its own. */
void sn_materials_drop_parameters(sn_materials *materials);

#endif
