/* Fractions of cells: boxes cell by cell in closed form, at any place in the grid; a turned box and
 * random tetrahedra against points; the volume of the mesh at any size of cells; and the same bits
 * as on one rank alone. */
#include "helpers/check.h"
#include "helpers/forest.h"
#include "octree/fraction.h"
#include "octree/positions.h"
#include "shapes/shape.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-9;

/* One forest on a communicator, with the fractions of its finest elements. */
typedef struct {
    sn_hierarchy hierarchy;
    sn_octree *tree;
    sn_leaves element;
    double *fraction;
    float (*centroid)[3];
} made;

static void make(test_forest *f, MPI_Comm comm, sn_hierarchy_options options, made *m)
{
    bool wanted[TEST_BODIES];
    for (int b = 0; b < f->n; b++)
        wanted[b] = true;
    CHECK(test_forest_build(f, comm, options, &m->hierarchy) == SN_OK, "%s", sn_failure_message());
    m->tree = &m->hierarchy.level[0];
    m->element = sn_octree_elements(m->tree);
    m->fraction = SN_NEW(double, m->element.n);
    m->centroid = SN_NEW(float[3], m->element.n);
    sn_status status =
        sn_element_fractions(&m->hierarchy, f->view, wanted, m->fraction, m->centroid);
    CHECK(status == SN_OK, "%s", sn_failure_message());
}

static void free_made(made *m)
{
    sn_free(m->fraction);
    sn_free(m->centroid);
    sn_leaves_free(&m->element);
    sn_hierarchy_free(&m->hierarchy);
}

/* ---- Boxes ---- */

static double overlap(double a, double b, double low, double high)
{
    return fmax(fmin(b, high) - fmax(a, low), 0);
}

/* In halves of an edge from the centre of a cell, the middle of what it has of a box. */
static double middle_of(double a, double b, double low, double edge)
{
    double middle = (fmin(b, low + edge) + fmax(a, low)) / 2;
    return 2 * (middle - low) / edge - 1;
}

static void check_box(const double min[3], const double max[3], const sn_body *body, const made *m)
{
    for (size_t e = 0; e < m->element.n; e++) {
        uint32_t anchor[3];
        sn_key_anchor(m->element.key[e], anchor);
        double edge = body->cell * sn_edge(m->element.height[e]), expected = 1, middle[3];
        for (int d = 0; d < 3; d++) {
            double low = body->origin[d] + body->cell * anchor[d];
            expected *= overlap(min[d], max[d], low, low + edge) / edge;
            middle[d] = middle_of(min[d], max[d], low, edge);
        }
        for (int d = 0; d < 3 && expected > 1e-4; d++)
            CHECK(fabs((double)m->centroid[e][d] - middle[d]) < 1e-6,
                  "cell (%u, %u, %u), %g full: centroid %g along %d, not %g", anchor[0], anchor[1],
                  anchor[2], expected, (double)m->centroid[e][d], d, middle[d]);
        CHECK(fabs(m->fraction[e] - expected) < ROUNDING, "cell (%u, %u, %u): %.12g, not %.12g",
              anchor[0], anchor[1], anchor[2], m->fraction[e], expected);
    }
}

/* The grid's origin is shifted after it was laid; a cell more on each side keeps the box in it. */
static void shift_grid(sn_body *body, const double shift[3])
{
    for (int d = 0; d < 3; d++) {
        body->origin[d] -= shift[d] * body->cell;
        body->cells[d]++;
        while (sn_edge(body->root_height) < (uint32_t)body->cells[d])
            body->root_height++;
    }
}

static void a_box(const double size[3], const double shift[3])
{
    double min[3] = {0.3, -0.2, 1}, max[3];
    for (int d = 0; d < 3; d++)
        max[d] = min[d] + size[d];
    test_forest f = {0};
    test_forest_add(&f, test_box(min, max), true, 0.1);
    shift_grid(&f.body[0], shift);
    made m;
    make(&f, MPI_COMM_WORLD, (sn_hierarchy_options){0}, &m);
    check_box(min, max, &f.body[0], &m);
    double volume = sn_octree_volume(m.tree, 0, m.fraction);
    CHECK(fabs(volume / (size[0] * size[1] * size[2]) - 1) < ROUNDING, "%g inside", volume);
    free_made(&m);
    test_forest_free(&f);
}

/* Whole numbers of cells, in the planes and between them; thinner than a cell. */
static void boxes(void)
{
    static const double sizes[][3] = {{0.5, 0.4, 0.3}, {0.73, 0.41, 0.16}, {0.31, 0.04, 0.6}};
    static const double shifts[][3] = {{0, 0, 0}, {0.5, 0.5, 0.5}, {0.37, 0.9, 0.02}, {1e-9, 1, 0}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t o = 0; o < sizeof shifts / sizeof *shifts; o++)
            a_box(sizes[s], shifts[o]);
}

