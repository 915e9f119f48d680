/* What of a solid hangs together in a cell: against voxels that are flooded, and against what is
 * known of boxes. Neighbours must agree about their common faces, and volumes must add up. */
#include "helpers/cells.h"
#include "helpers/prisms.h"
#include "helpers/solids.h"

static unsigned long long seed = 3;
static int turns = 3;

static double between(double low, double high)
{
    return low + (high - low) * test_random(&seed);
}

static const double CENTRE[3] = {2, 2, 2}, NOWHERE[3] = {0, 0, 0};

static sn_mesh box(double x0, double y0, double z0, double x1, double y1, double z1)
{
    return test_box((double[3]){x0, y0, z0}, (double[3]){x1, y1, z1});
}

static void turn_anyhow(sn_mesh *m)
{
    double angle[3] = {between(-3, 3), between(-3, 3), between(-3, 3)};
    double by[3] = {between(-0.5, 0.5), between(-0.5, 0.5), between(-0.5, 0.5)};
    test_move(m, angle, CENTRE, by);
}

static int32_t part_at(const test_grid *g, const test_cell *cell, const double p[3])
{
    if (cell->parts.plain)
        return 0;
    sn_parts_work *work = sn_parts_work_create();
    int32_t part = sn_cell_part_at(work, &g->body, cell->at, cell->triangle.data,
                                   (int32_t)cell->triangle.count, &cell->parts, p);
    sn_parts_work_free(work);
    return part;
}

/* ---- Neighbours ---- */

/* Both have the same joints; each joint's part exists. */
static void check_face(const test_cell *low, const test_cell *high, int axis, const char *what)
{
    const sn_cell_parts *a = &low->parts, *b = &high->parts;
    if (a->plain || b->plain)
        return;
    const sn_part_joint *p = a->joint + joints_before(a, 2 * axis + 1);
    const sn_part_joint *q = b->joint + joints_before(b, 2 * axis);
    int32_t n = a->n_joints[2 * axis + 1];
    CHECK(n == b->n_joints[2 * axis], "%s: %d joints, and %d from above", what, n,
          b->n_joints[2 * axis]);
    for (int32_t i = 0; i < n && n == b->n_joints[2 * axis]; i++) {
        CHECK(p[i].number == q[i].number, "%s: joints have other numbers", what);
        CHECK(p[i].part >= 0 && p[i].part < a->n_parts, "%s: part %d", what, p[i].part);
        CHECK(q[i].part >= 0 && q[i].part < b->n_parts, "%s: part %d", what, q[i].part);
    }
}

static void check_neighbours(const test_grid *g, const char *what)
{
    for (int i = 0; i < GRID_CELLS; i++)
        for (int d = 0, step = 1; d < 3; d++, step *= GRID)
            if (g->cell[i].at[d] + 1 < GRID)
                check_face(&g->cell[i], &g->cell[i + step], d, what);
}

/* ---- Voxels ---- */

/* Is it surrounded by voxels of its own part? Then rounding does not matter. */
static bool is_deep(const voxels *v, int x, int y, int z)
{
    if (x < 1 || y < 1 || z < 1 || x > VOXELS - 2 || y > VOXELS - 2 || z > VOXELS - 2)
        return false;
    int8_t p = v->at[z][y][x];
    return p > 0 && v->at[z - 1][y][x] == p && v->at[z + 1][y][x] == p && v->at[z][y - 1][x] == p &&
           v->at[z][y + 1][x] == p && v->at[z][y][x - 1] == p && v->at[z][y][x + 1] == p;
}

static void check_measure(const sn_part_measure *m, const voxels *v, int p, const char *what)
{
    double volume = v->volume[p] / (VOXELS * VOXELS * VOXELS);
    CHECK(fabs(m->volume - volume) < 0.02, "%s: volume %g, voxels say %g", what, m->volume, volume);
    for (int d = 0; d < 3 && volume > 0.02; d++) {
        double at = 2 * v->moment[p][d] / v->volume[p] / VOXELS - 1;
        CHECK(fabs(m->centroid[d] - at) < 0.04, "%s: centroid %g, voxels say %g", what,
              m->centroid[d], at);
    }
}

