/* Copies on all levels: which elements share a node is what a slow and obvious flood says, whoever
 * has the elements; thick prongs are joined where they are and not all along; and a coarse function
 * is interpolated to a fine node in the same way from every element that the node belongs to. */
#include "helpers/check.h"
#include "helpers/forest.h"
#include "helpers/prisms.h"

#include "octree/corners.h"
#include "octree/family.h"
#include "transfer/coarse_site.h"

#include <math.h>
#include <string.h>

/* ---- The oracle: one level on one rank ---- */

/* Joined elements: a square of booleans. */
typedef struct {
    size_t n;
    sn_leaves element;
    bool *joined;
} flood;

static bool *at(const flood *f, size_t i, size_t j)
{
    return &f->joined[i * f->n + j];
}

/* Have two elements a common face? */
static bool are_beside(const flood *f, size_t i, size_t j)
{
    uint32_t a[3], b[3];
    int touching = 0, overlapping = 0;
    sn_key_anchor(f->element.key[i], a);
    sn_key_anchor(f->element.key[j], b);
    for (int d = 0; d < 3; d++) {
        uint32_t a_end = a[d] + sn_edge(f->element.height[i]);
        uint32_t b_end = b[d] + sn_edge(f->element.height[j]);
        touching += a_end == b[d] || b_end == a[d];
        overlapping += a[d] < b_end && b[d] < a_end;
    }
    return sn_key_body(f->element.key[i]) == sn_key_body(f->element.key[j]) && touching == 1 &&
           overlapping == 2;
}

static flood flood_of(const sn_octree *tree)
{
    flood f = {.n = (size_t)tree->n_elements, .element = sn_octree_elements(tree)};
    f.joined = SN_NEW_ZERO(bool, f.n *f.n);
    return f;
}

static void flood_free(flood *f)
{
    sn_leaves_free(&f->element);
    sn_free(f->joined);
}

/* The face of one element in which another one is beside it. */
static int face_between(const flood *f, size_t i, size_t j)
{
    uint32_t a[3], b[3];
    sn_key_anchor(f->element.key[i], a);
    sn_key_anchor(f->element.key[j], b);
    for (int d = 0; d < 3; d++) {
        if (a[d] + sn_edge(f->element.height[i]) == b[d])
            return 2 * d + 1;
        if (b[d] + sn_edge(f->element.height[j]) == a[d])
            return 2 * d;
    }
    return -1;
}

/* Has this part of a cell a joint in a face, of any number or of this one? */
static bool has_joint(const sn_parts *parts, const sn_parts_cell *cell, int part, int face,
                      const sn_part_joint *same)
{
    int32_t n;
    const sn_part_joint *joint = sn_parts_joints(parts, cell, face, &n);
    for (int32_t i = 0; i < n; i++)
        if (joint[i].part == part && (!same || joint[i].number == same->number))
            return true;
    return false;
}

/* Does the solid go on from one element into another one beside it? */
static bool goes_on(const flood *f, const sn_parts *parts, const uint8_t *open, size_t i, size_t j)
{
    sn_key a = f->element.key[i], b = f->element.key[j];
    const sn_parts_cell *one = sn_parts_cell_at(parts, sn_key_place(a));
    const sn_parts_cell *other = sn_parts_cell_at(parts, sn_key_place(b));
    int face = face_between(f, i, j);
    if (!one && !other)
        return open[i] >> face & 1 || open[j] >> (face ^ 1) & 1;
    if (!one)
        return has_joint(parts, other, sn_key_copy(b), face ^ 1, NULL);
    if (!other)
        return has_joint(parts, one, sn_key_copy(a), face, NULL);
    int32_t n;
    const sn_part_joint *joint = sn_parts_joints(parts, one, face, &n);
    bool on = false;
    for (int32_t k = 0; k < n; k++)
        on = on || (joint[k].part == sn_key_copy(a) &&
                    has_joint(parts, other, sn_key_copy(b), face ^ 1, &joint[k]));
    return on;
}