/* ---- Faces in the planes of the grid ---- */

static void flip(sn_mesh *mesh)
{
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        int32_t swap = mesh->triangle[t][0];
        mesh->triangle[t][0] = mesh->triangle[t][1];
        mesh->triangle[t][1] = swap;
    }
}

/* Of a box only the upper side: a sheet. */
static void keep_lid(sn_mesh *mesh, double z)
{
    int64_t kept = 0;
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        const int32_t *c = mesh->triangle[t];
        if (mesh->vertex[c[0]][2] == z && mesh->vertex[c[1]][2] == z && mesh->vertex[c[2]][2] == z)
            memmove(mesh->triangle[kept++], c, sizeof *mesh->triangle);
    }
    mesh->n_triangles = kept;
}

static double whole_cells(sn_mesh mesh, bool closed)
{
    test_forest f = {0};
    test_forest_add(&f, mesh, closed, 0.25);
    made m;
    make(&f, MPI_COMM_WORLD, (sn_hierarchy_options){0}, &m);
    double volume = sn_octree_volume(m.tree, 0, NULL);
    free_made(&m);
    test_forest_free(&f);
    return volume;
}

/* Boxes of whole cells are filled, and no cell beside them is there, wherever their normals point;
 * a sheet has one layer of cells, up to the end of the grid. */
static void faces_in_planes(void)
{
    static const double unit[2][3] = {{0, 0, 0}, {1, 1, 1}};
    static const double apart[2][3] = {{1.5, 1.25, 1.25}, {1.75, 1.5, 1.75}};
    static const double high[2][3] = {{1.25, 0.25, 0}, {1.75, 0.75, 1}};
    const double first = 1, second = 0.25 * 0.25 * 0.5, layer = 0.5 * 0.5 * 0.25;
    for (int inward = 0; inward <= 1; inward++) {
        sn_mesh boxes =
            test_meshes_joined(test_box(unit[0], unit[1]), test_box(apart[0], apart[1]));
        if (inward)
            flip(&boxes);
        double volume = whole_cells(boxes, true);
        CHECK(volume == first + second, "%g of cells", volume);
    }
    for (int up = 0; up <= 1; up++) {
        sn_mesh sheet = test_box(high[0], high[1]);
        keep_lid(&sheet, 1);
        if (!up)
            flip(&sheet);
        double volume = whole_cells(test_meshes_joined(test_box(unit[0], unit[1]), sheet), false);
        CHECK(volume == first + layer, "%g of cells", volume);
    }
}

/* ---- Against points ---- */

enum { POINTS = 12 };

/* The part of a cell's points around which the surface winds, by the plain sum. */
static double part_of_points(const sn_mesh *mesh, const sn_body *body, sn_key key)
{
    uint32_t anchor[3];
    int inside = 0;
    sn_key_anchor(key, anchor);
    for (int i = 0; i < POINTS * POINTS * POINTS; i++) {
        int part[3] = {i % POINTS, i / POINTS % POINTS, i / (POINTS * POINTS)};
        double at[3];
        for (int d = 0; d < 3; d++)
            at[d] = body->origin[d] + body->cell * (anchor[d] + (part[d] + 0.5) / POINTS);
        inside += sn_is_inside(sn_winding_reference(mesh, at));
    }
    return inside / (double)(POINTS * POINTS * POINTS);
}

/* What all copies of a cell have of it, the first of which this is. */
static double fraction_of_copies(const made *m, sn_local first)
{
    double sum = 0;
    sn_key place = m->element.key[first];
    for (sn_local e = first; e < m->tree->n_elements && sn_key_place(m->element.key[e]) == place;
         e++)
        sum += m->fraction[e];
    return sum;
}

/* Points are wrong by a layer at a surface. Where parts overlap fractions are of points, too, and
 * fewer of them. */