/* Are there voxels of other parts next to one, or next but two? There may be a neck. */
static bool has_neck(const voxels *v, int x, int y, int z)
{
    enum { NEAR = 2 };
    int8_t p = v->at[z][y][x];
    for (int k = z - NEAR; k <= z + NEAR; k++)
        for (int j = y - NEAR; j <= y + NEAR; j++)
            for (int i = x - NEAR; i <= x + NEAR; i++)
                if (i >= 0 && j >= 0 && k >= 0 && i < VOXELS && j < VOXELS && k < VOXELS &&
                    v->at[k][j][i] > 0 && v->at[k][j][i] != p)
                    return true;
    return false;
}

static bool any_neck(const voxels *v)
{
    for (int i = 0; i < VOXELS * VOXELS * VOXELS && v->parts > 1; i++) {
        int x = i % VOXELS, y = i / VOXELS % VOXELS, z = i / VOXELS / VOXELS;
        if (v->at[z][y][x] > 0 && has_neck(v, x, y, z))
            return true;
    }
    return false;
}

/* How many voxels of so many layers next to a face are inside. */
static int count_at_face(const voxels *v, int face, int layers)
{
    int n = 0, d = face / 2;
    for (int i = 0; i < VOXELS * VOXELS * VOXELS; i++) {
        int at[3] = {i % VOXELS, i / VOXELS % VOXELS, i / VOXELS / VOXELS};
        int from_face = face & 1 ? VOXELS - 1 - at[d] : at[d];
        n += from_face < layers && v->at[at[2]][at[1]][at[0]] > 0;
    }
    return n;
}

/* Does a shape that is not turned end in a plane of the grid? */
static bool ends_at(int face, const char *what)
{
    return face < 2 && strcmp(what, "folded") == 0;
}

/* A face is open if there is solid at it, and not if there is none near it. */
static void check_open(const test_cell *cell, const voxels *v, const char *what)
{
    enum { SEVERAL = 8, LAYERS = VOXELS / 4 };
    for (int f = 0; f < SN_CELL_FACES; f++) {
        bool open = cell->parts.open >> f & 1;
        if (count_at_face(v, 0, VOXELS) < SEVERAL)
            continue;
        CHECK(open || ends_at(f, what) || count_at_face(v, f, 1) < SEVERAL,
              "%s: a face is not open", what);
        CHECK(!open || count_at_face(v, f, LAYERS) > 0, "%s: a face is open", what);
    }
}

/* Each flooded part is one part, and another one than all others. Where shapes overlap, necks
 * between them can be thinner than a voxel, and what they have in common counts twice: then only
 * the former holds. */
static void check_by_voxels(const test_grid *g, const test_cell *cell, const char *what,
                            bool overlap)
{
    enum { FEW = 64, STRIDE = 7 };
    voxels *v = voxels_of(g, cell);
    bool vague = overlap || any_neck(v);
    if (!overlap)
        check_open(cell, v, what);
    int32_t part_of[128], flooded[SN_MOST_PARTS] = {0};
    memset(part_of, 0xff, sizeof part_of);
    for (int i = 0; i < VOXELS * VOXELS * VOXELS; i += STRIDE) {
        int x = i % VOXELS, y = i / VOXELS % VOXELS, z = i / VOXELS / VOXELS, p = v->at[z][y][x];
        if (!is_deep(v, x, y, z) || v->volume[p] < FEW)
            continue;
        double at[3] = {x, y, z};
        for (int d = 0; d < 3; d++)
            at[d] = g->body.origin[d] + cell->at[d] + (at[d] + 0.5) / VOXELS;
        int32_t part = part_at(g, cell, at);
        CHECK(part >= 0, "%s: a point inside is in no part", what);
        CHECK(part_of[p] < 0 || part_of[p] == part, "%s: what is one was taken apart", what);
        if (part_of[p] < 0 && part >= 0)
            flooded[part]++;
        part_of[p] = part;
    }
    for (int p = 0; p < 128; p++)
        if (part_of[p] >= 0 && !cell->parts.plain && !vague)
            check_measure(&cell->parts.measure[part_of[p]], v, p, what);
    for (int32_t p = 0; p < cell->parts.n_parts && !vague; p++) {
        CHECK(flooded[p] <= 1, "%s: %d apart are one part", what, flooded[p]);
        CHECK(cell->parts.plain || cell->parts.measure[p].volume < 0.005 || flooded[p] == 1,
              "%s: a part of volume %g is nothing", what, cell->parts.measure[p].volume);
    }
    sn_free(v);
}

static void check_grid(sn_mesh mesh, const char *what, bool overlap)
{
    test_grid *g = test_grid_of(mesh, NOWHERE);
    check_neighbours(g, what);
    for (int i = 0; i < GRID_CELLS; i++)
        if (g->cell[i].needed)
            check_by_voxels(g, &g->cell[i], what, overlap);
    test_grid_free(g);
}

