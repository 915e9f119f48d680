/* Patches of the surface: what is passed over because it is bent only a little, and what is flooded
 * patch by patch, against every edge and every triangle. */
#include "contact/self/regions.h"
#include "contact/self/smooth.h"
#include "helpers/check.h"
#include "helpers/self_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = -1, FIRST_RARE_SEED = 46, LAST_RARE_SEED = 51 };

/* ---- Shapes ---- */

typedef struct {
    const char *name;
    void (*move)(const double rest[3], double size, double at[3]);
    double size;
    int least, most; /* percent of the patches that are smooth on one rank */
    bool crosses;
} bending;

static unsigned long long noise, seed = 7;

static void stay(const double rest[3], double size, double at[3])
{
    (void)size;
    memcpy(at, rest, 3 * sizeof *rest);
}

/* Around an axis, `size` times a whole turn over a unit of length: ends meet and pass. */
static void roll(const double rest[3], double size, double at[3])
{
    double angle = size * 2 * M_PI * rest[0], radius = 1 / (size * 2 * M_PI) - rest[1];
    at[0] = radius * sin(angle);
    at[1] = -radius * cos(angle);
    at[2] = rest[2] + 0.02 * angle;
}

static void turn(const double rest[3], double size, double at[3])
{
    at[0] = cos(size) * rest[0] - sin(size) * rest[1];
    at[1] = sin(size) * rest[0] + cos(size) * rest[1];
    at[2] = rest[2] + 3;
}

static void stretch(const double rest[3], double size, double at[3])
{
    for (int d = 0; d < 3; d++)
        at[d] = rest[d] * (d == 0 ? size : d == 1 ? 1 / size : 1) + 0.1 * rest[(d + 1) % 3];
}

/* Waves that overtake themselves where they are steep. */
static void wave(const double rest[3], double size, double at[3])
{
    memcpy(at, rest, 3 * sizeof *rest);
    at[0] += size * sin(25 * rest[0] + 9 * rest[1]);
}

static void shake(const double rest[3], double size, double at[3])
{
    for (int d = 0; d < 3; d++)
        at[d] = rest[d] + size * (2 * test_random(&noise) - 1);
}

/* A few points alone. */
static void prick(const double rest[3], double size, double at[3])
{
    double far = test_random(&noise) < 0.01 ? size : 0;
    for (int d = 0; d < 3; d++)
        at[d] = rest[d] + far * (2 * test_random(&noise) - 1);
}

/* So that a flood which leaks from one comes to the others from outside. */
static void prick_rarely(const double rest[3], double size, double at[3])
{
    double far = test_random(&noise) < 0.01 ? size : 0;
    for (int d = 0; d < 3; d++)
        at[d] = rest[d] + far * (2 * test_random(&noise) - 1);
}

static const bending RARELY = {"pricked rarely", prick_rarely, 0.1, 0, 100, true};

static const bending BENDINGS[] = {
    {"rest", stay, 0, 60, 100, false},           {"turned", turn, 1, 60, 100, false},
    {"stretched", stretch, 1.2, 20, 100, false}, {"rolled", roll, 0.08, 20, 100, false},
    {"rolled up", roll, 1.3, 0, 60, true},       {"waves", wave, 0.01, 20, 99, false},
    {"breaking waves", wave, 0.08, 0, 60, true}, {"shaken a little", shake, 1e-3, 60, 100, false},
    {"shaken", shake, 0.02, 0, 30, true},        {"pricked", prick, 0.15, 1, 95, true},
};
enum { N_BENDINGS = sizeof BENDINGS / sizeof BENDINGS[0] };

typedef struct {
    self_scene s;
    sn_mesh shape[2]; /* of each body */
    sn_exact_grid grid;
} bent;

static void bend(bent *b, const bending *how)
{
    const sn_self_surface *f = &b->s.contacts.surface;
    noise = seed;
    for (int body = 0; body < 2; body++) {
        const sn_mesh *rest = f->embedding->solids[body].mesh;
        for (int64_t v = 0; v < rest->n_vertices; v++)
            how->move(rest->vertex[v], how->size, b->shape[body].vertex[v]);
    }
    sn_box bounds = sn_self_bounds(f, b->shape);
    b->grid = sn_exact_grid_around(&bounds);
}

/* ---- Every edge and every triangle ---- */

typedef struct {
    sn_self_triangle t;
    sn_exact_point corner[3];
    int64_t low[3], high[3];
} exact_triangle;

static exact_triangle *all_triangles(const bent *b, size_t *n)
{
    const sn_self_surface *f = &b->s.contacts.surface;
    *n = (size_t)f->triangle_first[2];
    exact_triangle *all = SN_NEW_ZERO(exact_triangle, *n);
    for (size_t i = 0; i < *n; i++) {
        exact_triangle *e = &all[i];
        e->t = sn_self_triangle_of(f, (int64_t)i);
        for (int c = 0; c < 3; c++) {
            const double *at = sn_self_at(f, b->shape, e->t.body, e->t.corner[c]);
            e->corner[c] = sn_exact_snap(&b->grid, at, e->t.corner[c]);
            for (int d = 0; d < 3; d++) {
                int64_t x = e->corner[c].at[d];
                e->low[d] = c == 0 || x < e->low[d] ? x : e->low[d];
                e->high[d] = c == 0 || x > e->high[d] ? x : e->high[d];
            }
        }
    }
    return all;
}

