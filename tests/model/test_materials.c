/* Materials and masses: elements against a brute force, masses against the laws they keep, and
 * both against the same scene on one rank alone, bit for bit. */
#include "helpers/overlapping_bodies.h"

#include "base/exact_sum.h"
#include "elastic/laws/corotated.h"
#include "model/masses.h"
#include "model/materials.h"
#include "octree/positions.h"
#include "shapes/shape.h"

#include <math.h>

typedef struct {
    sn_model model;
    const sn_octree *tree;
    sn_materials materials;
    double *mass;
    sn_key *node_key;
} made;

static void make(MPI_Comm comm, const sn_scene *scene, made *m)
{
    m->tree = make_model(comm, scene, &m->model);
    sn_status status = sn_materials_create(scene, &m->model, &m->materials);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    m->mass = SN_NEW(double, m->tree->n_nodes);
    double *density = sn_materials_of_all(&m->materials, SN_MATERIAL_DENSITY);
    sn_nodal_masses(m->tree, density, m->materials.fraction, m->materials.centroid, m->mass);
    sn_free(density);
    m->node_key = sn_octree_node_keys(m->tree);
}

static void free_made(made *m)
{
    sn_materials_free(&m->materials);
    sn_free(m->mass);
    sn_free(m->node_key);
    sn_model_free(&m->model);
}

/* How wide the box about a centroid is that fits in the cell: the mean over the axes, squared. */
static double slenderness(const float centroid[3])
{
    double sum = 0;
    for (int d = 0; d < 3; d++)
        sum += pow(1 - fabs((double)centroid[d]), 2) / 3;
    return sum;
}

static void check_element(const sn_materials *m, size_t e, int body, const double c[3])
{
    double r = hypot(hypot(c[0], c[1]), c[2]);
    bool flesh = body == FLESH, hard = flesh && r <= 0.31, left = flesh && c[0] <= 0;
    double young = hard ? 5e6 : 2e4, poisson = left ? 0.2 : flesh ? 0.4 : 0.45;
    double density = left ? 2200 : hard ? 300 : flesh ? 1000 : 700;
    CHECK(sn_material_at(m, SN_MATERIAL_YOUNG, e) == young &&
              sn_material_at(m, SN_MATERIAL_POISSON, e) == poisson &&
              sn_material_at(m, SN_MATERIAL_DENSITY, e) == density,
          "body %d at (%g, %g, %g): %g, %g, %g", body, c[0], c[1], c[2],
          sn_material_at(m, SN_MATERIAL_YOUNG, e), sn_material_at(m, SN_MATERIAL_POISSON, e),
          sn_material_at(m, SN_MATERIAL_DENSITY, e));
    if (!flesh)
        CHECK(sn_material_at(m, SN_MATERIAL_DAMPING, e) == 0, "%g",
              sn_material_at(m, SN_MATERIAL_DAMPING, e));
    else if (r < 0.38 || r > 0.4) /* in between the facets decide */
        CHECK(sn_material_at(m, SN_MATERIAL_DAMPING, e) == (r > 0.4 ? 0.5 : 0.01),
              "damping %g at %g", sn_material_at(m, SN_MATERIAL_DAMPING, e), r);
    /* Back from the Lame parameters, which are in single precision. */
    const float *of = m->parameters[e].of;
    double slim = fmax(slenderness(m->centroid[e]), SN_LEAST_SLENDERNESS);
    double mu = (double)of[SN_COROTATED_MU], lambda = (double)of[SN_COROTATED_LAMBDA];
    double weighted = young * fmax(m->fraction[e], SN_LEAST_STIFFNESS);
    CHECK(fabs(mu * (3 * lambda + 2 * mu) / (lambda + mu) / weighted - 1) < 1e-6, "young %g",
          weighted);
    CHECK(fabs(lambda / (2 * (lambda + mu)) - poisson) < 1e-6, "poisson %g", poisson);
    double bending = (flesh ? weighted / 12 : 0.7 * mu) * slim;
    CHECK(fabs((double)of[SN_COROTATED_BENDING] / bending - 1) < 1e-6, "body %d: bending", body);
    CHECK((double)of[SN_COROTATED_ASSUMED] == (flesh ? mu : 0), "body %d: assumed strain", body);
}