/* ---- Shapes ---- */

typedef sn_mesh make_shape(void);

static sn_mesh slabs(void)
{
    return test_meshes_joined(box(0.9, 0.9, 1.6, 3.1, 3.1, 1.9), box(0.9, 0.9, 2.2, 3.1, 3.1, 2.5));
}

/* A sheet that is folded: one where the fold is, two elsewhere. */
static sn_mesh folded(void)
{
    static const double outline[8][2] = {{1, 1.6},   {3, 1.6}, {3, 1.8}, {1.3, 1.8},
                                         {1.3, 2.1}, {3, 2.1}, {3, 2.3}, {1, 2.3}};
    return test_prism(8, outline, 0.8, 3.2);
}

static sn_mesh hole(void)
{
    return test_frame(1.2, 2.8, 1.85, 2.15, 1.3, 2.7);
}

static sn_mesh narrow_frame(void)
{
    return test_frame(1.2, 2.8, 1.4, 2.6, 1.8, 2.1);
}

static sn_mesh bubble(void)
{
    return test_meshes_joined(box(1.1, 1.1, 1.1, 2.9, 2.9, 2.9),
                              test_turned_inside_out(box(1.9, 1.9, 1.9, 2.25, 2.25, 2.25)));
}

static sn_mesh island(void)
{
    return test_meshes_joined(
        test_meshes_joined(box(1.1, 1.1, 1.1, 2.9, 2.9, 2.9),
                           test_turned_inside_out(box(1.6, 1.6, 1.6, 2.4, 2.4, 2.4))),
        box(1.85, 1.85, 1.85, 2.15, 2.15, 2.15));
}

static sn_mesh specks(void)
{
    return test_meshes_joined(
        test_meshes_joined(box(1.2, 1.2, 1.2, 1.5, 1.5, 1.5), box(1.7, 1.3, 1.3, 2.4, 1.5, 1.5)),
        box(2.6, 2.5, 2.1, 2.9, 2.9, 2.4));
}

static sn_mesh comb(void)
{
    sn_mesh m = test_comb(5, 0.2, 0.2, 0.3, 1.5, 0.6);
    test_move(&m, NOWHERE, NOWHERE, (double[3]){1.1, 1.1, 1.7});
    return m;
}

static sn_mesh overlapping(void)
{
    return test_meshes_joined(
        test_meshes_joined(box(1, 1.8, 1.8, 3, 2.2, 2.2), box(1.8, 1, 1.9, 2.2, 3, 2.3)),
        box(1.2, 1.2, 2.6, 2.8, 2.8, 2.8));
}

static const struct {
    const char *name;
    make_shape *make;
} SHAPE[] = {{"slabs", slabs},        {"folded", folded}, {"hole", hole},
             {"frame", narrow_frame}, {"bubble", bubble}, {"island", island},
             {"specks", specks},      {"comb", comb},     {"overlapping", overlapping}};
enum { SHAPES = sizeof SHAPE / sizeof SHAPE[0] };

static void test_shapes(void)
{
    for (int s = 0; s < SHAPES; s++)
        for (int turn = 0; turn < turns; turn++) {
            sn_mesh m = SHAPE[s].make();
            if (turn > 0)
                turn_anyhow(&m);
            if (turn % 3 == 2)
                m = test_turned_inside_out(m);
            check_grid(m, SHAPE[s].name, SHAPE[s].make == overlapping);
        }
}

/* ---- Boxes that are close ---- */

/* How deep the deepest point of a cell lies in a turned box, by points of it; and that point. */
static double depth_in(const sn_mesh *m, int64_t first_vertex, const test_cell *cell,
                       double deepest[3])
{
    enum { POINTS = 24 };
    const double *o = m->vertex[first_vertex];
    double most = -INFINITY;
    for (int i = 0; i < POINTS * POINTS * POINTS; i++) {
        int part[3] = {i % POINTS, i / POINTS % POINTS, i / POINTS / POINTS};
        double p[3], depth = INFINITY;
        for (int d = 0; d < 3; d++)
            p[d] = cell->at[d] + (part[d] + 0.5) / POINTS;
        for (int axis = 0; axis < 3; axis++) {
            const double *end = m->vertex[first_vertex + (1 << axis)];
            double along = 0, length = 0;
            for (int d = 0; d < 3; d++) {
                along += (p[d] - o[d]) * (end[d] - o[d]);
                length += (end[d] - o[d]) * (end[d] - o[d]);
            }
            length = sqrt(length);
            depth = fmin(depth, fmin(along / length, length - along / length));
        }
        if (depth > most) {
            most = depth;
            memcpy(deepest, p, sizeof p);
        }
    }
    return most;
}