static bool is_flat(const exact_triangle *e)
{
    const int64_t *c = e->t.corner;
    return c[0] == c[1] || c[1] == c[2] || c[2] == c[0];
}

static bool are_near(const exact_triangle *a, const exact_triangle *b)
{
    for (int d = 0; d < 3; d++)
        if (a->low[d] > b->high[d] || b->low[d] > a->high[d])
            return false;
    return !is_flat(a) && !is_flat(b);
}

static void note(const sn_self_surface *f, const exact_triangle *through, int64_t from, int64_t to,
                 int along, sn_crossing_list *list)
{
    int64_t inward = f->outward[through->t.body] < 0 ? along : -along;
    if (f->owner[to] == f->rank)
        sn_push(list, ((sn_crossing){to, from, through->t.number, inward}));
    if (f->owner[from] == f->rank)
        sn_push(list, ((sn_crossing){from, to, through->t.number, -inward}));
}

static int by_ends(const void *left, const void *right)
{
    const sn_crossing *a = left, *b = right;
    int64_t way = a->inner != b->inner   ? a->inner - b->inner
                  : a->outer != b->outer ? a->outer - b->outer
                                         : a->triangle - b->triangle;
    return (way > 0) - (way < 0);
}

static void sort_unique(sn_crossing_list *list)
{
    size_t n = 0;
    if (list->count > 0)
        qsort(list->data, list->count, sizeof *list->data, by_ends);
    for (size_t i = 0; i < list->count; i++)
        if (n == 0 || by_ends(&list->data[i], &list->data[n - 1]) != 0)
            list->data[n++] = list->data[i];
    list->count = n;
}

static sn_crossing_list by_brute_force(const bent *b)
{
    size_t n;
    sn_crossing_list list = {0};
    exact_triangle *all = all_triangles(b, &n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            if (!are_near(&all[i], &all[k]))
                continue;
            for (int e = 0; e < 3; e++) {
                const sn_exact_point *from = &all[i].corner[e], *to = &all[i].corner[(e + 1) % 3];
                if (sn_self_has_corner(&all[k].t, from->number) ||
                    sn_self_has_corner(&all[k].t, to->number))
                    continue;
                int along = sn_exact_passes(from, to, all[k].corner);
                if (along != 0)
                    note(&b->s.contacts.surface, &all[k], from->number, to->number, along, &list);
            }
        }
    sn_free(all);
    sort_unique(&list);
    return list;
}

static void check_crossings(const bent *b, const bending *how, const sn_crossing_list *found)
{
    sn_crossing_list truth = by_brute_force(b);
    CHECK(found->count == truth.count, "%s: %zu crossings, not %zu", how->name, found->count,
          truth.count);
    bool same = found->count == truth.count;
    for (size_t i = 0; same && i < truth.count; i++)
        same = by_ends(&found->data[i], &truth.data[i]) == 0 &&
               found->data[i].inward == truth.data[i].inward;
    CHECK(same, "%s: other crossings", how->name);
    int64_t all = self_scene_total(MPI_COMM_WORLD, truth.count);
    CHECK((all > 0) == how->crosses, "%s: crosses itself %lld times", how->name, (long long)all);
    sn_vector_free(&truth);
}

/* ---- What is smooth ---- */

static void check_smooth(const bent *b, const bending *how)
{
    const sn_self_surface *f = &b->s.contacts.surface;
    sn_box_tree boxes = sn_box_tree_create(f->patches.n);
    bool *smooth = sn_self_smooth_patches(f, b->shape, &b->grid, &boxes);
    int n = 0, ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; i < f->patches.n; i++)
        n += smooth[i];
    double part = 100. * n / (double)f->patches.n;
    CHECK(ranks > 1 || (part >= how->least && part <= how->most), "%s: %g %% of patches are smooth",
          how->name, part);
    sn_box_tree_free(&boxes);
    sn_free(smooth);
}

/* Each triangle is in one patch, and each of its corners where the mesh has it. */
static void check_patches(const sn_self_surface *f)
{
    size_t triangle = 0;
    for (size_t i = 0; i < f->patches.n; i++) {
        const sn_self_patch *p = &f->patches.patch[i];
        CHECK(p->triangle == triangle && p->n_triangles > 0, "patch %zu begins at %u", i,
              p->triangle);
        for (int k = 0; k < p->n_triangles; k++) {
            sn_self_triangle t = sn_self_triangle_of(f, f->triangle[triangle++]);
            for (int c = 0; c < 3; c++)
                CHECK(f->embedding->body_first[p->body] + p->vertex[p->corner[c][k]] == t.corner[c],
                      "patch %zu has another corner", i);
        }
    }
    CHECK(triangle == f->n_triangles, "%zu of %zu triangles are in patches", triangle,
          f->n_triangles);
}

