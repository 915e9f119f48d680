/* The parts of all cells of a forest: the same on any number of ranks, whoever asks; neighbours
 * agree; what parts fill adds up to the fraction of their cell; close parts are found where they
 * are. */
#include "curve/search.h"
#include "helpers/check.h"
#include "helpers/forest.h"
#include "helpers/prisms.h"
#include "octree/close_parts.h"
#include "octree/fraction.h"

#include <math.h>
#include <string.h>

static const double SNAP = 1e-3; /* what moving vertices by 2^-13 of a cell may do to a volume */
static const double GAP = 0.012, CELL = 0.05;

/* Two slabs with a gap, turned; a comb; random tetrahedra, of which some are open. Parts are
 * weighed against cells, which have no copies here. */
static void make_forest(test_forest *f)
{
    static const double angle[3] = {0.3, -0.4, 0.7}, centre[3] = {0.5, 0.5, 0.5}, still[3] = {0};
    unsigned long long seed = 5;
    sn_mesh slabs =
        test_meshes_joined(test_box((double[3]){0, 0, 0.3}, (double[3]){1, 1, 0.5}),
                           test_box((double[3]){0, 0, 0.5 + GAP}, (double[3]){1, 1, 0.7 + GAP}));
    test_move(&slabs, angle, centre, still);
    test_forest_add(f, slabs, true, CELL);
    test_forest_add(f, test_comb(12, 0.03, 0.02, 0.1, 0.4, 0.15), true, 0.04);
    test_forest_add(f, test_tetrahedra(&seed, 6, true), false, 0.1);
    test_forest_weld(f);
}

static sn_key *own_cells(const sn_octree *tree, size_t *n)
{
    sn_leaves e = sn_octree_elements(tree);
    sn_key *key = SN_NEW(sn_key, tree->n_elements);
    *n = 0;
    for (sn_local i = 0; i < tree->n_elements; i++)
        if (e.height[i] == 0 && sn_key_copy(e.key[i]) == 0)
            key[(*n)++] = e.key[i];
    sn_leaves_free(&e);
    return key;
}

/* ---- The same everywhere ---- */

typedef struct {
    uint64_t digest;
    sn_close_parts close;
} answer;

static answer answer_on(const test_forest *f, MPI_Comm comm)
{
    sn_hierarchy h;
    sn_hierarchy_options options = {.max_levels = 1};
    CHECK(test_forest_build(f, comm, options, &h) == SN_OK, "%s", sn_failure_message());
    size_t n;
    sn_key *own = own_cells(&h.level[0], &n);
    sn_parts_search *search = sn_parts_search_create(comm, &f->bodies, f->view, true);
    sn_parts parts = sn_parts_ask(search, own, n, NULL);
    answer a = {.digest = sn_parts_digest(comm, &parts)};
    a.close = sn_close_parts_find(comm, &f->bodies, f->view, own, n);
    sn_parts_free(&parts);
    sn_parts_search_free(search);
    sn_free(own);
    sn_hierarchy_free(&h);
    return a;
}

static bool same_places(const sn_close_parts *a, const sn_close_parts *b)
{
    bool same = a->cells == b->cells && a->apart == b->apart && a->n == b->n;
    for (int i = 0; i < a->n && same; i++)
        same = a->place[i].body == b->place[i].body && a->place[i].gap == b->place[i].gap &&
               memcmp(a->place[i].place, b->place[i].place, sizeof a->place[i].place) == 0;
    return same;
}

static void test_ranks(const test_forest *f)
{
    answer alone = {0}, together = answer_on(f, MPI_COMM_WORLD);
    if (test_is_mine(0))
        alone = answer_on(f, MPI_COMM_SELF);
    test_share(0, &alone, sizeof alone);
    CHECK(alone.digest == together.digest, "other parts on more ranks");
    CHECK(same_places(&alone.close, &together.close), "other close parts on more ranks");
}