/* What is convex is one part; so there are as many as boxes that meet the cell. */
static void check_two_boxes(const test_grid *g, const test_cell *cell, double gap)
{
    enum { BOX_VERTICES = 8 };
    double point[2][3], depth[2];
    for (int b = 0; b < 2; b++)
        depth[b] = depth_in(&g->mesh, BOX_VERTICES * b, cell, point[b]);
    if (depth[0] < 0.01 || depth[1] < 0.01)
        return;
    CHECK(!cell->parts.plain && cell->parts.n_parts == 2, "%d parts, %g apart", cell->parts.n_parts,
          gap);
    if (cell->parts.plain)
        return;
    int32_t first = part_at(g, cell, point[0]), second = part_at(g, cell, point[1]);
    CHECK(first >= 0 && second >= 0 && first != second, "%g apart: in parts %d and %d", gap, first,
          second);
    for (size_t i = 0; i < cell->triangle.count; i++) {
        int32_t part = cell->parts.part[i];
        CHECK(part < 0 || part == (cell->triangle.data[i] < 12 ? first : second),
              "a triangle is of the wrong part");
    }
}

static void test_gaps(void)
{
    static const double GAPS[] = {1.0 / 3, 1e-3, 3e-4, 0};
    for (size_t i = 0; i < sizeof GAPS / sizeof GAPS[0]; i++)
        for (int turn = 0; turn < 4 * turns; turn++) {
            double middle = between(1.9, 2.1);
            sn_mesh m = test_meshes_joined(box(0.9, 0.9, middle - 0.4, 3.1, 3.1, middle),
                                           box(1, 1, middle + GAPS[i], 3, 3, middle + 0.5));
            if (turn > 0)
                turn_anyhow(&m);
            test_grid *g = test_grid_of(m, NOWHERE);
            check_neighbours(g, "gaps");
            for (int c = 0; c < GRID_CELLS; c++)
                check_two_boxes(g, &g->cell[c], GAPS[i]);
            test_grid_free(g);
        }
}

/* ---- Faces in planes of the grid ---- */

static int32_t count_parts(sn_mesh mesh, int x, int y, int z)
{
    test_grid *g = test_grid_of(mesh, NOWHERE);
    check_neighbours(g, "planes");
    int32_t n = g->cell[x + GRID * (y + GRID * z)].parts.n_parts;
    test_grid_free(g);
    return n;
}

static int32_t joints_of(sn_mesh mesh, int x, int y, int z, int face, bool *plain)
{
    test_grid *g = test_grid_of(mesh, NOWHERE);
    const sn_cell_parts *p = &g->cell[x + GRID * (y + GRID * z)].parts;
    *plain = p->plain;
    int32_t n = p->plain ? 0 : p->n_joints[face];
    test_grid_free(g);
    return n;
}

static sn_mesh comb_at(double y)
{
    sn_mesh m = test_comb(5, 0.2, 0.2, 1, 1.5, 0.6);
    test_move(&m, NOWHERE, NOWHERE, (double[3]){1, y, 1});
    return m;
}

static void test_planes(void)
{
    bool plain;
    /* Teeth on a beam whose top is a plane of the grid: x from 1 to 2 has two and a half. */
    CHECK(count_parts(comb_at(1), 1, 2, 1) == 3, "teeth on a plane hang together");
    CHECK(count_parts(comb_at(1), 1, 1, 1) == 1, "the beam is not one");
    CHECK(joints_of(comb_at(1), 1, 2, 1, 2, &plain) == 3, "teeth do not stand on the beam");
    /* The beam's top a little higher: it joins them. */
    CHECK(count_parts(comb_at(1.25), 1, 2, 1) == 1, "teeth on a beam are apart");
    CHECK(count_parts(comb_at(0.75), 1, 2, 1) == 3, "teeth hang together");
    /* Two boxes that stand on each other in a plane have no joint; one twice as high is one. */
    joints_of(box(1, 1, 1, 2, 2, 3), 1, 1, 1, 5, &plain);
    CHECK(plain, "a box is taken apart");
    CHECK(joints_of(test_meshes_joined(box(1, 1, 1, 2, 2, 2), box(1, 1, 2, 2, 2, 3)), 1, 1, 1, 5,
                    &plain) == 0 &&
              !plain,
          "boxes that stand on each other are joined");
    CHECK(joints_of(test_meshes_joined(box(1, 1, 1, 2, 2, 2), box(1.2, 1.2, 2, 1.7, 1.7, 3)), 1, 1,
                    1, 5, &plain) == 0 &&
              !plain,
          "boxes that stand on each other are joined");
    /* Side by side in the middle of a cell they are two. */
    CHECK(count_parts(test_meshes_joined(box(1, 1, 1, 1.5, 2, 2), box(1.5, 1, 1, 2, 2, 2)), 1, 1,
                      1) == 2,
          "boxes that touch are joined");
}

