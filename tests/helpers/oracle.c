#include "helpers/oracle.h"

#include "mesh/overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int8_t *filled(long n, int value)
{
    int8_t *array = malloc((size_t)n);
    memset(array, value, (size_t)n);
    return array;
}

static long cells_of(int edge)
{
    return (long)edge * edge * edge;
}

/* Calls `visit` for each finest cell of an octant. */
#define FOR_CELLS(o, ax, ay, az, octant_edge, index)                                               \
    for (int cz = (az); cz < (az) + (octant_edge); cz++)                                           \
        for (int cy = (ay); cy < (ay) + (octant_edge); cy++)                                       \
            for (int cx = (ax); cx < (ax) + (octant_edge); cx++)                                   \
                for (long index = oracle_cell(o, cx, cy, cz), once = 1; once; once = 0)

/* wanted[cell] is the largest height a leaf may have there: an octant is split as long as it
 * is larger than what some cell in it allows. */
static void refine(oracle *o, const int8_t *wanted, int x, int y, int z, int height)
{
    int edge = 1 << height, split = 0;
    FOR_CELLS(o, x, y, z, edge, i) split |= wanted[i] < height;
    if (!split) {
        FOR_CELLS(o, x, y, z, edge, i) o->height[i] = (int8_t)height;
        return;
    }
    for (int child = 0; child < 8; child++)
        refine(o, wanted, x + (child & 1) * edge / 2, y + (child >> 1 & 1) * edge / 2,
               z + (child >> 2) * edge / 2, height - 1);
}

/* Lowers `wanted` around every leaf until no cell touches one two heights below its own. */
static void balance(oracle *o, int8_t *wanted)
{
    for (int changed = 1; changed;) {
        refine(o, wanted, 0, 0, 0, o->root_height);
        changed = 0;
        for (int z = 0; z < o->edge; z++)
            for (int y = 0; y < o->edge; y++)
                for (int x = 0; x < o->edge; x++)
                    for (int n = 0; n < 27; n++) {
                        int nx = x + n % 3 - 1, ny = y + n / 3 % 3 - 1, nz = z + n / 9 - 1;
                        if (nx < 0 || ny < 0 || nz < 0 || nx >= o->edge || ny >= o->edge ||
                            nz >= o->edge)
                            continue;
                        long here = oracle_cell(o, x, y, z), there = oracle_cell(o, nx, ny, nz);
                        if (o->height[there] > o->height[here] + 1) {
                            wanted[there] = (int8_t)(o->height[there] - 1);
                            changed = 1;
                        }
                    }
    }
}

int oracle_is_element(const oracle *o, const int anchor[3], int height)
{
    int mask = (1 << height) - 1;
    for (int d = 0; d < 3; d++)
        if (anchor[d] < 0 || anchor[d] >= o->edge || anchor[d] & mask)
            return 0;
    return o->height[oracle_cell(o, anchor[0], anchor[1], anchor[2])] == height;
}

int oracle_is_anchor(const oracle *o, const int point[3])
{
    for (int height = 0; height <= o->root_height; height++)
        if (oracle_is_element(o, point, height))
            return 1;
    return 0;
}

/* A point hangs if an element's closed cube holds it and it is not one of its corners. */
static void find_nodes(oracle *o)
{
    int n = o->edge + 1;
    o->is_node = filled((long)n * n * n, 0);
    o->is_hanging = filled((long)n * n * n, 0);
    o->n_elements = 0;
    for (int z = 0; z < o->edge; z++)
        for (int y = 0; y < o->edge; y++)
            for (int x = 0; x < o->edge; x++) {
                int height = o->height[oracle_cell(o, x, y, z)];
                if (height == ORACLE_EMPTY)
                    continue;
                int e = 1 << height;
                if (x % e || y % e || z % e)
                    continue;
                o->n_elements++;
                for (int pz = 0; pz <= e; pz++)
                    for (int py = 0; py <= e; py++)
                        for (int px = 0; px <= e; px++) {
                            long p = oracle_point(o, x + px, y + py, z + pz);
                            if (px % e || py % e || pz % e)
                                o->is_hanging[p] |= 2; /* only if it is somebody's corner */
                            else
                                o->is_node[p] = 1;
                        }
            }
    o->n_nodes = o->n_hanging = o->n_boundary = 0;
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                long p = oracle_point(o, x, y, z);
                o->is_hanging[p] = o->is_node[p] && o->is_hanging[p];
                o->n_hanging += o->is_hanging[p];
                o->is_node[p] = o->is_node[p] && !o->is_hanging[p];
                o->n_nodes += o->is_node[p];
                int point[3] = {x, y, z};
                o->n_boundary += o->is_node[p] && !oracle_is_anchor(o, point);
            }
}