/* Of all elements, as seen by one rank. */
static sn_parts ask_for_all(const test_forest *forest, const flood *f, uint8_t *open)
{
    SN_VECTOR(sn_key) cells = {0};
    for (size_t e = 0; e < f->n; e++)
        if (f->element.height[e] == 0 && sn_key_copy(f->element.key[e]) == 0)
            sn_push(&cells, f->element.key[e]);
    uint8_t *asked = SN_NEW(uint8_t, cells.count);
    sn_parts_search *search =
        sn_parts_search_create(MPI_COMM_SELF, &forest->bodies, forest->view, true);
    sn_parts parts = sn_parts_ask(search, cells.data, cells.count, asked);
    for (size_t e = 0, c = 0; e < f->n; e++) {
        open[e] = SN_ALL_FACES;
        for (c = 0; c < cells.count; c++)
            if (cells.data[c] == sn_key_place(f->element.key[e]) && f->element.height[e] == 0)
                open[e] = asked[c];
    }
    sn_parts_search_free(search);
    sn_free(asked);
    sn_vector_free(&cells);
    return parts;
}

static flood finest_flood(const test_forest *forest, const sn_octree *tree)
{
    flood f = flood_of(tree);
    uint8_t *open = SN_NEW(uint8_t, f.n);
    sn_parts parts = ask_for_all(forest, &f, open);
    for (size_t i = 0; i < f.n; i++)
        for (size_t j = 0; j < f.n; j++)
            *at(&f, i, j) = are_beside(&f, i, j) && goes_on(&f, &parts, open, i, j);
    sn_parts_free(&parts);
    sn_free(open);
    return f;
}

static size_t find_root(const size_t *root, size_t i)
{
    while (root[i] != i)
        i = root[i];
    return i;
}

static void unite(size_t *root, size_t i, size_t j)
{
    size_t a = find_root(root, i), b = find_root(root, j);
    root[a > b ? a : b] = a < b ? a : b;
}

/* The coarse element that a fine one is part of, by what the tree says. */
static size_t part_of(const sn_octree *fine, const flood *f, const flood *coarse, size_t e)
{
    for (size_t c = 0; c < coarse->n; c++) {
        int height = coarse->element.height[c];
        sn_key key = coarse->element.key[c];
        if (height >= f->element.height[e] &&
            sn_key_ancestor(f->element.key[e], height) == sn_key_place(key) &&
            sn_key_copy(key) == (fine->coarse_copy ? fine->coarse_copy[e] : 0))
            return c;
    }
    return coarse->n;
}

/* Coarse elements are the groups of joined ones in one place; they are joined where finer ones are.
 */
static flood coarser_flood(const sn_octree *fine, const flood *f, const sn_octree *coarse)
{
    flood c = flood_of(coarse);
    size_t *part = SN_NEW(size_t, f->n), *root = SN_NEW(size_t, f->n);
    for (size_t e = 0; e < f->n; e++) {
        part[e] = part_of(fine, f, &c, e);
        root[e] = e;
        CHECK(part[e] < c.n, "element %zu is part of nothing", e);
    }
    for (size_t i = 0; i < f->n; i++)
        for (size_t j = 0; j < i; j++) {
            bool same_place =
                sn_key_place(c.element.key[part[i]]) == sn_key_place(c.element.key[part[j]]);
            if (*at(f, i, j) && same_place)
                unite(root, i, j);
            if (*at(f, i, j) && !same_place)
                *at(&c, part[i], part[j]) = *at(&c, part[j], part[i]) = true;
        }
    for (size_t i = 0; i < f->n; i++)
        for (size_t j = 0; j < i; j++)
            if (sn_key_place(c.element.key[part[i]]) == sn_key_place(c.element.key[part[j]]))
                CHECK((part[i] == part[j]) == (find_root(root, i) == find_root(root, j)),
                      "elements %zu and %zu: one copy or not", i, j);
    sn_free(part);
    sn_free(root);
    return c;
}

static bool touches(const flood *f, size_t e, sn_key place)
{
    uint32_t anchor[3], xyz[3];
    bool in = sn_key_body(place) == sn_key_body(f->element.key[e]);
    sn_key_anchor(f->element.key[e], anchor);
    sn_key_anchor(place, xyz);
    for (int d = 0; d < 3; d++)
        in = in && xyz[d] >= anchor[d] && xyz[d] <= anchor[d] + sn_edge(f->element.height[e]);
    return in;
}

