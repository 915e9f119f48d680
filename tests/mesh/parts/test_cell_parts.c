/* What of a solid hangs together in a cell: against voxels that are flooded, and against what is
 * known of boxes. Neighbours must agree about their common faces, and volumes must add up. */
#include "helpers/cells.h"
#include "helpers/prisms.h"
#include "helpers/solids.h"

static unsigned long long seed = 3;
static int turns = 12;

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

/* Each flooded part is one part, and another one than all others. Where shapes overlap, necks
 * between them can be thinner than a voxel, and what they have in common counts twice: then only
 * the former holds. */
static void check_by_voxels(const test_grid *g, const test_cell *cell, const char *what,
                            bool overlap)
{
    enum { FEW = 64, STRIDE = 7 };
    voxels *v = voxels_of(g, cell);
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
        if (part_of[p] >= 0 && !cell->parts.plain && !overlap)
            check_measure(&cell->parts.measure[part_of[p]], v, p, what);
    for (int32_t p = 0; p < cell->parts.n_parts && !overlap; p++) {
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

static void run(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        turns = 3;
    test_shapes();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
