#include "mesh/winding/tree.h"

#include <stdbool.h>
#include <string.h>

enum { WORTH_A_TASK = 8192 };

static inline bool before(const sn_winding_item *a, const sn_winding_item *b, int axis)
{
    double x = a->centroid[axis], y = b->centroid[axis];
    return x < y || (x == y && a->triangle < b->triangle);
}

static inline void swap(sn_winding_item *a, sn_winding_item *b)
{
    sn_winding_item t = *a;
    *a = *b;
    *b = t;
}

/* Leaves the median of three at items[0]. */
static void choose_pivot(sn_winding_item *items, int64_t n, int axis)
{
    sn_winding_item *a = &items[1], *b = &items[n / 2], *c = &items[n - 1];
    sn_winding_item *low = before(a, b, axis) ? a : b, *high = low == a ? b : a;
    sn_winding_item *median = before(c, low, axis) ? low : before(high, c, axis) ? high : c;
    swap(&items[0], median);
}

/* Moves the `k` first items along an axis to the front. */
static void select_first(sn_winding_item *items, int64_t n, int64_t k, int axis)
{
    while (n > 2) {
        choose_pivot(items, n, axis);
        int64_t i = 0, j = n;
        for (;;) {
            do
                i++;
            while (i < n && before(&items[i], &items[0], axis));
            do
                j--;
            while (before(&items[0], &items[j], axis));
            if (i >= j)
                break;
            swap(&items[i], &items[j]);
        }
        swap(&items[0], &items[j]);
        if (j == k)
            return;
        if (j > k) {
            n = j;
        } else {
            items += j + 1;
            n -= j + 1;
            k -= j + 1;
        }
    }
    if (n == 2 && before(&items[1], &items[0], axis))
        swap(&items[0], &items[1]);
}

static int longest_axis(const sn_winding_item *items, int64_t n)
{
    double low[3], high[3];
    memcpy(low, items[0].centroid, sizeof low);
    memcpy(high, items[0].centroid, sizeof high);
    for (int64_t i = 1; i < n; i++)
        for (int d = 0; d < 3; d++) {
            double x = items[i].centroid[d];
            low[d] = x < low[d] ? x : low[d];
            high[d] = x > high[d] ? x : high[d];
        }
    int axis = 0;
    for (int d = 1; d < 3; d++)
        if (high[d] - low[d] > high[axis] - low[axis])
            axis = d;
    return axis;
}

/* Cuts at the largest 8 * 2^j below n, so that every node of the tree is one k-d cell. The order
 * within a part depends on that part alone: threads may take parts as they come. */
static void order(sn_winding_item *items, int64_t n)
{
    while (n > SN_WINDING_LANES) {
        int64_t left = SN_WINDING_LANES;
        while (2 * left < n)
            left *= 2;
        select_first(items, n, left, longest_axis(items, n));
        sn_winding_item *part = items;
#pragma omp task firstprivate(part, left) if (left >= WORTH_A_TASK)
        order(part, left);
        items += left;
        n -= left;
    }
}

void sn_winding_order(sn_winding_item *items, int64_t n)
{
#pragma omp parallel
#pragma omp single
    order(items, n);
}
