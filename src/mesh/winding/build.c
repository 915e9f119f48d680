#include "base/vec3.h"
#include "mesh/winding/tree.h"

#include <math.h>
#include <string.h>

enum { LANES = SN_WINDING_LANES };

/* Nodes count as no smaller than this, on the scale of the mesh: 1 / |R|^3 must not overflow. */
static const double SMALLEST_RADIUS = 1e-7;

/* A node in double precision. */
typedef struct {
    double centre[3], radius, dipole[3], quadratic[SN_QUADRATIC], cubic[SN_CUBIC];
} node;

static int64_t blocks(int64_t n, int64_t size)
{
    return (n + size - 1) / size;
}

/* Counts only: how many leaves, levels, nodes and groups. Returns the number of groups. */
static int64_t shape_of(int64_t n_triangles, sn_winding_tree *tree)
{
    memset(tree, 0, sizeof *tree);
    tree->n_triangles = n_triangles;
    tree->n_leaves = blocks(n_triangles, LANES);
    int64_t groups = 0;
    for (int64_t nodes = tree->n_leaves; nodes > 0;) {
        int64_t level = tree->n_levels++, level_groups = blocks(nodes, LANES);
        tree->n_nodes[level] = nodes;
        tree->first_group[level] = groups;
        groups += level_groups;
        nodes = level_groups > 1 ? level_groups : 0;
    }
    return groups;
}

size_t sn_winding_tree_bytes(int64_t n_triangles)
{
    sn_winding_tree tree;
    int64_t groups = shape_of(n_triangles, &tree);
    return sizeof tree + (size_t)tree.n_leaves * sizeof(sn_winding_leaf) +
           (size_t)groups * sizeof(sn_winding_group);
}

typedef struct {
    const sn_mesh *mesh;
    const sn_winding_item *items;
    sn_winding_tree *tree;
} builder;

static void scaled(const sn_winding_tree *tree, const double v[3], double out[3])
{
    for (int d = 0; d < 3; d++)
        out[d] = (v[d] - tree->centre[d]) * tree->scale;
}

static void corners_of(const builder *b, int64_t i, double p[3][3])
{
    const int32_t *triangle = b->mesh->triangle[b->items[i].triangle];
    for (int c = 0; c < 3; c++)
        scaled(b->tree, b->mesh->vertex[triangle[c]], p[c]);
}

/* The normal, as long as the area. */
static void area_vector(double p[3][3], double out[3])
{
    sn_vec first = sn_vec_load(p[0]);
    sn_vec normal =
        sn_vec_cross(sn_vec_sub(sn_vec_load(p[1]), first), sn_vec_sub(sn_vec_load(p[2]), first));
    sn_vec_store(sn_vec_scale(normal, 0.5), out);
}

/* The centre of area of items [first, end); of the centroids, where there is no area. */
static void set_centre(const builder *b, int64_t first, int64_t end, node *out)
{
    double area = 0, weighted[3] = {0}, plain[3] = {0}, p[3][3], a[3];
    for (int64_t i = first; i < end; i++) {
        const double *c = b->items[i].centroid;
        corners_of(b, i, p);
        area_vector(p, a);
        double size = sn_vec_length(sn_vec_load(a));
        area += size;
        for (int d = 0; d < 3; d++) {
            weighted[d] += size * c[d];
            plain[d] += c[d];
        }
    }
    for (int d = 0; d < 3; d++)
        out->centre[d] = area > 0 ? weighted[d] / area : plain[d] / (double)(end - first);
}

/* Which monomial a product of two or three coordinates is. */
static const int quadratic_of[3][3] = {
    {SN_XX, SN_XY, SN_XZ}, {SN_XY, SN_YY, SN_YZ}, {SN_XZ, SN_YZ, SN_ZZ}};