/* ---- What a table says ---- */

static void check_face(const sn_parts *p, const sn_parts_cell *a, const sn_parts_cell *b, int axis)
{
    int32_t n, m;
    const sn_part_joint *below = sn_parts_joints(p, a, 2 * axis + 1, &n);
    const sn_part_joint *above = sn_parts_joints(p, b, 2 * axis, &m);
    CHECK(n == m, "%d joints, and %d from above", n, m);
    for (int32_t i = 0; i < n && n == m; i++)
        CHECK(below[i].number == above[i].number, "joints have other numbers");
}

static void check_neighbours(const test_forest *f, const sn_parts *p)
{
    static const int above[3] = {14, 16, 22};
    for (size_t i = 0; i < p->n; i++)
        for (int axis = 0; axis < 3; axis++) {
            uint32_t xyz[3];
            sn_key key = p->cell[i].key, next;
            int body = sn_key_body(key);
            sn_key_anchor(key, xyz);
            if (!f->view[body].closed ||
                !sn_neighbour_key(body, xyz, 1, sn_edge(f->body[body].root_height), above[axis],
                                  &next))
                continue;
            const sn_parts_cell *other = sn_parts_cell_at(p, next);
            if (other)
                check_face(p, &p->cell[i], other, axis);
        }
}

static void check_fractions(const test_forest *f, const sn_hierarchy *forest, const sn_parts *p)
{
    const sn_octree *tree = &forest->level[0];
    sn_leaves e = sn_octree_elements(tree);
    double *fraction = SN_NEW(double, e.n);
    float(*centroid)[3] = SN_NEW(float[3], e.n);
    bool wanted[TEST_BODIES];
    for (int b = 0; b < f->n; b++)
        wanted[b] = true;
    CHECK(sn_element_fractions(forest, f->view, wanted, fraction, centroid) == SN_OK, "fractions");
    for (sn_local i = 0; i < tree->n_elements; i++) {
        const sn_parts_cell *cell = sn_parts_cell_at(p, e.key[i]);
        if (e.height[i] != 0 || !cell || !f->view[sn_key_body(e.key[i])].closed)
            continue;
        double sum = 0, moment[3] = {0};
        for (int32_t k = 0; k < cell->n_parts; k++) {
            const sn_part_measure *m = &p->measure[cell->first_part + k];
            sum += m->volume;
            for (int d = 0; d < 3; d++)
                moment[d] += m->volume * m->centroid[d];
        }
        CHECK(fabs(sum - fraction[i]) < SNAP, "parts fill %g, and the cell %g", sum, fraction[i]);
        for (int d = 0; d < 3; d++)
            CHECK(fabs(moment[d] - fraction[i] * (double)centroid[i][d]) < 2 * SNAP,
                  "parts are not where the cell is full");
    }
    sn_free(fraction);
    sn_free(centroid);
    sn_leaves_free(&e);
}

/* Both cells at a face say the same of it; cells inside are open all around. */
static void check_open(const test_forest *f, const sn_key *key, const uint8_t *open, size_t n)
{
    static const int above[3] = {14, 16, 22};
    sn_search search = sn_search_create(key, n);
    for (size_t i = 0; i < n; i++)
        for (int axis = 0; axis < 3; axis++) {
            uint32_t xyz[3];
            sn_key next;
            int body = sn_key_body(key[i]);
            sn_key_anchor(key[i], xyz);
            if (!f->view[body].closed ||
                !sn_neighbour_key(body, xyz, 1, sn_edge(f->body[body].root_height), above[axis],
                                  &next))
                continue;
            sn_local other = sn_search_find(&search, next);
            CHECK(other == SN_NONE ||
                      (open[i] >> (2 * axis + 1) & 1) == (open[other] >> 2 * axis & 1),
                  "a face is open from one side");
        }
    sn_search_free(&search);
}

