#include "shot/folded.h"

#include "base/array.h"
#include "octree/positions.h"

#include <math.h>
#include <string.h>

/* What a rank knows of a body. The key settles which of two equal elements is named. */
typedef struct {
    sn_folded of;
    sn_key key;
} finding;

static bool is_worse(const finding *a, const finding *b)
{
    return a->of.least < b->of.least || (a->of.least == b->of.least && a->key < b->key);
}

static void centre_now(const sn_octree *tree, const double *x, sn_local element, double centre[3])
{
    for (int d = 0; d < 3; d++) {
        centre[d] = 0;
        for (int c = 0; c < 8; c++)
            centre[d] += x[SN_NODE_REALS * tree->conforming[element][c] + d] / 8;
    }
}

/* Determinants of the owned elements. */
static double *measure_all(const sn_shot *shot)
{
    enum { AT_ONCE = 64 };
    size_t n = (size_t)shot->model.forest.level[0].n_elements;
    double *determinant = SN_NEW(double, n + 1);
#pragma omp parallel for
    for (size_t first = 0; first < n; first += AT_ONCE) {
        size_t count = n - first < AT_ONCE ? n - first : AT_ONCE;
        sn_element_measure measure[AT_ONCE];
        sn_local element[AT_ONCE];
        for (size_t i = 0; i < count; i++)
            element[i] = (sn_local)(first + i);
        sn_operator_measure(&shot->built.system.op, shot->state.nodes.x, element, count, measure);
        for (size_t i = 0; i < count; i++)
            determinant[first + i] = measure[i].determinant;
    }
    return determinant;
}

static void take(finding *f, const sn_shot *shot, sn_local element, double determinant, sn_key key,
                 const double rest[3])
{
    finding one = {.of = {.least = determinant}, .key = key};
    f->of.count += !(determinant > 0);
    if (!is_worse(&one, f))
        return;
    f->of.least = determinant;
    f->key = key;
    memcpy(f->of.rest, rest, sizeof f->of.rest);
    centre_now(&shot->model.forest.level[0], shot->state.nodes.x, element, f->of.now);
}

static void find_own(const sn_shot *shot, finding *of_body)
{
    const sn_octree *tree = &shot->model.forest.level[0];
    const sn_operator *op = &shot->built.system.op;
    double *determinant = measure_all(shot);
    double(*centre)[3] = SN_NEW(double[3], tree->n_elements + tree->n_ghost_elements + 1);
    sn_octree_element_centres(tree, centre);
    sn_leaves element = sn_octree_elements(tree);
    for (sn_local e = 0; e < tree->n_elements; e++)
        if (!op->inside || op->inside[e] >= op->least_inside)
            take(&of_body[sn_key_body(element.key[e])], shot, e, determinant[e], element.key[e],
                 centre[e]);
    sn_leaves_free(&element);
    sn_free(centre);
    sn_free(determinant);
}

sn_folded *sn_shot_folded(sn_shot *shot)
{
    sn_octree *tree = &shot->model.forest.level[0];
    int n = shot->model.bodies.n, size;
    MPI_Comm_size(tree->comm, &size);
    finding *mine = SN_NEW_ZERO(finding, n), *all = SN_NEW(finding, n * size);
    sn_folded *folded = SN_NEW_ZERO(sn_folded, n);
    for (int b = 0; b < n; b++)
        mine[b].of.least = INFINITY;
    sn_field_fill_ghosts(tree, shot->state.nodes.x);
    find_own(shot, mine);
    int bytes = n * (int)sizeof *mine;
    MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, tree->comm);
    for (int b = 0; b < n; b++) {
        finding worst = all[b];
        for (int r = 1; r < size; r++) {
            int64_t count = worst.of.count + all[r * n + b].of.count;
            if (is_worse(&all[r * n + b], &worst))
                worst = all[r * n + b];
            worst.of.count = count;
        }
        folded[b] = worst.of;
    }
    sn_free(mine);
    sn_free(all);
    return folded;
}