static const int cubic_of[3][3][3] = {
    {{SN_XXX, SN_XXY, SN_XXZ}, {SN_XXY, SN_XYY, SN_XYZ}, {SN_XXZ, SN_XYZ, SN_XZZ}},
    {{SN_XXY, SN_XYY, SN_XYZ}, {SN_XYY, SN_YYY, SN_YYZ}, {SN_XYZ, SN_YYZ, SN_YZZ}},
    {{SN_XXZ, SN_XYZ, SN_XZZ}, {SN_XYZ, SN_YYZ, SN_YZZ}, {SN_XZZ, SN_YZZ, SN_ZZZ}}};

/* Adds one triangle: `a` its area vector, `c` its centroid and `p` its corners from the centre. */
static void add_moments(node *out, const double a[3], const double c[3], double p[3][3])
{
    for (int i = 0; i < 3; i++) {
        out->dipole[i] += a[i];
        for (int j = 0; j < 3; j++)
            out->quadratic[quadratic_of[i][j]] += -3 * a[i] * c[j];
    }
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) {
            double mean = (p[0][j] * p[0][k] + p[1][j] * p[1][k] + p[2][j] * p[2][k]) / 12 +
                          c[j] * c[k] * 9 / 12;
            for (int i = 0; i < 3; i++)
                out->cubic[cubic_of[i][j][k]] += 7.5 * a[i] * mean;
        }
}

/* Subtracts the multiple of x^2 + y^2 + z^2 that leaves a harmonic polynomial. */
static void remove_traces(node *n)
{
    double *q = n->quadratic, *c = n->cubic;
    double trace = (q[SN_XX] + q[SN_YY] + q[SN_ZZ]) / 3;
    for (int i = 0; i < 3; i++)
        q[quadratic_of[i][i]] -= trace;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        int iii = cubic_of[i][i][i], ijj = cubic_of[i][j][j], ikk = cubic_of[i][k][k];
        double along = (3 * c[iii] + c[ijj] + c[ikk]) / 5;
        c[iii] -= along;
        c[ijj] -= along;
        c[ikk] -= along;
    }
}

static void set_moments(const builder *b, int64_t first, int64_t end, node *out)
{
    double furthest2 = 0, p[3][3], a[3], c[3];
    for (int64_t i = first; i < end; i++) {
        corners_of(b, i, p);
        area_vector(p, a);
        for (int d = 0; d < 3; d++) {
            c[d] = b->items[i].centroid[d] - out->centre[d];
            for (int corner = 0; corner < 3; corner++)
                p[corner][d] -= out->centre[d];
        }
        for (int corner = 0; corner < 3; corner++) {
            sn_vec from_centre = sn_vec_load(p[corner]);
            furthest2 = fmax(furthest2, sn_vec_dot(from_centre, from_centre));
        }
        add_moments(out, a, c, p);
    }
    out->radius = fmax(sqrt(furthest2), SMALLEST_RADIUS);
    remove_traces(out);
}

static void fill_lane(sn_winding_group *group, int lane, const node *n)
{
    double opening = SN_WINDING_OPENING * n->radius;
    group->opening2[lane] = (float)(opening * opening);
    for (int d = 0; d < 3; d++) {
        group->centre[d][lane] = (float)(n->centre[d] - group->origin[d]);
        group->dipole[d][lane] = (float)n->dipole[d];
    }
    for (int i = 0; i < SN_QUADRATIC; i++)
        group->quadrupole[i][lane] = (float)n->quadratic[i];
    for (int i = 0; i < SN_CUBIC; i++)
        group->octupole[i][lane] = (float)n->cubic[i];
}

static void set_node(const builder *b, int64_t first, int64_t size, node *out)
{
    int64_t n = b->tree->n_triangles, end = first + size < n ? first + size : n;
    *out = (node){0};
    set_centre(b, first, end, out);
    set_moments(b, first, end, out);
}