/* Elements that touch a place and are joined, one after another, around it. */
static void flood_around(const flood *f, sn_key place, size_t e, bool *reached)
{
    size_t *here = SN_NEW(size_t, f->n), n = 0;
    for (size_t i = 0; i < f->n; i++)
        if (touches(f, i, place))
            here[n++] = i;
    memset(reached, 0, f->n);
    reached[e] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                if (reached[here[i]] && *at(f, here[i], here[j]) && !reached[here[j]])
                    reached[here[j]] = more = true;
    }
    sn_free(here);
}

static int corner_at(const flood *f, size_t e, sn_key place)
{
    for (int corner = 0; corner < 8; corner++)
        if (sn_corner_place(sn_key_place(f->element.key[e]), f->element.height[e], corner) == place)
            return corner;
    return -1;
}

/* All that is reached shares the node, and nothing else does; or some have no corner there, and all
 * corners hang. */
static void check_corner(const sn_octree *tree, const flood *f, size_t e, int corner)
{
    sn_key place = sn_corner_place(sn_key_place(f->element.key[e]), f->element.height[e], corner);
    bool *reached = SN_NEW(bool, f->n), hangs = false;
    flood_around(f, place, e, reached);
    for (size_t i = 0; i < f->n; i++)
        hangs = hangs || (reached[i] && corner_at(f, i, place) < 0);
    CHECK((tree->hanging[e] >> corner & 1) == hangs, "corner %d of element %zu", corner, e);
    for (size_t i = 0; i < f->n && !hangs; i++) {
        int there = corner_at(f, i, place);
        if (there < 0 || (tree->hanging[i] >> there & 1))
            continue;
        bool shared = tree->conforming[e][corner] == tree->conforming[i][there];
        CHECK(shared == reached[i], "elements %zu and %zu share a node or not", e, i);
    }
    sn_free(reached);
}

static void check_corners(const sn_octree *tree, const flood *f)
{
    for (size_t e = 0; e < f->n; e++)
        for (int corner = 0; corner < 8; corner++)
            check_corner(tree, f, e, corner);
}

/* ---- Interpolation ---- */

/* From every element of a fine node the same row. */
static void check_rows(const sn_octree *fine, const sn_octree *coarse)
{
    sn_containers containers;
    CHECK(sn_containers_find(fine, coarse, &containers) == SN_OK, "%s", sn_failure_message());
    sn_coarse_site *sites;
    CHECK(sn_coarse_sites_find(fine, &containers, &sites) == SN_OK, "%s", sn_failure_message());
    sn_leaves elements = sn_octree_elements(fine);
    for (sn_local e = 0; e < fine->n_elements; e++)
        for (int corner = 0; corner < 8; corner++) {
            sn_local node = fine->conforming[e][corner];
            if (fine->hanging[e] >> corner & 1 || node >= fine->n_nodes)
                continue;
            const sn_container *c = &containers.container[containers.of_element[e]];
            int child = c->height == elements.height[e]
                            ? corner
                            : sn_key_child(elements.key[e], elements.height[e]);
            sn_coarse_site other = sites[node];
            other.element = c->key;
            other.height = c->height;
            other.hanging = c->hanging;
            other.point = (uint8_t)sn_lattice_corner(child, corner);
            memcpy(other.node_copy, c->node_copy, sizeof other.node_copy);
            sn_key a[SN_ROW_ENTRIES], b[SN_ROW_ENTRIES];
            uint8_t wa[SN_ROW_ENTRIES], wb[SN_ROW_ENTRIES];
            int n = sn_coarse_site_row(&sites[node], a, wa);
            CHECK(n == sn_coarse_site_row(&other, b, wb), "rows of one length");
            CHECK(!memcmp(a, b, (size_t)n * sizeof *a) && !memcmp(wa, wb, (size_t)n), "one row");
        }
    sn_leaves_free(&elements);
    sn_containers_free(&containers);
    sn_free(sites);
}

/* ---- Bodies ---- */

static int64_t count_copies(const sn_octree *tree)
{
    int64_t n = 0;
    for (sn_local i = 0; i < tree->n_octants; i++)
        n += tree->octant[i].is_element && tree->octant[i].copy > 0;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, tree->comm);
    return n;
}