/* ---- Edges ---- */

/* Two boxes with a common edge, whose vertices both have or each for itself. */
static sn_mesh boxes_at_an_edge(bool common)
{
    sn_mesh m =
        test_meshes_joined(box(1.2, 1.2, 1.2, 1.5, 1.5, 1.8), box(1.5, 1.5, 1.2, 1.8, 1.8, 1.8));
    for (int64_t t = 12; t < 24 && common; t++)
        for (int c = 0; c < 3; c++) {
            int32_t *v = &m.triangle[t][c];
            *v = *v == 8 ? 3 : *v == 12 ? 7 : *v;
        }
    return m;
}

/* The same with three vertices for each triangle, as files of some kinds have it. */
static sn_mesh split(sn_mesh m)
{
    sn_mesh s = {.n_vertices = 3 * m.n_triangles, .n_triangles = m.n_triangles};
    s.vertex = SN_NEW(double[3], s.n_vertices);
    s.triangle = SN_NEW(int32_t[3], s.n_triangles);
    s.face = SN_NEW(int32_t, s.n_triangles);
    for (int64_t i = 0; i < s.n_vertices; i++) {
        memcpy(s.vertex[i], m.vertex[m.triangle[i / 3][i % 3]], sizeof s.vertex[i]);
        s.triangle[i / 3][i % 3] = (int32_t)i;
        s.face[i / 3] = (int32_t)(i / 3 + 1);
    }
    sn_mesh_free(&m);
    return s;
}

static void test_edges(void)
{
    CHECK(count_parts(boxes_at_an_edge(true), 1, 1, 1) == 1, "a common edge does not join");
    CHECK(count_parts(boxes_at_an_edge(false), 1, 1, 1) == 2, "shells that touch are joined");
    CHECK(count_parts(split(boxes_at_an_edge(true)), 1, 1, 1) == 1, "a common edge does not join");
    for (int s = 0; s < SHAPES; s++)
        check_grid(split(SHAPE[s].make()), SHAPE[s].name, SHAPE[s].make == overlapping);
}

/* ---- Dirt ---- */

static void test_dirt(void)
{
    for (int i = 0; i < 10 * turns; i++) {
        sn_mesh m = test_tetrahedra(&seed, 2 + i % 9, i % 2 == 0);
        for (int64_t v = 0; v < m.n_vertices; v++)
            for (int d = 0; d < 3; d++) {
                double x = GRID * m.vertex[v][d];
                m.vertex[v][d] = i % 3 == 0 ? nearbyint(2 * x) / 2 : x;
            }
        test_grid *g = test_grid_of(m, NOWHERE);
        for (int c = 0; c < GRID_CELLS; c++)
            CHECK(g->cell[c].parts.n_parts >= 1, "a cell has no part");
        test_grid_free(g);
    }
    /* A lid is missing: what was two is one where it is open, and there only. */
    sn_mesh open =
        test_meshes_joined(box(0.9, 0.9, 1.2, 3.1, 3.1, 1.4), box(0.9, 0.9, 1.6, 3.1, 3.1, 1.8));
    memcpy(open.triangle[0], open.triangle[--open.n_triangles], sizeof open.triangle[0]);
    test_grid *g = test_grid_of(open, NOWHERE);
    int several = 0;
    for (int c = 0; c < GRID_CELLS; c++)
        several += g->cell[c].parts.n_parts > 1;
    CHECK(several > 0, "an open mesh is joined everywhere");
    test_grid_free(g);
}

static void run(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        turns = 2;
    test_shapes();
    test_gaps();
    test_planes();
    test_edges();
    test_dirt();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