/* Empty lanes repeat the first one without its moments. */
static void fill_group(const node *nodes, int used, sn_winding_group *group)
{
    for (int lane = 0; lane < used; lane++)
        for (int d = 0; d < 3; d++)
            group->origin[d] += nodes[lane].centre[d] / used;
    node empty = {.radius = nodes[0].radius};
    memcpy(empty.centre, nodes[0].centre, sizeof empty.centre);
    for (int lane = 0; lane < LANES; lane++)
        fill_lane(group, lane, lane < used ? &nodes[lane] : &empty);
}

/* The groups of a level, whose nodes have `node_size` triangles each. */
static void fill_level(const builder *b, int64_t n_nodes, int64_t node_size,
                       sn_winding_group *groups)
{
    node *nodes = SN_NEW(node, n_nodes);
#pragma omp parallel for schedule(dynamic, 1 + n_nodes / 256)
    for (int64_t i = 0; i < n_nodes; i++)
        set_node(b, i * node_size, node_size, &nodes[i]);
    for (int64_t i = 0; i < n_nodes; i += LANES)
        fill_group(&nodes[i], (int)(n_nodes - i < LANES ? n_nodes - i : LANES), groups++);
    sn_free(nodes);
}

/* Triangles without area, and empty lanes, stay points at the origin: they weigh nothing. */
static void fill_leaf(const builder *b, int64_t first, sn_winding_leaf *leaf)
{
    int64_t left = b->tree->n_triangles - first;
    int used = (int)(left < LANES ? left : LANES);
    for (int lane = 0; lane < used; lane++)
        for (int d = 0; d < 3; d++)
            leaf->origin[d] += b->items[first + lane].centroid[d] / used;
    for (int lane = 0; lane < used; lane++) {
        double p[3][3], a[3];
        corners_of(b, first + lane, p);
        area_vector(p, a);
        if (sn_vec_length(sn_vec_load(a)) == 0)
            continue;
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 3; d++)
                leaf->corner[c][d][lane] = (float)(p[c][d] - leaf->origin[d]);
    }
}

static void set_scale(const sn_mesh *mesh, sn_winding_tree *tree)
{
    sn_box box = sn_mesh_bounds(mesh);
    double extent = 0;
    for (int d = 0; d < 3; d++) {
        tree->centre[d] = box.min[d] + (box.max[d] - box.min[d]) / 2;
        extent = fmax(extent, box.max[d] - box.min[d]);
    }
    tree->scale = extent > 0 ? 1 / extent : 1;
}

static sn_winding_item *ordered_items(const sn_mesh *mesh, const sn_winding_tree *tree)
{
    sn_winding_item *items = SN_NEW(sn_winding_item, mesh->n_triangles);
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        double p[3][3];
        for (int c = 0; c < 3; c++)
            scaled(tree, mesh->vertex[mesh->triangle[t][c]], p[c]);
        for (int d = 0; d < 3; d++)
            items[t].centroid[d] = (p[0][d] + p[1][d] + p[2][d]) / 3;
        items[t].triangle = t;
    }
    sn_winding_order(items, mesh->n_triangles);
    return items;
}

void sn_winding_tree_build(const sn_mesh *mesh, void *block)
{
    sn_winding_tree *tree = memset(block, 0, sn_winding_tree_bytes(mesh->n_triangles));
    shape_of(mesh->n_triangles, tree);
    if (mesh->n_triangles == 0)
        return;
    set_scale(mesh, tree);
    sn_winding_item *items = ordered_items(mesh, tree);
    builder b = {mesh, items, tree};
    sn_winding_leaf *leaves = (sn_winding_leaf *)(tree + 1);
    sn_winding_group *groups = (sn_winding_group *)(leaves + tree->n_leaves);
    for (int64_t i = 0; i < tree->n_leaves; i++)
        fill_leaf(&b, i * LANES, &leaves[i]);
    int64_t node_size = LANES;
    for (int64_t level = 0; level < tree->n_levels; level++, node_size *= LANES)
        fill_level(&b, tree->n_nodes[level], node_size, groups + tree->first_group[level]);
    sn_free(items);
}