/* What one rank alone has. */
typedef struct {
    int64_t copies;
    uint64_t digest[SN_MAX_LEVELS];
    bool has_copies[SN_MAX_LEVELS];
} lone_forest;

static lone_forest check_alone(test_forest *f, bool slowly)
{
    sn_hierarchy alone;
    lone_forest found = {0};
    CHECK(test_forest_build(f, MPI_COMM_SELF, test_ways[0].options, &alone) == SN_OK, "%s",
          sn_failure_message());
    flood fine = {0};
    for (int l = 0; l < alone.n_levels; l++) {
        sn_octree *tree = &alone.level[l];
        CHECK(sn_octree_check(tree) == SN_OK, "level %d: %s", l, sn_failure_message());
        found.copies += count_copies(tree);
        found.digest[l] = sn_octree_digest(tree);
        found.has_copies[l] = tree->has_copies;
        if (!slowly)
            continue;
        flood here =
            l == 0 ? finest_flood(f, tree) : coarser_flood(&alone.level[l - 1], &fine, tree);
        flood_free(&fine);
        fine = here;
        check_corners(tree, &fine);
    }
    flood_free(&fine);
    sn_hierarchy_free(&alone);
    return found;
}

static int64_t check_forest(test_forest *f, bool slowly)
{
    lone_forest alone = {0};
    if (test_is_mine(0))
        alone = check_alone(f, slowly);
    test_share(0, &alone, sizeof alone);
    for (int way = 0; way < TEST_WAYS; way++) {
        sn_hierarchy h;
        CHECK(test_forest_build(f, MPI_COMM_WORLD, test_ways[way].options, &h) == SN_OK, "%s",
              sn_failure_message());
        for (int l = 0; l < h.n_levels; l++) {
            CHECK(sn_octree_check(&h.level[l]) == SN_OK, "level %d: %s", l, sn_failure_message());
            CHECK(h.level[l].has_copies == alone.has_copies[l], "copies seen by some ranks");
            CHECK(sn_octree_digest(&h.level[l]) == alone.digest[l], "%s: level %d is another",
                  test_ways[way].name, l);
            if (l > 0)
                check_rows(&h.level[l - 1], &h.level[l]);
        }
        sn_hierarchy_free(&h);
    }
    return alone.copies;
}

/* A plate with so many teeth on it in each direction, half as wide as they are apart. */
static sn_mesh comb(int teeth)
{
    sn_mesh all = test_box((double[]){0, 0, 0}, (double[]){1, 1, 0.2});
    for (int i = 0; i < teeth * teeth; i++) {
        double x = (i % teeth + 0.25) / teeth, y = (i / teeth + 0.25) / teeth;
        double wide = 0.5 / teeth;
        all = test_meshes_joined(
            all, test_box((double[]){x, y, 0.1}, (double[]){x + wide, y + wide, 1}));
    }
    return all;
}

/* So many needles along each side of one cell, three cells long. */
static sn_mesh needles(int along)
{
    sn_mesh all = {0};
    for (int i = 0; i < along * along; i++) {
        double x = (i % along + 0.2) / along, y = (i / along + 0.2) / along, wide = 0.5 / along;
        all = test_meshes_joined(
            all, test_box((double[]){x, y, 0}, (double[]){x + wide, y + wide, 2.9}));
    }
    return all;
}

static int64_t copies_of_needles(int along)
{
    test_forest f = {0};
    test_forest_add(&f, needles(along), true, 1);
    int64_t copies = check_forest(&f, true);
    test_forest_free(&f);
    return copies;
}

/* A cell has at most 64 copies; where it has more parts, all of them are one. */
static void crowded_cells(void)
{
    CHECK(copies_of_needles(8) >= 3 * 63, "needles are not apart");
    CHECK(copies_of_needles(10) == 0, "too many needles are apart");
}

/* Small boxes anywhere, some of them flush with others: many share cells, some overlap. */
static sn_mesh soup(unsigned long long *seed, int boxes)
{
    sn_mesh all = {0};
    for (int i = 0; i < boxes; i++) {
        double low[3], high[3];
        for (int d = 0; d < 3; d++) {
            low[d] = floor(24 * test_random(seed)) / 24;
            high[d] = low[d] + (1 + floor(5 * test_random(seed))) / 24;
        }
        all = test_meshes_joined(all, test_box(low, high));
    }
    return all;
}

