#include "model/materials.h"

#include "base/timer.h"
#include "octree/positions.h"
#include "region/region.h"

#include <math.h>

/* All local elements, for asking regions. */
typedef struct {
    sn_leaves element;
    size_t n_owned;
    double (*centre)[3];
    uint8_t *inside;
} element_points;

static element_points points_of(const sn_octree *tree)
{
    element_points points = {.element = sn_octree_elements(tree),
                             .n_owned = (size_t)tree->n_elements};
    points.centre = SN_NEW(double[3], points.element.n);
    points.inside = SN_NEW(uint8_t, points.element.n);
    sn_octree_element_centres(tree, points.centre);
    return points;
}

static void free_points(element_points *points)
{
    sn_leaves_free(&points->element);
    sn_free(points->centre);
    sn_free(points->inside);
}

/* ---- Kinds ---- */

typedef SN_VECTOR(double) value_list;

/* Before they are handed over. */
typedef struct {
    value_list value[SN_MATERIAL_VALUES];
    sn_local n;
} kind_list;

static sn_local add_kind(kind_list *kinds, const double value[SN_MATERIAL_VALUES])
{
    for (int v = 0; v < SN_MATERIAL_VALUES; v++)
        sn_push(&kinds->value[v], value[v]);
    return kinds->n++;
}

static void add_bodies(const sn_scene *scene, kind_list *kinds)
{
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const sn_material *m = &scene->bodies.data[b].material;
        add_kind(kinds, (double[]){m->young, m->poisson, m->density, m->damping});
    }
}

/* A kind where a region gives other values. */
static sn_local add_overridden(kind_list *kinds, sn_local kind, const sn_material_region *part)
{
    double value[SN_MATERIAL_VALUES] = {part->young, part->poisson, part->density, part->damping};
    for (int v = 0; v < SN_MATERIAL_VALUES; v++)
        if (isnan(value[v]))
            value[v] = kinds->value[v].data[kind];
    return add_kind(kinds, value);
}

static void hand_over(kind_list *kinds, sn_materials *materials)
{
    materials->n_kinds = (size_t)kinds->n;
    for (int v = 0; v < SN_MATERIAL_VALUES; v++)
        materials->value[v] = SN_RESIZE(kinds->value[v].data, kinds->n);
}

/* ---- Of elements ---- */

static void fill_bodies(const sn_leaves *element, sn_materials *materials)
{
    for (size_t e = 0; e < element->n; e++)
        materials->kind[e] = sn_key_body(element->key[e]);
}

