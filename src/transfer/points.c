#include "transfer/points.h"

#include "base/array.h"
#include "octree/element_exchange.h"

/* What a coarse element adds up of its children. Sides are summed by themselves: those of eight
 * equal children vanish without rounding. */
typedef struct {
    double weight;
    double point[3]; /* times weight */
    double side[3];  /* of the parent that the child is at, -1 or 1, times weight */
} share;

static share share_of(double weight, const float *point, int child)
{
    share s = {.weight = weight};
    for (int d = 0; d < 3; d++) {
        s.point[d] = point ? weight * (double)point[d] : 0;
        s.side[d] = child >> d & 1 ? weight : -weight;
    }
    return s;
}

static share *shares_of(const sn_transfer *t, const sn_octree *fine, const double *stiffness,
                        const float (*point)[3])
{
    share *all = SN_NEW_ZERO(share, sn_transfer_room_fine_elements(t));
    sn_leaves element = sn_octree_elements(fine);
    for (sn_local e = 0; e < fine->n_elements; e++)
        all[e] = share_of(stiffness[e], point ? point[e] : NULL,
                          sn_key_child(element.key[e], element.height[e]));
    sn_leaves_free(&element);
    return all;
}

static void add_share(share *sum, const share *s)
{
    sum->weight += s->weight;
    for (int d = 0; d < 3; d++) {
        sum->point[d] += s->point[d];
        sum->side[d] += s->side[d];
    }
}

static share sum_of_children(const sn_children *c, sn_local coarse, const share *fine)
{
    share sum = {0};
    for (sn_local i = c->first[coarse]; i < c->first[coarse + 1]; i++)
        add_share(&sum, &fine[c->child[i]]);
    return sum;
}

/* A child's edge is half of its parent's; an element that was not coarsened keeps its point. */
static float coordinate(const share *sum, bool same, int d)
{
    if (!(sum->weight > 0))
        return 0;
    double along = same ? sum->point[d] : (sum->side[d] + sum->point[d]) / 2;
    return (float)(along / sum->weight);
}

static sn_status fill_ghosts(const sn_octree *tree, float (*point)[3])
{
    sn_element_exchange x;
    SN_TRY(sn_element_exchange_create(tree, &x));
    sn_element_exchange_begin(&x, point, sizeof *point);
    sn_element_exchange_end(&x);
    sn_element_exchange_free(&x);
    return SN_OK;
}

sn_status sn_coarsen_points(sn_transfer *t, const sn_octree *fine, const sn_octree *coarse,
                            const double *stiffness, const float (*point)[3], float (**coarser)[3])
{
    share *children = shares_of(t, fine, stiffness, point);
    sn_exchange_begin(&t->children.exchange, children, sizeof *children);
    sn_exchange_end(&t->children.exchange);
    *coarser = SN_NEW_ZERO(float[3], coarse->n_elements + coarse->n_ghost_elements);
    for (sn_local e = 0; e < coarse->n_elements; e++) {
        share sum = sum_of_children(&t->children, e, children);
        for (int d = 0; d < 3; d++)
            (*coarser)[e][d] = coordinate(&sum, t->children.same[e], d);
    }
    sn_free(children);
    sn_status status = fill_ghosts(coarse, *coarser);
    if (status != SN_OK) {
        sn_free(*coarser);
        *coarser = NULL;
    }
    return status;
}