/* All cells of a rank that asks for everything. */
static void test_table(const test_forest *f)
{
    sn_hierarchy h;
    sn_hierarchy_options options = {.max_levels = 1};
    CHECK(test_forest_build(f, MPI_COMM_SELF, options, &h) == SN_OK, "%s", sn_failure_message());
    size_t n;
    sn_key *all = own_cells(&h.level[0], &n);
    sn_parts_search *search = sn_parts_search_create(MPI_COMM_WORLD, &f->bodies, f->view, true);
    uint8_t *open = SN_NEW(uint8_t, n);
    sn_parts p = sn_parts_ask(search, all, n, open);
    check_open(f, all, open, n);
    sn_free(open);
    CHECK(p.n > 100, "%zu cells are not plain", p.n);
    check_neighbours(f, &p);
    check_fractions(f, &h, &p);
    sn_parts none = sn_parts_ask(search, NULL, 0, NULL);
    CHECK(none.n == 0 && sn_parts_memory(&none) == 0, "cells that nobody asked for");
    sn_parts_free(&none);
    sn_parts_free(&p);
    sn_parts_search_free(search);
    sn_free(all);
    sn_hierarchy_free(&h);
}

/* The gap of the slabs is known; a bulky body has none. */
static void test_close(const test_forest *f)
{
    answer a = answer_on(f, MPI_COMM_WORLD);
    CHECK(a.close.n > 0 && a.close.apart > 0 && a.close.apart <= a.close.cells, "none is close");
    bool found = false;
    for (int i = 0; i < a.close.n; i++)
        if (a.close.place[i].body == 0) {
            found = true;
            CHECK(fabs(a.close.place[i].gap - GAP) < 1e-9, "a gap of %g", a.close.place[i].gap);
        }
    CHECK(found, "the slabs are not among the closest");
    test_forest bulky = {0};
    test_forest_add(&bulky, test_box((double[3]){0, 0, 0}, (double[3]){1, 0.7, 0.9}), true, 0.09);
    a = answer_on(&bulky, MPI_COMM_WORLD);
    CHECK(a.close.cells == 0 && a.close.n == 0, "a box has parts");
    test_forest_free(&bulky);
}

/* Points of either slab are in either part. */
static void test_points(const test_forest *f)
{
    sn_parts_search *search = sn_parts_search_create(MPI_COMM_WORLD, &f->bodies, f->view, true);
    sn_hierarchy h;
    sn_hierarchy_options options = {.max_levels = 1};
    CHECK(test_forest_build(f, MPI_COMM_SELF, options, &h) == SN_OK, "%s", sn_failure_message());
    size_t n;
    int asked = 0;
    sn_key *all = own_cells(&h.level[0], &n);
    sn_parts p = sn_parts_ask(search, all, n, NULL);
    for (size_t i = 0; i < p.n && asked < 50; i++) {
        const sn_parts_cell *cell = &p.cell[i];
        if (sn_key_body(cell->key) != 0 || cell->n_parts != 2)
            continue;
        for (int32_t k = 0; k < 2; k++) {
            const sn_part_measure *m = &p.measure[cell->first_part + k];
            double at[3];
            uint32_t xyz[3];
            sn_key_anchor(cell->key, xyz);
            for (int d = 0; d < 3; d++)
                at[d] = f->body[0].origin[d] + CELL * (xyz[d] + (m->centroid[d] + 1) / 2);
            if (m->volume < 0.01)
                continue;
            CHECK(sn_parts_at(&p, &f->bodies, f->view, cell, at) == k,
                  "a part does not hold its centroid, though it is convex");
            asked++;
        }
    }
    CHECK(asked > 10, "no points");
    sn_parts_free(&p);
    sn_parts_search_free(search);
    sn_free(all);
    sn_hierarchy_free(&h);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    test_forest f = {0};
    make_forest(&f);
    test_ranks(&f);
    test_table(&f);
    test_close(&f);
    test_points(&f);
    test_forest_free(&f);
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