/* ---- The flood, on one rank ---- */

static bool is_cut(const sn_crossing_list *list, int64_t from, int64_t to, int64_t *inward)
{
    bool cut = false;
    *inward = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->data[i].inner == to && list->data[i].outer == from) {
            cut = true;
            *inward += list->data[i].inward;
        }
    return cut;
}

/* The lowest label that goes over an edge, one way and the other; true if it was new. */
static bool pass_label(const sn_crossing_list *list, int64_t *label, int64_t a, int64_t b)
{
    int64_t inward, low = label[a] == NOWHERE || (label[b] != NOWHERE && label[b] < label[a])
                              ? label[b]
                              : label[a];
    if (label[a] == label[b] || is_cut(list, a, b, &inward))
        return false;
    label[a] = label[b] = low;
    return true;
}

/* Labels of all points, by going over all edges until nothing changes. */
static int64_t *flooded(const bent *b, const sn_crossing_list *list)
{
    const sn_self_surface *f = &b->s.contacts.surface;
    int64_t n = f->embedding->body_first[2], inward, *label = SN_NEW(int64_t, n);
    for (int64_t v = 0; v < n; v++)
        label[v] = NOWHERE;
    for (size_t i = 0; i < list->count; i++) {
        const sn_crossing *c = &list->data[i];
        if (is_cut(list, c->outer, c->inner, &inward) && inward > 0)
            label[c->inner] = c->inner;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t i = 0; i < f->triangle_first[2]; i++) {
            sn_self_triangle t = sn_self_triangle_of(f, i);
            for (int e = 0; e < 3; e++)
                changed |= pass_label(list, label, t.corner[e], t.corner[(e + 1) % 3]);
        }
    }
    return label;
}

static bool leaks(const sn_crossing_list *list, const int64_t *label, int64_t region)
{
    int64_t inward;
    for (size_t i = 0; i < list->count; i++) {
        const sn_crossing *c = &list->data[i];
        if (label[c->inner] == region && label[c->outer] == region &&
            is_cut(list, c->outer, c->inner, &inward) && inward > 0)
            return true;
    }
    return false;
}

/* Inside are the points of regions that do not leak, and seeds of those that do. */
static void check_regions(const bent *b, const bending *how, const sn_crossing_list *list)
{
    const sn_self_surface *f = &b->s.contacts.surface;
    sn_self_regions regions;
    sn_self_find_regions(f, list, &regions);
    int64_t *label = flooded(b, list), last = NOWHERE;
    size_t n = 0;
    bool leak = false;
    for (size_t i = 0; i < regions.n; i++) {
        int64_t point = f->number[regions.point[i]];
        CHECK(regions.beside[i] == (label[point] == NOWHERE), "%s: point %lld is on the other side",
              how->name, (long long)point);
        CHECK(regions.beside[i] || regions.label[i] == label[point],
              "%s: point %lld in region %lld", how->name, (long long)point,
              (long long)regions.label[i]);
    }
    for (size_t p = 0; p < f->n_points; p++) {
        int64_t here = label[f->number[p]];
        if (here != NOWHERE && here != last) {
            leak = leaks(list, label, here);
            last = here;
        }
        n += here != NOWHERE && !leak;
    }
    CHECK(regions.n_inside >= n, "%s: %zu inside, not %zu", how->name, regions.n_inside, n);
    sn_free(label);
    sn_self_regions_free(&regions);
}

static void check_bending(bent *b, const bending *how)
{
    sn_crossing_list found;
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bend(b, how);
    check_smooth(b, how);
    self_scene_must(sn_self_find_crossings(&b->s.contacts.surface, b->shape, &b->grid, &found));
    check_crossings(b, how, &found);
    if (ranks == 1 && found.count > 0 && found.count < 3000)
        check_regions(b, how, &found);
    sn_vector_free(&found);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    test_bodies f = {0};
    bent b;
    test_bodies_add(&f, test_builtin("builtin:beam,length=1,height=0.2,width=0.2,detail=24"), true,
                    0.1);
    test_bodies_add(
        &f, self_scene_moved(test_builtin("builtin:sphere,radius=0.3,detail=20"), 0.5, 0.6, 0.5),
        true, 0.1);
    self_scene_open(&b.s, &f, MPI_COMM_WORLD, SN_PARTITION_CURVE);
    for (int body = 0; body < 2; body++) {
        b.shape[body] = *b.s.contacts.surface.embedding->solids[body].mesh;
        b.shape[body].vertex = SN_NEW(double[3], b.shape[body].n_vertices);
    }
    check_patches(&b.s.contacts.surface);
    for (int i = 0; i < N_BENDINGS; i++)
        check_bending(&b, &BENDINGS[i]);
    for (seed = FIRST_RARE_SEED; seed <= LAST_RARE_SEED; seed++)
        check_bending(&b, &RARELY);
    for (int body = 0; body < 2; body++)
        sn_free(b.shape[body].vertex);
    self_scene_close(&b.s);
    test_bodies_free(&f);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
