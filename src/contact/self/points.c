#include "contact/self/points.h"

#include "base/array.h"
#include "partition/records.h"
#include "surface/embed.h"

#include <string.h>

typedef struct {
    uint64_t key; /* of its cell; where it arrives, the number of its element */
    int32_t rank, body;
    uint64_t asked; /* which of that rank's points */
    double at[3];
} traveller;

typedef struct {
    uint64_t asked;
    double position[3];
} answer;

static traveller *travellers(const sn_octree *tree, const sn_flesh_point *points, size_t n)
{
    traveller *list = SN_NEW(traveller, n);
    int me;
    MPI_Comm_rank(tree->comm, &me);
    for (size_t i = 0; i < n; i++) {
        list[i] = (traveller){.key = sn_locate_cell(tree->bodies, points[i].body, points[i].at),
                              .rank = me,
                              .body = points[i].body,
                              .asked = i};
        memcpy(list[i].at, points[i].at, sizeof list[i].at);
    }
    return list;
}

/* The element that a point follows, which has come to the first copy. */
static sn_local element_of(const sn_locator *l, const sn_parts *parts, const traveller *t)
{
    sn_local element = (sn_local)t->key;
    const sn_parts_cell *cell = NULL;
    if (l->tree->has_copies && l->elements.height[element] == 0)
        cell = sn_parts_cell_at(parts, l->elements.key[element]);
    return cell ? element + sn_parts_on_surface(parts, cell, -1, t->at) : element;
}

static answer evaluate(const sn_locator *l, const sn_parts *parts, const double *x,
                       const traveller *t)
{
    const sn_octree *tree = l->tree;
    double local[3], offset[3];
    sn_local element = element_of(l, parts, t);
    sn_key key = l->elements.key[element];
    int height = l->elements.height[element];
    bool inside = sn_locate_within(&tree->bodies->body[t->body], key, height, t->at, local, offset);
    answer a = {.asked = t->asked};
    sn_embedded_place(tree, element, sn_key_child(key, height), local, x, a.position);
    for (int d = 0; d < 3 && !inside; d++)
        a.position[d] += offset[d];
    return a;
}

static void bring_back(MPI_Comm comm, const answer *answers, const int *destination, size_t n,
                       double (*position)[3])
{
    sn_inbox in = sn_records_send(comm, sizeof *answers, answers, destination, n);
    const answer *back = in.data;
    for (size_t i = 0; i < in.n; i++)
        memcpy(position[back[i].asked], back[i].position, sizeof back[i].position);
    sn_inbox_free(&in);
}

sn_status sn_self_evaluate(const sn_locator *locator, const sn_parts *parts, const double *x,
                           const sn_flesh_point *points, size_t n, double (*position)[3])
{
    traveller *asked = travellers(locator->tree, points, n);
    void *arrived;
    size_t n_here;
    sn_status status = sn_locate(locator, sizeof *asked, asked, n, &arrived, &n_here);
    sn_free(asked);
    if (status != SN_OK)
        return status;
    const traveller *here = arrived;
    answer *answers = SN_NEW(answer, n_here);
    int *destination = SN_NEW(int, n_here);
    for (size_t i = 0; i < n_here; i++) {
        answers[i] = evaluate(locator, parts, x, &here[i]);
        destination[i] = here[i].rank;
    }
    bring_back(locator->tree->comm, answers, destination, n_here, position);
    sn_free(answers);
    sn_free(destination);
    sn_free(arrived);
    return SN_OK;
}