static int is_inside(const sn_body *body, const sn_solid *solid, int x, int y, int z, int height)
{
    int xyz[3] = {x, y, z};
    double centre[3];
    for (int d = 0; d < 3; d++)
        centre[d] = body->origin[d] + body->cell * (xyz[d] + 0.5 * (1 << height));
    double w = fabs(sn_winding_reference(solid->mesh, centre));
    if (fabs(w - 0.5) < 2 * SN_WINDING_ERROR) /* too close for the tree: believe it */
        w = fabs(sn_winding(solid->winding, centre));
    return w > 0.5;
}

static int8_t *surface_cells(const oracle *o, const sn_body *body, const sn_solid *solid)
{
    const sn_mesh *mesh = solid->mesh;
    int sense = solid->inside_out ? -1 : 1;
    int8_t *surface = filled(cells_of(o->edge), 0);
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        sn_grid_triangle triangle;
        for (int c = 0; c < 3; c++)
            sn_grid_snap(mesh->vertex[mesh->triangle[t][c]], body->origin, body->cell,
                         triangle.p[c]);
        for (int z = 0; z < body->cells[2]; z++)
            for (int y = 0; y < body->cells[1]; y++)
                for (int x = 0; x < body->cells[0]; x++) {
                    int32_t anchor[3] = {x, y, z};
                    if (sn_triangle_overlaps_box(&triangle, anchor, 0) &&
                        sn_triangle_needs_cell(&triangle, anchor, body->cells, sense))
                        surface[oracle_cell(o, x, y, z)] = 1;
                }
    }
    return surface;
}

oracle oracle_create(const sn_body *body, const sn_solid *solid)
{
    oracle o = {.edge = 1 << body->root_height, .root_height = body->root_height};
    long n = cells_of(o.edge);
    o.height = filled(n, 0);
    int8_t *surface = surface_cells(&o, body, solid), *wanted = filled(n, o.root_height);
    for (long i = 0; i < n; i++)
        if (surface[i])
            wanted[i] = 0;
    balance(&o, wanted);
    for (int z = 0; z < o.edge; z++)
        for (int y = 0; y < o.edge; y++)
            for (int x = 0; x < o.edge; x++) {
                long i = oracle_cell(&o, x, y, z);
                int height = o.height[i], e = 1 << (height > 0 ? height : 0);
                if (height == ORACLE_EMPTY || x % e || y % e || z % e || surface[i])
                    continue;
                if (!is_inside(body, solid, x, y, z, height))
                    FOR_CELLS(&o, x, y, z, e, j) o.height[j] = ORACLE_EMPTY;
            }
    for (long i = 0; i < n; i++) /* no element above the body's limit on the finest level */
        if (o.height[i] > body->coarsest)
            o.height[i] = (int8_t)body->coarsest;
    free(surface);
    free(wanted);
    find_nodes(&o);
    return o;
}

/* The height of the only size of elements below the parent, or -2 if there are several. */
static int common_height(const oracle *fine, int x, int y, int z, int parent_edge)
{
    int height = ORACLE_EMPTY;
    FOR_CELLS(fine, x, y, z, parent_edge, i)
    {
        if (fine->height[i] == ORACLE_EMPTY)
            continue;
        if (height != ORACLE_EMPTY && fine->height[i] != height)
            return -2;
        height = fine->height[i];
    }
    return height;
}

oracle oracle_coarsen(const oracle *fine, int max_height)
{
    oracle o = {.edge = fine->edge, .root_height = fine->root_height};
    long n = cells_of(o.edge);
    o.height = filled(n, 0);
    int8_t *wanted = filled(n, o.root_height);
    for (int z = 0; z < o.edge; z++)
        for (int y = 0; y < o.edge; y++)
            for (int x = 0; x < o.edge; x++) {
                int height = fine->height[oracle_cell(fine, x, y, z)];
                if (height == ORACLE_EMPTY)
                    continue;
                int grown = height;
                if (height < max_height) {
                    int e = 2 << height;
                    if (common_height(fine, x / e * e, y / e * e, z / e * e, e) == height)
                        grown = height + 1;
                }
                wanted[oracle_cell(&o, x, y, z)] = (int8_t)grown;
            }
    balance(&o, wanted);
    for (int z = 0; z < o.edge; z++)
        for (int y = 0; y < o.edge; y++)
            for (int x = 0; x < o.edge; x++) {
                int height = o.height[oracle_cell(&o, x, y, z)], e = 1 << (height > 0 ? height : 0);
                if (height == ORACLE_EMPTY || x % e || y % e || z % e)
                    continue;
                int present = 0;
                FOR_CELLS(fine, x, y, z, e, i) present |= fine->height[i] != ORACLE_EMPTY;
                if (!present)
                    FOR_CELLS(&o, x, y, z, e, j) o.height[j] = ORACLE_EMPTY;
            }
    free(wanted);
    find_nodes(&o);
    return o;
}

void oracle_free(oracle *o)
{
    free(o->height);
    free(o->is_node);
    free(o->is_hanging);
}