/* Owned and ghost elements alike. */
static void elements_by_their_centres(const made *m)
{
    sn_leaves elements = sn_octree_elements(m->tree);
    CHECK(m->materials.n_elements == elements.n, "%zu elements", elements.n);
    double(*centre)[3] = SN_NEW(double[3], elements.n);
    sn_octree_element_centres(m->tree, centre);
    for (size_t e = 0; e < elements.n; e++) {
        int body = sn_key_body(elements.key[e]);
        const sn_body *grid = &m->model.bodies.body[body];
        uint32_t anchor[3];
        sn_key_anchor(elements.key[e], anchor);
        for (int d = 0; d < 3; d++)
            CHECK(fabs(grid->origin[d] + grid->cell * anchor[d] +
                       grid->cell * sn_edge(elements.height[e]) / 2 - centre[e][d]) < 1e-14,
                  "the centre of element %zu", e);
        check_element(&m->materials, e, body, centre[e]);
    }
    sn_free(centre);
    sn_leaves_free(&elements);
}

/* Mass is neither made nor lost, nor moved: interpolation from conforming nodes keeps linear
 * functions, so the transposed keeps the total and the centre of mass. */
static void masses_keep_total_and_moments(const made *m)
{
    const sn_octree *tree = m->tree;
    sn_sum nodal[4] = {0}, elemental[4] = {0};
    sn_leaves elements = sn_octree_elements(tree);
    double(*centre)[3] = SN_NEW(double[3], elements.n);
    double(*rest)[3] = SN_NEW(double[3], tree->n_nodes + tree->n_ghost_nodes);
    sn_octree_element_centres(tree, centre);
    sn_octree_node_positions(tree, rest);
    int64_t hanging = 0;
    for (sn_local e = 0; e < tree->n_elements; e++) {
        double edge =
            m->model.bodies.body[sn_key_body(elements.key[e])].cell * sn_edge(elements.height[e]);
        double mass = sn_material_at(&m->materials, SN_MATERIAL_DENSITY, (size_t)e) *
                      m->materials.fraction[e] * pow(edge, 3);
        sn_sum_add(&elemental[3], mass);
        for (int d = 0; d < 3; d++) {
            double at = centre[e][d] + edge / 2 * (double)m->materials.centroid[e][d];
            sn_sum_add(&elemental[d], mass * (at + 1)); /* away from zero */
        }
        hanging += tree->hanging[e] != 0;
    }
    for (sn_local i = 0; i < tree->n_nodes; i++) {
        CHECK(m->mass[i] >= 0, "node %d weighs %g", i, m->mass[i]);
        sn_sum_add(&nodal[3], m->mass[i]);
        for (int d = 0; d < 3; d++)
            sn_sum_add(&nodal[d], m->mass[i] * (rest[i][d] + 1));
    }
    sn_sum_allreduce(MPI_COMM_WORLD, nodal, 4);
    sn_sum_allreduce(MPI_COMM_WORLD, elemental, 4);
    MPI_Allreduce(MPI_IN_PLACE, &hanging, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(hanging > 100, "%ld elements with hanging corners", (long)hanging);
    for (int i = 0; i < 4; i++) {
        double found = sn_sum_value(&nodal[i]), expected = sn_sum_value(&elemental[i]);
        CHECK(fabs(found / expected - 1) < 1e-13, "%s %.17g, expected %.17g",
              i == 3 ? "mass" : "moment", found, expected);
    }
    sn_leaves_free(&elements);
    sn_free(centre);
    sn_free(rest);
}

static void same_as_alone(const made *m, const made *alone)
{
    for (sn_local i = 0; i < m->tree->n_nodes; i++) {
        sn_local at = find_key(alone->node_key, alone->tree->n_nodes, m->node_key[i]);
        CHECK(at != SN_NONE && m->mass[i] == alone->mass[at], "the mass of node %d", i);
    }
    sn_leaves mine = sn_octree_elements(m->tree), all = sn_octree_elements(alone->tree);
    const sn_materials *a = &m->materials, *b = &alone->materials;
    for (size_t e = 0; e < mine.n; e++) {
        sn_local at = find_key(all.key, (sn_local)all.n, mine.key[e]);
        CHECK(at != SN_NONE && a->parameters[e].of[0] == b->parameters[at].of[0] &&
                  a->parameters[e].of[1] == b->parameters[at].of[1] &&
                  sn_material_at(a, SN_MATERIAL_DENSITY, e) ==
                      sn_material_at(b, SN_MATERIAL_DENSITY, (size_t)at) &&
                  sn_material_at(a, SN_MATERIAL_DAMPING, e) ==
                      sn_material_at(b, SN_MATERIAL_DAMPING, (size_t)at),
              "element %zu", e);
    }
    sn_leaves_free(&mine);
    sn_leaves_free(&all);
}

static void a_scene(const char *override)
{
    sn_scene scene = read_scene(overlapping_bodies, override);
    static made together, alone;
    make(MPI_COMM_WORLD, &scene, &together);
    make(MPI_COMM_SELF, &scene, &alone);
    elements_by_their_centres(&together);
    masses_keep_total_and_moments(&together);
    same_as_alone(&together, &alone);
    free_made(&together);
    free_made(&alone);
    sn_scene_free(&scene);
}

static void missing_mesh_names_the_line(void)
{
    sn_scene scene = read_scene("bodies:\n"
                                "  - name: flesh\n"
                                "    mesh: builtin:cube\n"
                                "    cell: 0.9\n"
                                "    material:\n"
                                "      regions: [{young: 1, region: {mesh: not_there.obj}}]\n",
                                NULL);
    sn_model model;
    sn_materials materials;
    make_model(MPI_COMM_WORLD, &scene, &model);
    CHECK(sn_materials_create(&scene, &model, &materials) != SN_OK, "no mesh");
    CHECK(strstr(sn_failure_message(), ":6:") &&
              strstr(sn_failure_message(), "bodies[0].material.regions[0].region.mesh"),
          "%s", sn_failure_message());
    sn_model_free(&model);
    sn_scene_free(&scene);
}

/* The masses of all nodes, and what the finest cells would weigh as whole ones. */
static double total_mass(const char *override, double density, double *whole)
{
    sn_scene scene =
        read_scene("bodies: [{name: ball, mesh: builtin:sphere, cell: 0.2}]\n", override);
    static made m;
    make(MPI_COMM_WORLD, &scene, &m);
    double mass = sn_global_sum(MPI_COMM_WORLD, m.mass, (size_t)m.tree->n_nodes);
    *whole = density * sn_octree_volume(m.tree, 0, NULL);
    CHECK(fabs(mass / (density * sn_model_volume(&m.model, 0)) - 1) < 1e-12, "%g", mass);
    free_made(&m);
    sn_scene_free(&scene);
    return mass;
}

/* At any size of cells; and as much as its cells if the scene says so. */
static void a_body_weighs_what_its_mesh_says(void)
{
    sn_mesh ball;
    CHECK(sn_builtin_make("builtin:sphere", &ball) == SN_OK, "%s", sn_failure_message());
    static const char *const cells[] = {"bodies[0].cell=0.7", "bodies[0].cell=0.25",
                                        "bodies[0].cell=0.061"};
    double whole, expected = 1000 * sn_mesh_volume(&ball);
    for (int c = 0; c < 3; c++) {
        double mass = total_mass(cells[c], 1000, &whole);
        CHECK(fabs(mass / expected - 1) < 1e-9, "%s: %g, not %g", cells[c], mass, expected);
        CHECK(whole > 1.05 * expected, "%s: %g", cells[c], whole);
    }
    double mass = total_mass("bodies[0].cut_cells=whole", 1000, &whole);
    CHECK(fabs(mass / whole - 1) < 1e-12, "%g, not %g", mass, whole);
    sn_mesh_free(&ball);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    a_body_weighs_what_its_mesh_says();
    a_scene(NULL);
    a_scene("partition.method=parmetis");
    missing_mesh_names_the_line();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