static void check_points(test_forest *f, double most, double mean)
{
    made m;
    make(f, MPI_COMM_WORLD, (sn_hierarchy_options){0}, &m);
    double sum = 0;
    int64_t n = 0;
    for (sn_local e = 0; e < m.tree->n_elements; e++) {
        if (m.element.height[e] > 0 || sn_key_copy(m.element.key[e]) > 0)
            continue;
        double part = part_of_points(&f->solid[0].mesh, &f->body[0], m.element.key[e]);
        double all = fraction_of_copies(&m, e);
        CHECK(fabs(all - part) < most, "element %d: %g, of points %g", e, all, part);
        sum += all - part;
        n++;
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(fabs(sum) < mean * (double)n, "%g on %ld cells", sum, (long)n);
    free_made(&m);
}

static sn_mesh turned_box(void)
{
    static const double min[3] = {0, 0, 0}, max[3] = {1, 0.21, 0.33};
    sn_mesh box = test_box(min, max);
    for (int64_t i = 0; i < box.n_vertices; i++) {
        double *v = box.vertex[i], x = v[0], y = v[1], z = v[2];
        double u = 0.8 * x - 0.6 * y, w = 0.6 * x + 0.8 * y;
        v[0] = u;
        v[1] = 5.0 / 13 * w - 12.0 / 13 * z;
        v[2] = 12.0 / 13 * w + 5.0 / 13 * z;
    }
    return box;
}

static void a_turned_box(void)
{
    test_forest f = {0};
    test_forest_add(&f, turned_box(), true, 0.1);
    check_points(&f, 0.04, 1e-3);
    test_forest_free(&f);
}

static void tetrahedra(void)
{
    unsigned long long seed = 5;
    for (int open = 0; open <= 1; open++) {
        test_forest f = {0};
        test_forest_add(&f, test_tetrahedra(&seed, 3, open), !open, 0.09);
        check_points(&f, 0.15, 5e-3);
        test_forest_free(&f);
    }
}

/* ---- Sums and bits ---- */

static sn_mesh builtin(const char *spec)
{
    sn_mesh mesh;
    CHECK(sn_builtin_make(spec, &mesh) == SN_OK, "%s", sn_failure_message());
    return mesh;
}

/* Also where the cells are as large as the body. */
static void volumes(void)
{
    static const char *const shapes[] = {"builtin:sphere", "builtin:creature,detail=60"};
    static const double cells[] = {0.9, 0.5, 0.31, 0.127, 0.05};
    for (int s = 0; s < 2; s++)
        for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
            test_forest f = {0};
            test_forest_add(&f, builtin(shapes[s]), true, cells[c]);
            made m;
            make(&f, MPI_COMM_WORLD, (sn_hierarchy_options){0}, &m);
            double ratio = sn_octree_volume(m.tree, 0, m.fraction) / sn_mesh_volume(f.view[0].mesh);
            CHECK(fabs(ratio - 1) < ROUNDING, "%s at %g: %.12g", shapes[s], cells[c], ratio);
            free_made(&m);
            test_forest_free(&f);
        }
}

static void compare(const made *m, const made *alone)
{
    for (size_t e = 0; e < m->element.n; e++) { /* ghosts, too */
        size_t at = 0, end = alone->element.n;
        while (at < end) {
            size_t middle = at + (end - at) / 2;
            if (alone->element.key[middle] < m->element.key[e])
                at = middle + 1;
            else
                end = middle;
        }
        CHECK(alone->element.key[at] == m->element.key[e] &&
                  memcmp(&m->fraction[e], &alone->fraction[at], sizeof(double)) == 0,
              "element %zu: %.17g, alone %.17g", e, m->fraction[e], alone->fraction[at]);
    }
}

/* Clean, open and overlapping bodies in one forest. */
static void same_bits_as_alone(void)
{
    unsigned long long seed = 11;
    test_forest f = {0};
    test_forest_add(&f, builtin("builtin:sphere"), true, 0.1);
    test_forest_add(&f, test_tetrahedra(&seed, 4, true), false, 0.07);
    test_forest_add(&f, test_tetrahedra(&seed, 4, false), true, 0.07);
    made alone, m;
    make(&f, MPI_COMM_SELF, (sn_hierarchy_options){0}, &alone);
    for (int w = 0; w < TEST_WAYS; w++) {
        make(&f, MPI_COMM_WORLD, test_ways[w].options, &m);
        compare(&m, &alone);
        free_made(&m);
    }
    free_made(&alone);
    test_forest_free(&f);
}

/* ---- What is not wanted ---- */

static void unwanted_bodies_are_whole(void)
{
    test_forest f = {0};
    test_forest_add(&f, builtin("builtin:sphere"), true, 0.2);
    made m;
    make(&f, MPI_COMM_WORLD, (sn_hierarchy_options){0}, &m);
    sn_status status =
        sn_element_fractions(&m.hierarchy, f.view, &(bool){false}, m.fraction, m.centroid);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    for (size_t e = 0; e < m.element.n; e++)
        CHECK(m.fraction[e] == 1 && m.centroid[e][0] == 0, "%g", m.fraction[e]);
    free_made(&m);
    test_forest_free(&f);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    boxes();
    faces_in_planes();
    a_turned_box();
    tetrahedra();
    volumes();
    same_bits_as_alone();
    unwanted_bodies_are_whole();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