/* The first element from `from` on that is not of an earlier body, or `to`. */
static size_t start_of_body(const sn_key *key, size_t from, size_t to, size_t body)
{
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if ((size_t)sn_key_body(key[middle]) < body)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Of the elements from `from` on and before `to`, along the curve, those of a body that are in a
 * region. `becomes` has the kinds of these, where they are known. */
static void fill_part(const sn_material_region *part, const sn_region *region, size_t body,
                      const element_points *points, size_t from, size_t to, kind_list *kinds,
                      sn_local *becomes, sn_local *kind)
{
    const sn_key *key = points->element.key;
    size_t first = start_of_body(key, from, to, body), end = start_of_body(key, from, to, body + 1);
    sn_region_mark(region, (const double(*)[3])points->centre + first, end - first,
                   points->inside + first);
    for (size_t e = first; e < end; e++) {
        if (!points->inside[e])
            continue;
        if (becomes[kind[e]] == SN_NONE)
            becomes[kind[e]] = add_overridden(kinds, kind[e], part);
        kind[e] = becomes[kind[e]];
    }
}

/* Collective. */
static sn_status fill_region(const sn_scene *scene, MPI_Comm comm, size_t b, size_t r,
                             const element_points *points, kind_list *kinds, sn_local *kind)
{
    const sn_material_region *part = &scene->bodies.data[b].material.regions.data[r];
    sn_path path = sn_key_path("bodies[%zu].material.regions[%zu].region", b, r);
    sn_region region;
    SN_TRY(sn_region_create(comm, &scene->origin, path.text, &part->region, &region));
    sn_local n = kinds->n, *becomes = SN_NEW(sn_local, n);
    for (sn_local k = 0; k < n; k++)
        becomes[k] = SN_NONE;
    fill_part(part, &region, b, points, 0, points->n_owned, kinds, becomes, kind);
    fill_part(part, &region, b, points, points->n_owned, points->element.n, kinds, becomes, kind);
    sn_free(becomes);
    sn_region_free(&region);
    return SN_OK;
}

static sn_status fill_regions(const sn_scene *scene, MPI_Comm comm, const element_points *points,
                              kind_list *kinds, sn_local *kind)
{
    for (size_t b = 0; b < scene->bodies.count; b++)
        for (size_t r = 0; r < scene->bodies.data[b].material.regions.count; r++)
            SN_TRY(fill_region(scene, comm, b, r, points, kinds, kind));
    return SN_OK;
}

static sn_status fill(const sn_scene *scene, MPI_Comm comm, const element_points *points,
                      sn_materials *materials)
{
    kind_list kinds = {0};
    add_bodies(scene, &kinds);
    fill_bodies(&points->element, materials);
    sn_status status = fill_regions(scene, comm, points, &kinds, materials->kind);
    hand_over(&kinds, materials);
    return status;
}

double *sn_materials_of_all(const sn_materials *m, sn_material_value value)
{
    double *all = SN_NEW(double, m->n_elements);
    for (size_t e = 0; e < m->n_elements; e++)
        all[e] = sn_material_at(m, value, e);
    return all;
}

sn_law_kind sn_materials_law(const sn_scene *scene)
{
    return scene->bodies.data[0].material.law;
}

/* How much less a cut cell resists bending than a whole one of the same stiffness: the mean over
 * the axes of the squared width of the box about its centroid. */
static double slenderness(const float centroid[3])
{
    double sum = 0;
    for (int d = 0; d < 3; d++)
        sum += pow(1 - fabs((double)centroid[d]), 2);
    return fmax(sum / 3, SN_LEAST_SLENDERNESS);
}

sn_law_parameters sn_cut_parameters(sn_law_kind law, sn_law_parameters whole, double fraction,
                                    const float centroid[3])
{
    sn_law_parameters slim = sn_law_slimmed(law, whole, slenderness(centroid));
    return sn_law_weighted(law, slim, sn_cut_stiffness(fraction));
}

static void find_parameters(const sn_scene *scene, const sn_leaves *element,
                            sn_materials *materials)
{
    sn_law_kind law = materials->law;
    for (size_t e = 0; e < materials->n_elements; e++) {
        double rule = scene->bodies.data[sn_key_body(element->key[e])].hourglass;
        sn_law_parameters full =
            sn_law_parameters_of(law, sn_material_at(materials, SN_MATERIAL_YOUNG, e),
                                 sn_material_at(materials, SN_MATERIAL_POISSON, e), rule);
        materials->parameters[e] =
            sn_cut_parameters(law, full, materials->fraction[e], materials->centroid[e]);
    }
}

sn_status sn_materials_create(const sn_scene *scene, const sn_model *model, sn_materials *materials)
{
    sn_phase_begin("model/materials");
    const sn_octree *tree = &model->forest.level[0];
    element_points points = points_of(tree);
    size_t n = points.element.n;
    *materials = (sn_materials){.n_elements = n,
                                .kind = SN_NEW(sn_local, n),
                                .fraction = model->fraction,
                                .centroid = (const float(*)[3])model->centroid,
                                .law = sn_materials_law(scene),
                                .parameters = SN_NEW(sn_law_parameters, n)};
    sn_status status = fill(scene, tree->comm, &points, materials);
    if (status == SN_OK)
        find_parameters(scene, &points.element, materials);
    else
        sn_materials_free(materials);
    free_points(&points);
    sn_phase_end("model/materials");
    return status;
}

void sn_materials_drop_parameters(sn_materials *materials)
{
    sn_free(materials->parameters);
    materials->parameters = NULL;
}

void sn_materials_free(sn_materials *materials)
{
    sn_materials_drop_parameters(materials);
    sn_free(materials->kind);
    for (int v = 0; v < SN_MATERIAL_VALUES; v++)
        sn_free(materials->value[v]);
    *materials = (sn_materials){0};
}