static void soups(int n)
{
    unsigned long long seed = 3;
    int64_t copies = 0;
    for (int i = 0; i < n; i++) {
        test_forest f = {0};
        test_forest_add(&f, soup(&seed, 12 + 9 * i), true, i % 2 ? 0.1 : 1.0 / 7);
        copies += check_forest(&f, true);
        test_forest_free(&f);
    }
    CHECK(copies > 0, "soups have no copies");
}

/* ---- Thick parts ---- */

/* Two prongs on a bar, the first so many cells wide, with a third of a cell between them. They are
 * thick enough for larger elements inside. */
static sn_mesh fork_of(double cell, double wide, double bar)
{
    double left = wide * cell, right = left + cell / 3, far = 20 * cell, high = 24 * cell;
    double low = bar * cell;
    const double outline[][2] = {{0, 0},       {far, 0},    {far, high},  {right, high},
                                 {right, low}, {left, low}, {left, high}, {0, high}};
    return test_prism(8, outline, 0, 8 * cell);
}

/* Groups of elements above a height that share nodes. */
static int count_groups(const sn_octree *tree, uint32_t above)
{
    sn_leaves elements = sn_octree_elements(tree);
    size_t *root = SN_NEW(size_t, elements.n), *of_node = SN_NEW_ZERO(size_t, tree->n_nodes);
    int groups = 0;
    for (size_t e = 0; e < elements.n; e++) {
        uint32_t anchor[3];
        root[e] = e;
        sn_key_anchor(elements.key[e], anchor);
        for (int c = 0; c < 8 && anchor[1] >= above; c++) {
            size_t *first = &of_node[tree->conforming[e][c]];
            if (*first)
                unite(root, e, *first - 1);
            *first = e + 1;
        }
    }
    for (size_t e = 0; e < elements.n; e++) {
        uint32_t anchor[3];
        sn_key_anchor(elements.key[e], anchor);
        groups += anchor[1] >= above && find_root(root, e) == e;
    }
    sn_leaves_free(&elements);
    sn_free(root);
    sn_free(of_node);
    return groups;
}

/* Wherever the gap is in its cells: joined at the bar, and not much above it. */
static void prongs_are_two(void)
{
    const double cell = 0.05;
    for (int quarter = 0; quarter < 8; quarter++) {
        if (!test_is_mine(quarter))
            continue;
        test_forest f = {0};
        test_forest_add(&f, fork_of(cell, 9 + quarter / 4.0, 4 + quarter % 3), true, cell);
        sn_hierarchy h;
        CHECK(test_forest_build(&f, MPI_COMM_SELF, test_ways[0].options, &h) == SN_OK, "%s",
              sn_failure_message());
        CHECK(sn_octree_check(&h.level[0]) == SN_OK, "%s", sn_failure_message());
        CHECK(count_groups(&h.level[0], 0) == 1, "one body");
        CHECK(count_groups(&h.level[0], 9) == 2, "%d quarters: %d groups", quarter,
              count_groups(&h.level[0], 9));
        sn_hierarchy_free(&h);
        test_forest_free(&f);
    }
}

static void run(int argc, char **argv)
{
    (void)argv;
    soups(argc > 1 ? 2 : 3);
    crowded_cells();
    prongs_are_two();
    unsigned long long seed = 11;
    for (int m = 0; m < (argc > 1 ? 4 : 12); m++) {
        test_forest f = {0};
        test_forest_add(&f, test_tetrahedra(&seed, 2 + m % 5, false), true, 1.0 / (5 + m % 3 * 3));
        check_forest(&f, true);
        test_forest_free(&f);
    }
    test_forest cell = {0}; /* most ranks have nothing */
    test_forest_add(&cell, test_box((double[]){0, 0, 0}, (double[]){1, 0.9, 0.8}), true, 1);
    check_forest(&cell, true);
    test_forest_free(&cell);
    test_forest teeth = {0};
    test_forest_add(&teeth, comb(8), true, 1.0 / 32);
    CHECK(check_forest(&teeth, false) > 0, "teeth are copies");
    test_forest_free(&teeth);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
